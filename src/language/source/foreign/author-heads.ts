/** What stands above the states, and the sections of steps, as authors write them who have read one page. */
import { LIMITS } from './assignment-lines.js';
import { type ForeignLine, inQuotes, part, unread, write } from './foreign-line.js';

const TYPES: Readonly<Record<string, string>> = {
  ...{ int: 'number', integer: 'number', number: 'number', float: 'number', string: 'string', text: 'string' },
  ...{ str: 'string', bool: 'boolean', boolean: 'boolean', list: 'list', array: 'list', object: 'object' },
};

/** A default as it is written here. */
const value = (text: string): string =>
  /^[A-Za-z][^"]*$/.test(text) && !/^(?:true|false|null)$/.test(text) ? `"${text}"` : text;

const SECTION = /section-outside|not-a-verb|unknown-verb|not-an-instruction|unexpected|two-jobs|step-/;

export const authorHeads = (): readonly ForeignLine[] => [
  // Inputs
  {
    line: /^INPUT:?\s*(\w+)\s*\(\s*(?:(\w+)\s*,\s*)?defaults?\b(?:\s+to\b)?\s*[:=]?\s*([^()]+?)\s*\)$/i,
    codes: /bad-input-note/,
    help: write,
    by: (m) => {
      const type = m[2] === undefined ? '' : TYPES[part(m, 2).toLowerCase()];
      const text = value(part(m, 3).replace(/^'(.*)'$/, '"$1"'));
      return type === undefined ? undefined : `INPUT: ${part(m, 1)} = ${text}${type === '' ? '' : ` (${type})`}`;
    },
  },
  {
    line: /^INPUT:?\s*(\w+)\s*(\(\s*one of:?.*?\))\s*=\s*([A-Za-z][\w.-]*)$/i,
    codes: /unexpected/,
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} = "${part(m, 3)}" ${part(m, 2)}`,
  },
  {
    line: /^INPUT:?\s*(\w+)\s*=\s*([A-Za-z][\w.!?'’-]*(?:\s+[\w.!?'’-]+)+)$/,
    codes: /input-default|unexpected/,
    message: () => 'a text is in quotes',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} = "${part(m, 2)}"`,
  },
  {
    line: /^INPUT:?\s*(\w+)\s+(?:in|one\s+of:?|from)\s+[[({]?\s*([\w"' .|,-]+?)\s*[\])}]?$/,
    codes: /bad-name|unexpected/,
    help: write,
    by: (m) =>
      `INPUT: ${part(m, 1)} (one of: ${part(m, 2)
        .replace(/["']/g, '')
        .split(/\s*[,|]\s*/)
        .join(', ')})`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^INPUT:?\s*(\w+(?:\s*=\s*(?:"[^"]*"|-?[\d.]+|true|false|null|\[[^\]]*\]))?(?:\s*\([^)]*\))?)\s+"([^"]*)"$/,
    codes: /unexpected/,
    message: () => 'a description is a comment',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)}  # ${part(m, 2)}`,
  },
  {
    line: /^INPUT:?\s*(\w+)\s*=\s*\$\((.*)\)$/,
    codes: /bad-character|input-default/,
    message: () => 'an input runs no command',
    help: (m) =>
      `write \`INPUT: ${part(m, 1)} = null\`, or without it \`DO: ${part(m, 1)} = ${part(m, 2)}\` in the first state`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^INPUTS?:$/,
    codes: /missing-part|unknown-verb/,
    block: true,
    message: () => 'each input has a line of its own',
    help: () => 'write `INPUT: name` for each of them, at the margin',
  },
  {
    line: /^(?:(?:PARAM(?:ETER)?|ARG(?:UMENT)?|VAR)S?:\s*([A-Za-z_]\w*)(?:\s*[:=]\s*(\S.*))?|ENV:\s*([A-Za-z_]\w*))$/,
    codes: unread,
    when: isAboveStates,
    help: write,
    by: (m) => `INPUT: ${m[1] ?? part(m, 3)}${m[2] === undefined ? '' : ` = ${value(m[2])}`}`,
    binds: (m) => [m[1] ?? part(m, 3)],
  },
  {
    line: /^(?:PARAM(?:ETER)?|ARG(?:UMENT)?)S:\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)+)$/,
    codes: unread,
    help: write,
    by: (m) =>
      part(m, 1)
        .split(/\s*,\s*/)
        .map((name) => `INPUT: ${name}`)
        .join('\n'),
    binds: (m) => part(m, 1).split(/\s*,\s*/),
  },
  // Limits, schedules, names
  {
    line: /^LIMIT:?\s*(transitions|time|cost|tokens)\s*[:\s]\s*\$?(\d[\w.]*)$/,
    codes: /bad-option|bad-duration|unexpected|missing/,
    help: write,
    by: (m) => `LIMIT: ${part(m, 1)}=${part(m, 2)}`,
  },
  {
    line: /^(BUDGET|COST|MAX_COST|DEADLINE|MAX_TIME|DURATION|MAX_ITERATIONS|MAX_STEPS|ITERATIONS|MAX_TURNS|ROUNDS|TRANSITIONS|TOKENS|MAX_TOKENS):\s*(?:\w+\s*=\s*)?\$?(\d[\w.]*)$/i,
    codes: unread,
    message: () => 'a limit of the run is one line at the margin',
    help: write,
    by: (m) => {
      const [, unit = ''] = /^[\d.]+([a-z]*)$/.exec(part(m, 2)) ?? [];
      const written = part(m, 1).toLowerCase();
      const name = unit !== '' && written === 'budget' ? 'time' : (LIMITS[written] ?? written);
      return `LIMIT: ${name}=${part(m, 2)}`;
    },
  },
  {
    line: /^(?:SCHEDULE|CRON|EVERY|TRIGGER|ON|AT|WHEN|INTERVAL)S?:\s*(.*)$/i,
    codes: unread,
    when: isAboveStates,
    message: () => 'a program does not say when it starts',
    help: (m) => {
      const cron = /(?:[\d*/,-]+\s+){4}[\d*/,-]+/.exec(part(m, 1))?.[0];
      return `remove it: \`schedules:\` of statedsl.config.yaml starts programs${cron === undefined ? '' : `, there \`cron: "${cron}"\``}; see \`docs/service.md\``;
    },
    block: true,
  },
  {
    line: /^(?:FLOW|WORKFLOW|PIPELINE|PROGRAM|JOB|PROCESS|LABEL|TAGS?|OWNER|AGENTS):\s*([^."]*)$/i,
    codes: /unknown-verb|not-an-instruction|section-outside/,
    when: isAboveStates,
    help: (_, by) => `make it a comment: \`${by}\``,
    by: (m) => `# ${m[0]}`,
  },
  {
    line: /^(?:START|BEGIN|INITIAL|ENTRY|FIRST|MAIN)(?:[ _]?STATE)?:\s*(\w+)$/i,
    codes: unread,
    when: isAboveStates,
    message: () => 'the first STATE is the start',
    help: (m) => `remove this line, and put \`STATE: ${part(m, 1)}\` above the other states`,
  },
  {
    line: /^(?:DEFAULTS?|OPTIONS|SETTINGS|CONFIG):\s*(.*=.*|)$/i,
    codes: /unknown-verb|instruction-outside-state|not-an-instruction/,
    when: isAboveStates,
    message: () => 'a program has no options for all commands',
    help: () => 'write them at each command, as in `DO [timeout=5m retry=2]: …`, or `LIMIT: time=2h` for the run',
    block: true,
  },
  {
    line: /^(STATE:\s*\w+)\s+(?:with|takes|needs)\s+(\w+(?:\s*,\s*\w+)*)$/,
    codes: /unexpected/,
    message: () => 'a state takes the values that `GOTO … with` passes without declaring them',
    help: write,
    by: (m) => part(m, 1),
    binds: (m) => part(m, 2).split(/\s*,\s*/),
  },
  // Steps
  {
    line: /^(?:CHECK|TEST|VERIFY|VALIDATE|ASSERT):\s*("?)((?:\.{0,2}\/[\w.]|[a-z])[^"]*)\1$/,
    codes: /mixed|two|both|step-work|test-file|in-program|wrong-file|section|work/,
    when: isInAgentStep,
    message: () => 'what must pass after an agent is a gate of its step',
    help: write,
    by: (m) => `GATE: bash ${inQuotes(part(m, 2))}`,
  },
  {
    line: /^AGENT:?\s*([\w.-]+)\s*(?:\[\s*([^\]]*)\s*\]|,?\s+((?:max_\w+|timeout|cost|budget|turns)=\S.*))$/,
    codes: /unexpected/,
    message: () => 'the guards of an agent follow `with`',
    help: write,
    by: (m) => {
      const guards = (m[2] ?? part(m, 3))
        .split(/\s*,\s*|\s+/)
        .filter(Boolean)
        .map((one) =>
          one
            .replace(/^(?:timeout|time)=/, 'max_time=')
            .replace(/^(?:cost|budget)=/, 'max_cost=')
            .replace(/^turns=/, 'max_turns='),
        );
      return `AGENT: ${part(m, 1)} with ${guards.join(', ')}`;
    },
  },
  {
    line: /^AGENT:?\s*(claude|codex|gemini)\s*(?:\(\s*|,\s*|\s+(?:model=)?)(?!with\b)["']?(?:\1-)?([a-z][\w.-]*)["']?\s*\)?$/,
    codes: /unexpected/,
    message: () => 'the name of an agent says its model',
    help: write,
    by: (m) => `AGENT: ${part(m, 1)}-${part(m, 2)}`,
  },
  {
    line: /^MODEL:\s*["']?(?:claude-)?(opus|sonnet|haiku)["']?$/i,
    codes: SECTION,
    when: isInStep,
    message: () => 'the name of an agent says its model',
    help: write,
    by: (m) => `AGENT: claude-${part(m, 1).toLowerCase()}`,
  },
  {
    line: /^TYPE:\s*(\w+)$/i,
    codes: unread,
    when: isInStep,
    help: (m) =>
      `remove this line, and write \`type=${part(m, 1)}\` after the name of the step, as in \`STEP: name type=${part(m, 1)}\``,
  },
  {
    line: /^(?:TIMEOUT|MAX_TIME):\s*(\S+)$/i,
    codes: unread,
    when: isInStep,
    message: () => 'the time of an agent is a guard',
    help: (m) => `remove this line, and write \`AGENT: … with max_time=${part(m, 1)}\``,
  },
  {
    line: /^CONTEXT:?\s*"?((?:\.{0,2}\/)?[\w./*-]+\.\w+)"?$/,
    codes: /unexpected|unknown|context|not-an-entry|bad-|entry/,
    help: write,
    by: (m) => `CONTEXT: file=${part(m, 1)}`,
  },
  {
    line: /^(?:IF:?|WHEN:?)\s+(NOT\s+gate\.\w+|ATTEMPT\s*[\d=]+)\s*((?:→|->)\s*\S.*)$/i,
    codes: /retry|entry|unexpected|unknown/,
    message: () => 'an entry of a RETRY begins with its condition',
    help: write,
    by: (m) => `${part(m, 1)} ${part(m, 2)}`,
  },
  {
    line: /^(?:IF:?\s+)?(gate\.\w+)\s+(?:has\s+|is\s+)?(?:failed|fails|red|broken)\s*((?:→|->)\s*\S.*)$/i,
    codes: /retry|entry|unexpected|unknown/,
    message: () => 'an entry of a RETRY begins with its condition',
    help: write,
    by: (m) => `NOT ${part(m, 1)} ${part(m, 2)}`,
  },
  {
    line: /^(ATTEMPT\s+\d+|NOT\s+(?:gate\.)?\w+)\s*:\s*((?:PROMPT|AGENT|SESSION|WORKTREE|RESTART_FROM|REPLAN)\b.*)$/,
    codes: /unexpected|retry/,
    help: write,
    by: (m) => `${part(m, 1)} → ${part(m, 2)}`,
  },
  {
    line: /^(.*?)\{([A-Za-z][\w-]*)\}(.*)$/,
    codes: /unknown-name/,
    of: 2,
    when: (m, text) => new RegExp(`^\\s*STEP:\\s*${part(m, 2)}(?![\\w-])`, 'm').test(text),
    help: (_, by) => `what a step answered is its field: write \`${by}\``,
    by: (m) => `${part(m, 1)}{${part(m, 2)}.output}${part(m, 3)}`,
  },
  {
    line: /^(.*?)\{(steps|outputs|jobs|needs)\.([A-Za-z][\w-]*)(?:\.outputs?)?(?:\.(\w+))?\}(.*)$/,
    codes: /unknown-name/,
    of: 2,
    help: write,
    by: (m) => `${part(m, 1)}{${part(m, 3)}.${m[4] ?? 'output'}}${part(m, 5)}`,
  },
  {
    line: /^STEP:?\s+([A-Za-z][\w-]*(?:\s+(?!type|memo|parallel)[A-Za-z][\w-]*)+)$/,
    codes: /unknown-option|unexpected|bad-name|step-option/,
    message: () => 'the name of a step is one word',
    help: write,
    by: (m) => `STEP: ${part(m, 1).split(/\s+/).join('-')}`,
  },
  {
    line: /^(STEP:?\s+[\w-]+.*?)\s+(?:needs|after|depends_on|depends|requires)=\S+(.*)$/,
    codes: /unknown-option|unexpected|step-option/,
    message: () => 'a step runs after the steps above it',
    help: write,
    by: (m) => part(m, 1) + part(m, 2),
  },
];

/** Whether the line stands above all states. */
function isAboveStates(m: RegExpExecArray, text: string): boolean {
  const [at, state] = [text.indexOf(m[0]), text.search(/^(?:STATE|STEP)\b/m)];
  return at >= 0 && (state < 0 || at < state) && (at === 0 || text[at - 1] === '\n');
}

/** The text of the step around the line; undefined: it is in none. */
function stepAround(line: string, text: string): string | undefined {
  const at = text.indexOf(line);
  const before = text.slice(0, Math.max(0, at));
  const step = before.lastIndexOf('STEP:');
  if (at < 0 || step < 0 || before.slice(step).search(/^STATE\b/m) >= 0) return undefined;
  const after = text.slice(at);
  const end = /^\s*(?:STEP|STATE)\b/m.exec(after.slice(1))?.index ?? after.length;
  return before.slice(step) + after.slice(0, end + 1);
}

function isInStep(m: RegExpExecArray, text: string): boolean {
  return stepAround(m[0], text) !== undefined;
}

function isInAgentStep(m: RegExpExecArray, text: string): boolean {
  return /^\s*AGENT\b/m.test(stepAround(m[0], text) ?? '');
}
