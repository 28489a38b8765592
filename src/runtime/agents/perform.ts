/**
 * Agent calls. The name in a program is looked up in the configuration, the adapter says what to start, and the call
 * runs like any other command, so that time limits, stopping and records are the same for both.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { agentText } from '../../interpreter/agent-output.js';
import type { Outcome } from '../../interpreter/event.js';
import type { AgentRequest } from '../../interpreter/request.js';
import type { EffectContext } from '../effects.js';
import { makeFolder } from '../make-folder.js';
import { cannotStart, directoryOf, type Environment, execute } from '../shell.js';
import { reasonOf } from '../store-error.js';
import type { Adapter, AgentConfiguration } from './adapter.js';
import { commandAdapter } from './command.js';

export interface AgentSettings {
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  /** Folder of the configuration file. */
  readonly folder: string | null;
  /** Another agent's name by the name it replaces, for one run. */
  readonly instead: Readonly<Record<string, string>>;
}

const adapters: Readonly<Record<string, Adapter>> = { [commandAdapter.name]: commandAdapter };

/** Names that `adapter:` of a configuration can have. */
export const adapterNames: readonly string[] = Object.keys(adapters);

/** The configuration of an agent, or null when there is none. */
export function findAgent(name: string, settings: AgentSettings): AgentConfiguration | null {
  const used = Object.hasOwn(settings.instead, name) ? (settings.instead[name] as string) : name;
  return Object.hasOwn(settings.agents, used) ? (settings.agents[used] as AgentConfiguration) : null;
}

export async function performAgent(
  request: AgentRequest,
  context: EffectContext,
  inherited: Environment,
  settings: AgentSettings,
): Promise<Outcome> {
  const configuration = findAgent(request.agent, settings);
  if (configuration === null) return { kind: 'not-started', reason: unknownAgent(request.agent, settings) };
  const adapter = adapters[configuration.adapter];
  if (adapter === undefined)
    return {
      kind: 'not-started',
      reason: `the adapter \`${configuration.adapter}\` is not one of ${adapterNames.join(', ')}`,
    };
  const command = adapter.command({ name: request.agent, configuration, request, folder: settings.folder });
  if ('reason' in command) return { kind: 'not-started', reason: command.reason };
  const out = context.resources.scratch.path('out');
  mkdirSync(out, { mode: 0o700 });
  const prompt = Buffer.from(request.prompt, 'utf8');
  const env = { ...command.env, STATEDSL_STEP: request.state, STATEDSL_OUT: out, STATEDSL_SESSION: '' };
  const ended = await execute(
    { argv: command.argv, env },
    { ...request, stdin: { base64: prompt.toString('base64'), bytes: prompt.length }, needsText: true },
    context,
    inherited,
  );
  if ('code' in ended) return cannotStart(ended, command.argv[0] ?? '', directoryOf(request, context));
  return request.output === null ? ended : writeAgentOutput(request.output, ended, context.cwd);
}

function unknownAgent(name: string, settings: AgentSettings): string {
  const known = Object.keys(settings.agents);
  const list = known.length === 0 ? 'none is configured' : `configured are ${known.map((n) => `\`${n}\``).join(', ')}`;
  return `there is no agent \`${name}\`: ${list}`;
}

/** `> file`: the answer is in the file before the run goes on. */
export function writeAgentOutput(file: string, outcome: Outcome, directory: string): Outcome {
  const text = agentText(outcome);
  if (text === null) return outcome;
  const path = resolve(directory, file);
  try {
    makeFolder(dirname(path));
    writeFileSync(path, text);
    return outcome;
  } catch (cause) {
    return { kind: 'failed', message: `cannot write the agent's answer to \`${file}\`: ${reasonOf(cause)}` };
  }
}
