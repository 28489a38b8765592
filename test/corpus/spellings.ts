/** Spellings of programs that word processors, chats, web pages and other languages make. */
import {
  lineStart,
  type Mistake,
  misspelt,
  once,
  oneOf,
  other,
  otherCase,
  spelling,
  VERBS,
  verbAt,
} from './mistake.js';

export const SPELLINGS: readonly Mistake[] = [
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
