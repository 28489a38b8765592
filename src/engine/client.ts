/** The object of a run, from outside: everything that a program without the package of the engine needs, over HTTP. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOver } from '../interpreter/events/status-after.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { ListedRun } from '../runtime/list-runs.js';
import type { RunWhereabouts } from '../runtime/run/run-whereabouts.js';
import type { Delivery } from '../runtime/store/inbox.js';
import type { KeptSchedule } from '../runtime/store/kept-schedules.js';
import { askEngine, type ClientOptions, EngineFailure } from './ask-engine.js';
import type { HandlerTarget } from './engine-context.js';
import type {
  ArtifactContent,
  Beginning,
  Doing,
  Resuming,
  StoredArtifact,
  Submission,
  Submitting,
} from './messages.js';
import type { CountingNotices, NoticeCounts, SettledNotice, TakenNotices, TakingNotices } from './notice-object.js';
import { type EventChunks, type EventLines, unpackedLines } from './run-journal.js';
import type { RunState } from './run-readers.js';
import type { KeepingSchedule, NamedSchedule } from './schedule-object.js';
import { dayOf, type RunHandler, type RunsHandler, type SharedHandler, serviceNames } from './services.js';
import type { SharedKind } from './shared-object.js';
import { bytesOfArtifact } from './turn-record.js';
import { hiddenName, packDelivery } from './value-codec.js';

export { type ClientOptions, EngineFailure };

/** What an object is about that all runs share. */
export interface SharedName {
  readonly kind: SharedKind;
  readonly name: string;
}

export interface EngineClient {
  /**
   * Begins a run, perhaps with the first events of another one. Submitting it twice is the same as once. The engine may begin
   * it although `signal` ended the waiting for a worker that accepts it. `isOnce`: for a day also if it was removed meanwhile.
   */
  submit(submission: Submission, beginning?: Beginning, signal?: AbortSignal, isOnce?: boolean): Promise<void>;
  /** Up to when a schedule is dealt with; null: no service knows it yet. */
  keptSchedule(schedule: NamedSchedule): Promise<KeptSchedule | null>;
  /** False: another service was faster, and what it kept counts. */
  keepSchedule(keeping: KeepingSchedule): Promise<boolean>;
  /** A service looks at the schedules. */
  lookAtSchedules(): Promise<void>;
  /** When a service looked last, in milliseconds since the epoch; null: none ever has. */
  schedulesSeen(): Promise<number | null>;
  /** What happens from now on is for these receivers, too. */
  expectNotices(targets: readonly string[]): Promise<void>;
  countNotices(counting: CountingNotices): Promise<NoticeCounts>;
  /** Notices to send: nobody else gets them before they are settled, or a minute has passed. */
  takeNotices(taking: TakingNotices): Promise<TakenNotices>;
  /** Resolves with the numbers of those that are given up. */
  settleNotices(settled: readonly SettledNotice[]): Promise<readonly number[]>;
  /** Delivers answers, signals or the wish to end the run. Resolves with the number of the last event before. */
  deliver(runId: string, deliveries: readonly Delivery[]): Promise<number>;
  /** Null: there is no such run. */
  status(runId: string): Promise<RunState | null>;
  about(runId: string): Promise<Submission | null>;
  /** Where the run is executed; null: no turn executes it. */
  whereabouts(runId: string): Promise<RunWhereabouts | null>;
  /** Says what a turn does. */
  note(runId: string, doing: Doing): Promise<void>;
  /** The runs, newest first, at least so many if there are. */
  list(count: number): Promise<readonly ListedRun[]>;
  /** Whether the run was removed. A server with other data, which never had a run of its day, does not say so. */
  isGone(runId: string): Promise<boolean>;
  /** Resumes a run. Refused with 409 if something has happened to it since. */
  resume(runId: string, resuming: Resuming): Promise<void>;
  /**
   * Removes a run that has ended. `seq`: the number of its last event. Refused with 409 if something has happened to it since.
   * 0: removes the artifacts of a run that was not submitted.
   */
  drop(runId: string, seq: number): Promise<void>;
  /**
   * Asks an object of what all runs share, by what it is about or by its key. `waits`: as long as the server is well, because
   * many may ask at once.
   */
  askShared<T>(of: SharedName | string, handler: SharedHandler, message: unknown, waits?: boolean): Promise<T>;
  /** Stores an artifact of a run. */
  store(runId: string, artifact: StoredArtifact): Promise<void>;
  /** Null: the run has no artifact of this name. */
  artifact(runId: string, name: string): Promise<ArtifactContent | null>;
  /**
   * The lines of the journal from a number on: what is there, then what comes, until the run has ended. The last part may have
   * its report.
   */
  events(runId: string, from?: number, signal?: AbortSignal): AsyncGenerator<EventLines>;
}

/** The engine has accepted a delivery that no worker has answered: another one would be a second delivery. */
function explainDelivery(cause: unknown): never {
  if (!(cause instanceof EngineFailure) || cause.kind !== 'no-worker') throw cause;
  const more = 'the engine keeps what was sent and delivers it when a worker comes, so do not send it again';
  throw new EngineFailure(cause.kind, cause.status, `${cause.message}; ${more}`);
}

/** A turn reports what it asks when nothing has come for 0.8 s. One that is busy for longer gets answers that nobody has checked. */
const ASKED_MS = 2000;
const PAUSE_MS = 100;

/** Waits until an answer can be checked, or for a while. */
async function untilAsked(stateOf: (signal: AbortSignal) => Promise<RunState | null>): Promise<void> {
  const signal = AbortSignal.timeout(ASKED_MS);
  try {
    while ((await stateOf(signal))?.asksUnknown === true) await sleep(PAUSE_MS, undefined, { signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }
}

/** A request that is repeated after a broken connection may have been accepted; the engine ignores the second one. */
function onceOnly(): Readonly<Record<string, string>> {
  return { 'idempotency-key': randomUUID() };
}

/** Everyone who can look into the engine sees the names of objects: they say nothing of what these are about. */
const sharedKey = ({ kind, name }: SharedName, key: string | null): string => hiddenName(`${kind} ${name}`, key);

/** Whether an answer can be an object with one of these members. */
function hasOneOf(...names: readonly string[]): (answer: unknown) => boolean {
  return (answer) => typeof answer === 'object' && answer !== null && names.some((name) => name in answer);
}

/** There may be nothing. */
function isNullOrHas(name: string): (answer: unknown) => boolean {
  const has = hasOneOf(name);
  return (answer) => answer === null || has(answer);
}

const READERS: ReadonlySet<SharedHandler> = new Set<SharedHandler>(['look', 'entries']);

export function engineClient(given: ClientOptions): EngineClient {
  const options = { ...given, url: given.url.replace(/\/+$/, '') };
  const services = serviceNames(options.namespace);
  const pathOf = (runId: string, handler: RunHandler): string =>
    `${services.run(runId, handler).service}/${encodeURIComponent(runId)}/${handler}`;
  const call = <T>(
    runId: string,
    handler: RunHandler,
    message: unknown,
    isAnswer: (answer: unknown) => boolean = () => true,
  ): Promise<T> => askEngine<T>(options, pathOf(runId, handler), message, { isAnswer });
  const stateOf = (runId: string, signal?: AbortSignal): Promise<RunState | null> =>
    askEngine(options, pathOf(runId, 'status'), null, { signal, isAnswer: isNullOrHas('seq') });
  const ask = <T>(key: string, handler: RunsHandler): Promise<T> =>
    askEngine<T>(options, `${services.runs(key, handler).service}/${key}/${handler}`, null, {
      isAnswer: Array.isArray,
    });
  const askOne = <T>(
    { service, key, handler }: HandlerTarget,
    message: unknown,
    isAnswer: (answer: unknown) => boolean = () => true,
  ): Promise<T> => askEngine<T>(options, `${service}/${key}/${handler}`, message, { isAnswer });
  return {
    async submit(submission, beginning, signal, isOnce = false) {
      const submitting: Submitting = { ...submission, ...omitUndefined({ beginning }) };
      await askEngine(options, pathOf(submission.header.runId, 'submit'), submitting, {
        signal,
        waits: true,
        isAnswer: hasOneOf('run_id'),
        ...(isOnce ? { headers: { 'idempotency-key': submission.header.runId } } : {}),
      });
    },
    async deliver(runId, deliveries) {
      if (deliveries.some(({ kind }) => kind === 'answer')) await untilAsked((signal) => stateOf(runId, signal));
      const headers = onceOnly();
      const answer = askEngine<{ readonly seq: number }>(options, pathOf(runId, 'tell'), deliveries.map(packDelivery), {
        headers,
        isAnswer: hasOneOf('seq'),
      });
      return (await answer.catch(explainDelivery)).seq;
    },
    async resume(runId, resuming) {
      await askEngine(options, pathOf(runId, 'resume'), resuming, { headers: onceOnly() });
    },
    async drop(runId, seq) {
      await askEngine(options, pathOf(runId, 'drop'), { seq }, { headers: onceOnly() });
    },
    async isGone(runId) {
      if ((await stateOf(runId)) !== null) return false;
      return (await ask<readonly string[]>('days', 'days')).includes(dayOf(runId));
    },
    async list(count) {
      const runs: ListedRun[] = [];
      for (const day of [...(await ask<readonly string[]>('days', 'days'))].reverse()) {
        runs.push(...(await ask<readonly ListedRun[]>(day, 'list')));
        if (runs.length >= count) break;
      }
      return runs;
    },
    keptSchedule: (schedule) => askOne(services.schedules('lookUp'), schedule, isNullOrHas('until')),
    keepSchedule: (keeping) => askOne(services.schedules('keep'), keeping, (answer) => typeof answer === 'boolean'),
    lookAtSchedules: async () => void (await askOne(services.schedules('looks'), null)),
    schedulesSeen: () =>
      askOne(services.schedules('seen'), null, (answer) => answer === null || typeof answer === 'number'),
    expectNotices: async (targets) => void (await askOne(services.notices('expect'), targets)),
    countNotices: (counting) => askOne(services.notices('counts'), counting, hasOneOf('due')),
    takeNotices: (taking) => askOne(services.notices('take'), taking, hasOneOf('notices')),
    settleNotices: (settled) => askOne(services.notices('settle'), settled, Array.isArray),
    status: (runId) => stateOf(runId),
    async whereabouts(runId) {
      const found = await call<RunWhereabouts | null>(runId, 'whereabouts', null);
      const { waits_for_key: wanted } = found ?? {};
      if (found === null || wanted?.run_id == null) return found;
      const status = (await stateOf(wanted.run_id))?.status;
      return { ...found, waits_for_key: { ...wanted, ...omitUndefined({ status }) } };
    },
    note: async (runId, doing) => void (await call(runId, 'doing', doing)),
    about: (runId) => call(runId, 'about', null, isNullOrHas('header')),
    askShared: (of, handler, message, waits = false) => {
      const key = typeof of === 'string' ? of : sharedKey(of, options.key ?? null);
      const path = `${services.sharedObject(key, handler).service}/${encodeURIComponent(key)}/${handler}`;
      const headers = READERS.has(handler) ? {} : onceOnly();
      return askEngine(options, path, message, { headers, waits });
    },
    store: async (runId, artifact) => void (await call(runId, 'store', artifact)),
    async artifact(runId, name) {
      const parts: Buffer[] = [];
      for (let from = 0; ; ) {
        const part = await call<ArtifactContent | null>(runId, 'artifact', from === 0 ? name : { name, from });
        if (part === null) return null;
        const next = 'next' in part ? part.next : undefined;
        if (next === undefined && parts.length === 0) return part;
        parts.push(bytesOfArtifact(part));
        if (next === undefined) return { base64: Buffer.concat(parts).toString('base64') };
        from = next;
      }
    },
    async *events(runId, from = 1, signal) {
      for (let next = from; ; ) {
        const isAnswer = (answer: unknown): boolean => answer === null || hasOneOf('lines', 'chunks')(answer);
        const waiting = { signal, waits: true, isAnswer };
        const found = await askEngine<EventLines | EventChunks | null>(
          options,
          pathOf(runId, 'events'),
          { from: next, wait: true, packed: true },
          waiting,
        );
        if (found === null) return;
        const part = 'chunks' in found ? unpackedLines(found) : found;
        next += part.lines.length;
        if (part.lines.length > 0 || part.report !== undefined) yield part;
        if (isOver(part) && next > part.seq) return;
      }
    },
  };
}
