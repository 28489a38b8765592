/** Where a run is executed: what workers said last, and whether they can be reached now. */
import type { ObjectContext, ReaderContext } from './engine-context.js';
import type { Doing, Head, WaitingFor } from './messages.js';
import type { Reach, RunWhereabouts } from './whereabouts.js';

/** A worker says what a turn does. */
export async function noteDoing(context: ObjectContext, _: unknown, doing: Doing): Promise<void> {
  const head = await context.get<Head>('head');
  if (head?.turn === doing.turn && head.status === 'running') context.set('doing', doing);
}

/** Null: no turn executes the run. */
export async function whereaboutsOf(context: ReaderContext, reach: Reach): Promise<RunWhereabouts | null> {
  const head = await context.get<Head>('head');
  if (head?.status !== 'running') return null;
  const said = await context.get<Doing>('doing');
  const doing = said?.turn === head.turn ? said : null;
  const waits = doing?.waits ?? (head.home === undefined ? [] : [{ kind: 'home', name: head.home, since: null }]);
  const [isReachable, ...workers] = await Promise.all([
    doing === null || reach.address(doing.worker),
    ...distinct(waits as readonly AwaitedSince[]).map(async (one) => ({ ...one, worker: await reach.worker(one) })),
  ]);
  return {
    turn: head.turn,
    worker: doing?.worker ?? null,
    invocation: doing?.invocation ?? null,
    since: doing?.since ?? null,
    is_reachable: isReachable,
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
