/** Who submits runs and answers their questions: a name that a proxy has authenticated, or what the client says. */
import type { Submission } from './messages.js';

const MARK = ' (unverified)';

/** The client's word, marked. */
export function markUnverified(name: string): string {
  return name.endsWith(MARK) ? name : `${name}${MARK}`;
}

/** `submitters`: null allows everybody. Names count as much as the proxy that is in front of the engine. */
export function maySubmit({ by }: Pick<Submission, 'by'>, submitters: readonly string[] | null): boolean {
  return submitters === null || submitters.includes(nameOf(by));
}

/** Without the mark. */
export function nameOf(by: string): string {
  return by.endsWith(MARK) ? by.slice(0, -MARK.length) : by;
}
