/**
 * What helps, for a person who looks at the page. The service names routes, because its clients are programs: the page has
 * a link instead, or nothing if it has a button for that anyway.
 */
import type { Address } from '../address.js';

/** A sentence, or the words of a link. */
export interface NextStep {
  readonly text: string;
  /** Where the link leads. */
  readonly to?: Address;
}

const ROUTE = '/api/v1/';
const EARLIER = /^(.*): `GET \/api\/v1\/runs\/([0-9a-f-]+)\?at=(\d+)`$/;

export function nextStep(help: string | null): NextStep | null {
  if (help === null) return null;
  const [, text, run, event] = EARLIER.exec(help) ?? [];
  if (text !== undefined && run !== undefined && event !== undefined) return { text, to: { run, query: { event } } };
  return help.includes(ROUTE) ? null : { text: help };
}
