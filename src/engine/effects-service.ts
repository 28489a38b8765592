/** Effects that a turn on another worker passes to this one, because this one has their label. */
import type { Json } from '../machine/expression.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import { EffectEntries } from './effect-entries.js';
import type { PerformContext } from './engine-context.js';
import type { Performed, RoutedEffect } from './messages.js';
import { NO_ROUTES } from './routes.js';
import { hasMarks, revealSecrets } from './secret-inputs.js';
import { type Program, ProgramRefused, type TurnHost } from './turn-host.js';

/** Rejects if the turn has stopped the effect, when the effect has ended. */
export async function performRouted(context: PerformContext, routed: RoutedEffect, host: TurnHost): Promise<Performed> {
  const { runId, outputLimit, inDoubt } = routed;
  const hidden = routed.request as unknown as Json;
  let program: Program;
  try {
    const needs = { submitter: true, functions: routed.request.kind === 'function', secrets: hasMarks(hidden) };
    program = { ...(await host.program(runId, needs)), isRouted: true };
  } catch (cause) {
    if (!(cause instanceof ProgramRefused)) throw cause;
    return { outcome: { kind: 'not-started', reason: cause.message }, at: 0, printed: 0 };
  }
  const request = revealSecrets(hidden, program.secrets) as unknown as PerformedRequest;
  const effects = new EffectEntries(context, { runId, host, inDoubt, placement: NO_ROUTES, program, presence: null });
  await effects.start(request, outputLimit, 0);
  const [entry] = effects.entries();
  try {
    const came = await entry;
    if (came?.kind !== 'performed') throw new Error('the effect was not performed');
    effects.finish(request.effect);
    return came.performed;
  } catch (cause) {
    // The next attempt joins it, unless it comes too late.
    if (!context.attemptOver.aborted) await effects.abandon(request.effect);
    throw cause;
  }
}
