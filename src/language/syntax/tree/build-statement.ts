/**
 * Builds an instruction, declaration or branch from one concrete statement. Reports mistakes and keeps everything that
 * could be parsed, so that one slip does not hide the rest of a program.
 */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { missingArrow, missingColon, missingPart, unknownVerb } from '../../source/catalogue/syntax.js';
import type { Instruction } from '../ast.js';
import type { Expression, Name } from '../expression-nodes.js';
import type { SyntaxElement, SyntaxNode } from '../grammar/cst.js';
import {
  child,
  emptySpanAt,
  endOf,
  fixAt,
  isNode,
  type ParseContext,
  report,
  reportMissing,
  span,
  spanOf,
  token,
  tokenEnd,
  tokenSpan,
} from '../grammar/cst.js';
import { verbName } from '../names.js';
import { buildSection } from '../steps/build-sections.js';
import { beginsWithVerb, buildEntryLine, buildStep } from '../steps/build-step.js';
import type { Token } from '../tokens/token.js';
import { bareVerbs, isSureVerb, lacksOnlyColon, needsNoColon, wordsOfTokens } from '../tokens/verbs.js';
import { buildCall, helpAfterArrow } from './build-call.js';
import { buildCommand, buildPerformed } from './build-commands.js';
import {
  buildHeading,
  buildImport,
  buildInput,
  buildKey,
  buildLimit,
  buildTitle,
  buildTool,
} from './build-declarations.js';
import { buildExpression } from './build-expression.js';
import { buildAssignment, buildEmit, buildJump, buildReturn, buildTextAction } from './build-instructions.js';
import { buildForEach, buildParallel } from './build-loops.js';
import { headerOptions } from './build-options.js';
import { type Naming, reportRest } from './build-rest.js';
import { buildAsk, buildWait } from './build-waiting.js';
import type { Bodies, BranchLine, Built, StatementContext } from './statement-context.js';
import { buildBareLine, buildProse } from './statement-context.js';

export function buildStatement(
  context: ParseContext,
  node: SyntaxNode,
  surroundings: StatementContext,
  bodies: Bodies,
): Built {
  const blamed = context.blamed;
  context.blamed = false;
  const head = headOf(node);
  const verb = isNode(head) ? leadingVerb(head) : head;
  if (verb !== undefined && verb.tokenType.name !== 'Prose') reportVerb(context, verb, surroundings);
  const rest = child(node, 'rest');
  if (rest !== undefined && !takesAnything(head) && !setsElement(head, rest))
    reportRest(context, rest, namingOf(head), isNode(head) ? helpAfterArrow(head, rest) : undefined);
  const built = buildHead(context, node, head, surroundings, bodies);
  context.blamed = blamed;
  return built;
}

/** The one child that is not `rest`. */
function headOf(node: SyntaxNode): SyntaxElement {
  for (const element of node.elements) if (!isNode(element) || element.name !== 'rest') return element;
  return node;
}

const named: ReadonlyMap<string, string | null> = new Map([
  ['Goto', null],
  ['Use', null],
  ['Call', null],
  ['State', 'a state'],
  ['Machine', 'a machine'],
  ['Pattern', 'a pattern'],
  ['Input', 'an input'],
  ['Track', 'a variable'],
]);

/** The name at the end of a head, if the verb needs only a name. */
function namingOf(head: SyntaxElement): Naming | undefined {
  if (!isNode(head)) return undefined;
  const word = token(head, 'Word') ?? token(head, 'ToolName');
  if (word === undefined || endOf(head) !== tokenEnd(word)) return undefined;
  const verb = head.elements.find(
    (element): element is Token => !isNode(element) && named.has(element.tokenType.label),
  );
  return verb === undefined ? undefined : { word, what: named.get(verb.tokenType.label) as string | null };
}

/** `SET: x[0] = 1`, which is reported where the name is built. */
function setsElement(head: SyntaxElement, rest: SyntaxNode): boolean {
  const first = rest.parts[0] as Token | undefined;
  const word = isNode(head) && token(head, 'Set') !== undefined ? token(head, 'Word') : undefined;
  return word !== undefined && first?.image === '[' && first.startOffset === tokenEnd(word);
}

/** A line without a verb is reported as a whole. */
function takesAnything(head: SyntaxElement): boolean {
  if (!isNode(head)) return head.tokenType.name === 'Prose';
  return head.name === 'performed' || (head.name === 'gates' && beginsWithVerb(head));
}

function leadingVerb(node: SyntaxNode): Token | undefined {
  if (node.name === 'section') return leadingVerb(node.elements[0] as SyntaxNode);
  for (const element of node.elements)
    if (!isNode(element) && wordsOfTokens.has(element.tokenType.label)) return element;
  return undefined;
}

/** For a misspelt verb, no other mistakes of its instruction are reported, because they may follow from the guess. */
function reportVerb(context: ParseContext, verb: Token, surroundings: StatementContext): void {
  const type = verb.tokenType.name;
  const meant = wordsOfTokens.get(type) as string;
  if (verb.image === `${meant}:`) return;
  const written = verbName(context, verb);
  if (written.text !== meant) {
    const isSentence = surroundings.inList && readsAsSentence(context.text, verb.startOffset);
    if (isSentence && takesNoWords.has(type))
      report(context, unknownVerb(written.span, { written: written.text, inList: true }));
    else {
      const fix = fixAt(written.span, meant, !isSentence && isSureVerb(written.text, meant));
      report(context, unknownVerb(written.span, { written: written.text, meant, fix }));
    }
    context.blamed = true;
    return;
  }
  if (verb.image.endsWith(':') || mayLackColon(type, meant, surroundings)) return;
  // The arrow says where the actions begin.
  if (type === 'OnError' && /^[ \t]*(?:→|->)/.test(context.text.slice(tokenEnd(verb), tokenEnd(verb) + 40))) return;
  const end = span(context, tokenEnd(verb), tokenEnd(verb));
  const fix = fixAt(end, ':', lacksOnlyColon(context.text, tokenEnd(verb), false));
  reportMissing(context, missingColon(written.span, { verb: meant, fix }));
}

/** Verbs that several plain words cannot follow, unlike a command or a text. */
const takesNoWords: ReadonlySet<string> = new Set([
  ...['Use', 'Goto', 'Wait', 'Ask', 'Track', 'Set', 'Increment', 'Call', 'Plan'],
]);
const sentence = /[a-z]+(?:[ \t]+(?!with(?!\w))[a-z][a-z'-]*){2,}[ \t]*(?=$|[\r\n,.])/y;

/** `use partial data`: only words, without anything typical of an instruction. */
function readsAsSentence(text: string, at: number): boolean {
  sentence.lastIndex = at;
  return sentence.test(text);
}

/** The colon of a command comes after its options; the builder of the command checks it. */
function mayLackColon(type: string, verb: string, { inList }: StatementContext): boolean {
  return inList || needsNoColon(verb) || /^(?:Do|Undo|Check|Call|Plan)$/.test(type);
}

/** A statement that is one token, without a rule of its own in the grammar. */
function buildToken(context: ParseContext, head: Token): Built {
  const { name } = head.tokenType;
  if (name === 'Prose') return buildProse(context, head);
  const bare = bareVerbs.find((verb) => verb === name.toUpperCase());
  if (bare === undefined) throw new Error(`nothing builds the statement ${name}`);
  const kind = bare.toLowerCase() as Lowercase<typeof bare>;
  return { kind, verb: verbName(context, head), span: tokenSpan(context, head) };
}

function buildHead(
  context: ParseContext,
  node: SyntaxNode,
  head: SyntaxElement,
  surroundings: StatementContext,
  bodies: Bodies,
): Built {
  if (!isNode(head)) return buildToken(context, head);
  switch (head.name) {
    case 'emit':
      return buildEmit(context, head);
    case 'conditional':
      return buildConditional(context, head, bodies);
    case 'command':
      return buildDo(context, head, surroundings, bodies);
    case 'undo':
      return buildUndo(context, head, surroundings.inList);
    case 'jump':
      return buildJump(context, head, child(node, 'rest'));
    case 'branch':
      return buildBranch(context, head, bodies);
    case 'assignment':
      return buildAssignment(context, head);
    case 'ret':
      return buildReturn(context, head);
    case 'said':
      return buildTextAction(context, head);
    case 'wait':
      return buildWait(context, head, bodies);
    case 'forEach':
      return buildForEach(context, head, bodies);
    case 'ask':
      return buildAsk(context, head);
    case 'toolCall':
      return buildCall(context, head, surroundings.inList);
    case 'heading':
      return buildHeading(context, head, () => bodies.below(false) ?? emptyBlock(context, head));
    case 'inputLine':
      return buildInput(context, head);
    case 'limit':
      return buildLimit(context, head);
    case 'toolLine':
      return buildTool(context, head);
    case 'keyLine':
      return buildKey(context, head);
    case 'titleLine':
      return buildTitle(context, head);
    case 'imported':
      return buildImport(context, head);
    case 'step':
      return buildStep(context, head, bodies);
    case 'section':
      return buildSection(context, head, bodies);
    case 'contexts':
    case 'gates':
    case 'retryEntry':
      return buildEntryLine(context, head, bodies);
    default:
      return buildBareLine(context, head, node, surroundings);
  }
}

function emptyBlock(context: ParseContext, head: SyntaxNode) {
  const where = spanOf(context, head);
  return { instructions: [], inline: false, span: { ...where, start: where.end } };
}

function buildDo(context: ParseContext, head: SyntaxNode, surroundings: StatementContext, bodies: Bodies): Built {
  const performed = child(head, 'performed');
  const parallel = child(performed ?? head, 'parallel');
  const forEach = child(performed ?? head, 'forEach');
  const verb = (token(head, 'Do') ?? token(head, 'Check')) as Token;
  if (parallel !== undefined) return buildParallel(context, head, parallel, verb, bodies, surroundings.inList);
  if (forEach !== undefined)
    return buildForEach(context, forEach, bodies, { verb, node: head, inList: surroundings.inList });
  return buildCommand(context, head, surroundings.inList);
}

function buildConditional(context: ParseContext, head: SyntaxNode, bodies: Bodies): Built {
  const rest = child(head, 'rest');
  const verbToken = (token(head, 'If') ?? token(head, 'ElseIf')) as Token;
  const verb = verbName(context, verbToken);
  const colon = lastColon(rest);
  if (rest !== undefined && colon === undefined) reportRest(context, rest);
  const expression = child(head, 'expression');
  const condition = expression === undefined ? missingCondition(context, verb) : buildExpression(context, expression);
  const actions = child(head, 'actions');
  const instead = token(head, 'MissingArrow');
  // Lines below a condition can only be its block, also after a colon as in other languages. The formatter writes the arrow.
  const isBlock = instead === undefined && actions === undefined && bodies.hasLines;
  const needsArrow = expression !== undefined && token(head, 'Arrow') === undefined && !isBlock;
  if (needsArrow && (rest === undefined || colon !== undefined))
    reportMissingArrow(context, verb, condition, instead ?? colon);
  const body = bodies.branch(actions, verb);
  const where = spanOf(context, head);
  if (verbToken.tokenType.name === 'ElseIf')
    return { kind: 'branch', is: 'else-if', verb, condition, body, span: where };
  return { kind: 'if', verb, arms: [{ condition, body, verb, span: where }], span: where };
}

/** `instead` is what is where the arrow should: spaces before a verb, or a colon. */
function reportMissingArrow(
  context: ParseContext,
  verb: Name,
  condition: Expression,
  instead: Token | undefined,
): void {
  const at = instead === undefined ? emptySpanAt(condition.span) : tokenSpan(context, instead);
  const fix = fixAt(at, instead !== undefined && /[ \t]$/.test(instead.image) ? ' → ' : ' →');
  reportMissing(context, missingArrow(condition.span, { verb: verb.text, fix }));
  // Without an arrow, nothing is missing after it.
  context.blamed = true;
}

/** `IF: ready:`, as in other languages. */
function lastColon(rest: SyntaxNode | undefined): Token | undefined {
  const list = (rest?.parts ?? []) as Token[];
  const only = list[0];
  return list.length === 1 && only?.tokenType.name === 'Colon' ? only : undefined;
}

function missingCondition(context: ParseContext, verb: Name): Expression {
  reportMissing(
    context,
    missingPart(verb.span, { what: 'a condition', after: verb.text, example: `${verb.text}: count > 3 → PROCEED` }),
  );
  return { kind: 'broken', span: emptySpanAt(verb.span) };
}

function buildBranch(context: ParseContext, head: SyntaxNode, bodies: Bodies): BranchLine {
  const verbToken = (token(head, 'Else') ?? token(head, 'Default') ?? token(head, 'OnError')) as Token;
  const verb = verbName(context, verbToken);
  const is =
    verbToken.tokenType.name === 'Else' ? 'else' : verbToken.tokenType.name === 'Default' ? 'default' : 'on-error';
  const errorKind = is === 'on-error' ? kindOf(context, verbToken) : undefined;
  const body = bodies.branch(child(head, 'actions'), verb);
  return {
    kind: 'branch',
    is,
    verb,
    ...omitUndefined({ errorKind }),
    body,
    span: spanOf(context, head),
  };
}

const errorKinds = /^ON[ \t]+ERROR[ \t]*\[?[ \t]*([A-Za-z_]\w*)/;

/** The kind in `ON ERROR [timeout]:` or `ON ERROR timeout:`. */
function kindOf(context: ParseContext, verb: Token) {
  const found = errorKinds.exec(verb.image);
  const text = found?.[1];
  if (found === null || text === undefined) return undefined;
  const start = verb.startOffset + found[0].length - text.length;
  return { text, span: span(context, start, start + text.length) };
}

/** Builds UNDO: the command, agent call or CALL that undoes the instruction above it. */
function buildUndo(context: ParseContext, node: SyntaxNode, inList: boolean): Instruction {
  const verbToken = token(node, 'Undo') as Token;
  const options = headerOptions(context, node, verbToken, inList);
  const verb = verbName(context, verbToken);
  const where = spanOf(context, node);
  const call = child(node, 'toolCall');
  if (call !== undefined) {
    const by = buildCall(context, call, true);
    if (by.kind !== 'call') return { kind: 'broken', verb, span: where };
    return { kind: 'undo', verb, by: { ...by, options: [...options, ...by.options] }, span: where };
  }
  const performed = child(node, 'performed');
  if (performed === undefined) {
    const example = 'UNDO: git tag -d -- {tag}';
    reportMissing(context, missingPart(verb.span, { what: 'a command', after: `${verb.text}:`, example }));
    return { kind: 'broken', verb, span: where };
  }
  const by = buildPerformed(context, performed, { verb, options, check: false, style: 'verb' }, where);
  return by.kind === 'do' ? { kind: 'undo', verb, by, span: where } : { kind: 'broken', verb, span: where };
}
