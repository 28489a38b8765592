/**
 * One mistake, one message. Several stages, or several lines, may report consequences of one mistake, and no stage
 * knows the messages of the others. This file removes consequences from the sorted list, using only codes and
 * locations.
 */
import { nameMessages, suggestsName } from '../../source/catalogue/names.js';
import { notInstructions } from '../../source/catalogue/syntax.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceSet } from '../../source/source-file.js';
import { explainForeignLines } from './foreign-mistakes.js';

/** The number of lines from which prose is reported as a whole. */
const FEW_LINES = 3;

/** Leaves out messages that only follow from another one. `list` is sorted by location. */
export function withoutCascades(list: readonly Diagnostic[], sources: SourceSet): Diagnostic[] {
  const explained = explainForeignLines(withoutEmptySteps(withoutConsequences(list), sources), sources);
  return mergeProse(reportNamesOnce(withoutNamesInProse(withoutUnclearFlow(explained), sources)), sources);
}

/**
 * A message about the form of a value is useless if the value does not exist or lacks quotes, and so is one about a
 * branch after a misspelt IF.
 */
function withoutConsequences(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const misspelt = new Set(list.filter((d) => d.code === 'unknown-verb').map(startOf));
  const unquoted = new Set(list.filter((d) => d.code === 'literal-arithmetic').map(startOf));
  return withoutOptionsOfNothing(
    list.filter((d) => {
      if (/^(?:else|default)-without-if$/.test(d.code)) return !misspelt.has(startOf(d));
      return d.code !== 'input-default' || !unquoted.has(startOf(d));
    }),
  );
}

/** If a line could not be parsed, messages about the control flow are unreliable. */
const UNREAD =
  /^(?:unknown-verb|not-an-instruction|indented-declaration|instruction-outside-state|else-without-if|bad-name|missing-part|duplicate)$/;
const FLOW =
  /^(?:falls-off|handler-falls-off|unreachable-state|unreachable-instruction|unbounded-cycle|check-never-read)$/;

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
  return list.filter((d) => d.code !== 'unknown-name' || !endsBeforeProse.has(`${d.span.file}:${d.span.end}`));
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
function isProse({ code, span, fix }: Diagnostic, sources: SourceSet): boolean {
  if (code === 'not-an-instruction') return true;
  if (code !== 'unknown-verb' || fix !== undefined) return false;
  const { text } = sources[span.file] ?? { text: '' };
  return /[a-z]/.test(text.slice(span.start, span.end)) && text[span.end] === ':';
}
