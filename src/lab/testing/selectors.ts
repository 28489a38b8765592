/** Which requests a selector means, and which of two mocks is more specific. */
import type { MockLine, Selector } from '../../language/syntax/tests/test-tree.js';
import { withoutComment } from '../../runtime/mock.js';

/** A request of a program, as a selector sees it. */
export interface SelectedRequest {
  readonly kind: 'command' | 'agent' | 'tool';
  /** The agent or the tool; null: a command, or an agent that is only known during the run. */
  readonly name: string | null;
  /** The agent that is the tool of a CALL. */
  readonly agent?: string;
  readonly text: string;
  /** The whole script, if the text is only its beginning. */
  readonly script?: string;
  readonly state: string;
  readonly step: string | null;
  readonly line: number;
}

/** The script of a command with several lines or a very long one, whose text is shortened. */
export function scriptOf(text: string, { source }: { readonly source: string }): { readonly script?: string } {
  return text.endsWith('…') ? { script: source } : {};
}

export function selects(selector: Selector, target: SelectedRequest): boolean {
  if (selector.kind === 'text') {
    const { text, script, step } = target;
    const fits = (one: string): boolean => fitsWildcard(oneBlank(selector.pattern), oneBlank(one), '*');
    // Below a task the text of a step has the path of the task.
    if (script !== undefined && fits(script)) return true;
    if (fits(text) || (target.kind === 'command' && fits(withoutComment(text)))) return true;
    return step !== null && text === `STEP: ${step}` && fits(`STEP: ${lastName(step)}`);
  }
  if (selector.kind === 'agent' && target.agent === selector.name) return true;
  return target.kind === selector.kind && (target.name === null || target.name === selector.name);
}

/** Whether a text with values in braces may become one that a pattern means: what is fixed at both ends does not exclude it. */
export function canBecome(text: string, pattern: string): boolean {
  const [built, wanted] = [oneBlank(text), oneBlank(pattern)];
  const values = [...built.matchAll(/\{[A-Za-z_][^{}\s]*\}/g)];
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return false;
  const begins = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);
  const ends = (one: string, other: string): boolean => one.endsWith(other) || other.endsWith(one);
  const fixed = wanted.split('*');
  const rest = built.slice(last.index + last[0].length);
  return begins(built.slice(0, first.index), fixed[0] ?? '') && ends(rest, fixed.at(-1) ?? '');
}

/** Whether a mock answers this request. */
export function answers({ selector, state, line }: MockLine, target: SelectedRequest): boolean {
  if (line !== null && line !== target.line) return false;
  if (state !== null && state.text !== target.state && state.text !== lastName(target.step)) return false;
  return selects(selector, target);
}

/** The greater, the more specific: a line, then a state; an exact text, then the number of its fixed characters. */
export function specificity({ selector, state, line }: MockLine): number {
  const scope = line !== null ? 2 : state !== null ? 1 : 0;
  const isText = selector.kind === 'text';
  const fixed = isText ? Math.min(oneBlank(selector.pattern).replaceAll('*', '').length, 99_999) : 0;
  const isExact = isText && !selector.pattern.includes('*');
  return scope * 1e7 + (isExact ? 1e6 : 0) + (isText ? fixed + 1 : 0);
}

/** A selector as it is written. */
export function selectorText(selector: Selector): string {
  if (selector.kind === 'text') return `"${selector.pattern}"`;
  return selector.kind === 'agent' ? `Task(${selector.name})` : callText(selector.name);
}

/** A line that answers the request, to paste. */
export function mockLineFor({ kind, name, text, state }: SelectedRequest): string {
  if (kind === 'agent') return `MOCK: Task(${name ?? 'NAME'}) → "…"`;
  if (kind === 'tool') return `MOCK: ${callText(name ?? 'NAME')} → null`;
  const pattern = oneBlank(withoutComment(text)).replace(/[\\"]/g, '\\$&');
  return `MOCK: ${state}/"${pattern}" → ""`;
}

/** A name that is not one word is in quotes, as in a program. */
const callText = (tool: string): string => `CALL ${/[\s(){}[\],=+#"'→:†]/.test(tool) ? `"${tool}"` : tool}`;

/** Below a task a path has `/`, and inside a validator `.`. */
const lastName = (step: string | null): string | null => step?.split(/[./]/).at(-1) ?? null;
const oneBlank = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** Whether items fit a pattern in which `star` stands for any number of items. Takes at most the product of both lengths. */
export function fitsWildcard<T>(pattern: ArrayLike<T>, items: ArrayLike<T>, star: T): boolean {
  let at = 0;
  let lastStar = -1;
  let retry = 0;
  for (let position = 0; position < items.length; ) {
    if (at < pattern.length && pattern[at] === star) {
      lastStar = at++;
      retry = position;
    } else if (at < pattern.length && pattern[at] === items[position]) {
      at++;
      position++;
    } else if (lastStar >= 0) {
      at = lastStar + 1;
      position = ++retry;
    } else return false;
  }
  while (at < pattern.length && pattern[at] === star) at++;
  return at === pattern.length;
}
