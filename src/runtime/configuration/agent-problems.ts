/**
 * What is wrong with the agents of a configuration beyond its form: keys of sandboxes that would have no effect, and calls that
 * could never reach their model or never fit the `budget`.
 */
import type { Json } from '../../machine/expression.js';
import type { AgentConfiguration } from '../agents/programs/adapter.js';
import type { DailyBudget } from '../agents/resolve.js';
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

/** The part of a configuration that is looked at. */
interface BudgetedAgents {
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  readonly budget?: DailyBudget;
}

/** A zone that does not exist, and a call that never fits. */
export function wrongBudget(value: Json, read: ReadFile, file: string): FileProblem[] {
  const { budget, agents = {} } = value as unknown as Partial<BudgetedAgents>;
  if (budget === undefined) return [];
  const { zone, cost_per_day: perDay } = budget;
  const at = (path: readonly string[]) => {
    const location = read.locationOf(path);
    return { file, line: location?.line ?? null, column: location?.column ?? null };
  };
  const problems = Object.entries(agents).flatMap(([name, { max_cost: most = 0 }]) => {
    if (most <= perDay) return [];
    const message = `\`max_cost\` of the agent \`${name}\` is more than \`cost_per_day\` of \`budget\`: it could never be called`;
    return [
      { ...at(['agents', name, 'max_cost']), message, help: `write at most ${perDay}, or raise \`cost_per_day\`` },
    ];
  });
  if (zone === undefined || isZone(zone)) return problems;
  const message = `\`zone\` of \`budget\`: there is no time zone \`${zone}\``;
  return [...problems, { ...at(['budget', 'zone']), message, help: 'write a name such as `Europe/Berlin` or `UTC`' }];
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

/** A call without `max_cost` reserves nothing, so several at once may spend more than the budget. */
export function agentsWithoutReserve({ agents, budget }: BudgetedAgents, read: ReadFile, file: string): FileProblem[] {
  if (budget === undefined) return [];
  return Object.entries(agents).flatMap(([name, { max_cost: most }]) => {
    if (most !== undefined) return [];
    const location = read.locationOf(['agents', name], true);
    const message = `the agent \`${name}\` has no \`max_cost\`, so its calls reserve nothing of \`budget\` and may exceed it`;
    const help = 'add `max_cost`, the most that one call may cost in US dollars';
    return [{ file, line: location?.line ?? null, column: location?.column ?? null, message, help }];
  });
}
