/**
 * Records a tracked list or text that only grows by what was appended since its last record. Otherwise a loop that
 * collects 12,000 items would write each of them 6,000 times on average. Only the lines of the journal are shortened:
 * events in memory have their whole value, and a reader that starts at the beginning or at a checkpoint gets it back.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';

type TrackedSet = Extract<RunEvent, { type: 'tracked_set' }>;

/** A `tracked_set` as it is recorded: `appended` instead of `value`. */
type AppendedSet = Omit<TrackedSet, 'value'> & { readonly appended: Json };

/** Shorter values are written again: appending would save nothing. */
const LEAST_ITEMS = 8;
const LEAST_CHARACTERS = 64;

type Growing = string | readonly Json[];

export class AppendEncoder {
  /** Values on record, by variable: as the run has them, and with secrets replaced. */
  private readonly known = new Map<string, KnownValue>();

  /** The event as it is recorded. `clean` is the event with secrets replaced. */
  encode(event: RunEvent, clean: RunEvent): RunEvent {
    if (event.type !== 'tracked_set' || clean.type !== 'tracked_set') return clean;
    const { name } = event;
    if (!isGrowing(event.value) || !isGrowing(clean.value)) {
      if (this.known.size > 0) this.known.delete(name);
      return clean;
    }
    const before = this.known.get(name);
    const now = { raw: event.value, clean: clean.value, printed: clean.printed };
    this.known.set(name, now);
    const appended = before === undefined ? undefined : appendedTo(before, now);
    if (appended === undefined) return clean;
    const printed = printedAfter(before as KnownValue, now);
    if (printed === null) return clean;
    const recorded: AppendedSet = { type: 'tracked_set', name, appended, ...omitUndefined({ printed }) };
    return recorded as unknown as RunEvent;
  }

  /** Starts anew, because the lines that follow are read without those before them. */
  reset(): void {
    this.known.clear();
  }
}

export class AppendDecoder {
  private readonly known = new Map<string, { readonly value: Growing; readonly printed: string | undefined }>();

  /** The event with its whole value; null where the value that it continues is not on record. */
  decode(event: RunEvent): RunEvent | null {
    if (event.type !== 'tracked_set') return event;
    const { name } = event;
    const { appended, printed: added } = event as unknown as Partial<AppendedSet>;
    if (appended === undefined) {
      if (isGrowing(event.value)) this.known.set(name, { value: event.value, printed: event.printed });
      else if (this.known.size > 0) this.known.delete(name);
      return event;
    }
    const before = this.known.get(name);
    if (before === undefined || typeof before.value !== typeof appended) return null;
    const value =
      typeof before.value === 'string' ? before.value + String(appended) : before.value.concat(appended as Json[]);
    const isPrinted = before.printed !== undefined || added !== undefined;
    const printed = isPrinted
      ? joinLists(before.printed ?? JSON.stringify(before.value), added ?? JSON.stringify(appended))
      : undefined;
    this.known.set(name, { value, printed });
    return { type: 'tracked_set', name, value, ...omitUndefined({ printed }) };
  }
}

function isGrowing(value: Json): value is Growing & Json {
  return typeof value === 'string' || Array.isArray(value);
}

interface KnownValue {
  readonly raw: Growing;
  readonly clean: Growing;
  /** The JSON text of a list with numbers that keep their form. */
  readonly printed: string | undefined;
}

/**
 * The JSON text of what a list has after its earlier items, as a list, if some of its numbers keep their form; null if it
 * does not begin with them: `1.1` and `1.10` are the same number, and `1.10` begins with the text of `1.1`.
 */
function printedAfter(before: KnownValue, now: KnownValue): string | null | undefined {
  if (before.printed === undefined && now.printed === undefined) return undefined;
  const start = (before.printed ?? JSON.stringify(before.clean)).slice(0, -1);
  const whole = now.printed ?? JSON.stringify(now.clean);
  const rest = whole.slice(start.length);
  return whole.startsWith(start) && /^[,\]]/.test(rest) ? `[${rest.replace(/^,/, '')}` : null;
}

/** The JSON texts of two lists as that of one. */
function joinLists(before: string, added: string): string {
  if (before === '[]' || added === '[]') return before === '[]' ? added : before;
  return `${before.slice(0, -1)},${added.slice(1)}`;
}

/** What `now` has after its earlier value; undefined if it does not begin with that value. */
function appendedTo(before: KnownValue, now: KnownValue): Json | undefined {
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
