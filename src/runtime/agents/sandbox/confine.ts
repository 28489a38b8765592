/**
 * Puts the program of an agent into a sandbox: it reads everything, writes only where the agent works and where its program keeps
 * its sessions, and with `strict` reaches only named hosts. What the system cannot enforce is refused.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Scratch } from '../../process/scratch.js';
import { type Environment, findProgram, type ProgramCommand, SYSTEM_PATH } from '../../process/shell.js';
import type { Adapter, AgentCall } from '../programs/adapter.js';
import { bridgeCommand } from '../programs/bridge-stream.js';
import { type HostDoor, openHostDoor } from './named-hosts.js';
import { isBelow, limitPaths, type PathLimits, realOf, repositoryOf } from './path-limits.js';
import { proxyVariables } from './proxy-variables.js';
import { findSandbox, NAMESPACES } from './sandbox-program.js';

export interface ConfinedCommand {
  readonly command: ProgramCommand;
  /** Call it when the program has ended. */
  close(): void;
}

interface SandboxContext {
  readonly inherited: Environment;
  readonly scratch: Scratch;
  readonly runFolder: string | null;
  readonly notice: (text: string) => void;
}

/** Where a system has files for as long as it runs: a confined program has empty folders of its own there. */
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm', '/run'] as const;
/** Not the whole folder: some programs refuse a home that is below it. */
const OWN_TEMPORARY = '/tmp/agent';
/** Longer names of sockets are cut off by the system. */
const SOCKET_NAME = 100;

export async function confine(
  adapter: Adapter,
  call: AgentCall,
  command: ProgramCommand,
  around: SandboxContext,
): Promise<ConfinedCommand | { readonly reason: string }> {
  const { configuration, name } = call;
  const { sandbox, hosts = [] } = configuration;
  const { inherited, scratch, runFolder, notice } = around;
  const refuse = (why: string): { reason: string } => ({
    reason: `the agent \`${name}\` has \`sandbox: ${sandbox}\`, and ${why}`,
  });
  const found = await findSandbox(inherited.PATH);
  if ('reason' in found) return refuse(found.reason);
  const [program = '', ...args] = command.argv;
  const path = program.includes('/') ? program : findProgram(program, inherited.PATH ?? SYSTEM_PATH);
  if (path === null || !existsSync(path))
    return {
      reason: `cannot start: the program \`${program}\` ${path === null ? 'is not on PATH' : 'does not exist'}`,
    };
  const paths = limitPaths({ ...call, folders: adapter.folders ?? [], runFolder, inherited });
  const isStrict = sandbox === 'strict';
  let door: HostDoor | null = null;
  let forwarder: readonly string[] = [];
  let proxy: Record<string, string> = {};
  if (isStrict && hosts.length > 0) {
    const inside = found.name === 'bwrap' ? bridgeCommand('hosts') : null;
    if (found.name === 'bwrap' && inside === null) return refuse('the part that lets named hosts through is not built');
    const socket = found.name === 'bwrap' ? scratch.path('hosts') : null;
    if (socket !== null && Buffer.byteLength(socket) > SOCKET_NAME)
      return refuse(`the name of the folder for temporary files is too long for a socket: \`${socket}\``);
    const token = socket === null ? randomBytes(16).toString('hex') : null;
    const reported = new Set<string>();
    door = await openHostDoor({
      hosts,
      socket,
      token,
      inherited,
      onRefused: (host) => {
        if (!reported.has(host)) notice(`the sandbox of \`${name}\` refused ${host}; \`hosts\` does not name it`);
        reported.add(host);
      },
    });
    if (socket !== null) forwarder = [...(inside ?? []), socket];
    else proxy = proxyVariables(`http://agent:${token}@127.0.0.1:${door.at}`);
  }
  const confined: Confinement = { call, paths, isStrict, door, forwarder, scratch };
  const wrapped =
    found.name === 'bwrap'
      ? bubblewrap([found.path, path, ...args], confined, inherited)
      : sandboxExec([found.path, path, ...args], confined);
  return {
    command: { argv: wrapped.argv, env: { ...command.env, ...wrapped.env, ...proxy } },
    close() {
      door?.close();
      for (const made of paths.missing.filter((one) => existsSync(one)))
        notice(`\`${name}\` made \`${made}\`, which others obey outside of the sandbox: look at it`);
    },
  };
}

interface PathLayer {
  readonly path: string;
  readonly isWritten: boolean;
}

/** Each after what it lies in: a folder may be written, something in it only read, and something in that written again. */
function layersOf({ writes, reads }: Pick<PathLimits, 'writes' | 'reads'>): PathLayer[] {
  const layers = [
    ...writes.map((path) => ({ path, isWritten: true })),
    ...reads.map((path) => ({ path, isWritten: false })),
  ];
  return layers.sort((one, other) => one.path.length - other.path.length);
}

interface Confinement {
  readonly call: AgentCall;
  readonly paths: PathLimits;
  readonly isStrict: boolean;
  readonly door: HostDoor | null;
  /** What passes connections on, inside. */
  readonly forwarder: readonly string[];
  readonly scratch: Scratch;
}

type Wrapped = ProgramCommand;

/** Mounts: later ones lie on top of earlier ones. */
function bubblewrap(
  [bwrap = '', ...argv]: readonly string[],
  { call, paths, isStrict, door, forwarder }: Confinement,
  inherited: Environment,
): Wrapped {
  const { directory, folder, out } = call;
  const words = [...forwarder, ...argv];
  const temporary = TEMPORARY.filter((path) => existsSync(path)).map(realOf);
  // What the program needs to read in the folders that are emptied.
  const needed = [
    ...(inherited.PATH ?? SYSTEM_PATH).split(':'),
    ...[inherited.HOME ?? '', folder ?? '', repositoryOf(directory) ?? '', dirname(out)],
    ...words.filter((word) => isAbsolute(word) && existsSync(word)).map(dirname),
    ...['/etc/resolv.conf', '/run/nscd'].map(realOf).map((path) => (path === '/run/nscd' ? path : dirname(path))),
  ].map((path) => (isAbsolute(path) ? realOf(path) : path));
  const again = [...new Set(needed)].filter(
    (path) => isAbsolute(path) && existsSync(path) && temporary.some((one) => path !== one && isBelow(path, one)),
  );
  const mount = (flag: string, paths: readonly string[]): string[] => paths.flatMap((path) => [flag, path, path]);
  return {
    argv: [
      bwrap,
      ...NAMESPACES,
      ...(isStrict ? [] : ['--share-net']),
      ...mount('--ro-bind', ['/']),
      ...['--dev', '/dev', '--proc', '/proc'],
      ...temporary.flatMap((path) => ['--tmpfs', path]),
      ...['--dir', OWN_TEMPORARY],
      ...mount('--ro-bind', again.sort()),
      ...(door === null || typeof door.at === 'number' ? [] : mount('--bind', [door.at])),
      ...layersOf(paths).flatMap(({ path, isWritten }) => mount(isWritten ? '--bind' : '--ro-bind', [path])),
      ...['--chdir', realOf(directory), '--'],
      ...words,
    ],
    env: { TMPDIR: OWN_TEMPORARY },
  };
}

/** Rules: the last one that fits decides. */
function sandboxExec(
  [program = '', ...argv]: readonly string[],
  { call, paths, isStrict, door, scratch }: Confinement,
): Wrapped {
  const temporary = scratch.path('tmp');
  mkdirSync(temporary, { mode: 0o700 });
  const profile = sandboxProfile({
    writes: [...paths.writes, realpathSync(temporary)],
    reads: paths.reads,
    network: isStrict ? (typeof door?.at === 'number' ? door.at : 'none') : 'all',
    directory: realOf(call.directory),
  });
  return { argv: [program, '-p', profile, ...argv], env: omitUndefined({ TMPDIR: temporary }) };
}

interface ProfileFacts {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** A port of the loopback address: nothing else. */
  readonly network: 'all' | 'none' | number;
  readonly directory: string;
}

/** The rules of sandbox-exec, in the language of its profiles. */
export function sandboxProfile({ writes, reads, network, directory }: ProfileFacts): string {
  const quote = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`;
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (literal "/dev/dtracehelper") (subpath "/dev/fd"))',
    ...layersOf({ writes, reads }).map(
      ({ path, isWritten }) => `(${isWritten ? 'allow' : 'deny'} file-write* (subpath ${quote(path)}))`,
    ),
    // Otherwise the folder itself could be moved away, with what must not be changed.
    `(deny file-write-unlink (literal ${quote(directory)}))`,
    ...(network === 'all' ? [] : ['(deny network*)']),
    ...(typeof network === 'number' ? [`(allow network-outbound (remote ip "localhost:${network}"))`] : []),
  ].join('\n');
}
