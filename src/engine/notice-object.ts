/**
 * The object of notices: what happened to runs and has to be told to receivers, for all services of the engine. Who sends one has it
 * for a while, so that no other one sends it meanwhile. Its state: `receivers` (when somebody named them last), `open` (what waits),
 * `n<number>` (a notice), and `lost` (how many were dropped).
 */
import { LONGEST_MS, type Notice, pauseAfter } from '../runtime/notifications/notices.js';
import type { RunReport } from '../runtime/run/run-report.js';
import type { ObjectContext, SharedContext } from './engine-context.js';

/** A notice that somebody sends now. */
export interface TakenNotice {
  readonly number: number;
  /** Stands for the receiver. */
  readonly target: string;
  readonly notice: Notice;
  /** How often it was tried before. */
  readonly tries: number;
}

/** How many notices somebody wants to send, by receivers. */
export interface TakingNotices {
  readonly wants: Readonly<Record<string, number>>;
  /** Also what has to wait for its next try. */
  readonly isAll?: boolean;
}

/** `lost`: how many were dropped since somebody asked last, because too many waited. */
export interface TakenNotices {
  readonly notices: readonly TakenNotice[];
  readonly lost: number;
}

/** What became of one. */
export interface SettledNotice {
  readonly number: number;
  readonly isReceived: boolean;
}

/** Of the named receivers: how many notices wait, and how many of them can be sent now. */
export interface NoticeCounts {
  readonly waiting: number;
  readonly due: number;
}

interface OpenNotice {
  readonly number: number;
  readonly target: string;
  readonly tries: number;
  /** When it is tried next, in milliseconds since the epoch; while somebody sends it: when another one may. */
  readonly nextAt: number;
  readonly since: number;
  /** Somebody has it now, or had it and died. */
  readonly isSent?: true;
}

/** Longer than a receiver may take. Milliseconds. */
const SENDING_MS = 60_000;
/** A receiver that nobody named for so long gets nothing more. Milliseconds. */
const FORGOTTEN_MS = 7 * LONGEST_MS;
/** So often it is noted that a receiver is still named. Milliseconds. */
const NAMED_MS = 60 * 60 * 1000;
/** How many notices wait at most. */
const MOST = 2000;

type Receivers = Readonly<Record<string, number>>;

/** Handlers that change the object, by their names on the engine. */
export function noticeHandlers() {
  return {
    /** What happens from now on is for these receivers, too. */
    async expect(context: ObjectContext, targets: readonly string[]): Promise<void> {
      const now = await context.now();
      const receivers = await receiversIn(context);
      context.set('receivers', { ...receivers, ...Object.fromEntries(targets.map((one) => [one, now])) });
    },

    /** Something has happened to a run. */
    async addNotice(context: ObjectContext, notice: Notice): Promise<void> {
      const receivers = await receiversIn(context);
      const now = await context.now();
      const targets = Object.keys(receivers).filter((one) => now - (receivers[one] ?? 0) < FORGOTTEN_MS);
      if (targets.length === 0) return;
      const open = await openIn(context);
      const first = ((await context.get<number>('last')) ?? 0) + 1;
      const added = targets.map((target, at) => ({ number: first + at, target, tries: 0, nextAt: now, since: now }));
      for (const { number } of added) context.set(`n${number}`, notice);
      context.set('last', first + added.length - 1);
      const all = [...open, ...added];
      const dropped = all.slice(0, Math.max(0, all.length - MOST));
      for (const { number } of dropped) context.clear(`n${number}`);
      if (dropped.length > 0) context.set('lost', ((await context.get<number>('lost')) ?? 0) + dropped.length);
      context.set('open', all.slice(dropped.length));
    },

    /** Notices for the caller to send: nobody else gets them before they are settled, or a minute has passed. */
    async take(context: ObjectContext, { wants, isAll = false }: TakingNotices): Promise<TakenNotices> {
      const now = await context.now();
      const receivers = await receiversIn(context);
      const named = Object.keys(wants).filter((one) => now - (receivers[one] ?? 0) > NAMED_MS);
      if (named.length > 0)
        context.set('receivers', { ...receivers, ...Object.fromEntries(named.map((one) => [one, now])) });
      const open = await openIn(context);
      const left: Record<string, number> = { ...wants };
      const taken = open.filter((one) => {
        const isWanted = (left[one.target] ?? 0) > 0 && (one.nextAt <= now || (isAll && one.isSent !== true));
        if (isWanted) left[one.target] = (left[one.target] ?? 0) - 1;
        return isWanted;
      });
      const notices: TakenNotice[] = [];
      for (const { number, target, tries } of taken) {
        const notice = await context.get<Notice>(`n${number}`);
        if (notice !== null) notices.push({ number, target, tries, notice });
      }
      const until = now + SENDING_MS;
      if (taken.length > 0)
        context.set(
          'open',
          open.map((one): OpenNotice => (taken.includes(one) ? { ...one, nextAt: until, isSent: true } : one)),
        );
      const lost = (await context.get<number>('lost')) ?? 0;
      if (lost > 0) context.clear('lost');
      return { notices, lost };
    },

    /** What became of notices that the caller had. Resolves with the numbers of those that are given up. */
    async settle(context: ObjectContext, settled: readonly SettledNotice[]): Promise<readonly number[]> {
      const now = await context.now();
      const received = new Map(settled.map((one) => [one.number, one.isReceived]));
      const gone: number[] = [];
      const givenUp: number[] = [];
      const left = (await openIn(context)).flatMap((one) => {
        const isReceived = received.get(one.number);
        if (isReceived === undefined) return [one];
        const { number, target, tries, since } = one;
        if (!isReceived && now - since < LONGEST_MS) {
          const nextAt = Math.min(now + pauseAfter(tries), since + LONGEST_MS);
          return [{ number, target, since, tries: tries + 1, nextAt }];
        }
        if (!isReceived) givenUp.push(number);
        gone.push(number);
        return [];
      });
      for (const number of gone) context.clear(`n${number}`);
      context.set('open', left);
      return givenUp;
    },
  };
}

/** Handlers that only read it. */
export function noticeReaders() {
  return {
    async counts(context: SharedContext, { targets, now }: CountingNotices): Promise<NoticeCounts> {
      const open = (await openIn(context)).filter(({ target }) => targets.includes(target));
      return { waiting: open.length, due: open.filter(({ nextAt }) => nextAt <= now).length };
    },
  };
}

/** `now`: of the clock of who asks; whether a notice can be taken is decided later. */
export interface CountingNotices {
  readonly targets: readonly string[];
  readonly now: number;
}

async function receiversIn({ get }: Pick<ObjectContext, 'get'>): Promise<Receivers> {
  return (await get<Receivers>('receivers')) ?? {};
}

async function openIn({ get }: Pick<SharedContext, 'get'>): Promise<readonly OpenNotice[]> {
  return (await get<readonly OpenNotice[]>('open')) ?? [];
}

/** Null: there is no notice. A run that only waits for the clock continues by itself. `at`: ISO 8601. */
export function noticeOfReport(report: RunReport | null, title: string, at: string): Notice | null {
  if (report === null || report.status === 'skipped' || report.status === 'interrupted') return null;
  const { run_id, status, machine, waiting } = report;
  const isSuspended = status === 'suspended';
  if (isSuspended && waiting.every(({ kind }) => kind === 'time')) return null;
  const id = `${run_id}.${Date.parse(at)}`;
  return { id, run_id, status, machine, at, title, ...(isSuspended ? { waiting } : {}) };
}
