/**
 * Every process that a test starts, with the same meaning of its output and its end: nothing is trimmed, no failure is
 * thrown, and no process outlives the worker that started it.
 */
import { dirname, join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { execa, execaSync } from 'execa';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The built program. */
export const cli = join(root, 'dist', 'cli.js');

export interface Result {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessOptions {
  readonly cwd?: string;
  /** The whole environment, not an addition to that of the tests. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly input?: string | Uint8Array;
  readonly timeout?: number;
}

interface StartOptions extends ProcessOptions {
  /** In a process group of its own, which can be killed as a whole. */
  readonly detached?: boolean;
  /** It has one more descriptor, 3, on which it and the test tell each other something. */
  readonly talks?: boolean;
}

/** A process that the test may read from and kill. */
export interface Started {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Descriptor 3 of a process that talks. */
  readonly talk: Duplex | null;
  kill(signal?: NodeJS.Signals): void;
  hasEnded(): boolean;
  readonly end: Promise<Result>;
}

const settingsOf = ({ env = process.env, input = '', ...rest }: ProcessOptions) =>
  ({ reject: false, stripFinalNewline: false, extendEnv: false, maxBuffer: 1 << 28, ...rest, env, input }) as const;

const TALKS = { stdio: ['pipe', 'pipe', 'pipe', 'pipe'], buffer: { fd3: false } } as const;

export function start(program: string, args: readonly string[], options: StartOptions = {}): Started {
  const { talks = false, ...others } = options;
  const child = execa(program, args, { ...settingsOf(others), ...(talks ? TALKS : {}) });
  const { pid, stdout, stderr } = child;
  if (pid === undefined) throw new Error(`cannot start ${program}`);
  let isOver = false;
  const end = child.then((ended) => {
    isOver = true;
    return resultOf(ended);
  });
  const talk = talks ? (child.stdio[3] as unknown as Duplex) : null;
  return { pid, stdout, stderr, talk, kill: (signal) => void child.kill(signal), hasEnded: () => isOver, end };
}

function resultOf({ exitCode, stdout, stderr }: { exitCode?: number } & Omit<Result, 'code'>): Result {
  return { code: exitCode ?? null, stdout, stderr };
}

/** Waits for the end of a process. The result includes its output. */
export const ended = ({ end }: Started): Promise<Result> => end;

export function runProgram(program: string, args: readonly string[], options: StartOptions = {}): Promise<Result> {
  return start(program, args, options).end;
}

/** For short commands that prepare a test. */
export function runProgramSync(program: string, args: readonly string[], options: ProcessOptions = {}): Result {
  return resultOf(execaSync(program, args, settingsOf(options)));
}

/** What a program that must succeed prints. */
export function output(program: string, args: readonly string[], options: ProcessOptions = {}): string {
  const { code, stdout, stderr } = runProgramSync(program, args, options);
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** As a user without any settings but a name and an address; hooks of the repository do not run. */
export function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgSign=false'];
  const maintenance = ['-c', 'maintenance.auto=false', '-c', 'gc.auto=0'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return output('git', [...identity, ...maintenance, '-c', 'core.hooksPath=/dev/null', ...args], { cwd, env });
}
