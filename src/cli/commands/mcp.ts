/** `statedsl mcp`: the programs and runs of a folder as tools of coding agents. */
import { join, resolve } from 'node:path';
import type { FolderOptions } from '../../app/programs.js';
import type { Door, EngineOfDoor } from '../../mcp/door.js';
import type { HttpDoor } from '../../mcp/http.js';
import { isLoopback } from '../../prelude/is-loopback.js';
import { VERSION } from '../../runtime/version.js';
import { isFolder } from '../files/folder-watch.js';
import { readTokenFile } from '../files/token-file.js';
import { firstSignal } from '../running/configuration-line.js';
import { configuredEngine, NO_ENGINE } from '../running/configured-engine.js';
import { engineAccess, NAMESPACE } from '../running/engine-flags.js';
import { refusalsAsErrors, type StoreFlags, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { skillFolder } from './guide.js';
import { whyNotListening } from './serve.js';

export interface McpFlags extends StoreFlags {
  readonly programs?: string;
  readonly readOnly?: boolean;
  readonly agentsMayAnswer?: boolean;
  /** True: at the usual address. */
  readonly http?: true | { readonly host: string; readonly port: number };
  readonly tokenFile?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Next to the usual address of `serve`. */
const USUAL = { host: '127.0.0.1', port: 7701 };

export function mcpCommand(flags: McpFlags): Promise<ExitCode> {
  return refusalsAsErrors(() => serveAgents(flags));
}

async function serveAgents(flags: McpFlags): Promise<ExitCode> {
  const programs = resolve(flags.programs ?? '.');
  if (!isFolder(programs))
    return usageError(`there is no folder \`${programs}\``, 'name the folder of the programs with `--programs`');
  const on = flags.on ?? (await configuredEngine(join(programs, '-')));
  const http = flags.http === true ? USUAL : flags.http;
  const problem = http === undefined ? whyNotStdio(flags) : whyNoToken(http, flags);
  if (problem !== null) return problem;
  const { openDoor } = await import('../../mcp/door.js');
  const directory = flags.dir === undefined ? resolve(programs, '.statedsl') : storeOf(flags);
  const door = openDoor({
    programs,
    directory,
    engine:
      on === undefined || on === NO_ENGINE ? null : await engineAt(on, flags, { dir: directory, folder: programs }),
    isReadOnly: flags.readOnly === true,
    agentsMayAnswer: flags.agentsMayAnswer === true,
    skill: skillFolder(),
    version: VERSION,
  });
  if (http !== undefined) return listenForAgents(door, http, flags);
  await (await import('../../mcp/stdio.js')).serveOverStdio(door);
  return EXIT.returned;
}

async function engineAt(on: string, { namespace = NAMESPACE }: McpFlags, own: FolderOptions): Promise<EngineOfDoor> {
  const { engineRuns } = await import('../../engine/runs/engine-runs.js');
  const { programsForEngine } = await import('../../engine/runs/start-on-engine.js');
  return {
    on,
    runs: engineRuns({ ...own, on, namespace, ...engineAccess() }),
    programs: await programsForEngine(own),
  };
}

function whyNotStdio({ tokenFile }: McpFlags): ExitCode | Promise<ExitCode> | null {
  if (tokenFile === undefined) return null;
  return usageError('a token is for clients over HTTP', 'add `--http`, or leave out `--token-file`');
}

function whyNoToken({ host }: typeof USUAL, { tokenFile }: McpFlags): ExitCode | Promise<ExitCode> | null {
  if (isLoopback(host) || tokenFile !== undefined) return null;
  return usageError(
    `\`${host}\` can be reached from other machines, so the server needs a token`,
    'write a secret into a file that only you can read, and name it: `--token-file FILE`',
  );
}

async function listenForAgents(door: Door, { host, port }: typeof USUAL, flags: McpFlags): Promise<ExitCode> {
  const given = flags.tokenFile === undefined ? null : readTokenFile(flags.tokenFile);
  if (given !== null && 'problem' in given) return usageError(given.problem, given.help);
  const { serveOverHttp } = await import('../../mcp/http.js');
  let server: HttpDoor;
  try {
    server = await serveOverHttp(door, { host, port, token: given?.token ?? null });
  } catch (cause) {
    const reason = whyNotListening(cause);
    if (reason === undefined) throw cause;
    return usageError(`cannot listen at ${host}:${port}: ${reason}`, 'choose another address: `--http ADDRESS`');
  }
  const signal = firstSignal(() => undefined);
  if (flags.json) stdout.write(`${JSON.stringify({ address: server.address, pid: process.pid })}\n`);
  else if (!flags.quiet) stderr.write(`listening at ${server.address}\n`);
  await signal;
  await server.stop();
  return EXIT.returned;
}
