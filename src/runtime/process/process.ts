/**
 * One process, from its start until it and its pipes have ended. A wrapper library would not help: its kill leaves grandchildren running, its time-out waits for the pipes
 * that they hold, and its bookkeeping takes as long as starting a shell.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { clockMs } from '../clock.js';
import type { StopSignal } from '../stop-signal.js';
import { errorCode } from '../store/store-error.js';
import { startTimer } from '../timer.js';
import type { Pipe, PipePair, PipePool } from './pipes.js';
import { processStat, stopGroup } from './process-group.js';
import { closeQuietly } from './scratch.js';

/** Processes that a command left running may hold its pipes open. This is the maximum time to wait for them. */
const PIPES_MS = 2000;
const STOPPED_PIPES_MS = 100;

/** The environment of a process. */
interface ProcessVariables {
  /** The same object for many processes. */
  readonly shared: Readonly<Record<string, string>>;
  /** In addition to the shared ones, and instead of those with the same name. */
  readonly own: Readonly<Record<string, string>>;
}

interface ProcessSpec {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly variables: ProcessVariables;
  /** Opened by the caller, closed here; null is an empty standard input. */
  readonly stdin: number | null;
  readonly timeoutMs: number | null;
  /** How long it may print nothing; absent or null: as long as it likes. */
  readonly idleMs?: number | null;
  /** Exit codes after which background processes continue. After any other exit code the group is stopped. */
  readonly ok: readonly number[] | 'any';
  readonly stop: StopSignal;
  readonly pipes: PipePool;
  /** The output is needed as soon as it arrives, and not only at the end. */
  readonly isLive: boolean;
  /** Contains the group while the process runs. */
  readonly groups: Set<number>;
  readonly onStdout: (bytes: Buffer) => void;
  readonly onStderr: (bytes: Buffer) => void;
  /** Called as soon as the process exists. If it throws, the process is stopped. */
  readonly onStart: (started: { readonly pid: number; readonly startedAt: number | null }) => void;
}

export type ProcessEnd =
  | {
      readonly kind: 'exited';
      readonly exit: number | null;
      readonly signal: string | null;
      /** The pipes were closed before their end. */
      readonly truncated: boolean;
      readonly durationMs: number;
    }
  /** `silent`: it printed nothing for `idleMs`. */
  | { readonly kind: 'timed-out'; readonly silent: boolean; readonly durationMs: number }
  /** `code` is the system's: `ENOENT`, `EACCES`, `E2BIG`, … */
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

/** A process with its output streams, and the actions at its end. */
interface RunningProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly read: (listeners: OutputListeners) => OutputStreams;
  readonly release: (ended: boolean) => void;
  readonly begun: number;
}

/** Runs a process in its own group. Rejects only with exceptions of the listeners. */
export async function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  const taken = spec.pipes.take();
  const pair = taken instanceof Promise ? await taken : taken;
  if (!spec.stop.aborted) return spawnProcess(spec, pair, clockMs());
  pair?.release(true);
  if (spec.stdin !== null) closeQuietly(spec.stdin);
  return { kind: 'not-started', code: 'ECANCELED', message: 'it was stopped before it started' };
}

async function spawnProcess(spec: ProcessSpec, pair: PipePair | null, begun: number): Promise<ProcessEnd> {
  const writeEnds = pair?.openWriteEnds() ?? null;
  let child: ChildProcess;
  try {
    child = spawn(spec.program, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.variables.shared, ...spec.variables.own },
      detached: true,
      stdio: [spec.stdin ?? 'ignore', writeEnds?.[0] ?? 'pipe', writeEnds?.[1] ?? 'pipe'],
    });
  } catch (cause) {
    pair?.release(true);
    return { kind: 'not-started', code: errorCode(cause), message: (cause as Error).message };
  } finally {
    // The child has its own copies. If ours stayed open, the pipes would never end.
    for (const end of [...(writeEnds ?? []), spec.stdin]) if (end !== null) closeQuietly(end);
  }
  const { pid } = child;
  if (pid === undefined) return notStarted(child, pair);
  if (pair !== null && writeEnds !== null) {
    const read = (listeners: OutputListeners): OutputStreams => readPipes(pair, listeners, spec.isLive);
    return supervise({ child, pid, read, release: pair.release, begun }, spec);
  }
  pair?.release(true);
  const read = (listeners: OutputListeners): OutputStreams => readStreams([child.stdout, child.stderr], listeners);
  return supervise({ child, pid, read, release: () => undefined, begun }, spec);
}

/** The system's reason arrives as an event a moment later. */
function notStarted(child: ChildProcess, pair: PipePair | null): Promise<ProcessEnd> {
  pair?.release(true);
  return new Promise((resolve) => {
    child.on('error', (cause) => {
      resolve({ kind: 'not-started', code: errorCode(cause), message: cause.message });
    });
  });
}

/** Waits for the exit and then for the pipes. Stops the group if necessary. */
function supervise({ child, pid, read, release, begun }: RunningProcess, spec: ProcessSpec): Promise<ProcessEnd> {
  spec.groups.add(pid);
  return new Promise((resolve, reject) => {
    let timedOut = false;
    let silent = false;
    let heardAt = begun;
    let stopping: Promise<void> | null = null;
    let failure: { readonly cause: unknown } | null = null;
    // Several reasons may coincide, such as a time limit and an interruption. The group is stopped only once.
    const stop = (): Promise<void> => {
      stopping ??= stopGroup(pid);
      return stopping;
    };
    const guard =
      <T>(listener: (value: T) => void) =>
      (value: T) => {
        heardAt = clockMs();
        if (failure !== null) return;
        try {
          listener(value);
        } catch (cause) {
          // For example a full disk: the command must not continue as if it and its output were recorded.
          failure = { cause };
          void stop();
        }
      };
    const streams = read([guard(spec.onStdout), guard(spec.onStderr)]);
    guard(spec.onStart)({ pid, startedAt: processStat(pid)?.startedAt ?? null });
    const cancelTimer =
      spec.timeoutMs === null
        ? () => undefined
        : startTimer(spec.timeoutMs, () => {
            timedOut = true;
            void stop();
          });
    const { idleMs = null } = spec;
    let cancelIdle = (): void => undefined;
    const listen = (idle: number): void => {
      const left = heardAt + idle - clockMs();
      if (left > 0) {
        cancelIdle = startTimer(Math.ceil(left), () => listen(idle));
        return;
      }
      // If its time is up as well, that is the reason.
      silent = !timedOut;
      timedOut = true;
      void stop();
    };
    if (idleMs !== null) listen(idleMs);
    const onStop = (): void => void stop();
    if (spec.stop.aborted) onStop();
    else spec.stop.addEventListener('abort', onStop, { once: true });
    const settle = async (exit: number | null, signal: string | null): Promise<void> => {
      cancelTimer();
      cancelIdle();
      const durationMs = Math.round(clockMs() - begun);
      const accepted = !timedOut && exit !== null && (spec.ok === 'any' || spec.ok.includes(exit));
      // A failed command must leave nothing running. Processes that a successful one started may be intended to stay.
      if (!accepted) void stop();
      if (stopping !== null) await stopping;
      spec.groups.delete(pid);
      // The remaining output of a stopped process is not needed.
      const ending = streams.end(spec.stop.aborted ? STOPPED_PIPES_MS : PIPES_MS);
      const ended = ending instanceof Promise ? await ending : ending;
      release(ended);
      spec.stop.removeEventListener('abort', onStop);
      if (failure !== null) reject(failure.cause);
      else if (timedOut) resolve({ kind: 'timed-out', silent, durationMs });
      else resolve({ kind: 'exited', exit, signal, truncated: !ended, durationMs });
    };
    child.on('exit', (exit, signal) => void settle(exit, signal));
  });
}

type OutputListeners = readonly [(bytes: Buffer) => void, (bytes: Buffer) => void];

interface OutputStreams {
  /**
   * Call it when the command has ended. Waits for the ends of its pipes if they have not ended; resolves with false if one
   * did not end in time.
   */
  end(withinMs: number): boolean | Promise<boolean>;
}

/** A pipe holds 64 KiB, so a command that prints more waits for at most this time. */
const UNWATCHED_MS = 4;
const PIPE_BYTES = 64 * 1024;
/** How often the pipe of an ended command may be full before it is watched like any other. */
const MOST_READS = 4;

/**
 * Reads the output of a command while it runs and after it has ended. A pipe is watched only if its command takes some
 * time, or if its output is displayed. Most commands end earlier, and then their pipes contain all output. Call it when
 * the command has opened the pipes. `isLive`: output is needed as soon as it arrives.
 */
function readPipes({ stdout, stderr }: PipePair, listeners: OutputListeners, isLive: boolean): OutputStreams {
  let watched: OutputStreams | null = null;
  const watch = (): OutputStreams => {
    watched ??= readStreams([stdout.reader(), stderr.reader()], listeners);
    return watched;
  };
  if (isLive) return watch();
  const cancelTimer = startTimer(UNWATCHED_MS, watch);
  return {
    end(withinMs) {
      cancelTimer();
      const [onStdout, onStderr] = listeners;
      if (watched === null && readRest(stdout, onStdout) && readRest(stderr, onStderr)) return true;
      return watch().end(withinMs);
    },
  };
}

const room = Buffer.allocUnsafeSlow(PIPE_BYTES);

/** Returns true if there are no writers left and everything was read. */
function readRest({ readEnd }: Pipe, listener: (bytes: Buffer) => void): boolean {
  try {
    for (let count = 0; count < MOST_READS; count++) {
      const length = readSync(readEnd, room);
      if (length === 0) return true;
      listener(Buffer.from(room.subarray(0, length)));
    }
  } catch {
    // `EAGAIN`: a process that the command started still has the pipe open.
  }
  return false;
}

/** Reads streams as data arrives. */
function readStreams(streams: readonly [Readable | null, Readable | null], listeners: OutputListeners): OutputStreams {
  let open = 0;
  let onDrained = (): void => undefined;
  streams.forEach((stream, index) => {
    if (stream === null) return;
    open++;
    stream.on('data', listeners[index] as (bytes: Buffer) => void);
    // A read error ends the stream. It needs no report.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      open--;
      if (open === 0) onDrained();
    });
  });
  return {
    end(withinMs) {
      if (open === 0) return true;
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
