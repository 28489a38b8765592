/**
 * How a tracked list or text that only grows is recorded: by what was appended to the value on record before. A loop that
 * collects twelve thousand items would write each of them six thousand times otherwise. In memory every event has its
 * whole value; only lines of the journal have less, and whoever reads one from its beginning, or from a checkpoint, where
 * recording begins anew, gets the whole values back.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';

type TrackedSet = Extract<RunEvent, { type: 'tracked_set' }>;

/** A `tracked_set` as it is recorded: `appended` instead of `value`. */
type Appended = Omit<TrackedSet, 'value'> & { readonly appended: Json };

/** A short value is as easily written again. */
const LEAST_ITEMS = 8;
const LEAST_CHARACTERS = 64;

type Growing = string | readonly Json[];

export class AppendEncoder {
  /** Values on record, by variable: as the run has them, and with secrets replaced. */
  private readonly known = new Map<string, { readonly raw: Growing; readonly clean: Growing }>();

  /** The event as it is recorded. `clean` is the event with secrets replaced. */
  encode(event: RunEvent, clean: RunEvent): RunEvent {
    if (event.type !== 'tracked_set' || clean.type !== 'tracked_set') return clean;
    const { name } = event;
    if (!isGrowing(event.value) || !isGrowing(clean.value)) {
      if (this.known.size > 0) this.known.delete(name);
      return clean;
    }
    const before = this.known.get(name);
    const now = { raw: event.value, clean: clean.value };
    this.known.set(name, now);
    const appended = before === undefined ? undefined : appendedTo(before, now);
    if (appended === undefined) return clean;
    const recorded: Appended = { type: 'tracked_set', name, appended };
    return recorded as unknown as RunEvent;
  }

  /** What follows is read without what came before. */
  reset(): void {
    this.known.clear();
  }
}

export class AppendDecoder {
  private readonly known = new Map<string, Growing>();

  /** The event with its whole value; null where the value that it continues is not on record. */
  decode(event: RunEvent): RunEvent | null {
    if (event.type !== 'tracked_set') return event;
    const { name } = event;
    const { appended } = event as unknown as Partial<Appended>;
    if (appended === undefined) {
      if (isGrowing(event.value)) this.known.set(name, event.value);
      else if (this.known.size > 0) this.known.delete(name);
      return event;
    }
    const before = this.known.get(name);
    if (before === undefined || typeof before !== typeof appended) return null;
    const value = typeof before === 'string' ? before + String(appended) : [...before, ...(appended as Json[])];
    this.known.set(name, value);
    return { type: 'tracked_set', name, value };
  }
}

function isGrowing(value: Json): value is Growing & Json {
  return typeof value === 'string' || Array.isArray(value);
}

interface Known {
  readonly raw: Growing;
  readonly clean: Growing;
}

/** What `now` has behind what it had before; undefined where it is something else. */
function appendedTo(before: Known, now: Known): Json | undefined {
  // A secret may only be there once two texts have met: then the text with secrets replaced does not begin as it did.
  if (typeof before.clean === 'string' && typeof now.clean === 'string') {
    if (before.clean.length < LEAST_CHARACTERS || !now.clean.startsWith(before.clean)) return undefined;
    return now.clean.slice(before.clean.length);
  }
  if (!Array.isArray(before.raw) || !Array.isArray(now.raw) || !Array.isArray(now.clean)) return undefined;
  if (!Array.isArray(before.clean) || now.clean.length !== now.raw.length) return undefined;
  const { length } = before.raw;
  if (length < LEAST_ITEMS || now.raw.length < length || before.clean.length !== length) return undefined;
  for (let at = 0; at < length; at++) if (!isSame(before.raw[at], now.raw[at])) return undefined;
  return now.clean.slice(length);
}

function isSame(before: Json | undefined, now: Json | undefined): boolean {
  if (before === now) return true;
  return typeof before === 'object' && typeof now === 'object' && JSON.stringify(before) === JSON.stringify(now);
}
