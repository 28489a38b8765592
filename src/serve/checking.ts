/**
 * Checks of programs for requests. They compute, and a long text takes long, so a process of its own makes them, which is ended
 * after a while: the service answers others meanwhile.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { diagnosticsToJson } from '../app/library/diagnostics.js';
import type { Programs } from '../app/programs.js';
import { type Result, refuse, resultWith } from '../app/result.js';

/** What a check answers. */
interface CheckedSource {
  readonly valid: boolean;
  readonly diagnostics: ReturnType<typeof diagnosticsToJson>;
}

type ProgramSource = Parameters<Programs['check']>[0];

export type CheckSource = (source: ProgramSource) => Promise<Result<CheckedSource>>;

/** Checks in this process. */
export const checkWith =
  (programs: Pick<Programs, 'check'>): CheckSource =>
  async (source) => {
    const result = await programs.check(source);
    if (!result.ok) return result;
    return resultWith({ valid: result.value.isValid, diagnostics: diagnosticsToJson(result.value) });
  };

interface CheckingOptions {
  /** What starts the process: it reads the source as JSON, and writes the result of a check as JSON. */
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
}: CheckingOptions): CheckSource {
  let running = 0;
  const waiting: (() => void)[] = [];
  const checkNow = async (source: ProgramSource): Promise<Result<CheckedSource>> => {
    const child = spawn(program, words, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, limitMs);
    try {
      child.stdin.on('error', () => undefined);
      child.stdin.end(JSON.stringify(source));
      const failed = new Promise<string>((resolve) => child.once('error', () => resolve('')));
      const printed = await Promise.race([text(child.stdout), failed]);
      if (isLate)
        return refuse(
          'wrong-use',
          `checking the program takes longer than ${limitMs / 1000} s, so it was stopped`,
          'divide the program into smaller ones',
        );
      return JSON.parse(printed) as Result<CheckedSource>;
    } catch {
      return refuse('unavailable', 'the process that checks the program has ended', 'try again');
    } finally {
      clearTimeout(timer);
    }
  };
  return async (source) => {
    if (running >= atOnce) {
      if (waiting.length >= MOST_WAITING)
        return refuse('unavailable', 'too many programs are being checked', 'try again later');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await checkNow(source);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
