/**
 * Takes the key of a run before it is executed: it waits for the run that has it, cancels that run, or gives up. What was done
 * to whom is in the records of both.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Run, skipRun } from '../../interpreter/run.js';
import { clockMs } from '../clock.js';
import { stopLeftovers } from '../process/leftovers.js';
import type { StopSignal } from '../stop-signal.js';
import { unreadDeliveries } from '../store/inbox.js';
import type { OnBusy, RunKey } from '../store/run-header.js';
import { type ClaimedKey, claimKey, type KeyHolder, keyHolder } from '../store/run-keys.js';
import { RunRefused } from '../store/store-error.js';
import { openStoredRun } from '../store/stored-run.js';
import { deliverToRun } from './again/deliver-to-run.js';
import { cancelStored } from './cancel.js';

export interface KeyOptions {
  readonly directory: string;
  readonly runId: string;
  readonly signal?: StopSignal | undefined;
  /** Called when the run has to wait, and again when what it waits for has changed; also when nobody executes what it is skipped for. */
  readonly onBusy?: ((holder: KeyHolder, key: string) => void) | undefined;
}

const LOOK_MS = 200;

/** Takes the key for a new run, or ends the run as skipped. What it did is in the events of the run. Throws a `StoreError`. */
export async function takeKey(
  run: Run,
  key: RunKey & { readonly onBusy?: OnBusy },
  options: KeyOptions,
): Promise<void> {
  const { directory, runId } = options;
  const { name, onBusy = 'wait' } = key;
  const began = clockMs();
  const waitedFor = new Set<string>();
  const claimed = await waitForKey(key, options, async (holder) => {
    // Of two that cancel each other, the newer one continues.
    if (onBusy === 'skip' || (onBusy === 'cancel' && holder.run_id > runId)) {
      if (holder.status !== 'running') options.onBusy?.(holder, name);
      await note(directory, holder, { key: name, run_id: runId, how: 'skipped' });
      skipRun(run, name, holder.run_id);
      return 'stop';
    }
    if (onBusy === 'cancel') {
      await cancelHolder(directory, holder, `run ${runId} with the key \`${name}\``);
      run.recordNow({ type: 'key_shared', key: name, run_id: holder.run_id, how: 'cancelled' });
      return 'again';
    }
    if (waitedFor.has(holder.run_id)) return 'wait';
    waitedFor.add(holder.run_id);
    await note(directory, holder, { key: name, run_id: runId, how: 'waits' });
    return 'wait';
  });
  claimed?.release();
  for (const run_id of claimed === null ? [] : waitedFor)
    run.recordNow({ type: 'key_shared', key: name, run_id, how: 'waited', waited_ms: Math.round(clockMs() - began) });
}

/**
 * Takes the key again for a run that continues, which waits for it. Null: the run was stopped, or cancelled, before it had the
 * key.
 */
export function waitForKey(
  key: RunKey,
  { directory, runId, signal, onBusy }: KeyOptions,
  act: (holder: KeyHolder) => 'wait' | Promise<'wait' | 'again' | 'stop'> = () => 'wait',
): Promise<ClaimedKey | null> {
  const folder = `${directory}/runs/${runId}`;
  const isEnded = (): boolean =>
    signal?.aborted === true || unreadDeliveries(folder, 0).some(({ kind }) => kind === 'cancel');
  let reported = '';
  return (async () => {
    for (;;) {
      // Looking takes no lock, and those that wait look often.
      const known = reported === '' ? null : keyHolder(directory, key.name, runId);
      const claimed = known === null ? await claimKey(directory, key, runId) : { holder: known };
      if (!('holder' in claimed)) {
        if (claimed.died !== null) await stopLeftovers(openStoredRun(directory, claimed.died), null);
        return claimed;
      }
      const { holder } = claimed;
      const next = await act(holder);
      if (next === 'stop') return null;
      if (next === 'again') continue;
      const words = `${holder.run_id} ${holder.status}`;
      if (reported !== words) onBusy?.(holder, key.name);
      reported = words;
      if (isEnded()) return null;
      await pause(LOOK_MS);
    }
  })();
}

type KeyNote = { readonly key: string; readonly run_id: string; readonly how: 'waits' | 'skipped' };

/** The holder may end at this moment, or be unreadable: then its record says nothing of the other run. */
async function note(directory: string, { run_id }: KeyHolder, noted: KeyNote): Promise<void> {
  try {
    await deliverToRun(run_id, [{ kind: 'key', ...noted, by: noted.run_id }], { dir: directory });
  } catch (cause) {
    if (!(cause instanceof RunRefused)) throw cause;
  }
}

/** A holder that has ended meanwhile is none any more. */
async function cancelHolder(directory: string, { run_id }: KeyHolder, by: string): Promise<void> {
  try {
    await cancelStored(directory, run_id, by);
  } catch (cause) {
    if (!(cause instanceof RunRefused) || cause.kind !== 'over') throw cause;
  }
}
