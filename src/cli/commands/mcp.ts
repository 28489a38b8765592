/** `statedsl mcp`: the programs and runs of a folder as tools of coding agents. */
import { resolve } from 'node:path';
import { VERSION } from '../../runtime/version.js';
import { isFolder } from '../files/folder-watch.js';
import { refusalsAsErrors, type StoreFlags, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { usageError } from '../terminal/usage-error.js';
import { skillFolder } from './guide.js';

export interface McpFlags extends StoreFlags {
  readonly programs?: string;
  readonly readOnly?: boolean;
  readonly agentsMayAnswer?: boolean;
}

export function mcpCommand(flags: McpFlags): Promise<ExitCode> {
  return refusalsAsErrors(() => serveAgents(flags));
}

async function serveAgents(flags: McpFlags): Promise<ExitCode> {
  const programs = resolve(flags.programs ?? '.');
  if (!isFolder(programs))
    return usageError(`there is no folder \`${programs}\``, 'name the folder of the programs with `--programs`');
  const { openDoor } = await import('../../mcp/door.js');
  const { serveOverStdio } = await import('../../mcp/stdio.js');
  const door = openDoor({
    programs,
    directory: flags.dir === undefined ? resolve(programs, '.statedsl') : storeOf(flags),
    isReadOnly: flags.readOnly === true,
    agentsMayAnswer: flags.agentsMayAnswer === true,
    skill: skillFolder(),
    version: VERSION,
  });
  await serveOverStdio(door);
  return EXIT.returned;
}
