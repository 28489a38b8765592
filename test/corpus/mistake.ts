/** What mistakes in programs are made of: words, and how a text is changed in one place. */

export type Random = (below: number) => number;

export interface Mistake {
  readonly name: string;
  /** The program still means the same to a reader: a fix must restore its machine, or leave it alone. */
  readonly isSpelling: boolean;
  /** Null: the text has nothing of the kind. */
  readonly make: (text: string, random: Random) => string | null;
}

export const VERBS =
  'MACHINE|INPUT|LIMIT|IMPORT|PATTERN|STATE|ELSE IF|ELSE|DEFAULT|ON ERROR|DO|CHECK|EMIT|IF|PROCEED|GOTO|USE|RETURN|WAIT|TRACK|INCREMENT|SET|ASK|FOR EACH|CALL|PLAN|FAIL|UNDO|ROLLBACK|STEP|CONTEXT|PROMPT|SESSION|AGENT|WORKFLOW|GATE|RETRY|EACH|ATTEMPT|EXIT';
export const FUNCTIONS =
  'len|upper|lower|trim|keys|values|sort|string|json|int|float|lines|split|join|replace|slice|default|exit_code|range|first|last|unique|sum|round|floor|ceil';
export const OPTIONS =
  'timeout|retry|once|max|quorum|cwd|env|ok|strict|choices|default|deadline|every|transitions|time|cost|tokens|keep|retry_on|shell|type|parallel';

/** Replaces one match, chosen at random. */
export function once(
  pattern: RegExp,
  change: (found: RegExpExecArray, random: Random) => string | null,
): Mistake['make'] {
  return (text, random) => {
    const all = [...text.matchAll(pattern)];
    if (all.length === 0) return null;
    const found = all[random(all.length)] as RegExpExecArray;
    const made = change(found, random);
    return made === null ? null : text.slice(0, found.index) + made + text.slice(found.index + found[0].length);
  };
}

export const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** One letter dropped, doubled, exchanged, added or replaced. */
export function misspelt(word: string, random: Random): string {
  const at = random(word.length);
  const letter = LETTERS[random(26)] as string;
  const cased = word === word.toUpperCase() ? letter.toUpperCase() : letter;
  const kinds = [
    () => word.slice(0, at) + word.slice(at + 1),
    () => word.slice(0, at) + word[at] + word.slice(at),
    () => word.slice(0, at) + (word[at + 1] ?? '') + word[at] + word.slice(at + 2),
    () => word.slice(0, at) + cased + word.slice(at),
    () => word.slice(0, at) + cased + word.slice(at + 1),
  ];
  return (kinds[random(kinds.length)] as () => string)();
}

export function otherCase(word: string, random: Random): string {
  const kinds = [
    word.toLowerCase(),
    word[0] + word.slice(1).toLowerCase(),
    [...word].map((letter) => (random(2) === 0 ? letter.toLowerCase() : letter)).join(''),
    word.toUpperCase(),
  ];
  return kinds[random(kinds.length)] as string;
}

export const oneOf =
  (...texts: readonly string[]) =>
  (_: RegExpExecArray, random: Random): string =>
    texts[random(texts.length)] as string;

export const lineStart = String.raw`(?<=^[ \t]*(?:- )?)`;
export const arrowStart = String.raw`(?<=(?:→|->|, )[ \t]*)`;
export const verbAt = (where: string): RegExp => new RegExp(`${where}(?:${VERBS})(?![\\w])`, 'gm');

export const spelling = (name: string, make: Mistake['make']): Mistake => ({ name, isSpelling: true, make });
export const other = (name: string, make: Mistake['make']): Mistake => ({ name, isSpelling: false, make });
