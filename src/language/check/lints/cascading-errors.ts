/**
 * One mistake, one message. Several stages, or several lines, may report consequences of one mistake, and no stage
 * knows the messages of the others. This file removes consequences from the sorted list, using only codes and
 * locations.
 */
import { declarationMessages, nameMessages, suggestsName } from '../../source/catalogue/declarations.js';
import { effectMessages } from '../../source/catalogue/effects.js';
import { flowMessages } from '../../source/catalogue/flow.js';
import { patternMessages } from '../../source/catalogue/patterns.js';
import { notInstructions } from '../../source/catalogue/syntax.js';
import { textMessages } from '../../source/catalogue/texts.js';
import { type Diagnostic, type Label, positionAt, type SourceSet } from '../../source/diagnostic.js';
import { explainForeignLines } from './foreign-mistakes.js';
import { withoutQuotedLines } from './quoted-lines.js';

/** The number of lines from which prose is reported as a whole. */
const FEW_LINES = 3;

/** Leaves out messages that only follow from another one. `list` is sorted by location. */
export function withoutCascades(list: readonly Diagnostic[], sources: SourceSet): Diagnostic[] {
  const read = withoutQuotedLines(list, sources);
  const whole = withoutLintsOfUnread(withoutConsequences(read), sources);
  const own = withoutEmptySteps(withoutBranchesOutside(whole, sources), sources);
  const explained = explainForeignLines(withoutOpenEnds(own, sources), sources);
  const named = withoutNamedAfter(reportNamesOnce(withoutNamesInProse(withoutUnclearFlow(explained), sources)));
  return mergeProse(reportUndeclaredOnce(named), sources);
}

/**
 * A message about the form of a value is useless if the value does not exist or lacks quotes, and so is one about a
 * branch after a misspelt IF, or one of two about an open brace.
 */
function withoutConsequences(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const misspelt = new Set(list.filter((d) => d.code === 'unknown-verb').map(startOf));
  const literals = list.filter((d) => d.code === 'literal-arithmetic');
  const unquoted = new Set(literals.map(startOf));
  const isUnquoted = ({ span }: Diagnostic) =>
    literals.some((one) => one.span.file === span.file && one.span.start <= span.start && span.end <= one.span.end);
  const braces = new Set(list.filter((d) => d.code === 'ambiguous-braces').map(startOf));
  const misread = list.filter((d) => /^(?:unexpected-text|operator-spelling|missing-part|bad-character)$/.test(d.code));
  const isMisread = ({ span }: Diagnostic) =>
    misread.some(
      (one) => one.span.file === span.file && one.span.start >= span.start && one.span.start <= span.end + 1,
    );
  return withoutOptionsOfNothing(
    list.filter((d) => {
      if (d.code === 'wrong-type') return !isMisread(d) && !isUnquoted(d);
      if (d.code === 'unclosed-bracket') return !braces.has(startOf(d));
      if (/^(?:else|default)-without-if$/.test(d.code)) return !misspelt.has(startOf(d));
      return d.code !== 'input-default' || !unquoted.has(startOf(d));
    }),
  );
}

/** What was understood of a line that ends elsewhere, or has other words in it. */
const MISREAD = /^(?:unexpected-text|bad-character|unclosed-quote|operator-spelling|missing-(?:part|colon|arrow))$/;
const OF_VALUES = /^(?:untyped-input|wait-unchanged|missing-entry|undo-unreachable|prompt-missing|taken-as-text)$/;

function withoutLintsOfUnread(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  const lineOf = ({ span }: Diagnostic) => {
    const source = sources[span.file];
    return source === undefined ? '' : `${span.file}:${positionAt(source, span.start).line}`;
  };
  const misread = new Set(list.filter(({ code }) => MISREAD.test(code)).map(lineOf));
  if (misread.size === 0) return list;
  return list.filter((d) => d.severity === 'error' || !OF_VALUES.test(d.code) || !misread.has(lineOf(d)));
}

/** Where instructions lost their indentation, the branches of an IF lost theirs too. */
function withoutBranchesOutside(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  const files = new Set(list.filter((d) => d.code === 'instruction-outside-state').map(({ span }) => span.file));
  if (files.size === 0) return list;
  return list.filter(({ code, span }) => {
    if (!/^(?:missing-part|else-without-if)$/.test(code) || !files.has(span.file)) return true;
    return span.start > 0 && sources[span.file]?.text[span.start - 1] !== '\n';
  });
}

/** If a line could not be parsed, messages about the control flow are unreliable. */
const UNREAD =
  /^(?:unknown-verb|not-an-instruction|unexpected-indentation|indented-declaration|instruction-outside-state|else-without-if|bad-name|missing-part|duplicate)$/;
const FLOW =
  /^(?:falls-off|handler-falls-off|unreachable-state|unreachable-instruction|unbounded-cycle|check-never-read|unchecked-agent)$/;

function withoutUnclearFlow(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const unread = new Set(list.filter(({ code }) => UNREAD.test(code)).map(({ span }) => span.file));
  return unread.size === 0 ? list : list.filter(({ code, span }) => !FLOW.test(code) || !unread.has(span.file));
}

/** A step with its only work under an unknown key has one mistake, not two. */
function withoutEmptySteps(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  if (!list.some(({ code }) => code === 'empty-step')) return list;
  const keys = list.filter(({ code }) => code === 'unknown-key' || code === 'workflow-shape');
  return list.filter((one) => {
    if (one.code !== 'empty-step') return true;
    const text = sources[one.span.file]?.text ?? '';
    const next = /\n[ \t]*- /.exec(text.slice(one.span.end));
    const end = next === null ? text.length : one.span.end + next.index;
    return !keys.some(({ span }) => span.file === one.span.file && span.start > one.span.start && span.start < end);
  });
}

/** A command that ends with an operator is continued by the line below, which has the message. */
function withoutOpenEnds(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  return list.filter(({ code, span }, at) => {
    const next = code === 'missing-part' ? list[at + 1] : undefined;
    if (next === undefined || !/^(?:unexpected-indentation|not-an-instruction)$/.test(next.code)) return true;
    const text = sources[span.file]?.text ?? '';
    const sign = text[span.end - 1];
    return (sign !== '|' && sign !== '&') || text.slice(span.end, next.span.start).trim() !== '';
  });
}

const startOf = ({ span }: Diagnostic) => `${span.file}:${span.start}`;

function withoutOptionsOfNothing(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const unknown = list.filter((d) => d.code === 'unknown-name' || d.code === 'local-out-of-scope');
  if (unknown.length === 0) return list;
  const starts = new Set(unknown.map(startOf));
  return list.filter((d) => d.code !== 'may-be-read-as-option' || !starts.has(`${d.span.file}:${d.span.start + 1}`));
}

/** `IF: all tests green`: the words after the name show that it was never meant as a name. */
function withoutNamesInProse(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  const endsBeforeProse = new Set<string>();
  for (const { code, span } of list) {
    const text = sources[span.file]?.text;
    if (code !== 'unexpected-text' || text === undefined || !/[A-Za-z]/.test(text[span.start] ?? '')) continue;
    let end = span.start;
    while (text[end - 1] === ' ') end--;
    endsBeforeProse.add(`${span.file}:${end}`);
  }
  if (endsBeforeProse.size === 0) return list;
  return list.filter(
    ({ code, span }) => !/^(?:unknown-name|wrong-type)$/.test(code) || !endsBeforeProse.has(`${span.file}:${span.end}`),
  );
}

/**
 * A name that resembles no other is reported once per state, because one declaration corrects all its uses. If a name
 * is suggested, each use has to be corrected.
 */
function reportNamesOnce(list: readonly Diagnostic[]): readonly Diagnostic[] {
  // A missing TRACK explains the name in every state.
  const untracked = new Set(list.flatMap((d) => untrackedName(d) ?? []));
  const errors = new Set(list.filter((d) => d.code === 'unknown-name').map(keyOfName));
  const seen = new Set<string>();
  return list.filter((d) => {
    const facts = unboundName(d);
    const key = keyOfName(d);
    if (facts === null || key === null) return true;
    if (untracked.has(facts.name) || seen.has(key) || (d.severity === 'warning' && errors.has(key))) return false;
    seen.add(key);
    return true;
  });
}

/** `ls → files`, or an instruction outside every state, explains why nothing binds `files`. */
function withoutNamedAfter(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const meant = new Set(
    list.flatMap(
      (d) => textMessages.nameAfter.factsOf(d)?.name ?? declarationMessages.outsideState.factsOf(d)?.names ?? [],
    ),
  );
  if (meant.size === 0) return list;
  return list.filter((d) => !meant.has(unboundName(d)?.name ?? untrackedName(d) ?? ''));
}

/** What a message says is not declared, if it can be said more than once. */
function nameUndeclared(d: Diagnostic): string | null {
  const state = flowMessages.unknownState.factsOf(d);
  if (state !== null) return state.parameter === undefined ? `state ${state.name}` : null;
  const program = effectMessages.commandNotFound.factsOf(d);
  if (program !== null) return program.subtraction === undefined ? `program ${program.word}` : null;
  const pattern = patternMessages.unknownPattern.factsOf(d);
  return pattern === null ? null : `pattern ${pattern.name}`;
}

/**
 * A state or pattern that is not declared is reported once, and so is a program that is not there. The first message lists the
 * other uses, and the names that only the pattern could bind.
 */
function reportUndeclaredOnce(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = new Map<string, { at: number; labels: Label[] }>();
  const reported: Diagnostic[] = [];
  let pattern: { file: number; labels: Label[] } | null = null;
  for (const d of list) {
    const key = nameUndeclared(d);
    const cause = key === null ? undefined : first.get(`${d.span.file} ${key}`);
    const name = unboundName(d)?.name;
    if (cause !== undefined) cause.labels.push({ span: d.span, text: 'used here too' });
    else if (name !== undefined && d.severity === 'error' && pattern?.file === d.span.file)
      pattern.labels.push({ span: d.span, text: `\`${name}\` may be bound there` });
    else {
      if (key !== null) {
        const labels: Label[] = [];
        first.set(`${d.span.file} ${key}`, { at: reported.length, labels });
        if (key.startsWith('pattern ')) pattern = { file: d.span.file, labels };
      }
      reported.push(d);
    }
  }
  for (const { at, labels } of first.values()) {
    const d = reported[at] as Diagnostic;
    if (labels.length > 0) reported[at] = { ...d, labels: [...(d.labels ?? []), ...firstOf(labels)] };
  }
  return reported;
}

/** How many other uses a message shows. */
const MOST_USES = 8;

function firstOf(labels: readonly Label[]): readonly Label[] {
  const last = labels[MOST_USES - 1];
  if (last === undefined || labels.length === MOST_USES) return labels;
  const text = `${last.text}, and ${labels.length - MOST_USES} more times below`;
  return [...labels.slice(0, MOST_USES - 1), { ...last, text }];
}

function untrackedName(d: Diagnostic): string | null {
  const facts = nameMessages.notTracked.factsOf(d);
  return facts?.what === 'not bound' ? facts.name : null;
}

/** A name that nothing binds, with its state; null if another name is suggested, and for all other diagnostics. */
function unboundName(d: Diagnostic): { readonly name: string; readonly state: string } | null {
  const word = nameMessages.returnsTheWord.factsOf(d);
  if (word !== null) return { name: word.word, state: word.state };
  const facts = nameMessages.unknownName.factsOf(d) ?? nameMessages.unknownInText.factsOf(d);
  return facts === null || (d.repair !== undefined && suggestsName(facts)) ? null : facts;
}

function keyOfName(d: Diagnostic): string | null {
  const facts = unboundName(d);
  return facts === null ? null : `${facts.name} ${facts.state}`;
}

function mergeProse(list: readonly Diagnostic[], sources: SourceSet): Diagnostic[] {
  const reported: Diagnostic[] = [];
  for (let at = 0; at < list.length; ) {
    let end = at + 1;
    while (end < list.length && continues(list[end - 1] as Diagnostic, list[end] as Diagnostic, sources)) end++;
    const first = list[at] as Diagnostic;
    if (end - at >= FEW_LINES) reported.push(notInstructions(first.span, { lines: end - at }));
    else for (const diagnostic of list.slice(at, end)) reported.push(diagnostic);
    at = end;
  }
  return reported;
}

/** Whether two lines of prose are adjacent, with only spaces, bullets and numbers between them. */
function continues(above: Diagnostic, below: Diagnostic, sources: SourceSet): boolean {
  if (!isProse(above, sources) || !isProse(below, sources) || above.span.file !== below.span.file) return false;
  const text = sources[above.span.file]?.text ?? '';
  const lineEnd = text.indexOf('\n', above.span.end);
  return lineEnd >= 0 && lineEnd < below.span.start && /^[\s*-]*$/.test(text.slice(lineEnd, below.span.start));
}

/** A line without a verb, or with a word such as `Input:` before a colon. A word in capitals was meant as a verb. */
function isProse({ code, span, correction }: Diagnostic, sources: SourceSet): boolean {
  if (code === 'not-an-instruction') return true;
  if (code !== 'unknown-verb' || correction !== undefined) return false;
  const { text } = sources[span.file] ?? { text: '' };
  return /[a-z]/.test(text.slice(span.start, span.end)) && text[span.end] === ':';
}
