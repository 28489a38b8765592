/**
 * Records a tracked list or text that only grows by what was appended since its last record. Otherwise a loop that
 * collects 12,000 items would write each of them 6,000 times on average. Only the lines of the journal are shortened:
 * events in memory have their whole value, and a reader that starts at the beginning or at a checkpoint gets it back.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';

type TrackedSet = Extract<RunEvent, { type: 'tracked_set' }>;

/** A `tracked_set` as it is recorded: `appended` instead of `value`. */
type Appended = Omit<TrackedSet, 'value'> & { readonly appended: Json };

/** Shorter values are written again: appending would save nothing. */
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

  /** Starts anew, because the lines that follow are read without those before them. */
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

/** What `now` has after its earlier value; undefined if it does not begin with that value. */
function appendedTo(before: Known, now: Known): Json | undefined {
  // Appending may complete a secret. With it replaced, the text no longer begins with its earlier value.
  if (typeof before.clean === 'string' && typeof now.clean === 'string') {
    if (before.clean.length < LEAST_CHARACTERS || !now.clean.startsWith(before.clean)) return undefined;
    return now.clean.slice(before.clean.length);
  }
  if (!Array.isArray(before.raw) || !Array.isArray(now.raw) || !Array.isArray(now.clean)) return undefined;
  const { length } = before.raw;
  if (length < LEAST_ITEMS) return undefined;
  // Equal items are equal with secrets replaced, too.
  for (let at = 0; at < length; at++) if (!isSame(before.raw[at], now.raw[at])) return undefined;
  return now.clean.slice(length);
}

function isSame(before: Json | undefined, now: Json | undefined): boolean {
  if (before === now) return true;
  return typeof before === 'object' && typeof now === 'object' && JSON.stringify(before) === JSON.stringify(now);
}
