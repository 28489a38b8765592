/** `statedsl serve`: runs over HTTP, for pages, programs and other machines. */
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FolderOptions } from '../../app/programs.js';
import { decode } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import { isLoopback } from '../../prelude/is-loopback.js';
import { findLauncher } from '../../prelude/launcher.js';
import { VERSION } from '../../runtime/version.js';
import type { CheckRequest } from '../../serve/checking.js';
import { isFolder } from '../files/folder-watch.js';
import { readTokenFile } from '../files/token-file.js';
import { firstSignal } from '../running/configuration-line.js';
import { configuredEngine, NO_ENGINE } from '../running/configured-engine.js';
import { engineAccess, NAMESPACE } from '../running/engine-flags.js';
import { letIn, refusalsAsErrors, type StoreFlags, storeOf } from '../running/stored-runs.js';
import { type TypedFlags, unusedOnService } from '../running/unused-on-engine.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

export interface ServeFlags extends StoreFlags, Pick<TypedFlags, 'typed'> {
  readonly listen: { readonly host: string; readonly port: number };
  readonly programs?: string;
  readonly tokenFile?: string;
  readonly readOnly?: boolean;
  readonly allowText?: boolean;
  readonly userHeader?: string;
  readonly runs?: number;
  readonly jobs?: number;
  readonly grace: number;
  readonly quiet?: boolean;
  readonly json?: boolean;
  /** The id of a run: this process executes it for a service. */
  readonly execute?: string;
  /** This process checks a program for a service. */
  readonly check?: boolean;
}

/** What is done with the address of the page when the service listens. */
interface OpenedPage {
  /** The part of the page. */
  readonly path: string;
  readonly show: (address: string) => void;
}

export function serveCommand(flags: ServeFlags): Promise<ExitCode> {
  return refusalsAsErrors(() => serveUntilStopped(flags));
}

/** Rejects with a `RunRefused` or a `StoreError` if the service cannot start. */
export async function serveUntilStopped(flags: ServeFlags, shown?: OpenedPage): Promise<ExitCode> {
  const programs = resolve(flags.programs ?? '.');
  const directory = flags.dir === undefined ? resolve(programs, '.statedsl') : storeOf(flags);
  if (flags.execute !== undefined)
    return executeForService(flags.execute, { directory, programs, jobs: flags.jobs ?? 1 });
  if (flags.check === true) return checkForService({ dir: directory, folder: programs }, flags.on !== undefined);
  if (!isFolder(programs))
    return usageError(`there is no folder \`${programs}\``, 'name the folder of the programs with `--programs`');
  const { host, port } = flags.listen;
  if (!isLoopback(host) && flags.tokenFile === undefined)
    return usageError(
      `\`${host}\` can be reached from other machines, so the service needs a token`,
      'write a secret into a file that only you can read, and name it: `--token-file FILE`',
    );
  const on = flags.on ?? (await configuredEngine(join(programs, '-')));
  const engine = on === undefined || on === NO_ENGINE ? null : { on, namespace: flags.namespace ?? NAMESPACE };
  const unused = engine === null ? null : await unusedOnService(flags);
  if (unused !== null) return unused;
  const given = flags.tokenFile === undefined ? null : readTokenFile(flags.tokenFile);
  if (given !== null && 'problem' in given) return usageError(given.problem, given.help);
  const { defaultAtOnce, listen } = await import('../../serve/listen.js');
  const atOnce = flags.runs ?? defaultAtOnce();
  const options = {
    host,
    port,
    directory,
    programs,
    engine: engine === null ? null : { ...engine, ...engineAccess() },
    token: given?.token ?? null,
    isReadOnly: flags.readOnly === true,
    allowText: flags.allowText === true,
    userHeader: flags.userHeader ?? null,
    atOnce,
    jobs: flags.jobs ?? Math.max(atOnce, defaultAtOnce()),
    version: VERSION,
    warn: (message: string): void => void (flags.quiet !== true && stderr.write(`warning: ${message}\n`)),
  };
  let service: Awaited<ReturnType<typeof listen>>;
  try {
    service = await listen(options);
  } catch (cause) {
    const reason = whyNotListening(cause);
    if (reason === undefined) throw cause;
    return usageError(`cannot listen at ${host}:${port}: ${reason}`, 'choose another address with `--listen`');
  }
  findLauncher()?.holdScripts();
  // Before the address is printed: the service may be stopped as soon as it can be read.
  const signal = firstSignal(() => service.interrupt());
  const path = shown?.path ?? '/';
  const address = given === null ? `${service.address}${path}?token=${service.token}` : service.address;
  if (flags.json) stdout.write(`${JSON.stringify({ address, pid: process.pid })}\n`);
  else if (!flags.quiet) stderr.write(`listening at ${address}\n`);
  shown?.show(address);
  await signal;
  if (!flags.quiet)
    stderr.write(
      `stopping: ${engine === null ? 'runs that have not ended are continued at the next start' : 'runs continue on the engine'}\n`,
    );
  await service.stop(flags.grace);
  return EXIT.returned;
}

/** Undefined: the error is not about the address. */
export function whyNotListening(cause: unknown): string | undefined {
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  return {
    EADDRINUSE: 'something else listens there',
    EACCES: 'it is not permitted',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no such address',
  }[code];
}

async function executeForService(
  runId: string,
  about: { directory: string; programs: string; jobs: number },
): Promise<ExitCode> {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => controller.abort(name));
  process.on('SIGXFSZ', () => undefined);
  const { secret, parent, share } = decode(await text(process.stdin)) as unknown as {
    readonly secret: Readonly<Record<string, Json>>;
    /** Null: the run is executed whether it is still there or not. */
    readonly parent: number | null;
    readonly share: number;
  };
  const { executeRun } = await import('../../serve/executions/execute-run.js');
  const { askPermits, parentChannel, reportBegun } = await import('../../serve/executions/ask-permits.js');
  const permits = askPermits(parentChannel(), share);
  const isWanted = (): boolean => parent === null || process.ppid === parent;
  await executeRun({
    ...{ ...about, runId, secret, permits, isWanted },
    onBegun: reportBegun,
    onDebugger: letIn,
    signal: controller.signal,
  });
  return EXIT.returned;
}

/** Reads what is to be checked, and prints the result of the check. */
async function checkForService(own: FolderOptions, isOnEngine: boolean): Promise<ExitCode> {
  const { answerCheck, checkWith } = await import('../../serve/checking.js');
  const { openPrograms } = await import('../../app/open-runs.js');
  const { readJson } = await import('../../interpreter/values/json.js');
  const request = await text(process.stdin);
  const read = readJson(request);
  const wanted = (read.ok ? read.value : JSON.parse(request)) as CheckRequest;
  const programs = isOnEngine
    ? await (await import('../../engine/runs/start-on-engine.js')).programsForEngine(own)
    : openPrograms(own);
  stdout.write(JSON.stringify(await answerCheck(checkWith(programs), wanted)));
  return EXIT.returned;
}
