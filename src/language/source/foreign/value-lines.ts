/** Declarations and changes of variables and inputs in other languages. */
import { type ForeignLine, part, unread, write } from './foreign-line.js';

function each(verb: string, names: string): string {
  return names
    .split(/\s*,\s*/)
    .map((name) => `${verb}: ${name}`)
    .join('\n');
}

/** Messages about a line of which the words of other languages were read as a command. */
const TERNARY = /not-a-command|command-not-found|unexpected|unknown-name|bad-character|missing/;

/** Whether the text binds the name that an expression begins with. */
const mentions = (expression: string, text: string): boolean => {
  const name = /^[A-Za-z_]\w*/.exec(expression)?.[0];
  return (
    name !== undefined &&
    new RegExp(`(?:INPUT|TRACK|DO|CHECK|SET|FOR EACH)\\b[^\\n]*?:\\s*${name}\\b|→\\s*${name}\\b|\\b${name}=`).test(text)
  );
};

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

export const valueLines: readonly ForeignLine[] = [
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
    line: /^(\w+)\s*=\s*(-?\d[\d.]*|"[^"]*"|'[^']*'|\[.*\]|\{.*\}|true|false|null);?$/,
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
    message: () => 'there is no conditional expression',
    help: write,
    by: (m) => `IF: ${part(m, 3)} → DO: ${part(m, 1)} = ${part(m, 2)}\nELSE → DO: ${part(m, 1)} = ${part(m, 4)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:DO|CHECK):\s*(\w+)\s*=\s*([^?]+?)\s+\?\s+(.+?)\s+:\s+(.+)$/,
    codes: TERNARY,
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
    message: () => 'there is no conditional expression',
    help: write,
    by: (m) =>
      `${part(m, 1) === 'TRACK' ? `TRACK: ${part(m, 2)}\n` : ''}IF: ${part(m, 4)} → SET: ${part(m, 2)} = ${part(m, 3)}\nELSE → SET: ${part(m, 2)} = ${part(m, 5)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(DO|CHECK|SET|TRACK):\s*(\w+)\s*=\s*([\w.]+)\s*(?:\|\||\?\?|\?:|\bor\b)\s*("[^"]*"|'[^']*'|-?\d[\d.]*|[\w.]+)$/,
    codes: /command-not-found|not-a-command|unexpected|bad-character|operator-spelling|unknown-name/,
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
