/** What is wrong with the sandboxes of agents: keys that would have no effect, and a call that could never reach its model. */
import type { Json } from '../../machine/expression.js';
import type { AgentConfiguration } from '../agents/programs/adapter.js';
import type { FileProblem, ReadFile } from './yaml-file.js';

/** Where the programs of adapters find their models, as examples. */
const SERVICES: Readonly<Record<string, string>> = {
  claude: 'api.anthropic.com',
  codex: 'api.openai.com',
  gemini: 'generativelanguage.googleapis.com',
  qwen: 'dashscope.aliyuncs.com',
  opencode: 'api.anthropic.com',
  cursor: '*.cursor.sh',
};

export function wrongSandboxes(value: Json, read: ReadFile, file: string): FileProblem[] {
  const { agents = {} } = value as unknown as { readonly agents?: Readonly<Record<string, AgentConfiguration>> };
  return Object.entries(agents).flatMap(([name, configuration]) => {
    const problem = problemOf(name, configuration);
    if (problem === null) return [];
    const { key, message, help } = problem;
    const location = read.locationOf(['agents', name, key], true);
    return [{ file, line: location?.line ?? null, column: location?.column ?? null, message, help }];
  });
}

interface SandboxProblem {
  readonly key: 'sandbox' | 'hosts' | 'writes';
  readonly message: string;
  readonly help: string;
}

function problemOf(
  name: string,
  { adapter, sandbox = 'off', hosts, writes }: AgentConfiguration,
): SandboxProblem | null {
  if (hosts !== undefined && sandbox !== 'strict')
    return {
      key: 'hosts',
      message: `\`hosts\` of the agent \`${name}\` has no effect without \`sandbox: strict\``,
      help: 'write `sandbox: strict`, or remove `hosts`',
    };
  if (writes !== undefined && sandbox === 'off')
    return {
      key: 'writes',
      message: `\`writes\` of the agent \`${name}\` has no effect without a sandbox`,
      help: 'write `sandbox: worktree`, or remove `writes`',
    };
  if (sandbox !== 'strict') return null;
  if (adapter === 'model')
    return {
      key: 'sandbox',
      message: `the agent \`${name}\` cannot be kept to named hosts: the adapter \`model\` speaks to its service itself`,
      help: 'write `sandbox: worktree`, or use the program of another adapter',
    };
  const service = SERVICES[adapter];
  if (service === undefined || (hosts ?? []).length > 0) return null;
  return {
    key: 'sandbox',
    message: `the agent \`${name}\` would not reach its model: \`sandbox: strict\` reaches only \`hosts\``,
    help: `name the host of its service, for example \`hosts: [${service}]\``,
  };
}
