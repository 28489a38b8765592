/**
 * Broken programs made from whole ones: cut off anywhere, or with one token dropped, doubled, swapped or
 * replaced. Which of them are tried follows from the program's text and the seed of the tests, so that a failure comes back.
 */
import { tries } from '../amount.js';
import { seed, sequenceOf } from '../random.js';

const TOKEN = /\s+|\w+|[^\s\w]/gu;
const STRANGE = [
  '"',
  "'",
  '{',
  '}',
  '(',
  '[',
  ']',
  '→',
  ':',
  '=',
  ',',
  '\\',
  '#',
  '|',
  '\t',
  '\n',
  '\0',
  '†',
  '$(',
  'IF:',
];

/** Usually only a few: hundreds of programs are broken, each in other positions, and in others with each start of the tests. */
function some(count: number): number {
  return tries(Math.ceil(count / 100), count);
}

/** At most `most` prefixes of the text, all of them when there are no more than that. */
export function prefixes(text: string, most: number): string[] {
  const count = some(most);
  if (text.length <= count) return Array.from({ length: text.length }, (_, end) => text.slice(0, end));
  const next = sequenceOf(`${seed} ${text}`);
  return Array.from({ length: count }, () => text.slice(0, next(text.length)));
}

/** At most `most` texts that differ from `text` in one token. */
export function mutations(text: string, most: number): string[] {
  const count = some(most);
  const tokens = text.match(TOKEN) ?? [];
  if (tokens.length === 0) return [];
  const next = sequenceOf(`${seed} ${text}`);
  return Array.from({ length: count }, () => {
    const changed = [...tokens];
    const at = next(changed.length);
    const token = changed[at] as string;
    const other = next(changed.length);
    switch (next(5)) {
      case 0:
        changed[at] = '';
        break;
      case 1:
        changed[at] = token + token;
        break;
      case 2:
        changed[at] = changed[other] as string;
        changed[other] = token;
        break;
      case 3:
        changed[at] = STRANGE[next(STRANGE.length)] as string;
        break;
      default:
        changed[at] = token + (STRANGE[next(STRANGE.length)] as string);
    }
    return changed.join('');
  });
}
