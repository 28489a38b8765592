/** Waits, questions, jumps and failures as authors write them who have read one page, each with the line that is meant. */
import { AGENTS, COMMANDS, declares, type ForeignLine, mentions, part, unread, write } from './foreign-line.js';

const TIMES: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

/** `1h30m` as one number with one unit. */
export function oneDuration(parts: readonly (readonly [number: string, unit: string])[]): string {
  const seconds = parts.reduce((sum, [number, unit]) => sum + Number(number) * (TIMES[unit] ?? 0), 0);
  const unit = ['d', 'h', 'm'].find((one) => seconds % (TIMES[one] as number) === 0) ?? 's';
  return `${seconds / (TIMES[unit] as number)}${unit}`;
}

const TWO_DURATIONS = /^(.*?)(?<![\w.])(\d+)\s*([dhm])\s*(\d+)\s*([hms])(?!\w)(.*)$/;

const DURATION_WORDS: Readonly<Record<string, string>> = { w: 'd', wk: 'd', week: 'd', weeks: 'd', wks: 'd' };

/** Whether all names of a list are bound. */
const areBound = (names: readonly string[], text: string): boolean => names.every((name) => mentions(name, text));

const namesIn = (list: string): string[] => list.replace(/\band\b/gi, ' ').match(/[A-Za-z_]\w*/g) ?? [];

export const authorVerbs = (): readonly ForeignLine[] => [
  // Durations
  {
    line: TWO_DURATIONS,
    codes: /bad-duration|unexpected|bad-option/,
    sure: (line) => /(?<![\w."'])\d+[dhm]\d+[hms](?!\w)/.test(line) && !/["']/.test(line),
    message: () => 'a duration is one number with one unit',
    help: write,
    by: (m) =>
      `${part(m, 1)}${oneDuration([
        [part(m, 2), part(m, 3)],
        [part(m, 4), part(m, 5)],
      ])}${part(m, 6)}`,
  },
  {
    line: /^(.*?)(?<![\w.])(\d+)\s*(w|wks?|weeks?)(?!\w)(.*)$/,
    codes: /bad-duration/,
    help: write,
    by: (m) => `${part(m, 1)}${Number(part(m, 2)) * 7}${DURATION_WORDS[part(m, 3)] ?? 'd'}${part(m, 4)}`,
  },
  // WAIT
  {
    line: /^WAIT:?\s*(?:for|FOR|until|UNTIL)\s+(\d+(?:ms|s|m|h|d)|\{\w+\}\w?)$/,
    codes: /unknown-name|unexpected|missing-colon/,
    help: write,
    by: (m) => `WAIT: ${part(m, 1)}`,
  },
  {
    line: /^WAIT:?\s*(?:until|UNTIL|till|at|AT)\s+["']?(\d{1,2}(?::\d{2})?(?:\s*[ap]m)?)["']?.*$/i,
    codes: /unknown-name|unexpected|missing-colon|bad-/,
    message: () => 'a WAIT has a length, and no time of day',
    help: (m) =>
      `let a command compute it: \`DO: rest = echo $(( $(date -d "${part(m, 1)}" +%s) - $(date +%s) ))\`, then \`WAIT: {rest}s\`; \`schedules:\` of the configuration starts runs at times of day`,
  },
  {
    line: /^(WAIT:\s*)(?:event|webhook|message|callback|notification|approval|for|trigger)\s+"?([A-Za-z_]\w*)"?((?:\s+(?:OR\s+)?timeout=\S+)?)$/i,
    codes: /unexpected|unknown-name/,
    message: () => 'what comes from outside is a signal',
    help: write,
    by: (m) => `${part(m, 1)}signal ${part(m, 2)}${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(WAIT:\s*signal)\s*:\s*(\w.*)$/,
    help: write,
    by: (m) => `${part(m, 1)} ${part(m, 2)}`,
    binds: (m) => [/^\w+/.exec(part(m, 2))?.[0] ?? ''],
  },
  {
    line: /^WAIT:\s*signal\s+"?\{.*$/,
    codes: /unknown-name|unexpected|bad-name/,
    message: () => 'the name of a signal is in the program, and what differs is in its payload',
    help: () => 'write `WAIT: signal arrived OR timeout=1h`, and look at a field of `arrived`',
    binds: () => ['arrived'],
  },
  {
    line: /^(WAIT:\s*signal\s+\w+.*?)\s+every=\S+(.*)$/,
    codes: /unknown-option/,
    message: () => 'a signal is not looked for: it comes',
    help: write,
    by: (m) => part(m, 1) + part(m, 2),
  },
  {
    line: /^WAIT:\s*(?:port|process|pid|host|url|service|container)\s+(\S+)\s*(.*)$/,
    codes: /unknown-name|unexpected/,
    message: () => 'a WAIT looks at values, and a command in its block gets them',
    help: (m) =>
      `write \`WAIT: exit_code(ready) == 0 ${part(m, 2) || 'OR timeout=5m'} every=5s\`, and below it, indented deeper, \`CHECK: ready = …\` with a command that tests ${part(m, 1)}`,
    binds: () => ['ready'],
  },
  {
    line: new RegExp(
      `^WAIT:\\s*((?:\\.{0,2}/[\\w./-]+|(?:${COMMANDS})\\s+(?!OR\\b|timeout=)[\\w./-]\\S*)(?:\\s+(?!OR\\b|timeout=)[^\\s=<>]+)*)\\s*((?:OR\\s+)?timeout=.*)?$`,
    ),
    codes: /unknown-name|unexpected|bad-character/,
    message: () => 'a WAIT looks at values, and a command in its block gets them',
    help: (m) =>
      `write \`WAIT: exit_code(ready) == 0 ${m[2] ?? 'OR timeout=5m'} every=5s\`, and below it, indented deeper, \`CHECK: ready = ${part(m, 1)}\``,
    binds: () => ['ready'],
  },
  {
    line: /^(WAIT:.*?)\s*,?\s*\b(?:interval|poll|each|delay|period|sleep|pause)\s*=\s*(\d+\w*)(.*)$/,
    codes: /unexpected|unknown/,
    help: write,
    by: (m) => `${part(m, 1)} every=${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^(?:POLL|WATCH|AWAIT):?\s*(\w[\w.]*\s*(?:==|!=|[<>]=?)\s*\S.*)$/i,
    codes: /unknown-verb|not-an-instruction|missing-colon/,
    help: write,
    by: (m) => `WAIT: ${part(m, 1)}`,
  },
  {
    line: /^PAUSE:?$/i,
    codes: unread,
    help: () =>
      'write `WAIT: 5m` for a time, `ASK user: "Continue?" → answer` for a person, or `WAIT: signal NAME` for something from outside',
  },
  // ASK
  {
    line: /^ASK(?:\s+user)?:?\s+.*,\s*(?:choices|default|deadline|show)=.*$/,
    codes: /unexpected/,
    message: () => 'separate the options of an ASK with spaces',
    help: write,
    by: (m) => m[0].replace(/\s*,\s*(?=(?:choices|default|deadline|show)=)/g, ' '),
  },
  {
    line: new RegExp(`^ASK\\s+((?:${AGENTS})[\\w.-]*):?\\s*("(?:[^"\\\\]|\\\\.)*")\\s*(?:(?:→|->)\\s*(\\w+).*)?$`),
    codes: /missing-part|unexpected/,
    message: (m) => `\`${part(m, 1)}\` is an agent, and ASK asks a person`,
    help: write,
    by: (m) => `DO: ${m[3] ?? 'answer'} = Task(${part(m, 1)}) ${part(m, 2)}`,
    binds: (m) => [m[3] ?? 'answer'],
  },
  {
    line: /^ASK\s+(?:user\s*)?[("]?(?!user:)([\w@/. -]+?)[)"]?:\s*("(?:[^"\\]|\\.)*".*)$/,
    codes: /bad-character|unexpected|missing/,
    help: (_, by) => `write \`${by}\`; who may answer is \`approvers:\` of the configuration`,
    by: (m) => `ASK user: ${part(m, 2)}`,
  },
  {
    line: /^(ASK\s+user.*?)\s+(?:to|who|by|channel|approvers?|assignees?|role|group|notify)=\S+(.*)$/,
    codes: /unknown-option/,
    help: (_, by) => `who may answer is \`approvers:\` of the configuration: write \`${by}\``,
    by: (m) => part(m, 1) + part(m, 2),
  },
  {
    line: /^(ASK\s+user.*?)(?:→|->)\s*(\w+)(.*?)\s+(?:type|kind|format)=(\w+)(.*)$/,
    codes: /unknown-option/,
    message: () => 'an answer is a text',
    help: (m, by) =>
      `write \`${by}\`${/^(?:int|num|float)/.test(part(m, 4)) ? `, and \`int(${part(m, 2)})\` for its number` : ''}`,
    by: (m) => `${part(m, 1)}→ ${part(m, 2)}${part(m, 3)}${part(m, 5)}`,
  },
  {
    line: /^(ASK\s+user:?\s*"(?:[^"\\]|\\.)*"\s*(?:→|->)\s*\w+)\s*,\s*(\w+)$/,
    codes: /unexpected/,
    message: () => 'an ASK has one answer',
    help: (m) => `write \`${part(m, 1)}\`, then \`ASK user: "…" → ${part(m, 2)}\``,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^INPUT:?\s*("(?:[^"\\]|\\.)*")\s*(?:→|->)\s*(\w+)(.*)$/,
    codes: /unexpected|missing|bad-/,
    help: write,
    by: (m) => `ASK user: ${part(m, 1)} → ${part(m, 2)}${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  // Jumps
  {
    line: /^((?:.*?\S\s*(?:→|->)\s*)?)(?:GO ?TO|NEXT|JUMP(?:[ _]TO)?|THEN|TRANSITION|PROCEED TO|MOVE TO)?:?\s*(?:STATE:?\s+)?(?:→|->|=>)?\s*([A-Za-z_]\w*)(\s+with\s+\S.*)$/i,
    codes: unread,
    help: write,
    by: (m, text) =>
      declares('STATE', part(m, 2), text) ? `${part(m, 1)}GOTO: ${part(m, 2)}${part(m, 3)}` : undefined,
  },
  {
    line: /^(.*\bGOTO:?\s+)[Ss]tate:?\s+(\w+)(.*)$/,
    codes: /unknown-state|unexpected/,
    help: write,
    by: (m, text) => (declares('STATE', part(m, 2), text) ? part(m, 1) + part(m, 2) + part(m, 3) : undefined),
  },
  {
    line: /^(.*\b(?:GOTO|USE):?\s+\w+)(?:\s+(?:with|using|passing|carrying|given)\s+|\s*[,[({]\s*|\s+)[[({]?\s*(\{?[A-Za-z_]\w*\}?(?:(?:\s*,\s*|\s+(?:and\s+)?)\{?[A-Za-z_]\w*\}?)*)\s*[\])}]?$/,
    codes: /unexpected/,
    help: write,
    by: (m, text) => {
      const names = namesIn(part(m, 2));
      return names.length > 0 && areBound(names, text) ? `${part(m, 1)} with ${names.join(', ')}` : undefined;
    },
    binds: (m) => namesIn(part(m, 2)),
  },
  {
    line: /^(.*?)\bGOTO:?\s+(FAIL|FAILED|FAILURE)$/,
    codes: /unknown-state/,
    message: () => 'a run fails with a reason',
    help: (m) => `write \`${part(m, 1)}FAIL: why\``,
  },
  {
    line: /^(?:WHEN|CASE):?\s+([^→]*(?:==|!=|[<>]|\b(?:is|contains|in|matches|AND|OR)\b)[^→]*?)\s*((?:→|->)\s*\S.*)$/,
    codes: unread,
    help: write,
    by: (m) => `IF: ${part(m, 1)} ${part(m, 2)}`,
  },
  // Failures
  {
    line: /^ON ERROR:?\s*(?:→|->)?\s*(\w+)$/,
    codes: /unknown-verb|missing|unexpected/,
    help: write,
    by: (m, text) => (declares('STATE', part(m, 1), text) ? `ON ERROR: → GOTO: ${part(m, 1)}` : undefined),
  },
  {
    line: /^ON ERROR:?\s*((?!as\s)[a-z_]+(?:(?:\s*[,|]\s*|\s+(?:or\s+)?)[a-z_]+)*)\s*:?\s*(?:→|->)\s*(\S.*)$/,
    codes: /missing-colon|unknown-verb|unexpected/,
    message: (m) =>
      /[,|\s]/.test(part(m, 1))
        ? '`ON ERROR` handles one kind of failure, or each of them'
        : 'a kind of failure stands between `ON ERROR` and its colon',
    help: write,
    by: (m) =>
      part(m, 1)
        .split(/\s*[,|]\s*|\s+(?:or\s+)?/)
        .map((kind) => `ON ERROR ${kind}: → ${part(m, 2)}`)
        .join('\n'),
  },
  {
    line: /^ON ERROR\s+(?:with\s+|if\s+|when\s+)?exit(?:[ _]?code)?\s*(?:==|=|:)?\s*(\d+)\s*:?\s*(?:→|->)\s*(\S.*)$/i,
    codes: /missing-colon|unexpected/,
    message: () => '`ON ERROR` tells failures by their kind',
    help: (m) =>
      `write \`ON ERROR tool_failure: →\`, below it, indented deeper, \`IF: exit_code == ${part(m, 1)} → ${part(m, 2)}\`, and below that what happens else, such as \`FAIL: {error}\``,
  },
  {
    line: /^(ON ERROR.*(?:→|->)\s*)(?:CONTINUE|IGNORE|NEXT|SKIP)$/i,
    codes: unread,
    help: write,
    by: (m) => `${part(m, 1)}PROCEED`,
  },
  {
    line: /^ROLLBACK:?\s+((?:\.{0,2}\/|[a-z]).*)$/,
    codes: /bad-character|unexpected/,
    when: (m) => new RegExp(`^(?:\\.{0,2}/|(?:${COMMANDS})\\s)`).test(part(m, 1)),
    message: () => 'what undoes a command is an UNDO below it; ROLLBACK performs all of them',
    help: write,
    by: (m) => `UNDO: ${part(m, 1)}`,
  },
  {
    line: /^(?:REVERT|ROLL[ _]BACK|UNDO(?:[ _:]+ALL)|COMPENSATE[ _]ALL|ROLLBACK[ _]ALL):?$/i,
    codes: /not-an-instruction|unknown-verb|missing|not-a-command|unexpected/,
    help: write,
    by: () => 'ROLLBACK',
  },
  {
    line: /^DO\s*\[\s*(?:undo|rollback|compensate|revert)="?([^\]"]+)"?\s*\]:\s*(\S.*)$/,
    codes: /unknown-option|unexpected|bad-/,
    message: () => 'what undoes a command stands below it',
    help: write,
    by: (m) => `DO: ${part(m, 2)}\nUNDO: ${part(m, 1)}`,
  },
  {
    line: /^FAIL$/,
    codes: /missing/,
    message: () => 'a failure has a reason',
    help: () => 'write `FAIL: why`',
  },
];
