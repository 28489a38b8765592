/** What instructions of an edited program take over from the record of the run. */
import type { KeptOutcomes } from '../events/event.js';

/** What instructions of an edited program take over. Almost always empty. */
export class TakenOver {
  entries: readonly KeptOutcomes[] = [];
}
