/** What the service reports when a run suspends, fails or returns, and to whom. */
import type { NotifyTarget } from '../../runtime/configuration/configuration.js';
import type { IndexEntry } from '../../runtime/store/run-header.js';

/** The JSON that a receiver gets. */
export interface Notice {
  /** The same at every try, so that a receiver can ignore a notice that it has. */
  readonly id: string;
  readonly run_id: string;
  readonly status: 'suspended' | 'failed' | 'returned';
  readonly machine: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A notice for one receiver, as it is kept on disk until the receiver has it. */
export interface PendingNotice {
  readonly notice: Notice;
  /** The position of the receiver in the configuration. */
  readonly target: number;
  /** How often it was tried. */
  readonly tries: number;
  /** When it is tried next, in milliseconds since 1970. */
  readonly nextAt: number;
  /** When it was made, in milliseconds since 1970. */
  readonly since: number;
}

const STATUSES: ReadonlySet<string> = new Set<Notice['status']>(['suspended', 'failed', 'returned']);

/** Null if the line of the index means that the run has begun, or was interrupted. */
export function noticeOf({ run_id, status, machine, ended_at }: IndexEntry): Notice | null {
  if (!STATUSES.has(status)) return null;
  // A run has one such end at a time, so the time names it, however often the index is read.
  const id = `${run_id}.${Date.parse(ended_at)}`;
  return { id, run_id, status: status as Notice['status'], machine, at: ended_at };
}

export function targetList(notify: NotifyTarget | readonly NotifyTarget[] | undefined): readonly NotifyTarget[] {
  return notify === undefined ? [] : Array.isArray(notify) ? notify : [notify as NotifyTarget];
}
