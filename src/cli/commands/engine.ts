/** `statedsl engine`: the server of an engine in the foreground, for this machine only. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer, PackageProblem } from '../../engine/restate-sdk.js';
import { serverConfiguration } from '../../engine/server-configuration.js';
import { findLauncher } from '../../prelude/launcher.js';
import { clockMs } from '../../runtime/clock.js';
import { entryAt, writeOwn } from '../../runtime/store/own-file.js';
import { makeStore } from '../../runtime/store/store-ownership.js';
import { installedFrom } from '../running/installed-from.js';
import { STORE } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface ServerFlags {
  readonly dir?: string;
  readonly port: number;
  readonly adminPort: number;
  readonly nodePort: number;
  readonly partitions?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const PAUSE_MS = 100;
/** How long one question may take, and when a person learns that the server takes long to start. Milliseconds. */
const ANSWER_MS = 5000;
const LONG_MS = 15_000;
/** A server that is not well after so long is stopped. Milliseconds. */
const STARTING_MS = 600_000;
/** The last lines of the server's log, which say why it ended. */
const KEPT_LINES = 20;

export async function engineCommand(flags: ServerFlags): Promise<ExitCode> {
  let program: string;
  try {
    program = findServer(installedFrom(), process.env.PATH ?? '');
  } catch (cause) {
    if (!(cause instanceof PackageProblem)) throw cause;
    return usageError(cause.message, cause.help);
  }
  const directory = resolve(flags.dir ?? join(STORE, 'engine'));
  const ports = { ingressPort: flags.port, adminPort: flags.adminPort, nodePort: flags.nodePort };
  for (const [name, port] of Object.entries(ports) as [keyof typeof ports, number][]) {
    const free = await freePort(port);
    if (free === null)
      return usageError(`something else listens at 127.0.0.1:${port}`, 'choose other ports, or 0 for any free one');
    ports[name] = free;
  }
  const file = join(directory, 'restate.toml');
  try {
    makeStore(flags.dir === undefined ? resolve(STORE) : directory);
    if (flags.dir === undefined && entryAt(directory)?.isSymbolicLink()) throw new Error('its directory is a link');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeOwn(file, serverConfiguration(join(directory, 'data'), ports, flags));
  } catch (cause) {
    return usageError(`cannot write \`${file}\`: ${(cause as Error).message}`, 'choose another directory with `--dir`');
  }
  return serve(program, file, ports, flags);
}

/** The port, or a free one for 0; null: it is taken. */
function freePort(wanted: number): Promise<number | null> {
  return new Promise((found) => {
    const server = createServer();
    server.once('error', () => found(null));
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}

async function serve(
  program: string,
  file: string,
  { ingressPort, adminPort }: { readonly ingressPort: number; readonly adminPort: number },
  flags: ServerFlags,
): Promise<ExitCode> {
  const { execa } = await import('execa');
  const child = execa(program, ['--no-logo', '-c', file], {
    reject: false,
    stdin: 'ignore',
    buffer: false,
    all: true,
    extendEnv: false,
    env: serverEnvironment(flags),
  });
  const last: string[] = [];
  child.all.on('data', (chunk: Buffer) => {
    last.push(...chunk.toString().split('\n').filter(Boolean));
    last.splice(0, last.length - KEPT_LINES);
  });
  let isStopping = false;
  const ended = child.then(({ exitCode, failed, shortMessage }) => ({ exitCode, message: failed ? shortMessage : '' }));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      child.kill(isStopping ? 'SIGKILL' : 'SIGTERM');
      isStopping = true;
    });
  const on = `http://127.0.0.1:${ingressPort}`;
  const engine = `http://127.0.0.1:${adminPort}`;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const late = setTimeout(() => {
    if (!flags.quiet) stderr.write('the server is still starting\n');
  }, LONG_MS).unref();
  const isReady = await untilHealthy([`${engine}/health`, `${on}/restate/health`], () => isOver);
  clearTimeout(late);
  if (!isReady) child.kill('SIGTERM');
  findLauncher()?.holdScripts();
  if (isReady && flags.json) stdout.write(`${JSON.stringify({ on, engine, pid: process.pid })}\n`);
  else if (isReady && !flags.quiet)
    stderr.write(
      `ready\n  start a worker with: statedsl worker --engine ${engine}\n  run a program with: statedsl run FILE --on ${on}\n`,
    );
  const { exitCode, message } = await ended;
  if (isStopping) return EXIT.returned;
  await usageError(
    `the server ended${exitCode === undefined ? `: ${message}` : ` with exit code ${exitCode}`}`,
    `its configuration is \`${file}\`; it said:\n${last.join('\n')}`,
  );
  return EXIT.failed;
}

/** Variables of Restate would change the configuration, such as the address at which the server listens. */
function serverEnvironment({ quiet }: ServerFlags): Record<string, string | undefined> {
  const isOurs = ([name]: [string, unknown]): boolean => !/^RESTATE_/i.test(name);
  const all = Object.entries(process.env);
  const ignored = all.filter((one) => !isOurs(one)).map(([name]) => name);
  if (ignored.length > 0 && !quiet) stderr.write(`warning: the server does not get ${ignored.join(', ')}\n`);
  return {
    ...Object.fromEntries(all.filter(isOurs)),
    RESTATE_LOG_FORMAT: 'compact',
    RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
  };
}

/** False: it has ended before, or takes too long. */
async function untilHealthy(addresses: readonly string[], isOver: () => boolean): Promise<boolean> {
  const end = clockMs() + STARTING_MS;
  for (const address of addresses)
    while (!(await isHealthy(address))) {
      if (isOver() || clockMs() > end) return false;
      await sleep(PAUSE_MS);
    }
  return true;
}

async function isHealthy(address: string): Promise<boolean> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
  return answer?.ok === true;
}
