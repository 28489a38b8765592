/** Heads of states, imports and blocks of PARALLEL as authors of other tools write them, each with the line that is meant. */
import { AGENTS, around, declares, type ForeignLine, mentions, part, unread, write } from './foreign-line.js';

/** Longer lines are no heads. */
const LONGEST_HEAD = 80;

/** The state that a line of other words was meant to begin: the program goes there, and declares none of that name. */
function stateMeant(line: string, text: string): string | undefined {
  if (line.length > LONGEST_HEAD || /[^ -~→]/.test(line) || /^STATE:?\s+(?:[\w-]+\W?$|.*[[(])/.test(line))
    return undefined;
  if (!/^STATE:|^(?:[^"'{]|"\w+")*[^"']{0,4}$/.test(line)) return undefined;
  return wordsOf(line).find(
    (word) =>
      new RegExp(`\\bGOTO:?[ \\t]+${word}(?![\\w-]|[ ](?!with\\b|if\\b|when\\b)\\w)`).test(text) &&
      !new RegExp(`^STATE:[ \\t]*${word}[ \\t]*(?:[([#].*)?$`, 'm').test(text),
  );
}

/** The words of a line, also joined. */
const wordsOf = (line: string): readonly string[] =>
  [line.replace(/(\w)[ -](?=\w)/g, '$1_'), line].flatMap((one) => one.match(/[A-Za-z_]\w*/g) ?? []);

/** Whether the lines below are indented, or the line is a head of a state with other words. */
function isHead(line: string, text: string): boolean {
  if (/^STATE\b/i.test(line)) return true;
  const at = text.indexOf(line);
  if (at > 0 && text[at - 1] !== '\n') return false;
  return /^[^\n]*\n(?:[ \t]*(?:#.*)?\n)*[ \t]+(?:- )?(?:[A-Z]{2,}|[a-z.])/.test(text.slice(Math.max(0, at)));
}

/** The path of an import, in quotes. */
const importOf = (path: string): string => {
  const name = path.replace(/^["'<]|["'>]$/g, '').replace(/^std\.(?=\w)/, 'std/');
  return `IMPORT: "${/^(?:\.{0,2}\/|std\/)/.test(name) ? '' : './'}${name}"`;
};
const PATH = String.raw`["'<]?((?:\.{0,2}\/)?[\w-]+(?:[./][\w-]+)*)["'>]?`;

/** The parameters of a pattern without types and signs. */
const parametersFrom = (list: string): readonly string[] =>
  (list.includes(',') ? list.split(',') : list.split(/\s+(?=[A-Za-z_{$]\w*\}?(?:\s|$))(?!default\b)/))
    .map((one) =>
      one
        .trim()
        .replace(/^[{$]+(\w+)\}?/, '$1')
        .replace(/\s*:\s*(?:string|str|text|int|number|float|bool|boolean|list|object|any)\b/i, '')
        .replace(/\s*(?:=|:|\bdefaults?(?:\s+to)?)\s*/, '=')
        .replace(/\?$/, '=null'),
    )
    .filter(Boolean);

/** What other tools call members that run at the same time. */
const TOGETHER =
  'CONCURRENT(?:LY)?|ASYNC|FORK|SPAWN|BRANCHES|TOGETHER|SIMULTANEOUS(?:LY)?|GATHER|ALL|PAR|FAN[ _-]?OUT|AT THE SAME TIME|(?:RUN|DO|IN)[ _]PARALLEL(?:LY)?|PARALLEL(?:LY)?';
const FIRST_OF = 'RACE|ANY|FIRST(?:[ _]OF)?';

/** Whether the line below is a bullet. */
function hasMembers(line: string, text: string): boolean {
  return /^\s*- /.test(around(line, text)?.[1] ?? '');
}

/** The lines of a member of a PARALLEL, from its bullet to the last that is indented deeper. */
function memberAround(line: string, text: string): readonly string[] {
  const [before = ''] = around(line, text) ?? [];
  const lines = before.split('\n').slice(-20);
  const first = lines.findLastIndex((one) => /^[ \t]*- /.test(one));
  const [, indent = ''] = /^([ \t]*)- /.exec(lines[first] ?? '') ?? [];
  const below = text
    .slice(text.indexOf(line) + line.length)
    .split('\n', 20)
    .slice(1);
  const end = below.findIndex((one) => one.trim() === '' || one.length - one.trimStart().length <= indent.length);
  return [...lines.slice(first), line, ...below.slice(0, end < 0 ? below.length : end)].map((one) =>
    one.trim().replace(/^- /, ''),
  );
}

/** An instruction of a member as a line of its own. */
const asLine = (member: string): string => (/^(?:[A-Z]{2,}(?: EACH)?\b|IF\b)/.test(member) ? member : `DO: ${member}`);

/** A member of several instructions: a script if all are commands, else a pattern. */
function wholeMember(m: RegExpExecArray, _: string | null, text: string): string {
  const lines = memberAround(m[0], text);
  if (lines.every((one) => /^(?:DO:\s*)?(?!\w+\s*=\s)[a-z./]/.test(one)))
    return `write \`- DO:\`, and below it, indented deeper, ${lines.map((one) => `\`${one.replace(/^DO:\s*/, '')}\``).join(', then ')}`;
  const name = /^(?:DO:\s*)?(\w+)\s*=\s/.exec(lines[0] ?? '')?.[1]?.toUpperCase() ?? 'PART';
  const body = lines.map((one) => `\`${asLine(one).replace(/`/g, "'")}\``).join(', then ');
  return `write \`PATTERN: ${name}\` at the margin, below it, indented deeper, ${body}, and \`- USE: ${name}\` for the member`;
}

/** Whether the line is indented below a member of a PARALLEL. */
function isBelowMember(m: RegExpExecArray, text: string): boolean {
  const at = text.indexOf(m[0]);
  if (around(m[0], text) === undefined || at < 0) return false;
  const start = text.lastIndexOf('\n', at) + 1;
  // A member is not below the one above it.
  if (text.slice(start, at).trim() !== '') return false;
  const above = /(?:^|\n)([ \t]*)-\s[^\n]*\n$/.exec(text.slice(Math.max(0, start - 1000), start));
  return above !== null && at - start > (above[1] ?? '').length;
}

export const headLines = (): readonly ForeignLine[] => [
  {
    line: /^(?!GOTO\b|IF\b|[A-Z ]+:.*(?:→|->)).*[A-Za-z_]\w*.*$/,
    codes: /^(?:not-an-instruction|unknown-verb|bad-name|missing-colon|unexpected-text|command-not-found)$/,
    when: (m, text) => isHead(m[0], text),
    message: () => 'a state begins with `STATE:` and its name',
    help: write,
    by: (m, text) => {
      const name = stateMeant(m[0], text);
      return name === undefined ? undefined : `STATE: ${name}`;
    },
    states: (m) => wordsOf(m[0]),
  },
  {
    line: /^STATE:\s*\w+\s*[[(]\s*(\w+)\s*=\s*([^\s\],)]+).*$/,
    codes: /^bad-note$/,
    message: () => 'a state has no options',
    help: (m) =>
      /^(?:timeout|max_time)$/.test(part(m, 1))
        ? `write \`DO [timeout=${part(m, 2)}]: …\` in it, or \`LIMIT: time=${part(m, 2)}\` at the margin for the run`
        : /^(?:agent|model)$/.test(part(m, 1))
          ? `write \`DO: answer = Task(${part(m, 2)}) "…"\` in it`
          : `write the option at each command, as in \`DO [${part(m, 1)}=${part(m, 2)}]: …\``,
  },
  // Imports
  {
    line: new RegExp(String.raw`^(?:IMPORT|USE|INCLUDE|LOAD):?\s*\[?\s*${PATH}\s*(?:,|\band\b)\s*${PATH}\s*\]?$`, 'i'),
    codes: /unexpected|import-failed|unquoted-path|bad-name|unknown-verb|not-an-instruction|missing/,
    when: (m) => /["'/]/.test(m[0]),
    message: () => 'an import has one file',
    help: write,
    by: (m) => `${importOf(part(m, 1))}\n${importOf(part(m, 2))}`,
  },
  {
    line: new RegExp(
      String.raw`^(?:(?:(?:const|let|var)\s+)?(?:\w+\s*=\s*)?require\(\s*|from\s+(?=.*\bimport\b)|@import\s+|!include\s+|IMPORTS?:?\s+(?!\w+\s+from\b)|SOURCE:?\s+|EXTENDS?:?\s+|INHERITS?:?\s+)${PATH}\s*\)?\s*(?:(?:as|import)\s+.*)?;?$`,
      'i',
    ),
    codes: /not-an-instruction|unknown-verb|import-failed|unquoted-path|unexpected|missing-colon/,
    // `source env.sh` is a line for a shell.
    when: (m) => !/^import:?\s+["']?(?!std\.)[\w./-]+["']?$|^source\s+\S*(?:\.(?:sh|bash|env)|\/activate)$/i.test(m[0]),
    help: write,
    by: (m) => {
      const names = /^from\s+(\w+)\s+import\s+(\w+)$/.exec(m[0]);
      return names === null ? importOf(part(m, 1)) : importOf(`${part(names, 1)}/${part(names, 2)}`);
    },
  },
  {
    line: /^IMPORTS?:$/i,
    codes: /missing-part|unknown-verb/,
    block: true,
    message: () => 'each import has a line of its own',
    help: (m, _, text) => {
      const [, path = './lib.dsl'] = /^-?\s*["']?([\w./-]+)["']?/.exec(around(m[0], text)?.[1] ?? '') ?? [];
      return `write \`${importOf(path)}\` at the margin`;
    },
  },
  {
    line: /^USE:?\s*["']?(?:(std\/\w+)|((?:\.{0,2}\/)?[\w./-]+\.(?:dsl|statedsl|md)))["']?(?:\s+as\s+\w+)?$/,
    codes: /bad-name|unknown-pattern|unexpected|missing-colon/,
    message: () => 'the patterns of a file are imported at the margin',
    help: (m) => `write \`${importOf(m[1] ?? part(m, 2))}\` at the margin, and \`USE:\` with the name of a pattern`,
  },
  // Patterns
  {
    line: /^(?:PATTERN|MACRO|FUNCTION|TASK|SUBROUTINE|PROCEDURE|BLOCK|COMPONENT|TEMPLATE|ACTION|ROUTINE):?\s*["']?([A-Za-z_]\w*)["']?\s*(?:(?:with|takes|needs|using)\s|[[(,]|\s)\s*([^()[\]→"]*?)\s*[\])]?\s*(?:(?:→|->|returns)\s*\w+)?\s*[:{]?$/,
    codes: /bad-name|unexpected|bad-character|unknown-verb|not-an-instruction|missing-colon/,
    when: (m, text) => isHead(m[0], text) && !/^(?:TASK|BLOCK|ACTION):? .*["/]/.test(m[0]),
    message: () => 'a pattern has its parameters behind `with`, and a comma between them',
    help: write,
    by: (m) => {
      const parameters = parametersFrom(part(m, 2));
      const isRight = parameters.every((one) => /^[A-Za-z_]\w*(?:=.+)?$/.test(one));
      return isRight
        ? `PATTERN: ${part(m, 1)}${parameters.length === 0 ? '' : ` with ${parameters.join(', ')}`}`
        : undefined;
    },
    binds: (m) => parametersFrom(part(m, 2)).map((one) => one.replace(/=.*/, '')),
  },
  {
    line: /^USE(?:\s+PATTERN)?:?\s*(?:PATTERN:?\s+)?["']?(?:\w+\.)?([A-Za-z_]\w*)["']?(\s+with\s.*)?$/,
    codes: /missing-colon|unknown-pattern|unexpected|bad-name/,
    when: (m, text) => declares('PATTERN', part(m, 1), text),
    help: write,
    by: (m) => `USE: ${part(m, 1)}${part(m, 2)}`,
  },
  // PARALLEL
  {
    line: new RegExp(
      `^(?!(?:DO:\\s*)?(?:in\\s+)?PARALLEL\\s*:?$)(?:DO:\\s*)?((?:\\w+\\s*=\\s*)?)(?:(${FIRST_OF})|${TOGETHER}|in PARALLEL)\\s*(\\[[^\\]]*\\])?\\s*:?$`,
      'i',
    ),
    codes: /^(?:unknown-verb|not-an-instruction|command-not-found|not-a-command)$/,
    when: (m, text) => hasMembers(m[0], text),
    message: () => 'what runs at the same time is one `DO: in PARALLEL`',
    help: write,
    by: (m) =>
      `DO: ${part(m, 1)}in PARALLEL${m[3] === undefined ? (m[2] === undefined ? '' : ' [quorum=1]') : ` ${m[3]}`}:`,
    binds: (m) => [/^\w*/.exec(part(m, 1))?.[0] ?? ''],
    block: true,
  },
  {
    line: /^(.*\bin PARALLEL)\s*\[([^\]]*)\](\s*:?)$/i,
    codes: /unknown-option|bad-option/,
    help: write,
    by: (m) => {
      const options = part(m, 2)
        .replace(
          /\b(?:wait=(?:any|first|one)|mode=(?:race|any|first)|(?:race|any|first)(?:=(?:true|1))?)(?![\w=])/g,
          'quorum=1',
        )
        .replace(/\b(?:wait=all|mode=(?:all|parallel)|all|fail[_-]?fast(?:=(?:true|yes))?)(?![\w=])/g, '')
        .replace(/\bfail[_-]?fast=(?:false|no)\b|\bon_failure=(?:continue|ignore|skip|proceed)\b/g, 'on_failure=keep')
        .replace(/\b(max|quorum|on_failure|timeout)\s*:\s*/g, '$1=')
        .trim();
      return `${part(m, 1)}${options === '' ? '' : ` [${options}]`}${part(m, 3)}`;
    },
  },
  {
    line: /^(?!-\s).*\S$/,
    codes: /^(?:unexpected-indentation|not-an-instruction|unknown-verb)$/,
    when: isBelowMember,
    message: () => 'a member of a PARALLEL is one instruction',
    help: wholeMember,
    until: /^(?!-\s)/,
    binds: (m) => [/^(?:DO:\s*|CHECK:\s*)?(\w+)\s*=/.exec(m[0])?.[1] ?? ''],
  },
  {
    line: /^-\s+(?:name|id):\s*["']?([A-Za-z_]\w*)["']?$/,
    codes: /^command-not-found$/,
    never: true,
    block: true,
    message: () => 'a member of a PARALLEL is one line',
    help: (m, _, text) => {
      const [, command = '…'] = /^(?:run|command|cmd|do):\s*(\S.*)/i.exec(around(m[0], text)?.[1] ?? '') ?? [];
      return `write \`- ${part(m, 1)} = ${command}\``;
    },
    binds: (m) => [part(m, 1)],
  },
  {
    line: new RegExp(`^-\\s+((?:${AGENTS})[\\w.-]*|Task\\([\\w.-]+\\)):\\s*("(?:[^"\\\\]|\\\\.)*".*)$`),
    codes: /command-not-found|unexpected|not-a-command/,
    never: true,
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) => `- ${part(m, 1).startsWith('Task') ? part(m, 1) : `Task(${part(m, 1)})`} ${part(m, 2)}`,
  },
  // Loops
  {
    line: /^(?:FOR EACH|FOREACH|MAP|LOOP|ITERATE)\b:?\s+([A-Za-z_][\w.]*)\s*(?:→|->|=>|\bas\b|\binto\b)\s*\{?(\w+)\}?\s*:?$/i,
    codes: /unexpected|unknown|missing/,
    help: write,
    by: (m) => `FOR EACH: ${part(m, 2)} in ${part(m, 1)}:`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(?:FOR EACH|FOR|EACH|FOREACH|MAP)\b:?\s+[${]*(\w+)\}?\s*(?:\bin\b|\bof\b|\bfrom\b|\bIN\b|=)\s*[${]*([A-Za-z_][\w.]*(?:\([^()]*\))?)\}?((?:\s+in PARALLEL.*)?)\s*:?$/,
    codes: /unexpected|unknown-verb|section-outside|bad-character|missing/,
    when: (m) => /^(?:EACH|MAP)\b|^\w[\w ]*:?\s+(?:[${]|\w+\s*(?:from\b|=))/.test(m[0]),
    help: write,
    by: (m) => `FOR EACH: ${part(m, 1)} in ${part(m, 2)}${part(m, 3).replace(/\s*:$/, '')}:`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:MAP|EACH|FOREACH|LOOP OVER|OVER):?\s+[${]*([A-Za-z_][\w.]*)\}?\s*:?$/i,
    codes: /unknown-verb|section-outside/,
    when: (m, text) => mentions(part(m, 1), text),
    help: write,
    by: (m) => `FOR EACH: item in ${part(m, 1)}:`,
    binds: () => ['item'],
  },
  {
    line: /^(\w+)\s*=\s*(FOR EACH:?\s+\w+\s+in\s+\S.*)$/,
    codes: unread,
    help: write,
    by: (m) => `DO: ${part(m, 1)} = ${part(m, 2).replace(/^FOR EACH:/, 'FOR EACH')}`,
    binds: (m) => [part(m, 1), /\s(\w+)\s+in\s/.exec(part(m, 2))?.[1] ?? ''],
  },
  {
    line: /^(FOR EACH:?\s+\w+\s+in\s+[^\s:[]+)\s*(?:,\s*)?\[?\s*(?:in\s+)?(?:(?:parallel|concurrency|max|limit|workers|jobs|batch)\s*[=:\s]\s*(\d+|\{\w+\}))\s*\]?\s*:?$/i,
    codes: /unexpected/,
    message: () => 'how many turns run at the same time is an option of `in PARALLEL`',
    help: write,
    by: (m) => `${part(m, 1)} in PARALLEL [max=${part(m, 2)}]:`,
    binds: (m) => [/\s(\w+)\s+in\s/.exec(part(m, 1))?.[1] ?? ''],
  },
  {
    line: /^FOR EACH:?\s+line\s+in\s+(.*?)\s*:?$/,
    codes: /reserved-name/,
    block: true,
    message: () => '`line` is a word of the language and cannot name a variable',
    help: (m) => `write \`FOR EACH: one in ${part(m, 1)}:\`, and \`{one}\` below it`,
    binds: () => ['line'],
  },
  {
    line: /^DO\s+(\d+)\s+(?:TIMES|times|x):?\s*(\S.*)$/,
    codes: /missing-colon/,
    help: write,
    by: (m) => `FOR EACH: i in range(${part(m, 1)}):\n  ${/^[A-Z]{2,}:/.test(part(m, 2)) ? '' : 'DO: '}${part(m, 2)}`,
  },
  {
    line: /^(?:TIMES|REPEAT|ITERATIONS|LOOP|COUNT):?\s+(\d+)(?:\s+(?:TIMES|x))?\s*:?$/i,
    codes: unread,
    when: (m, text) => /^(?:DO|CHECK|USE|EMIT)\b/.test(around(m[0], text)?.[1] ?? ''),
    help: write,
    by: (m) => `FOR EACH: i in range(${part(m, 1)}):`,
  },
];
