/** Moments that are explored later. Their snapshots are texts until then: objects take three times as much memory. */
import type { Json } from '../machine/expression.js';
import type { Continuation } from './configuration.js';
import type { Moment, Segment } from './segment.js';

export type StoredMoment = Omit<Moment, 'image'> & Pick<Continuation, 'text'>;

export function storedMoment(
  { text, unknowns, nextId }: Continuation,
  { requests }: Pick<Segment, 'requests'>,
): StoredMoment {
  return { text, unknowns, nextId, requests };
}

export function openMoment({ text, unknowns, nextId, requests }: StoredMoment): Moment {
  return { image: JSON.parse(text) as Json, unknowns, nextId, requests };
}
