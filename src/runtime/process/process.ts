/**
 * One process, from its start until it and its pipes are gone. Node's own spawn is used because every comfort of a
 * wrapper would have to be turned off here: its kill leaves grandchildren behind, its time-out hangs on the pipes they
 * hold, and its bookkeeping costs as much as starting a shell.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { clockMs } from '../clock.js';
import { errorCode } from '../store/store-error.js';
import { startTimer } from '../timer.js';
import type { PipePair, PipePool } from './pipes.js';
import { processStat, stopGroup } from './process-group.js';
import { closeQuietly } from './scratch.js';

/** Pipes may be held open by what a command left running; they are not waited for longer than this. */
const PIPES_MS = 2000;
const STOPPED_PIPES_MS = 100;

interface ProcessSpec {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Opened by the caller, closed here; null is an empty standard input. */
  readonly stdin: number | null;
  readonly timeoutMs: number | null;
  /** Exit codes after which background processes are left alone; after any other the group is stopped. */
  readonly ok: readonly number[] | 'any';
  readonly stop: AbortSignal;
  readonly pipes: PipePool;
  /** Holds the group while the process runs. */
  readonly groups: Set<number>;
  readonly onStdout: (bytes: Buffer) => void;
  readonly onStderr: (bytes: Buffer) => void;
  /** Told as soon as the process exists. When it throws, the process is stopped. */
  readonly onStart: (started: { readonly pid: number; readonly startedAt: number | null }) => void;
}

export type ProcessEnd =
  | {
      readonly kind: 'exited';
      readonly exit: number | null;
      readonly signal: string | null;
      /** Pipes were let go before their end. */
      readonly truncated: boolean;
      readonly durationMs: number;
    }
  | { readonly kind: 'timed-out'; readonly durationMs: number }
  /** `code` is the system's: `ENOENT`, `EACCES`, `E2BIG`, … */
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

/** Runs a process in a group of its own. Rejects only with what the listeners throw. */
export async function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  const pair = await spec.pipes.take();
  const begun = clockMs();
  if (spec.stop.aborted) return stoppedBefore(spec, pair);
  let child: ChildProcess;
  try {
    child = spawn(spec.program, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: [spec.stdin ?? 'ignore', pair?.stdout.childEnd ?? 'pipe', pair?.stderr.childEnd ?? 'pipe'],
    });
  } catch (cause) {
    pair?.release(true);
    return { kind: 'not-started', code: errorCode(cause), message: (cause as Error).message };
  } finally {
    // The child has its own copies; with ours open the pipes would never end.
    for (const end of [pair?.stdout.childEnd, pair?.stderr.childEnd, spec.stdin]) if (end != null) closeQuietly(end);
  }
  if (child.pid === undefined) return notStarted(child, pair);
  spec.groups.add(child.pid);
  return supervise(child, child.pid, pair, spec, begun);
}

function stoppedBefore({ stdin }: ProcessSpec, pair: PipePair | null): ProcessEnd {
  pair?.release(true);
  for (const end of [pair?.stdout.childEnd, pair?.stderr.childEnd, stdin]) if (end != null) closeQuietly(end);
  return { kind: 'not-started', code: 'ECANCELED', message: 'it was stopped before it started' };
}

/** The system's reason comes as an event, a moment later. */
function notStarted(child: ChildProcess, pair: PipePair | null): Promise<ProcessEnd> {
  pair?.release(true);
  return new Promise((resolve) => {
    child.on('error', (cause) => {
      resolve({ kind: 'not-started', code: errorCode(cause), message: cause.message });
    });
  });
}

/** Waits for the exit, then for the pipes; stops the group where that is due. */
function supervise(
  child: ChildProcess,
  pid: number,
  pair: PipePair | null,
  spec: ProcessSpec,
  begun: number,
): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    let stopping: Promise<void> | null = null;
    let failure: { readonly cause: unknown } | null = null;
    // Several reasons may meet, a time limit and an interruption for example; the group is stopped once.
    const stop = (): Promise<void> => {
      stopping ??= stopGroup(pid);
      return stopping;
    };
    const guard =
      <T>(listener: (value: T) => void) =>
      (value: T) => {
        if (failure !== null) return;
        try {
          listener(value);
        } catch (cause) {
          // A full disk, for example: the command must not go on as if it and its output were on record.
          failure = { cause };
          void stop();
        }
      };
    const streams = [pair?.stdout.reader ?? child.stdout, pair?.stderr.reader ?? child.stderr] as const;
    const pipes = drain(streams, [guard(spec.onStdout), guard(spec.onStderr)]);
    guard(spec.onStart)({ pid, startedAt: processStat(pid)?.startedAt ?? null });
    const cancelTimer =
      spec.timeoutMs === null
        ? () => undefined
        : startTimer(spec.timeoutMs, () => {
            timedOut = true;
            void stop();
          });
    const onStop = (): void => void stop();
    if (spec.stop.aborted) onStop();
    else spec.stop.addEventListener('abort', onStop, { once: true });
    child.on('exit', (exit, signal) => {
      void (async () => {
        cancelTimer();
        const durationMs = Math.round(clockMs() - begun);
        const accepted = !timedOut && (spec.ok === 'any' ? exit !== null : exit !== null && spec.ok.includes(exit));
        // A command that failed leaves nothing behind; what a successful one started may be meant to stay.
        if (!accepted) void stop();
        await stopping;
        spec.groups.delete(pid);
        // Of what was stopped nobody waits for the last words.
        const ended = await pipes.end(spec.stop.aborted ? STOPPED_PIPES_MS : PIPES_MS);
        pair?.release(ended);
        spec.stop.removeEventListener('abort', onStop);
        if (failure !== null) reject(failure.cause);
        else if (timedOut) resolve({ kind: 'timed-out', durationMs });
        else resolve({ kind: 'exited', exit, signal, truncated: !ended, durationMs });
      })();
    });
  });
}

/** Reads streams as they come; `end` waits for their ends and gives false when it had to let go. */
function drain(
  streams: readonly [Readable | null, Readable | null],
  listeners: readonly [(bytes: Buffer) => void, (bytes: Buffer) => void],
): { end(withinMs: number): Promise<boolean> } {
  let open = 0;
  let onDrained = (): void => undefined;
  streams.forEach((stream, index) => {
    if (stream === null) return;
    open++;
    stream.on('data', listeners[index] as (bytes: Buffer) => void);
    // A read error ends the stream like its end does, and there is nothing more to say about it.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      open--;
      if (open === 0) onDrained();
    });
  });
  return {
    end(withinMs) {
      if (open === 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const cancelTimer = startTimer(withinMs, () => {
          onDrained = () => undefined;
          for (const stream of streams) stream?.destroy();
          resolve(false);
        });
        onDrained = () => {
          cancelTimer();
          resolve(true);
        };
      });
    },
  };
}
