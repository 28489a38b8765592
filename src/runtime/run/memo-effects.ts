/** The memo of a store around the effects of a run: what is known is not performed, and what is performed is remembered. */
import { dirname } from 'node:path';
import type { Outcome } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectContext, Effects, PerformedRequest } from '../effect-context.js';
import type { MemoHost, MemoOptions } from '../memo.js';
import type { StepMemoHost } from '../step-memo.js';
import type { OnlyPart } from './only-part.js';
import type { RunOptions } from './run-options.js';

/** The store of a run, by the run's folder. */
const storeOf = (folder: string): string => dirname(dirname(folder));

interface MemoOfRun {
  /** The folder of the run. */
  readonly folder: string;
  readonly runId: string;
  readonly host: Omit<MemoHost, 'storage'>;
  /** Everything else comes from the memo; null: there is no such part. */
  readonly only: OnlyPart | null;
}

type OutcomeSource = () => Outcome | Promise<Outcome>;
type OnEvent = NonNullable<RunOptions['onEvent']>;

interface EffectsWithMemo {
  readonly effects: Effects;
  /** The listener to use: the memo learns of steps that have ended, once that is on disk. */
  readonly onEvent: OnEvent | null;
}

export async function withMemo(
  effects: Effects,
  machine: Machine,
  { folder, runId, host: given, only }: MemoOfRun,
  onEvent: OnEvent | null,
): Promise<EffectsWithMemo> {
  // Loaded only for a program that has such a step.
  const steps = remembersSteps(machine) ? await import('../step-memo.js') : null;
  const whenIdle = only === null ? null : (await import('./only-part.js')).whenStopped;
  const storages = async (): Promise<Pick<StepMemoHost, 'storage' | 'begun'>> => {
    const [{ memoOfStore }, { begunIn }] = await Promise.all([import('../memo.js'), import('../step-memo.js')]);
    return { storage: memoOfStore(storeOf(folder)), begun: begunIn(folder) };
  };
  /** A step may begin again as soon as it has ended. */
  let ending = Promise.resolve();
  const remember = (
    request: PerformedRequest,
    context: EffectContext,
    { fresh = given.fresh, perform }: { readonly fresh?: boolean | undefined; readonly perform: OutcomeSource },
  ): Outcome | Promise<Outcome> => {
    if (!isRemembered(request)) return perform();
    const asked = { ...given, ...(fresh === undefined ? {} : { fresh }) };
    return ending.then(storages).then((own) => performRemembered(request, context, { ...asked, ...own }, perform));
  };

  const perform: Effects['perform'] = (request, context) => {
    const inWorld = (): Outcome | Promise<Outcome> => effects.perform(request, context);
    if (request.kind === 'worktree') return remember(request, context, { perform: inWorld });
    switch (only?.judge(request) ?? 'own') {
      case 'free':
        return inWorld();
      case 'before':
        return remember(request, context, {
          fresh: false,
          perform: () => {
            if ('text' in request && 'line' in request) only?.refuse(request);
            return whenIdle?.(context.stop) ?? inWorld();
          },
        });
      default:
        return remember(request, context, { perform: inWorld });
    }
  };

  const listens = steps !== null || only !== null;
  const listener: OnEvent = (event, position, whole) => {
    only?.take(event);
    if (event.type === 'step_completed' && steps !== null)
      ending = ending.then(async () => steps.rememberEnd(event, { ...(await storages()), runId }));
    onEvent?.(event, position, whole);
  };
  return { effects: { ...effects, perform }, onEvent: listens ? listener : onEvent };
}

/** How a run uses the memo, as its settings keep it for when it is resumed. */
export const memoSettings = (memo: MemoOptions | undefined): Readonly<Record<string, Json>> =>
  omitUndefined({ memo_fresh: memo?.fresh, memo_max_age_ms: memo?.maxAgeMs });

/** Reverses `memoSettings`. */
export function memoOfSettings({
  memo_fresh: fresh,
  memo_max_age_ms: age,
}: Readonly<Record<string, Json>>): MemoOptions {
  return omitUndefined({
    fresh: fresh === true ? true : undefined,
    maxAgeMs: typeof age === 'number' ? age : undefined,
  });
}

/** Whether the memo may know the outcome of a request, or has to know it. */
export function isRemembered(request: PerformedRequest): boolean {
  if (request.kind === 'worktree') return request.action.do === 'snapshot' && request.action.memo !== undefined;
  return 'memo' in request && request.memo !== undefined;
}

/** Performs a request, unless the memo knows what it comes to. */
export async function performRemembered(
  request: PerformedRequest,
  context: EffectContext,
  host: StepMemoHost,
  perform: OutcomeSource,
): Promise<Outcome> {
  if (request.kind === 'worktree')
    return (await import('../step-memo.js')).performChange(request, context, host, perform);
  if (!('memo' in request) || request.memo === undefined) return perform();
  const { memo } = request;
  if (request.kind === 'agent' && memo.step !== undefined)
    return (await import('../step-memo.js')).rememberStep({ ...request, memo }, context, host, perform);
  return (await import('../memo.js')).rememberOutcome({ ...request, memo }, context, host, perform);
}

export function remembersSteps({ states }: Machine): boolean {
  return states.some(({ code }) => code.some((one) => one.op === 'step-begin' && one.plan.memo !== undefined));
}
