/** Declarations and changes of variables and inputs in other languages. */
import { type ForeignLine, part, unread, write } from './foreign-line.js';

function each(verb: string, names: string): string {
  return names
    .split(/\s*,\s*/)
    .map((name) => `${verb}: ${name}`)
    .join('\n');
}

/** Whether a line that can end with any text ends with `;`: a command, a text, a value after `with`. */
const textEndsWithSemicolon = (text: string): boolean =>
  text
    .split('\n')
    .some(
      (line) =>
        /;\s*$/.test(line) &&
        (!/^\s*[A-Z]/.test(line) || /\b(?:DO|CHECK|UNDO|RETURN|EMIT|FAIL|CALL|PLAN|ASK|PROMPT|with)\b/.test(line)),
    );

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
    line: /^(\w+)\s*=\s*(?:input|ASK(?:\s+user)?:?)\s*\(?\s*(["'].*["'])\)?$/i,
    codes: unread,
    help: write,
    by: (m) => `ASK user: ${part(m, 2)} → ${part(m, 1)}`,
    binds: (m) => [part(m, 1)],
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
    line: /^TRACK:\s*(\w+)\s*:\s*(.+)$/,
    sure: /:\s*(?:-?\d[\d.]*|"[^"]*"|\[.*\]|\{.*\}|true|false|null)$/,
    help: write,
    by: (m) => `TRACK: ${part(m, 1)} = ${part(m, 2)}`,
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
