/** Loops, branches and functions of other languages. */
import { around, type ForeignLine, mentions, part, rangeOf, unread, write } from './foreign-line.js';

/** The call of a pattern with the name of its only parameter, which is found in the text. */
function useCall(pattern: string, value: string, text: string): string | undefined {
  const name = new RegExp(`^PATTERN:\\s*${pattern}\\s*(?:with\\s+|\\(\\s*)(\\w+)`, 'm').exec(text)?.[1];
  if (value.trim() === '') return `USE: ${pattern}`;
  const isName = /^[A-Za-z_]\w*$/.test(value.trim()) && mentions(value.trim(), text);
  const passed = isName ? `{${value.trim()}}` : value.trim();
  return name === undefined || value.includes(',') ? undefined : `USE: ${pattern} with ${name}=${passed}`;
}

/** A loop with `PARALLEL`, whatever stands between its parts, and its options before or after that. */
const PARALLEL_LOOP =
  /^(DO:\s*)?for(?:\s*each)?\b\s*:?\s*(\w+)\s+(?:in|of)\s+(.+?)[\s,;]{0,9}(\[\s*[a-z_]+=[^\]]*\])?[\s,;]{0,9}(?:\bin\s+)?\bPARALLEL\b[\s,;]{0,9}(\[[^\]]*\])?[\s,;]{0,9}[:{]?$/i;

/** A bound of a range: a number, a name or a length, with what is added to it. */
const BOUND = String.raw`\{?\w+(?:\.\w+)*(?:\([\w.]*\))?\}?(?:\s*[-+]\s*\d+)?`;

/** A loop over the numbers of a range, in a notation of another language. */
const RANGE_LOOP = new RegExp(
  String.raw`^((?:DO:\s*)?)for(?:\s*each)?\b\s*:?\s*(\w+)\s*(?:=|\b(?:from|in|of)\b)\s*(?:range)?[[({]?\s*(${BOUND})` +
    String.raw`(?:\s+(?:to|until|through)\s+|\s*(?:\.\.[.=<]?)\s*|(?<=\d\s*)-(?=\s*\d)\s*)(${BOUND})\s*[\])}]?(\s+in\s+PARALLEL.*?)?\s*[:{]?$`,
  'i',
);

/** A loop that counts up by one, in the form that C has. */
const COUNTED_LOOP = new RegExp(
  String.raw`^for(?:\s*each)?\b\s*:?\s*\(?\s*(?:(?:let|var|int)\s+)?(\w+)\s*=\s*(${BOUND})\s*;\s*\1\s*(<=?)\s*(${BOUND})\s*;` +
    String.raw`\s*(?:\1\s*\+\+|\+\+\s*\1|\1\s*\+=\s*1)\s*\)?\s*[:{]?$`,
  'i',
);

function rangeLoop(m: RegExpExecArray): string {
  const head = part(m, 1) === '' ? 'FOR EACH:' : `${part(m, 1)}FOR EACH`;
  return `${head} ${part(m, 2)} in ${rangeOf(part(m, 3), part(m, 4), !m[0].includes('..<'))}${part(m, 5)}:`;
}

/** Messages about the head of a loop. */
const LOOP = /unknown-verb|unknown-name|unexpected-text|missing|not-a-command|not-an-instruction|bad-/;

/** Undefined: the mistake is within the list. */
function parallelLoop(m: RegExpExecArray): string | undefined {
  const options = part(m, 5) || part(m, 4);
  const rest = `${part(m, 2)} in ${part(m, 3)} in PARALLEL${options === '' ? '' : ` ${options}`}:`;
  const loop = part(m, 1) === '' ? `FOR EACH: ${rest}` : `DO: FOR EACH ${rest}`;
  return loop === m[0] ? undefined : loop;
}

export const blockLines = (): readonly ForeignLine[] => [
  {
    line: /^((?:DO|CHECK|SET|TRACK|INPUT|RETURN|GOTO|USE|EMIT)\b[^"'[{(]*[=:]\s*)([[{(])(?:.*,)?$/,
    codes: /unexpected|unclosed|missing|bad-|not-a-command/,
    message: () => 'a value ends at the end of its line',
    help: (m) =>
      `write all of it on one line: \`${part(m, 1)}${part(m, 2)} … ${{ '[': ']', '{': '}', '(': ')' }[part(m, 2)]}\``,
    block: true,
    closes: /^[\])}]+$/,
  },
  {
    line: /^\{\s*"[^"]*"\s*:.*$/,
    codes: /^command-not-found$/,
    message: () => 'lines below a `DO:` are a script, and this is a value',
    help: () => 'write all of the value on the line of its name: `DO: x = {"a": 1, "b": 2}`',
    block: true,
  },
  {
    line: /^((?:ELSE )?IF|WAIT)\b:?\s*(?:[^→]*\s(?:AND|OR|&&|\|\|)|[^→]*[^→\s])$/,
    when: (m, text) =>
      /\s(?:AND|OR|&&|\|\|)$/.test(m[0]) || /^(?:AND|OR|&&|\|\|)\s/.test(around(m[0], text)?.[1] ?? ''),
    codes: /missing-arrow|missing-part|unexpected/,
    message: () => 'a condition ends at the end of its line',
    help: () => 'write the whole condition on one line, with what follows it',
    block: true,
  },
  {
    line: /^for(?:\s*each)?\b\s*:?\s*(\w+)\s+(?:in|of)\s+((?:ls|find|cat|git|seq)\s.*|\$\(.*\)|`[^`]*`|(?:glob(?:\.glob)?\(\s*)?["']?[^\s"'()]*\*[^\s"'()]*["']?\s*\)?):?$/i,
    codes: /unknown-(?:verb|name|function)|unexpected-text|bad-character|wrong-type|not-an-instruction/,
    help: (m) =>
      `run the command first: \`DO: ${part(m, 1)}_list = …\`, then \`FOR EACH: ${part(m, 1)} in lines(${part(m, 1)}_list)\``,
    by: (m) => {
      const lister = part(m, 2).replace(/^(?:\$\(|`|glob(?:\.glob)?\()\s*|\s*[`)]$/g, '');
      const isCommand = /^[$`]/.test(part(m, 2)) || /^(?:ls|find|cat|git|seq)\s/.test(lister);
      return `DO: ${part(m, 1)}_list = ${isCommand ? lister : `ls ${lister.replace(/^["']|["']$/g, '')}`}\nFOR EACH: ${part(m, 1)} in lines(${part(m, 1)}_list):`;
    },
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^FOR EACH\s*\[([^\]]*)\]\s*:?\s*(\w+)\s+in\s+(.+?)(?:\s+in\s+PARALLEL)?\s*:?$/,
    codes: /missing-part|unknown-option|unexpected-text|missing-colon/,
    message: () => 'the options of FOR EACH stand after `in PARALLEL`',
    help: write,
    by: (m) => {
      const options = part(m, 1)
        .replace(/(?:^|[\s,]+)(?:in[ _])?parallel(?:=(?:true|yes|on))?(?![\w=])/gi, '')
        .replace(/\b(?:parallel|concurrency|jobs|workers|limit)=/g, 'max=')
        .trim();
      return `FOR EACH: ${part(m, 2)} in ${part(m, 3)} in PARALLEL${options === '' ? '' : ` [${options}]`}:`;
    },
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^for(?:\s*each)?\b\s*:?\s*(\w+)\s+in\s+(\w[\w.]*(?:\([^()]*\))?)\s+(?:where|if|when)\s+(.+?)\s*:?$/i,
    codes: LOOP,
    message: () => 'FOR EACH goes through the whole list',
    help: (m) =>
      `write \`FOR EACH: ${part(m, 1)} in ${part(m, 2)}:\`, below it \`IF: ${part(m, 3)} →\`, and the rest below that, indented deeper`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^for(?:\s*each)?\b\s*:?\s*\(?\s*(?:(?:let|const|var|auto)\s+)?(?!each\b)(\w+)\s*:\s*(\w[\w.]*(?:\([^()]*\))?)\s*\)?\s*[:{]?$/i,
    codes: LOOP,
    help: write,
    by: (m) => `FOR EACH: ${part(m, 1)} in ${part(m, 2)}:`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:FOR (?:ALL|EVERY|ANY)|FOR EACH \w+|EACH|LOOP|ITERATE|MAP)(?: OVER)?\b:?\s+(\w+)\s+(?:in|of)\s+(.+?)\s*:?\s*\{?$/i,
    codes: LOOP,
    help: write,
    by: (m) => `FOR EACH: ${part(m, 1)} in ${part(m, 2)}:`,
    binds: (m) => [part(m, 1)],
  },
  { line: RANGE_LOOP, codes: LOOP, help: write, by: rangeLoop, binds: (m) => [part(m, 2)] },
  {
    line: COUNTED_LOOP,
    codes: LOOP,
    help: write,
    by: (m) => `FOR EACH: ${part(m, 1)} in ${rangeOf(part(m, 2), part(m, 4), part(m, 3) === '<=')}:`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: PARALLEL_LOOP,
    sure: true,
    codes: /unknown-verb|unknown-name|unknown-option|unexpected-text|missing-colon|bad-character/,
    help: write,
    by: (m) => parallelLoop(m),
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^((?:DO:\s*(?:\w+\s*=\s*)?)?)for(?:\s*each)?\b\s*:?\s*(\[.*?\]|\w[\w.]*(?:\(.*?\))?)\s+as\s+(\w+)\s*(in\s+PARALLEL.*?)?[:{]?$/i,
    codes: LOOP,
    help: write,
    by: (m) => {
      const rest = part(m, 4) === '' ? '' : ` ${part(m, 4)}`;
      return `${part(m, 1)}FOR EACH${part(m, 1) === '' ? ':' : ''} ${part(m, 3)} in ${part(m, 2)}${rest}:`;
    },
    binds: (m) => [part(m, 3)],
  },
  {
    line: /^((?:DO:\s*(?:\w+\s*=\s*)?)?)for(?:\s*each)?\b\s*:?\s*\(?(\w+)\s*,\s*(\w+)\)?\s+(?:in|of)\s+(.+?)(\s+in\s+PARALLEL.*?)?\s*[:{]?$/i,
    codes: LOOP,
    message: () => 'FOR EACH binds one name',
    help: (m) => {
      const [index, value, loop] = [part(m, 2), part(m, 3), part(m, 1) === '' ? 'FOR EACH:' : `${part(m, 1)}FOR EACH`];
      const of =
        /^(?:list\()?\w+\((\w+)\)\)?$/.exec(part(m, 4))?.[1] ??
        part(m, 4).replace(/^Object\.entries\((.*)\)$|\.(?:items|entries)\(\)$/, '$1');
      const [list, object] = [`range(len(${of}))`, `keys(${of})`].map(
        (all) => `\`${loop} ${index} in ${all}${part(m, 5)}:\``,
      );
      const isObject = /\.(?:items|entries)\(/.test(part(m, 4));
      const heads = isObject
        ? object
        : /enumerate/.test(part(m, 4))
          ? list
          : `${list} for a list, ${object} for an object`;
      return `write ${heads}, and \`{${of}[${index}]}\` for \`${value}\``;
    },
    binds: (m) => [part(m, 2), part(m, 3)],
  },
  {
    line: /^(?:DO:\s*)?(?:for(?:\s*each)?\b|repeat\b|loop\b)\s*:?\s*(?:(\w+)\s+in\s+)?(\w+)\s+times?\s*[:{]?$/i,
    codes: LOOP,
    help: write,
    by: (m) => `FOR EACH: ${part(m, 1) || 'i'} in range(${part(m, 2)}):`,
    binds: (m) => [part(m, 1) || 'i'],
  },
  {
    line: /^for(?:\s*each)?\b\s*:?\s*(\w+)\s+in\s+([^[\](){},:]+(?:,[^[\](){},:]+)+?)\s*[:{]?$/i,
    codes: LOOP,
    help: write,
    by: (m) => `FOR EACH: ${part(m, 1)} in [${part(m, 2)}]:`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^for(?:\s*each)?\b\s*:?\s*\((?:(?:let|var|const)\s+)?(\w+)\s+(?:in|of)\s+(.+)\)\s*[:{]?$/i,
    codes: LOOP,
    help: write,
    by: (m) => `FOR EACH: ${part(m, 1)} in ${part(m, 2)}:`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^FOR EACH:\s*(\w+)\s*:?$/i,
    codes: /missing-part/,
    help: write,
    by: (m) => `FOR EACH: item in ${part(m, 1)}:`,
    binds: () => ['item'],
  },
  {
    line: /^for(?:\s*each)?\b\s*:?\s*(\w+)\s+(?:in|of)\s+(.+?)(?:\s*(?::|→|->|=>|,)\s*|\s+(?:do\s+)?)((?:DO|EMIT|SET|INCREMENT|USE|CHECK|IF|CALL|ASK)\b:?\s*\S.*)$/i,
    sure: /^[^→,]*[^→,\s-]:\s+[A-Z]{2,}:/,
    help: () => 'write the instructions of the loop on the lines below, indented deeper',
    by: (m) => `FOR EACH: ${part(m, 1)} in ${part(m, 2)}:\n  ${part(m, 3)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^((?:DO:\s*)?)for(?:\s*each)?\b\s*:?\s*(\w+)\s+(?:in|of)\s+(.+?)(?:\s+do\b|\s*(?:→|->|=>))?\s*:?\s*\{?$/i,
    sure: (line) => !line.startsWith('DO'),
    codes: /unknown-verb|unknown-name|unexpected-text|missing-colon|missing-part|not-a-command/,
    help: write,
    // In a head of this language the mistake is within the list.
    by: (m) =>
      /^(?:DO:\s*)?FOR EACH:?\s+\w+\s+(?:in|IN|In)\s+(.+?)\s*:?$/.exec(m[0])?.[1] === part(m, 3)
        ? undefined
        : `FOR EACH: ${part(m, 2)} in ${part(m, 3)}:`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(?:while|until|loop|repeat)\b.*$/i,
    codes: unread,
    block: true,
    help: () =>
      'loop over states: count with `TRACK: n` and `INCREMENT: n`, and repeat with `IF: … → GOTO: STATE`; for a list write `FOR EACH:`',
  },
  {
    line: /^if\b:?\s+([^→{]*?(?:[=<>!]|\bis\b|\bnot\b|\bcontains\b|\bin\b)[^→{]*?|\w+)\s*(?:\bthen|[:{])?$/i,
    sure: true,
    codes: /^unknown-verb$/,
    help: write,
    by: (m) => (/[-=]>|[⇒➜]|:\s*\S/.test(part(m, 1)) ? undefined : `IF: ${part(m, 1)} →`),
  },
  {
    line: /^((?:IF|ELSE IF):\s*(?:(?!→|->).)*?\S)\s*(?:,|\bdo\b|—|–|>>|\|>|\bso\b)\s*([A-Z]{2,}(?: EACH| user)?\b:?.*)$/,
    codes: /unexpected|bad-character|missing|chained/,
    message: () => 'there is no arrow between the condition and its action',
    help: write,
    by: (m) => `${part(m, 1)} → ${part(m, 2)}`,
  },
  {
    line: /^(?:ELSIF|ELIF|ELSEIF|OTHERWISE IF)\b:?\s+([^→{]*?)\s*(?:\bthen|[:{])?$/i,
    codes: unread,
    help: write,
    by: (m) => (/[-=]>|:\s*\S/.test(part(m, 1)) ? undefined : `ELSE IF: ${part(m, 1)} →`),
  },
  {
    line: /^(?:ELSIF|ELIF|ELSEIF|OTHERWISE IF)\b:?\s+(.*?\S)\s*((?:→|->).*)$/i,
    codes: unread,
    help: write,
    by: (m) => `ELSE IF: ${part(m, 1)} ${part(m, 2)}`,
  },
  {
    line: /^OTHERWISE\b:?\s*(?:→|->|,)?\s*(.*)$/i,
    codes: unread,
    help: write,
    by: (m) => `ELSE → ${part(m, 1)}`.trimEnd(),
  },
  {
    line: /^((?:ELSE )?IF)\s+NOT:\s*(.+?)\s*((?:→|->).*)$/,
    help: write,
    by: (m) => `${part(m, 1)}: NOT (${part(m, 2)}) ${part(m, 3)}`,
  },
  {
    line: /^UNLESS\b:?\s+(.+?)\s*((?:→|->).*|:)$/i,
    codes: unread,
    help: write,
    by: (m) => `IF: NOT (${part(m, 1)}) ${part(m, 2) === ':' ? '→' : part(m, 2)}`,
  },
  { line: /^else\s*[:{]?$/i, sure: true, codes: unread, help: write, by: () => 'ELSE →' },
  {
    line: /^(?:SWITCH|CASE|MATCH|WHEN)\b.*$/i,
    codes: unread,
    block: true,
    help: () => 'write one `IF: x == … → …` for each case, and `DEFAULT: …` after them',
  },
  {
    // A misspelt verb alone is no reason to leave out what is wrong in the block.
    line: /^(?!do:\s*in\s+PARALLEL\s*:?$)(?:(?:DO|RUN):?\s*)?(?:in\s+)?PARALLEL\s*:?$/i,
    sure: true,
    help: write,
    by: () => 'DO: in PARALLEL',
    block: true,
  },
  {
    line: /^DO\s+in\s+PARALLEL\b\s*:?\s*(.*)$/,
    sure: true,
    help: write,
    by: (m) => `DO: in PARALLEL ${part(m, 1)}`.trimEnd(),
  },
  {
    line: /^(?:function|def|func|fn|macro|proc|procedure|PATTERN):?\s+(\w+)\s*\(([^)]*)\)\s*[:{]?$/i,
    sure: /^PATTERN/,
    help: write,
    by: (m) => {
      const list = part(m, 2).trim();
      const parameters = /^\w+(?:\s+\w+)+$/.test(list) ? list.replace(/\s+/g, ', ') : list;
      return `PATTERN: ${part(m, 1)}${list === '' ? '' : ` with ${parameters}`}`;
    },
    binds: (m) =>
      part(m, 2)
        .split(',')
        .map((name) => name.trim().replace(/\W.*$/, '')),
    block: true,
  },
  {
    line: /^USE:?\s*(\w+)\s*\((?:\w+\s*:\s*)?([^)=]*)\)$/,
    help: write,
    by: (m, text) => useCall(part(m, 1), part(m, 2), text),
  },
  {
    line: /^USE:?\s*(\w+)\s+(?:with\s+)?("[^"]*"|\d+|\{?[A-Za-z_][\w.]*\}?)$/,
    codes: /unexpected-text|missing-argument|unknown-argument/,
    help: write,
    by: (m, text) => useCall(part(m, 1), part(m, 2), text),
  },
  {
    line: /^USE:?\s*(\w+)\s+(\w+=.+)$/,
    sure: true,
    codes: /unexpected-text/,
    help: write,
    by: (m) => `USE: ${part(m, 1)} with ${part(m, 2)}`,
  },
  { line: /^(STATE:\s*\w+)\s*(?::|\{)$/, sure: true, codes: /unexpected-text/, help: write, by: (m) => part(m, 1) },
  {
    line: /^(?:\d+[.)]|[*•])\s+((?:[A-Z]{2,})\b.*)$/,
    sure: true,
    codes: unread,
    message: () => 'an instruction begins with its verb, not with a number or bullet',
    help: write,
    by: (m) => part(m, 1),
  },
  {
    line: /^(\*\*|__|\*|`)([A-Z]{2,}(?: [A-Z]+)*\b.*?)\1(.*)$/,
    codes: unread,
    message: () => 'an instruction has no marks of Markdown around it',
    help: write,
    by: (m) => part(m, 2) + part(m, 3),
  },
  {
    line: /^(?:[$!]\s*|`)((?:[a-z][\w-]*|\.{0,2}\/[\w.])(?:[^`]*[^`\s])?)`?$/,
    codes: unread,
    help: write,
    by: (m) => `DO: ${part(m, 1)}`,
  },
];

/** Whether the line begins a block of instructions at the left margin. */
function headsBlock(line: string, text: string): boolean {
  const head = line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^(?:${head})[ \\t]*\\r?\\n(?:[ \\t]*(?:#.*)?\\r?\\n)*[ \\t]+(?:- )?[A-Z]{2,}\\b`, 'm').test(text);
}

const asState = {
  sure: true,
  help: write,
  by: (m: RegExpExecArray, text: string) => (headsBlock(m[0], text) ? `STATE: ${part(m, 1)}` : undefined),
  states: (m: RegExpExecArray) => [part(m, 1)],
} as const;

/** Heads of states in other forms. They come after all other rules: `try:` and `else:` are more than a name. */
export const stateHeads = (): readonly ForeignLine[] => [
  {
    ...asState,
    line: /^(?:state|node|label|section)\b:?\s+["']?([a-z]\w*)["']?\s*[:{]?$/i,
    message: () => 'a state begins with `STATE:` and its name',
  },
  {
    ...asState,
    line: /^([a-z]\w*):$/i,
    codes: /^unknown-verb$/,
    of: 1,
    message: () => 'a state begins with `STATE:` and its name',
  },
  {
    ...asState,
    line: /^(?:(?:on|[-*])\s+|@)?\[?([a-z]\w*)\]?(?:\s+state)?\s*[:{]?$/i,
    codes: /^not-an-instruction$|^unknown-verb$/,
    sure: /^[[\w]/,
    message: () => 'a state begins with `STATE:` and its name',
  },
];
