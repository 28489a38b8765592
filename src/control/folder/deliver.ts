/**
 * Answers and signals for a run of a folder. If no process executes the run, they are recorded here; otherwise they go into
 * the inbox of the run, and the process that executes it takes them. Of two answers to a question the first one counts.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from '../../interpreter/events/event.js';
import { type EndStatus, statusAfter } from '../../interpreter/events/status-after.js';
import { openQuestions } from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import type { ProjectHost } from '../../project/host.js';
import { loadSettings } from '../../project/settings.js';
import { programOf } from '../../project/stored-program.js';
import { recoveryContextOf } from '../../runtime/run/again/prepare-recovery.js';
import { recoverRun } from '../../runtime/run/again/recover.js';
import { recordDelivery } from '../../runtime/run/again/resume.js';
import { checkAnswers } from '../../runtime/run/apply-delivery.js';
import { type Delivery, deliver } from '../../runtime/store/inbox.js';
import { readJournal } from '../../runtime/store/read-journal.js';
import { lockHolder } from '../../runtime/store/run-lock.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { openStoredRun, type StoredRun } from '../../runtime/store/stored-run.js';
import { type Result, refusalOf, refuse, resultWith } from '../result.js';
import type { Delivered } from '../runs.js';
import { findOwnRun } from './find-run.js';

/** Recording a delivery holds a run for a moment, so a run that is held longer is executed. Milliseconds. */
const RECORDING_MS = 400;
/** How long the answer of an executing process is waited for: it looks into its inbox five times a second. */
const VERDICT_MS = 2000;
const LOOK_MS = 25;

/** The parts of a delivery other than the run. */
export interface Sender {
  readonly directory: string;
  readonly host: ProjectHost;
  /** Secret inputs, to replace them in the record. */
  readonly inputs: Readonly<Record<string, Json>>;
}

/** Delivers all or none. Rejects only with bugs. */
export async function deliverTo(
  run: string,
  deliveries: readonly Delivery[],
  sender: Sender,
): Promise<Result<Delivered>> {
  const { directory, host, inputs } = sender;
  let stored: StoredRun | null = null;
  try {
    const id = await findOwnRun(directory, run);
    stored = openStoredRun(directory, id);
    const { configuration } = await loadSettings(host, programOf(stored) ?? '-');
    const options = { dir: directory, inputs, secrets: configuration.secrets };
    for (let waited = 0; ; waited += LOOK_MS) {
      try {
        await recordDelivery(id, deliveries, options);
        return resultWith({ run_id: id, delivery: 'recorded' });
      } catch (cause) {
        if (!(cause instanceof RunRefused) || cause.kind !== 'held') throw cause;
        if (waited >= RECORDING_MS) return await passOn(stored, deliveries, options);
        await pause(LOOK_MS);
      }
    }
  } catch (cause) {
    const refusal = refusalOf(cause);
    const answered = refusal.code === 'wrong-use' && stored !== null ? answeredBefore(stored, deliveries) : null;
    return answered === null ? { ok: false, refusal } : conflict(answered);
  }
}

type Answered = Extract<RunEvent, { type: 'answered' }>;

function conflict({ name, by }: Answered): Result<never> {
  return refuse('conflict', `${by} has already answered \`${name}\``, 'look at the run: `statedsl show`');
}

/** The recorded answer to a question that the deliveries answer, too. */
function answeredBefore({ journal }: StoredRun, deliveries: readonly Delivery[]): Answered | null {
  const names = new Set(deliveries.flatMap((one) => (one.kind === 'answer' ? [one.name] : [])));
  let found: Answered | null = null;
  if (names.size > 0)
    readJournal(journal, ({ event }) => {
      if (event.type === 'answered' && names.has(event.name)) found = event;
      return true;
    });
  return found;
}

/**
 * Puts the deliveries into the inbox, and waits for a moment until the process has taken them. A process that has just
 * decided to end does not look into the inbox again: then the run is to be resumed, as if nobody had executed it, or is over.
 */
async function passOn(
  stored: StoredRun,
  deliveries: readonly Delivery[],
  given: { readonly inputs: Sender['inputs']; readonly secrets: readonly string[] },
): Promise<Result<Delivered>> {
  const { inputs, redactor } = recoveryContextOf(stored, given);
  const recover = () => recoverRun(stored, { inputs, redactor, discarded: null });
  let { replay, end } = recover();
  // It has just begun, and what it asks is about to be on record.
  for (let waited = 0; end.seq === 0 && waited < VERDICT_MS && lockHolder(stored.path).owner !== null; ) {
    await pause(LOOK_MS);
    waited += LOOK_MS;
    ({ replay, end } = recover());
  }
  checkAnswers(openQuestions(replay.run), deliveries);
  const { run_id } = stored.about;
  /** The questions that are answered, with the position of the answer in the inbox. */
  const open = new Map<string, number | null>();
  /** The position of the last delivery; null: the process has taken it at once. */
  let last: number | null = null;
  for (const delivery of deliveries) {
    last = deliver(stored.path, delivery, redactor);
    if (delivery.kind === 'answer') open.set(delivery.name, last);
  }
  for (let waited = 0; waited < VERDICT_MS; waited += LOOK_MS) {
    await pause(LOOK_MS);
    // Before reading: what was recorded until the run was released is read after it.
    const isReleased = lockHolder(stored.path).owner === null;
    let other: Answered | null = null;
    let isTaken = last === null;
    let status: EndStatus | null = null;
    readJournal(
      stored.journal,
      ({ event }) => {
        status = statusAfter(event);
        if ('inbox' in event && event.inbox !== undefined && event.inbox >= (last ?? 0)) isTaken = true;
        if (event.type !== 'answered') return true;
        const until = open.get(event.name);
        if (until !== undefined && until !== null && event.inbox !== until) other ??= event;
        return true;
      },
      end,
    );
    if (other !== null) return conflict(other);
    if (isTaken) break;
    if (isReleased)
      return status === 'returned' || status === 'failed'
        ? refuse('over', `run \`${run_id}\` has already ${status}`, 'look at the run: `statedsl show`')
        : resultWith({ run_id, delivery: 'recorded' });
  }
  return resultWith({ run_id, delivery: 'passed-on' });
}
