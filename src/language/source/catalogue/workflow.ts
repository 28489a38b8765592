/** Messages about workflow files: their YAML, their keys, and the two dialects. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { yamlHelp } from '../../../prelude/yaml-help.js';
import type { Label } from '../diagnostic.js';
import { didYouMean, list, message } from './message.js';

/** The equivalents in the current dialect for forms of the older one. */
const IN_CURRENT: readonly (readonly [RegExp, string])[] = [
  [
    /^output$/,
    'write `type: code`, `split`, `artifact` or `validate` for `output: diff`, `plan`, `artifact` or `review`',
  ],
  [/^on_failure$/, 'write `retry: [{ attempt: 3, agent: claude-opus, session: new }, { exit: 4 }]` for `on_failure`'],
  [/^retry\./, 'write `retry: [{ attempt: 3, agent: claude-opus, session: new }, { exit: 3 }]` for `max_attempts: 3`'],
  [/^foreach$/, 'write the steps below `each:` of the step that splits, without `foreach`'],
  [/^validate$/, 'write `gate:` for `validate:`'],
  [/^recipe$/, 'write `workflow:` for `recipe:`'],
  [/^type/, 'write `type: split` with `each:` below it'],
  [
    /reuse|fresh/,
    'write `session: { from: step }` for `reuse`; without `session`, a retry continues its session and a step starts a new one',
  ],
  [/^\{steps/, 'write `{build.output}` for `{steps.build.output}`'],
  [/^\{item/, 'write `{task.name}` for `{item.name}`'],
];

function inCurrent(older: string): string {
  return IN_CURRENT.find(([sign]) => sign.test(older))?.[1] ?? 'write the whole file in one dialect';
}

const IN_CONFIGURATION = 'move it to `statedsl.config.yaml`';
/** Servers of tools have one place, and agents name them there. */
export const SERVERS_HELP =
  'describe the server in `statedsl.config.yaml`: `mcp: { NAME: { run: ["program"] } }`; agents with `adapter: model` name it in `tools: [NAME/*]`, plans in `tools.yaml`';
const LIMITS_HELP = 'write `max_budget: 5.00`, `max_timeout: 2h` or `max_tokens: 2000000` at the root';
/** Keys at the root of files of other tools. */
const ROOT_HELP: Readonly<Record<string, string>> = {
  ...{
    params: 'write `inputs:`',
    parameters: 'write `inputs:`',
    args: 'write `inputs:`',
    variables: 'write `inputs:`',
  },
  ...{ vars: 'write `inputs: [{ NAME: VALUE }]`, and read it as `{NAME}`', budget: 'write `max_budget: 5.00`' },
  ...{
    timeout: 'write `max_timeout: 10m`',
    max_time: 'write `max_timeout: 10m`',
    max_cost: 'write `max_budget: 5.00`',
    limit: LIMITS_HELP,
    limits: LIMITS_HELP,
  },
  ...{ env: 'set variables in the command: `bash: NAME=value command`', environment: 'set variables in the command' },
  ...{
    agents: IN_CONFIGURATION,
    gates: IN_CONFIGURATION,
    notify: IN_CONFIGURATION,
    defaults: 'write `agent:` in each step',
  },
  ...{ mcp: SERVERS_HELP, mcp_servers: SERVERS_HELP, mcpServers: SERVERS_HELP },
  ...{ on: 'leave it out: `schedules:` in `statedsl.config.yaml` starts programs', version: 'leave it out' },
  ...{
    schedule: 'write it below `schedules:` in `statedsl.config.yaml`',
    include: 'name the file with `workflow:` in a step',
  },
  ...{ import: 'name the file with `workflow:` in a step', imports: 'name the file with `workflow:` in a step' },
};

export const workflowMessages = {
  yaml: message<{ code: string; problem: string; line: string }>('workflow-yaml', 'error', (f) => ({
    message: `this is not YAML: ${f.problem.charAt(0).toLowerCase()}${f.problem.slice(1).replace(/(?:;.*|[.:])$/, '')}`,
    help: yamlHelp(f.code, f.problem, f.line),
  })),
  lostIndentation: message<{ under: string }>('lost-indentation', 'error', (f) => ({
    message: `this line has lost its indentation: it is next to \`${f.under}\`, not below it`,
    help: `indent it so that it belongs to \`${f.under}\``,
  })),
  tooDeep: message('workflow-too-deep', 'error', () => ({
    message: 'this workflow is nested too deeply',
    help: 'move the inner steps to a separate workflow file',
  })),
  tooLarge: message<{ what: string; limit: number }>('workflow-too-large', 'error', (f) => ({
    message: `this workflow has more than ${f.limit} ${f.what}`,
    help: 'divide it into several workflow files',
  })),
  alias: message<{ name: string; itself: boolean }>('workflow-alias', 'error', (f) => ({
    message: f.itself
      ? `\`*${f.name}\` is inside the value that it names`
      : `there is no value \`&${f.name}\` above this`,
    help: 'write the value out, or put the text in quotes if it only begins with `*`',
  })),
  keyIsNotText: message('workflow-key', 'error', () => ({
    message: 'this key is not text',
    help: 'write `key: value`, and put a text that begins with `{` or `[` in quotes',
  })),
  shape: message<{ what: string; wanted: string; help?: string }>('workflow-shape', 'error', (f) => ({
    message: `${f.what} must be ${f.wanted}`,
    ...omitUndefined({ help: f.help }),
  })),
  foreignFile: message<{ what: string; help: string }>('workflow-shape', 'error', (f) => ({
    message: `this is ${f.what}, not a statedsl workflow`,
    label: 'this key says so',
    help: f.help,
  })),
  unknownKey: message<{ name: string; of: string; near: string | undefined; known: readonly string[]; help?: string }>(
    'unknown-key',
    'error',
    (f) => ({
      message: `\`${f.name}\` is not a key of ${f.of}`,
      ...(f.help === undefined
        ? didYouMean(f.name, f.near, `its keys are ${list(f.known)}`, f.known)
        : { help: f.help }),
    }),
  ),
  meaningless: message<{ what: string; why: string; help: string }>('older-key', 'error', (f) => ({
    message: `${f.what} has no meaning here: ${f.why}`,
    help: f.help,
  })),
  unknownRootKey: message<{ name: string }>('unknown-root-key', 'warning', (f) => ({
    message: `\`${f.name}\` is not a key of workflows, so it is only kept as a note`,
    help: ROOT_HELP[f.name] ?? 'describe the workflow with `description:`, and leave out keys of other tools',
  })),
  missingKey: message<{ key: string; of: string; example: string }>('missing-key', 'error', (f) => ({
    message: `${f.of} has no \`${f.key}\``,
    help: `write \`${f.example}\``,
  })),
  twice: message<{ key: string; of?: string; first: Label }>('key-twice', 'error', (f) => ({
    message: `\`${f.key}\` of ${f.of ?? 'this step'} is given in two places`,
    labels: [f.first],
    help: 'keep one of the two',
  })),
  oneOf: message<{ what: string; names: readonly string[] }>('workflow-one-of', 'error', (f) => ({
    message: `${f.what} has ${list(f.names)}, but can have only one of them`,
    help: f.what === 'this gate' ? 'make each a separate item' : 'make each a separate step',
  })),
  emptySteps: message<{ of: string }>('empty-steps', 'error', (f) => ({
    message: `${f.of} has no steps`,
    help: 'write `- name: …` below it',
  })),
  noYamlForm: message<{ what: string; help?: string }>('no-yaml-form', 'error', (f) => ({
    message: `${f.what} cannot be written in a workflow file`,
    help: f.help ?? 'keep this program as text',
  })),
  noTextForm: message<{ what: string; help: string }>('no-text-form', 'error', (f) => ({
    message: `${f.what} cannot be written in the text of a program`,
    help: f.help,
  })),
  dialects: message<{ older: string; current: string; first: Label }>('mixed-dialects', 'error', (f) => ({
    message: `\`${f.older}\` belongs to the older dialect of workflows, but \`${f.current}\` to the current one`,
    labels: [f.first],
    help: inCurrent(f.older),
  })),
};
