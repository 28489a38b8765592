/** Effects in doubt: they may have run, and have no outcome on record. */
import type { Outcome } from '../../interpreter/events/event.js';
import type { EffectRequest } from '../../interpreter/request.js';
import { unreachable } from '../../prelude/unreachable.js';

/** What to do with a `once` command or agent call that may have run: `fail` lets the program handle `in_doubt`. */
export type InDoubt = 'retry' | 'skip' | 'fail';

/** The outcome of such an effect; null: it is performed again. */
export function doubtfulOutcome(request: EffectRequest, inDoubt: InDoubt): Outcome | null {
  if (!('once' in request) || !request.once) return null;
  switch (inDoubt) {
    case 'retry':
      return null;
    case 'skip':
      return { kind: 'value', value: null };
    case 'fail': {
      const message = 'it may already have run, and must not run twice; decide with `--in-doubt`';
      return { kind: 'failed', error_type: 'in_doubt', message };
    }
    default:
      return unreachable(inDoubt);
  }
}
