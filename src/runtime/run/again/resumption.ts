/**
 * A run that is resumed elsewhere: what another process needs to go on with it from before its failure. Nothing is
 * executed here and nothing is written.
 */
import type { RunEvent } from '../../../interpreter/events/event.js';
import { type Image, imageOf } from '../../store/image.js';
import { RunRefused } from '../../store/run-refused.js';
import type { StoredRun } from '../../store/stored-run.js';
import { decideResume } from './decide-resume.js';
import { recoverRecorded } from './resume.js';
import type { ResumeOptions } from './resume-options.js';

export interface Resumption {
  /** The number of the last event on record. */
  readonly seq: number;
  readonly image: Image;
  /** The first new events: `run_resumed`, and what follows from it. */
  readonly events: readonly RunEvent[];
}

/** Rejects with a `RunRefused` or a `StoreError`. */
export async function resumptionOf(stored: StoredRun, options: ResumeOptions): Promise<Resumption> {
  const recorded = recoverRecorded(stored, options);
  const { end, activeMs, replay } = recorded.recovered;
  if (replay.run.result?.status === 'returned')
    throw new RunRefused('over', `run \`${stored.about.run_id}\` has already returned`);
  const { run, events, edited } = await decideResume(stored, recorded, options);
  if (edited !== null) throw new RunRefused('wrong-use', 'a run is resumed elsewhere only in its own program');
  const all = [...events, ...run.takeEvents()];
  // The restored run repeats them.
  run.takeRequests();
  return { seq: end.seq, image: imageOf(run, { activeMs }), events: all };
}
