/**
 * Command lines of statedsl, executed from the sources in this process: starting Node for each of them takes many times
 * longer than most of them do. A working directory and an environment belong to a process, so one comes after the other.
 * What is about processes (signals, standard input, exits, what modules print) needs the built program: `process.ts`.
 */
import { Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/command-line.js';
import { printTo, stdout } from '../../src/cli/terminal/streams.js';
import type { Result } from './process.js';

export interface Surroundings {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

let last: Promise<unknown> = Promise.resolve();

export interface CommandResult extends Result {
  readonly code: number;
  /** Both streams, as a terminal would show them. */
  readonly output: string;
}

/** Rejects with what the process would report as a bug. */
export function commandLine(args: readonly string[], surroundings: Surroundings): Promise<CommandResult> {
  const result = last.then(() => execute(args, surroundings));
  last = result.catch(() => undefined);
  return result;
}

async function execute(args: readonly string[], { cwd, env }: Surroundings): Promise<CommandResult> {
  const own = { cwd: process.cwd(), env: process.env };
  const output: Buffer[] = [];
  const out = new Collected(output);
  const error = new Collected(output);
  process.chdir(cwd);
  process.env = { ...env };
  printTo(out, error);
  try {
    const code = await runCommandLine([process.execPath, 'statedsl', ...args]);
    await stdout.flush();
    return { code, stdout: out.text(), stderr: error.text(), output: textOf(output) };
  } finally {
    process.env = own.env;
    process.chdir(own.cwd);
  }
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];
  readonly #all: Buffer[];

  constructor(all: Buffer[]) {
    super();
    this.#all = all;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    this.#all.push(chunk);
    done();
  }

  text(): string {
    return textOf(this.#chunks);
  }
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');
