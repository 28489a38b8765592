/** Follows a run on an engine as a local one is followed: its events, its questions, and its report at the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEvent, Through, Waiting } from '../interpreter/events/event.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { AskHandler, EventPosition } from '../runtime/run/drive-options.js';
import { FollowedQuestions, questionOf } from '../runtime/run/followed-questions.js';
import type { RunReport } from '../runtime/run/run-report.js';
import type { RunWhereabouts } from '../runtime/run/run-whereabouts.js';
import { abortedBy, type StopSignal } from '../runtime/stop-signal.js';
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
  readonly through?: Through | undefined;
  /** Ends the following. The run is left alone. */
  readonly signal: StopSignal | null;
  /** The number of the first event that is shown. */
  readonly from: number;
  /** Learns where the run is when nothing comes of it; null: nothing has come at all. */
  readonly onSilence?: OnSilence | undefined;
  /** It may wait for another run, which is said soon. */
  readonly hasKey?: boolean | undefined;
}

type OnSilence = (where: RunWhereabouts | null) => void;

/**
 * Resolves with the report of the run when it has ended, or when it waits for something that does not come from here or
 * from the clock; with null if it was aborted. Rejects with an `EngineFailure`.
 */
export async function followRun(client: EngineClient, runId: string, following: Following): Promise<RunReport | null> {
  const { onEvent, ask, person, through, signal: stopping, from, onSilence, hasKey = false } = following;
  const decoder = new AppendDecoder();
  const leaving = new AbortController();
  const interrupted = abortedBy(stopping);
  const { signal } = interrupted;
  const all = AbortSignal.any([signal, leaving.signal]);
  const silence = onSilence === undefined ? null : new Silence(client, runId, onSilence, hasKey ? KEY_MS : QUIET_MS);
  const defaults = new Map<string, string | null>();
  let left: RunReport | null = null;
  let waited: RunReport | null = null;
  let ended: RunReport | null = null;
  let failure: { readonly cause: unknown } | null = null;
  const fail = (cause: unknown): void => {
    failure = { cause };
    leaving.abort();
  };
  const questions =
    ask === undefined
      ? null
      : new FollowedQuestions({
          ask,
          async deliver(name, value) {
            try {
              await client.deliver(runId, [{ kind: 'answer', name, value, by: person, ...omitUndefined({ through }) }]);
            } catch (cause) {
              // A question that was answered elsewhere at the same time is no longer open, and the run continues.
              if (!(cause instanceof EngineFailure && cause.status === 409)) throw cause;
            }
          },
          onLeft() {
            left = waited;
            leaving.abort();
          },
          onFailure: fail,
        });
  /** The report of a run that waits for a person or a signal that is not here; null: it continues by itself, or a person is asked. */
  const stop = async (): Promise<RunReport | null> => {
    const report = await suspendedReport(client, runId);
    if (report === null || report.waiting.every(({ kind }) => kind === 'time')) return null;
    const open = report.waiting.filter(isQuestion);
    if (questions === null || open.length === 0) return report;
    waited = report;
    questions.update(
      open.map((one) => {
        const question = questionOf(one, defaults.get(one.name ?? '') ?? null);
        const name = one.id ?? question.name;
        return { key: name, name, question };
      }),
    );
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
        if (event.type === 'run_resumed') questions?.update([]);
        silence?.noteEvent();
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
    interrupted.release();
    silence?.end();
    questions?.update([]);
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

/** So long nothing comes before the first look. Milliseconds. */
const QUIET_MS = 5000;
/** The same for a run with a key. */
const KEY_MS = 700;
/** How long a worker may take to say where a run is before nothing is known of it. Milliseconds. */
const SAID_MS = 1000;
/** Between two looks, while nothing comes. */
const AGAIN_MS = 10_000;
/** A turn that has just begun has no worker for a moment. */
const CONFIRM_MS = 3000;

/** A run that is followed and of which nothing comes: who follows it learns where it is. */
export class Silence {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private hasBegun = false;
  private hasEnded = false;
  /** The turn that had no worker at the last look. */
  private unreported: number | null = null;

  constructor(
    private readonly client: Pick<EngineClient, 'whereabouts'>,
    private readonly runId: string,
    private readonly onSilence: OnSilence,
    firstMs = QUIET_MS,
  ) {
    this.lookIn(firstMs);
  }

  noteEvent(): void {
    this.hasBegun = true;
    this.timer?.refresh();
  }

  end(): void {
    this.hasEnded = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private lookIn(ms: number): void {
    if (!this.hasEnded) this.timer = setTimeout(() => void this.look(), ms).unref();
  }

  private async look(): Promise<void> {
    this.timer = null;
    // Without a worker nothing answers, and what follows the run says so.
    const asked = this.client.whereabouts(this.runId).catch(() => null);
    const said = this.hasBegun ? null : await Promise.race([asked, sleep(SAID_MS, null, { ref: false })]);
    if (!this.hasBegun && said?.waits_for_key === undefined) this.onSilence(null);
    this.hasBegun = true;
    const facts = await asked;
    const isUnreported =
      facts !== null &&
      facts.turn !== null &&
      facts.worker === null &&
      facts.waits.length === 0 &&
      facts.waits_for_key === undefined;
    const isNew = isUnreported && facts.turn !== this.unreported;
    this.unreported = isUnreported ? facts.turn : null;
    if (isNew) return this.lookIn(CONFIRM_MS);
    if (facts !== null && !this.hasEnded) this.onSilence(facts);
    this.lookIn(AGAIN_MS);
  }
}
