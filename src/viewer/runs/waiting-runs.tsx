/** Runs that wait for a person, above all others: what they ask, and the way to answer. */
import { useEffect, useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import { countOf } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunRow } from '../data/run-data.js';
import { usePage } from '../page-parts.js';
import { waitingWords } from '../record/event-words.js';
import { Link } from '../shell/link.jsx';
import { Prose } from '../shell/prose.jsx';
import { Time } from '../shell/time.jsx';

/** More of them would hide the list. */
const MOST = 5;

interface WaitingRun {
  readonly run: RunRow;
  readonly waiting: readonly Waiting[];
}

/** What a person is asked; the run itself has the rest. */
function questionOf(waiting: Waiting): string {
  const { question } = waiting;
  const choices = waiting.choices ?? [];
  if (question === undefined) return waitingWords(waiting);
  return visibleLine(choices.length === 0 ? question : `${question} (${choices.join(', ')})`);
}

export function WaitingRuns({ runs }: { readonly runs: readonly RunRow[] }) {
  const { data, router } = usePage();
  const suspended = runs.filter(({ status }) => status === 'suspended');
  const [known, setKnown] = useState<readonly WaitingRun[]>([]);
  const key = suspended.map(({ run_id, ended_at }) => `${run_id} ${ended_at}`).join();
  useEffect(() => {
    const controller = new AbortController();
    const read = async (run: RunRow): Promise<WaitingRun[]> => {
      const shown = await data.inspect(run.run_id, null, controller.signal).catch(() => null);
      const waiting = (shown?.waiting ?? []).filter(({ kind }) => kind === 'ask' || kind === 'approval');
      return waiting.length === 0 ? [] : [{ run, waiting }];
    };
    void Promise.all(suspended.slice(0, 2 * MOST).map(read)).then((found) => {
      if (!controller.signal.aborted) setKnown(found.flat());
    });
    return () => controller.abort();
  }, [key]);
  if (known.length === 0) return null;
  const hidden = known.length - MOST;
  return (
    <section class="waiting" aria-labelledby="waiting-title">
      <h2 id="waiting-title">Waiting for you</h2>
      <ul>
        {known.slice(0, MOST).map(({ run, waiting }) => (
          <li key={run.run_id}>
            <Link to={{ run: run.run_id, query: {} }} class="program">
              {run.machine ?? run.run_id}
            </Link>
            <span class="question">
              <Prose text={waiting.map(questionOf).join('; ')} />
            </span>
            <span class="faint small">
              since <Time at={run.ended_at ?? run.started_at} />
            </span>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" class="quiet" onClick={() => router.change({ status: 'suspended' })}>
          {countOf(hidden, 'other run')}
        </button>
      )}
    </section>
  );
}
