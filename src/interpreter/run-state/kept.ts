/** The state of a run in an edited program: what its instructions take over. */
import type { KeptOutcomes } from '../events/event.js';

/** What instructions of an edited program take over. Almost always empty. */
export class TakenOver {
  entries: readonly KeptOutcomes[] = [];
}
