/**
 * Answers and signals for a run of a folder. If no process executes the run, they are recorded here; otherwise they go into
 * the inbox of the run, and the process that executes it takes them. Of two answers to a question the first one counts.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from '../../../interpreter/events/event.js';
import { type EndStatus, isOver, statusAfter } from '../../../interpreter/events/status-after.js';
import { type Delivery, deliver, unreadDeliveries } from '../../store/inbox.js';
import { readJournal } from '../../store/read-journal.js';
import { lockHolder } from '../../store/run-lock.js';
import { RunRefused } from '../../store/store-error.js';
import { openStoredRun, type StoredRun } from '../../store/stored-run.js';
import { addressTo } from '../apply-delivery.js';
import { recoveryContextOf } from './prepare-recovery.js';
import { recoverRun } from './recover.js';
import type { ResumeOptions } from './resume-options.js';
import { recordDelivery } from './resume-run.js';

/** Recording a delivery holds a run for a moment, so a run that is held longer is executed. Milliseconds. */
const RECORDING_MS = 400;
/** How long the answer of an executing process is waited for: it looks into its inbox five times a second. */
const VERDICT_MS = 2000;
const LOOK_MS = 25;

/** `secrets` and secret `inputs` are replaced in what is recorded. */
type DeliveryOptions = Pick<ResumeOptions, 'inputs' | 'secrets' | 'signer'> & { readonly dir: string };

/**
 * Delivers all or none: they are recorded, or passed on to the process that executes the run. Throws a `RunRefused`; its kind
 * is `conflict` if somebody else has answered.
 */
export async function deliverToRun(
  id: string,
  deliveries: readonly Delivery[],
  options: DeliveryOptions,
): Promise<'recorded' | 'passed-on'> {
  for (let waited = 0; ; waited += LOOK_MS) {
    try {
      await recordDelivery(id, deliveries, options);
      return 'recorded';
    } catch (cause) {
      const kind = cause instanceof RunRefused ? cause.kind : null;
      if (kind !== 'held' && kind !== 'wrong-use') throw cause;
      const stored = openStoredRun(options.dir, id);
      if (kind === 'wrong-use') throw answeredBefore(stored, deliveries) ?? cause;
      if (waited >= RECORDING_MS) return await passOn(stored, deliveries, options);
      await pause(LOOK_MS);
    }
  }
}

type AnsweredEvent = Extract<RunEvent, { type: 'answered' }>;

function conflict({ id, name, by }: AnsweredEvent, deliveries: readonly Delivery[]): RunRefused {
  const called = deliveries.some((one) => one.kind === 'answer' && one.name === id) ? id : name;
  return new RunRefused('conflict', `${by} has already answered \`${called}\``, 'look at the run: `statedsl show`');
}

/** Says that the record has an answer already to a question that the deliveries answer, too. */
function answeredBefore({ journal }: StoredRun, deliveries: readonly Delivery[]): RunRefused | null {
  const names = new Set(deliveries.flatMap((one) => (one.kind === 'answer' ? [one.name] : [])));
  let found: AnsweredEvent | null = null;
  if (names.size > 0)
    readJournal(journal, ({ event }) => {
      if (event.type === 'answered' && (names.has(event.name) || names.has(event.id))) found = event;
      return true;
    });
  return found === null ? null : conflict(found, deliveries);
}

/**
 * Puts the deliveries into the inbox, and waits for a moment until the process has taken them. A process that has just
 * decided to end does not look into the inbox again: then the run is to be resumed, as if nobody had executed it, or is over.
 */
async function passOn(
  stored: StoredRun,
  deliveries: readonly Delivery[],
  options: DeliveryOptions,
): Promise<'recorded' | 'passed-on'> {
  const { inputs, redactor } = recoveryContextOf(stored, options);
  const recover = () => recoverRun(stored, { inputs, redactor, discarded: null });
  let { replay, end, inbox } = recover();
  // It has just begun, and what it asks is about to be on record.
  for (let waited = 0; end.seq === 0 && waited < VERDICT_MS && lockHolder(stored.path).owner !== null; ) {
    await pause(LOOK_MS);
    waited += LOOK_MS;
    ({ replay, end, inbox } = recover());
  }
  let addressed: readonly Delivery[];
  try {
    addressed = addressTo(replay.run, deliveries, unreadDeliveries(stored.path, inbox));
  } catch (cause) {
    throw answeredBefore(stored, deliveries) ?? cause;
  }
  const { run_id } = stored.about;
  /** The ids of the questions that are answered, with the position of the answer in the inbox. */
  const open = new Map<string, number | null>();
  /** The position of the last delivery; null: the process has taken it at once. */
  let last: number | null = null;
  for (const delivery of addressed) {
    last = deliver(stored.path, delivery, redactor);
    if (delivery.kind === 'answer') open.set(delivery.name, last);
  }
  for (let waited = 0; waited < VERDICT_MS; waited += LOOK_MS) {
    await pause(LOOK_MS);
    // Before reading: what was recorded until the run was released is read after it.
    const isReleased = lockHolder(stored.path).owner === null;
    let other: AnsweredEvent | null = null;
    let isTaken = last === null;
    let status: EndStatus | null = null;
    readJournal(
      stored.journal,
      ({ event }) => {
        status = statusAfter(event);
        if ('inbox' in event && event.inbox !== undefined && event.inbox >= (last ?? 0)) isTaken = true;
        if (event.type !== 'answered') return true;
        const until = open.get(event.id);
        if (until !== undefined && until !== null && event.inbox !== until) other ??= event;
        return true;
      },
      end,
    );
    if (other !== null) throw conflict(other, deliveries);
    if (isTaken) break;
    if (!isReleased) continue;
    if (!isOver({ status })) return 'recorded';
    throw new RunRefused('over', `run \`${run_id}\` has already ${status}`, 'look at the run: `statedsl show`');
  }
  return 'passed-on';
}
