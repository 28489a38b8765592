/**
 * Messages about lines of other languages show how to write the line here. Such a line has one message: other messages
 * about it, or about the lines that belong to it, are consequences.
 */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { nameMessages } from '../../source/catalogue/declarations.js';
import { flowMessages } from '../../source/catalogue/flow.js';
import type { Correction, Diagnostic, Span } from '../../source/diagnostic.js';
import { lineText, positionAt, type SourceFile, type SourceSet } from '../../source/diagnostic.js';
import type { ForeignLine } from '../../source/foreign/foreign-line.js';
import { foreignLines } from '../../source/foreign/foreign-lines.js';

/** With more wrong lines than this the text is not a program, and other messages say so. */
const MOST_LINES = 200;

/** Longer lines are data. So are lines with more blanks in a row: the rules would try each way to divide them. */
const LONGEST = 500;
const MANY_BLANKS = /\s{24}/;

/** Codes of messages that result from misreading a line. */
const MISREAD =
  /^(?:unknown-(?:verb|name|state|option|function)|not-an-instruction|not-a-command|not-tracked|unexpected-text|missing-.*|bad-(?:character|name|option|duration|input-note)|operator-spelling|chained-comparison|compares-unlike|prompt-missing|unclosed-.*|command-not-found)$/;

/** Codes of messages about lines whose head could not be read. */
const BELOW_A_HEAD = /^(?:unexpected-indentation|instruction-outside-state)$/;

/** Corrected lines that begin a block. */
const HEAD = /^(?!#).*:$|^(?:STATE|PATTERN|STEP):/;

/** Warnings about what was read as a command or a text. */
const TEXTS = /^(?:command-not-found|taken-as-text)$/;

/** `list` is sorted by location. */
export function explainForeignLines(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  const found = explanations(list, sources);
  if (found.length === 0) return list;
  const bound = new Set(found.flatMap(({ binds }) => binds));
  const declared = new Set(found.flatMap(({ states }) => states));
  // The patterns of a file that is imported wrongly are missing.
  const isImporting = found.some(({ diagnostic }) => /`IMPORT: "/.test(diagnostic.help ?? ''));
  const remaining: Diagnostic[] = [];
  for (const diagnostic of list) {
    const explained = found.find((one) => covers(one, diagnostic, sources));
    if (explained !== undefined) {
      if (explained.of === diagnostic) remaining.push(explained.diagnostic);
    } else if (!isImporting || diagnostic.code !== 'unknown-pattern') {
      const name = unboundName(diagnostic);
      const state = flowMessages.unknownState.factsOf(diagnostic)?.name;
      if (name !== null ? !bound.has(name) : state === undefined || !declared.has(state)) remaining.push(diagnostic);
    }
  }
  return remaining;
}

interface Explained {
  readonly file: number;
  readonly firstLine: number;
  readonly lastLine: number;
  /** The part of the line that it explains; absent: all of it. */
  readonly part?: Span;
  /** The corrected line has a block, so the deeper lines below it are right. */
  readonly opensBlock?: boolean;
  /** The replaced message, and its replacement. */
  readonly of: Diagnostic;
  readonly diagnostic: Diagnostic;
  readonly binds: readonly string[];
  readonly states: readonly string[];
}

/** The name that has no value, for example because the line that binds it could not be parsed. */
function unboundName(diagnostic: Diagnostic): string | null {
  const facts =
    nameMessages.unknownName.factsOf(diagnostic) ??
    nameMessages.unknownInText.factsOf(diagnostic) ??
    nameMessages.notTracked.factsOf(diagnostic);
  return facts?.name ?? null;
}

function covers(
  { file, firstLine, lastLine, part, opensBlock, of }: Explained,
  diagnostic: Diagnostic,
  sources: SourceSet,
): boolean {
  if (diagnostic === of) return true;
  if (diagnostic.span.file !== file) return false;
  if (part !== undefined) return diagnostic.span.start >= part.start && diagnostic.span.start < part.end;
  const source = sources[file] as SourceFile;
  const { line } = positionAt(source, diagnostic.span.start);
  if (line >= firstLine && line <= lastLine) return true;
  if (!opensBlock || !BELOW_A_HEAD.test(diagnostic.code)) return false;
  let above = line - 1;
  while (above > lastLine && lineText(source, above).trim() === '') above--;
  return above === lastLine;
}

function explanations(list: readonly Diagnostic[], sources: SourceSet): Explained[] {
  const found: Explained[] = [];
  const seen = new Set<string>();
  for (const diagnostic of list) {
    const { file, start } = diagnostic.span;
    const source = sources[file];
    if (source === undefined || /\.(?:ya?ml|json)$/i.test(source.name)) continue;
    if (diagnostic.severity !== 'error' && !TEXTS.test(diagnostic.code)) continue;
    const { line } = positionAt(source, start);
    if (seen.size > MOST_LINES || found.some((one) => covers(one, diagnostic, sources))) continue;
    const explained = explainedLine(diagnostic, source, line);
    seen.add(`${file}:${line}`);
    if (explained !== null) found.push(explained);
  }
  return found;
}

/** The line of a comment such as `## PLAN` that was meant to begin a state; undefined if there is none. */
function commentAsHead(diagnostic: Diagnostic, source: SourceFile, line: number): number | undefined {
  const isHead = (at: number, name: string) =>
    new RegExp(`^#+[ \\t]*(?:STATE:?[ \\t]+)?${name}[ \\t]*:?[ \\t]*$`).test(lineText(source, at).trimEnd()) &&
    hasBlock(source, at);
  if (diagnostic.code === 'unexpected-indentation') {
    let above = line - 1;
    while (above > 0 && lineText(source, above).trim() === '') above--;
    return above > 0 && isHead(above, '[A-Za-z]\\w*') ? above : undefined;
  }
  const name = flowMessages.unknownState.factsOf(diagnostic)?.name;
  if (name === undefined || !/^\w+$/.test(name) || !source.text.includes('#')) return undefined;
  for (let at = 1; at <= source.lineStarts.length; at++) if (isHead(at, name)) return at;
  return undefined;
}

/** Whether the next line with text is indented and begins with a verb. */
function hasBlock(source: SourceFile, line: number): boolean {
  let next = line + 1;
  while (next <= source.lineStarts.length && lineText(source, next).trim() === '') next++;
  return next <= source.lineStarts.length && /^[ \t]+(?:- )?[A-Z]{2,}\b/.test(lineText(source, next));
}

function explainedComment(diagnostic: Diagnostic, source: SourceFile, line: number): Explained | null {
  const head = commentAsHead(diagnostic, source, line);
  if (head === undefined) return null;
  const { file } = diagnostic.span;
  const start = source.lineStarts[head - 1] as number;
  const text = lineText(source, head).trimEnd();
  const name = text.replace(/^#+[ \t]*(?:STATE:?[ \t]+)?|[ \t]*:?$/g, '');
  const span = { file, start, end: start + text.length };
  const { label, labels, notes, correction, repair, origin, ...rest } = diagnostic;
  return {
    file,
    firstLine: line,
    lastLine: line,
    of: diagnostic,
    binds: [],
    states: [name],
    diagnostic: {
      ...rest,
      span,
      message: `\`${text}\` is a comment and does not begin a state`,
      help: `write \`STATE: ${name}\``,
      correction: { span, text: `STATE: ${name}`, guess: true },
    },
  };
}

function explainedLine(diagnostic: Diagnostic, source: SourceFile, line: number): Explained | null {
  const comment = explainedComment(diagnostic, source, line);
  if (comment !== null) return comment;
  const whole = lineText(source, line);
  const text = whole.trim();
  if (text === '' || text.length > LONGEST || MANY_BLANKS.test(text)) return null;
  const at = (source.lineStarts[line - 1] as number) + whole.length - whole.trimStart().length;
  const written = { text, at, line };
  return (
    matchedLine(diagnostic, source, written) ??
    matchedMember(diagnostic, source, written) ??
    matchedAction(diagnostic, source, written)
  );
}

/** A member of a PARALLEL that is written as in another language: the same rules hold for it as for a line. */
function matchedMember(diagnostic: Diagnostic, source: SourceFile, { text, at, line }: WrittenLine): Explained | null {
  const [bullet = ''] = /^-\s+/.exec(text) ?? [];
  if (bullet === '' || (diagnostic.correction !== undefined && diagnostic.correction.guess !== true)) return null;
  const member = text.slice(bullet.length);
  // A name with a command is right in a member, and wrong as a line.
  if (/^\w+\s*=/.test(member)) return null;
  const explained = matchedLine(diagnostic, source, { text: member, at: at + bullet.length, line });
  const fix = explained?.diagnostic.correction?.text ?? '';
  return explained === null || fix.includes('\n') || explained.states.length > 0 ? null : explained;
}

interface WrittenLine {
  readonly text: string;
  readonly at: number;
  readonly line: number;
}

/** The end of an action of a list: a comma and the verb of the next. */
const NEXT_ACTION = /,\s*(?=[A-Z]{2,}(?:[ :]|$))/;

/** An action after an arrow that is written as in another language: the same rules hold for it as for a line. */
function matchedAction(diagnostic: Diagnostic, source: SourceFile, { text, at, line }: WrittenLine): Explained | null {
  const start = diagnostic.span.start - at;
  if (diagnostic.code !== 'unknown-verb' || !/(?:→|->|,)\s*$/.test(text.slice(0, Math.max(0, start)))) return null;
  // Nothing is left to decide.
  if (diagnostic.correction !== undefined && diagnostic.correction.guess !== true) return null;
  const rest = text.slice(start);
  const action = rest.slice(0, NEXT_ACTION.exec(rest)?.index ?? rest.length).trimEnd();
  if ((action.split('"').length - 1) % 2 === 1) return null;
  const explained = matchedLine(diagnostic, source, { text: action, at: at + start, line });
  const fix = explained?.diagnostic.correction?.text ?? '';
  if (explained === null || fix.includes('\n') || explained.states.length > 0) return null;
  const { file } = explained;
  return { ...explained, part: { file, start: at + start, end: at + start + action.length } };
}

const rulesByCode = new Map<string, readonly ForeignLine[]>();

/** Each message about a line looks at hundreds of rules. */
function rulesAbout(code: string): readonly ForeignLine[] {
  const known = rulesByCode.get(code);
  if (known !== undefined) return known;
  const rules = foreignLines().filter((rule) => (rule.codes ?? MISREAD).test(code));
  rulesByCode.set(code, rules);
  return rules;
}

function matchedLine(diagnostic: Diagnostic, source: SourceFile, { text, at, line }: WrittenLine): Explained | null {
  const { file } = diagnostic.span;
  for (const rule of rulesAbout(diagnostic.code)) {
    const match = rule.line.exec(text);
    if (match === null || rule.when?.(match, source.text) === false) continue;
    // A similar name is the better guess.
    if (rule.of !== undefined && (match[rule.of] !== blamedText(diagnostic, source) || diagnostic.repair !== undefined))
      continue;
    const by = rule.by?.(match, source.text);
    if (rule.by !== undefined && (by === undefined || by === text)) continue;
    const fix = by === undefined ? undefined : fixOf(rule, { file, at, text, line }, source, by);
    // What the rule changes is elsewhere on the line, and does not explain this name.
    if (
      rule.message === undefined &&
      diagnostic.code === 'unknown-name' &&
      fix !== undefined &&
      isApart(fix.span, diagnostic.span)
    )
      continue;
    const { label, labels, notes, help, correction: _, repair, origin, ...rest } = diagnostic;
    return {
      file,
      firstLine: line,
      lastLine: lastLineOf(rule, source, line),
      opensBlock: by !== undefined && by !== null && HEAD.test(by),
      of: diagnostic,
      binds: rule.binds?.(match) ?? [],
      states: rule.states?.(match) ?? [],
      diagnostic: {
        ...rest,
        ...(rule.never === true ? asError(diagnostic) : {}),
        ...(rule.message === undefined
          ? omitUndefined({ origin })
          : { message: rule.message(match), span: { file, start: at, end: at + text.length } }),
        help: rule.help(match, by ?? null, source.text),
        ...omitUndefined({ correction: fix }),
      },
    };
  }
  return null;
}

function asError({ code, severity }: Diagnostic): Pick<Diagnostic, 'code' | 'severity'> {
  if (severity === 'error') return { code, severity };
  return { code: code === 'command-not-found' ? 'not-a-command' : 'unexpected-text', severity: 'error' };
}

function blamedText({ span }: Diagnostic, { text }: SourceFile): string {
  return text.slice(span.start, span.end);
}

/** Whether the spans have nothing in common, not even an end. */
function isApart(one: Span, other: Span): boolean {
  return one.end < other.start || other.end < one.start;
}

/** The corrected line, with as little as possible around the change. */
function fixOf(
  { sure }: ForeignLine,
  { file, at, text, line }: { file: number; at: number; text: string; line: number },
  source: SourceFile,
  by: string | null,
): Correction {
  const start = source.lineStarts[line - 1] as number;
  const isSure = typeof sure === 'function' ? sure(text, source.text) : sure === true || sure?.test(text) === true;
  if (by === null) {
    const end = source.lineStarts[line] ?? source.text.length;
    return { span: { file, start, end }, text: '', ...(isSure ? {} : { guess: true }) };
  }
  const newline = source.text.includes('\r\n') ? '\r\n' : '\n';
  const indentation = source.text.slice(start, at);
  let same = 0;
  while (same < text.length && same < by.length && text[same] === by[same]) same++;
  while (same > 0 && /\w/.test(text[same - 1] ?? '') && /\w/.test((text[same] ?? '') + (by[same] ?? ''))) same--;
  let tail = 0;
  const most = Math.min(text.length, by.length) - same;
  while (tail < most && text[text.length - 1 - tail] === by[by.length - 1 - tail]) tail++;
  while (tail > 0 && /\w/.test(text[text.length - tail] ?? '')) tail--;
  const changed = by
    .slice(same, by.length - tail)
    .split('\n')
    .join(newline + indentation);
  const fix = { span: { file, start: at + same, end: at + text.length - tail }, text: changed };
  return isSure ? fix : { ...fix, guess: true };
}

/** The last line with messages that the mistake explains. */
function lastLineOf(rule: ForeignLine, source: SourceFile, line: number): number {
  const indentationOf = (text: string) => text.length - text.trimStart().length;
  const own = indentationOf(lineText(source, line));
  let last = line;
  for (let next = line + 1; next <= source.lineStarts.length; next++) {
    const text = lineText(source, next);
    if (text.trim() === '') continue;
    const deeper = indentationOf(text) > own;
    if (rule.until?.test(text.trim()) === true && indentationOf(text) <= own) return next;
    if (!deeper && rule.closes?.test(text.trim()) === true && indentationOf(text) === own) return next;
    if (!deeper && (rule.until === undefined || indentationOf(text) < own || next > line + MOST_LINES)) return last;
    if (rule.until === undefined && rule.block !== true) return last;
    last = next;
  }
  return last;
}
