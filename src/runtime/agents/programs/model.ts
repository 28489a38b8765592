/**
 * A model without an agent program: a bridge asks its service. It needs a key in the environment and nothing else. It has
 * the tools that the configuration lists, and no other.
 */
import type { Adapter, AgentConfiguration } from './adapter.js';
import { bridgeCommand, readBridgeLine } from './bridge-stream.js';
import { type ListedTool, listedTools } from './listed-tools.js';
import { allowedBy, leaksOfCommands } from './permissions.js';

export type Provider = 'openai' | 'anthropic' | 'google' | 'openai-compatible';

/** The usual variable of each service; a local service needs none. */
export const KEYS: Readonly<Record<Provider, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
  'openai-compatible': [],
};

/** What the bridge gets, in a variable of its own: headers may be keys, so it is never in a file. */
export interface ModelTask {
  readonly name: string;
  readonly provider: Provider;
  readonly model: string;
  readonly base_url?: string | undefined;
  /** The variables that may have the key. */
  readonly keys: readonly string[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly temperature?: number | undefined;
  readonly max_output?: number | undefined;
  readonly effort?: string | undefined;
  readonly timeout?: string | undefined;
  readonly tools: readonly ListedTool[];
  readonly prices?: AgentConfiguration['prices'] | undefined;
  readonly session: string;
  /** A file that says how many of its conversations have been stored, for a later call; null: none is. */
  readonly stored: string | null;
  /** A file with the conversation that it continues; null begins one. */
  readonly conversation: string | null;
  /** A file with the schema of the answer. */
  readonly schema: string | null;
  readonly max_turns: number | null;
}

export const modelAdapter: Adapter = {
  name: 'model',
  program: null,
  takesText: true,
  sessions: { fork: true, elsewhere: true, chosen: true },
  service: true,
  reportsEnd: true,
  leaks: leaksOfCommands,
  loosens: [],
  async command(call) {
    const { name, configuration, newSession, session, fork } = call;
    const provider = providerOf(configuration);
    const { model } = configuration;
    if (model === undefined) return { reason: `the agent \`${name}\` has no model: its configuration needs \`model\`` };
    if (provider === null)
      return {
        reason: `the service of the model \`${model}\` is unknown: the agent \`${name}\` needs the key \`provider\``,
      };
    if (provider === 'openai-compatible' && configuration.base_url === undefined)
      return { reason: `the agent \`${name}\` needs the key \`base_url\`, the address of its service` };
    const command = bridgeCommand('model');
    if (command === null) return { reason: 'the part that asks models is not built' };
    const before = session === null ? null : (call.conversations?.read(session) ?? null);
    if (session !== null && before === null) return { reason: 'no conversation found' };
    const { key_env, base_url, headers, temperature, max_output, effort, timeout, prices } = configuration;
    const tools = await listedTools(toolsOf(configuration), call.folder, call.servers ?? {});
    if ('reason' in tools) return { reason: `${tools.reason}: ${tools.help}` };
    const own = session === null || fork ? (newSession ?? crypto.randomUUID()) : session;
    const stored = call.conversations == null ? null : call.file('0');
    const task: ModelTask = {
      ...{ name, provider, model, base_url, headers, temperature, max_output, effort, timeout, tools, prices },
      keys: key_env === undefined ? KEYS[provider] : [key_env],
      session: own,
      stored,
      conversation: before === null ? null : call.file(before, '.json'),
      schema: call.schema === null ? null : call.file(JSON.stringify(call.schema), '.json'),
      max_turns: call.guards.maxTurns,
    };
    const env = { ...configuration.env, STATEDSL_MODEL_TASK: JSON.stringify(task) };
    return { argv: command, env, ...(stored === null ? {} : { stored }) };
  },
  decodeLine: readBridgeLine,
};

/** The service of a model by its name, where the configuration does not say it. */
export function providerOf({ provider, model = '', base_url }: AgentConfiguration): Provider | null {
  if (provider !== undefined) return provider;
  if (/^(?:gpt|o[1-9]|chatgpt)\b/.test(model)) return 'openai';
  if (/^claude\b/.test(model)) return 'anthropic';
  if (/^gemini\b/.test(model)) return 'google';
  return base_url === undefined ? null : 'openai-compatible';
}

/** Those that the configuration lists and `allow` permits. */
function toolsOf(configuration: AgentConfiguration): readonly string[] {
  const { tools = [] } = configuration;
  const allowed = allowedBy(configuration);
  if (allowed === null) return tools;
  return tools.filter((tool) => tool === 'read_file' || (tool === 'write_file' ? allowed.edit : allowed.shell));
}

/** The agent for a name such as `gpt-5`, or for one whose program is not installed; null: the name is not one of a model. */
export function modelNamed(name: string): AgentConfiguration | null {
  const configuration = { adapter: 'model', model: name };
  return providerOf(configuration) === null ? null : configuration;
}

/** Whether the environment has a key for the model. */
export function hasKey(configuration: AgentConfiguration, env: Readonly<Record<string, string | undefined>>): boolean {
  const provider = providerOf(configuration);
  const names =
    configuration.key_env === undefined ? (provider === null ? [] : KEYS[provider]) : [configuration.key_env];
  return names.some((name) => (env[name] ?? '') !== '');
}
