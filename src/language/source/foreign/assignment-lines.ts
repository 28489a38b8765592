/** Values, inputs, options and limits as other languages write them. */
import { COMMANDS, type ForeignLine, mentions, part, write } from './foreign-line.js';
import { quotedList } from './loop-lines.js';

const COMMAND = `(?:(?:${COMMANDS})(?:\\s+[^\\s=+*/<>&|].*)?|\\.{0,2}/[\\w.].*)`;

/** Types as other languages name them. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ int: 'number', integer: 'number', float: 'number', num: 'number', double: 'number' },
  ...{ str: 'string', text: 'string', bool: 'boolean', array: 'list', dict: 'object', map: 'object', json: 'object' },
};

/** Limits as other tools name them. */
export const LIMITS: Readonly<Record<string, string>> = {
  ...{ steps: 'transitions', states: 'transitions', max_steps: 'transitions', iterations: 'transitions' },
  ...{ max_iterations: 'transitions', rounds: 'transitions', turns: 'transitions', loops: 'transitions' },
  ...{ max_turns: 'transitions', max_tokens: 'tokens', price: 'cost' },
  ...{ budget: 'cost', usd: 'cost', dollars: 'cost', max_cost: 'cost', money: 'cost' },
  ...{ timeout: 'time', duration: 'time', max_time: 'time', runtime: 'time', deadline: 'time' },
};

/** Functions and methods of other languages that are operators here. */
const OPERATORS: Readonly<Record<string, string>> = {
  ...{ contains: 'contains', includes: 'contains', has: 'contains', matches: 'matches', match: 'matches' },
  ...{ startswith: 'starts with', starts_with: 'starts with', endswith: 'ends with', ends_with: 'ends with' },
};

const METHODS: Readonly<Record<string, string>> = {
  ...{ upper: 'upper', lower: 'lower', trim: 'trim', strip: 'trim', toUpperCase: 'upper', toLowerCase: 'lower' },
};

const withoutQuotes = (words: string): string => words.replace(/["'\s]/g, '').replace(/[,|]/g, ', ');

/** Braces with a call or an index, which may have quotes. */
const VALUES = /\{[A-Za-z_][\w.]*[([][^{}]*\}/g;
const VALUE_OR_QUOTE = /\{[A-Za-z_][\w.]*[([][^{}]*\}|(?<!\\)"/g;

export const assignmentLines = (): readonly ForeignLine[] => [
  // Inputs
  {
    line: /^INPUT:\s*(\w+\s*=\s*(?:"[^"]*"|[^\s",[{(]+))\s*,\s*(\w+(?:\s*=\s*(?:"[^"]*"|[^\s",[{(]+))?)$/,
    codes: /unexpected/,
    message: () => 'a line declares one input',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)}\nINPUT: ${part(m, 2)}`,
    binds: (m) => [/^\w+/.exec(part(m, 2))?.[0] ?? ''],
  },
  {
    line: /^INPUT:?\s*(\w+)\?\s*(?::\s*\w+)?\s*(=\s*.+)?$/,
    codes: /bad-name/,
    message: () => 'the name of an input has no `?`: an input with a default may be left out',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} ${m[2] ?? '= null'}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^INPUT:?\s*(\w+)\s*=\s*\[?([A-Za-z][\w.-]*(?:\s*,\s*[A-Za-z][\w.-]*)+)\]?$/,
    codes: /input-default|unexpected/,
    message: () => 'the texts of a list are in quotes',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} = ${quotedList(part(m, 2))}`,
  },
  {
    line: /^INPUT:?\s*(\w+)\s*=\s*((?:[a-z]+:\/\/|\.{0,2}\/|~\/|[A-Za-z][\w.-]*[/@])[^\s"']*)$/,
    codes: /input-default|bad-character|unexpected/,
    message: () => 'a text is in quotes',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} = "${part(m, 2)}"`,
  },
  {
    line: /^INPUT:?\s*(\w+)(?:\s*=\s*(?:"([^"]*)"|(\w+)))?\s+(?:choices|options|enum|values|one_of|allowed)\s*[=:]\s*[[(]?([\w, |"'-]+?)[\])]?$/,
    codes: /unexpected|bad-name|input-default/,
    help: write,
    by: (m) => {
      const value = m[2] ?? m[3];
      return `INPUT: ${part(m, 1)}${value === undefined ? '' : ` = "${value}"`} (one of: ${withoutQuotes(part(m, 4))})`;
    },
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^INPUT:?\s*(\w+)\s*[:=]\s*(["']?[\w-]+["']?(?:\s*\|\s*["']?[\w-]+["']?)+)$/,
    codes: /unexpected|input-default|bad-character/,
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} (one of: ${withoutQuotes(part(m, 2))})`,
  },
  {
    line: /^INPUT:?\s*(\w+)\s*(\(secret\))?\s*=\s*["']?(?:\$\{?|(?:os\.)?env(?:iron)?(?:\.|\[["']?))([A-Za-z_]\w*)[^\s]*$/,
    codes: /unexpected|input-default|bad-character/,
    message: () => 'an input has no value of the environment',
    help: (m) =>
      `write \`INPUT: ${part(m, 1)}${m[2] === undefined ? '' : ' (secret)'}\`, and start the run with \`-i ${part(m, 1)}=@env:${part(m, 3)}\``,
  },
  {
    line: /^INPUT:?\s*(\w+)\s*\((\w+)\)\s*=\s*(\S.*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => {
      const type = TYPES[part(m, 2).toLowerCase()];
      return type === undefined ? undefined : `INPUT: ${part(m, 1)} = ${part(m, 3)} (${type})`;
    },
  },
  // Values
  {
    line: /^INCREMENT:?\s*(\w+)\s*,\s*(-?\d+|\{\w[\w.]*\}|\w+\.[\w.]+)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1)} by ${part(m, 2).replace(/[{}]/g, '')}`,
  },
  {
    line: /^SET:?\s*(\w+)\s+(?:to\s+)?("[^"]*"|-?\d+(?:\.\d+)?|true|false|null|\{\w[\w.]*\}|\[.*\])$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `SET: ${part(m, 1)} = ${part(m, 2)}`,
  },
  {
    line: /^SET:?\s*(\w+)\s*=\s*(?:\1\s*\+\+|\+\+\s*\1)$/,
    codes: /misplaced-operator|missing|unexpected/,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1)}`,
  },
  {
    line: new RegExp(`^(SET|TRACK):?\\s*(\\w+)\\s*=\\s*(${COMMAND})$`),
    codes: /unknown-name|bad-character|unexpected|missing|misplaced-operator/,
    message: (m) => `\`${part(m, 1)}\` computes, and runs no command`,
    help: write,
    when: (m, text) => !mentions(part(m, 3), text),
    by: (m) =>
      `${part(m, 1) === 'TRACK' ? `TRACK: ${part(m, 2)}\n` : ''}DO: printed = ${part(m, 3)}\nSET: ${part(m, 2)} = printed`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(SET|TRACK):?\s*(\w+)\s*=\s*([A-Za-z][\w ,.:!-]*\{\w[\w.]*\}[^"]*)$/,
    codes: /unknown-name|unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)} = "${part(m, 3)}"`,
  },
  {
    line: /^(.*\b(?:GOTO|USE):?\s+\w+\s+with\s+.*?=\s*[^\s,]+)\s*(?:;|\band\b)\s*(\w+\s*=[^=].*)$/,
    codes: /operator-spelling|bad-character|unknown-name/,
    message: () => 'a comma separates the values',
    help: write,
    by: (m) => `${part(m, 1)}, ${part(m, 2)}`,
    binds: (m) => [/^\w+/.exec(part(m, 2))?.[0] ?? ''],
  },
  {
    line: /^(.*\b(?:GOTO|USE):?\s+\w+\s+with\s+(?:.*,\s*)?\w+\s*=\s*)([A-Za-z]\w*(?:\s+(?!(?:AND|OR|NOT|and|or|not|in|is|contains|matches|starts|ends)\b)[A-Za-z]\w*)+)$/,
    codes: /unexpected/,
    message: () => 'a text of several words is in quotes',
    help: write,
    by: (m) => `${part(m, 1)}"${part(m, 2)}"`,
  },
  {
    line: /^(WAIT|IF|ELSE IF):?\s+(\.{0,2}\/[\w./-]+(?:\s+[\w./{}-]+)*?)\s*((?:==|!=|[<>]=?|contains\b|matches\b|is\b)\s*.*)$/,
    codes: /bad-character/,
    message: () => 'a condition runs no command',
    help: (m) =>
      part(m, 1) === 'WAIT'
        ? `write \`WAIT: printed ${part(m, 3)}\`, and below it, indented deeper, \`CHECK: printed = ${part(m, 2)}\``
        : `write \`CHECK: printed = ${part(m, 2)}\` above, and \`${part(m, 1)}: printed ${part(m, 3)}\``,
  },
  {
    line: /^(DO|SET):?\s*(\w+)\s*=\s*([A-Za-z_]\w*)\s*(?:\.{1,2}|&|,)?\s+"([^"]*)"$/,
    codes: /not-a-command|command-not-found|unexpected|bad-character/,
    when: (m, text) => mentions(part(m, 3), text),
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)} = "{${part(m, 3)}}${part(m, 4)}"`,
  },
  {
    line: /^(DO|SET):?\s*(\w+)\s*=\s*("(?:[^"\\]|\\.)*")\.(\w+)\(\)$/,
    codes: /unsafe-position|not-a-command|command-not-found|unexpected/,
    help: write,
    by: (m) => {
      const called = Object.hasOwn(METHODS, part(m, 4)) ? METHODS[part(m, 4)] : undefined;
      return called === undefined ? undefined : `${part(m, 1)}: ${part(m, 2)} = ${called}(${part(m, 3)})`;
    },
  },
  {
    line: /^(DO|SET):?\s*(\w+)\s*=\s*(\w[\w.]*)\s*(\*\*|\/\/)\s*(\w[\w.]*)$/,
    codes: /command-not-found|not-a-command|taken-as-text|unexpected|misplaced|missing/,
    never: true,
    message: (m) => `\`${part(m, 4)}\` is not an operator here`,
    help: write,
    when: (m, text) => /^\d/.test(part(m, 3)) || mentions(part(m, 3), text),
    by: (m) => {
      const [of, by] = [part(m, 3), part(m, 5)];
      if (part(m, 4) === '//') return `${part(m, 1)}: ${part(m, 2)} = floor(${of} / ${by})`;
      return /^[2-4]$/.test(by)
        ? `${part(m, 1)}: ${part(m, 2)} = ${Array(Number(by)).fill(of).join(' * ')}`
        : undefined;
    },
  },
  {
    line: /^(.*?)(?<![\w.])(contains|includes|has|match|matches|starts_?with|ends_?with)\(\s*("[^"]*"|[A-Za-z_][\w.]*)\s*,\s*("[^"]*"|[A-Za-z_][\w.]*)\s*\)(.*)$/,
    codes: /not-a-command|command-not-found|unknown-function|unexpected|missing|misplaced/,
    message: (m) => `\`${OPERATORS[part(m, 2)]}\` stands between its values`,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 3)} ${OPERATORS[part(m, 2)]} ${part(m, 4)}${part(m, 5)}`,
  },
  {
    line: /^DO:?\s*(\w+)\s*=\s*(?:IF|if):?\s+(\S.*?)\s+(?:THEN|then)\s+(\S.*?)\s+(?:ELSE|else)\s+(\S.*)$/,
    codes: /not-a-command|command-not-found/,
    message: () => 'no expression chooses between values',
    help: write,
    by: (m) => `IF: ${part(m, 2)} → DO: ${part(m, 1)} = ${part(m, 3)}\nELSE → DO: ${part(m, 1)} = ${part(m, 4)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^((?:(?:ELSE )?IF:?\s.*?|ELSE:?)\s*(?:→|->|=>))\s*\{\s*([A-Z]{2,}\b[^{}]*?)\s*;?\s*\}$/,
    codes: /unknown-verb|unexpected|not-an-instruction/,
    message: () => 'braces do not hold actions',
    help: write,
    by: (m) => `${part(m, 1).replace(/=>$/, '→')} ${part(m, 2).replace(/\s*;\s*/g, ', ')}`,
  },
  // Options and limits
  {
    line: /^((?:- )?(?:DO|CHECK)\s*\[[^\]]*?\bok=\d+(?:,\d+)*)\s*[,|/;]\s*(\d+(?:\s*[,|/;]\s*\d+)*)(.*)$/,
    codes: /unexpected|bad-option|bad-character/,
    help: write,
    by: (m) => `${part(m, 1)},${part(m, 2).replace(/\s*[,|/;]\s*/g, ',')}${part(m, 3)}`,
  },
  {
    line: /^((?:- )?(?:DO|CHECK)\s*)\[(.*?)\b(?:on_error|on_failure|on_fail|onerror|catch|fallback)=([A-Za-z_]\w*)\s*([^\]]*)\](:.*)$/,
    codes: /unknown-option/,
    message: () => 'a state handles its failures in its last lines',
    help: (m) => {
      const others = `${part(m, 2)}${part(m, 4)}`.trim();
      const head = `${part(m, 1).trim()}${others === '' ? '' : ` [${others}]`}`;
      return `write \`${head}${part(m, 5)}\`, and at the end of the state \`ON ERROR: → GOTO: ${part(m, 3)}\``;
    },
  },
  {
    line: /^((?:- )?DO)\s*\[([^\]]*?)[\s,]*\bmodel\s*[=:]\s*["']?([\w.-]+)["']?[\s,]*([^\]]*)\](.*\bTask\(\s*["']?)([a-z]+)[\w.-]*(["']?\s*\).*)$/,
    codes: /unknown-option/,
    message: () => 'the name of an agent says its model',
    help: write,
    by: (m) => {
      const model = part(m, 3).replace(new RegExp(`^${part(m, 6)}-`), '');
      const options = `${part(m, 2)} ${part(m, 4)}`.trim();
      return `${part(m, 1)}${options === '' ? '' : ` [${options}]`}${part(m, 5)}${part(m, 6)}-${model}${part(m, 7)}`;
    },
  },
  {
    line: /^(?:- )?DO\s*\[[^\]]*?\b(?:schema|format|response_format|output_schema|json)=.*\bTask\(.*$/,
    codes: /unknown-option|bad-character|unexpected/,
    message: () => 'the prompt says what an agent answers',
    help: () => 'write the JSON that it must answer into the prompt, and test its fields with an `IF:`',
  },
  {
    line: /^((?:- )?(?:DO|CHECK)\s*)\[(?:stdin|input)=(\S+?)\](:\s*(?:\w+\s*=\s+)?)(\S.*)$/,
    codes: /unknown-option/,
    message: () => 'a command gets its input from a pipe',
    help: write,
    by: (m) => `${part(m, 1).trim()}${part(m, 3)}printf '%s' ${part(m, 2)} | ${part(m, 4)}`,
  },
  {
    line: new RegExp(`^(LIMIT:(?:\\s+[^\\s=]+=\\S+)*?\\s*)(${Object.keys(LIMITS).join('|')})=(\\S.*)$`),
    codes: /unknown-option/,
    help: write,
    by: (m) => `${part(m, 1)}${LIMITS[part(m, 2)]}=${part(m, 3).replace(/^\$/, '')}`,
  },
  {
    line: /^(LIMIT:.*\bcost=)\$?(\d+(?:\.\d+)?)\s*(?:USD|EUR|dollars|€|\$)(.*)$/i,
    codes: /unknown-option|bad-option|bad-character/,
    message: () => 'a cost is a number of US dollars',
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}${part(m, 3)}`,
  },
  // Lines with texts
  {
    line: /^(DO|CHECK)((?:\s*\[[^\]]*\])?):\s*(\w+)\s*=\s*[|>][-+]?$/,
    codes: /pipe-without-source|unexpected|missing/,
    message: () => 'a script is below its `=`, indented deeper',
    help: (m) => `write \`${part(m, 1)}${part(m, 2)}: ${part(m, 3)} =\` alone`,
  },
  {
    line: /^(?:DO|CHECK|SET|TRACK|INPUT)\b.*?=\s*(?:f|r)?("""|''').*$|^(?:RETURN|FAIL|EMIT|ASK user):?\s*(?:f|r)?("""|''').*$/,
    codes: /unclosed-quote|unexpected/,
    block: true,
    until: /("""|''')/,
    message: () => 'three quotes do not begin a text',
    help: () =>
      "write a text on one line, with `\\n` for a new line, or `DO: x =` and below it, indented deeper, `cat <<'END'`, its lines and `END`",
  },
  {
    line: /^(.*\bTask\([\w.-]*\)\s*)"((?:[^"\\]|\\.)*"(?:[^"\\]|\\.)*(?:"(?:[^"\\]|\\.)*)*)"(\s+with\s+[^"]*)?$/,
    codes: /unexpected|bad-character/,
    // Quotes in the braces of a value end nothing.
    when: (m) => /(?<!\\)"/.test(part(m, 2).replace(VALUES, '')),
    message: () => 'a quote inside of a prompt ends it',
    help: write,
    by: (m) => {
      const escaped = part(m, 2).replace(VALUE_OR_QUOTE, (found) => (found === '"' ? '\\"' : found));
      return `${part(m, 1)}"${escaped}"${part(m, 3)}`;
    },
  },
  {
    line: /^USE:?\s*["']?([\w./-]+\.(?:dsl|statedsl|md))["']?$/,
    codes: /bad-name|unknown-pattern|unexpected/,
    message: () => 'the patterns of a file are imported at the margin',
    help: (m) => `write \`IMPORT: "./${part(m, 1).replace(/^\.\//, '')}"\`, and \`USE:\` with the name of a pattern`,
  },
];
