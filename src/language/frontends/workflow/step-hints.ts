/** Keys of a step in other tools and older files, each with a suggestion for this dialect. */
import { SERVERS_HELP } from '../../source/catalogue/workflow.js';
import type { Hints } from './values.js';
import type { YamlNode } from './yaml/yaml-nodes.js';

export const wordOf = (value: YamlNode): string => (value.kind === 'scalar' ? value.located.text.trim() : '');

export const bashOf = (value: YamlNode): string => `write \`bash: ${wordOf(value) || '…'}\``;

const sameHint = (names: string, hint: Hints[string]): Hints =>
  Object.fromEntries(names.split(' ').map((name) => [name, hint]));

/** Limits that do not apply to a single attempt. */
export const GUARD_HINTS: Hints = {
  ...sameHint(
    'max_tokens tokens',
    (value) => `limit the tokens of the whole run: write \`max_tokens: ${wordOf(value)}\` at the root`,
  ),
};

const exitAfter = (attempts: number): string => `write \`retry: [{ exit: ${attempts} }]\`, which counts all attempts`;

const FOR_EACH =
  'write the steps for each task below `each:` of the step that makes the tasks, which has `type: split`';

export const HINTS: Hints = {
  worktree: (value) => {
    const word = wordOf(value);
    if (word === 'read-write') return 'leave it out: an agent may change the files of its step';
    if (word === 'none' || word === 'read-only')
      return 'leave it out, and write `no_write: true` in the guard of this step: `guard: { no_write: true }`';
    return 'reset the worktree with an entry of `retry:`, such as `- { attempt: 2, worktree: reset }`';
  },
  ...sameHint(
    'hitl human_input human approval approve ask manual confirm interrupt question input_required review_by gate_human',
    [
      'leave it out: a workflow file cannot ask questions; a program can, after a step that runs the workflow:',
      'ASK user: "Is this right?" → answer choices=yes,no',
      'IF: answer != "yes" → FAIL: a person said no',
    ].join('\n'),
  ),
  max_budget: (value) =>
    `limit each attempt of an agent with \`guard: { max_budget: ${wordOf(value)} }\`, or the run with \`max_budget\` at the root`,
  max_cost: (value) => `limit each attempt of an agent: \`guard: { max_cost: ${wordOf(value) || '0.50'} }\``,
  idle: (value) => `limit each attempt of an agent: \`guard: { idle: ${wordOf(value) || '5m'} }\``,
  no_write: 'limit each attempt of an agent: `guard: { no_write: true }`',
  restart_from: (value) =>
    `let the retry begin there: \`retry: [{ attempt: 2, restart_from: ${wordOf(value) || 'tests'} }, { exit: 3 }]\``,
  strategy: (value) =>
    value.kind === 'map' && value.members.some(({ key }) => key.text === 'matrix')
      ? FOR_EACH
      : 'write `retry: [{ attempt: 3, agent: claude-opus, session: new }, { exit: 4 }]`',
  ...sameHint('escalate escalation escalate_to', (value) => {
    const word = /^[\w-]+$/.exec(wordOf(value))?.[0] ?? 'opus';
    const agent = word.replace(/^(?=(?:opus|sonnet|haiku)\b)/, 'claude-');
    return `write \`retry: [{ attempt: 2, agent: ${agent}, session: new }, { exit: 3 }]\``;
  }),
  ...sameHint(
    'schema output_schema json_schema response_format response_schema',
    'write a gate that names a file: `gate: [{ schema: answer.schema.json }]`, in a step of `type: artifact`',
  ),
  ...sameHint('for_each loop matrix with_items items repeat', FOR_EACH),
  ...sameHint('id title label', 'leave it out: `name` names the step'),
  ...sameHint('attempts max_attempts', (value) => exitAfter(Number(wordOf(value)) || 3)),
  ...sameHint('retries max_retries', (value) => exitAfter((Number(wordOf(value)) || 2) + 1)),
  ...sameHint(
    'timeout max_time max_timeout',
    (value) => `limit each attempt of an agent: \`guard: { max_time: ${wordOf(value) || '10m'} }\``,
  ),
  ...sameHint('outputs save_as store', 'leave it out: later steps read `{name.output}`, with the name of this step'),
  ...sameHint(
    'if when unless next goto then transition transitions on_success condition switch branches',
    'steps run in order: for conditions, print the file as a program with `statedsl convert`, and use `IF:`',
  ),
  ...sameHint(
    'needs depends_on dependencies dependson after requires upstream',
    'leave it out: a step runs after the steps above it, unless they are `parallel`',
  ),
  ...sameHint(
    'on_error catch rescue except continue_on_error allow_failure ignore_errors ignore_failure finally fallback',
    'leave it out: a failed step ends the run; allow more attempts with `retry: [{ exit: 3 }]`',
  ),
  ...sameHint('tasks jobs stages children substeps', 'write its steps below `steps:`'),
  ...sameHint(
    'timeout_minutes',
    (value) => `limit each attempt of an agent: \`guard: { max_time: ${wordOf(value) || '10'}m }\``,
  ),
  ...sameHint(
    'wait sleep delay pause',
    (value) => `write \`bash: sleep ${/\d+/.exec(wordOf(value))?.[0] ?? '10'}\`, or a program with \`WAIT:\``,
  ),
  ...sameHint(
    'working_directory workdir cwd dir chdir',
    (value) => `change it in the command: \`bash: cd ${wordOf(value) || 'DIR'} && …\``,
  ),
  ...sameHint(
    'prompt_file promptfile template',
    (value) => `read the file as context: \`context: [{ file: ${wordOf(value) || 'FILE'} }]\``,
  ),
  ...sameHint('files read include inputs_from documents', (value) => {
    const [first] = value.kind === 'list' ? value.items : [value];
    return `write \`context: [{ file: ${first === undefined ? 'FILE' : wordOf(first) || 'FILE'} }]\``;
  }),
  ...sameHint(
    'system system_prompt role goal backstory instructions persona instruction message messages input task',
    'write all of it in `prompt`',
  ),
  ...sameHint(
    'tools allowed_tools permissions sandbox temperature top_p effort api_key adapter provider env_file',
    'describe the agent in `statedsl.config.yaml`: `agents: { NAME: { adapter: claude, allow: [edit] } }`, and name it here',
  ),
  ...sameHint('mcp mcp_server mcp_servers mcpserver mcpservers', SERVERS_HELP),
  ...sameHint('assert asserts tests test expect verify validation must', 'write a gate: `gate: [{ bash: make test }]`'),
  ...sameHint(
    'notify slack webhook email on_complete',
    'leave it out: `notify:` in `statedsl.config.yaml` reports the ends of runs',
  ),
  ...sameHint('description desc comment doc docs notes', (value) => `write it as a comment: \`# ${wordOf(value)}\``),
  ...sameHint(
    'hosts become image container runs_on pool resources services machine',
    'leave it out: steps run on this machine',
  ),
  ...sameHint(
    'schedule cron on trigger triggers',
    'leave it out: `schedules:` in `statedsl.config.yaml` starts programs at certain times',
  ),
  uses: 'name a workflow file with `workflow`, or a command with `bash`',
  env: 'set variables in the command: `bash: NAME=value command`',
  ...sameHint('script command cmd shell exec do execute program sh powershell steps_script', bashOf),
  model: 'name the model with the agent: `agent: claude-opus`',
};
