/** Conditions and values in the syntax of other languages. */
import { around, type ForeignLine, mentions, outsideText, part, write } from './foreign-line.js';

const NAMED_COMMAND =
  /^[ \t]*(?:- )?(?:CHECK|DO)(?:[ \t]*\[[^\]\n]*\])?:[ \t]*(\w+)[ \t]*=(?!=|[ \t]*["'[{\d]|[^\n]* [+*] )/gm;

/** Functions that take a list and a condition or a function, as they occur in a condition or a value. */
const THROUGH_LIST =
  /^(.*?)\b(?:(count|count_?if|countOf|count_?where)\(\s*([A-Za-z_][\w.]*)\s*,\s*([^()]+?)\s*\)|([A-Za-z_][\w.]*)\.(count)\(\s*([^()]+?)\s*\)|(?:len|sum|any|all)\(\s*\[?.*\bfor\s+\w+\s+in\s+([A-Za-z_][\w.]*).*|(?:any|all|some|every|find|filter|map|reduce|sort_?by)\(\s*([A-Za-z_][\w.]*)\s*,.*|([A-Za-z_][\w.]*)\.(?:any|all|some|every|find|filter|map|reduce)\(.*)(.*)$/i;

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
/** Comparisons in words. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ greater: '>', more: '>', larger: '>', above: '>', over: '>', less: '<', fewer: '<', smaller: '<', below: '<' },
  ...{ under: '<', 'at least': '>=', 'at most': '<=' },
};
const wordSign = (words: string, orEqual: string): string =>
  `${WORDS[words.toLowerCase()] ?? '=='}${orEqual === '' ? '' : '='}`;

/** A test of a shell, `-z "$x"` or `$n -gt 3`, as a condition; undefined: one of files, or of several parts. */
function shellTest(test: string): string | undefined {
  const plain = test.replace(/"?\$\{?(\w+)\}?"?/g, '$1');
  const [, flag, name] = /^-([zn])\s+(\w+)$/.exec(plain) ?? [];
  if (name !== undefined) return `${name} is ${flag === 'n' ? 'not ' : ''}empty`;
  const [, left, sign = '', right] = /^(\w+)\s+-?(eq|ne|[gl][te]|[!=]?=|[<>])\s+(\S+)$/.exec(plain) ?? [];
  if (left === undefined) return undefined;
  return `${left} ${SIGNS[sign] ?? (sign === 'eq' || sign === '=' ? '==' : sign)} ${right}`;
}

/** What other languages call the place of the inputs and variables. */
const HOLDERS =
  '(?:github\\.event\\.)?inputs?|vars|variables|params|parameters|args|arguments|ctx|context|self|this|tracked|local|workflow';

const TIMES: Readonly<Record<string, string>> = { s: 'seconds', m: 'minutes', h: 'hours', d: 'days' };

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

export const expressionLines = (): readonly ForeignLine[] => [
  {
    line: /^.*[“”„«»‘’‚].*$/,
    sure: (line, text) =>
      /^[^"'“”„«»‘’‚]*(?:[“„«][^"'“”„«»‘’‚]*[”»“][^"'“”„«»‘’‚]*)+$/.test(line) && !curlyInText.test(text),
    codes: /bad-character|bad-name|unknown-name|unexpected|unclosed|missing/,
    // Inside of straight ones they are text.
    when: (m) => /[“”„«»‘’‚]/.test(m[0].replace(/"(?:[^"\\]|\\.)*"/g, '')),
    message: () => 'this line has curly quotes instead of straight ones',
    help: () => 'write `"` and `\'`',
    by: (m) => straightenQuotes(m[0]),
  },
  {
    line: /^(.*?)\b([\w.]+)\s+(is\s+)?not\s+found\b(.*)$/,
    when: outsideText,
    codes: /unexpected|unknown-(?!verb)/,
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
      // The command above is meant, and of several lines alike it is not known which one.
      const before = around(m[0], text)?.[0] ?? '';
      const above = before.slice(before.lastIndexOf('\nSTATE:') + 1);
      const name = [...above.matchAll(NAMED_COMMAND)].at(-1)?.[1];
      return name === undefined ? undefined : `${part(m, 1)}exit_code(${name})${part(m, 2)}`;
    },
  },
  {
    line: /^(.*?)(?<![\w.])\$?(?:exit_?code|\?)(?=\s*(?:==|!=|[<>])).*$/,
    codes: /unknown-name|bad-character/,
    message: () => 'an exit code is that of a command with a name',
    help: () => 'write `DO [ok=any]: x = …` for the command, and `exit_code(x)` here',
  },
  {
    line: /^(.*?)\s*=~\s*(?:\/(.+?)\/(?=\s|$)|(["'])(.*?)\3)(.*)$/,
    when: outsideText,
    help: write,
    by: (m) => `${part(m, 1)} matches "${part(m, 2) || part(m, 4)}"${part(m, 5)}`,
  },
  {
    line: /^((?:ELSE )?IF:)\s*\[\[?\s+(.+?)\s+\]\]?\s*((?:→|->).*)$/,
    codes: /bad-character|unexpected|unknown-name|not-a-condition|wrong-type|operator-spelling/,
    message: () => 'a condition has no brackets of the shell',
    help: (m, by) =>
      by === null
        ? `run it first: \`CHECK: tested = [ ${part(m, 2)} ] && echo yes || echo no\`, then \`IF: tested == "yes" ${part(m, 3)}\``
        : write(m, by),
    by: (m) => {
      const test = shellTest(part(m, 2));
      return test === undefined
        ? `CHECK: tested = [ ${part(m, 2)} ] && echo yes || echo no\n${part(m, 1)} tested == "yes" ${part(m, 3)}`
        : `${part(m, 1)} ${test} ${part(m, 3)}`;
    },
    binds: () => ['tested'],
  },
  {
    line: /^((?:ELSE )?IF:)\s*(?:(?:DO|CHECK|RUN):?\s+(\S.*?)|`([^`]+)`|\$\((.+)\)|(test\s+-\w.*?))\s*((?:→|->).*)$/,
    codes: /missing-part|bad-character|unexpected|unknown-name|wrong-type|not-a-condition/,
    message: () => 'a condition runs no command',
    help: write,
    by: (m) =>
      part(m, 1) === 'IF:'
        ? `CHECK: tested = ${m.slice(2, 6).find((one) => one !== undefined)} && echo yes || echo no\nIF: tested == "yes" ${part(m, 6)}`
        : undefined,
    binds: () => ['tested'],
  },
  {
    line: /^((?:IF|ELSE IF|WAIT|SET|TRACK|FOR EACH)\b(?:(?!→|->)[^"'{])*?)\$?\{\{\s*([^{}]+?)\s*\}\}(.*)$/,
    codes: /bad-character|unexpected|not-a-condition|wrong-type|unknown-name/,
    message: () => 'an expression has no braces around it',
    help: write,
    by: (m) => part(m, 1) + part(m, 2).replace(new RegExp(`\\b(?:${HOLDERS})\\.(?=\\w)`, 'g'), '') + part(m, 3),
  },
  {
    line: new RegExp(`^(.*?)(?<![\\w.])(${HOLDERS})\\.(\\w+)(.*)$`),
    codes: /^unknown-name$/,
    of: 2,
    message: (m) => `\`${part(m, 3)}\` has its value under its own name`,
    help: write,
    by: (m, text) => (mentions(part(m, 3), text) ? `${part(m, 1)}${part(m, 3)}${part(m, 4)}` : undefined),
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
    line: /^((?:IF|ELSE IF|WAIT(?!:\s*\$\{\w+\}\w)|SET|TRACK|FOR EACH)\b(?:(?!→|->).)*?)\$\{?(\w+)\}?(.*)$/,
    sure: /^(?!SET:\s*\$|TRACK:\s*\$)[^"'$]*\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)[^$]*$/,
    codes: /bad-character|unexpected/,
    message: (m) => `names have no \`$\` here: \`${part(m, 2)}\``,
    help: write,
    by: (m) => part(m, 1) + part(m, 2) + part(m, 3),
  },
  {
    line: /^(.*?\S)\s+(?:is\s+)?(greater|more|larger|above|over|less|fewer|smaller|below|under|at least|at most)(?:\s+than)?(\s+or\s+equal(?:s|\s+to)?)?\s+(-?[\w.]+)(.*)$/i,
    when: outsideText,
    codes: /unexpected|unknown-(?!verb)/,
    help: write,
    by: (m) => `${part(m, 1)} ${wordSign(part(m, 2), part(m, 3))} ${part(m, 4)}${part(m, 5)}`,
  },
  {
    line: /^(.*?\S)\s+is\s+(not\s+)?(?:None|nil|undefined|NULL|Null|nothing|missing)\b(.*)$/,
    when: outsideText,
    codes: /unexpected|unknown-(?!verb)/,
    help: write,
    by: (m) => `${part(m, 1)} is ${part(m, 2)}null${part(m, 3)}`,
  },
  {
    line: /^(.*?[\w.\])]+)\s+(not\s+)?(?<!\b(?:is|not)\s+)empty\b(.*)$/,
    when: outsideText,
    codes: /unexpected/,
    help: write,
    by: (m) => `${part(m, 1)} is ${part(m, 2)}empty${part(m, 3)}`,
  },
  {
    line: /^((?:ELSE )?IF:\s*)(\w+)\s+(?:has\s+|is\s+|was\s+)?(succeeded|successful|passed|passes|failed|fails)\b(.*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}exit_code(${part(m, 2)}) ${part(m, 3).startsWith('f') ? '!=' : '=='} 0${part(m, 4)}`,
  },
  {
    line: /^(.*?[<>=]=?\s*[\w.]+)\s+(?:times|tries|attempts|rounds|seconds|items|elements)\b(.*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => part(m, 1) + part(m, 2),
  },
  {
    line: /^(.*?\b(?:in|IN)\s+)[({]\s*([^(){}:]+,[^(){}:]*?)\s*[)}](.*)$/,
    codes: /unexpected/,
    help: (_, by) => `a list has square brackets: write \`${by}\``,
    by: (m) => `${part(m, 1)}[${part(m, 2).replace(/,$/, '')}]${part(m, 3)}`,
  },
  {
    line: /^(.*?)\b(\w+(?:\.\w+)*)\[\s*(-?\w*)\s*:\s*(-?\w*)\s*\](.*)$/,
    codes: /unexpected|missing|not-a-command/,
    help: write,
    by: (m) =>
      `${part(m, 1).replace(/^CHECK(?=:\s*\w+\s*=\s*$)/, 'DO')}slice(${part(m, 2)}, ${part(m, 3) || '0'}${part(m, 4) === '' ? '' : `, ${part(m, 4)}`})${part(m, 5)}`,
  },
  {
    line: /^(.*?=\s*)\[\s*\.\.\.\s*([\w.]+)\s*,\s*([^\]]+)\](.*)$/,
    codes: /bad-character|no-fields|unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} + [${part(m, 3)}]${part(m, 4)}`,
  },
  {
    line: /^(.*?)\b(\w+(?:\.\w+)*)\.get\(\s*["'](\w+)["']\s*(?:,\s*([^()]+))?\)(.*)$/,
    codes: /unexpected|not-a-command|command-not-found/,
    help: write,
    by: (m) => {
      const value = `${part(m, 2)}.${part(m, 3)}`;
      return `${part(m, 1)}${m[4] === undefined ? `${value}?` : `default(${value}, ${part(m, 4)})`}${part(m, 5)}`;
    },
  },
  {
    line: /^(.*?)\b(?:JSON\.(parse|stringify)|json\.(loads?|dumps?|parse|stringify|decode|encode)|Object\.(keys|values))\(([^()]*)\)(.*)$/,
    codes: /unknown-name|unexpected|not-a-command|command-not-found/,
    help: write,
    by: (m) => {
      const own = /parse|load|decode/.test(m[0]) ? 'parse_json' : (m[4] ?? 'json');
      return `${part(m, 1)}${own}(${part(m, 5)})${part(m, 6)}`;
    },
  },
  {
    line: /^(.*?)("[^"]*"|'[^']*')\.join\(\s*([\w.]+)\s*\)(.*)$/,
    codes: /unexpected|not-a-command|command-not-found|no-fields/,
    help: write,
    by: (m) => `${part(m, 1)}join(${part(m, 3)}, ${part(m, 2)})${part(m, 4)}`,
  },
  {
    line: /^(.*?)\bjoin\(\s*("[^"]*"|'[^']*')\s*,\s*([\w.]+)\s*\)(.*)$/,
    codes: /wrong-type/,
    message: () => 'the list comes first in `join`',
    help: write,
    by: (m) => `${part(m, 1)}join(${part(m, 3)}, ${part(m, 2)})${part(m, 4)}`,
  },
  {
    line: /^(?:DO|SET|TRACK):\s*(\w+)\s*=\s*(?:\[.*\bfor\s+(\w+)\s+in\s+(\w[\w.]*).*\]?|(?:map|filter)\(.*|(\w+)\.(?:map|filter)\(.*)$/,
    codes: /unclosed-bracket|unexpected|not-a-command|command-not-found|operator-spelling|unknown-function|no-fields/,
    never: true,
    message: () => 'no expression goes through a list',
    help: (m) => {
      const [item, list] = [part(m, 2) || 'item', part(m, 3) || part(m, 4) || 'LIST'];
      return `write \`TRACK: ${part(m, 1)}\` and \`SET: ${part(m, 1)} = []\`, then \`FOR EACH: ${item} in ${list}:\`, and in it \`SET: ${part(m, 1)} = ${part(m, 1)} + [${item}]\`, after an \`IF:\` if need be`;
    },
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:DO|CHECK|SET|TRACK):\s*(\w+)\s*=\s*([\w.]+)\[\*?\]\.([\w.]+)$/,
    codes: /unexpected|missing|not-a-command|bad-character/,
    message: () => 'no expression goes through a list',
    help: (m) =>
      `write \`TRACK: ${part(m, 1)}\` and \`SET: ${part(m, 1)} = []\`, then \`FOR EACH: item in ${part(m, 2)}:\`, and in it \`SET: ${part(m, 1)} = ${part(m, 1)} + [item.${part(m, 3)}]\``,
    binds: (m) => [part(m, 1)],
  },
  {
    line: THROUGH_LIST,
    codes:
      /unknown-function|unexpected|unclosed|wrong-number|not-a-command|command-not-found|no-fields|operator-spelling/,
    message: () => 'no expression goes through a list',
    help: (m) => {
      const list = m.slice(3).find((one, at) => one !== undefined && [0, 2, 5, 6, 7].includes(at)) ?? 'LIST';
      const value = m[4] ?? m[7];
      const test = value === undefined ? 'IF: … → INCREMENT: n' : `IF: item == ${value} → INCREMENT: n`;
      return `write \`TRACK: n\` and \`SET: n = 0\`, then \`FOR EACH: item in ${list}:\`, and in it \`${test}\`; use \`n\` below`;
    },
  },
  {
    line: /^(.*?\S)\s+(?:is not|not equals?|isnt)\s+("[^"]*"|'[^']*'|-?\d[\d.]*|true|false)(.*)$/,
    when: outsideText,
    sure: /^(?:IF|ELSE IF|WAIT):\s*[\w.]+\s+(?:is not|not equals?|isnt)\s/,
    codes: /unexpected|unknown-(?!verb)/,
    help: write,
    by: (m) => `${part(m, 1)} != ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^(.*?\S)\s+(?:is|equals?|is equal to|eq|-eq)\s+("[^"]*"|'[^']*'|-?\d[\d.]*|true|false)(.*)$/,
    when: outsideText,
    sure: /^(?:IF|ELSE IF|WAIT):\s*[\w.]+\s+(?:is|equals?|is equal to|eq|-eq)\s/,
    codes: /unexpected|unknown-(?!verb)/,
    help: write,
    by: (m) => `${part(m, 1)} == ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^(.*?\S)\s+-?(gte?|ge|lte?|le|neq?)\s+("[^"]*"|'[^']*'|[\w.]+)(.*)$/,
    when: outsideText,
    codes: /unexpected|unknown-(?!verb)/,
    help: write,
    by: (m) => `${part(m, 1)} ${SIGNS[part(m, 2)]} ${part(m, 3)}${part(m, 4)}`,
  },
  {
    line: /^(.*?\S)\s+(starts_?with|ends_?with|includes|has)\s+("[^"]*"|'[^']*'|[\w.]+)(.*)$/i,
    when: outsideText,
    codes: /unexpected|unknown-(?!verb)/,
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
    line: /^((?:DO|CHECK):\s*\w+\s*=\s*)(\w+(?:\.\w+)*?)\.(\w+)\((.*?)\)((?:\[\d+\])?)$/,
    codes: /not-a-command/,
    help: write,
    by: (m, text) => {
      const [own, values] = [METHODS[part(m, 3)], part(m, 4)];
      const takesValues = /^(?:split|join|replace|slice)$/.test(part(m, 3));
      if (!mentions(part(m, 2), text) || (takesValues ? values === '' : own === undefined || values !== ''))
        return undefined;
      const call = takesValues ? `${part(m, 3)}(${part(m, 2)}, ${values})` : `${own}(${part(m, 2)})`;
      return part(m, 1).replace(/^CHECK/, 'DO') + call + part(m, 5);
    },
  },
  {
    line: new RegExp(`^(.*?)\\b(\\w+(?:\\.\\w+)*?)\\.(${Object.keys(METHODS).join('|')})\\(\\)(.*)$`),
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)}${METHODS[part(m, 3)]}(${part(m, 2)})${part(m, 4)}`,
  },
  {
    line: /^(?:SET:\s*|DO:\s*)?(\w+)\.(?:push|append|add)\((.+)\)$/,
    codes: /unexpected|not-an-instruction|unknown-verb|not-a-command|command-not-found/,
    help: write,
    by: (m) => `SET: ${part(m, 1)} = ${part(m, 1)} + [${part(m, 2)}]`,
  },
  {
    line: /^(?:APPEND|PUSH|ADD):?\s+(?:(\w+)\s*,?\s+(\S.*)|(\S.*?)\s+(?:to|onto|into)\s+(\w+))$/i,
    codes: /unknown-verb|not-an-instruction/,
    help: write,
    by: (m, text) => {
      const [list, item] = m[4] === undefined ? [part(m, 1), part(m, 2)] : [m[4], part(m, 3)];
      return mentions(list, text) ? `SET: ${list} = ${list} + [${item}]` : undefined;
    },
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
    when: outsideText,
    codes: /unexpected|unknown-(?!verb)/,
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
    line: /^(?:DO|CHECK)(:\s*\w+\s*=\s*)f(?:"([^"]*)"|'([^'"]*)')$/,
    codes: /unsafe-position|command-not-found|not-a-command/,
    message: () => 'a text with values has no `f` before it',
    help: write,
    by: (m) => `DO${part(m, 1)}"${part(m, 2) || part(m, 3)}"`,
  },
  {
    line: /^(?:DO|CHECK|SET|TRACK):\s*(\w+)\s*=\s*(.+?)\s*([-+])\s*(\d+)\s*(s|m|h|d|min|hours?|minutes?|seconds?|days?)$/,
    codes: /not-a-command|unexpected|bad-|missing|command-not-found/,
    when: (m, text) => /^now\(\)$/.test(part(m, 2)) || mentions(part(m, 2), text),
    message: () => 'no expression computes with times',
    help: (m) =>
      `let a command do it: \`DO: ${part(m, 1)} = date -u -d "${part(m, 2) === 'now()' ? '' : `{${part(m, 2)}} `}${part(m, 3)}${part(m, 4)} ${TIMES[part(m, 5)[0] ?? '']}" +%FT%TZ\``,
    binds: (m) => [part(m, 1)],
  },
];
