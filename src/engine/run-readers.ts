/** What is read of the object of a run, and what workers say of its turn, which is not part of the record. */
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { ListedRun } from '../runtime/list-runs.js';
import { endFacts, type RunReport } from '../runtime/run/run-report.js';
import type { RunWhereabouts } from '../runtime/run/run-whereabouts.js';
import type { Reach } from './admin.js';
import { EngineRefusal, type ObjectContext, type SharedContext } from './engine-context.js';
import type { ArtifactContent, ArtifactWanted, Doing, Head, HeadKey, Submission, WaitingFor } from './messages.js';
import { type EventsWanted, readEvents } from './run-journal.js';
import type { ServiceNames } from './services.js';
import type { SharedArtifacts } from './shared-artifacts.js';

/** The state of a run, in short. */
export interface RunState {
  readonly status: Head['status'];
  /** The number of the last event on record. */
  readonly seq: number;
  readonly turn: number;
  /** Of a run that is suspended or has ended; null: a turn executes it. */
  readonly report: RunReport | null;
  /** Set while a turn executes the run and has not reported yet what it asks, so that answers cannot be checked. */
  readonly asksUnknown?: true;
  /** Of a run with a key. */
  readonly key?: HeadKey;
}

/** Without a worker that looks. */
const NOWHERE: Reach = { absentSince: async () => null, worker: async () => 'none' };

/** Handlers that only read the object. */
export function readerHandlers(services: ServiceNames, reach: Reach = NOWHERE, shared: SharedArtifacts | null = null) {
  return {
    whereabouts: (context: SharedContext): Promise<RunWhereabouts | null> => whereaboutsOf(context, reach),

    async status(context: SharedContext): Promise<RunState | null> {
      const head = await context.get<Head>('head');
      if (head === null) return null;
      const { status, seq, turn, questions, key } = head;
      const known = { status, seq, turn, ...omitUndefined({ key }) };
      if (status !== 'running') return { ...known, report: await context.get<RunReport>('report') };
      return { ...known, report: null, ...(questions === undefined ? { asksUnknown: true } : {}) };
    },

    async about(context: SharedContext): Promise<Submission | null> {
      return context.get<Submission>('about');
    },

    /** Null: the run has no such artifact. */
    async artifact(context: SharedContext, wanted: ArtifactWanted): Promise<ArtifactContent | null> {
      const { name, from } = typeof wanted === 'string' ? { name: wanted, from: 0 } : wanted;
      return (await context.get<ArtifactContent>(`a${name}`)) ?? shared?.read(context.key, name, from) ?? null;
    },

    events: (context: SharedContext, wanted: EventsWanted) => readEvents(context, services, wanted),
  };
}

/** How long a word of a worker may be, in characters, and how many workers it may wait for. */
const LONGEST = 2000;
const MOST_WAITS = 1000;

/** A worker says what a turn does. Anybody who reaches the engine can say it, so it has little room. */
export async function noteDoing(context: ObjectContext, _: unknown, given: Doing): Promise<void> {
  const doing = checkedDoing(given);
  if (doing === null) throw new EngineRefusal(400, 'this is not what a worker says about a turn');
  const head = await context.get<Head>('head');
  if (head?.turn === doing.turn && head.status === 'running') context.set('doing', doing);
}

/** Only the members that it has, if they are what they should be; otherwise null. */
function checkedDoing(given: unknown): Doing | null {
  if (typeof given !== 'object' || given === null) return null;
  const {
    turn,
    worker,
    invocation,
    since,
    waits,
    made_by: by,
    refused,
  } = given as Partial<Record<keyof Doing, unknown>>;
  const isText = (one: unknown): one is string => typeof one === 'string' && one.length <= LONGEST;
  const isWait = (one: unknown): one is WaitingFor => {
    const { kind, name, since: from } = (one ?? {}) as Partial<WaitingFor>;
    return (kind === 'label' || kind === 'home') && isText(name) && isText(from);
  };
  if (!Number.isInteger(turn) || !isText(worker) || !isText(invocation) || !isText(since)) return null;
  if (by !== undefined && !isText(by)) return null;
  if (refused !== undefined && !isText(refused)) return null;
  if (!Array.isArray(waits) || !waits.every(isWait)) return null;
  const few = waits.slice(0, MOST_WAITS).map(({ kind, name, since: from }) => ({ kind, name, since: from }));
  return { turn: turn as number, worker, invocation, since, waits: few, ...omitUndefined({ made_by: by, refused }) };
}

/** Null: no turn executes the run. */
export async function whereaboutsOf(context: SharedContext, reach: Reach): Promise<RunWhereabouts | null> {
  const head = await context.get<Head>('head');
  if (head?.status !== 'running') return null;
  if (head.key?.state === 'waits')
    return { ...NO_WORKER, turn: head.turn, waits_for_key: { key: head.key.name, run_id: head.key.busy ?? null } };
  const said = await context.get<Doing>('doing');
  const doing = said?.turn === head.turn ? said : null;
  const waits = doing?.waits ?? (head.home === undefined ? [] : [{ kind: 'home', name: head.home, since: null }]);
  const [absentSince, ...workers] = await Promise.all([
    doing === null ? null : reach.absentSince(doing.worker),
    ...distinct(waits as readonly AwaitedSince[]).map(async (one) => ({ ...one, worker: await reach.worker(one) })),
  ]);
  return {
    turn: head.turn,
    worker: doing?.worker ?? null,
    invocation: doing?.invocation ?? null,
    since: doing?.since ?? null,
    is_reachable: absentSince === null,
    no_worker_since: absentSince,
    made_by: doing?.made_by ?? null,
    refused: doing?.refused ?? null,
    // A turn that no worker has begun waits for a worker.
    waits: workers.filter(({ worker }) => doing !== null || worker !== 'there'),
  };
}

const NO_WORKER = {
  worker: null,
  invocation: null,
  since: null,
  is_reachable: true,
  no_worker_since: null,
  made_by: null,
  refused: null,
  waits: [],
} as const;

type AwaitedSince = Omit<WaitingFor, 'since'> & { readonly since: string | null };

/** Many effects may wait for one label: the first one counts. */
function distinct(waits: readonly AwaitedSince[]): AwaitedSince[] {
  const all = new Map<string, AwaitedSince>();
  for (const one of waits) if (!all.has(`${one.kind} ${one.name}`)) all.set(`${one.kind} ${one.name}`, one);
  return [...all.values()];
}

/** The run as it is listed. `endedAt`: when the last event was recorded. */
export function listedRun(
  runId: string,
  { machine, title = machine, startedAt, key }: Head['listed'],
  known: {
    readonly status: Head['status'];
    readonly report: RunReport | null;
    readonly endedAt: string | null;
  },
): ListedRun {
  const { status, report, endedAt } = known;
  return {
    run_id: runId,
    machine,
    title,
    status,
    state: report?.state ?? null,
    started_at: startedAt,
    ended_at: endedAt,
    duration_ms: report?.duration_ms ?? null,
    cost: report?.cost ?? null,
    effects: report?.effects ?? null,
    ...omitUndefined({ key }),
    ...(report === null ? {} : endFacts(report)),
  };
}
