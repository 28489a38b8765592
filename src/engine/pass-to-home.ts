/**
 * Passes a turn on to workers with a name. If the engine knows none yet, the turn waits here and not in the object of the
 * run, so that the run can be seen and reached meanwhile. A run that is cancelled before it has begun is ended here.
 */
import type { TurnContext } from './engine-context.js';
import type { HomeTurn, Listening, Mail } from './messages.js';
import { executeTurn } from './turn.js';
import type { TurnHost } from './turn-host.js';

type Came = { readonly kind: 'found' } | { readonly kind: 'mail'; readonly mail: readonly Mail[] };

export async function passToHome(context: TurnContext, { home, start }: HomeTurn, host: TurnHost): Promise<void> {
  const { services } = host;
  const wanted = { kind: 'home', name: home } as const;
  const { attemptOver } = context;
  const isKnown = await context.run('home', () => host.hasWorker(wanted, 0, attemptOver));
  if (isKnown) return context.send(services.turn(home), start);
  const { runId, turn } = start;
  host.presence?.({ runId, turn, invocation: context.invocation, over: attemptOver }).waitsFor(wanted);
  const stopping = new AbortController();
  const find = async (): Promise<boolean> => {
    const signal = AbortSignal.any([stopping.signal, attemptOver]);
    const isThere = await host.hasWorker(wanted, Number.POSITIVE_INFINITY, signal);
    // The next attempt looks again.
    attemptOver.throwIfAborted();
    return isThere;
  };
  const found = context.run('worker', find, (): Came => ({ kind: 'found' }));
  let { mail } = start;
  for (;;) {
    const { id, entry } = context.awakeable((more: readonly Mail[]): Came => ({ kind: 'mail', mail: more }));
    const seen = mail.at(-1)?.number ?? start.seen;
    context.send(services.run(start.runId, 'listening'), { turn: start.turn, awakeable: id, seen } satisfies Listening);
    const came = await context.race<Came>([found, entry]);
    if (came.kind === 'found') return context.send(services.turn(home), { ...start, mail });
    mail = [...mail, ...came.mail];
    if (start.image !== null || !mail.some(({ delivery }) => delivery.kind === 'cancel')) continue;
    stopping.abort();
    await found;
    return executeTurn(context, { ...start, mail }, host);
  }
}
