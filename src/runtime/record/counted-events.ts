/** Events of some types as far as they count: a resume takes back those from its point on. */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { EventOf } from './record-facts.js';

interface CountedEvent<T extends RunEvent['type']> {
  readonly seq: number;
  readonly event: EventOf<T>;
}

export class CountedEvents<T extends RunEvent['type']> {
  readonly all: CountedEvent<T>[] = [];
  private readonly types: ReadonlySet<string>;

  constructor(...types: readonly T[]) {
    this.types = new Set(types);
  }

  take({ seq, event }: { readonly seq: number; readonly event: RunEvent }): void {
    if (this.types.has(event.type)) this.all.push({ seq, event: event as EventOf<T> });
    if (event.type !== 'run_resumed' || event.from === undefined) return;
    while ((this.all.at(-1)?.seq ?? 0) >= event.from) this.all.pop();
  }
}
