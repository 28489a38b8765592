/**
 * Resolves agent names of a program. The configuration defines names. Any other name describes itself: `claude-opus` is
 * the model `opus` of Claude Code, and `codex` is Codex with its default model. For one run, another agent may replace
 * a name, by its name or as an adapter with a model, `codex:gpt-5`.
 */
import type { Adapter, AgentConfiguration } from './programs/adapter.js';
import { adapterNames, findAdapter, nameableAdapters } from './programs/adapters.js';
import { modelAdapter, modelNamed } from './programs/model.js';

/** The configured agents, and the replaced names. */
export interface AgentSettings {
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  /** The folder of the configuration file. */
  readonly folder: string | null;
  /** Other agents by the names they replace, for one run: a name, or an adapter and a model with a colon in between. */
  readonly instead: Readonly<Record<string, string>>;
  /** What each program may spend in a day, and the file that says so. */
  readonly budget?: DailyBudget & { readonly file: string | null };
  /** What the runs of the trial may spend to which this one belongs. */
  readonly trial?: TrialBudget;
}

/** What all runs of a trial may cost. */
export interface TrialBudget {
  /** The trial. */
  readonly id: string;
  /** US dollars. */
  readonly limit: number;
  /** When it began: `2026-03-01`. */
  readonly day: string;
}

/** The budget of each program for all its runs of a store. */
export interface DailyBudget {
  /** US dollars. */
  readonly cost_per_day: number;
  /** The time zone in which a day begins; absent: UTC. */
  readonly zone?: string;
}

export interface ResolvedAgent {
  /** The name under which its calls are counted. */
  readonly key: string;
  readonly configuration: AgentConfiguration;
  readonly adapter: Adapter;
}

/** The agent that a name means, or null. */
export function resolveAgent(name: string, settings: AgentSettings): ResolvedAgent | null {
  const replaced = Object.hasOwn(settings.instead, name) ? (settings.instead[name] as string) : null;
  return agentCalled(replaced ?? name, settings) ?? (replaced === null ? null : agentWritten(replaced));
}

function agentCalled(name: string, { agents }: AgentSettings): ResolvedAgent | null {
  const configured = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (configured !== undefined) {
    const adapter = findAdapter(configured.adapter);
    return adapter === null ? null : { key: name, configuration: configured, adapter };
  }
  const dash = name.indexOf('-');
  return assembleAgent(dash < 0 ? name : name.slice(0, dash), dash < 0 ? null : name.slice(dash + 1));
}

/** `codex:gpt-5`. In this form the adapter `fake` is allowed, because its model names the file with its answers. */
function agentWritten(text: string): ResolvedAgent | null {
  const colon = text.indexOf(':');
  if (colon < 0) return null;
  const [prefix, model] = [text.slice(0, colon), text.slice(colon + 1)];
  const fake = prefix === 'fake' && model !== '' ? findAdapter(prefix) : null;
  if (prefix === 'model' && model !== '')
    return { key: text, configuration: { adapter: prefix, model }, adapter: modelAdapter };
  if (fake !== null) return { key: text, configuration: { adapter: prefix, model }, adapter: fake };
  return assembleAgent(prefix, model);
}

function assembleAgent(prefix: string, model: string | null): ResolvedAgent | null {
  const adapter = nameableAdapters.find((one) => one.name === prefix);
  if (adapter === undefined) return model === '' ? null : modelAgent(model === null ? prefix : `${prefix}-${model}`);
  if (model === '') return null;
  const configuration = model === null ? { adapter: prefix } : { adapter: prefix, model };
  return { key: model === null ? prefix : `${prefix}-${model}`, configuration, adapter };
}

/** A name of a model, such as `gpt-5`, needs no program and no configuration. */
export function modelAgent(name: string): ResolvedAgent | null {
  const configuration = modelNamed(name);
  return configuration === null ? null : { key: name, configuration, adapter: modelAdapter };
}

/** A clause that says why a name is unknown. */
export function unknownAgent(name: string, { agents, instead }: AgentSettings): string {
  const used = Object.hasOwn(instead, name) ? (instead[name] as string) : name;
  const configured = Object.hasOwn(agents, used) ? agents[used] : undefined;
  if (configured !== undefined)
    return `the adapter \`${configured.adapter}\` of the agent \`${used}\` is not one of ${adapterNames.join(', ')}`;
  const known = Object.keys(agents);
  const list = known.length === 0 ? 'none is configured' : `configured are ${known.map((n) => `\`${n}\``).join(', ')}`;
  const prefixes = nameableAdapters.map((adapter) => adapter.name).join(', ');
  return `there is no agent \`${used}\`: ${list}, and it does not begin with one of ${prefixes}`;
}
