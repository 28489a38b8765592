/**
 * Reports ends and suspensions of runs to receivers that the configuration names, each at least once. It reads them from the
 * index of the runs, so it misses none, whichever process executes the run, and no run waits for it.
 */

import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { NotifyTarget } from '../configuration/load-configuration.js';
import { openOwn } from '../store/own-file.js';
import type { IndexEntry } from '../store/run-header.js';
import { StoreError } from '../store/store-error.js';
import { indexEntryOf } from '../store/stored-run.js';
import { startTimer } from '../timer.js';
import {
  type IndexPosition,
  KeptNotices,
  keyOfTarget,
  LONGEST_MS,
  type Notice,
  nameOfTarget,
  noticeOf,
  type PendingNotice,
  pauseAfter,
} from './notices.js';

/** The time for notices; tests move it. */
interface NoticeClock {
  now(): number;
  /** Calls `action` after `ms`; returns what cancels that. */
  start(ms: number, action: () => void): () => void;
}

interface NotifierOptions {
  /** The folder of the runs. */
  readonly directory: string;
  /** The folder of the service in it. */
  readonly folder: string;
  readonly targets: readonly NotifyTarget[];
  readonly send: SendNotice;
  /** Gets a sentence about a notice that is given up. */
  readonly warn: (message: string) => void;
  /** A receiver has not taken a notice, for the first time since it took one. `name`: without what may be secret in its address. */
  readonly onRefused?: (name: string, problem: string) => void;
  readonly clock?: NoticeClock;
  /** Leaves the notices of receivers alone that are not in `targets`: they may be those of another program. */
  readonly keepsOthers?: boolean;
  /** Tries at once what has to wait for its next try. */
  readonly isAll?: boolean;
}

const SYSTEM_CLOCK: NoticeClock = { now: Date.now, start: startTimer };
/** How often the index is looked at; the end of a process of the service is known at once. */
const LOOK_MS = 500;
/** How many notices are sent to one receiver at the same time: one that hangs must not hold up the others. */
const AT_ONCE = 4;

export class Notifier {
  private readonly kept: KeptNotices;
  private readonly clock: NoticeClock;
  private readonly pending = new Set<PendingNotice>();
  /** Receivers that did not take the last notice. */
  private readonly refusing = new Set<string>();
  /** The receivers of what is being sent. */
  private readonly sending = new Map<Promise<void>, string>();
  private readonly targets: ReadonlyMap<string, NotifyTarget>;
  private readonly stopping = new AbortController();
  private position: IndexPosition | null;
  private cancelLook = (): void => undefined;
  private cancelNext = (): void => undefined;

  /** Throws the system's error. */
  constructor(private readonly options: NotifierOptions) {
    this.kept = new KeptNotices(options.folder);
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.position = this.kept.position;
    this.targets = new Map(options.targets.map((target) => [keyOfTarget(target), target]));
    for (const one of this.kept.all()) {
      const nextAt = options.isAll === true ? 0 : one.nextAt;
      if (this.targets.has(one.target)) this.pending.add({ ...one, nextAt });
      else if (options.keepsOthers !== true) this.kept.forget(one);
    }
    this.lookAgain();
    this.sendDue();
  }

  /** How many notices have no receiver yet. */
  get waiting(): number {
    return this.pending.size + this.sending.size;
  }

  /** Finds what has happened to runs since the last look. */
  look(): void {
    if (this.stopping.signal.aborted) return;
    try {
      const part = readIndexAfter(this.options.directory, this.position);
      if (part === null) return;
      for (const entry of part.entries) {
        const notice = noticeOf(entry, this.options.directory);
        if (notice === null) continue;
        for (const target of this.targets.keys()) this.add({ ...this.fresh, notice, target });
      }
      this.kept.keepPosition(part.position);
      this.position = part.position;
    } catch (cause) {
      // A full disk takes it later: the position was not moved.
      if (!(cause instanceof StoreError)) throw cause;
    }
    this.sendDue();
  }

  /** Waits until each notice that is due was tried once, for so long at most. */
  async untilTried(mostMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), mostMs);
    });
    while (this.sending.size > 0) {
      const first = await Promise.race([late, ...this.sending.keys()]);
      if (first === 'late') break;
    }
    clearTimeout(timer);
  }

  /** Sends nothing more. What was not received stays on disk. */
  async stop(): Promise<void> {
    this.cancelLook();
    this.cancelNext();
    this.stopping.abort();
    await Promise.all(this.sending.keys());
  }

  private get fresh(): Omit<PendingNotice, 'notice' | 'target'> {
    const now = this.clock.now();
    return { tries: 0, nextAt: now, since: now };
  }

  private add(one: PendingNotice): void {
    if (this.kept.has(one)) return;
    this.kept.keep(one);
    this.pending.add(one);
  }

  private lookAgain(): void {
    this.look();
    this.cancelLook = this.clock.start(LOOK_MS, () => this.lookAgain());
  }

  /** Starts what is due, and a timer for what is not. */
  private sendDue(): void {
    this.cancelNext();
    if (this.stopping.signal.aborted) return;
    const now = this.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const one of this.pending) {
      const at = dueAt(one, now);
      if (at > now) next = Math.min(next, at);
      // The end of one that is being sent looks again.
      else if (this.countSending(one.target) < AT_ONCE) this.start(one);
    }
    if (next < Number.POSITIVE_INFINITY) this.cancelNext = this.clock.start(next - now, () => this.sendDue());
  }

  private countSending(target: string): number {
    return [...this.sending.values()].filter((one) => one === target).length;
  }

  private start(one: PendingNotice): void {
    this.pending.delete(one);
    const sent = this.send(one).finally(() => {
      this.sending.delete(sent);
      this.sendDue();
    });
    this.sending.set(sent, one.target);
  }

  private async send(one: PendingNotice): Promise<void> {
    const { send, warn, onRefused } = this.options;
    const problem = await send(this.targets.get(one.target) as NotifyTarget, one.notice, this.stopping.signal);
    // The service stops: the next one tries again.
    if (problem !== null && this.stopping.signal.aborted) return;
    if (problem === null) {
      this.refusing.delete(one.target);
      return this.kept.forget(one);
    }
    if (!this.refusing.has(one.target))
      onRefused?.(nameOfTarget(this.targets.get(one.target) as NotifyTarget), problem);
    this.refusing.add(one.target);
    const later = this.afterFailure(one);
    if (later === null) {
      warn(`notice ${one.notice.id} was given up after ${one.tries + 1} tries: ${problem}`);
      return this.kept.forget(one);
    }
    this.pending.add(later);
    try {
      this.kept.keep(later);
    } catch (cause) {
      // On a full disk the earlier number of tries stays there.
      if (!(cause instanceof StoreError)) throw cause;
    }
  }

  /** The next try after 1 s, 2 s, 4 s …, the last one after a day; null: that was the last one. */
  private afterFailure(one: PendingNotice): PendingNotice | null {
    const now = this.clock.now();
    // The clock was set back: the day begins again.
    const since = Math.min(one.since, now);
    const end = since + LONGEST_MS;
    if (now >= end) return null;
    return { ...one, since, tries: one.tries + 1, nextAt: Math.min(now + pauseAfter(one.tries), end) };
  }
}

/** When a notice is tried next: now, if its file names a time that is too far away, because the clock was set back. */
function dueAt({ nextAt, tries }: PendingNotice, now: number): number {
  return nextAt > now + pauseAfter(Math.max(0, tries - 1)) ? now : nextAt;
}

const NEWLINE = 10;
/** In a new file, how much earlier than the latest known end a line may be that was not read yet. */
const SLACK_MS = 10_000;

interface IndexPart {
  readonly entries: readonly IndexEntry[];
  readonly position: IndexPosition;
}

/**
 * Reads what was appended to the index of the runs since it was read last: each line is the beginning or the end of a
 * run. `from`: null reads nothing, and gives the end of the index. Null: nothing was appended.
 */
function readIndexAfter(directory: string, from: IndexPosition | null): IndexPart | null {
  let fd: number;
  try {
    fd = openOwn(join(directory, 'runs', 'index.ndjson'), 'r');
  } catch {
    // There are no runs yet.
    return from === null ? { entries: [], position: { ino: 0, bytes: 0, latest: 0 } } : null;
  }
  try {
    const { ino, size } = fstatSync(fd);
    if (from?.ino === ino && from.bytes === size) return null;
    // Removing runs makes a new file, with old lines and perhaps new ones.
    const start = from?.ino === ino && from.bytes <= size ? from.bytes : 0;
    const bytes = Buffer.allocUnsafe(size - start);
    const count = readSync(fd, bytes, 0, bytes.length, start);
    const end = bytes.subarray(0, count).lastIndexOf(NEWLINE) + 1;
    const all = bytes
      .toString('utf8', 0, end)
      .split('\n')
      .flatMap((line) => indexEntryOf(line) ?? []);
    const latest = Math.max(from?.latest ?? 0, ...all.slice(-1).map(({ ended_at }) => Date.parse(ended_at)));
    const isKnown = ({ ended_at }: IndexEntry): boolean =>
      start === 0 && from !== null && Date.parse(ended_at) < from.latest - SLACK_MS;
    const entries = from === null ? [] : all.filter((entry) => !isKnown(entry));
    return { entries, position: { ino, bytes: start + end, latest } };
  } finally {
    closeSync(fd);
  }
}

/** The end of the index as it is now: what comes later is reported. */
export function positionNow(directory: string): IndexPosition {
  return readIndexAfter(directory, null)?.position ?? { ino: 0, bytes: 0, latest: 0 };
}

/** A receiver that does not answer within this time is tried again. */
const ANSWER_MS = 30_000;

/** Resolves with null if the receiver has the notice, else with the reason. `folder`: where commands are executed. */
type SendNotice = (target: NotifyTarget, notice: Notice, signal: AbortSignal) => Promise<string | null>;

interface SenderOptions {
  /** Where the service is reached, such as `http://127.0.0.1:7700`; null: nowhere. */
  readonly address?: () => string | null;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Gives a notice to a receiver: as the body of a POST, or on the standard input of a command. It says where the run is: `url`
 * for programs, `link` for a person.
 */
export function noticeSender(
  folder: string,
  { address = () => null, environment = process.env, now = Date.now }: SenderOptions = {},
): SendNotice {
  return async (target, notice, signal) => {
    const base = address();
    const { run_id: id } = notice;
    const where = base === null ? {} : { url: `${base}/api/v1/runs/${id}`, link: `${base}/runs/${id}` };
    const body = `${JSON.stringify({ ...notice, ...where })}\n`;
    const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    if (!('url' in target)) return pipe(target.run, folder, body, until);
    const secret = target.secret_env === undefined ? null : (environment[target.secret_env] ?? '');
    // What a receiver cannot verify is kept for a service that has the secret.
    if (secret === '') return `the variable \`${target.secret_env}\` with the secret of its signature is not set`;
    return post(target.url, notice.id, body, signatureHeaders(notice.id, now(), body, secret), until);
  };
}

/** As the specification Standard Webhooks says. `secret`: null leaves the message without a signature. */
function signatureHeaders(id: string, nowMs: number, body: string, secret: string | null): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  if (secret === null) return headers;
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}

/** `whsec_` and the key in base64; also the base64 alone of a key of the usual size. Any other text is the key itself. */
function keyOf(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, '');
  const key = Buffer.from(text, 'base64');
  const isBase64 = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
  return isBase64 && (text !== secret || (key.length >= 24 && key.length <= 64)) ? key : Buffer.from(secret);
}

async function post(
  url: string,
  id: string,
  body: string,
  signature: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': id,
      'user-agent': 'statedsl',
      ...signature,
    };
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return response.ok ? null : `the receiver answered with ${response.status}`;
  } catch (cause) {
    const { message, cause: inner } = cause as Error;
    return inner instanceof Error ? inner.message : message;
  }
}

async function pipe(
  [program, ...args]: readonly string[],
  folder: string,
  body: string,
  cancelSignal: AbortSignal,
): Promise<string | null> {
  const child = execa(program as string, args, {
    cwd: folder,
    // A group of its own, so that what it has started ends with it.
    detached: true,
    input: body,
    cancelSignal,
    forceKillAfterDelay: 500,
    stdout: 'ignore',
    stderr: 'ignore',
    reject: false,
  });
  const end = (): void => endGroup(child.pid, 'SIGTERM');
  cancelSignal.addEventListener('abort', end);
  const result = await child;
  cancelSignal.removeEventListener('abort', end);
  // What ignores the first signal must not stay either.
  if (cancelSignal.aborted) endGroup(child.pid, 'SIGKILL');
  return result.failed ? (result.shortMessage ?? 'the command failed') : null;
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
