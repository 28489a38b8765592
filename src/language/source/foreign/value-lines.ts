/** Declarations and changes of variables and inputs in other languages. */
import { type ForeignLine, mentions, part, rangeOf, unread, write } from './foreign-line.js';

function each(verb: string, names: string): string {
  return names
    .split(/\s*,\s*/)
    .map((name) => `${verb}: ${name}`)
    .join('\n');
}

/** Messages about a line of which the words of other languages were read as a command. */
const TERNARY = /not-a-command|command-not-found|unexpected|unknown-name|bad-character|missing/;

/** A name alone is a condition only if its value is a boolean. */
function conditionOf(test: string, text: string): string {
  const isName = /^[A-Za-z_]\w*$/.test(test) && mentions(test, text);
  const isBoolean = new RegExp(`\\b${test}\\s*(?:=\\s*(?:true|false)\\b|=.*(?:[=!]=|[<>]|\\bis\\b)|.*\\(boolean\\))`);
  return isName && !isBoolean.test(text) ? `${test} is not empty` : test;
}

/** Types as other languages name them. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ int: 'number', integer: 'number', float: 'number', num: 'number', number: 'number' },
  ...{ str: 'string', string: 'string', text: 'string', bool: 'boolean', boolean: 'boolean' },
  ...{ list: 'list', array: 'list', dict: 'object', map: 'object', object: 'object', json: 'object', secret: 'secret' },
};
const typeNote = (type: string): string => {
  const known = TYPES[type.toLowerCase()];
  return known === undefined ? '' : ` (${known})`;
};

/** Filters of templates, as functions. */
const FILTERS: Readonly<Record<string, string>> = {
  ...{ json: 'json', tojson: 'json', to_json: 'json', fromjson: 'parse_json', upper: 'upper', lower: 'lower' },
  ...{
    trim: 'trim',
    length: 'len',
    len: 'len',
    count: 'len',
    keys: 'keys',
    lines: 'lines',
    int: 'int',
    first: 'first',
  },
  ...{ last: 'last', unique: 'unique', sum: 'sum', min: 'min', max: 'max', string: 'string' },
};

/** A value as other languages write it. */
function literal(value: string): string {
  if (/^(?:True|False)$/.test(value)) return value.toLowerCase();
  if (/^(?:None|nil|NULL|undefined)$/.test(value)) return 'null';
  return /^[A-Za-z][\w.-]*$/.test(value) && !/^(?:true|false|null)$/.test(value) ? `"${value}"` : value;
}

/** Whether a line that can end with any text ends with `;`: a command, a text, a value after `with`. */
export const textEndsWithSemicolon = (text: string): boolean =>
  text
    .split('\n')
    .some(
      (line) =>
        /;\s*$/.test(line) &&
        (!/^\s*[A-Z]/.test(line) || /\b(?:DO|CHECK|UNDO|RETURN|EMIT|FAIL|CALL|PLAN|ASK|PROMPT|with)\b/.test(line)),
    );

/** `- a: DO: cmd` as `- DO: a = cmd`. */
function namedResult(head: string, name: string, of: string): string {
  const [, verb = '', command = of] = /^((?:DO|CHECK)(?:\s*\[.*?\])?:\s*)(.*)$/.exec(of) ?? [];
  return `${head}${verb}${name} = ${command}`;
}

/** A variable of the environment in other languages. */
const ENVIRONMENT =
  /^(?:DO|SET|TRACK):\s*(\w+)\s*=\s*(?:(?:process\.)?env\.(\w+)|(?:ENV|os\.environ|process\.env)\[["'](\w+)["']\]|(?:os\.)?(?:getenv|environ\.get)\(["'](\w+)["']\)|\$?\{?ENV:(\w+)\}?)$/i;

/** A file in other languages. */
const FILE_READ =
  /^(?:DO|SET|TRACK):\s*(\w+)\s*=\s*(?:read_?file|file|readFileSync|fs\.readFileSync|open|slurp|cat|load)\(\s*["']([^"']+)["'].*\)(?:\.read\w*\(\))?$/i;

export const valueLines = (): readonly ForeignLine[] => [
  {
    line: ENVIRONMENT,
    codes: /command-not-found|not-a-command|unknown-name|unknown-function|unexpected|bad-character/,
    message: () => 'only commands read the environment',
    help: write,
    by: (m) => `DO: ${part(m, 1)} = printenv ${m.slice(2).find((name) => name !== undefined)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: FILE_READ,
    codes: /command-not-found|not-a-command|unknown-name|unknown-function|unexpected/,
    message: () => 'only commands read files',
    help: write,
    by: (m) => `DO: ${part(m, 1)} = cat ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:DO|SET|TRACK):\s*(\w+)\s*=\s*input\(\s*(["'].*["'])\s*\)$/,
    codes: /unknown-function|not-a-command|command-not-found/,
    help: write,
    by: (m) => `ASK user: ${part(m, 2)} → ${part(m, 1)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^((?:DO|CHECK):\s*\w+\s*=\s*)(?:(True|False|TRUE|FALSE)|(?:None|nil|NULL|Null|undefined)|(?:not|!)\s*(true|false|[a-z_]\w*))$/,
    codes: /not-a-command|command-not-found/,
    never: true,
    help: write,
    by: (m, text) => {
      if (m[3] !== undefined)
        return /^(?:true|false)$/.test(m[3]) || mentions(m[3], text) ? `${part(m, 1)}NOT ${m[3]}` : undefined;
      return part(m, 1) + (m[2]?.toLowerCase() ?? 'null');
    },
  },
  {
    line: /^(DO|CHECK|SET|TRACK)(:\s*\w+\s*=\s*)\$\(\(\s*(.+?)\s*\)\)$/,
    codes: /command-not-found|not-a-command|bad-character|unexpected/,
    never: true,
    message: () => 'a value is computed without the signs of the shell',
    help: write,
    by: (m) =>
      `${part(m, 1) === 'CHECK' ? 'DO' : part(m, 1)}${part(m, 2)}${part(m, 3).replace(/\$\{?(\w+)\}?/g, '$1')}`,
  },
  {
    line: /^(DO|CHECK|SET|TRACK)(:\s*\w+\s*=\s*)([\w.]+)\s*(\/\/|\*\*)\s*([\w.]+)$/,
    codes: /command-not-found|not-a-command|unexpected|bad-character|missing/,
    never: true,
    help: write,
    by: (m, text) => {
      const [verb, left, right] = [part(m, 1) === 'CHECK' ? 'DO' : part(m, 1), part(m, 3), part(m, 5)];
      if (!mentions(left, text)) return undefined;
      if (part(m, 4) === '//') return `${verb}${part(m, 2)}floor(${left} / ${right})`;
      const times = Number(right);
      return times > 1 && times < 6 ? `${verb}${part(m, 2)}${Array(times).fill(left).join(' * ')}` : undefined;
    },
  },
  {
    line: /^(DO|SET|TRACK)(:\s*\w+\s*=\s*)\[?\s*(-?\w+)\s*\.\.\.?(<?)\s*(\w+)\s*\]?$/,
    codes: /command-not-found|not-a-command|unexpected|bad-character/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}${rangeOf(part(m, 3), part(m, 5), part(m, 4) === '')}`,
  },
  {
    line: /^((?:DO|CHECK):\s*\w+\s*=\s*)([A-Za-z_]\w*(?:\.\w+)*)\s*\|\s*([^\s|].*)$/,
    codes: /command-not-found/,
    message: (m) => `\`${part(m, 2)}\` is a value, and no command`,
    help: write,
    by: (m, text) => {
      if (!mentions(part(m, 2), text)) return undefined;
      const own = FILTERS[part(m, 3).replace(/\(\)$/, '')];
      const head = part(m, 1).replace(/^CHECK/, 'DO');
      return own === undefined
        ? `${part(m, 1)}printf %s {${part(m, 2)}} | ${part(m, 3)}`
        : `${head}${own}(${part(m, 2)})`;
    },
  },
  {
    line: /^DO:\s*(\w+)\s*(?:([+-])=\s*(\S.*)|(\+\+|--))$/,
    codes: /command-not-found|not-a-command/,
    never: true,
    help: write,
    by: (m, text) => {
      if (!mentions(part(m, 1), text)) return undefined;
      if (m[2] !== undefined) return `SET: ${part(m, 1)} ${m[2]}= ${part(m, 3)}`;
      return `INCREMENT: ${part(m, 1)}${m[4] === '--' ? ' by -1' : ''}`;
    },
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[.*?\])?:\s*)(?:(\w+)\s*<-|\{(\w+)\}\s*=|\[(\w+)\]\s*=)\s+(\S.*)$/,
    codes: /command-not-found|not-a-command|unsafe-position|unknown-option/,
    message: () => 'a result has a name and `=` before its command, and nothing else',
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2) || part(m, 3) || part(m, 4)} = ${part(m, 5)}`,
    binds: (m) => [part(m, 2) || part(m, 3) || part(m, 4)],
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[.*?\])?:\s*)\(?(\w+)((?:\s*,\s*\w+)+)\)?\s*=\s*(\S.*)$/,
    codes: /command-not-found|not-a-command/,
    message: () => 'a command has one result',
    help: (m, by) => `write \`${by}\`, and read its fields or \`lines(${part(m, 2)})\``,
    by: (m) => `${part(m, 1)}${part(m, 2)} = ${part(m, 4)}`,
    binds: (m) => [part(m, 2), ...part(m, 3).split(/\W+/).filter(Boolean)],
  },
  {
    line: /^(TRACK|SET|INPUT|INCREMENT):\s*(?:\$\{?|\{|[-*%@&]\s*|let\s+)([A-Za-z_]\w*)\}?(?![\w}])(.*)$/,
    codes: /bad-name|unexpected|bad-character|missing/,
    message: () => 'a name has no signs around it here',
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)}${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(TRACK|SET|INPUT):\s*(\w+\s*=\s*[^\s,;"'[\]{}()]+(?:\s*[,;]\s*\w+\s*=\s*[^\s,;"'[\]{}()]+)+)\s*;?$/,
    codes: /unexpected|bad-character|unknown-name/,
    help: write,
    by: (m) => each(part(m, 1), part(m, 2).replace(/\s*;\s*/g, ', ')),
    binds: (m) => [...part(m, 2).matchAll(/(\w+)\s*=/g)].map(([, name]) => name as string),
  },
  {
    line: /^TRACK:\s*(?:(?:counter|int|integer|number|var|variable|list|text|string|bool|boolean)\s+(?=\w))?(\w+)(?:\s+(?:as\s+(?:a\s+)?counter|(?:starts?|starting|begins?|initial(?:ly|i[sz]ed)?|init|defaults?)\b(?:\s*(?:at|with|to|from|is|=))?\s*(-?[\w.]+)|(-?\d[\d.]*|\[.*\]|"[^"]*"))|\s*=\s*(\S.*))?$/i,
    codes: /bad-name|unexpected|bad-character/,
    help: write,
    by: (m) => {
      const value = m[2] ?? m[3] ?? m[4];
      return `TRACK: ${part(m, 1)}${value === undefined ? '' : ` = ${value}`}`;
    },
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:RESET|CLEAR|ZERO):?\s+(\w+)(?:\s+(?:to|=)\s*(\S+))?$/i,
    codes: unread,
    help: write,
    by: (m, text) => (mentions(part(m, 1), text) ? `SET: ${part(m, 1)} = ${m[2] ?? '0'}` : undefined),
  },
  { line: /^INCREMENT:\s*(\w+(?:\s*,\s*\w+)+)$/, help: write, by: (m) => each('INCREMENT', part(m, 1)) },
  { line: /^(?:INCR?\b:?|\+\+)\s*(\w+);?$/i, codes: unread, help: write, by: (m) => `INCREMENT: ${part(m, 1)}` },
  { line: /^(?:INCREMENT:?\s*)?(\w+)\s*\+\+;?$/, help: write, by: (m) => `INCREMENT: ${part(m, 1)}` },
  {
    line: /^(?:DECREMENT:?\s+(\w+)|(\w+)--);?$/,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1) || part(m, 2)} by -1`,
  },
  { line: /^(?:DECREMENT:?\s+(\w+)) by (\d+)$/, help: write, by: (m) => `INCREMENT: ${part(m, 1)} by -${part(m, 2)}` },
  {
    line: /^INCREMENT:?\s+(\w+)\s+(?:\+\s*)?(\d+)$/,
    sure: true,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1)} by ${part(m, 2)}`,
  },
  {
    line: /^INCREMENT:?\s+(\w+)\s*\+=\s*(\S+)$/,
    sure: true,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1)} by ${part(m, 2)}`,
  },
  {
    line: /^(\w+)\s*([+-])=\s*(.+?);?$/,
    codes: unread,
    help: write,
    by: (m) => `SET: ${part(m, 1)} ${part(m, 2)}= ${part(m, 3)}`,
  },
  {
    line: /^(?:let|var|const|my|local|declare|define|dim|VARIABLE)\s*:?\s*(\w+)\s*:?=\s*(.+?);?$/i,
    codes: /unknown-verb|not-an-instruction|not-tracked|unexpected/,
    help: write,
    by: (m) => `TRACK: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[.*?\])?:\s*\w+\s*=\s*)(?:let|var|const|val|my|local|declare)\s+\w+\s*=\s*(.+)$/,
    codes: /command-not-found|not-a-command/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}`,
  },
  {
    line: /^((?:-\s+)?(?:(?:DO|CHECK)(?:\s*\[.*?\])?:\s*)?)(?:(?:let|var|const|val|my|local|declare|readonly|typeset|export|set)\s+)?(\w+)\s*(?::=|(?<=\b(?:let|var|const|val|my|local|declare|readonly|typeset|export|set)\s+\w+\s*)=)\s+(\S.*)$/,
    codes: /command-not-found|not-a-command/,
    message: () => 'a result has a name and `=` before its command, and nothing else',
    help: (m, by) =>
      /\bexport\s/.test(m[0])
        ? `write \`DO [env.${part(m, 2)}=${part(m, 3)}]: …\` for the command that reads it`
        : write(m, by),
    by: (m) => (part(m, 1) === '' ? undefined : `${part(m, 1)}${part(m, 2)} = ${part(m, 3)}`),
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^((?:-\s+)?(?:(?:DO|CHECK)(?:\s*\[.*?\])?:\s*)?)(?!(?:name|id|run|cmd|command|step|task|uses):)([a-z_]\w*):\s+(\S.*)$/,
    codes: /not-a-command|command-not-found/,
    message: (m) => `\`${part(m, 2)}:\` does not name a result`,
    help: write,
    by: (m) => (part(m, 1) === '' ? undefined : namedResult(part(m, 1), part(m, 2), part(m, 3))),
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(\w+)\s*=\s*(?:input|ASK(?:\s+user)?:?)\s*\(?\s*(["'].*["'])\)?$/i,
    codes: unread,
    help: write,
    by: (m) => `ASK user: ${part(m, 2)} → ${part(m, 1)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(RETURN|FAIL|EMIT)\s*=\s*(.+?);?$/,
    codes: unread,
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)}`,
  },
  {
    line: /^(SET|TRACK):\s*(?:let|var|const|my)\s+(\w+)\s*(:?=.*)?$/,
    codes: /unexpected|bad-name/,
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)}${m[3] === undefined ? '' : ` ${part(m, 3).replace(/^:/, '')}`}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^SET:\s*([\w.]+)\s*(?::=?|<-|to)\s*(\S.*)$/,
    codes: /unexpected|bad-character|missing/,
    help: write,
    by: (m) => `SET: ${part(m, 1)} = ${part(m, 2)}`,
  },
  {
    line: /^SET:\s*(\w+)\s*(\+\+|--);?$/,
    codes: /unexpected|missing/,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1)}${part(m, 2) === '--' ? ' by -1' : ''}`,
  },
  {
    line: /^([A-Za-z_]\w*)\s*:?=\s*(-?\d[\d.]*|"[^"]*"|'[^']*'|\[.*\]|\{.*\}|true|false|null);?$/,
    codes: unread,
    help: write,
    by: (m, text) =>
      `${new RegExp(`^\\s*TRACK:\\s*${part(m, 1)}\\b`, 'm').test(text) ? 'SET' : 'TRACK'}: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(\w+)\s*=\s*.+$/,
    codes: unread,
    help: (m) => `write \`SET: ${part(m, 1)} = …\` for a value, \`DO: ${part(m, 1)} = …\` for a command`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^TRACK:\s*(\w+)\s*(?::\s*(?:int|integer|number|float|str|string|text|bool|boolean|list|dict|object|any)\s*=|:=)\s*(.+)$/i,
    codes: /unexpected/,
    help: write,
    by: (m) => `TRACK: ${part(m, 1)} = ${part(m, 2)}`,
  },
  {
    line: /^TRACK:\s*(\w+)\s*:\s*(.+)$/,
    sure: /:\s*(?:-?\d[\d.]*|"[^"]*"|\[.*\]|\{.*\}|true|false|null)$/,
    help: write,
    by: (m) => `TRACK: ${part(m, 1)} = ${part(m, 2)}`,
  },
  {
    line: /^(?:DO|CHECK):\s*(\w+)\s*=\s*(.+?)\s+if\s+(.+?)\s+else\s+(.+)$/,
    codes: TERNARY,
    // A file that does not exist yet may be given these words.
    when: (m) => !/^[.~/]|^[^"]*"(?:[^"]*"[^"]*")*[^"]*$|^[^']*'(?:[^']*'[^']*')*[^']*$/.test(part(m, 2)),
    never: true,
    message: () => 'there is no conditional expression',
    help: write,
    by: (m, text) =>
      `IF: ${conditionOf(part(m, 3), text)} → DO: ${part(m, 1)} = ${part(m, 2)}\nELSE → DO: ${part(m, 1)} = ${part(m, 4)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:DO|CHECK):\s*(\w+)\s*=\s*([^?]+?)\s+\?\s+(.+?)\s+:\s+(.+)$/,
    codes: TERNARY,
    never: true,
    message: () => 'there is no conditional expression',
    help: write,
    by: (m, text) =>
      mentions(part(m, 2), text)
        ? `IF: ${part(m, 2)} → DO: ${part(m, 1)} = ${part(m, 3)}\nELSE → DO: ${part(m, 1)} = ${part(m, 4)}`
        : undefined,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(SET|TRACK):\s*(\w+)\s*=\s*(.+?)\s+if\s+(.+?)\s+else\s+(.+)$/,
    codes: TERNARY,
    never: true,
    message: () => 'there is no conditional expression',
    help: write,
    by: (m) =>
      `${part(m, 1) === 'TRACK' ? `TRACK: ${part(m, 2)}\n` : ''}IF: ${part(m, 4)} → SET: ${part(m, 2)} = ${part(m, 3)}\nELSE → SET: ${part(m, 2)} = ${part(m, 5)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(DO|CHECK|SET|TRACK):\s*(\w+)\s*=\s*([\w.]+)\s*(?:\|\||\?\?|\?:|\bor\b)\s*("[^"]*"|'[^']*'|-?\d[\d.]*|[\w.]+)$/,
    codes: /command-not-found|not-a-command|unexpected|bad-character|operator-spelling|unknown-name/,
    never: true,
    message: (m) =>
      `\`${part(m, 3)}\` is a value here: what counts if it is missing is the second argument of \`default\``,
    help: write,
    by: (m, text) =>
      mentions(part(m, 3), text)
        ? `${part(m, 1) === 'CHECK' ? 'DO' : part(m, 1)}: ${part(m, 2)} = default(${part(m, 3)}, ${part(m, 4)})`
        : undefined,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^CHECK:\s*(\w+)\s*=\s*([a-z_]+\(.*\)|.+\s[+*%]\s.+)$/,
    codes: /not-a-command|command-not-found/,
    message: () => 'CHECK runs a command, and this is an expression',
    help: write,
    by: (m, text) =>
      /^[a-z_]+\(/.test(part(m, 2)) || mentions(part(m, 2).split(/\s/)[0] ?? '', text)
        ? `DO: ${part(m, 1)} = ${part(m, 2)}`
        : undefined,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(TRACK|INPUT):\s*(\w+(?:\s*,\s*\w+)+)$/,
    help: write,
    by: (m) => each(part(m, 1), part(m, 2)),
    binds: (m) => part(m, 2).split(/\s*,\s*/),
  },
  {
    line: /^INPUTS:\s*(\w+(?:\s*,\s*\w+)*)$/,
    help: write,
    by: (m) => each('INPUT', part(m, 1)),
    binds: (m) => part(m, 1).split(/\s*,\s*/),
  },
  {
    line: /^TRACK:\s+(?!.*=)\w+(?:[ \t]+[\w'’,.;()-]+){2,}$/,
    codes: /bad-name|unexpected|bad-character/,
    message: () => 'this is a sentence, not the name of a variable',
    help: (m) => `make it a comment, \`# ${m[0]}\`, or name the variable: \`TRACK: name\``,
    by: (m) => `# ${m[0]}`,
  },
  {
    line: /^INPUT:\s*(\w+)\s*\(([^)]+)\)\s*=\s*(.+)$/,
    sure: true,
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} = ${part(m, 3)} (${part(m, 2)})`,
  },
  {
    line: /^INPUT:\s*(\w+)\s*\?\s*(?::\s*(\w+))?$/,
    codes: /bad-name|unexpected/,
    message: () => 'the name of an input has no `?`: an input with a default may be left out',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} = null${typeNote(part(m, 2))}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^INPUT:\s*(\w+)\s*:\s*([A-Za-z]\w*)\s*(?:=\s*(.+))?$/,
    sure: /:\s*(?:string|number|boolean|list|object|secret)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => {
      const type = TYPES[part(m, 2).toLowerCase()];
      if (type === undefined) return undefined;
      const value = part(m, 3) === '' ? '' : ` = ${literal(part(m, 3))}`;
      return `INPUT: ${part(m, 1)}${value} (${type})`;
    },
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^INPUT:\s*(\w+)\s*:\s*(-?\d[\d.]*|"[^"]*"|'[^']*'|true|false|null|\[.*\]|\{.*\})$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^INPUT:\s*([A-Za-z]\w*)\s+(\w+)\s*(?:=\s*(.+))?$/,
    codes: /unexpected|bad-name/,
    help: write,
    by: (m) => {
      const type = TYPES[part(m, 1).toLowerCase()];
      const value = part(m, 3) === '' ? '' : ` = ${literal(part(m, 3))}`;
      return type === undefined ? undefined : `INPUT: ${part(m, 2)}${value} (${type})`;
    },
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^INPUT:\s*(\w+)\s+(?:defaults?\s+to\b|default\b\s*[:=]?|:=|\|\|)\s*(.+)$/,
    codes: /unexpected|bad-/,
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} = ${literal(part(m, 2))}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^INPUT:\s*(\w+)\s*:?\s+(string|number|boolean|list|object|secret)$/,
    sure: true,
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} (${part(m, 2)})`,
  },
  {
    line: /^INPUT:\s*(\w+)\s*\((?:required|mandatory)\)$/i,
    sure: true,
    message: () => 'an input without a default is required',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)}`,
  },
  { line: /^LIMIT:\s*(\d+)$/, help: write, by: (m) => `LIMIT: transitions=${part(m, 1)}` },
  { line: /^(LIMIT:.*\bcost=)\$(\d.*)$/, sure: true, help: write, by: (m) => part(m, 1) + part(m, 2) },
  {
    line: /^(.*=\s*)(\d+(?:\.\d+)?%)$/,
    codes: /missing-part/,
    help: (m) => `write \`"${part(m, 2)}"\` for the text, or a fraction for a number`,
    by: (m) => `${part(m, 1)}"${part(m, 2)}"`,
  },
  {
    line: /^(.*[^;]);$/,
    // If a text ends with it too, as in `RETURN: {x};`, only the author knows which of them are meant.
    sure: (_, text) => !textEndsWithSemicolon(text),
    codes: /bad-character/,
    message: () => 'lines do not end with `;`',
    help: () => 'remove the `;`',
    by: (m) => part(m, 1),
  },
];
