/** Agents, options, patterns and other programs as authors write them who have read one page, each with the line that is meant. */
import { AGENTS, COMMANDS, declares, type ForeignLine, mentions, part, unread, write } from './foreign-line.js';

/** The parameters of a pattern in the text, as USE passes them. */
export function parametersOf(name: string, text: string): string {
  const [, list = ''] = new RegExp(`^PATTERN:\\s*${name}\\s*(?:with\\s+|\\()([^)\\n]*)`, 'm').exec(text) ?? [];
  const names = list.split(/\s*,\s*/).map((one) => /^\w+/.exec(one.trim())?.[0] ?? '');
  const all = names.filter(Boolean).map((one) => `${one}="…"`);
  return all.length === 0 ? '' : ` with ${all.join(', ')}`;
}

export const authorCalls = (): readonly ForeignLine[] => [
  // Agents
  {
    line: /^((?:-\s+)?(?:DO|CHECK)(?:\s*\[[^\]]*\])?:\s*(?:\w+\s*=\s*)?)(?:agent|llm|ask|call|prompt|subagent|ai|model)\(\s*["']?([\w.-]+)["']?\s*(?:,\s*)?\)?\s*("(?:[^"\\]|\\.)*")\s*\)?(.*)$/i,
    codes: /not-a-command|command-not-found|unknown-function/,
    help: write,
    by: (m) => `${part(m, 1)}Task(${part(m, 2)}) ${part(m, 3)}${part(m, 4)}`,
  },
  {
    line: /^((?:-\s+)?DO.*?\bTask\(\s*)(claude|codex|gemini)(?:\s*[,:/]\s*|\s+)["']?(opus|sonnet|haiku|pro|flash|mini|[a-z][\w.-]*\d[\w.-]*)["']?\s*(\).*)$/,
    codes: /unexpected|unclosed|bad-name|missing|not-a-command|unknown-function/,
    message: () => 'the name of an agent says its model',
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}-${part(m, 3)}${part(m, 4)}`,
  },
  {
    line: /^((?:-\s+)?DO.*?\bTask\(\s*)(claude|codex|gemini)(\s*\)\s*"(?:[^"\\]|\\.)*".*?)[\s,]+model=["']?(?:\2-)?([\w.-]+)["']?(.*)$/,
    codes: /unexpected/,
    message: () => 'the name of an agent says its model',
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}-${part(m, 4)}${part(m, 3)}${part(m, 5)}`,
  },
  {
    line: /^((?:-\s+)?DO.*?\bTask\([\w.-]+\)\s*"(?:[^"\\]|\\.)*".*?)\s*(?:\bas\s+json|\|\s*(?:json|parse_json|jq\s+\.))$/i,
    codes: /unexpected|bad-character/,
    message: () => 'an answer that is a JSON object or list is one',
    help: (_, by) => `write \`${by}\`, and say in the prompt: Answer only JSON`,
    by: (m) => part(m, 1),
  },
  {
    line: new RegExp(`^(?:CALL|RUN):?\\s+((?:${AGENTS})[\\w.-]*)\\s*:?\\s*("(?:[^"\\\\]|\\\\.)*".*)$`, 'i'),
    codes: /unknown-tool|unexpected|unknown-verb|not-an-instruction/,
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) => `DO: Task(${part(m, 1)}) ${part(m, 2)}`,
  },
  {
    line: /^DO:\s*((?:\w+\s*=\s*)?)CALL:?\s+(\w[\w-]*.*)$/,
    codes: /not-a-command|command-not-found/,
    help: (m) => `write \`CALL: ${part(m, 1)}${part(m, 2)}\``,
    binds: (m) => [/^\w*/.exec(part(m, 1))?.[0] ?? ''],
  },
  {
    line: /^(\w+)\s*=\s*CALL:?\s*(\w[\w-]*.*)$/,
    codes: unread,
    help: write,
    by: (m) => `CALL: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: new RegExp(`^(\\w+)\\s*=\\s*((?:Task\\([\\w.-]*\\)|\\.{0,2}/[\\w.]|(?:${COMMANDS})\\s+[^=]).*)$`),
    codes: unread,
    help: write,
    by: (m) => `DO: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(\w+)\s*=(?!=)\s*(\S.*)$/,
    codes: unread,
    when: (m, text) => new RegExp(`^\\s*TRACK:\\s*${part(m, 1)}\\b`, 'm').test(text) && mentions(part(m, 2), text),
    help: write,
    by: (m) => `SET: ${part(m, 1)} = ${part(m, 2)}`,
  },
  {
    line: /^(CALL:\s*(?:\w+\s*=\s*)?[\w-]+)\s+((?!with\b)\w+\s*=\s*\S.*)$/,
    codes: /unknown-tool|unexpected/,
    message: () => 'the values of a tool follow `with`',
    help: write,
    by: (m) => `${part(m, 1)} with ${part(m, 2)}`,
  },
  // Options
  {
    line: /^((?:-\s+)?CHECK)\s*\[([^\]]*?)\s*\bok=[^\s\]]+\s*([^\]]*)\](.*)$/,
    codes: /unknown-option/,
    message: () => 'CHECK accepts every exit code',
    help: write,
    by: (m) => {
      const others = `${part(m, 2)} ${part(m, 3)}`.trim();
      return `${part(m, 1)}${others === '' ? '' : ` [${others}]`}${part(m, 4)}`;
    },
  },
  {
    line: /^(?:-\s+)?DO\s*\[[^\]]*?\b(?:max_cost|budget|cost|max_tokens|max_turns)=[^\]]*\].*\bTask\(.*$/,
    codes: /unknown-option/,
    message: () => 'what an agent may use is a limit of the run, or a guard of a step',
    help: () => 'write `LIMIT: cost=5.00` at the margin, or a STEP with `AGENT: claude with max_cost=2.5`',
  },
  {
    line: /^(.*\bin PARALLEL)\s*[([]\s*(\d+|\{\w+\})\s*[)\]](\s*:?)$/i,
    codes: /unexpected|bad-character/,
    help: write,
    by: (m) => `${part(m, 1)} [max=${part(m, 2)}]${part(m, 3)}`,
  },
  {
    line: /^(.*\bin PARALLEL\s*\[(?:[^\]]*\s)?)on_(?:error|fail|errors)=(?:keep|continue|ignore|skip)(.*)$/i,
    codes: /unknown-option/,
    help: write,
    by: (m) => `${part(m, 1)}on_failure=keep${part(m, 2)}`,
  },
  {
    line: /^.*\bin PARALLEL\s*\[[^\]]*\b(retry=[^\s\]]+)[^\]]*\].*$/i,
    codes: /unknown-option/,
    message: () => 'a command is tried again, and no turn',
    help: (m) => `write \`DO [${part(m, 1)}]: …\` in it`,
  },
  {
    line: /^DO((?:\s*\[[^\]]*\])?):\s*(?:in\s+)?PARALLEL:?\s+(?!\[)(\S.*,.*)$/i,
    codes: /not-a-command|command-not-found/,
    never: true,
    message: () => 'the members of a PARALLEL are below it',
    help: write,
    by: (m) =>
      `DO${part(m, 1)}: in PARALLEL:\n${part(m, 2)
        .split(/\s*,\s*/)
        .map((one) => `  - ${one}`)
        .join('\n')}`,
  },
  {
    line: /^(?:FORK|SPAWN|ASYNC|BACKGROUND|THREAD):?\s*(.*)$/i,
    codes: unread,
    message: () => 'what runs at the same time is in one PARALLEL',
    help: (m) =>
      `write \`DO: in PARALLEL:\`, and below it \`- ${part(m, 1) || '…'}\` and one member for each other command`,
  },
  {
    line: /^(?:JOIN|AWAIT[ _]ALL|WAIT[ _]ALL|GATHER)\b:?.*$/i,
    codes: unread,
    help: () => 'remove it: what stands below a `DO: in PARALLEL:` runs when all members have ended',
    by: () => null,
  },
  // Values
  {
    line: /^SET:?\s*(\w+)\s*([-*/])=\s*(\S.*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `SET: ${part(m, 1)} = ${part(m, 1)} ${part(m, 2)} ${part(m, 3)}`,
  },
  {
    line: /^((?:SET|DO|TRACK):\s*(\w+)\s*=\s*)(?:append|push|add|concat|extend)\(\s*([A-Za-z_][\w.]*)\s*,\s*([^()]+?)\s*\)$/,
    codes: /unknown-function/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 3)} + ${/concat|extend/.test(m[0]) ? part(m, 4) : `[${part(m, 4)}]`}`,
  },
  {
    line: /^(?:VARS?|STORE|SAVE|REMEMBER|KEEP|ASSIGN|STATE_VAR|GLOBAL|COUNTER|VARIABLES?):?\s+(\w+)\s*=\s*(\S.*)$/i,
    codes: unread,
    help: write,
    by: (m, text) =>
      new RegExp(`^\\s*TRACK:\\s*${part(m, 1)}\\b`, 'm').test(text)
        ? `SET: ${part(m, 1)} = ${part(m, 2)}`
        : `TRACK: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:DEC|DECR|SUBTRACT):?\s+(\w+)$/i,
    codes: unread,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1)} by -1`,
  },
  {
    line: /^(?:COUNT|BUMP|INCREASE|ADD ONE TO):?\s+(\w+)$/i,
    codes: unread,
    help: write,
    by: (m, text) => (mentions(part(m, 1), text) ? `INCREMENT: ${part(m, 1)}` : undefined),
  },
  {
    line: /^(?:CLEAR|RESET|EMPTY):?\s+(\w+)$/i,
    codes: unread,
    help: write,
    by: (m, text) =>
      new RegExp(`\\bTRACK:\\s*${part(m, 1)}\\s*=\\s*\\[`).test(text) ? `SET: ${part(m, 1)} = []` : undefined,
  },
  {
    line: /^(?:UNSET|DELETE|REMOVE|DEL):?\s+([a-z_]\w*)$/i,
    codes: unread,
    help: write,
    by: (m, text) => (mentions(part(m, 1), text) ? `SET: ${part(m, 1)} = null` : undefined),
  },
  {
    line: /^(?:APPEND|PUSH|ADD):?\s+(\S.*?)\s+(?:to|onto|into)\s+(\w+)$/i,
    codes: unread,
    help: write,
    by: (m, text) => (mentions(part(m, 2), text) ? `SET: ${part(m, 2)} = ${part(m, 2)} + [${part(m, 1)}]` : undefined),
  },
  {
    line: /^(EMIT:\s*\w+\s+(?:\S+=\S+\s+)*?\w+=)([A-Za-z_][\w.]*(?:\s*[-+*/]\s*[\w.]+)+)$/,
    codes: /unexpected/,
    when: (m, text) => mentions(part(m, 2), text),
    help: write,
    by: (m) => `${part(m, 1)}{${part(m, 2)}}`,
  },
  // Patterns and other programs
  {
    line: /^([A-Z][A-Z0-9_]*):?\s+(?!with\b)(\S.*)$/,
    codes: /unknown-verb|not-an-instruction/,
    message: (m) => `\`${part(m, 1)}\` is a pattern, and USE inserts it`,
    when: (m, text) => declares('PATTERN', part(m, 1), text),
    help: (m, _, text) => `write \`USE: ${part(m, 1)}${parametersOf(part(m, 1), text)}\``,
  },
  {
    line: /^PATTERN:?\s+([A-Za-z_]\w*)((?:\s+(?!with\b)[A-Za-z_]\w*)+)\s*:?$/,
    codes: /bad-name|missing-colon/,
    help: write,
    by: (m) => `PATTERN: ${part(m, 1)} with ${part(m, 2).trim().split(/\s+/).join(', ')}`,
    binds: (m) => part(m, 2).trim().split(/\s+/),
  },
  {
    line: /^(PATTERN:\s*\w+\s+with\s+)([A-Za-z_]\w*(?:\s+[A-Za-z_]\w*)+)\s*:?$/,
    codes: /unexpected/,
    help: write,
    by: (m) => part(m, 1) + part(m, 2).split(/\s+/).join(', '),
    binds: (m) => part(m, 2).split(/\s+/),
  },
  {
    line: /^(PATTERN:\s*\w+.*\S)\s*:$/,
    codes: /unexpected/,
    help: write,
    by: (m) => part(m, 1),
  },
  {
    line: /^(?:MACRO|DEF|FN|FUNC|PROC|PROCEDURE|SUB|METHOD|ROUTINE|TEMPLATE):?\s+([A-Za-z_]\w*)\s*(?:\(\s*([^)]*)\)|with\s+(.*?))?\s*:?$/i,
    codes: unread,
    block: true,
    help: write,
    by: (m) => {
      const parameters = m[2] ?? m[3] ?? '';
      return `PATTERN: ${part(m, 1)}${parameters === '' ? '' : ` with ${parameters}`}`;
    },
  },
  {
    line: /^IMPORT:?\s+(?:\w+(?:\s*,\s*\w+)*|\*|\{[^}]*\})\s+from\s+["']([^"']+)["']$/i,
    codes: /unexpected|missing|unknown|bad-|import/,
    message: () => 'an import has all patterns of a file',
    help: write,
    by: (m) => `IMPORT: "${part(m, 1)}"`,
  },
  {
    line: /^(?:FLOW|SUBFLOW|SUB[ _]?WORKFLOW|PROGRAM|SCRIPT|(DO):\s*(\w+)\s*=):?\s*["']?((?:\.{0,2}\/)?[\w./-]+\.dsl)["']?(?:\s+(?:with\s+)?(.*))?$/i,
    codes: /unknown-verb|not-an-instruction|command-not-found/,
    message: () => 'another program is run by a command',
    help: write,
    by: (m) => {
      const given = (m[4] ?? '').split(/\s*,\s*|\s+/).filter((one) => one.includes('='));
      const values = given.map((one) => ` -i ${one}`).join('');
      return `DO: ${m[2] === undefined ? '' : `${m[2]} = `}statedsl run ${part(m, 3)}${values}`;
    },
    binds: (m) => (m[2] === undefined ? [] : [m[2]]),
  },
  {
    line: /^(?:SUBFLOW|SUB[ _]?WORKFLOW|FLOW|CHILD):?\s+(?!.*\.)([\w-]+)(?:\s+(?:with\s+)?(.*))?$/i,
    codes: unread,
    message: () => 'another program is run by a command',
    help: (m) => `write \`DO: statedsl run ${part(m, 1)}.dsl\`, with \`-i name=value\` for each of its inputs`,
  },
  {
    line: /^(SEND|PUBLISH|POST|ALERT|MAIL|EMAIL|NOTIFY|MESSAGE|SLACK|PAGE)\b:?\s*\S.*$/,
    codes: unread,
    when: (m, text) => !declares('PATTERN', part(m, 1), text),
    message: () => 'a program sends nothing by itself',
    help: () => 'write the command that does it, as in `DO: ./send.sh "…"`, or `EMIT: "…"` for an event of the run',
  },
  {
    line: /^LIMIT:.*\b(retry|retries|attempts)=(\d+).*$/,
    codes: /unknown-option/,
    message: () => 'how often a command is tried again is an option of the command',
    help: (m) => `write \`DO [retry=${part(m, 2)}]: …\``,
  },
  {
    line: /^LIMIT:.*\b(?:concurrency|parallel(?:ism)?|agents|workers|max_parallel)=(\d+).*$/,
    codes: /unknown-option/,
    message: () => 'how many run at the same time is an option of PARALLEL',
    help: (m) => `write \`in PARALLEL [max=${part(m, 1)}]\``,
  },
  {
    line: /^(?:ACTION|EXECUTE|PERFORM|INVOKE|VERIFY|JOB):?\s+((?:\.{0,2}\/[\w.]|[a-z][\w-]*\s+\S).*)$/i,
    codes: unread,
    when: (m) => new RegExp(`^(?:\\.{0,2}/|(?:${COMMANDS})\\s)`).test(part(m, 1)),
    help: write,
    by: (m) => `DO: ${part(m, 1)}`,
  },
];
