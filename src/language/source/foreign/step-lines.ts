/** Handlers of failures, and sections of steps, as other tools write them, each with the line that is meant. */
import { parametersOf } from './author-calls.js';
import { around, COMMANDS, declares, type ForeignLine, inQuotes, part, unread, write } from './foreign-line.js';
import { looksLikeCommand } from './gate-lines.js';

const KINDS: Readonly<Record<string, string>> = {
  ...{ timeout: 'timeout', timeouterror: 'timeout', timed_out: 'timeout', time_out: 'timeout', failed: 'failed' },
  ...{
    tool_failure: 'tool_failure',
    bad_value: 'bad_value',
    not_json: 'not_json',
    in_doubt: 'in_doubt',
    denied: 'denied',
  },
};
const ACTIONS = 'GOTO|RETURN|FAIL|EMIT|DO|CHECK|SET|INCREMENT|USE|PROCEED|WAIT|ASK|ROLLBACK|KEEP';
const HANDLERS =
  'ON[ _-]?ERRORS?|ON[ _-]?(?:FAILURE|FAIL|EXCEPTION|EXIT|ABORT|CRASH)|onError|onFailure|CATCH|EXCEPT|RESCUE|HANDLE|TRAP|FALLBACK|(?:WHEN|IF)[ _](?:ERROR|FAILED|FAILURE|IT FAILS)|ERROR|FAILED';

/** What a handler does, as an action. */
function actionOf(text: string, program: string): string | undefined {
  const action = text
    .trim()
    .replace(new RegExp(`^(${ACTIONS})\\b:?\\s*`, 'i'), (_, verb: string) => `${verb.toUpperCase()}: `)
    .trimEnd();
  if (/^(?:ROLLBACK|KEEP|PROCEED):$/.test(action)) return action.slice(0, -1);
  if (new RegExp(`^(?:${ACTIONS}): `).test(action)) return action;
  if (declares('STATE', action, program)) return `GOTO: ${action}`;
  if (declares('PATTERN', action, program)) return `USE: ${action}${parametersOf(action, program)}`;
  return new RegExp(`^(?:\\.{0,2}/[\\w.]|(?:${COMMANDS})\\s)`).test(action) ? `DO: ${action}` : undefined;
}

/** The text of the step around a line; undefined: it is in none. */
function stepAround(line: string, text: string): string | undefined {
  const before = text.slice(0, Math.max(0, text.indexOf(line)));
  const step = before.lastIndexOf('STEP:');
  return step < 0 || /^STATE\b/m.test(before.slice(step)) ? undefined : before.slice(step);
}
const isInStep = (m: RegExpExecArray, text: string): boolean => stepAround(m[0], text) !== undefined;

/** Whether the line is an entry of a RETRY. */
function isInRetry(m: RegExpExecArray, text: string): boolean {
  return /^[ \t]*RETRY\b[^\n]*\n(?:[ \t]+(?!PROMPT:|AGENT:|GATE:|CONTEXT:|SESSION:)[^\n]*\n)*[^\n]*$/m.test(
    (stepAround(m[0], text) ?? '').slice(-2000),
  );
}

const ENTRY = /unknown-entry|retry-|unexpected|unknown-verb|not-an-instruction|missing|entry-|bad-/;

/** What an entry of a RETRY changes. */
const change = (text: string): string =>
  text
    .trim()
    .replace(/^(?:MODEL|model)\s*[:=]?\s*/, 'AGENT claude-')
    .replace(/^(?:RETRY|TRY AGAIN|REPEAT|AGAIN|RESTART|CONTINUE)$/i, 'PROMPT "Try again."')
    .replace(/^(?:NEW|FRESH|RESET)[ _]SESSION$/i, 'SESSION new')
    .replace(/^GOTO:?\s*/, 'RESTART_FROM ')
    .replace(/^"/, 'PROMPT "');

const entry = (pattern: string, condition: (m: RegExpExecArray) => string): ForeignLine => ({
  line: new RegExp(`^(?:-\\s+)?${pattern}\\s*(?:→|->|=>|:|,|\\bthen\\b|\\bTHEN\\b)\\s*(\\S.*)$`),
  codes: ENTRY,
  when: isInRetry,
  message: () => 'an entry of a RETRY is `ATTEMPT n`, `NOT gate.NAME` or `EXIT n`, and after an arrow what changes',
  help: write,
  by: (m) => `${condition(m)} → ${change(m.at(-1) ?? '')}`,
});

export const stepLines = (): readonly ForeignLine[] => [
  // Handlers
  {
    line: new RegExp(
      `^(?!ON ERROR(?: [a-z_]+)?: (?:→|->)|ON ERROR:?\\s+GOTO:?\\s+\\w+$)(?:${HANDLERS})(?:[\\s:([]+(?:error_type|type|kind|with|if|in|as)?\\s*(?:==?)?\\s*["']?((?!(?:${ACTIONS})\\b)[\\w./]+)["']?\\s*[\\])]?)?\\s*[:,]?\\s*(?:→|->|=>|\\bthen\\b)?\\s*((?:${ACTIONS})\\b.*|[A-Z]\\w*|\\.{0,2}/.*)$`,
    ),
    codes: /unknown-verb|not-an-instruction|missing-colon|missing-arrow|unexpected|not-a-command/,
    message: () => 'a failure is handled at the end of the state',
    help: write,
    by: (m, text) => {
      const kind = KINDS[part(m, 1).toLowerCase()];
      const action = actionOf(part(m, 2), text);
      if (/^ERROR\b/.test(m[0]) && !/→|->/.test(m[0])) return undefined;
      return action === undefined ? undefined : `ON ERROR${kind === undefined ? '' : ` ${kind}`}: → ${action}`;
    },
  },
  {
    line: /^trap\s+["']?(.+?)["']?\s+(?:ERR|EXIT|INT|TERM|SIG\w+)(?:\s+[A-Z]+)*$/,
    codes: unread,
    message: () => 'what cleans up after a command is an UNDO below it, and ROLLBACK performs it',
    help: (m) =>
      `write \`UNDO: ${part(m, 1)}\` below that command, and \`ON ERROR: → ROLLBACK\` at the end of the state`,
  },
  {
    line: /^([A-Z][A-Z0-9_]*)$/,
    codes: /unknown-verb|not-an-instruction|not-a-command/,
    when: (m, text) => declares('PATTERN', part(m, 1), text),
    message: (m) => `\`${part(m, 1)}\` is a pattern, and USE inserts it`,
    help: (m, _, text) => `write \`USE: ${part(m, 1)}${parametersOf(part(m, 1), text)}\``,
  },
  {
    line: new RegExp(
      `^((?:ELSE )?IF)\\b:?\\s+((?:(?!→|->|=>).)*?[\\w"'\\])}])(?<!\\s(?:then|so|do|and|THEN))\\s+(${ACTIONS})\\b:?(\\s+(?:(?!→|->).)*|)$`,
    ),
    codes: /missing-colon|missing-arrow/,
    message: () => 'there is no arrow between the condition and its action',
    help: write,
    by: (m) => {
      const rest = part(m, 4).trim();
      return `${part(m, 1)}: ${part(m, 2).replace(/^\((.*)\)$/, '$1')} → ${part(m, 3)}${rest === '' ? '' : `: ${rest}`}`;
    },
  },
  // Entries of a RETRY
  entry(
    String.raw`(?:IF:?\s+|WHEN:?\s+)?(?:NOT\s+|!\s*)(?:gate\.)?(\w+)(?:\s+(?:passes|passed|ok|green))?`,
    (m) => `NOT gate.${part(m, 1)}`,
  ),
  entry(
    String.raw`(?:IF:?\s+|WHEN:?\s+|ON\s+)?gate\.(\w+)(?:\s+(?:has\s+|is\s+)?(?:failed|fails|fail|red|broken))?`,
    (m) => `NOT gate.${part(m, 1)}`,
  ),
  entry(
    String.raw`(?:IF:?\s+|WHEN:?\s+|ON\s+)?(?!gate\b|ATTEMPT\b|NOT\b|VALIDATE\b)(\w+)\s+(?:has\s+|is\s+)?(?:failed|fails|fail|red|broken)`,
    (m) => `NOT gate.${part(m, 1)}`,
  ),
  entry(
    String.raw`(?:IF:?\s+|WHEN:?\s+|ON\s+)?(?:attempts?|ATTEMPTS?|try|TRY|round)\s*(?:==?|>=|=|:|#)\s*(\d+)`,
    (m) => `ATTEMPT ${part(m, 1)}`,
  ),
  entry(
    String.raw`(?:AFTER|after)\s+(\d+)(?:\s+(?:attempts?|tries|failures?))?`,
    (m) => `ATTEMPT ${Number(part(m, 1)) + 1}`,
  ),
  entry(
    String.raw`(?:ELSE|ALWAYS|OTHERWISE|ANY|EACH|EVERY|DEFAULT)(?:\s+(?:time|attempt|failure))?`,
    () => 'ATTEMPT 2',
  ),
  {
    line: /^((?:ATTEMPT\s+\d+|NOT\s+(?:gate\.)?\w+)\s*(?:→|->)\s*)((?:MODEL|RETRY|RESTART|REPEAT|AGAIN|CONTINUE|GOTO|NEW SESSION|FRESH SESSION|RESET SESSION)\b.*)$/,
    codes: ENTRY,
    when: isInRetry,
    help: write,
    by: (m) => part(m, 1) + change(part(m, 2)),
  },
  {
    line: /^(?:RETRY|RETRIES|MAX[ _]?(?:ATTEMPTS|RETRIES|TRIES)|ATTEMPTS|TRIES)\s*[:([]*\s*(?:(?:max|attempts|times|limit|max_attempts|count|exit)\s*[=:]?\s*)?(\d+)\s*[\])]*\s*(?:x|times|attempts|tries)?\s*:?$/i,
    codes: /missing-colon|unknown-|retry-|unexpected/,
    when: isInStep,
    message: () => 'a RETRY says after how many attempts it ends',
    help: write,
    by: (m) => `RETRY: EXIT ${part(m, 1)}`,
  },
  {
    line: /^RETRY:?$/,
    codes: /retry-without-exit/,
    when: (m, text) =>
      /^(?:-\s*)?(?:MAX\w*|UP TO|ATTEMPTS|TIMES|LIMIT|STOP|max\w*|EXIT\s+AFTER)?[ :=]*\d+\b(?!\s*(?:→|->))/.test(
        around(m[0], text)?.[1] ?? '',
      ),
    block: true,
    message: () => 'a RETRY says after how many attempts it ends',
    help: (m, _, text) => `write \`RETRY: EXIT ${/\d+/.exec(around(m[0], text)?.[1] ?? '')?.[0] ?? '3'}\``,
  },
  {
    line: /^EXIT\s*(?:AFTER|AT|:|=)?\s*(\d+)(?:\s+(?:times|attempts|tries|TIMES|ATTEMPTS|TRIES))?$/i,
    codes: ENTRY,
    when: isInRetry,
    help: write,
    by: (m) => `EXIT ${part(m, 1)}`,
  },
  {
    line: /^EXIT:?\s*(\d+)$/,
    codes: /unknown-verb/,
    when: (m, text) => isInStep(m, text) && !isInRetry(m, text),
    message: () => 'EXIT is an entry of a RETRY',
    help: write,
    by: (m) => `RETRY: EXIT ${part(m, 1)}`,
  },
  // Sections of a step
  {
    line: /^(?:LLM|ENGINE|RUNNER|WORKER|ASSISTANT|PROVIDER|USES?):\s*["']?([a-z][\w.-]*)["']?$/i,
    codes: /unknown-verb|unknown-pattern|not-an-instruction|two-runs/,
    when: isInStep,
    help: write,
    by: (m) => `AGENT: ${part(m, 1)}`,
  },
  {
    line: /^AGENT:\s*(?:Task\(\s*["']?([\w.-]+)["']?\s*\)|["']([\w.-]+)["']|(claude|codex|gemini)[/:]([a-z][\w.-]*))$/,
    codes: /unexpected|bad-|unknown|missing/,
    help: write,
    by: (m) => `AGENT: ${m[1] ?? m[2] ?? `${part(m, 3)}-${part(m, 4)}`}`,
  },
  {
    line: /^(AGENT:\s*[\w.-]+)\s+with\s+(max_\w+)\s+(\S+)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `${part(m, 1)} with ${part(m, 2)}=${part(m, 3)}`,
  },
  {
    line: /^(?:MAX_COST|BUDGET|COST):\s*\$?([\d.]+)$/i,
    codes: unread,
    when: isInStep,
    message: () => 'what an agent may cost is a guard',
    help: (m) => `remove this line, and write \`AGENT: … with max_cost=${part(m, 1)}\``,
  },
  {
    line: /^(?:TEMPERATURE|TOP_P|MAX_TOKENS|SEED|ALLOWED_TOOLS|TOOLS|MCP|PERMISSIONS|MEMORY|REASONING|EFFORT):\s*(\S.*)$/i,
    codes: /unknown-verb|unexpected/,
    when: isInStep,
    message: () => 'how an agent works is in the configuration',
    help: () =>
      'remove this line, and describe an agent in statedsl.config.yaml, as in `agents: { careful: { adapter: claude, model: … } }`; see `docs/agents.md`',
  },
  {
    line: /^(?:INSTRUCTIONS?|SYSTEM(?:[ _]PROMPT)?|ROLE|GOAL|OBJECTIVE|TASK|PERSONA|DESCRIPTION|MESSAGE|USER|OUTPUTS?|FORMAT|RETURNS?|EXPECTED[ _]OUTPUT|RESPONSE[ _]FORMAT):\s*(\S.*)$/i,
    codes: /unknown-verb|two-runs|unexpected/,
    when: isInStep,
    message: (m) => `what an agent reads is its prompt, also its \`${(/^\w+/.exec(m[0])?.[0] ?? '').toLowerCase()}\``,
    help: (m, _, text) => {
      const words = part(m, 1).replace(/^"(.*)"$/, '$1');
      const asked = /^(?:OUTPUT|FORMAT|RETURN|EXPECTED|RESPONSE)/i.test(m[0]) ? `Answer only ${words}.` : words;
      const [, prompt] = /^\s*PROMPT:\s*"((?:[^"\\]|\\.)*)"/m.exec(stepAround(m[0], text) ?? '') ?? [];
      return `remove this line, and write \`PROMPT: "${prompt === undefined ? '' : `${prompt} `}${asked.replace(/`/g, "'")}"\``;
    },
  },
  {
    line: /^SCHEMA:\s*"?([\w./-]+\.json)"?$/i,
    codes: unread,
    when: isInStep,
    help: write,
    by: (m) => `GATE: schema "${part(m, 1)}"`,
  },
  {
    line: /^(?:FILES?|READS?|DOCS?|REFERENCES?|ATTACH|INCLUDE|KNOWLEDGE):\s*\[?\s*"?([\w./*-]+\.\w+|[\w./-]+\/\*+)"?\s*\]?$/i,
    codes: unread,
    when: isInStep,
    help: write,
    by: (m) => `CONTEXT: file=${part(m, 1)}`,
  },
  {
    line: /^(?:VERIFY|ACCEPT(?:ANCE)?|ASSERT|ENSURE|DONE[ _]WHEN|UNTIL|SUCCESS[ _]WHEN|VALIDATE|CHECKS?|TESTS?|MUST[ _]PASS|CRITERIA):\s*(?:"((?:[^"\\]|\\.)*)"|(.*?))(?:\s+(?:passes|succeeds|is green))?$/i,
    codes: /unknown-verb|two-runs|section/,
    when: (m, text) => isInStep(m, text) && (m[1] !== undefined || looksLikeCommand(part(m, 2))),
    message: () => 'what must pass after an agent is a gate of its step',
    help: write,
    by: (m) => `GATE: bash ${m[1] === undefined ? inQuotes(part(m, 2)) : `"${m[1]}"`}`,
  },
  {
    line: /^VALIDAT(?:E|OR|ION):\s*["']?(\w+)["']?$/i,
    codes: unread,
    when: isInStep,
    help: write,
    by: (m) => `GATE: validate ${part(m, 1)}`,
  },
  {
    line: /^(?:CWD|DIR|WORKDIR|WORKING[ _]DIRECTORY|BRANCH|WORKTREE|COMMIT|PARALLEL|SKIP|IF|WHEN|AFTER|BEFORE):\s*([^→]*)$/i,
    codes: /^unknown-verb$/,
    when: isInStep,
    help: (m) =>
      /^(?:AFTER|BEFORE)/i.test(m[0])
        ? 'remove it: a step runs after the steps above it'
        : 'remove it: a step has `PROMPT`, `AGENT`, `CONTEXT`, `SESSION`, `GATE` and `RETRY`; see `docs/steps.md`',
  },
  // Context
  {
    line: /^CONTEXT:\s*((?:(?:file|bash)\s*=\s*(?:"[^"]*"|\S+)|[\w./*-]+\.\w+)(?:(?:\s*,\s*|\s+)(?:(?:file|bash)\s*=\s*(?:"[^"]*"|\S+)|[\w./*-]+\.\w+))+)$/,
    codes: /unexpected|unknown-entry/,
    help: write,
    by: (m) =>
      `CONTEXT: ${(part(m, 1).match(/(?:file|bash)\s*=\s*(?:"[^"]*"|[^\s,]+)|[^\s,]+/g) ?? [])
        .map((one) => (/^(?:file|bash)\s*=/.test(one) ? one.replace(/\s*=\s*/, '=') : `file=${one}`))
        .join(', ')}`,
  },
  {
    line: /^(?:CONTEXT:|-)\s*(?:bash|run|cmd|command|shell|sh|exec|\$\(|`)\s*[:=(]?\s*"?([^"]+?)"?[)`]*$/,
    codes: /unexpected|unknown-entry|bad-|missing/,
    when: isInStep,
    help: (m, by) => (m[0].startsWith('-') ? `write \`${(by ?? '').replace('CONTEXT: ', '')}\`` : write(m, by)),
    by: (m) => `${m[0].startsWith('-') ? '- ' : 'CONTEXT: '}bash="${part(m, 1).replace(/"/g, '\\"')}"`,
  },
  {
    line: /^CONTEXT:\s*((?:git|cat|ls|make|npm|grep|find|curl|gh)\s+\S.*)$/,
    codes: /unexpected|unknown-entry/,
    help: write,
    by: (m) => `CONTEXT: bash="${part(m, 1).replace(/"/g, '\\"')}"`,
  },
  {
    line: /^CONTEXT:\s*(?:url|link|web|http)\s*[=:]\s*"?(https?:\S+?)"?$/,
    codes: /unexpected|unknown-entry/,
    help: write,
    by: (m) => `CONTEXT: bash="curl -sf ${part(m, 1)}"`,
  },
  {
    line: /^CONTEXT:\s*\{?([A-Za-z_]\w*)\}?$/,
    codes: /unexpected|unknown-entry/,
    message: () => 'a context is a file or the output of a command',
    help: (m) => `write \`{${part(m, 1)}}\` in the PROMPT for a value, or \`CONTEXT: file=…\``,
  },
  {
    line: /^-\s+"?((?:\.{0,2}\/)?[\w./*-]+\.\w+)"?$/,
    codes: /unknown-entry|unexpected/,
    when: isInStep,
    help: write,
    by: (m) => `- file=${part(m, 1)}`,
  },
  {
    line: /^SESSION:\s*(?:resume|continue|keep|same|previous|last|shared|inherit)$/i,
    codes: /bad-session/,
    help: (m, by, text) =>
      by === null
        ? 'remove it: the first step has no session to continue'
        : write(m, by) + (text === '' ? '' : ' to continue the session of the step above'),
    by: (m, text) => {
      const steps = [...text.slice(0, Math.max(0, text.indexOf(m[0]))).matchAll(/^[ \t]*STEP:[ \t]*([\w-]+)/gm)];
      const above = steps.at(-2)?.[1];
      return above === undefined ? null : `SESSION: from=${above}`;
    },
  },
  {
    line: /^SESSION:\s*(?:fresh|clean|reset|none|start|isolated)$/i,
    codes: /bad-session/,
    help: write,
    by: () => 'SESSION: new',
  },
];
