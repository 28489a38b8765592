/** Reads the work of a step: an agent with its guards, a workflow, commands, or inner steps. */
import { SERVERS_HELP } from '../../source/catalogue/workflow.js';
import type { Block, Instruction, Option, ShellText } from '../../syntax/ast.js';
import type { Name } from '../../syntax/expression-nodes.js';
import type { ContextEntry, SessionSource, StepRun } from '../../syntax/step-nodes.js';
import { callMembers } from './read-gates.js';
import {
  callOf,
  flagOf,
  type Hints,
  isNothing,
  itemsOf,
  Members,
  nameOf,
  optionOf,
  type ReaderContext,
  reportOneOf,
  shellOf,
  spanOf,
  templateOf,
  textOf,
  wrongShape,
} from './values.js';
import type { YamlMap, YamlMember, YamlNode } from './yaml/yaml-nodes.js';

const GUARDS: Readonly<Record<string, string>> = {
  max_turns: 'max_turns',
  max_cost: 'max_cost',
  max_budget: 'max_cost',
  max_time: 'max_time',
  max_timeout: 'max_time',
  timeout: 'max_time',
  idle: 'idle',
  no_write: 'no_write',
};

export const GUARD_KEYS: readonly string[] = Object.keys(GUARDS);

export function runOf(
  context: ReaderContext,
  parts: ReadonlyMap<string, YamlMember>,
  group: { readonly member: YamlMember; readonly run: StepRun } | undefined,
): StepRun {
  const agent = parts.get('agent');
  const workflow = parts.get('workflow');
  const bash = parts.get('bash');
  const guard = parts.get('guard');
  const given = parts.get('with');
  const several = [agent, workflow, bash, group?.member].filter((one) => one !== undefined);
  reportOneOf(
    context,
    several.sort((a, b) => a.key.span.start - b.key.span.start),
    'this step',
  );
  if (guard !== undefined && agent === undefined)
    wrongShape(context, { ...guard.value, span: guard.key.span }, '`guard`', 'next to `agent`');
  if (given !== undefined && workflow === undefined)
    wrongShape(context, { ...given.value, span: given.key.span }, '`with`', 'next to `workflow`');
  const adjacent = ['timeout', 'max_turns'].flatMap((key) => parts.get(key) ?? []);
  for (const one of agent === undefined ? adjacent : [])
    wrongShape(context, { ...one.value, span: one.key.span }, `\`${one.key.text}\``, 'next to `agent`');
  if (agent !== undefined) {
    const name = templateOf(context, agent);
    const limits = adjacent.flatMap((one) => optionOf(context, one, GUARDS[one.key.text] as string) ?? []);
    const guards = [...(guard === undefined ? [] : guardsOf(context, guard)), ...limits];
    const span = spanOf(agent);
    return name === undefined ? { kind: 'none' } : { kind: 'agent', agent: name, guards, span };
  }
  if (workflow !== undefined) {
    const call = callOf(context, ...callMembers(workflow, given));
    return call === undefined ? { kind: 'none' } : { kind: 'workflow', call };
  }
  if (bash !== undefined) return { kind: 'body', body: commandsOf(context, bash) };
  return group?.run ?? { kind: 'none' };
}

function guardsOf(context: ReaderContext, { value }: YamlMember): Option[] {
  if (isNothing(value)) return [];
  if (value.kind !== 'map') {
    wrongShape(context, value, '`guard`', 'a mapping', 'write `guard: { max_turns: 60 }`');
    return [];
  }
  const members = new Members(value, context);
  const options = value.members.flatMap((member): Option[] => {
    const key = Object.hasOwn(GUARDS, member.key.text) ? (GUARDS[member.key.text] as string) : undefined;
    if (key === undefined) return [];
    members.take(member.key.text);
    if (key !== 'no_write') return [optionOf(context, member, key) ?? []].flat();
    const name = { text: key, span: member.key.span };
    return flagOf(context, member) ? [{ key: name, span: spanOf(member) }] : [];
  });
  members.reportUnknown('`guard`', [...new Set(Object.values(GUARDS))], GUARD_HINTS);
  return options;
}

/** `bash: …` of a step: commands that run one after the other. */
function commandsOf(context: ReaderContext, { key, value }: YamlMember): Block {
  const instructions = itemsOf(value).flatMap((item): Instruction[] => {
    const text = textOf(context, { key, value: item }, 'a command');
    return text === undefined ? [] : [command(key.span, shellOf(text))];
  });
  return { instructions, inline: false, span: value.span };
}

function command(verb: Name['span'], shell: ShellText): Instruction {
  const performed = { kind: 'shell', shell } as const;
  const { span } = shell;
  return { kind: 'do', verb: { text: 'DO', span: verb }, options: [], piped: false, performed, style: 'verb', span };
}

/** Keys of a step in other tools and older files, each with a suggestion for this dialect. */
const wordOf = (value: YamlNode): string => (value.kind === 'scalar' ? value.located.text.trim() : '');

export const bashOf = (value: YamlNode): string => `write \`bash: ${wordOf(value) || '…'}\``;

const sameHint = (names: string, hint: Hints[string]): Hints =>
  Object.fromEntries(names.split(' ').map((name) => [name, hint]));

/** Limits that do not apply to a single attempt. */
const GUARD_HINTS: Hints = {
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

const CONTEXT_KEYS: readonly string[] = ['file', 'bash', 'workflow'];

/** Reads the context and the session under `get:` of a step. */
export function contextOf(context: ReaderContext, { key, value }: YamlMember): ContextEntry[] {
  if (isNothing(value)) return [];
  return itemsOf(value).flatMap((item) => {
    if (item.kind === 'map') return contextEntries(context, item);
    const help = `write \`- file: ${wordOf(item) || '…'}\``;
    wrongShape(context, item, `an entry of \`${key.text}\``, 'a file, a command or a workflow', help);
    return [];
  });
}

function contextEntries(context: ReaderContext, map: YamlMap): ContextEntry[] {
  const members = new Members(map, context);
  const given = members.take('with');
  const taken = map.members.filter(({ key }) => CONTEXT_KEYS.includes(key.text));
  for (const { key } of taken) members.take(key.text);
  members.reportUnknown('an entry of `context`', CONTEXT_KEYS);
  const called = taken.some(({ key }) => key.text === 'workflow');
  if (given !== undefined && !called)
    wrongShape(context, { ...given.value, span: given.key.span }, '`with`', 'next to `workflow`');
  return taken.flatMap((member): ContextEntry[] => {
    const { key, value } = member;
    if (key.text === 'workflow') {
      const call = callOf(context, ...callMembers(member, given));
      return call === undefined ? [] : [{ kind: 'workflow', call, span: call.span }];
    }
    return itemsOf(value).flatMap((item): ContextEntry[] => {
      const one = { key, value: item };
      if (key.text === 'file') {
        const path = templateOf(context, one);
        return path === undefined ? [] : [{ kind: 'file', path, span: item.span }];
      }
      const text = textOf(context, one, 'a command');
      return text === undefined ? [] : [{ kind: 'bash', shell: shellOf(text), span: item.span }];
    });
  });
}

/** `at` is the offset of the step's name. */
export function sessionOf(context: ReaderContext, member: YamlMember, at: number): SessionSource | undefined {
  const { value } = member;
  const span = spanOf(member);
  const help = 'write `session: { from: plan }` or `session: new`';
  if (value.kind === 'map') {
    const members = new Members(value, context);
    const reuse = members.take('reuse');
    if (reuse !== undefined) context.signs.push({ dialect: 'older', text: 'reuse', span: reuse.key.span });
    const from = members.take('from') ?? reuse;
    members.reportUnknown('`session`', ['from']);
    const text = from === undefined ? undefined : textOf(context, from, 'the name of a step');
    if (from === undefined && value.members.length === 0)
      wrongShape(context, value, '`session`', '`new`, or a step', help);
    return text === undefined ? undefined : { kind: 'from', step: nameOf(text), span };
  }
  const text = value.kind === 'scalar' && typeof value.value === 'string' ? value.value.trim() : '';
  if (text === 'new') return { kind: 'new', span };
  const older = ['fresh', 'reuse', 'reuse-on-retry'].includes(text);
  if (older) {
    context.signs.push({ dialect: 'older', text: `session: ${text}`, span: member.key.span });
    if (text === 'reuse') context.reused.add(at);
    // A retry continues the session of the previous attempt anyway.
    return text === 'reuse' ? undefined : { kind: 'new', span };
  }
  // `session: from: plan`, after its second colon was replaced for YAML.
  const [, word, from] = /^(from|reuse)\s*[:=]\s*(\S.*)$/.exec(text) ?? [];
  if (word === 'reuse') context.signs.push({ dialect: 'older', text: 'reuse', span: member.key.span });
  if (from !== undefined) {
    const end = value.span.end - (/["']$/.test(from) ? 1 : 0);
    const bare = from.replace(/^(["'])(.*)\1$/, '$2');
    return { kind: 'from', step: { text: bare, span: { ...value.span, start: end - bare.length, end } }, span };
  }
  wrongShape(context, value, '`session`', '`new`, or the step whose session it continues', help);
  return undefined;
}
