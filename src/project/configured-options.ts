/** The options of a run that come from the configuration, for commands that start, resume or replay it. */
import { resolve } from 'node:path';
import type { AgentSettings } from '../runtime/agents/resolve.js';
import type { Configuration } from '../runtime/configuration/configuration.js';
import type { Readable } from '../runtime/readable-file.js';
import type { ProjectHost } from './host.js';
import { readableFrom } from './readable-folders.js';

export interface ConfiguredOptions {
  readonly agents: AgentSettings;
  readonly mcp: Configuration['mcp'];
  readonly readable: Readable;
  readonly secrets: readonly string[];
}

/** `program` is a path, or a name such as `-`; `instead` maps the name of an agent to the name of its replacement. */
export function configuredOptions(
  host: ProjectHost,
  configuration: Configuration,
  { program, instead }: { readonly program: string; readonly instead: Readonly<Record<string, string>> },
): ConfiguredOptions {
  const { agents, folder, secrets } = configuration;
  return {
    agents: { agents, folder, instead },
    mcp: absoluteServers(configuration),
    readable: readableFrom(host, program),
    secrets,
  };
}

/** Paths in a server's command are relative to the folder of the configuration, wherever the run works. */
function absoluteServers({ mcp, folder }: Configuration): Configuration['mcp'] {
  const isPath = (word: string): boolean => /^\.\.?\//.test(word) && folder !== null;
  const servers = Object.entries(mcp).map(([name, server]) => {
    const command = server.command.map((word) => (isPath(word) ? resolve(folder ?? '', word) : word));
    return [name, { ...server, command }] as const;
  });
  return Object.fromEntries(servers);
}
