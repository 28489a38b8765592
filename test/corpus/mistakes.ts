/**
 * Programs with mistakes that people make: misspelt words, other spellings, forgotten signs, wrong indentation, forms of other
 * languages, and names that nothing has. Which of them are made follows from a seed, so that a failure comes back.
 */

import { sequenceOf } from '../random.js';
import {
  arrowStart,
  FUNCTIONS,
  lineStart,
  type Mistake,
  misspelt,
  OPTIONS,
  once,
  oneOf,
  other,
  otherCase,
  spelling,
  VERBS,
  verbAt,
} from './mistake.js';
import { SPELLINGS } from './spellings.js';

export const MISTAKES: readonly Mistake[] = [
  ...SPELLINGS,
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
      /(?<=^[ \t]*(?:DO|CHECK)\b.*)(?<!\$)\{([a-z_]\w*)\}/gm,
      ([, name], random) => [`$${name}`, `\${${name}}`, `{{ ${name} }}`, `\${{ ${name} }}`][random(4)] as string,
    ),
  ),
  spelling(
    'a value of another text',
    once(
      /(?<!\$)\{([a-z_]\w*)\}/g,
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
    'a quoted value of a shell',
    once(
      /(?<=^[ \t]*(?:DO|CHECK)\b.*)(?<!\$)\{([a-z_]\w*)\}/gm,
      ([, name], random) => [`"$${name}"`, `$(${name})`, `"\${${name}}"`][random(3)] as string,
    ),
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

export interface Mistaken {
  readonly text: string;
  readonly made: readonly Mistake[];
  /** Every mistake is one of spelling, and none of them alone is something else that is correct. */
  readonly isSpelling: boolean;
}

/**
 * A text with a mistake, or with several; null if the chosen one is not possible in it. Several are of different lines, or
 * else one is made of the text with the other: then the second may be none without the first.
 */
export function withMistakes(text: string, seed: string, errors: (text: string) => number): Mistaken | null {
  const random = sequenceOf(seed);
  random(2);
  random(2);
  const count = [1, 1, 1, 2, 3][random(5)] as number;
  const made: Mistake[] = [];
  let now = text;
  let isSpelling = true;
  for (let at = 0; at < count; at++) {
    const mistake = MISTAKES[random(MISTAKES.length)] as Mistake;
    const alone = mistake.make(text, random);
    if (alone === null || alone === text) continue;
    const next = merged(text, now, alone) ?? mistake.make(now, random);
    if (next === null || next === now) continue;
    made.push(mistake);
    isSpelling &&= mistake.isSpelling && merged(text, now, alone) !== null && errors(alone) > errors(text);
    now = next;
  }
  return made.length === 0 ? null : { text: now, made, isSpelling };
}

/** Both changes of a text; null if they change one line, or the number of lines. */
function merged(text: string, one: string, other: string): string | null {
  const [lines, ones, others] = [text.split('\n'), one.split('\n'), other.split('\n')];
  if (one === text) return other;
  if (ones.length !== lines.length || others.length !== lines.length) return null;
  if (lines.some((line, at) => line !== ones[at] && line !== others[at])) return null;
  return lines.map((line, at) => (line === ones[at] ? others[at] : ones[at])).join('\n');
}
