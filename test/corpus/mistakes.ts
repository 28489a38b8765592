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

/** What word processors, chats, web pages and other languages make of a program. */
const MORE_SPELLINGS: readonly Mistake[] = [
  other('curly quotes everywhere', (text) => text.replace(/"([^"\n]*)"/g, '“$1”')),
  spelling(
    'an HTML entity',
    once(
      /->|"|(?<= )[<>](?==? )|(?<= )AND(?= )/g,
      ([sign]) => ({ '->': '-&gt;', '"': '&quot;', '<': '&lt;', '>': '&gt;', AND: '&amp;&amp;' })[sign as '"'] ?? null,
    ),
  ),
  other('HTML entities everywhere', (text) =>
    text.replace(/[<>&"]/g, (sign) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' })[sign as '"']),
  ),
  spelling(
    'a fence around the file',
    (text, random) => `\`\`\`${['dsl', '', 'yaml', 'statedsl'][random(4)]}\n${text}\`\`\`\n`,
  ),
  spelling('a fence that does not end', (text) => `\`\`\`dsl\n${text}`),
  spelling('words before the program', (text) => `Here is the program:\n\n${text}`),
  spelling('a semicolon behind each line', (text) => text.replace(/(?<=\S)$/gm, ';')),
  spelling(
    'a comma behind a line',
    once(/(?<=\S)$/gm, () => ','),
  ),
  spelling(
    'a full stop behind a line',
    once(/(?<=\S)$/gm, () => '.'),
  ),
  spelling(
    'a wide sign',
    once(/[:,()=](?=\s|\w|$)/gm, ([sign]) => ({ ':': '：', ',': '，', '(': '（', ')': '）', '=': '＝' })[sign as ':']),
  ),
  spelling(
    'another space',
    once(/(?<=\S) (?=\S)/g, oneOf('\u2009', '\u3000', '\u200b ', ' \u200b', '\t', '\u202f', '  ')),
  ),
  spelling(
    'another bullet',
    once(
      /^(\s*)- (?=\S)/gm,
      ([, indent], random) => `${indent}${['—', '–', '•', '*', '+', '1.', '-', '○'][random(8)]} `,
    ),
  ),
  spelling(
    'a bullet without its space',
    once(/^(\s*)- (?=\S)/gm, ([, indent]) => `${indent}-`),
  ),
  spelling(
    'a bullet before a line',
    once(verbAt(lineStart), ([verb], random) => `${['- ', '* ', '• ', '> ', '— '][random(5)]}${verb}`),
  ),
  spelling(
    'a heavy verb',
    once(
      new RegExp(`${lineStart}(${VERBS}):`, 'gm'),
      ([, verb], random) =>
        [`**${verb}:**`, `**${verb}**:`, `\`${verb}:\``, `__${verb}__:`, `[${verb}]:`][random(5)] as string,
    ),
  ),
  spelling(
    'another colon',
    once(
      new RegExp(`(?<=${lineStart}(?:${VERBS})(?: \\[[^\\]\\n]*\\])?):[ \\t]*(?=\\S)`, 'gm'),
      oneOf(' : ', ':: ', ':', ': : ', ' = ', ' - ', ' — ', '; ', ' := ', ' '),
    ),
  ),
  spelling(
    'a verb of two words as one',
    once(/(?:FOR EACH|ON ERROR|ELSE IF)(?=\b)/g, ([verb], random) =>
      verb.replace(' ', ['_', '-', '', '  ', '\u00a0'][random(5)] as string),
    ),
  ),
  spelling(
    'a verb with an s',
    once(verbAt(lineStart), ([verb], random) => (random(2) === 0 ? `${verb}S` : `${verb}s`)),
  ),
  spelling(
    'one space more',
    once(/^(?=[ \t]+\S)/gm, () => ' '),
  ),
  spelling(
    'one space less',
    once(/^ (?= +\S)/gm, () => ''),
  ),
  spelling('all lines one space deeper', (text) => text.replace(/^(?=[ \t]+\S)/gm, ' ')),
  spelling(
    'a name in quotes',
    once(
      /(?<=(?:GOTO|USE|STATE|PATTERN|TRACK|INPUT|SET|INCREMENT):? )\w+/g,
      ([name], random) => [`"${name}"`, `'${name}'`, `\`${name}\``, `{${name}}`, `<${name}>`][random(5)] as string,
    ),
  ),
  spelling('options as in YAML', once(/(?<=\[[^\]\n]*\w)=(?=[^\]\n]*\]:)/g, oneOf(': ', ' = ', ' ', '=='))),
  spelling(
    'another separator of options',
    once(/(?<=\[[^\]\n]*\w) (?=[a-z_.]+=[^\]\n]*\]:)/g, oneOf(', ', '; ', ' and ', ' | ', ',')),
  ),
  spelling(
    'arguments in parentheses',
    once(
      /(?<=(?:GOTO|USE|CALL):? [\w-]+) with ([^\n→]*)$/gm,
      ([, values], random) =>
        [
          `(${values})`,
          ` (${values})`,
          ` with (${values})`,
          ` with: ${values}`,
          `: ${values}`,
          `, ${values}`,
          ` WITH ${values}`,
        ][random(7)] as string,
    ),
  ),
  spelling(
    'another separator of arguments',
    once(/(?<= with [^\n]*\w), (?=\w+=)/g, oneOf(' and ', ' ', '; ', ' & ', ' , ')),
  ),
  spelling('arguments as in YAML', once(/(?<= with (?:[^\n]*, )?\w+)=(?=\S)/g, oneOf(': ', ' = ', ':', ' := '))),
  spelling(
    'another step of a counter',
    once(
      /INCREMENT: (\w+)$/gm,
      ([, name], random) =>
        [
          `INCREMENT: ${name} += 1`,
          `${name}++`,
          `${name} += 1`,
          `INCREMENT ${name} by 1`,
          `INCREMENT: ${name} 1`,
          `SET: ${name}++`,
        ][random(6)] as string,
    ),
  ),
  spelling(
    'another beginning of a counter',
    once(
      /TRACK: (\w+) = (\S+)$/gm,
      ([, name, value], random) =>
        [
          `TRACK: ${name}: ${value}`,
          `TRACK ${name} = ${value}`,
          `TRACK: ${name} := ${value}`,
          `TRACK: ${name}=${value}`,
          `let ${name} = ${value}`,
          `${name} = ${value}`,
          `TRACK: ${name} ${value}`,
          `TRACK: ${name} == ${value}`,
        ][random(8)] as string,
    ),
  ),
  spelling('another assignment', once(/(?<=SET: \w+) = /g, oneOf(' := ', ' to ', ' == ', ': ', ' is ', ' <- ', '='))),
  spelling(
    'another handler',
    once(
      /ON ERROR: → /g,
      oneOf('ON ERROR → ', 'ON ERROR ', 'ON ERROR: ', 'ON_ERROR: → ', 'on error: ', 'ON FAILURE: → ', 'CATCH: → '),
    ),
  ),
  spelling(
    'another pause',
    once(
      /WAIT: (\d+\w+)/g,
      ([, time], random) =>
        [
          `WAIT ${time}`,
          `SLEEP: ${time}`,
          `WAIT(${time})`,
          `WAIT: timeout=${time}`,
          `wait for ${time}`,
          `WAIT FOR: ${time}`,
        ][random(6)] as string,
    ),
  ),
  spelling(
    'another call of an agent',
    once(
      /Task\(([\w-]+)\) ("[^"\n]*")/g,
      ([, agent, prompt], random) =>
        [
          `Task(${agent}, ${prompt})`,
          `Task("${agent}") ${prompt}`,
          `Task[${agent}] ${prompt}`,
          `Task ${agent}: ${prompt}`,
          `Task(agent=${agent}) ${prompt}`,
          `${agent}(${prompt})`,
          `Agent(${agent}) ${prompt}`,
        ][random(7)] as string,
    ),
  ),
  spelling(
    'another question',
    once(
      /ASK user: ("[^"\n]*") → (\w+)/g,
      ([, question, name], random) =>
        [
          `ASK user ${question} → ${name}`,
          `ASK: user ${question} → ${name}`,
          `${name} = ASK user: ${question}`,
          `ASK user: ${question} as ${name}`,
          `ASK: ${name} = ${question}`,
          `ASK user: ${question} => ${name}`,
          `ASK (user): ${question} → ${name}`,
        ][random(7)] as string,
    ),
  ),
  spelling(
    'a brace behind a block',
    once(/(?<=^[ \t]*(?:IF|ELSE|FOR EACH|STATE)\b[^\n]*?)(?: →|:)?$/gm, oneOf(' {', ' → {', ': {', ' do', ' begin')),
  ),
  spelling(
    'a sign of the shell in a condition',
    once(
      /(?<=(?:IF|ELSE IF): )([^→\n"]+?)(?= →)/g,
      ([, condition], random) =>
        [
          `[ ${condition} ]`,
          `[[ ${condition} ]]`,
          `(${condition})`,
          `((${condition}))`,
          `{${condition}}`,
          `{{ ${condition} }}`,
          `\${{ ${condition} }}`,
        ][random(7)] as string,
    ),
  ),
  spelling(
    'a comparison of the shell',
    once(
      / (==|!=|<=|>=|<|>) (?=\d)/g,
      ([, sign]) => ` ${{ '==': '-eq', '!=': '-ne', '<=': '-le', '>=': '-ge', '<': '-lt', '>': '-gt' }[sign as '==']} `,
    ),
  ),
  spelling(
    'another note of an input',
    once(
      /(?<=^INPUT: \w+[^(\n]*) \(([a-z]+)\)/gm,
      ([, kind], random) =>
        [
          `: ${kind}`,
          ` [${kind}]`,
          ` ${kind}`,
          ` <${kind}>`,
          ` (type: ${kind})`,
          ` (${({ number: 'int', string: 'str', boolean: 'bool', list: 'array', object: 'dict' })[kind as 'list'] ?? kind})`,
        ][random(6)] as string,
    ),
  ),
  spelling(
    'two mistakes in one line',
    once(
      /^([ \t]*)IF: (\w+) == ([^→\n]*) → GOTO: (\w+)$/gm,
      ([, indent, name, value, state], random) =>
        [
          `${indent}if ${name} = ${value} then goto ${state}`,
          `${indent}if (${name} == ${value}) goto ${state}`,
          `${indent}IF ${name} is ${value} -> goto: ${state}`,
          `${indent}if: ${name} === ${value} => GOTO ${state}`,
          `${indent}IF ${name} == ${value}: GOTO ${state}`,
          `${indent}IF: ${name} == ${value}, GOTO: ${state}`,
        ][random(6)] as string,
    ),
  ),
  spelling(
    'a misspelt key of YAML',
    once(/(?<=^[ \t]*(?:- )?)[a-z_]{3,}(?=:(?: |$))/gm, ([key], random) => misspelt(key, random)),
  ),
  spelling(
    'a key of YAML in other letters',
    once(/(?<=^[ \t]*(?:- )?)[a-z_]{3,}(?=:(?: |$))/gm, ([key], random) => otherCase(key, random)),
  ),
  spelling(
    'a key of YAML without its space',
    once(/(?<=^[ \t]*(?:- )?[a-z_]{3,}:) (?=\S)/gm, () => ''),
  ),
  spelling(
    'a key of YAML with another sign',
    once(/(?<=^[ \t]*(?:- )?[a-z_]{3,}): (?=\S)/gm, oneOf(' = ', ' : ', ' ', '=')),
  ),
  spelling(
    'a misspelt member of JSON',
    once(/(?<=")_?[A-Za-z]{3,}(?="\s*:)/g, ([key], random) => misspelt(key, random)),
  ),
  spelling(
    'a trailing comma',
    once(/(?<=[\w"}\]])(?=\s*[}\])])/g, () => ','),
  ),
  spelling('a dagger as another sign', once(/†/g, oneOf('$', '&dagger;', '+', '‡', '$.', '@', ''))),
  spelling(
    'a misspelt reference',
    once(/(?<=†)[a-z]+(?=\.)/g, ([kind], random) => misspelt(kind, random)),
  ),
  spelling(
    'a value of JSON from Python',
    once(
      /(?<=: )(?:true|false|null|"[^"\n]*")(?=\s*[,}])/g,
      ([value]) => ({ true: 'True', false: 'False', null: 'None' })[value as 'true'] ?? `'${value.slice(1, -1)}'`,
    ),
  ),
  spelling(
    'another fence in Markdown',
    once(/^```dsl$/gm, oneOf('```DSL', '``` dsl', '```', '~~~dsl', '```text', '````dsl')),
  ),
];

export const MISTAKES: readonly Mistake[] = [
  ...MORE_SPELLINGS,
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
      ([, name], random) => [`$${name}`, `\${${name}}`, `{{ ${name} }}`, `\${{ ${name} }}`][random(4)] as string,
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
    'a quoted value of a shell',
    once(
      /(?<=^[ \t]*(?:DO|CHECK)\b.*)\{([a-z_]\w*)\}/gm,
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

interface Mistaken {
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
  const random = numbersFrom(seed);
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
