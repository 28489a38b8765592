/** Effects that a turn on another worker passes to this one, because this one has their label. */
import { EffectEntries } from './effect-entries.js';
import type { PerformContext } from './engine-context.js';
import type { Performed, RoutedEffect } from './messages.js';
import { NO_ROUTES } from './routes.js';
import type { TurnHost } from './turn-host.js';

/** Rejects if the turn has stopped the effect, when the effect has ended. */
export async function performRouted(context: PerformContext, routed: RoutedEffect, host: TurnHost): Promise<Performed> {
  const { runId, request, outputLimit, inDoubt } = routed;
  await host.program(runId);
  const effects = new EffectEntries(context, { runId, host, inDoubt, placement: NO_ROUTES });
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
