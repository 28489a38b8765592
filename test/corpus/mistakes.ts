/**
 * Programs with mistakes that people make: misspelt words, other spellings, forgotten signs, wrong indentation, forms of other
 * languages, and names that nothing has. Which of them are made follows from a seed, so that a failure comes back.
 */

/** Numbers below 2^32, the same for the same seed (xorshift). */
export function numbersFrom(seed: string): (below: number) => number {
  let state = 0x9e3779b9;
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193) >>> 0;
  state ||= 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

type Random = (below: number) => number;

interface Mistake {
  readonly name: string;
  /** The program still means the same to a reader: a fix must restore its machine, or leave it alone. */
  readonly isSpelling: boolean;
  /** Null: the text has nothing of the kind. */
  readonly make: (text: string, random: Random) => string | null;
}

const VERBS =
  'MACHINE|INPUT|LIMIT|IMPORT|PATTERN|STATE|ELSE IF|ELSE|DEFAULT|ON ERROR|DO|CHECK|EMIT|IF|PROCEED|GOTO|USE|RETURN|WAIT|TRACK|INCREMENT|SET|ASK|FOR EACH|CALL|PLAN|FAIL|UNDO|ROLLBACK|STEP|CONTEXT|PROMPT|SESSION|AGENT|WORKFLOW|GATE|RETRY|EACH|ATTEMPT|EXIT';
const FUNCTIONS =
  'len|upper|lower|trim|keys|values|sort|string|json|int|float|lines|split|join|replace|slice|default|exit_code|range|first|last|unique|sum|round|floor|ceil';
const OPTIONS =
  'timeout|retry|once|max|quorum|cwd|env|ok|strict|choices|default|deadline|every|transitions|time|cost|tokens|keep|retry_on|shell|type|parallel';

/** Replaces one match, chosen at random. */
function once(pattern: RegExp, change: (found: RegExpExecArray, random: Random) => string | null): Mistake['make'] {
  return (text, random) => {
    const all = [...text.matchAll(pattern)];
    if (all.length === 0) return null;
    const found = all[random(all.length)] as RegExpExecArray;
    const made = change(found, random);
    return made === null ? null : text.slice(0, found.index) + made + text.slice(found.index + found[0].length);
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** One letter dropped, doubled, exchanged, added or replaced. */
function misspelt(word: string, random: Random): string {
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

function otherCase(word: string, random: Random): string {
  const kinds = [
    word.toLowerCase(),
    word[0] + word.slice(1).toLowerCase(),
    [...word].map((letter) => (random(2) === 0 ? letter.toLowerCase() : letter)).join(''),
    word.toUpperCase(),
  ];
  return kinds[random(kinds.length)] as string;
}

const oneOf =
  (...texts: readonly string[]) =>
  (_: RegExpExecArray, random: Random): string =>
    texts[random(texts.length)] as string;

const lineStart = String.raw`(?<=^[ \t]*(?:- )?)`;
const arrowStart = String.raw`(?<=(?:→|->|, )[ \t]*)`;
const verbAt = (where: string): RegExp => new RegExp(`${where}(?:${VERBS})(?![\\w])`, 'gm');

const spelling = (name: string, make: Mistake['make']): Mistake => ({ name, isSpelling: true, make });
const other = (name: string, make: Mistake['make']): Mistake => ({ name, isSpelling: false, make });

export const MISTAKES: readonly Mistake[] = [
  spelling(
    'a misspelt verb',
    once(verbAt(lineStart), ([verb], random) => misspelt(verb, random)),
  ),
  spelling(
    'a misspelt action',
    once(verbAt(arrowStart), ([verb], random) => misspelt(verb, random)),
  ),
  spelling(
    'a verb in other letters',
    once(verbAt(lineStart), ([verb], random) => otherCase(verb, random)),
  ),
  spelling(
    'an action in other letters',
    once(verbAt(arrowStart), ([verb], random) => otherCase(verb, random)),
  ),
  spelling('all verbs in small letters', (text) => text.replace(verbAt(lineStart), (verb) => verb.toLowerCase())),
  spelling(
    'a verb without its colon',
    once(
      new RegExp(`${lineStart}(${VERBS})((?: \\[[^\\]\\n]*\\])?):`, 'gm'),
      ([, verb, options]) => `${verb}${options}`,
    ),
  ),
  spelling(
    'another arrow',
    once(/[ \t]*(?:→|->)[ \t]*/g, oneOf(' => ', ' ⇒ ', ' ➜ ', ' --> ', ' then ', ' — ', ': ', ' ')),
  ),
  spelling(
    'a doubled arrow',
    once(/→|->/g, ([arrow]) => `${arrow} ${arrow}`),
  ),
  spelling('another sign of equality', once(/ == /g, oneOf(' = ', ' === ', ' is ', ' eq ', ' equals ', '=='))),
  spelling('another sign of difference', once(/ != /g, oneOf(' <> ', ' !== ', ' ≠ ', ' is not ', ' =! '))),
  spelling(
    'another sign of order',
    once(/ (?:>=|<=) /g, ([sign]) => (sign === ' >= ' ? ' => ' : ' =< ')),
  ),
  spelling(
    'a mathematical sign',
    once(/ (?:>=|<=) /g, ([sign]) => (sign === ' >= ' ? ' ≥ ' : ' ≤ ')),
  ),
  spelling(
    'another AND or OR',
    once(
      / (?:AND|OR) /g,
      ([word], random) => [word.toLowerCase(), word.includes('A') ? ' && ' : ' || ', ' And '][random(3)] as string,
    ),
  ),
  spelling('another NOT', once(/(?<![\w"])NOT /g, oneOf('!', 'not ', 'Not '))),
  spelling(
    'a word of an operator in capitals',
    once(
      / (?:is not empty|is empty|is null|is not null|contains|in|starts with|ends with|matches|exists)(?= )/g,
      ([words]) => words.toUpperCase(),
    ),
  ),
  spelling(
    'curly quotes',
    once(/"([^"\n{}]*)"/g, ([, inner]) => `“${inner}”`),
  ),
  spelling(
    'other quotes',
    once(/"([^"\n{}']*)"/g, ([, inner], random) => [`'${inner}'`, `„${inner}“`, `«${inner}»`][random(3)] as string),
  ),
  spelling(
    'a hard space',
    once(/(?<=\S) (?=\S)/g, () => '\u00a0'),
  ),
  spelling(
    'a tab before a line',
    once(/^ {2}(?=\S)/gm, () => '\t'),
  ),
  spelling('tabs before all lines', (text) => text.replace(/^(?: {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))),
  spelling(
    'a semicolon',
    once(/(?<=\S)$/gm, () => ';'),
  ),
  spelling(
    'a numbered line',
    once(verbAt(lineStart), ([verb], random) => `${random(9)}. ${verb}`),
  ),
  spelling(
    'a colon behind a state',
    once(/^STATE: \w+$/gm, ([line], random) => `${line}${random(2) === 0 ? ':' : ' {'}`),
  ),
  spelling(
    'another FOR EACH',
    once(
      /FOR EACH:? (\w+) in ([^\n]*?):?$/gm,
      ([, x, list], random) =>
        [`for ${x} in ${list}:`, `FOR: ${x} in ${list}`, `for each ${x} in ${list}`, `FOREACH: ${x} IN ${list}`][
          random(4)
        ] as string,
    ),
  ),
  spelling(
    'another IF',
    once(
      /^([ \t]*)IF: ([^→\n]*) →$/gm,
      ([, indent, condition], random) =>
        `${indent}${['if', 'IF', 'If'][random(3)]} ${condition}${[':', ' then', ' {', ':'][random(4)]}`,
    ),
  ),
  spelling('another ELSE', once(/ELSE →$/gm, oneOf('else:', 'ELSE:', 'else', 'ELSE'))),
  spelling('another ELSE IF', once(/ELSE IF:/g, oneOf('ELIF:', 'elif:', 'ELSEIF:', 'else if:', 'ELSE  IF'))),
  spelling(
    'another PARALLEL',
    once(/DO: in PARALLEL/g, oneOf('PARALLEL:', 'DO in PARALLEL', 'do: in parallel', 'IN PARALLEL', 'PARALLEL')),
  ),
  spelling(
    'options in other brackets',
    once(
      /(DO|CHECK) \[([^\]\n]*)\]:/g,
      ([, verb, options], random) =>
        [`${verb} (${options}):`, `${verb} ${options}:`, `${verb}[${options}] `][random(3)] as string,
    ),
  ),
  spelling(
    'a misspelt option',
    once(new RegExp(`(?<=\\[[^\\]\\n]*)(?:${OPTIONS})(?==)`, 'g'), ([name], random) => misspelt(name, random)),
  ),
  spelling(
    'a misspelt function',
    once(new RegExp(`(?<![\\w.])(?:${FUNCTIONS})(?=\\()`, 'g'), ([name], random) => misspelt(name, random)),
  ),
  spelling(
    'a function in other letters',
    once(new RegExp(`(?<![\\w.])(?:${FUNCTIONS})(?=\\()`, 'g'), ([name], random) => otherCase(name, random)),
  ),
  spelling(
    'a misspelt kind of failure',
    once(/(?<=ON ERROR \[?)[a-z_]+(?=\]?:)/g, ([name], random) => misspelt(name, random)),
  ),
  spelling(
    'a misspelt kind of input',
    once(/(?<=^INPUT:.*\()(?:number|string|boolean|list|object|secret)(?=\))/gm, ([name], random) =>
      misspelt(name, random),
    ),
  ),
  spelling(
    'a constant of another language',
    once(
      /(?<=[= (,])(?:true|false|null)(?=[\s,)])/g,
      ([word], random) =>
        [word.toUpperCase(), word[0]?.toUpperCase() + word.slice(1), word === 'null' ? 'None' : word][
          random(3)
        ] as string,
    ),
  ),
  spelling('a note of another language', once(/(?<=^[ \t]*)# (?=\S)/gm, oneOf('// ', '-- ', '/* ', '% '))),
  spelling(
    'one space before a note',
    once(/ {2}#(?= )/g, () => ' #'),
  ),
  spelling(
    'another unit',
    once(
      /\b(\d+)(ms|s|m|h)\b/g,
      ([, n, unit], random) =>
        `${n}${({ ms: ['', ' ms', 'msec'], s: ['', ' s', 'sec', ' seconds'], m: ['', 'min', ' minutes'], h: ['hours', ' h', ''] }[unit as 's'] ?? [''])[random(3)] ?? ''}`,
    ),
  ),
  spelling(
    'an unquoted import',
    once(/IMPORT: "([^"\n]*)"/g, ([, path]) => `IMPORT: ${path}`),
  ),
  spelling(
    'an indented declaration',
    once(/^(?:INPUT|LIMIT|IMPORT|STATE|PATTERN): .*$/gm, ([line]) => `  ${line}`),
  ),
  spelling('indented states', (text) =>
    /^MACHINE: .*\n/m.test(text)
      ? text.replace(/^(MACHINE: .*\n)([\s\S]*)$/m, (_, head, rest: string) => head + rest.replace(/^(?=\S)/gm, '  '))
      : null,
  ),
  spelling('an input in a state', (text) => {
    const input = /^INPUT: .*\n/m.exec(text)?.[0];
    if (input === undefined) return null;
    const rest = text.replace(input, '');
    const made = rest.replace(/^(STATE: .*\n)/m, `$1  ${input}`);
    return made === rest ? null : made;
  }),
  spelling(
    'a value of a shell',
    once(
      /(?<=^[ \t]*(?:DO|CHECK)\b.*)\{([a-z_]\w*)\}/gm,
      ([, name], random) =>
        [`$${name}`, `\${${name}}`, `"$${name}"`, `{{ ${name} }}`, `\${{ ${name} }}`, `$(${name})`][
          random(6)
        ] as string,
    ),
  ),
  spelling(
    'a value of another text',
    once(
      /\{([a-z_]\w*)\}/g,
      ([, name], random) =>
        [`$${name}`, `\${${name}}`, `{{ ${name} }}`, `{{${name}}}`, `\${{ ${name} }}`][random(5)] as string,
    ),
  ),
  spelling(
    'a dollar before a name',
    once(/(?<=IF: )([a-z_]\w*)(?= )/g, ([, name], random) => (random(2) === 0 ? `$${name}` : `\${${name}}`)),
  ),
  spelling('an ASK without user', once(/ASK user:/g, oneOf('ASK:', 'ASK user', 'Ask User:', 'ASK'))),
  spelling(
    'a Task of another kind',
    once(
      /Task\(([\w-]+)\)/g,
      ([, agent], random) =>
        [`Task ${agent}`, `task(${agent})`, `Task(${agent}):`, `TASK(${agent})`][random(4)] as string,
    ),
  ),
  spelling(
    'a prompt without quotes',
    once(/(?<=(?:Task\([\w-]+\)|PROMPT:) )"([^"\n]*)"/g, ([, text]) => text as string),
  ),
  spelling(
    'a missing with',
    once(/(?<=USE: \w+) with /g, () => ' '),
  ),
  spelling(
    'another escape',
    once(/\\\\d|\\\\w|\\\\\./g, ([written]) => written.slice(1)),
  ),
  other(
    'a misspelt name',
    once(/(?<=[{ (=])[a-z_]\w{2,}(?=[} ).,=])/g, ([name], random) => misspelt(name, random)),
  ),
  other(
    'a misspelt target',
    once(/(?<=(?:GOTO|USE):? )\w+/g, ([name], random) => misspelt(name, random)),
  ),
  other(
    'a target in other letters',
    once(/(?<=(?:GOTO|USE):? )\w+/g, ([name], random) => otherCase(name, random)),
  ),
  other(
    'a missing quote',
    once(/"/g, () => ''),
  ),
  other(
    'a missing bracket',
    once(/[()[\]{}]/g, () => ''),
  ),
  other(
    'a missing line',
    once(/^.*\S.*\n/gm, () => ''),
  ),
  other(
    'a line twice',
    once(/^.*\S.*\n/gm, ([line]) => line + line),
  ),
  other(
    'a line without its verb',
    once(new RegExp(`${lineStart}(?:${VERBS}):? *`, 'gm'), () => ''),
  ),
  other(
    'another verb',
    once(
      verbAt(lineStart),
      oneOf(
        'SWITCH',
        'CASE',
        'PRINT',
        'LOG',
        'TRY',
        'WHILE',
        'LET',
        'VAR',
        'TASK',
        'RUN',
        'EXPORT',
        'END',
        'done',
        'fi',
        'STOP',
        'THEN',
        'NEXT',
        'EXIT',
        'REPORT',
        'PROCESS',
        'STAGE',
      ),
    ),
  ),
  other(
    'a value changed to another kind',
    once(/(?<== )(?:\d+|"[^"\n]*")/g, ([value]) => (value.startsWith('"') ? value.slice(1, -1) : `"${value}"`)),
  ),
  other(
    'deeper lines',
    once(/^(?=[ \t]+\S)/gm, () => '  '),
  ),
  other(
    'lines that are less deep',
    once(/^ {2}(?=.*\S)/gm, () => ''),
  ),
  other(
    'lines in another order',
    once(/^(.*\S.*\n)(.*\S.*\n)/gm, ([, one, two]) => `${two}${one}`),
  ),
];

interface Mistaken {
  readonly text: string;
  readonly made: readonly Mistake[];
  /** Every mistake is one of spelling, and none of them is something else that is correct. */
  readonly isSpelling: boolean;
}

/** A text with a mistake, or with several; null if the chosen one is not possible in it. */
export function withMistakes(text: string, seed: string, errors: (text: string) => number): Mistaken | null {
  const random = numbersFrom(seed);
  random(2);
  random(2);
  const count = [1, 1, 1, 2, 3][random(5)] as number;
  const made: Mistake[] = [];
  let now = text;
  let isSpelling = true;
  for (let at = 0; at < count; at++) {
    const mistake = MISTAKES[random(MISTAKES.length)] as Mistake;
    const next = mistake.make(now, random);
    if (next === null || next === now) continue;
    made.push(mistake);
    isSpelling &&= mistake.isSpelling && errors(next) > errors(now);
    now = next;
  }
  return made.length === 0 ? null : { text: now, made, isSpelling };
}
