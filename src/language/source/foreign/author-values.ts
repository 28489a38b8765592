/** Values and conditions as authors write them who have read one page: near to what is there, and in the words of other languages. */
import { around, COMMANDS, type ForeignLine, mentions, outsideText, part, write } from './foreign-line.js';

/** Messages about a line that was read as a command. */
const COMMAND = /not-a-command|command-not-found/;

const UNREAD_VALUE = /unexpected|unknown|bad-character|unclosed|missing|not-a-condition|wrong-type/;

/** `a = 1, b = 2` as one assignment a line; undefined: it is something else. */
function assignments(verb: string, text: string): string | undefined {
  const all = text.split(/\s*,\s*(?=[A-Za-z_]\w*\s*=(?![=~]))/);
  const isWhole = (one: string) =>
    /^[A-Za-z_]\w*\s*=\s*[^\s=]/.test(one) &&
    one.split('"').length % 2 === 1 &&
    one.split(/[[({]/).length === one.split(/[\])}]/).length;
  return all.length > 1 && all.every(isWhole) ? all.map((one) => `${verb}: ${one}`).join('\n') : undefined;
}

const namesOf = (m: RegExpExecArray): readonly string[] =>
  [...part(m, 2).matchAll(/(?:^|,)\s*([A-Za-z_]\w*)\s*=(?![=~])/g)].map(([, name]) => name as string);

/** The operators of an expression, as they are written here. */
const ownOperators = (expression: string): string =>
  expression
    .replace(/"(?:[^"\\]|\\.)*"|&&|\|\||\b(?:and|or|not)\b/g, (found) =>
      found.startsWith('"') ? found : found === '&&' ? 'AND' : found === '||' ? 'OR' : found.toUpperCase(),
    )
    .trim();

/** Texts and values that `+` joins, as one text; undefined: not all of them are. */
function joinedText(sum: string): string | undefined {
  const members = sum.split(/\s*\+\s*(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  if (!members.some((one) => one.startsWith('"'))) return undefined;
  const texts = members.map((one) => {
    const text = /^"((?:[^"\\]|\\.)*)"$/.exec(one)?.[1];
    if (text !== undefined) return text;
    return /^[A-Za-z_][\w.]*$/.test(one) ? `{${one}}` : undefined;
  });
  return texts.includes(undefined) ? undefined : `"${texts.join('')}"`;
}

/** Functions of other languages that take a part of a list. */
function partOfList(name: string, list: string, count: string): string | undefined {
  if (/^(?:tail|rest|cdr|butfirst|shift)$/i.test(name)) return count === '' ? `slice(${list}, 1)` : undefined;
  if (/^(?:head|car|take|first|top|limit)$/i.test(name))
    return count === '' ? `first(${list})` : `slice(${list}, 0, ${count})`;
  if (/^(?:drop|skip|offset)$/i.test(name)) return `slice(${list}, ${count || '1'})`;
  return /^last$/i.test(name) && /^\d+$/.test(count) ? `slice(${list}, -${count})` : undefined;
}

/** Endings of commands as functions of other languages. */
const ENDED =
  /^(.*?)(?<![\w.])(exit|code|rc|ret|retval|status|status_?code|exit_?status|return_?code|exitcode|failed|failure|is_?failed|has_failed|succeeded|success|successful|passed|ok|is_?ok)\(\s*([A-Za-z_]\w*)\s*\)(.*)$/i;

function endOf(m: RegExpExecArray): string {
  const [name, of, rest] = [part(m, 2).toLowerCase(), part(m, 3), part(m, 4)];
  if (!/fail|succe|passed|ok/.test(name)) return `exit_code(${of})`;
  return /^\s*[=!]=/.test(rest) ? '' : `exit_code(${of}) ${name.includes('fail') ? '!=' : '=='} 0`;
}

/** `x does not contain "y"` and its like. */
function negatedTest(of: string, verb: string, rest: string): string | undefined {
  if (/^(?:contain|include|have|has)/i.test(verb)) return `${of} not contains${rest}`;
  if (/^equal/i.test(verb)) return `${of} !=${rest}`;
  if (/^exist/i.test(verb)) return `NOT ${of} exists${rest}`;
  const own = /^match/i.test(verb) ? 'matches' : /^(?:start|begin)/i.test(verb) ? 'starts with' : 'ends with';
  return `NOT ${of} ${own}${rest}`;
}

/** A command in a condition; what follows it is the arrow. */
const CONDITION_COMMAND = new RegExp(
  `^IF:\\s*(NOT\\s+|not\\s+|!\\s*)?(?!test\\s)((?:\\.{0,2}/[\\w./-]+|(?:${COMMANDS})(?=\\s+[\\w./-]))(?:\\s+[^\\s→=<>]+)*?)\\s*((?:→|->)\\s*\\S.*)$`,
);

/** A file in a condition. */
const CONDITION_FILE =
  /^(IF|WAIT):\s*(NOT\s+|not\s+|!\s*)?(?:(?:the\s+)?(?:file|path|folder|directory)\s+)?(?:exists\s+)?(?:"([\w./{}*-]+)"|((?:\.{0,2}\/|\w[\w-]*\.)[\w./{}-]+))(?:\s+exists)?\s*(.*)$/;

export const authorValues = (): readonly ForeignLine[] => [
  {
    line: /^(DO|SET):\s*([A-Za-z_]\w*\s*=(?!=).*)$/,
    codes: /command-not-found|not-a-command|unexpected|bad-character/,
    when: (m) => m[2]?.includes(',') === true,
    message: () => 'a line binds one name',
    help: write,
    by: (m, text) => {
      const lines = assignments(part(m, 1), part(m, 2));
      // A program may be given words with `=` in them.
      const first = /^\w+\s*=\s*([^,]*)/.exec(part(m, 2))?.[1]?.trim() ?? '';
      const isOne = /^(?:-?\d[\d.]*|".*"|\[.*|\{.*|true|false|null|\S+)$/.test(first) || mentions(first, text);
      return part(m, 1) === 'SET' || isOne ? lines : undefined;
    },
    binds: namesOf,
  },
  {
    line: /^(.*?)(?<![\w.])([A-Za-z_]+)\(\s*([A-Za-z_][\w.]*)\s*(?:,\s*([\w.]+)\s*)?\)(.*)$/,
    codes: /unknown-function|wrong-number/,
    help: write,
    by: (m) => {
      const value = partOfList(part(m, 2), part(m, 3), part(m, 4));
      return value === undefined ? undefined : part(m, 1) + value + part(m, 5);
    },
  },
  {
    line: /^(?:DO|SET|TRACK):\s*(\w+)\s*(?:=\s*([A-Za-z_][\w.]*)\s*-|-=)\s*\[\s*([^\]]+?)\s*\]$/,
    codes: /wrong-type|unexpected/,
    message: () => 'nothing takes elements out of a list',
    help: (m) => {
      const [name, list] = [part(m, 1), m[2] ?? part(m, 1)];
      const kept = name === list ? 'kept' : name;
      return `collect the others: \`TRACK: ${kept}\` and \`SET: ${kept} = []\`, then \`FOR EACH: item in ${list}:\`, and in it \`IF: item != ${part(m, 3)} → SET: ${kept} = ${kept} + [item]\``;
    },
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^((?:.*?\b(?:DO|SET|TRACK):\s*)\w+\s*\+?=\s*|RETURN:\s*)((?:"(?:[^"\\]|\\.)*"|[\w.]+)(?:\s*\+\s*(?:"(?:[^"\\]|\\.)*"|[\w.]+))+)$/,
    codes: /wrong-type/,
    message: () => '`+` joins two texts, and a number in a text is in braces',
    help: write,
    when: (m, text) =>
      !new RegExp(`(?<!\\w)(?:${(m[0].match(/[A-Za-z_]\w*/g) ?? []).join('|')})\\s*\\+?=\\s*\\[`).test(text),
    by: (m) => {
      const text = joinedText(part(m, 2));
      return text === undefined ? undefined : part(m, 1) + text;
    },
  },
  {
    line: /^.*(?:\bnow\(\)\s*[-+]|[-+]\s*now\(\)).*$/,
    codes: /wrong-type/,
    message: () => '`now()` is a text, and no expression computes with times',
    help: () =>
      'let commands read the clock in seconds: `DO: begun = date +%s` and later `DO: ended = date +%s`, then `int(ended) - int(begun)`',
  },
  {
    line: /^((?:.*?\b(?:DO|SET|TRACK|IF|WAIT):\s*).*?)(?<![\w.])bool(?:ean)?\(\s*([A-Za-z_][\w.]*)\s*\)(.*)$/,
    codes: /unknown-function/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} == "true"${part(m, 3)}`,
  },
  {
    line: /^(DO:\s*\w+\s*=\s*)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\.(\d+)((?:\.\w+)*)$/,
    codes: COMMAND,
    never: true,
    when: (m, text) => mentions(part(m, 2), text),
    message: () => 'the number of an element is in brackets',
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}[${part(m, 3)}]${part(m, 4)}`,
  },
  {
    line: /^(DO|CHECK):\s*([A-Za-z_]\w*)\[.*?\]\s*=\s+(\S.*)$/,
    codes: COMMAND,
    message: () => 'a result is bound to a name, not to a part of a list',
    help: (m) => `write \`DO: value = ${part(m, 3)}\`, then \`SET: ${part(m, 2)} = ${part(m, 2)} + [value]\``,
    binds: () => ['value'],
  },
  {
    line: /^(DO:\s*\w+\s*=\s*)(\d[\w.]*(?:\s+[A-Za-z][\w.]*)+)$/,
    codes: /command-not-found/,
    help: (m, by) => `for the text, write \`${by ?? m[0]}\``,
    by: (m) => `${part(m, 1)}"${part(m, 2)}"`,
  },
  {
    line: /^(?:DO|CHECK):\s*(\w+)\s*=\s*((?:not\s+)?([A-Za-z_][\w.]*)\s*(?:(?:==|!=|>=?|<=?)\s*\S.*|(?:and|or|&&|\|\|)\s+[A-Za-z_(].*))$/,
    codes: COMMAND,
    never: true,
    when: (m, text) => mentions(part(m, 3), text) && !/^(?:and|or)\s+"/.test(part(m, 2)),
    message: (m) => `this is an expression${m[0].startsWith('CHECK') ? ', and CHECK runs a command' : ''}`,
    help: write,
    by: (m) => `DO: ${part(m, 1)} = ${ownOperators(part(m, 2))}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^((?:(?:ELSE )?IF|WAIT|DO|SET):\s*.*?\S)\s+~=?\s+(?:"((?:[^"\\]|\\.)*)"|\/(.+?)\/)(.*)$/,
    codes: /bad-character|not-a-command|command-not-found|unexpected|operator-spelling/,
    help: write,
    by: (m) => `${part(m, 1)} matches "${m[2] ?? part(m, 3)}"${part(m, 4)}`,
  },
  {
    line: /^(.*?\bmatches\s+)\/(.+?)\/([a-z]+)(?=\s|$)(.*)$/,
    help: write,
    by: (m) => `${part(m, 1)}"${part(m, 3).includes('i') ? '(?i)' : ''}${part(m, 2)}"${part(m, 4)}`,
  },
  {
    line: /^(DO|CHECK)((?:\s*\[[^\]]*\])?):\s*([A-Za-z_]\w*)=(?![=~])(\S.*)$/,
    codes: /not-a-command/,
    when: (m, text) => mentions(part(m, 4), text),
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}: ${part(m, 3)} = ${part(m, 4)}`,
    binds: (m) => [part(m, 3)],
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[[^\]]*\])?:\s*)([A-Za-z_]\w*) =(?![=~\s])(\S.*)$/,
    codes: COMMAND,
    never: true,
    message: () => 'put spaces around the `=` between a name and its command',
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)} = ${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[[^\]]*\])?:\s*)(?:(?:string|str|text|int|integer|float|number|bool|boolean|list|array|dict|object|json|auto|def|val|our)\s+([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*:\s*(?:string|str|text|int|integer|float|number|bool|boolean|list|array|dict|object|json|any))\s*=\s+(\S.*)$/i,
    codes: COMMAND,
    never: true,
    message: () => 'a result has a name and no type',
    help: write,
    by: (m) => `${part(m, 1)}${m[2] ?? part(m, 3)} = ${part(m, 4)}`,
    binds: (m) => [m[2] ?? part(m, 3)],
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[[^\]]*\])?:\s*)[[{]\s*([A-Za-z_]\w*)((?:\s*,\s*\w+)+)\s*[\]}]\s*=\s+(\S.*)$/,
    codes: COMMAND,
    message: () => 'a command has one result',
    help: (m, by) => `write \`${by}\`, and read its fields, as in \`${part(m, 2)}.${/\w+/.exec(part(m, 3))?.[0]}\``,
    by: (m) => `${part(m, 1)}${part(m, 2)} = ${part(m, 4)}`,
    binds: (m) => [part(m, 2), ...part(m, 3).split(/\W+/).filter(Boolean)],
  },
  {
    line: /^DO((?:\s*\[[^\]]*\])?):\s*([A-Za-z_]\w*)\s*==\s*(\S.*)$/,
    codes: COMMAND,
    never: true,
    message: () => '`==` compares, and one `=` gives a result its name',
    help: write,
    by: (m) => `DO${part(m, 1)}: ${part(m, 2)} = ${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(DO(?:\s*\[[^\]]*\])?:\s*)(\w+)(\s*=\s*)([^\s"'].*?)\s*\|\s*(trim|lines|len|first|last|upper|lower|unique|int|float|keys|values|parse_json)(?:\(\))?$/,
    codes: /command-not-found/,
    when: (m, text) => !mentions(part(m, 4), text),
    message: (m) => `\`${part(m, 5)}\` is a function, and no program`,
    help: write,
    by: (m) => `${part(m, 1)}printed${part(m, 3)}${part(m, 4)}\nDO: ${part(m, 2)}${part(m, 3)}${part(m, 5)}(printed)`,
    binds: (m) => [part(m, 2), 'printed'],
  },
  {
    line: /^((?:ELSE )?IF:\s*|.*?\b(?:AND|OR)\s+)([\w.]+)\s+(?:(?:do(?:es)?|did)\s+not|(?:do(?:es)?|did)n't|not)\s+(contain|include|have|has|match|equal|exist|start(?:s)?[ _]?with|begin(?:s)?[ _]?with|end(?:s)?[ _]?with)s?\b(.*)$/i,
    when: (m) => !/(?<!\bdo(?:es)?\s|\bdid\s)\bnot\s+equal/i.test(m[0]),
    help: write,
    by: (m) => {
      const condition = negatedTest(part(m, 2), part(m, 3), part(m, 4));
      return condition === undefined ? undefined : part(m, 1) + condition;
    },
  },
  {
    line: /^(.*?\S)\s+(?:(begins?[ _]with|beginswith|startswith)|(endswith)|(match))\s+("[^"]*"|[\w.]+)(.*)$/i,
    when: outsideText,
    codes: /unexpected/,
    help: write,
    by: (m) =>
      `${part(m, 1)} ${m[2] !== undefined ? 'starts with' : m[3] !== undefined ? 'ends with' : 'matches'} ${part(m, 5)}${part(m, 6)}`,
  },
  {
    line: /^(.*?\S)\s+(not\s+)?(?:like|LIKE)\s+"(%?)([^"%]*)(%?)"(.*)$/,
    when: outsideText,
    codes: /unexpected/,
    help: write,
    by: (m) => {
      const sign = m[3] === m[5] ? 'contains' : m[3] === '%' ? 'ends with' : 'starts with';
      return m[2] === undefined ? `${part(m, 1)} ${sign} "${part(m, 4)}"${part(m, 6)}` : undefined;
    },
  },
  {
    line: /^(.*?\S)\s+(?:is\s*n[o']t|isnt|is)\s+(?:(blank)|(defined|set|present|given|available)|(unset|absent|undefined))\b(.*)$/,
    when: outsideText,
    codes: /unexpected|unclosed/,
    help: write,
    by: (m) => {
      const isNot = /\bis(?:\s*n[o']t|nt)\s/.test(m[0]);
      const test = m[2] !== undefined ? 'empty' : 'null';
      const isNegated = m[3] === undefined ? isNot : !isNot;
      return `${part(m, 1)} is ${isNegated ? 'not ' : ''}${test}${part(m, 5)}`;
    },
  },
  {
    line: /^(.*?\S)\s+is(?:n't|nt)\s+(empty|null)\b(.*)$/,
    when: outsideText,
    codes: /unexpected|unclosed|wrong-type|not-a-condition/,
    help: write,
    by: (m) => `${part(m, 1)} is not ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: ENDED,
    codes: /unknown-function/,
    message: () => 'how a command ended is its exit code',
    help: write,
    by: (m) => {
      const value = endOf(m);
      return value === '' ? undefined : part(m, 1) + value + part(m, 4);
    },
  },
  {
    line: /^.*(?<![\w.])(?:success|failure|always|cancelled|failed|succeeded)\(\).*$/,
    codes: /unknown-function/,
    message: () => 'a condition cannot ask how a command ended',
    help: () =>
      'what stands below a command runs only if it succeeded; write `ON ERROR: → …` at the end of the state for a failure',
  },
  {
    line: /^((?:ELSE )?IF:\s*)([A-Za-z_]\w*)\s+(?:is\s+)?(ok|okay|green|fine|red|bad|broken)(?=\s*(?:→|->|AND\b|OR\b))(.*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) =>
      `${part(m, 1)}exit_code(${part(m, 2)}) ${/^(?:ok|green|fine)/.test(part(m, 3)) ? '==' : '!='} 0${part(m, 4)}`,
  },
  {
    line: /^((?:ELSE )?IF:\s*(?:.*?\b(?:AND|OR)\s+)?)(NOT\s+)?(exit_code\(\w+\))(\s*(?:→|->|AND\b|OR\b).*)$/,
    codes: /not-a-condition|wrong-type/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 3)} ${m[2] === undefined ? '!=' : '=='} 0${part(m, 4)}`,
  },
  {
    line: CONDITION_FILE,
    codes: /unexpected|bad-character|wrong-type|unknown-name|not-a-condition/,
    when: (m) => /\bexists\b|\b(?:file|path|folder|directory)\s/.test(m[0]) && !/^\s*(?:==|!=|<|>|\.)/.test(part(m, 5)),
    message: () => 'a condition looks at no files',
    help: (m) => {
      const [file, isNot] = [m[3] ?? part(m, 4), m[2] !== undefined];
      const test = `exit_code(found) ${isNot ? '!=' : '=='} 0`;
      return m[1] === 'WAIT'
        ? `write \`WAIT: ${test} ${part(m, 5) || 'OR timeout=5m'} every=5s\`, and below it, indented deeper, \`CHECK: found = test -e ${file}\``
        : `write \`CHECK: found = test -e ${file}\`, then \`IF: ${test} ${part(m, 5)}\``;
    },
    binds: () => ['found'],
  },
  {
    line: CONDITION_COMMAND,
    codes: UNREAD_VALUE,
    when: (m, text) => !mentions(part(m, 2), text),
    message: () => 'a condition runs no command',
    help: write,
    by: (m) =>
      `CHECK: tested = ${part(m, 2)}\nIF: exit_code(tested) ${m[1] === undefined ? '==' : '!='} 0 ${part(m, 3)}`,
    binds: () => ['tested'],
  },
  {
    line: /^IF:\s*\$\((.+)\)\s*((?:==|!=|contains\b|matches\b|[<>]=?)\s*.*)$/,
    codes: /bad-character|unexpected|unknown-name/,
    message: () => 'a condition runs no command',
    help: write,
    by: (m) => `CHECK: printed = ${part(m, 1)}\nIF: printed ${part(m, 2)}`,
    binds: () => ['printed'],
  },
  {
    line: /^((?:ELSE )?IF:\s*(?:NOT\s+)?)(timed_?out)\b.*$/,
    codes: /unknown-name/,
    of: 2,
    help: () =>
      'only a WAIT above binds it; for a command that is too late, write `ON ERROR timeout: → …` at the end of the state',
  },
  {
    line: /^(?:ELSE )?IF:\s*(cost|spent|budget|elapsed|duration|runtime|time|tokens)\s*(?:[<>]=?|==)\s*\$?([\w.]+).*$/,
    codes: /unknown-name/,
    of: 1,
    help: (m) => {
      const [name, most] = [part(m, 1), part(m, 2)];
      const limit = /cost|spent|budget/.test(name) ? 'cost' : name === 'tokens' ? 'tokens' : 'time';
      return `a limit of the whole run is \`LIMIT: ${limit}=${most}${limit === 'time' && /\d$/.test(most) ? 's' : ''}\` at the margin; beyond it the run ends`;
    },
  },
  {
    line: /^((?:DO|CHECK|UNDO|-)\b.*?)\{([A-Z][A-Z0-9_]*)\}(.*)$/,
    codes: /unknown-name/,
    of: 2,
    help: (_, by) =>
      `for a variable of the environment, write \`${by}\`; else bind the name with DO, CHECK or TRACK, or declare it with \`INPUT:\``,
    by: (m) => `${part(m, 1)}$${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^((?:DO|CHECK|UNDO|-)\b.*?)\{(env)\.([A-Za-z_]\w*)\}(.*)$/,
    codes: /unknown-name/,
    of: 2,
    help: write,
    by: (m) => `${part(m, 1)}$${part(m, 3)}${part(m, 4)}`,
  },
  {
    line: /^(.*?)\{(?:\*|\.\.\.|…)?\s*([A-Za-z_][\w.]*)(?:\[[*@]\]|\.\.\.)?\}(.*)$/,
    codes: /ambiguous-braces/,
    when: (m) =>
      /\{(?:\*|\.\.\.|…)|\[[*@]\]\}|\.\.\.\}/.test(m[0]) && /^(?:- )?(?:DO|CHECK|UNDO)\b(?!.*\bTask\()/.test(m[0]),
    help: (_, by) => `for its elements as arguments, write \`${by}\``,
    by: (m) => `${part(m, 1)}{${part(m, 2)}*}${part(m, 3)}`,
  },
  {
    line: /^(.*?)\{(err|e|ex|exc|exception|message|msg|error_message|error_msg|errmsg|stderr)\}(.*)$/,
    codes: /unknown-name/,
    of: 2,
    when: handlesFailures,
    help: write,
    by: (m) => `${part(m, 1)}{error}${part(m, 3)}`,
  },
  {
    line: /^(.*?)\{(state|failed_state|error_state|where)\}(.*)$/,
    codes: /unknown-name/,
    of: 2,
    when: handlesFailures,
    help: write,
    by: (m) => `${part(m, 1)}{from_state}${part(m, 3)}`,
  },
  {
    line: /^(.*?)\{(type|kind|error_kind|failure|error_code)\}(.*)$/,
    codes: /unknown-name/,
    of: 2,
    when: handlesFailures,
    help: write,
    by: (m) => `${part(m, 1)}{error_type}${part(m, 3)}`,
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

/** Whether the names of a failure are bound on this line: in a handler, or in the state ERROR. */
function handlesFailures(m: RegExpExecArray, text: string): boolean {
  if (/^ON ERROR\b/.test(m[0])) return true;
  const before = around(m[0], text)?.[0] ?? '';
  return /^STATE:\s*ERROR\b/.test(before.slice(before.lastIndexOf('STATE:')));
}
