/**
 * The inbox of a run: other processes append answers and signals for a run that a process is executing. Lines are never
 * changed. The run records in its journal how many bytes it has read, so that a crash neither repeats nor loses a line.
 */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RefusedAnswer, Through } from '../../interpreter/events/event.js';
import { decode, printJson } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import type { Redactor } from '../redact.js';
import { entryAt, openOwn, readOwn } from './own-file.js';
import { storeError } from './store-error.js';

/**
 * What a person or another program sends to a run. `by` is who sends it, for the record. `name`: of a question, an approval or
 * a signal, or the id of one that is open.
 */
export type Delivery =
  | { readonly kind: 'signal'; readonly name: string; readonly payload: Json; readonly by: string }
  | ({ readonly kind: 'answer'; readonly name: string; readonly value: Json; readonly by: string } & AnsweredHow)
  /** An answer of somebody who may not give it, for the record. */
  | ({ readonly kind: 'refused' } & RefusedAnswer)
  | { readonly kind: 'cancel'; readonly by: string }
  /** Another run has the same key, for the record. */
  | {
      readonly kind: 'key';
      readonly key: string;
      readonly run_id: string;
      readonly how: 'waits' | 'skipped';
      readonly by: string;
    };

/** Through which door an answer came, and why. */
export interface AnsweredHow {
  readonly through?: Through;
  readonly reason?: string;
}

/** Whether programs can wait for a signal with this name, or this is the id of a wait for one. */
export function isSignalName(name: string): boolean {
  return /^[A-Za-z_]\w*(?:@[1-9]\d*)?$/.test(name);
}

/** The name of the signal, or of what is asked, in a name or an id. */
export const nameInId = (nameOrId: string): string => nameOrId.replace(/@[1-9]\d*$/, '');

export interface Inbox {
  /** How many bytes were read. */
  readonly read: number;
  /** Whether there are lines that were not read. */
  hasMore(): boolean;
  /** What arrived since the last call. Each comes with how many bytes of the inbox are read after it. */
  take(): readonly { readonly delivery: Delivery; readonly inbox: number }[];
  /** What a debugger wrote that wants to be let in, once; null: none wants to. */
  takeDebugger(): string | null;
  /** The folder of the run. */
  readonly folder: string;
  /** Blanks the lines that were read, because only the run knows all secrets. They must be on record before. */
  forget(): void;
}

/** The name of the file in the folder of a run. */
export const INBOX = 'inbox.ndjson';
/** A debugger writes here where it listens. It is no mail, because mail is on record. */
export const DEBUGGER = 'debugger.json';

function pathOf(folder: string): string {
  return join(folder, INBOX);
}

/**
 * Appends a line for each delivery, with the secrets that the sender knows replaced. The lines are on disk when this
 * returns. Returns how many bytes of the inbox are read after them; null if the run has already taken and blanked them.
 * Throws a `StoreError`.
 */
export function deliver(
  folder: string,
  deliveries: Delivery | readonly Delivery[],
  redactor: Redactor | null,
): number | null {
  const path = pathOf(folder);
  const all: readonly Delivery[] = Array.isArray(deliveries) ? deliveries : [deliveries as Delivery];
  const at = new Date().toISOString();
  let id = '';
  const lines = all.map((delivery) => {
    const clean = redactor === null ? delivery : redactor.value(delivery as unknown as Json);
    id = randomUUID();
    return `${printJson({ ...(clean as object), at, id })}\n`;
  });
  let before = 0;
  try {
    const fd = openOwn(path, 'a');
    try {
      before = fstatSync(fd).size;
      // A full disk or a crash may have torn the previous line. An empty line does no harm.
      writeSync(fd, `\n${lines.join('')}`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw storeError('write', path, cause);
  }
  // Other senders may have appended at the same time.
  const text = textSince(path, before);
  const own = text.indexOf(id);
  return own < 0 ? null : before + text.indexOf(10, own) + 1;
}

/** `read`: how many bytes the run has already read. */
export function openInbox(folder: string, read: number): Inbox {
  const path = pathOf(folder);
  let at = read;
  let blank = 0;
  let askedLast: string | null = null;
  return {
    folder,
    get read() {
      return at;
    },
    // Half a line may never be completed, so nothing waits for the rest.
    hasMore: () => (entryAt(path)?.size ?? 0) > at && textSince(path, at).includes(10),
    take() {
      const taken: { delivery: Delivery; inbox: number }[] = [];
      const text = textSince(path, at);
      for (let start = 0, end = text.indexOf(10); end >= 0; start = end + 1, end = text.indexOf(10, start)) {
        at += end + 1 - start;
        const delivery = deliveryOf(text.toString('utf8', start, end));
        if (delivery !== null) taken.push({ delivery, inbox: at });
      }
      return taken;
    },
    takeDebugger() {
      const path = join(folder, DEBUGGER);
      // Not by its time, of which some file systems know the second: each debugger asks with another text.
      const before = askedLast;
      askedLast = entryAt(path) === null ? null : textOf(path);
      return askedLast === before ? null : askedLast;
    },
    forget() {
      if (blank === at) return;
      const text = textSince(path, blank).subarray(0, at - blank);
      for (let byte = 0; byte < text.length; byte++) if (text[byte] !== 10) text[byte] = 32;
      try {
        const fd = openOwn(path, 'r+');
        try {
          writeSync(fd, text, 0, text.length, blank);
        } finally {
          closeSync(fd);
        }
      } catch (cause) {
        throw storeError('write', path, cause);
      }
      blank = at;
    },
  };
}

/** Whether an inbox holds deliveries that its run may not have taken: those that it has are usually blank. */
export function mayHaveDeliveries(folder: string): boolean {
  return textSince(pathOf(folder), 0).toString('utf8').trim() !== '';
}

/** What is in an inbox of which so many bytes were read. */
export function unreadDeliveries(folder: string, read: number): readonly Delivery[] {
  const unread = openInbox(folder, read).take();
  return unread.map(({ delivery }) => delivery);
}

function textOf(path: string): string | null {
  try {
    return readOwn(path).toString('utf8');
  } catch {
    return null;
  }
}

function textSince(path: string, offset: number): Buffer {
  try {
    const fd = openOwn(path, 'r');
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - offset));
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, offset));
    } finally {
      closeSync(fd);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** Ignores an incomplete line: it was never sent. */
function deliveryOf(line: string): Delivery | null {
  try {
    const { at: _, id: __, ...delivery } = decode(line) as unknown as Delivery & { at: string; id?: string };
    return delivery as Delivery;
  } catch {
    return null;
  }
}
