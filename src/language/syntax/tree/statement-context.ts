/**
 * What the builders of statements share, and what they make of lines without a verb: commands in PARALLEL and FOR EACH,
 * mistakes anywhere else.
 */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { sectionOutside, stepInList } from '../../source/catalogue/steps.js';
import { badCharacter, notAnInstruction, unknownVerb } from '../../source/catalogue/syntax.js';
import { testMessages } from '../../source/catalogue/tests.js';
import type { Block, Declaration, Instruction } from '../ast.js';
import type { Expression, Name } from '../expression-nodes.js';
import {
  child,
  fixAt,
  type ParseContext,
  report,
  type SyntaxNode,
  span,
  spanOf,
  startOf,
  token,
  tokenSpan,
} from '../grammar/cst.js';
import type { StepPart } from '../steps/step-part.js';
import type { Token } from '../tokens/token.js';
import { actionFollows, isSection, isSureVerb, needsNoColon, verbLike, verbNamed } from '../tokens/verbs.js';
import { buildPerformed } from './build-commands.js';
import { reportRest } from './build-rest.js';

const firstWord = /^[^\s:[(,\u200b-\u200d\u2060]+/;
const looksLikeVerb = /^([A-Z][A-Z0-9_]*(?:[ \t]+[A-Z][A-Z0-9_]*)?)[ \t]*(?:\[[^\]\n]*\])?:(?=\s|$)/;
/** An entry of RETRY with the wrong indentation. */
const retryEntry = /^ATTEMPT[ \t]+\d/;
const wordColon = /^([A-Za-z_]\w*):(?=\s|$)/;

/** An action of a list without a verb. */
export function buildProse(context: ParseContext, prose: Token): Instruction {
  const written = firstWord.exec(prose.image)?.[0] ?? prose.image;
  const where = tokenSpan(context, prose);
  const at = { ...where, end: where.start + written.length };
  const named = verbNamed(written);
  const meant = otherThan(written, named);
  if (named === 'STEP') {
    report(context, stepInList(at, {}));
    return { kind: 'broken', verb: { text: written, span: at }, span: where };
  }
  const cut = meant === undefined ? cutText(context.text, prose.startOffset) : undefined;
  // The instruction before it would have another text, so that the quotes are only offered.
  const fix =
    meant !== undefined
      ? fixAt(at, meant, isSureVerb(written, meant))
      : cut?.fix && fixAt(span(context, cut.fix.start, cut.fix.end), cut.fix.text, false);
  const last = context.diagnostics.at(-1);
  const isOfText = last !== undefined && last.span.start >= where.start - (cut?.length ?? 0);
  // The text that needs quotes is no name of an event with its fields.
  if (cut !== undefined && isOfText && last.code === 'unexpected-text') context.diagnostics.pop();
  // The first comma of a text is enough.
  const isSaid = isOfText && last.code === 'unknown-verb';
  if (!isSaid)
    report(
      context,
      unknownVerb(at, {
        written,
        inList: true,
        ...omitUndefined({ meant, fix, quoted: cut?.quoted }),
      }),
    );
  return { kind: 'broken', verb: { text: written, span: at }, span: where };
}

/** An action whose text has no quotes, before the comma that ends it. */
const unquoted = /^.*\b(RETURN|FAIL|EMIT):?[ \t]+([^\s"'].*),[ \t]*$/;

interface CutText {
  readonly quoted: string;
  readonly length: number;
  readonly fix?: { readonly start: number; readonly end: number; readonly text: string };
}

/** `RETURN: ok, fine`: the text before `at` was cut at a comma. `quoted` is the whole action with quotes. */
function cutText(text: string, at: number): CutText | undefined {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  const [found = '', verb, before = ''] = unquoted.exec(text.slice(line, at)) ?? [];
  if (verb === undefined || (verb === 'EMIT' && /=|^[A-Z_]{2,}\b/.test(before))) return undefined;
  // Neither another action nor a comment belongs to it.
  const rest = text.slice(at, endOfLine(text, at)).replace(/[ \t]+#.*/, '');
  const comma = [...rest.matchAll(/,/g)].find(({ index }) => actionFollows(text, at + index + 1));
  const whole = `${before}, ${rest.slice(0, comma?.index)}`.trim();
  const length = before.length + 2;
  if (whole.includes('\\')) return { quoted: `${verb}: "…"`, length };
  const start = line + found.lastIndexOf(before);
  const quotes = `"${whole.replaceAll('"', '\\"')}"`;
  const fix = { start, end: start + whole.length, text: quotes };
  return { quoted: `${verb}: ${quotes}`, length, ...(text.startsWith(whole, start) ? { fix } : {}) };
}

/** Bullets and numbers of lists. In a shell, `*` would be the name of the first file. */
const otherBullet = /^(?:[*+•–—]|\d+[.)])(?=[ \t])/;

/** A line without a verb. */
export function buildBareLine(
  context: ParseContext,
  head: SyntaxNode,
  statement: SyntaxNode,
  surroundings: StatementContext,
): Instruction {
  const task = child(head, 'task');
  const shell = task === undefined ? undefined : token(task, 'Shell');
  const start = startOf(head);
  const line = context.text.slice(start, endOfLine(context.text, start));
  const verb = shellVerb(context, line, start);
  if (shell !== undefined && child(head, 'binding') === undefined && looksLikeVerb.test(line))
    return buildUnknown(context, statement, line, start);
  const bullet = otherBullet.exec(line)?.[0];
  if (surroundings.bare && !surroundings.bullet && bullet !== undefined) {
    const where = span(context, start, start + bullet.length);
    const help = `write \`- \` before a member, not \`${bullet}\``;
    report(context, notAnInstruction(where, { help, fix: fixAt(where, '-') }));
    return { kind: 'broken', verb, span: spanOf(context, statement) };
  }
  if (surroundings.bare) {
    const rest = child(statement, 'rest');
    if (rest !== undefined) reportRest(context, rest);
    const style = surroundings.bullet ? 'bullet' : 'bare';
    return buildPerformed(context, head, { verb, options: [], check: false, style }, spanOf(context, head));
  }
  if (surroundings.bullet)
    report(
      context,
      notAnInstruction(verb.span, {
        help: 'write `DO: ` before a command: only the members of `DO: in PARALLEL` are bullets',
      }),
    );
  else if (shell !== undefined) return buildUnknown(context, statement, line, start);
  else {
    const fix = fixAt(span(context, start, start), 'DO: ', false);
    report(
      context,
      notAnInstruction(verb.span, { help: `write \`DO: ${line.length > 40 ? '…' : line.trim()}\``, fix }),
    );
  }
  return { kind: 'broken', verb, span: spanOf(context, statement) };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** The first word of a bare line, in the role of its verb. */
function shellVerb(context: ParseContext, line: string, start: number): Name {
  const text = firstWord.exec(line)?.[0] ?? line.slice(0, 1);
  return { text, span: span(context, start, start + Math.max(1, text.length)) };
}

/** `x = …`: only the author knows whether the right side is a command or a value. */
function bindingHelp(line: string): { help?: string } {
  const name = /^([A-Za-z_]\w*)[ \t]*\+?=/.exec(line)?.[1];
  return name === undefined
    ? {}
    : { help: `write \`SET: ${name} = …\` for a value, \`DO: ${name} = …\` for a command` };
}

/** Verbs of test files that no program has. */
const testVerb = /^(?:TESTS?|MOCK|GIVEN|ANSWER|EXPECT|PROPERTY|ASSUME|NEVER|AT MOST|ENDS|REACHES)$/;

/** What looks like a space, or like nothing, and is neither. */
const oddBlanks = /(?:[^\S \t\r\n]|[\u200b-\u200d\u2060])+/;

/** The verb that was meant, unless it is the one that was written: `GOTO(A)` begins with the right verb. */
function otherThan(written: string, meant: string | undefined): string | undefined {
  return meant === written ? undefined : meant;
}

/** A line with a first word that may have been meant as a verb. */
function buildUnknown(context: ParseContext, statement: SyntaxNode, line: string, start: number): Instruction {
  const written =
    looksLikeVerb.exec(line)?.[1] ?? wordColon.exec(line)?.[1] ?? firstWord.exec(line)?.[0] ?? line.slice(0, 1);
  const at = span(context, start, start + written.length);
  const named = verbNamed(written) ?? verbLike(written);
  const meant = otherThan(written, named);
  const blanks = oddBlanks.exec(line);
  if (blanks !== null && (blanks.index === 0 || (named !== undefined && blanks.index === written.length))) {
    const at = start + blanks.index;
    const where = span(context, at, at + blanks[0].length);
    report(context, badCharacter(where, { character: blanks[0].charAt(0) }));
  } else if (isSection(written) || retryEntry.test(line)) report(context, sectionOutside(at, { section: written }));
  else if (testVerb.test(written) && wordColon.test(line))
    report(context, testMessages.inProgram(at, { verb: written }));
  else if (meant === 'ASK' && /^ask[ \t]+(?:user[ \t]+)?["']/i.test(line)) {
    const asked = /^ask(?:[ \t]+user)?/i.exec(line)?.[0] ?? written;
    const where = span(context, start, start + asked.length);
    report(context, unknownVerb(where, { written: asked, meant: 'ASK user:', fix: fixAt(where, 'ASK user:') }));
  } else if (meant !== undefined) {
    const colon = context.text[start + written.length] === ':' || needsNoColon(meant) ? '' : ':';
    report(
      context,
      unknownVerb(at, { written, meant, fix: fixAt(at, `${meant}${colon}`, isSureVerb(written, meant)) }),
    );
  } else if (looksLikeVerb.test(line) || wordColon.test(line)) report(context, unknownVerb(at, { written }));
  else report(context, notAnInstruction(at, bindingHelp(line)));
  return { kind: 'broken', verb: { text: written, span: at }, span: spanOf(context, statement) };
}

/** The position of a statement. */
export interface StatementContext {
  /** In an action list, where verbs need no colon. */
  readonly inList: boolean;
  /** Directly in PARALLEL or FOR EACH, where a line without a verb is a command. */
  readonly bare: boolean;
  /** After the dash of a bullet. */
  readonly bullet: boolean;
}

/** ELSE, ELSE IF, DEFAULT and ON ERROR, whose result depends on the adjacent lines. */
export interface BranchLine {
  readonly kind: 'branch';
  readonly is: 'else' | 'else-if' | 'default' | 'on-error';
  readonly verb: Name;
  readonly condition?: Expression;
  readonly errorKind?: Name;
  readonly body: Block;
  readonly span: Instruction['span'];
}

export type Built = Instruction | Declaration | BranchLine | StepPart;

/**
 * Gives a statement access to its parts outside of its own node: the actions after its arrow, and the lines below it.
 */
export interface Bodies {
  /** The block after an arrow: its action list, or else the lines below. */
  branch(actions: SyntaxNode | undefined, verb: Name): Block;
  /** Whether there are lines below that nothing has claimed, and that do not continue with a condition. */
  readonly hasLines: boolean;
  /** The lines below, or undefined if there are none. `bare` lines are commands. */
  below(bare: boolean): Block | undefined;
  /** The lines below a STEP or one of its sections. */
  stepLines(): StepContent | undefined;
}

/** The lines of a STEP or of a section: instructions, and parts that only have a meaning there. */
export interface StepContent {
  readonly body: Block;
  readonly parts: readonly StepPart[];
}
