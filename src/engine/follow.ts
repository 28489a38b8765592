/** Follows a run on an engine as a local one is followed: its events, its questions, and its report at the end. */
import type { RunEvent, Waiting } from '../interpreter/events/event.js';
import type { AskHandler, EventPosition } from '../runtime/run/drive-options.js';
import type { RunReport } from '../runtime/run/run-report.js';
import type { StopSignal } from '../runtime/stop-signal.js';
import { AppendDecoder } from '../runtime/store/appended.js';
import { readJournalLine } from '../runtime/store/journal-line.js';
import type { EngineClient } from './client.js';
import { EngineFailure } from './client.js';

export interface Following {
  readonly onEvent?: ((event: RunEvent, position: EventPosition) => void) | null | undefined;
  /** Asks a person; absent: an open question ends the following. */
  readonly ask?: AskHandler | undefined;
  /** Who answers, for the record. */
  readonly person: string;
  /** Ends the following. The run is left alone. */
  readonly signal: StopSignal | null;
  /** The number of the first event that is shown. */
  readonly from: number;
}

/**
 * Resolves with the report of the run when it has ended, or when it waits for something that does not come from here or
 * from the clock; with null if it was aborted. Rejects with an `EngineFailure`.
 */
export async function followRun(
  client: EngineClient,
  runId: string,
  { onEvent, ask, person, signal: stopping, from }: Following,
): Promise<RunReport | null> {
  const decoder = new AppendDecoder();
  const leaving = new AbortController();
  const interrupted = new AbortController();
  const onStop = (): void => interrupted.abort();
  if (stopping?.aborted) onStop();
  stopping?.addEventListener('abort', onStop, { once: true });
  const { signal } = interrupted;
  const all = AbortSignal.any([signal, leaving.signal]);
  const defaults = new Map<string, string | null>();
  const asking: { stop: AbortController | null } = { stop: null };
  let left: RunReport | null = null;
  let ended: RunReport | null = null;
  let failure: { readonly cause: unknown } | null = null;
  const askAll = async (report: RunReport, handler: AskHandler, stop: AbortSignal): Promise<void> => {
    for (const waiting of report.waiting.filter(isQuestion)) {
      const value = await handler(questionOf(waiting, defaults.get(waiting.name ?? '') ?? null), stop);
      if (stop.aborted) return;
      if (value === null) {
        left = report;
        leaving.abort();
        return;
      }
      await client.deliver(runId, [{ kind: 'answer', name: waiting.name ?? '', value, by: person }]);
    }
  };
  /** The report of a run that waits for a person or a signal that is not here; null: it continues by itself, or a person is asked. */
  const stop = async (): Promise<RunReport | null> => {
    const report = await suspendedReport(client, runId);
    if (report === null || report.waiting.every(({ kind }) => kind === 'time')) return null;
    if (ask === undefined || !report.waiting.some(isQuestion)) return report;
    asking.stop?.abort();
    asking.stop = new AbortController();
    const asked = AbortSignal.any([asking.stop.signal, all]);
    askAll(report, ask, asked).catch((cause: unknown) => {
      // A question that was answered elsewhere at the same time is no longer open, and the run continues.
      if (asked.aborted || (cause instanceof EngineFailure && cause.status === 409)) return;
      failure = { cause };
      leaving.abort();
    });
    return null;
  };
  try {
    // Otherwise what comes first has what is not shown yet.
    const known = from > 1 ? await client.status(runId) : null;
    const waiting = known !== null && known.seq < from ? await stop() : null;
    if (waiting !== null) return waiting;
    for await (const { lines, status, report: last } of client.events(runId, from, all)) {
      ended = last ?? null;
      for (const line of lines) {
        const record = readJournalLine(line);
        if (record === null)
          throw new EngineFailure('refused', null, `the engine has a damaged record of run \`${runId}\``);
        const { event, seq, time } = record;
        if (event.type === 'asked') defaults.set(event.name, event.default);
        if (event.type === 'run_resumed') asking.stop?.abort();
        onEvent?.(decoder.decode(event) ?? event, { seq, time, recorded: event });
      }
      const report = status === 'suspended' ? await stop() : null;
      if (report !== null) return report;
    }
  } catch (cause) {
    if (failure !== null) throw (failure as { readonly cause: unknown }).cause;
    if (left !== null) return left;
    if (signal.aborted) return null;
    throw cause;
  } finally {
    stopping?.removeEventListener('abort', onStop);
    asking.stop?.abort();
  }
  const report = ended ?? (await client.status(runId))?.report;
  if (report == null) throw new EngineFailure('refused', null, `run \`${runId}\` was removed`);
  return report;
}

/** Null: the run does not wait. */
async function suspendedReport(client: EngineClient, runId: string): Promise<RunReport | null> {
  const state = await client.status(runId);
  return state?.status === 'suspended' ? state.report : null;
}

function isQuestion({ kind }: Waiting): boolean {
  return kind === 'ask';
}

function questionOf({ name, question, choices, until }: Waiting, preset: string | null): Parameters<AskHandler>[0] {
  return {
    name: name ?? '',
    question: question ?? '',
    choices: choices ?? null,
    default: preset,
    deadlineMs: until ?? null,
  };
}
