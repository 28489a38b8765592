/** Where a run is executed: what workers said last, and whether they can be reached now. */
import { omitUndefined } from '../prelude/omit-undefined.js';
import { EngineRefusal, type ObjectContext, type ReaderContext } from './engine-context.js';
import type { Doing, Head, WaitingFor } from './messages.js';
import type { Reach, RunWhereabouts } from './whereabouts.js';

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
export async function whereaboutsOf(context: ReaderContext, reach: Reach): Promise<RunWhereabouts | null> {
  const head = await context.get<Head>('head');
  if (head?.status !== 'running') return null;
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

type AwaitedSince = Omit<WaitingFor, 'since'> & { readonly since: string | null };

/** Many effects may wait for one label: the first one counts. */
function distinct(waits: readonly AwaitedSince[]): AwaitedSince[] {
  const all = new Map<string, AwaitedSince>();
  for (const one of waits) if (!all.has(`${one.kind} ${one.name}`)) all.set(`${one.kind} ${one.name}`, one);
  return [...all.values()];
}
