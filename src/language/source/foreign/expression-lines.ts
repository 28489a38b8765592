/** Conditions and values in the syntax of other languages. */
import { type ForeignLine, part, write } from './foreign-line.js';

const straightenQuotes = (text: string): string => text.replace(/[“”„«»]/g, '"').replace(/[‘’‚]/g, "'");

/** `name(x, y)` or `x.name(y)`, as operators. */
const OPERATOR: Readonly<Record<string, string>> = {
  ...{
    contains: 'contains',
    includes: 'contains',
    has: 'contains',
    startswith: 'starts with',
    endswith: 'ends with',
    matches: 'matches',
  },
};
const operators = 'contains|includes|starts_?with|ends_?with|matches';
const operator = (name: string): string => OPERATOR[name.toLowerCase().replace('_', '')] ?? name;
const SIGNS: Readonly<Record<string, string>> = {
  gt: '>',
  ge: '>=',
  gte: '>=',
  lt: '<',
  le: '<=',
  lte: '<=',
  ne: '!=',
  neq: '!=',
};
const METHODS: Readonly<Record<string, string>> = {
  ...{
    upper: 'upper',
    lower: 'lower',
    trim: 'trim',
    strip: 'trim',
    length: 'len',
    len: 'len',
    size: 'len',
    count: 'len',
  },
  ...{
    toUpperCase: 'upper',
    toLowerCase: 'lower',
    keys: 'keys',
    values: 'values',
    sort: 'sort',
    toString: 'string',
    json: 'json',
  },
};

/**
 * Curly quotes outside of straight ones where any text can be. If some are there, only the author knows which of them are
 * meant.
 */
const curlyInText =
  /^[ \t]*(?:(?:[^"\n]*[^\w"\n])?(?:DO|CHECK|UNDO|RETURN|EMIT|FAIL)\b[^"\n]*|(?![ \t]|[A-Z]+\b)[^"\n]*)[“”„«»]/m;

export const expressionLines: readonly ForeignLine[] = [
  {
    line: /^.*[“”„«»‘’‚].*$/,
    sure: (line, text) =>
      /^[^"'“”„«»‘’‚]*(?:[“„«][^"'“”„«»‘’‚]*[”»“][^"'“”„«»‘’‚]*)+$/.test(line) && !curlyInText.test(text),
    codes: /bad-character|bad-name|unknown-name|unexpected|unclosed|missing/,
    message: () => 'this line has curly quotes instead of straight ones',
    help: () => 'write `"` and `\'`',
    by: (m) => straightenQuotes(m[0]),
  },
  {
    line: /^(.*?)\b([\w.]+)\s+(is\s+)?not\s+found\b(.*)$/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} is empty${part(m, 4)}`,
  },
  {
    line: /^((?:(?!\s#\s).)*?)\b(?!exit)(\w+)\s+exit[_ ]?code\b(?!\s*\()(.*)$/,
    help: write,
    by: (m) => `${part(m, 1)}exit_code(${part(m, 2)})${part(m, 3)}`,
  },
  {
    line: /^(.*?)(?<![\w.])\$?(?:exit_?code|\?)(?=\s*(?:==|!=|[<>]))(.*)$/,
    codes: /unknown-name|bad-character/,
    help: (_, by) => (by === null ? 'write `exit_code(x)` with the name of a CHECK or DO' : `write \`${by}\``),
    by: (m, text) => {
      const name = /^\s*(?:CHECK|DO)(?:\s*\[.*?\])?:\s*(\w+)\s*=/m.exec(text)?.[1];
      return name === undefined ? undefined : `${part(m, 1)}exit_code(${name})${part(m, 2)}`;
    },
  },
  {
    line: /^(.*?)\s*=~\s*\/(.+?)\/(?=\s|$)(.*)$/,
    help: write,
    by: (m) => `${part(m, 1)} matches "${part(m, 2)}"${part(m, 3)}`,
  },
  {
    line: /^(.*?\bmatches\s+)\/(.+?)\/(?=\s|$)(.*)$/,
    sure: /^[^"']*\bmatches\s+\/[^\\"/]+\/(?=\s|$)/,
    help: write,
    by: (m) => `${part(m, 1)}"${part(m, 2)}"${part(m, 3)}`,
  },
  {
    // By convention a variable of the environment, which only commands can read.
    line: /^((?:IF|ELSE IF|WAIT|SET|TRACK)\b(?:(?!→|->).)*?)\$\{?([A-Z][A-Z0-9_]*)\}?(.*)$/,
    codes: /bad-character|unexpected/,
    message: (m) => `names have no \`$\` here: \`${part(m, 2)}\``,
    help: (m) =>
      `write \`DO: ${part(m, 2).toLowerCase()} = echo "$${part(m, 2)}"\` above, and use \`${part(m, 2).toLowerCase()}\` here`,
  },
  {
    line: /^((?:IF|ELSE IF|WAIT|SET|TRACK)\b(?:(?!→|->).)*?)\$\{?(\w+)\}?(.*)$/,
    sure: /^[^"'$]*\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)[^$]*$/,
    codes: /bad-character|unexpected/,
    message: (m) => `names have no \`$\` here: \`${part(m, 2)}\``,
    help: write,
    by: (m) => part(m, 1) + part(m, 2) + part(m, 3),
  },
  {
    line: /^(.*?\S)\s+(?:is not|not equals?|isnt)\s+("[^"]*"|'[^']*'|-?\d[\d.]*|true|false)(.*)$/,
    sure: /^(?:IF|ELSE IF|WAIT):\s*[\w.]+\s+(?:is not|not equals?|isnt)\s/,
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)} != ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^(.*?\S)\s+(?:is|equals?|is equal to|eq|-eq)\s+("[^"]*"|'[^']*'|-?\d[\d.]*|true|false)(.*)$/,
    sure: /^(?:IF|ELSE IF|WAIT):\s*[\w.]+\s+(?:is|equals?|is equal to|eq|-eq)\s/,
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)} == ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^(.*?\S)\s+-?(gte?|ge|lte?|le|neq?)\s+("[^"]*"|'[^']*'|[\w.]+)(.*)$/,
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)} ${SIGNS[part(m, 2)]} ${part(m, 3)}${part(m, 4)}`,
  },
  {
    line: /^(.*?\S)\s+(starts_?with|ends_?with|includes|has)\s+("[^"]*"|'[^']*'|[\w.]+)(.*)$/i,
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)} ${operator(part(m, 2))} ${part(m, 3)}${part(m, 4)}`,
  },
  {
    line: /^((?:IF|ELSE IF|WAIT):\s*(?:NOT\s+)?)(?:exists|defined)\s+([A-Za-z_][\w.]*)(.*)$/i,
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} exists${part(m, 3)}`,
  },
  {
    line: /^((?:IF|ELSE IF):)\s*if\s+(.*)$/i,
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)} ${part(m, 2)}`,
  },
  {
    line: /^((?:IF|ELSE IF):.*?\S)\s*(?:\bthen\b|;)\s*((?:→|->).*)$/i,
    codes: /unexpected|unknown|bad-character/,
    help: write,
    by: (m) => `${part(m, 1)} ${part(m, 2)}`,
  },
  {
    line: /^(?!(?:DO:\s*)?for\b)(.*?)([\w.]+)\s+(?:in\s+([\w-]+)\s*\.\.\.?\s*([\w-]+)|between\s+(\S+)\s+and\s+(\S+))(.*)$/i,
    codes: /unexpected|unknown|bad-character/,
    help: write,
    by: (m) => {
      const [name, from, to] = [part(m, 2), part(m, 3) || part(m, 5), part(m, 4) || part(m, 6)];
      return `${part(m, 1)}${name} >= ${from} AND ${name} <= ${to}${part(m, 7)}`;
    },
  },
  {
    line: new RegExp(`^(.*?)\\b(${operators})\\(\\s*([\\w.]+)\\s*,\\s*("[^"]*"|'[^']*'|[\\w.]+)\\s*\\)(.*)$`, 'i'),
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 3)} ${operator(part(m, 2))} ${part(m, 4)}${part(m, 5)}`,
  },
  {
    line: new RegExp(`^(.*?)\\b(\\w+(?:\\.\\w+)*?)\\.(${operators})\\(\\s*("[^"]*"|'[^']*'|[\\w.]+)\\s*\\)(.*)$`, 'i'),
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} ${operator(part(m, 3))} ${part(m, 4)}${part(m, 5)}`,
  },
  {
    line: new RegExp(`^(.*?)\\b(\\w+(?:\\.\\w+)*?)\\.(${Object.keys(METHODS).join('|')})\\(\\)(.*)$`),
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)}${METHODS[part(m, 3)]}(${part(m, 2)})${part(m, 4)}`,
  },
  {
    line: /^(.*?)\b(\w+(?:\.\w+)*?)\.(?:push|append|add)\((.+)\)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} + [${part(m, 3)}]`,
  },
  {
    line: /^(.*?)\b(\w+(?:\.\w+)*?)\.(split|join|replace|slice)\((.+?)\)(.*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 3)}(${part(m, 2)}, ${part(m, 4)})${part(m, 5)}`,
  },
  {
    line: /^(.*?)\b(?:is_?)?empty\s*\(?\s*([\w.]+)\b\)?(\s*(?:→|->|AND|OR).*)$/i,
    codes: /unknown-function|unexpected|unknown-name/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} is empty${part(m, 3)}`,
  },
  {
    line: /^(.*?\S)\s*([!=]=)\s*(empty)\b(.*)$/i,
    codes: /unknown-name/,
    message: () => '`empty` is a test, and not a value',
    help: write,
    by: (m) => `${part(m, 1)} is ${part(m, 2) === '!=' ? 'not ' : ''}empty${part(m, 4)}`,
    of: 3,
  },
  {
    line: /^(.*?)\bexists\(\s*([\w.]+)\s*\)(.*)$/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} exists${part(m, 3)}`,
  },
  {
    line: /^(?:IF|ELSE IF):\s*(?:not\s+)?(?:the\s+)?file\s+(?:exists\s+)?(\S+).*$/i,
    help: () =>
      'test it with a command: `CHECK: found = test -f FILE && echo yes || echo no`, then `IF: found == "yes" → …`',
  },
  {
    line: /^(.*?)([\w.]+)\s*(<=?|>=?)\s*([\w.]+)\s*(<=?|>=?)\s*([\w.]+)(.*)$/,
    sure: /^[^"'<>]*(?:<=?[^"'<>=]+<=?|>=?[^"'<>=]+>=?)[^"'<>]*(?:->.*|→.*)?$/,
    codes: /chained-comparison/,
    help: write,
    by: (m) =>
      `${part(m, 1)}${part(m, 2)} ${part(m, 3)} ${part(m, 4)} AND ${part(m, 4)} ${part(m, 5)} ${part(m, 6)}${part(m, 7)}`,
  },
  {
    line: /^(?:SET|TRACK):\s*(\w+)\s*=\s*(.+?)\s+\?\s+(.+?)\s+:\s+(.+)$/,
    help: write,
    by: (m) => `IF: ${part(m, 2)} → SET: ${part(m, 1)} = ${part(m, 3)}\nELSE → SET: ${part(m, 1)} = ${part(m, 4)}`,
  },
  {
    line: /^((?:GOTO|USE|SET|TRACK|FAIL|RETURN|IF|ELSE)\b[^"']*?=\s*)\{(\[[^\]"']*\])\}(.*)$/,
    codes: /unexpected/,
    help: (_, by) => `a list needs no braces: write \`${by}\``,
    by: (m) => part(m, 1) + part(m, 2) + part(m, 3),
  },
  {
    line: /^(.*?[=\s(,])f(["'].*)$/,
    codes: /unknown-name|unexpected/,
    help: (_, by) => `remove the \`f\`: write \`${by}\``,
    by: (m) => part(m, 1) + part(m, 2),
  },
  {
    line: /^(.*?(?:==|!=)\s*)(?!empty\b)([A-Za-z]\w*(?:-[A-Za-z]\w*)*)(?![\w.([])(.*)$/,
    codes: /^unknown-name$/,
    help: (m) => `write \`"${part(m, 2)}"\` for the text`,
    by: (m) => `${part(m, 1)}"${part(m, 2)}"${part(m, 3)}`,
    of: 2,
  },
  {
    line: /^(?:IF|ELSE IF):\s*(?:NOT\s+)?(?:error|failed|failure|success|succeeded|ok)\s*(?:→|->).*$/i,
    codes: /unknown-name/,
    help: () =>
      'a command that fails ends the state: handle it at the end of the state with `ON ERROR: → GOTO: …`, or read `exit_code(x)` of a CHECK',
  },
];
