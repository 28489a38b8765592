/**
 * The spans of runs that a worker executes: each turn sends those that ended in it, made of the record alone, so they are
 * the same whichever worker makes them. Loaded only if somebody wants spans.
 */
import { endsRun } from '../interpreter/events/status-after.js';
import type { Json } from '../machine/expression.js';
import { type JournalRecord, readJournalLine } from '../runtime/store/journal-line.js';
import { type OtlpSpan, parseTraceparent } from '../runtime/trace/otlp.js';
import { parentsOf, RunSpans } from '../runtime/trace/run-spans.js';
import { postAll, unsentSpans } from '../runtime/trace/send-spans.js';
import type { TraceEndpoint } from '../runtime/trace/trace-options.js';
import type { EngineClient } from './client.js';
import type { TurnStart } from './messages.js';
import { RecentlyUsed } from './recently-used.js';

/** Runs whose next turn probably comes here, too, so that their records need not be read again. */
const MOST_RUNS = 1000;

export interface SpanSettings {
  readonly client: Pick<EngineClient, 'events'>;
  readonly endpoint: TraceEndpoint;
  /** Whether spans of agents have their prompts and answers. */
  readonly prompts: boolean;
  /** How the command line names the engine. */
  readonly on: string;
  readonly warn: (message: string) => void;
}

/** The spans of a run up to an event. */
interface KnownSpans {
  readonly seq: number;
  readonly spans: RunSpans;
  /** Those that ended since they were taken. */
  readonly ended: OtlpSpan[];
}

export class WorkerSpans {
  private readonly known = new RecentlyUsed<KnownSpans>(MOST_RUNS);
  /** Why spans could not be sent the last time; null: they could. */
  private problem: string | null = null;

  constructor(private readonly settings: SpanSettings) {}

  /** `recorded`: all events of the turn. `about`: the settings of its run. */
  async send(
    turn: Pick<TurnStart, 'runId' | 'seq'>,
    recorded: readonly JournalRecord[],
    about: Readonly<Record<string, Json>>,
  ): Promise<void> {
    const { runId } = turn;
    const { endpoint, on, warn } = this.settings;
    const parents = parentsOf(about);
    if (parseTraceparent(parents.parent)?.isSampled === false) return;
    try {
      const spans = await this.spansOf(turn, recorded, parents);
      const problem = spans.length === 0 ? null : await postAll(endpoint, spans);
      const why = problem?.message ?? null;
      // A receiver that is dead is said once, not for each turn of each run.
      if (why !== null && why !== this.problem)
        warn(unsentSpans(endpoint, { lost: spans.length, why }, `statedsl export otel ${runId} --on ${on}`));
      if (spans.length > 0) this.problem = why;
    } catch (cause) {
      warn(`the spans of run \`${runId}\` were not made: ${(cause as Error).message}`);
    }
  }

  private async spansOf(
    { runId, seq }: Pick<TurnStart, 'runId' | 'seq'>,
    recorded: readonly JournalRecord[],
    parents: ReturnType<typeof parentsOf>,
  ): Promise<readonly OtlpSpan[]> {
    const known = this.known.get(runId);
    // Nobody else continues it meanwhile: two attempts of one turn would take the same events twice.
    this.known.delete(runId);
    const { spans, ended } = known?.seq === seq ? known : await this.readSpans({ runId, seq }, parents);
    ended.length = 0;
    for (const record of recorded) {
      spans.take(record);
    }
    const last = recorded.at(-1);
    const isOver = last !== undefined && endsRun(last.event);
    if (!isOver) this.known.set(runId, { seq: last?.seq ?? seq, spans, ended }, 1);
    return [...ended];
  }

  /** Makes them of the events before the turn, which the engine has had since the turn began. */
  private async readSpans(
    { runId, seq }: Pick<TurnStart, 'runId' | 'seq'>,
    parents: ReturnType<typeof parentsOf>,
  ): Promise<Pick<KnownSpans, 'spans' | 'ended'>> {
    const ended: OtlpSpan[] = [];
    const { prompts } = this.settings;
    const forget = (): void => void ended.splice(0);
    const spans = new RunSpans({ runId, ...parents, prompts, emit: (span) => ended.push(span), forget });
    let next = 1;
    if (seq === 0) return { spans, ended };
    for await (const { lines } of this.settings.client.events(runId)) {
      for (const line of lines) {
        const record = next > seq ? null : readJournalLine(line);
        if (next <= seq && record === null) throw new Error('the engine has a damaged record of it');
        if (record !== null) spans.take(record);
        next++;
      }
      if (next > seq) return { spans, ended };
    }
    throw new Error('it was removed');
  }
}
