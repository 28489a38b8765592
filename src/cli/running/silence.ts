/** A run that is followed and of which nothing comes: a person learns what it waits for. */
import type { EngineClient } from '../../engine/client.js';
import { engineProblems } from '../../views/run-state.js';

/** So long nothing comes before the first look. Milliseconds. */
const QUIET_MS = 5000;
/** Between two looks, while nothing comes. */
const AGAIN_MS = 10_000;
/** A turn that has just begun has no worker for a moment. */
const CONFIRM_MS = 3000;

export class Silence {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private said = '';
  private hasEnded = false;
  /** The turn that had no worker at the last look. */
  private unreported: number | null = null;

  /** `missing`: what is said if not even the first event comes. */
  constructor(
    private readonly client: Pick<EngineClient, 'whereabouts'>,
    private readonly runId: string,
    private missing: string | undefined,
    private readonly say: (line: string) => void,
  ) {
    this.lookIn(QUIET_MS);
  }

  noteEvent(): void {
    this.missing = undefined;
    this.timer?.refresh();
  }

  end(): void {
    this.hasEnded = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private lookIn(ms: number): void {
    if (!this.hasEnded) this.timer = setTimeout(() => void this.look(), ms).unref();
  }

  private async look(): Promise<void> {
    this.timer = null;
    if (this.missing !== undefined) this.say(this.missing);
    this.missing = undefined;
    // Without a worker nothing answers, and what follows the run says so.
    const facts = await this.client.whereabouts(this.runId).catch(() => null);
    const isUnreported = facts !== null && facts.turn !== null && facts.worker === null && facts.waits.length === 0;
    const isNew = isUnreported && facts.turn !== this.unreported;
    this.unreported = isUnreported ? facts.turn : null;
    if (isNew) return this.lookIn(CONFIRM_MS);
    const text = facts === null ? '' : engineProblems(facts).join('\n');
    if (text !== '' && text !== this.said && !this.hasEnded) this.say(text);
    if (text !== '') this.said = text;
    this.lookIn(AGAIN_MS);
  }
}
