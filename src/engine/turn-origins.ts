/**
 * Which version of statedsl began each turn of this process. The engine refuses a turn whose entries are not those on record,
 * because the worker was replaced at its address by one that makes others. The engine repeats the turn until the earlier
 * worker is back.
 */
import type { Doing } from './messages.js';
import { RecentlyUsed } from './recently-used.js';

interface TurnOrigin {
  readonly runId: string;
  readonly turn: number;
  /** The version of statedsl. */
  readonly by: string;
}

const MOST_TURNS = 10_000;
/** The code of the engine for entries that are not those on record, in the messages of its SDK. */
const OTHER_ENTRIES = /\(570\)|code: 570|journal mismatch/i;

export class TurnOrigins {
  private readonly known = new RecentlyUsed<TurnOrigin>(MOST_TURNS);
  private readonly said = new RecentlyUsed<true>(MOST_TURNS);

  /** `address`: that of this worker. */
  constructor(
    private readonly warn: (message: string) => void,
    private readonly client: { readonly note?: (runId: string, doing: Doing) => Promise<void> },
    private readonly address: () => string,
  ) {}

  note(invocation: string, origin: TurnOrigin): void {
    this.known.set(invocation, origin, 1);
  }

  /** A message of the SDK about an execution. True: it is about other entries, and what is to be done was said. */
  explain(invocation: string, message: string): boolean {
    const origin = this.known.get(invocation);
    if (origin === undefined || !OTHER_ENTRIES.test(message)) return false;
    // The engine tries again forever.
    if (this.said.get(invocation) !== undefined) return true;
    this.said.set(invocation, true, 1);
    const { runId, turn, by } = origin;
    this.warn(
      `turn ${turn} of run \`${runId}\` was made by statedsl ${by}, and this worker makes other entries: start statedsl ${by} again at ${this.address()}`,
    );
    const since = new Date().toISOString();
    const doing = { turn, worker: this.address(), invocation, since, waits: [], made_by: by };
    this.client.note?.(runId, doing).catch(() => undefined);
    return true;
  }
}
