/** The memo of a store around the effects of a run: what is known is not performed, and what is performed is remembered. */
import { dirname } from 'node:path';
import type { Outcome } from '../../interpreter/events/event.js';
import type { Machine } from '../../machine/machine.js';
import type { EffectContext, Effects, PerformedRequest } from '../effect-context.js';
import type { MemoHost } from '../memo.js';
import type { OnlyPart } from './only-part.js';
import type { RunOptions } from './run-options.js';

/** The store of a run, by the run's folder. */
const storeOf = (folder: string): string => dirname(dirname(folder));

interface MemoOfRun {
  /** The folder of the run. */
  readonly folder: string;
  readonly runId: string;
  readonly host: Omit<MemoHost, 'store'>;
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
  const host = { ...given, folder, store: storeOf(folder) };

  const remember = (
    request: PerformedRequest,
    context: EffectContext,
    { fresh = host.fresh, perform }: { readonly fresh?: boolean | undefined; readonly perform: OutcomeSource },
  ): Outcome | Promise<Outcome> => {
    if (!('memo' in request) || request.memo === undefined) return perform();
    const { memo } = request;
    const asked = { ...host, ...(fresh === undefined ? {} : { fresh }) };
    if (request.kind === 'agent' && memo.step !== undefined)
      return steps?.rememberStep({ ...request, memo }, context, asked, perform) ?? perform();
    return import('../memo.js').then(({ rememberOutcome }) =>
      rememberOutcome({ ...request, memo }, context, asked, perform),
    );
  };

  const perform: Effects['perform'] = (request, context) => {
    const inWorld = (): Outcome | Promise<Outcome> => effects.perform(request, context);
    if (request.kind === 'worktree') return steps?.performChange(request, context, host, inWorld) ?? inWorld();
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
    if (event.type === 'step_completed') steps?.rememberEnd(event, { folder, runId, store: storeOf(folder) });
    onEvent?.(event, position, whole);
  };
  return { effects: { ...effects, perform }, onEvent: listens ? listener : onEvent };
}

function remembersSteps({ states }: Machine): boolean {
  return states.some(({ code }) => code.some((one) => one.op === 'step-begin' && one.plan.memo !== undefined));
}
