/** What differs between a record and what a run asks for now, line by line. */
import type { Json } from '../../machine/expression.js';
import type { Asked } from './cassette.js';

/** Longer texts are compared at their beginning and end only. */
const MOST_LINES = 2000;
/** How many lines of a difference are shown. */
const MOST_SHOWN = 40;
const CONTEXT = 1;
/** How many characters of a line are shown, and how many of them are before the first difference. */
const MOST_CHARACTERS = 300;
const BEFORE = 40;

export function describeDrift(recorded: Asked, asked: Asked): string[] {
  const parts: [string, string, string][] = [
    ['text', recorded.text, asked.text],
    ['values', valuesText(recorded.args), valuesText(asked.args)],
    ['prompt', recorded.prompt ?? '', asked.prompt ?? ''],
  ];
  const different = parts.filter(([, before, after]) => before !== after);
  const lines = different.flatMap(([name, before, after]) =>
    name === 'prompt' && different.length === 1
      ? differentLines(before, after)
      : [`${name}:`, ...differentLines(before, after)],
  );
  const shown = lines.slice(0, MOST_SHOWN).map((line, at) => shortenLine(line, counterpart(lines, at)));
  return lines.length > MOST_SHOWN ? [...shown, `… ${lines.length - MOST_SHOWN} more lines`] : shown;
}

/** The line with which a removed or an added line is compared: the next one that was added, or the last one that was removed. */
function counterpart(lines: readonly string[], at: number): string {
  const [sign, other] = lines[at]?.startsWith('- ') ? ['- ', '+ '] : ['+ ', '- '];
  if (lines[at]?.startsWith(sign) !== true) return '';
  const found =
    sign === '- '
      ? lines.slice(at).find((line) => line.startsWith(other))
      : lines.slice(0, at).findLast((line) => line.startsWith(other));
  return found ?? '';
}

/** Of a long line, what is around the first difference. */
function shortenLine(line: string, other: string): string {
  if (line.length <= MOST_CHARACTERS) return line;
  const [sign, text] = [line.slice(0, 2), line.slice(2)];
  let same = 0;
  while (same < text.length && text[same] === other[same + 2]) same++;
  const begin = Math.max(0, same - BEFORE);
  const rest = text.length - begin - MOST_CHARACTERS;
  const end = rest > 0 ? `… ${rest} more characters` : '';
  return `${sign}${begin > 0 ? '…' : ''}${text.slice(begin, begin + MOST_CHARACTERS)}${end}`;
}

const valuesText = (values: readonly Json[]): string =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');

/** Lines with `-` were recorded, lines with `+` are asked for, and others are in both. */
export function differentLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const start = sameAtBegin(old, now);
  const end = sameAtBegin(old.slice(start).reverse(), now.slice(start).reverse());
  const [removed, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const middle =
    removed.length * added.length > MOST_LINES * MOST_LINES
      ? [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)]
      : alignLines(removed, added);
  const lead = old.slice(Math.max(0, start - CONTEXT), start).map((line) => `  ${line}`);
  const tail = old.slice(old.length - end, old.length - end + CONTEXT).map((line) => `  ${line}`);
  return [...lead, ...withoutLongSame(middle), ...tail];
}

/** How many lines at the beginning are in both. */
function sameAtBegin(old: readonly string[], now: readonly string[]): number {
  const different = old.findIndex((line, at) => line !== now[at]);
  return different === -1 ? old.length : different;
}

/** The longest common lines stay; all others are removed or added. */
function alignLines(removed: readonly string[], added: readonly string[]): string[] {
  const width = added.length + 1;
  /** How many lines are common from each pair of lines on. */
  const lengths = new Uint16Array((removed.length + 1) * width);
  const common = (i: number, j: number): number => lengths[i * width + j] as number;
  for (let i = removed.length - 1; i >= 0; i--)
    for (let j = added.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        removed[i] === added[j] ? common(i + 1, j + 1) + 1 : Math.max(common(i + 1, j), common(i, j + 1));
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < removed.length && j < added.length)
    if (removed[i] === added[j]) {
      lines.push(`  ${removed[i++]}`);
      j++;
    } else if (common(i + 1, j) >= common(i, j + 1)) lines.push(`- ${removed[i++]}`);
    else lines.push(`+ ${added[j++]}`);
  return [...lines, ...removed.slice(i).map((line) => `- ${line}`), ...added.slice(j).map((line) => `+ ${line}`)];
}

/** Of lines that are in both, only those next to a difference are shown. */
function withoutLongSame(lines: readonly string[]): string[] {
  const isFar = (at: number): boolean => [at - 1, at, at + 1].every((near) => lines[near]?.startsWith('  '));
  return lines.flatMap((line, at) => {
    if (!isFar(at)) return [line];
    return isFar(at - 1) ? [] : ['  …'];
  });
}
