/** Follows a run of a folder that another process executes: its events, its questions, and its report at the end. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { RunModel } from '../../runtime/record/run-model.js';
import { FollowedQuestions, questionOf } from '../../runtime/run/followed-questions.js';
import { emptyReport, type RunReport } from '../../runtime/run/run-report.js';
import { abortedBy } from '../../runtime/stop-signal.js';
import { AppendDecoder } from '../../runtime/store/appended.js';
import { readJournalLine } from '../../runtime/store/journal-line.js';
import type { StoredRun } from '../../runtime/store/stored-run.js';
import type { FollowOptions } from '../execution-options.js';
import { OperationRefused, refuse, unwrap } from '../result.js';
import type { Execution, Runs, ShownRun } from '../runs.js';
import { eventStream } from './event-stream.js';

/** An execution elsewhere, which is followed as soon as somebody asks for its report. */
export function executionElsewhere(
  run_id: string,
  machine: string,
  follow: () => Promise<RunReport | null>,
): Execution {
  let report: Promise<RunReport> | null = null;
  return {
    started: { run_id, machine, status: 'running' },
    get report() {
      report ??= follow().then((end) => end ?? emptyReport(run_id, machine, 'interrupted'));
      return report;
    },
  };
}

export function followStored(
  runs: Pick<Runs, 'answer' | 'inspect'>,
  stored: StoredRun,
  options: FollowOptions,
): Execution {
  const { run_id, machine } = stored.about;
  return executionElsewhere(run_id, machine, () => {
    options.onStart?.({ runId: run_id, folder: stored.path });
    return untilReleased(runs, stored, options);
  });
}

/**
 * Null: the following was ended. All of the record is read, because lines of it continue values of earlier lines. Rejects
 * with an `OperationRefused`.
 */
async function untilReleased(
  runs: Pick<Runs, 'answer' | 'inspect'>,
  { path, about }: StoredRun,
  { from = 1, onEvent, ask, person = 'user', through, signal: stopping }: FollowOptions,
): Promise<RunReport | null> {
  const { run_id } = about;
  const decoder = new AppendDecoder();
  const model = new RunModel();
  const interrupted = abortedBy(stopping ?? null);
  const leaving = new AbortController();
  const signal = AbortSignal.any([interrupted.signal, leaving.signal]);
  const defaults = new Map<string, string | null>();
  let failure: { readonly cause: unknown } | null = null;
  const questions =
    ask === undefined
      ? null
      : new FollowedQuestions({
          ask,
          async deliver(name, value) {
            const delivered = await runs.answer(
              run_id,
              { [name]: value },
              { by: person, ...omitUndefined({ through }) },
            );
            if (delivered.ok || ['conflict', 'over'].includes(delivered.refusal.code)) return;
            // Somebody else was first, or the run has gone on without an answer; otherwise the answer does not fit.
            const isOpen = delivered.refusal.code !== 'wrong-use' || (await isAsking(runs, run_id, name));
            if (isOpen) unwrap(delivered);
          },
          onLeft: () => leaving.abort(),
          onFailure(cause) {
            failure = { cause };
            leaving.abort();
          },
        });
  const stream = eventStream({ folder: path, after: 0, follow: 'while-executed', signal });
  try {
    for await (const lines of stream.lines()) {
      for (const { text } of lines) {
        const record = readJournalLine(text);
        // Damage, which the report is refused for.
        if (record === null) continue;
        const { event, seq, time } = record;
        model.take(record);
        if (event.type === 'asked') defaults.set(event.effect, event.default);
        const whole = decoder.decode(event) ?? event;
        if (seq >= from) onEvent?.(whole, { seq, time, recorded: event });
      }
      const open = model.waiting.filter(({ waiting }) => waiting.kind === 'ask');
      questions?.update(
        open.map(({ effect, waiting }) => ({
          key: effect,
          name: waiting.id ?? waiting.name ?? '',
          question: questionOf(waiting, defaults.get(effect) ?? null),
        })),
      );
    }
  } finally {
    interrupted.release();
    questions?.update([]);
  }
  if (failure !== null) throw (failure as { readonly cause: unknown }).cause;
  if (interrupted.signal.aborted) return null;
  const { end } = stream;
  if (end?.reason === 'failed') throw new OperationRefused(refuse('store', end.message ?? '').refusal);
  if (end?.reason === 'removed')
    throw new OperationRefused(refuse('unknown', `run \`${run_id}\` was removed`, 'list the runs').refusal);
  const shown = await runs.inspect(run_id);
  return reportFrom(unwrap(shown));
}

async function isAsking(runs: Pick<Runs, 'inspect'>, run: string, id: string): Promise<boolean> {
  const shown = await runs.inspect(run);
  return shown.ok && shown.value.waiting.some((one) => (one.id ?? one.name) === id);
}

/** What a run is shown with in addition to its report. */
const SHOWN_ONLY: ReadonlySet<string> = new Set<Exclude<keyof ShownRun, keyof RunReport>>([
  'seq',
  'at',
  'last_seq',
  'started_at',
  'inputs',
  'bound',
  'values',
  'printed_inputs',
  'printed_bound',
  'printed_values',
  'engine',
]);

/**
 * A report has no status of its own for a run that its process left, and for one that is executed and was left by who followed
 * it.
 */
function reportFrom({ steps, ...shown }: ShownRun): RunReport {
  const status = shown.status === 'running' && shown.waiting.length > 0 ? 'suspended' : shown.status;
  const report = Object.fromEntries(Object.entries(shown).filter(([name]) => !SHOWN_ONLY.has(name)));
  return {
    ...(report as unknown as RunReport),
    status: status === 'killed' || status === 'running' ? 'interrupted' : status,
    ...omitUndefined({ steps: steps?.map(({ since: _, ...step }) => step) }),
  };
}
