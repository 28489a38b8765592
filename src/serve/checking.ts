/**
 * Checks of programs for requests, and what runs of them spend on agents at most. They compute, and a long text takes long, so a
 * process of its own makes them, which is ended after a while: the service answers others meanwhile.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { diagnosticsToJson } from '../app/library/diagnostics.js';
import type { Programs, RunBounds } from '../app/programs.js';
import { type Result, refuse, resultWith } from '../app/result.js';
import { printJson } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import type { Limits } from '../machine/machine.js';

/** What a check answers. */
interface CheckedSource {
  readonly valid: boolean;
  readonly diagnostics: ReturnType<typeof diagnosticsToJson>;
}

type ProgramSource = Parameters<Programs['check']>[0];

/** A run whose bound is wanted, with numbers as they were written. */
interface PlannedRun {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly limits: Limits;
}

/** What the process is asked for: the bound of a run, or a check. */
export interface CheckRequest {
  readonly source: ProgramSource;
  readonly run?: PlannedRun;
}

export interface Checks {
  check(source: ProgramSource): Promise<Result<CheckedSource>>;
  /** As `bounds` of `Programs`. */
  bounds(source: ProgramSource, run: PlannedRun): Promise<Result<RunBounds | null>>;
}

/** Checks in this process. */
export function checkWith(programs: Pick<Programs, 'check' | 'bounds'>): Checks {
  return {
    async check(source) {
      const result = await programs.check(source);
      if (!result.ok) return result;
      return resultWith({ valid: result.value.isValid, diagnostics: diagnosticsToJson(result.value) });
    },
    bounds: (source, { inputs, limits }) => programs.bounds(source, inputs, limits),
  };
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
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
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
  return { check: (source) => ask({ source }), bounds: (source, run) => ask({ source, run }) };
}
