/**
 * Builds blocks from lines: assigns lines to instructions, and ELSE to its IF. Declarations inside a block, which are
 * mistakes, are moved to the top, so that their names exist.
 */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import {
  branchWithoutIf,
  indentedDeclaration,
  missingPart,
  unexpectedIndentation,
} from '../../source/catalogue/syntax.js';
import type { Correction, Diagnostic, Edit, Span } from '../../source/diagnostic.js';
import type { Arm, Block, Declaration, Instruction } from '../ast.js';
import { isDeclaration } from '../child-blocks.js';
import type { Name } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import {
  child,
  children,
  fixAt,
  isNode,
  type ParseContext,
  report,
  reportMissing,
  span,
  startOf,
  token,
  tokenSpan,
  tokens,
} from '../grammar/cst.js';
import { isStepPart, type StepPart, strayPart } from '../steps/step-part.js';
import type { Token } from '../tokens/token.js';
import { declarationVerbs } from '../tokens/verbs.js';
import { buildStatement } from './build-statement.js';
import type { Bodies, BranchLine, Built, StatementContext, StepContent } from './statement-context.js';

/** The instructions of a block so far. ELSE is added to the last IF. */
interface BlockList {
  readonly items: (Instruction | Declaration)[];
  readonly diagnostics: Diagnostic[];
  /** Sections of a STEP and their entries, if they are allowed here. */
  readonly parts?: StepPart[];
}

function blockList(diagnostics: Diagnostic[]): BlockList {
  return { items: [], diagnostics };
}

/** The items of a program, in order. */
export function buildItems(context: ParseContext, lines: readonly SyntaxNode[]): (Instruction | Declaration)[] {
  const list = blockList(context.diagnostics);
  for (const line of lines) {
    const hoisted: Declaration[] = [];
    buildLine(context, line, false, list, hoisted, true);
    for (const declaration of hoisted) list.items.push(declaration);
  }
  return list.items;
}

function add(list: BlockList, built: Built): void {
  if (isStepPart(built)) {
    // Entries occur only below their sections, so the indentation of a misplaced one is already reported.
    if (list.parts !== undefined) list.parts.push(built);
    else if (built.kind.endsWith('-part')) list.diagnostics.push(strayPart(built));
  } else if (built.kind !== 'branch') list.items.push(built);
  else if (built.is === 'default')
    list.items.push({ kind: 'default', verb: built.verb, body: built.body, span: built.span });
  else if (built.is === 'on-error') list.items.push(onError(built));
  else join(list, built);
}

function join(list: BlockList, branch: BranchLine): void {
  const above = list.items[list.items.length - 1];
  if (above === undefined || above.kind !== 'if' || above.otherwise !== undefined) {
    const why = above?.kind === 'if' ? 'follows another `ELSE`' : 'has no `IF` directly above it';
    list.diagnostics.push(branchWithoutIf(branch.verb.span, { verb: branch.verb.text, why }));
    // The body is kept, so that its bindings and targets exist.
    for (const instruction of branch.body.instructions) list.items.push(instruction);
    return;
  }
  const { verb, body, span: where, condition } = branch;
  // The list of arms was created here, so it can grow in place, which keeps long chains linear.
  if (condition !== undefined) (above.arms as Arm[]).push({ condition, body, verb, span: where });
  else list.items[list.items.length - 1] = { ...above, otherwise: { body, verb, span: where } };
}

function onError(branch: BranchLine): Instruction {
  const { verb, errorKind, body, span: where } = branch;
  return { kind: 'on-error', verb, ...omitUndefined({ errorKind }), body, span: where };
}

function buildLine(
  context: ParseContext,
  line: SyntaxNode,
  bare: boolean,
  list: BlockList,
  hoisted: Declaration[],
  top: boolean,
): void {
  const statement = child(line, 'statement');
  if (statement === undefined) {
    const bullet = token(line, 'Bullet') as Token;
    report(context, missingPart(tokenSpan(context, bullet), { what: 'a command', after: '-', example: '- npm test' }));
    return;
  }
  const surroundings: StatementContext = { inList: false, bare, bullet: token(line, 'Bullet') !== undefined };
  const lower = new Below(context, child(line, 'block'), hoisted);
  const built = buildStatement(context, statement, surroundings, lower);
  if (isDeclaration(built) && !top) {
    const start = startOf(statement);
    const verb = firstWord(context.text, start);
    const margin = span(context, lineStart(context.text, start), start);
    const where = span(context, start, start + verb.length);
    // A misspelt verb is already reported, and in a block it may have been meant as something else.
    if (verb === built.kind.toUpperCase())
      report(context, indentedDeclaration(where, { verb, fix: fixToMargin(context, verb, margin) }));
    hoisted.push(built);
  } else add(list, built);
  for (const instruction of lower.claimRest(statement, built, surroundings.bullet)) add(list, instruction);
}

/** Declarations that are one line, which can stand above what they are in. */
const LINES: ReadonlySet<string> = new Set(['TITLE', 'INPUT', 'LIMIT', 'TOOL', 'KEY', 'IMPORT']);
const DECLARED = new RegExp(`^(?:${declarationVerbs.join('|')})(?!\\w)`);
/** How far a declaration and its surroundings are looked at. */
const MOST_LINES = 500;

/** Moves a declaration to the left margin, with what is below it, so that nothing else changes its place. */
function fixToMargin(context: ParseContext, verb: string, margin: Span): Correction {
  const { text, base } = context;
  const at = margin.start - base;
  const column = margin.end - margin.start;
  const guess = fixAt(margin, '', false);
  if (text.slice(at, at + column).includes('\t') || (verb !== 'STATE' && !LINES.has(verb))) return guess;
  const around = linesFrom(text, at, column);
  const own = around.findIndex((line, index) => index > 0 && line.trim() !== '' && indentOf(line) <= column);
  const lines = own < 0 ? around : around.slice(0, own);
  if (around.length === MOST_LINES) return guess;
  if (LINES.has(verb)) {
    const outer = outerLine(text, at);
    const [line = '', ...below] = lines;
    if (outer === null || below.some((one) => one.trim() !== '')) return guess;
    const whole = span(context, at, Math.min(text.length, at + line.length + 1));
    return { span: span(context, outer, outer), text: `${line.trim()}\n`, also: [{ span: whole, text: '' }] };
  }
  // What stands next to it would come to be inside it.
  const siblings = own < 0 ? [] : around.slice(own).filter((line) => indentOf(line) === column && line[column] !== '#');
  if (!siblings.every((line) => DECLARED.test(line.trim()))) return guess;
  let start = at;
  const edits = lines.flatMap((line) => {
    const edit = { span: span(context, start, start + column), text: '' };
    start += line.length + 1;
    return line.trim() === '' ? [] : [edit];
  });
  const [first, ...also] = edits as [Edit, ...Edit[]];
  return also.length === 0 ? first : { ...first, also };
}

/** The lines from `at` to the first one with less indentation. */
function linesFrom(text: string, at: number, column: number): string[] {
  const lines: string[] = [];
  for (let start = at; start < text.length && lines.length < MOST_LINES; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? text.length : end);
    if (line.trim() !== '' && indentOf(line) < column) break;
    lines.push(line);
    start = end < 0 ? text.length : end + 1;
  }
  return lines;
}

/** The offset of the last line before `at` that is at the left margin. */
function outerLine(text: string, at: number): number | null {
  for (let start = at, count = 0; start > 0 && count < MOST_LINES; count++) {
    start = lineStart(text, start - 1);
    if (/[^\s#]/.test(text[start] ?? ' ')) return start;
  }
  return null;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function firstWord(text: string, at: number): string {
  return /^\w+/.exec(text.slice(at, at + 40))?.[0] ?? '';
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

const CONTINUED_CONDITION = /^(?:AND|OR|and|or|&&|\|\|)(?!\w)/;

/** The block below a line. It can be claimed once. An unclaimed block is reported and kept. */
class Below implements Bodies {
  private claimed = false;
  constructor(
    private readonly context: ParseContext,
    private readonly node: SyntaxNode | undefined,
    private readonly hoisted: Declaration[],
  ) {}

  get hasLines(): boolean {
    if (this.node === undefined || this.claimed) return false;
    const line = child(this.node, 'line');
    return line === undefined || !CONTINUED_CONDITION.test(lineFrom(this.context.text, startOf(line)));
  }

  below(bare: boolean): Block | undefined {
    if (this.node === undefined || this.claimed) return undefined;
    this.claimed = true;
    return { instructions: this.lines(bare), inline: false, span: blockSpan(this.context, this.node) };
  }

  branch(actions: SyntaxNode | undefined, verb: Name): Block {
    const list = actions === undefined ? undefined : this.actions(actions);
    const continues = actions !== undefined && endsWithComma(actions);
    if (list === undefined || list.instructions.length === 0 || continues) {
      const block = this.below(false);
      if (block !== undefined)
        return list === undefined || list.instructions.length === 0
          ? block
          : { ...block, instructions: [...list.instructions, ...block.instructions] };
      if (list === undefined || list.instructions.length === 0) return this.missingBlock(verb);
    }
    return list as Block;
  }

  private missingBlock(verb: Name): Block {
    reportMissing(this.context, missingPart(verb.span, { what: 'an action', ...afterBranch(verb.text) }));
    return { instructions: [], inline: true, span: { ...verb.span, start: verb.span.end } };
  }

  /** Builds the actions of a list. The last one may claim the lines below. */
  private actions(node: SyntaxNode): Block {
    const statements = children(node, 'statement');
    const list = blockList(this.context.diagnostics);
    statements.forEach((statement, i) => {
      const last = i === statements.length - 1;
      const built = buildStatement(
        this.context,
        statement,
        { inList: true, bare: false, bullet: false },
        last ? this : new Below(this.context, undefined, this.hoisted),
      );
      add(list, built);
    });
    const first = statements[0];
    const start = first === undefined ? startOf(node) : startOf(first);
    return {
      instructions: list.items as Instruction[],
      inline: true,
      span: span(this.context, start, node.endOffset + 1),
    };
  }

  stepLines(): StepContent | undefined {
    if (this.node === undefined || this.claimed) return undefined;
    this.claimed = true;
    const parts: StepPart[] = [];
    const instructions = this.lines(false, parts);
    return { body: { instructions, inline: false, span: blockSpan(this.context, this.node) }, parts };
  }

  private lines(bare: boolean, parts?: StepPart[]): Instruction[] {
    const { diagnostics } = this.context;
    const list: BlockList = parts === undefined ? blockList(diagnostics) : { items: [], diagnostics, parts };
    for (const line of children(this.node as SyntaxNode, 'line'))
      buildLine(this.context, line, bare, list, this.hoisted, false);
    return list.items as Instruction[];
  }

  /** Reports the lines below that the statement did not claim. */
  claimRest(statement: SyntaxNode, built: Built, bullet: boolean): readonly Instruction[] {
    if (this.node === undefined || this.claimed) return [];
    // Below a bullet, an UNDO belongs to the command of the bullet.
    const undone = bullet && children(this.node, 'line').every((line) => isUndo(child(line, 'statement')));
    const line = child(this.node, 'line');
    const at = line === undefined ? startOf(this.node) : startOf(line);
    if (built.kind !== 'broken' && !undone) {
      const margin = span(this.context, lineStart(this.context.text, at), at);
      const [head, first] = [lineFrom(this.context.text, startOf(statement)), lineFrom(this.context.text, at)];
      const after = firstWord(head, 0);
      const meant = meantBelow(head, first, bullet);
      const where =
        endsInValue(head) && meant === undefined
          ? span(this.context, startOf(statement), startOf(statement) + head.length)
          : margin;
      report(this.context, unexpectedIndentation(where, { after, ...omitUndefined({ meant }) }));
      // These lines are no instructions, and say so one after the other.
      if (meant?.isText === true) {
        this.claimed = true;
        return [];
      }
    }
    this.claimed = true;
    return this.lines(false);
  }
}

const lineFrom = (text: string, at: number): string => /^[^\r\n]*/.exec(text.slice(at, at + LONGEST))?.[0] ?? '';
const LONGEST = 500;

/** What lines were meant as that stand below an instruction without a block. */
function meantBelow(
  head: string,
  first: string,
  bullet: boolean,
): { readonly message?: string; readonly help: string; readonly isText?: true } | undefined {
  const isInstruction = /^(?:- )?[A-Z]{2,}\b/.test(first);
  const [, branch, action] = /^((?:ELSE )?IF|ELSE|DEFAULT|ON ERROR)\b.*?(?:→|->)\s*(\S.*)$/.exec(head) ?? [];
  if (branch !== undefined && isInstruction)
    return {
      help: `write ${/,\s*[A-Z]{2,}/.test(action ?? '') ? 'each of its actions' : `\`${action}\``} on a line of its own below the arrow, indented like this line`,
    };
  if (bullet && isInstruction)
    return {
      message: 'a member of a PARALLEL is one instruction',
      help: 'write these instructions in a `PATTERN: NAME` at the margin, and `- USE: NAME` for the member',
    };
  const line = action ?? head;
  const [command] = /^(?:DO|CHECK)(?:\s*\[[^\]]*\])?:(?:\s*\w+\s*=(?!=))?/.exec(line) ?? [];
  if (command === undefined || isInstruction || endsInValue(head)) return undefined;
  const [agent] = /^DO(?:\s*\[[^\]]*\])?:(?:\s*\w+\s*=)?\s*Task\([\w-]+\)/.exec(line) ?? [];
  const alone = `write \`${agent === undefined ? command : `${agent}:`}\` ${branch === undefined ? 'alone' : 'on a line of its own below the arrow'}`;
  return {
    message:
      agent === undefined
        ? 'the command above ends at the end of its line'
        : 'the prompt above ends at the end of its line',
    help: `${alone}, and all lines of the ${agent === undefined ? 'command' : 'prompt'} below it, indented deeper`,
    isText: true,
  };
}

/** Whether a line ends within a list or an object. */
const endsInValue = (line: string): boolean => /[=:]\s*[[{(](?:.*,)?\s*$/.test(line);

function isUndo(statement: SyntaxNode | undefined): boolean {
  return statement !== undefined && child(statement, 'undo') !== undefined;
}

function endsWithComma(actions: SyntaxNode): boolean {
  const commas = tokens(actions, 'NextAction') as readonly Token[];
  const last = commas[commas.length - 1];
  const statements = children(actions, 'statement');
  const end = statements[statements.length - 1];
  return last !== undefined && (end === undefined || last.startOffset > startOf(end));
}

function blockSpan(context: ParseContext, node: SyntaxNode) {
  const lines = children(node, 'line');
  const first = lines[0];
  const start = first === undefined ? startOf(node) : startOf(first);
  const last = lines[lines.length - 1];
  const statement = last === undefined || !isNode(last) ? undefined : child(last, 'statement');
  const end = Math.max(start, node.endOffset + 1, (statement?.endOffset ?? start) + 1);
  return span(context, start, Math.min(end, context.text.length));
}

/** The part before the actions of a branch, and the form of the whole line. */
function afterBranch(verb: string): { after: string; example: string } {
  if (verb === 'ELSE') return { after: verb, example: 'ELSE → GOTO NEXT' };
  if (verb === 'DEFAULT') return { after: 'DEFAULT:', example: 'DEFAULT: GOTO NEXT' };
  return { after: '→', example: verb === 'ON ERROR' ? 'ON ERROR: → GOTO NEXT' : `${verb}: … → GOTO NEXT` };
}
