/**
 * Checks of programs for requests, and what runs of them spend on agents at most. They compute, and a long text takes long, so a
 * process of its own makes them, which is ended after a while: the service answers others meanwhile.
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { diagnosticsToJson, findingsOf } from '../app/library/diagnostics.js';
import type { CheckedProgram, Programs, RunBounds } from '../app/programs.js';
import { type Result, refuse, resultWith } from '../app/result.js';
import { printJson } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import type { Limits } from '../machine/machine.js';

export { findingsOf };

/** What a check answers. */
interface CheckedSource {
  readonly valid: boolean;
  readonly diagnostics: ReturnType<typeof diagnosticsToJson>;
}

/** What agents learn about a program. */
interface ReviewedSource {
  readonly valid: boolean;
  /** In the order to mend them, as `check --json` gives them. */
  readonly findings: ReturnType<typeof findingsOf>;
  readonly inputs: ReturnType<typeof inputNames>;
  /** The text with the safe corrections, if they were wanted. */
  readonly corrected?: { readonly text: string; readonly fixed: number };
}

type ProgramSource = Parameters<Programs['check']>[0];

/** A run whose bound is wanted, with numbers as they were written. */
interface PlannedRun {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly limits: Limits;
}

/** What the process is asked for: the bound of a run, a review for an agent, or a check. */
export interface CheckRequest {
  readonly source: ProgramSource;
  readonly run?: PlannedRun;
  readonly review?: { readonly fix: boolean };
}

export interface Checks {
  /** Reading it takes so long, above all if it has errors, that it is checked here before it is read. */
  isLong(source: ProgramSource): boolean;
  check(source: ProgramSource): Promise<Result<CheckedSource>>;
  /** `fix`: with the safe corrections. */
  review(source: ProgramSource, fix: boolean): Promise<Result<ReviewedSource>>;
  /** As `bounds` of `Programs`. */
  bounds(source: ProgramSource, run: PlannedRun): Promise<Result<RunBounds | null>>;
}

/** What an agent has to know about the inputs of a program. */
export const inputNames = ({ inputs }: Pick<CheckedProgram, 'inputs'>) =>
  inputs.map(({ name, type, value, optional }) => ({
    name,
    ...(type === undefined ? {} : { type }),
    ...(value === undefined && optional !== true ? { required: true } : {}),
  }));

/** Checks in this process. */
export function checkWith(programs: Pick<Programs, 'check' | 'fix' | 'bounds'>): Checks {
  return {
    isLong: () => false,
    async check(source) {
      const result = await programs.check(source);
      if (!result.ok) return result;
      return resultWith({ valid: result.value.isValid, diagnostics: diagnosticsToJson(result.value) });
    },
    async review(source, fix) {
      const fixing = fix ? await programs.fix(source) : null;
      const result = fixing ?? (await programs.check(source));
      if (!result.ok) return result;
      const { isValid: valid } = result.value;
      const reviewed = { valid, findings: findingsOf(result.value), inputs: inputNames(result.value) };
      if (fixing?.ok !== true) return resultWith(reviewed);
      const { text, fixed } = fixing.value;
      return resultWith({ ...reviewed, corrected: { text, fixed } });
    },
    bounds: (source, { inputs, limits }) => programs.bounds(source, inputs, limits),
  };
}

/** Answers what a process that `checkInProcesses` has started was asked for. */
export function answerCheck(checks: Checks, { source, run, review }: CheckRequest): Promise<Result<unknown>> {
  if (run !== undefined) return checks.bounds(source, run);
  return review === undefined ? checks.check(source) : checks.review(source, review.fix);
}

const LONG_BYTES = 64 * 1024;

function sizeOf(source: ProgramSource, folder: string): number {
  if (typeof source !== 'string') return source.text.length;
  return statSync(resolve(folder, source), { throwIfNoEntry: false })?.size ?? 0;
}

interface CheckingOptions {
  /** What starts the process: it reads a `CheckRequest` as JSON, and writes the result as JSON. */
  readonly command: readonly [string, ...string[]];
  readonly folder: string;
  readonly limitMs?: number;
  readonly atOnce?: number;
}

const LIMIT_MS = 10_000;
const AT_ONCE = 2;
/** So many may wait for their turn. */
const MOST_WAITING = 16;

/** Checks in processes, a few at the same time. */
export function checkInProcesses({
  command: [program, ...words],
  folder,
  limitMs = LIMIT_MS,
  atOnce = AT_ONCE,
}: CheckingOptions): Checks {
  let running = 0;
  const waiting: (() => void)[] = [];
  const askNow = async (request: CheckRequest): Promise<Result<unknown>> => {
    const child = spawn(program, words, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    let isLate = false;
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, limitMs);
    try {
      child.stdin.on('error', () => undefined);
      child.stdin.end(printJson(request as unknown as Value));
      const failed = new Promise<string>((resolve) => child.once('error', () => resolve('')));
      const printed = await Promise.race([text(child.stdout), failed]);
      if (isLate)
        return refuse(
          'wrong-use',
          `checking the program takes longer than ${limitMs / 1000} s, so it was stopped`,
          'divide the program into smaller ones',
        );
      return JSON.parse(printed) as Result<unknown>;
    } catch {
      return refuse('unavailable', 'the process that checks the program has ended', 'try again');
    } finally {
      clearTimeout(timer);
      process.off('exit', kill);
    }
  };
  const ask = async <T>(request: CheckRequest): Promise<Result<T>> => {
    if (running >= atOnce) {
      if (waiting.length >= MOST_WAITING)
        return refuse('unavailable', 'too many programs are being checked', 'try again later');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return (await askNow(request)) as Result<T>;
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
  return {
    isLong: (source) => sizeOf(source, folder) > LONG_BYTES,
    check: (source) => ask({ source }),
    review: (source, fix) => ask({ source, review: { fix } }),
    bounds: (source, run) => ask({ source, run }),
  };
}
