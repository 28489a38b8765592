/** One line in a program that is right without it: what is said about it, and what it becomes by the fix. */
import { compile } from '../../src/language/check/compile.js';
import { applyEdits } from '../../src/language/source/fix-text.js';

const PROGRAMS = 'bash cat curl echo git grep jq ls make npm printf pwd sort test wc'.split(' ');
const onPath = (program: string) => PROGRAMS.includes(program);
export const options = { lookups: { agents: { isKnown: () => true }, onPath } };

/** Where a line stands: `@` is its place. */
export const INSTRUCTIONS =
  'STATE: A\n  TRACK: n = 1\n  TRACK: items = []\n  TRACK: text = "a"\n  CHECK: r = ./r\n  @\n  GOTO: B\nSTATE: B\n  ASK user: "{n} {items} {text}" → q\n  RETURN: {q}\nPATTERN: P with a\n  DO: ls {a}\n';
export const ACTIONS = INSTRUCTIONS.replace('@', 'IF: n > 1 → @');
export const HANDLERS = INSTRUCTIONS.replace('@\n  GOTO: B', '@').replace('@', 'GOTO: B\n  @');
export const MARGIN = `@\n${INSTRUCTIONS.replace('  @\n', '')}`;
export const STEP =
  'STEP: early\n  PROMPT: "Plan it."\n  AGENT: claude\nSTEP: main\n  PROMPT: "Do it."\n  AGENT: claude\n  @\n  GATE:\n    - bash "./test" as test\n  RETRY:\n    EXIT 3\n';
export const RETRIES = STEP.replace('  @\n', '').replace('EXIT 3', '@\n    EXIT 3');
export const GATES = STEP.replace('  @\n', '').replace('as test', 'as test\n    @');

export function said(place: string, line: string): string {
  const text = place.replace('@', () => line);
  const from = place.indexOf('@');
  const { diagnostics } = compile(text, options);
  const own = diagnostics.filter(({ span }) => span.end >= from && span.start <= from + line.length);
  const words = own.map(({ code, message, help }) => `  ${code}: ${message}${help === undefined ? '' : ` · ${help}`}`);
  const edits = own.flatMap(({ fixes = [] }) => fixes[0]?.edits ?? []);
  const fixed = applyEdits(text, edits);
  const becomes = edits.length === 0 ? [] : [`  → ${changed(text, fixed)}`];
  return [line, ...words, ...becomes].join('\n');
}

/** The lines of a text that another one does not have. */
function changed(from: string, to: string): string {
  const [before, after] = [from.split('\n'), to.split('\n')];
  let start = 0;
  while (start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return (
    after
      .slice(start, after.length - end)
      .map((line) => line.trim())
      .join(' ⏎ ') || '(nothing)'
  );
}
