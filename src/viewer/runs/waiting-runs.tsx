/** Runs that wait for a person, above all others: what they ask, and the way to answer. */
import { useEffect, useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunData, RunRow } from '../data/run-data.js';
import { usePage } from '../page-parts.js';
import { waitingWords } from '../record/event-words.js';
import { Link } from '../shell/link.jsx';
import { Prose } from '../shell/prose.jsx';
import { Time } from '../shell/time.jsx';

/** More of them would hide the list. */
const MOST = 5;

/** So many suspended runs are looked at: others wait for a signal or the clock. */
const LOOKED_AT = 60;
const REFRESH_MS = 10_000;

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

/** One more than are shown, if there are more. */
async function findWaiting(data: RunData, signal: AbortSignal): Promise<readonly WaitingRun[]> {
  const { runs } = await data.list({ status: 'suspended', limit: LOOKED_AT }, signal);
  const found: WaitingRun[] = [];
  for (const run of runs) {
    const shown = await data.inspect(run.run_id, null, signal).catch(() => null);
    const waiting = (shown?.waiting ?? []).filter(({ kind }) => kind === 'ask' || kind === 'approval');
    if (waiting.length > 0) found.push({ run, waiting });
    if (found.length > MOST) break;
  }
  signal.throwIfAborted();
  return found;
}

/** `runs`: the newest ones. Whenever they change, all runs are looked through, since an old one may wait, too. */
export function WaitingRuns({ runs }: { readonly runs: readonly RunRow[] }) {
  const { data, router } = usePage();
  const [known, setKnown] = useState<readonly WaitingRun[]>([]);
  const key = runs
    .slice(0, LOOKED_AT)
    .map(({ run_id, status, ended_at }) => `${run_id} ${status} ${ended_at}`)
    .join();
  useEffect(() => {
    const controller = new AbortController();
    const look = (): void => {
      findWaiting(data, controller.signal).then(setKnown, () => undefined);
    };
    look();
    const timer = setInterval(look, REFRESH_MS);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [key]);
  if (known.length === 0) return null;
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
      {known.length > MOST && (
        <button type="button" class="quiet" onClick={() => router.change({ status: 'suspended' })}>
          All suspended runs
        </button>
      )}
    </section>
  );
}
