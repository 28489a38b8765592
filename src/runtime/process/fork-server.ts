/**
 * Starts commands from a small process. `fork` copies the page tables of its caller, which for this process takes
 * longer than starting a shell. `spawn` starts unusual commands, and all commands if there is no fork server or if it
 * has died.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { clockMs } from '../clock.js';
import { FORK_SERVER_SCRIPT } from './fork-server-script.js';

/** The Perl of the system. One on PATH may be a script of a version manager. */
const PERL = '/usr/bin/perl';
/** The numbers of system calls without a function in Perl: `setsid`, `rt_sigprocmask`, `signalfd4`, `mknodat`. */
const systemCalls: Readonly<Record<string, readonly string[]>> = {
  x64: ['112', '14', '289', '259'],
  arm64: ['157', '135', '74', '33'],
};
/** The maximum size of a request in bytes. Longer requests would make the server large, too. */
const REQUEST_CHARACTERS = 64 * 1024;
/** After a command that took longer than this in milliseconds, no child is made in advance: it would save nothing. */
const BRISK_MS = 50;
/** A command that reads its parent's pid means the runner, so `spawn` starts it. */
const asksForParent = /ppid/i;

/** The environment of a process. */
export interface ProcessVariables {
  /** The same object for many processes, so that it is sent and compared only once. */
  readonly shared: Readonly<Record<string, string>>;
  /** In addition to the shared ones, and instead of those with the same name. */
  readonly own: Readonly<Record<string, string>>;
}

export interface ForkRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly variables: ProcessVariables;
  /** The paths of named pipes that are open for reading. */
  readonly stdout: string;
  readonly stderr: string;
}

/** The end of a process. `startError`: the program was not executed, with the system's reason: `ENOENT`, `E2BIG`, … */
export interface ChildEnd {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly startError?: string;
}

/** A started process, which may have ended already. */
export interface StartedChild {
  readonly pid: number;
  /** The start time in clock ticks since the machine started; null if the system does not report it. */
  readonly startedAt: number | null;
  /** Calls the only listener when the process has ended; immediately if it has ended already. */
  onEnd(listener: (end: ChildEnd) => void): void;
}

export interface ForkServer {
  /**
   * Returns null if the server does not start the command; then nothing of it was executed. With `permission`, it prepares
   * everything at once, but executes the program only after that resolves with true.
   */
  start(request: ForkRequest, permission?: Promise<boolean> | null): Promise<StartedChild | null>;
  /** Creates named pipes. Rejects if the server cannot create them. */
  makePipes(paths: readonly string[]): Promise<void>;
  close(): void;
}

/** Null if this system has no fork server. The process starts with the first request. */
export function createForkServer(): ForkServer | null {
  const calls = process.platform === 'linux' ? systemCalls[process.arch] : undefined;
  return calls === undefined ? null : new PerlForkServer(calls);
}

interface Command {
  resolve: (child: StartedChild | null) => void;
  /** Null until the child has reported that it becomes the program. */
  pid: number | null;
  /** Null if the system does not report it; undefined until the server has answered. */
  startedAt?: number | null;
  child: ForkedChild | null;
  startError?: string;
  /** A time of `clockMs`. */
  begun?: number;
}

/** A child without a command, or with one that it must not execute yet. */
interface EarlyChild {
  readonly id: number;
  readonly command: Command;
  hasCommand: boolean;
}

interface Making {
  readonly resolve: () => void;
  readonly reject: (cause: Error) => void;
}

class PerlForkServer implements ForkServer {
  private server: ChildProcess | null = null;
  private control: Socket | null = null;
  /** Where a child that was made in advance reads its command, and whether it may execute it. */
  private messages: Socket | null = null;
  /** The child that was made in advance. There is at most one, because all of them read from the same socket. */
  private early: EarlyChild | null = null;
  /** Such a child ended before it had read its messages, which the next one would read. */
  private areMessagesLost = false;
  /** The last command took so little time that a child is made for the next one meanwhile. */
  private isBrisk = false;
  private isGone = false;
  private lastId = 0;
  private readonly commands = new Map<number, Command>();
  private readonly makings = new Map<number, Making>();
  /** The variables that the server gives to each command. */
  private shared: Readonly<Record<string, string>> | null = null;
  /** The beginning of an incomplete answer. */
  private rest = '';

  constructor(private readonly calls: readonly string[]) {}

  async start(request: ForkRequest, permission: Promise<boolean> | null = null): Promise<StartedChild | null> {
    const { program, args, cwd, variables, stdout, stderr } = request;
    const isUnusual = asksForParent.test(program) || args.some((word) => asksForParent.test(word));
    if (isUnusual || !this.isOpen() || !this.share(variables.shared)) return null;
    const own = flatten(variables.own);
    const fields = [stdout, stderr, cwd, String(own.length / 2), ...own, program, ...args];
    if (!isSendable(fields)) return null;
    if (permission !== null) {
      if (this.early?.hasCommand !== true && !this.areMessagesLost) return this.startEarly(fields, permission);
      return (await permission) ? this.start(request) : null;
    }
    const id = ++this.lastId;
    return new Promise((resolve) => {
      this.commands.set(id, { resolve, pid: null, child: null });
      this.send(this.control, ['r', String(id), ...fields]);
      this.stayAwake();
    });
  }

  private startEarly(fields: readonly string[], permission: Promise<boolean>): Promise<StartedChild | null> {
    const early = this.early ?? this.makeEarly();
    early.hasCommand = true;
    this.commands.set(early.id, early.command);
    this.send(this.messages, fields);
    this.stayAwake();
    void permission.then((mayBegin) => {
      if (this.early === early) this.send(this.messages, [mayBegin ? '1' : '0']);
    });
    return new Promise((resolve) => {
      early.command.resolve = resolve;
    });
  }

  private makeEarly(): EarlyChild {
    const id = ++this.lastId;
    const command: Command = { resolve: () => undefined, pid: null, child: null };
    this.early = { id, command, hasCommand: false };
    this.send(this.control, ['a', String(id)]);
    return this.early;
  }

  makePipes(paths: readonly string[]): Promise<void> {
    if (!this.isOpen()) return Promise.reject(new Error('there is no fork server'));
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.makings.set(id, { resolve, reject });
      this.send(this.control, ['p', String(id), ...paths]);
      this.stayAwake();
    });
  }

  close(): void {
    this.server?.kill('SIGKILL');
    this.control?.destroy();
    this.messages?.destroy();
    this.giveUp();
  }

  private isOpen(): boolean {
    if (this.server === null && !this.isGone) this.open();
    return !this.isGone;
  }

  private open(): void {
    // The server is in its own session, because signals of a terminal are meant for the runner.
    const server = spawn(PERL, ['-e', FORK_SERVER_SCRIPT, ...this.calls], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.server = server;
    server.on('error', () => this.giveUp());
    server.unref();
    // Absent if the process has no descriptor left. The error event follows.
    const [control, messages] = (server.stdio?.slice(3) ?? []) as Socket[];
    if (control === undefined || messages === undefined) return;
    this.control = control;
    this.messages = messages;
    control.unref();
    messages.unref();
    messages.on('error', () => undefined);
    // Otherwise a child that was made in advance would keep the control socket open.
    server.on('exit', () => messages.destroy());
    control.on('data', (bytes: Buffer) => this.take(bytes));
    // Every process that became its program reported it earlier, because it kept the other end open until then.
    control.on('close', () => this.giveUp());
    control.on('error', () => undefined);
  }

  /** Returns false if the variables cannot be sent. */
  private share(variables: Readonly<Record<string, string>>): boolean {
    if (variables === this.shared) return true;
    const fields = ['v', ...flatten(variables)];
    if (!isSendable(fields)) return false;
    this.shared = variables;
    this.send(this.control, fields);
    this.endEarly();
    return true;
  }

  /** Ends a child without a command, which has the variables of the time when it was made. */
  private endEarly(): void {
    if (this.early === null || this.early.hasCommand) return;
    this.early.hasCommand = true;
    this.send(this.messages, []);
  }

  private send(socket: Socket | null, fields: readonly string[]): void {
    const text = fields.length === 0 ? '' : `${fields.join('\0')}\0`;
    const length = Buffer.byteLength(text);
    const bytes = Buffer.allocUnsafe(4 + length);
    bytes.writeUInt32LE(length);
    bytes.write(text, 4);
    socket?.write(bytes);
  }

  /** Keeps this process alive only while it awaits an answer. */
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
    const { early } = this;
    const isEarly = early?.id === id;
    const command = isEarly ? early.command : this.commands.get(id);
    if (isEarly && (kind === 'S' || kind === 'X')) {
      this.early = null;
      this.areMessagesLost = kind === 'X' && value !== 0 && early.hasCommand;
    }
    if (command === undefined) return;
    if (kind === 'S') {
      command.pid = value;
      command.begun = clockMs();
      if (isEarly && this.isBrisk) this.makeEarly();
    } else if (kind === 'T') command.startedAt = value < 0 ? null : value;
    else if (kind === 'F') command.startError = getSystemErrorName(-value);
    else {
      this.commands.delete(id);
      const { startError, begun = 0 } = command;
      this.isBrisk = clockMs() - begun < BRISK_MS;
      endCommand(command, startError === undefined ? endOf(value) : { exit: null, signal: null, startError });
      return;
    }
    if (command.child === null && command.pid !== null && command.startedAt !== undefined) beginCommand(command);
  }

  /**
   * The end of a command that the dead server started is unknown: the command counts as killed, and its group is
   * stopped.
   */
  private giveUp(): void {
    this.isGone = true;
    this.early = null;
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

/** Without a pid, nothing of the command was executed. */
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

/** Names and values, in turn. */
function flatten(variables: Readonly<Record<string, string>>): string[] {
  const flat: string[] = [];
  for (const name of Object.keys(variables)) flat.push(name, variables[name] as string);
  return flat;
}

/** Fields end with a zero byte. The system would refuse such a byte inside a field. */
function isSendable(fields: readonly string[]): boolean {
  let length = 0;
  for (const field of fields) {
    if (field.includes('\0')) return false;
    length += field.length;
  }
  return length <= REQUEST_CHARACTERS;
}

/** The first name of a number is the usual one: `SIGABRT` comes before `SIGIOT`. */
const signalNames = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

/** Converts a status of `wait` to the form of Node. */
function endOf(status: number): ChildEnd {
  const signal = status & 0x7f;
  if (signal === 0) return { exit: status >> 8, signal: null };
  return { exit: null, signal: signalNames.get(signal) ?? `SIG${signal}` };
}
