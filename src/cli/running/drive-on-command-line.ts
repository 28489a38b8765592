/**
 * A run on the command line: its progress is shown, Ctrl-C interrupts it, a person at the terminal can answer its
 * questions, and its end becomes output and an exit code.
 */
import { closeSync, readSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import type { FollowOptions } from '../../app/execution-options.js';
import { OperationRefused } from '../../app/result.js';
import type { RunEvent } from '../../interpreter/events/event.js';
import type { EffectRequest } from '../../interpreter/request.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { AskHandler } from '../../runtime/run/drive-options.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import { type RunReport, reportJson } from '../../runtime/run/run-report.js';
import { Stopper, type StopSignal } from '../../runtime/stop-signal.js';
import { artifactsFolder } from '../../runtime/store/artifacts.js';
import { journalLine } from '../../runtime/store/journal-line.js';
import { lastEvents } from '../../runtime/store/journal-lines.js';
import { openOwn } from '../../runtime/store/own-file.js';
import type { KeyHolder } from '../../runtime/store/run-keys.js';
import type { Paint } from '../../views/drawing/paint.js';
import { endProcess } from '../end-process.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { reserveStdout, stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { announceStart } from './detach.js';
import { gatherEvents, type Progress, showProgress, silent } from './progress.js';
import { closingLines, exitCodeOf, returnedText } from './report-run.js';

/** Without a person at the terminal, a longer wait suspends the run and frees the process. */
const SUSPEND_UNATTENDED_MS = 10_000;
/** The part of a journal in which requests of running effects are looked up. */
const RECORD_BYTES = 256 * 1024;
/** Enough of an artifact for the lines that are shown of it. */
const HEAD_BYTES = 8192;

/** Flags for what is shown and where runs are stored: the same for every command that drives a run. */
export interface ShowFlags {
  readonly json?: boolean;
  readonly events?: boolean;
  /** With `json`: shows the log next to the object. */
  readonly log?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly dir?: string;
  /** Milliseconds. */
  readonly suspendAfter?: number | 'never';
  /** The address of the engine that has the run. */
  readonly on?: string;
  readonly namespace?: string;
  /** The flags that were typed, as attributes. */
  readonly typed?: readonly string[];
}

/** The log next to the object of `--json` is for terminals, or for those who ask for it; errors are always printed. */
export function withoutLog<T extends ShowFlags>(flags: T): T {
  return flags.json === true && flags.log !== true && !stderr.terminal ? { ...flags, quiet: true } : flags;
}

/** Reports contradicting flags as wrong usage; null if there are none. */
export async function flagProblem(
  flags: ShowFlags & { readonly detach?: boolean; readonly home?: string },
): Promise<ExitCode | null> {
  if (flags.home !== undefined && flags.on === undefined)
    return usageError('`--home` names workers of an engine', 'name the engine with `--on`');
  if (flags.log === true && flags.json !== true)
    return usageError('`--log` shows the log next to the object of `--json`', 'add `--json`, or leave out `--log`');
  if (flags.log === true && flags.quiet === true)
    return usageError('`--log` and `--quiet` cannot be used together', 'choose one of them');
  if (flags.json && flags.events)
    return usageError('`--json` and `--events` cannot both use standard output', 'choose one of them');
  if (flags.detach && flags.events)
    return usageError('`--events` cannot be used with `--detach`, which does not wait for events');
  return null;
}

/** What shows a run and can stop it. */
type ShownOptions = Pick<
  RunOptions,
  | 'onEvent'
  | 'onOutput'
  | 'onNotice'
  | 'onUnsent'
  | 'ask'
  | 'person'
  | 'through'
  | 'signal'
  | 'kill'
  | 'onStart'
  | 'onKeyBusy'
  | 'onEnd'
  | 'ownProcess'
> &
  Pick<FollowOptions, 'onSilence'>;

interface DrivenRun {
  readonly flags: ShowFlags;
  readonly background: boolean;
  /** A cassette gives all outcomes, so that nothing can be resumed. */
  readonly isPlayed?: boolean;
  /** The part of the Machine that supplies its name. */
  readonly program: Pick<Machine, 'name' | 'workflow'>;
  /** The source texts that the picture of a failure shows. */
  readonly sources: () => SourceSet;
  /** Whether something else executes the run, and continues it after an interruption; default: if an engine has it. */
  readonly isElsewhere?: boolean;
  /** What is said if no worker begins the run. */
  readonly missing?: () => string;
  /** Drives or follows the run with these options. */
  readonly drive: (options: ShownOptions) => Promise<RunReport>;
}

/** Drives a run to its end, a suspension or an interruption. Rejects if `drive` rejects. */
export async function driveOnCommandLine({
  flags,
  background,
  isPlayed = false,
  program,
  sources,
  isElsewhere = flags.on !== undefined,
  missing,
  drive,
}: DrivenRun): Promise<ExitCode> {
  const { name: machine, workflow } = program;
  const stateless = workflow !== undefined;
  reserveStdout();
  let folder: string | null = null;
  let isStored = isElsewhere;
  let started: string | null = null;
  const outputOf = (effect: string, ofStderr: boolean): string | null => {
    if (folder === null) return null;
    const words = ['statedsl output', ...repeatedFlags(flags), basename(folder), `effect:${effect}`];
    return [...words, ...(ofStderr ? ['--stderr'] : [])].join(' ');
  };
  const elsewhere = isElsewhere ? await import('./elsewhere.js') : null;
  const head = (artifact: string): string | null =>
    folder === null ? null : headOf(join(artifactsFolder(folder), artifact));
  const paint = await stderr.paint();
  const shown = !flags.quiet && !background;
  const asks = canAsk() && !background;
  const progress = shown
    ? await showProgress({
        stream: stderr,
        paint,
        outputOf,
        head,
        asks,
        stateless,
        verbose: flags.verbose === true,
      })
    : silent;
  const kill = new Stopper();
  const interruption = onInterruption(
    (reason) => {
      if (!isElsewhere) progress.line(paint.warning(`stopping (${reason}); interrupt again to stop at once`));
    },
    () => kill.abort(),
  );
  // When the reader goes away, the run is interrupted without a message.
  stdout.onBroken(() => {
    progress.end();
    interruption.interrupt('the reader of the output went away');
  });
  const closing = (report: RunReport): readonly string[] => {
    if (elsewhere === null || report.status !== 'interrupted' || !interruption.signal.aborted)
      return closingLines(report, repeatedFlags(flags), paint, isPlayed);
    return elsewhere.leftAlone(report.run_id, { hasBegun: started !== null, flags: repeatedFlags(flags), paint });
  };
  const listening = listeners(progress, flags, shown);
  let isReported = false;
  const printEnd = async (report: RunReport): Promise<void> => {
    if (isReported) return;
    isReported = true;
    listening.flush();
    // A run without a directory never started, so there are no closing lines.
    if (isStored) for (const line of closing(report)) progress.line(line);
    progress.end();
    // In the background, only a run that never started is reported here, because it has no journal.
    if (!background || folder === null) await printReport(report, sources(), flags, paint);
    await stdout.flush();
  };
  const followed: ShownOptions = {
    ...listening.options,
    ...(asks ? { ask: askOptions(progress, interruption), through: 'terminal' } : {}),
    signal: interruption.signal,
    onStart: (begun) => {
      started = begun.runId;
      folder = begun.folder;
      isStored = folder !== null || isElsewhere;
      if (shown) for (const event of requestsAgain(folder, begun.again ?? [])) progress.event(event);
      if (background) announceStart({ runId: begun.runId, machine });
    },
  };
  const onSilence = elsewhere?.silenceLines(missing, (line) => {
    if (!flags.quiet) stderr.write(`${line}\n`);
  });
  const onUnsent = (text: string): void => void stderr.write(`${paint.warning('warning')}: ${text}\n`);
  const options: ShownOptions =
    elsewhere === null
      ? {
          ...followed,
          onEnd: printEnd,
          onKeyBusy: (holder, key) => void sayBusy(holder, key, { progress, isShown: shown, paint }),
          onNotice: (effect, text) => progress.notice(effect, text),
          onUnsent,
          ...omitUndefined({
            // Looking up a name takes longer than a small run, and only an answer needs it.
            person: asks ? personName() : undefined,
            onOutput: progress.output ?? undefined,
          }),
          kill: kill.signal,
          ownProcess: true,
        }
      : { ...followed, person: personName(), onUnsent, ...omitUndefined({ onSilence }) };
  let report: RunReport;
  try {
    report = await drive(options);
  } catch (cause) {
    if (started === null || elsewhere === null || !(cause instanceof OperationRefused)) throw cause;
    // The run is on record, so a failure here is not one of the command line.
    const words = ['statedsl show', started, '--follow', ...repeatedFlags(flags)];
    await usageError(cause.message, `run \`${started}\` is on record; follow it with: \`${words.join(' ')}\``);
    return EXIT.failed;
  } finally {
    interruption.release();
  }
  await printEnd(report);
  return exitCodeOf(report);
}

/** A run that waits for one that nobody executes says so in any case: it could wait forever. */
async function sayBusy(
  holder: KeyHolder,
  key: string,
  { progress, isShown, paint }: { readonly progress: Progress; readonly isShown: boolean; readonly paint: Paint },
): Promise<void> {
  const { aboutHolder } = await import('../../runtime/store/run-keys.js');
  const about = aboutHolder(holder);
  const words = `run ${holder.run_id} has the key \`${key}\`${about === null ? ', and this run waits for it' : `: ${about}`}`;
  if (isShown) progress.line(about === null ? words : paint.warning(words));
  else if (about !== null) stderr.write(`${words}\n`);
}

/**
 * The requests of effects that are started again: they are already in the journal, so no new event would show them. The
 * recorded request has its values without secrets. If it is not near the end of the journal, the log shows the
 * instruction as written.
 */
function requestsAgain(folder: string | null, again: readonly EffectRequest[]): RunEvent[] {
  if (again.length === 0) return [];
  const recorded = folder === null ? [] : lastEvents(join(folder, 'journal.ndjson'), RECORD_BYTES);
  return again.map((request) => {
    const isSame = (event: RunEvent): boolean =>
      event.type === 'effect_requested' && event.effect === request.effect && event.attempt === request.attempt;
    return recorded.find(isSame) ?? requestedEvent(request);
  });
}

/** The event of a request without its values. */
function requestedEvent(request: EffectRequest): RunEvent {
  const { effect, kind, attempt } = request;
  const about = 'tool' in request ? request : { tool: null, text: '', state: '', line: 0 };
  const { tool, text, state, line } = about;
  const step =
    request.kind === 'agent' ? request.step : request.kind === 'shell' ? request.env.STATEDSL_STEP : undefined;
  const part = step === undefined ? {} : { step };
  return { type: 'effect_requested', effect, kind, attempt, tool, text, state, line, ...part };
}

interface Listeners {
  readonly options: Pick<RunOptions, 'onEvent'>;
  readonly flush: () => void;
}

/** No listener if nothing is shown: then a run keeps no record of its events in memory. */
function listeners(progress: Progress, flags: ShowFlags, shown: boolean): Listeners {
  if (!flags.events)
    return { options: shown ? { onEvent: (event) => progress.event(event) } : {}, flush: () => undefined };
  const lines = gatherEvents((text) => stdout.write(text));
  return {
    options: {
      onEvent: (event, { seq, time, recorded, hash }) => {
        lines.add(`${journalLine(recorded, seq, time, hash)}\n`);
        progress.event(event);
      },
    },
    flush: lines.flush,
  };
}

/** What the flag says, and what applies where nothing does: a person at a terminal can wait; an unattended process is suspended. */
export function suspendOptions(
  { suspendAfter }: ShowFlags,
  background: boolean,
): { readonly suspendAfterMs?: number | null; readonly otherwiseSuspendAfterMs?: number | null } {
  if (suspendAfter !== undefined) return { suspendAfterMs: suspendAfter === 'never' ? null : suspendAfter };
  const unattended = background || (process.env.CI !== undefined && !['', '0', 'false'].includes(process.env.CI));
  if (stderr.terminal) return { otherwiseSuspendAfterMs: null };
  return unattended ? { otherwiseSuspendAfterMs: SUSPEND_UNATTENDED_MS } : {};
}

function askOptions(progress: Progress, interruption: Interruption): AskHandler {
  return async (question, signal) => {
    progress.pause();
    const { askOnTerminal } = await import('./ask.js');
    const reply = await askOnTerminal(question, signal);
    if (reply === 'interrupted') interruption.interrupt('SIGINT');
    return typeof reply === 'string' ? null : reply.answer;
  };
}

/** A person can be asked only if both input and output are a terminal. */
export function canAsk(): boolean {
  // Checked last, because accessing stdin creates a stream, which takes longer than a small program.
  return stderr.terminal && process.stdin.isTTY === true;
}

async function printReport(report: RunReport, sources: SourceSet, flags: ShowFlags, paint: Paint): Promise<void> {
  // A person who rolls back a run already knows why it failed.
  if (report.error !== null && report.rollback === undefined) {
    const { failureText } = await import('./report-run.js');
    stderr.write(failureText(report.error, sources, paint));
  }
  if (flags.json) stdout.write(`${reportJson(report)}\n`);
  else if (!flags.events) stdout.write(returnedText(report, stdout.terminal));
}

function headOf(path: string): string | null {
  let fd: number | null = null;
  try {
    fd = openOwn(path, 'r');
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, HEAD_BYTES, 0));
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** The name of the person for the record. */
export function personName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER ?? 'user';
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ignored, so that a write beyond the file size limit fails with an error that is reported; the signal would end the
 * process.
 */
const noSignal = (): void => undefined;

/**
 * Ctrl-C and similar signals during a run. The first asks the run to stop: its process groups are ended, and the run
 * stays resumable. The second ends everything at once.
 */
interface Interruption {
  readonly signal: StopSignal;
  /** Asks the run to stop, as the first signal does. */
  interrupt(reason: string): void;
  /** Restores the default handling of the signals. */
  release(): void;
}

/**
 * Ctrl-C and what ends a terminal interrupt what is executed. The second time, `killNow` ends every process group of the run,
 * and the process exits.
 */
export function onInterruption(onReason: (reason: string) => void, killNow: () => void): Interruption {
  const stopper = new Stopper();
  function interrupt(reason: string): void {
    if (stopper.signal.aborted) return;
    stopper.abort(reason);
    onReason(reason);
  }
  function onSignal(reason: string): void {
    if (stopper.signal.aborted) {
      killNow();
      endProcess(EXIT.interrupted);
    }
    interrupt(reason);
  }
  for (const name of SIGNALS) process.on(name, onSignal);
  process.on('SIGXFSZ', noSignal);
  return {
    signal: stopper.signal,
    interrupt,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
      process.off('SIGXFSZ', noSignal);
    },
  };
}

interface WhereRunsAre {
  readonly dir?: string;
  readonly on?: string;
  readonly namespace?: string;
}

/** The flags for the store or the engine, unless the next command uses the same one by default. */
export function repeatedFlags({ dir, on, namespace }: WhereRunsAre): readonly string[] {
  if (on !== undefined) return [...(on === process.env.STATEDSL_ON ? [] : ['--on', on]), ...namespaceFlag(namespace)];
  return dir === undefined || dir === process.env.STATEDSL_DIR ? [] : ['--dir', dir];
}

function namespaceFlag(namespace: string | undefined): readonly string[] {
  const usual = process.env.STATEDSL_NAMESPACE || 'statedsl';
  return namespace === undefined || namespace === usual ? [] : ['--namespace', namespace];
}
