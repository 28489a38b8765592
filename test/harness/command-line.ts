/**
 * Command lines of statedsl, executed from the sources in this process: starting Node for each of them takes many times
 * longer than most of them do. A working directory and an environment belong to a process, so one comes after the other.
 * What is about processes (signals, standard input, exits, what modules print) needs the built program: `process.ts`.
 */
import { Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/command-line.js';
import { printTo, stdout } from '../../src/cli/terminal/streams.js';
import { dateWith } from './fast-time.js';
import type { Result } from './process.js';

export interface Surroundings {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** How much later than now its time of day is. Its timers are real. */
  readonly laterMs?: number;
  /** Whether standard error is a terminal. */
  readonly terminal?: boolean;
}

let last: Promise<unknown> = Promise.resolve();

/** What a command printed without a change of the stream. */
export interface Printed {
  readonly isError: boolean;
  readonly text: string;
}

export interface CommandResult extends Result {
  readonly code: number;
  /** Both streams in the order of a terminal. */
  readonly output: readonly Printed[];
}

/** Rejects with what the process would report as a bug. */
export function commandLine(args: readonly string[], surroundings: Surroundings): Promise<CommandResult> {
  const result = last.then(() => execute(args, surroundings));
  last = result.catch(() => undefined);
  return result;
}

async function execute(
  args: readonly string[],
  { cwd, env, laterMs = 0, terminal = false }: Surroundings,
): Promise<CommandResult> {
  const own = { cwd: process.cwd(), env: process.env, Date };
  const output: { isError: boolean; chunks: Buffer[] }[] = [];
  const collect = (isError: boolean): Writable =>
    new Writable({
      write(chunk: Buffer, _, done) {
        const last = output.at(-1);
        if (last?.isError === isError) last.chunks.push(chunk);
        else output.push({ isError, chunks: [chunk] });
        done();
      },
    });
  process.chdir(cwd);
  process.env = { ...env };
  if (laterMs > 0) globalThis.Date = dateWith(() => own.Date.now() + laterMs);
  printTo(collect(false), Object.assign(collect(true), { isTTY: terminal }));
  try {
    const code = await runCommandLine([process.execPath, 'statedsl', ...args]);
    await stdout.flush();
    const printed = output.map(({ isError, chunks }) => ({ isError, text: Buffer.concat(chunks).toString('utf8') }));
    return { code, stdout: textOf(printed, false), stderr: textOf(printed, true), output: printed };
  } finally {
    if (laterMs > 0) globalThis.Date = own.Date;
    process.env = own.env;
    process.chdir(own.cwd);
  }
}

function textOf(printed: readonly Printed[], wanted: boolean): string {
  return printed
    .filter(({ isError }) => isError === wanted)
    .map(({ text }) => text)
    .join('');
}
