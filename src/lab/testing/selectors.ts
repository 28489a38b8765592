/** Which requests a selector means, which of two mocks is more specific, and what a selector that selects nothing may mean. */
import type { MockLine, Selector } from '../../language/syntax/tests/test-tree.js';
import { nearest } from '../../prelude/nearest.js';
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

type TextSelector = Extract<Selector, { kind: 'text' }>;

/** Whether a selector is a word without quotes, which selects nothing. */
export const isBare = (selector: Selector): selector is TextSelector & { readonly isBare: true } =>
  selector.kind === 'text' && selector.isBare === true;

/** How many instructions a message lists. */
const MOST_TEXTS = 5;
export const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** What a selector of this kind can select, and which of it is probably meant. */
export function selectable(
  selector: Selector,
  targets: readonly SelectedRequest[],
  state: string | null,
): { readonly names: readonly string[]; readonly near: string | undefined } {
  if (selector.kind === 'text') {
    const texts = commandTexts(targets, state);
    return {
      names: texts.slice(0, MOST_TEXTS).map(shorten),
      near: calledNear(selector.pattern, targets) ?? quotedNear(selector.pattern, texts),
    };
  }
  const names = [...new Set(targets.filter(({ kind }) => kind === selector.kind).flatMap(({ name }) => name ?? []))];
  return { names, near: nearest(selector.name, names) };
}

/** The call of an agent or a tool that is meant by a text, which would be that of a command. */
function calledNear(pattern: string, targets: readonly SelectedRequest[]): string | undefined {
  const [, agent, tool] = /^(?:Task\(\s*([\w.-]+)\s*\)|CALL:?\s+([\w.-]+))$/.exec(pattern.trim()) ?? [];
  const isCalled = (kind: 'agent' | 'tool', called: string | undefined): boolean =>
    targets.some((one) => one.kind === kind && one.name === called);
  if (agent !== undefined && isCalled('agent', agent)) return `Task(${agent})`;
  return tool !== undefined && isCalled('tool', tool) ? `CALL ${tool}` : undefined;
}

/** The texts of commands, each once. */
function commandTexts(targets: readonly SelectedRequest[], state: string | null): readonly string[] {
  const commands = targets.filter((one) => one.kind === 'command' && (state === null || one.state === state));
  return [...new Set(commands.map(({ text }) => text))];
}

/** The text in quotes that the pattern may be a run of, such as `deploy {target}` for `deploy prod`, or that is nearest to it. */
function quotedNear(pattern: string, texts: readonly string[]): string | undefined {
  const [meant, ...others] = texts.filter((text) => {
    const parts = text.split(/\{[^{}]*\}/);
    return parts.length > 1 && fitsWildcard<string | null>(joinByNull(parts), [...pattern], null);
  });
  const plain = pattern.replace(/(?<![*\s])[*\s]+$/, '');
  const near =
    meant !== undefined && others.length === 0 ? meant : (nearest(pattern, texts) ?? nearestStart(plain, texts));
  return near === undefined ? undefined : inQuotes(near);
}

/** The characters of parts, with null between them. */
const joinByNull = (parts: readonly string[]): (string | null)[] =>
  parts.flatMap((part, at) => (at === 0 ? [...part] : [null, ...part]));

const inQuotes = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** The text that begins almost as what is before the `*` of a pattern. */
function nearestStart(start: string, texts: readonly string[]): string | undefined {
  const starts = texts.map((text) => text.slice(0, start.length + 1).replace(/\s.*$/s, ''));
  const near = start.includes(' ') ? undefined : nearest(start, starts);
  return near === undefined ? undefined : texts[starts.indexOf(near)];
}

/** What a word without quotes may mean: a question, an agent, a tool, the name of what a command binds, or a part of its text. */
export function helpForBare(
  word: string,
  { targets, asks }: { readonly targets: readonly SelectedRequest[]; readonly asks: ReadonlyMap<string, unknown> },
): { readonly help: string; readonly by: string | null } {
  if (asks.has(word)) return { help: `write \`ANSWER: ${word} → "…"\`: it is a question`, by: null };
  const near = nearest(word, [...targets.flatMap(({ name }) => name ?? []), ...asks.keys()]);
  const meant =
    targets.find(({ name }) => name === word) ?? targets.find(({ name }) => name === near && near !== undefined);
  if (meant !== undefined && meant.name !== null)
    return helpBy(meant.kind === 'tool' ? `CALL ${meant.name}` : `Task(${meant.name})`);
  const text = targets.find((one) => one.kind === 'command' && one.text.split(/[\s/]/).includes(word))?.text;
  if (text !== undefined) return helpBy(inQuotes(text));
  const texts = commandTexts(targets, null).slice(0, MOST_TEXTS);
  const list = texts.map((one) => `\`"${shorten(one)}"\``).join(', ');
  return { help: `write the text of a command in quotes: ${list}`, by: null };
}

const helpBy = (selector: string) => ({ help: `write \`${selector}\``, by: selector });
