/**
 * Starts commands from a small process. `fork` copies the page tables of whoever calls it, which from this process takes
 * longer than the start of a shell. Whatever is unusual about a command is left to `spawn`, and so is every command when
 * there is no fork server, or none any more.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { FORK_SERVER_SCRIPT } from './fork-server-script.js';

/** That of the system: one on PATH may be a script of a version manager. */
const PERL = '/usr/bin/perl';
/** The system calls that Perl has no function for: `setsid`, `rt_sigprocmask`, `signalfd4`, `mknodat`. */
const systemCalls: Readonly<Record<string, readonly string[]>> = {
  x64: ['112', '14', '289', '259'],
  arm64: ['157', '135', '74', '33'],
};
/** Longer requests would make the server a large process, too. */
const REQUEST_CHARACTERS = 64 * 1024;
/** More variables than these that only one command has: all commands get them as long as they have the same. */
const FEW_VARIABLES = 16;
/** A command that asks for its parent means the runner, so it is spawned. */
const asksForParent = /ppid/i;

export interface ForkRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Paths of named pipes that are open for reading. */
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process ended. `startError`: it never became the program, for the system's reason: `ENOENT`, `E2BIG`, … */
export interface ChildEnd {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly startError?: string;
}

/** A process that was started; it may have ended already. */
export interface StartedChild {
  readonly pid: number;
  /** Clock ticks since the machine started; null where the system does not tell. */
  readonly startedAt: number | null;
  /** Calls the only listener when the process has ended, at once where it has. */
  onEnd(listener: (end: ChildEnd) => void): void;
}

export interface ForkServer {
  /** Null: the server does not start it, and nothing of it was executed. */
  start(request: ForkRequest): Promise<StartedChild | null>;
  /** Rejects where the server cannot make them. */
  makePipes(paths: readonly string[]): Promise<void>;
  close(): void;
}

/** Null where there is none. Its process is started with the first request. */
export function createForkServer(): ForkServer | null {
  const calls = process.platform === 'linux' ? systemCalls[process.arch] : undefined;
  return calls === undefined ? null : new PerlForkServer(calls);
}

interface Command {
  readonly resolve: (child: StartedChild | null) => void;
  /** Null: it has not said that it becomes its program. */
  pid: number | null;
  /** Null: the system does not tell; undefined: the server has not told yet. */
  startedAt?: number | null;
  child: ForkedChild | null;
  startError?: string;
}

interface Making {
  readonly resolve: () => void;
  readonly reject: (cause: Error) => void;
}

class PerlForkServer implements ForkServer {
  private server: ChildProcess | null = null;
  private control: Socket | null = null;
  private isGone = false;
  private lastId = 0;
  private readonly commands = new Map<number, Command>();
  private readonly makings = new Map<number, Making>();
  /** What all commands get. */
  private variables: Readonly<Record<string, string>> = {};
  /** The beginning of an answer whose end has not come yet. */
  private rest = '';

  constructor(private readonly calls: readonly string[]) {}

  start(request: ForkRequest): Promise<StartedChild | null> {
    const { program, args, cwd, env, stdout, stderr } = request;
    const isUnusual = asksForParent.test(program) || args.some((word) => asksForParent.test(word));
    if (isUnusual || !this.isOpen() || !this.shareVariables(env)) return Promise.resolve(null);
    const own = differingVariables(this.variables, env);
    const id = ++this.lastId;
    const fields = ['r', String(id), stdout, stderr, cwd, String(own.length / 2), ...own, program, ...args];
    if (!isSendable(fields)) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.commands.set(id, { resolve, pid: null, child: null });
      this.send(fields);
      this.stayAwake();
    });
  }

  makePipes(paths: readonly string[]): Promise<void> {
    if (!this.isOpen()) return Promise.reject(new Error('there is no fork server'));
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.makings.set(id, { resolve, reject });
      this.send(['p', String(id), ...paths]);
      this.stayAwake();
    });
  }

  close(): void {
    this.server?.kill('SIGKILL');
    this.control?.destroy();
    this.giveUp();
  }

  private isOpen(): boolean {
    if (this.server === null && !this.isGone) this.open();
    return !this.isGone;
  }

  private open(): void {
    // A session of its own: what a terminal sends to the runner is not meant for the server.
    const server = spawn(PERL, ['-e', FORK_SERVER_SCRIPT, ...this.calls], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    this.server = server;
    server.on('error', () => this.giveUp());
    server.unref();
    // None where the process has no descriptor left; the error follows.
    const control = server.stdio?.[3] as Socket | undefined;
    if (control === undefined) return;
    this.control = control;
    control.unref();
    control.on('data', (bytes: Buffer) => this.take(bytes));
    // Every process that became its program has said so before: it had the other end open until then.
    control.on('close', () => this.giveUp());
    control.on('error', () => undefined);
  }

  /** False: there is something in them that cannot be sent. */
  private shareVariables(env: Readonly<Record<string, string>>): boolean {
    const isShared =
      Object.keys(this.variables).every((name) => env[name] !== undefined) &&
      differingVariables(this.variables, env).length <= 2 * FEW_VARIABLES;
    if (isShared) return true;
    const fields = ['v', ...differingVariables({}, env)];
    if (!isSendable(fields)) return false;
    this.variables = env;
    this.send(fields);
    return true;
  }

  private send(fields: readonly string[]): void {
    const text = `${fields.join('\0')}\0`;
    const length = Buffer.byteLength(text);
    const bytes = Buffer.allocUnsafe(4 + length);
    bytes.writeUInt32LE(length);
    bytes.write(text, 4);
    this.control?.write(bytes);
  }

  /** The process must not end while an answer is awaited, and may end otherwise. */
  private stayAwake(): void {
    if (this.commands.size + this.makings.size > 0) this.control?.ref();
    else this.control?.unref();
  }

  private take(bytes: Buffer): void {
    const lines = (this.rest + bytes.toString('latin1')).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const [kind, ...numbers] = line.split(' ');
      const [id = 0, value = 0] = numbers.map(Number);
      if (kind === 'P') this.endMaking(id, value);
      else this.follow(kind, id, value);
    }
    this.stayAwake();
  }

  private endMaking(id: number, errno: number): void {
    const making = this.makings.get(id);
    this.makings.delete(id);
    if (errno === 0) making?.resolve();
    else making?.reject(new Error(getSystemErrorName(-errno)));
  }

  private follow(kind: string | undefined, id: number, value: number): void {
    const command = this.commands.get(id);
    if (command === undefined) return;
    if (kind === 'S') command.pid = value;
    else if (kind === 'T') command.startedAt = value < 0 ? null : value;
    else if (kind === 'F') command.startError = getSystemErrorName(-value);
    else {
      this.commands.delete(id);
      const { startError } = command;
      endCommand(command, startError === undefined ? endOf(value) : { exit: null, signal: null, startError });
      return;
    }
    if (command.child === null && command.pid !== null && command.startedAt !== undefined) beginCommand(command);
  }

  /** Nobody knows how a command ends that the server has started: it counts as killed, and its group is stopped. */
  private giveUp(): void {
    this.isGone = true;
    const commands = [...this.commands.values()];
    const makings = [...this.makings.values()];
    this.commands.clear();
    this.makings.clear();
    for (const command of commands) endCommand(command, { exit: null, signal: 'SIGKILL' });
    for (const { reject } of makings) reject(new Error('the fork server is gone'));
  }
}

function beginCommand(command: Command): void {
  command.child = new ForkedChild(command.pid as number, command.startedAt ?? null);
  command.resolve(command.child);
}

/** Without a pid nothing of it was executed. */
function endCommand(command: Command, end: ChildEnd): void {
  if (command.pid === null) command.resolve(null);
  else {
    if (command.child === null) beginCommand(command);
    command.child?.end(end);
  }
}

class ForkedChild implements StartedChild {
  private ended: ChildEnd | null = null;
  private listener: ((end: ChildEnd) => void) | null = null;

  constructor(
    readonly pid: number,
    readonly startedAt: number | null,
  ) {}

  onEnd(listener: (end: ChildEnd) => void): void {
    if (this.ended !== null) listener(this.ended);
    else this.listener = listener;
  }

  end(end: ChildEnd): void {
    this.ended = end;
    this.listener?.(end);
  }
}

/** Names and values, one after the other, that `shared` does not have. */
function differingVariables(
  shared: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const own: string[] = [];
  for (const name of Object.keys(env)) {
    const value = env[name] as string;
    if (value !== shared[name]) own.push(name, value);
  }
  return own;
}

/** Fields end at a zero byte, which the system would refuse in any of them. */
function isSendable(fields: readonly string[]): boolean {
  let length = 0;
  for (const field of fields) {
    if (field.includes('\0')) return false;
    length += field.length;
  }
  return length <= REQUEST_CHARACTERS;
}

/** The first name of a number is the usual one: `SIGABRT`, and then `SIGIOT`. */
const signalNames = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

/** What `wait` says, as Node says it. */
function endOf(status: number): ChildEnd {
  const signal = status & 0x7f;
  if (signal === 0) return { exit: status >> 8, signal: null };
  return { exit: null, signal: signalNames.get(signal) ?? `SIG${signal}` };
}
