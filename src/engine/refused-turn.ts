/**
 * A turn whose worker must not execute it. After a time it is begun again, perhaps by another worker: the engine gives it to
 * the address that it got to know last. Meanwhile the run hears the wish to end it, which needs no worker that fits.
 */
import type { TurnContext } from './engine-context.js';
import type { Listening, Mail, TurnStart } from './messages.js';
import type { ServiceNames } from './services.js';

/** How long a refused turn waits, in milliseconds. */
const AGAIN_MS = 3000;

/** Passes a turn on that the worker cannot read, so that it can do nothing else. */
export async function passOn(
  context: TurnContext,
  start: TurnStart,
  services: ServiceNames,
  home: string | null,
): Promise<void> {
  await context.sleep(AGAIN_MS, 'refused');
  context.send(services.turn(home), start);
}

/** The turn with the wish to end its run; null: the turn was passed on. `home`: whose workers execute the run. */
export async function passOnOrEnd(
  context: TurnContext,
  start: TurnStart,
  services: ServiceNames,
  home: string | null,
): Promise<TurnStart | null> {
  let { mail } = start;
  const isCanceled = (): boolean =>
    mail.some(({ number, delivery }) => number > start.seen && delivery.kind === 'cancel');
  if (isCanceled()) return start;
  const later = context.sleep(AGAIN_MS, 'refused').map(() => null);
  for (;;) {
    const { id, entry } = context.awakeable<readonly Mail[]>();
    const seen = mail.at(-1)?.number ?? start.seen;
    context.send(services.run(start.runId, 'listening'), { turn: start.turn, awakeable: id, seen } satisfies Listening);
    const came = await context.race<readonly Mail[] | null>([entry, later]);
    if (came === null) {
      context.send(services.turn(home), { ...start, mail });
      return null;
    }
    mail = [...mail, ...came];
    if (isCanceled()) return { ...start, mail };
  }
}
