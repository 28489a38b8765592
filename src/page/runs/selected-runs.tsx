/** What can be done with several runs at once: each action lists what will happen to which run, before it happens. */
import { useEffect, useState } from 'preact/hooks';
import { isOver } from '../../interpreter/events/status-after.js';
import { countOf, size } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { DataError, type RunActions, type RunRow, toDataError } from '../data/page-data.js';
import { Problem } from '../shell/problem.jsx';
import { Prose } from '../shell/prose.jsx';
import { Dialog } from '../shell/search-field.jsx';
import { shortId } from '../shell/short-id.jsx';
import { StatusMark } from '../shell/status-mark.jsx';

type BulkAction = 'cancel' | 'resume' | 'remove';

const ACTIONS: Readonly<Record<BulkAction, string>> = { cancel: 'Cancel…', resume: 'Resume…', remove: 'Remove…' };

interface SelectedRunsProps {
  readonly actions: RunActions;
  readonly runs: readonly RunRow[];
  readonly onClear: () => void;
}

export function SelectedRuns({ actions, runs, onClear }: SelectedRunsProps) {
  const [open, setOpen] = useState<BulkAction | null>(null);
  return (
    <div class="selected-runs" role="group" aria-label="Selected runs">
      <strong role="status">{countOf(runs.length, 'run')} selected</strong>
      {(Object.keys(ACTIONS) as BulkAction[]).map((action) => (
        <button key={action} type="button" onClick={() => setOpen(action)}>
          {ACTIONS[action]}
        </button>
      ))}
      <button type="button" class="quiet" onClick={onClear}>
        Clear the selection
      </button>
      {open !== null && (
        <BulkDialog action={open} actions={actions} runs={runs} onClose={() => setOpen(null)} onDone={onClear} />
      )}
    </div>
  );
}

/** What happens to a run, or why nothing does. */
interface RunPlan {
  readonly run: RunRow;
  /** Null: nothing happens, because of `why`. */
  readonly what: string | null;
  readonly why: string;
}

function planOf(action: 'cancel' | 'resume', run: RunRow): RunPlan {
  const { status } = run;
  const of = (what: string | null, why = ''): RunPlan => ({ run, what, why });
  if (action === 'cancel') {
    if (isOver(run)) return of(null, `it has ended: ${status}`);
    return of('ends as failed, for good; what it started is stopped');
  }
  if (status === 'returned' || status === 'skipped') return of(null, `it has ended: ${status}`);
  if (status === 'running') return of(null, 'a process executes it');
  if (status === 'queued') return of(null, 'it begins as soon as other runs have ended');
  if (status === 'failed') return of('goes back to what failed, and tries it again');
  return of(status === 'suspended' ? 'is executed again, and is suspended again if nothing has changed' : 'continues');
}

const WORDS: Readonly<Record<BulkAction, { readonly title: string; readonly verb: string; readonly done: string }>> = {
  cancel: { title: 'Cancel runs', verb: 'Cancel', done: 'cancelled' },
  resume: { title: 'Resume runs', verb: 'Resume', done: 'resumed' },
  remove: { title: 'Remove runs', verb: 'Remove', done: 'removed' },
};

interface BulkDialogProps extends Pick<SelectedRunsProps, 'actions' | 'runs'> {
  readonly action: BulkAction;
  readonly onClose: () => void;
  /** Something has changed, so the selection no longer holds. */
  readonly onDone: () => void;
}

/** What was done to a run; a refusal if nothing was. */
type RunResult = { readonly run: RunRow; readonly problem: DataError | null };

function BulkDialog({ action, actions, runs, onClose, onDone }: BulkDialogProps) {
  const [isAll, setAll] = useState(false);
  const removal = useRemoval(action === 'remove' ? runs : null, { actions, isAll });
  const [results, setResults] = useState<readonly RunResult[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { title, verb, done } = WORDS[action];
  const plans =
    action === 'remove' ? (removal instanceof DataError ? [] : removal) : runs.map((run) => planOf(action, run));
  const meant = plans?.filter(({ what }) => what !== null) ?? [];

  async function act(): Promise<void> {
    setBusy(true);
    const found: RunResult[] = [];
    if (action === 'remove') {
      const ids = meant.map(({ run }) => run.run_id);
      const answer = await actions.remove(ids, { all: isAll, dryRun: false }).catch(toDataError);
      for (const { run } of meant) found.push({ run, problem: problemOf(run, answer) });
    } else
      for (const { run } of meant) {
        const acting = action === 'cancel' ? actions.cancel(run.run_id) : actions.resume(run.run_id, {});
        found.push({ run, problem: await acting.then(() => null, toDataError) });
        setResults([...found]);
      }
    setResults(found);
    setBusy(false);
  }
  const close = (): void => {
    onClose();
    if (results !== null) onDone();
  };

  return (
    <Dialog title={title} onClose={close}>
      {results !== null ? (
        <Results results={results} done={done} />
      ) : (
        <>
          {removal instanceof DataError && <Problem of={removal} />}
          {plans === null && <p class="faint">Looking at what would be removed …</p>}
          {plans !== null && (
            <ul class="run-plans" aria-label="What will happen">
              {plans.map(({ run, what, why }) => (
                <li key={run.run_id} class={what === null ? 'faint' : ''}>
                  <RunName run={run} /> {what ?? `nothing happens: ${why}`}
                </li>
              ))}
            </ul>
          )}
          {action === 'remove' && (
            <label class="check">
              <input type="checkbox" checked={isAll} onChange={({ currentTarget }) => setAll(currentTarget.checked)} />{' '}
              Also runs that could be resumed, and changes that were not applied
            </label>
          )}
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (results === null) void act();
          else close();
        }}
      >
        {results === null && (
          <button type="button" onClick={close}>
            Back
          </button>
        )}
        <button type="submit" class="main" disabled={isBusy || (results === null && meant.length === 0)}>
          {results === null ? `${verb} ${countOf(meant.length, 'run')}` : 'Close'}
        </button>
      </form>
    </Dialog>
  );
}

function RunName({ run }: { readonly run: RunRow }) {
  return (
    <>
      <StatusMark status={run.status} /> <strong>{visibleLine(run.title ?? run.machine ?? '(unknown)')}</strong>{' '}
      <span class="mono faint small">{shortId(run.run_id)}</span>
    </>
  );
}

function Results({ results, done }: { readonly results: readonly RunResult[]; readonly done: string }) {
  const refused = results.filter(({ problem }) => problem !== null);
  return (
    <>
      <p role="status">
        {countOf(results.length - refused.length, 'run')} {done}.
      </p>
      <ul class="run-plans">
        {refused.map(({ run, problem }) => (
          <li key={run.run_id}>
            <RunName run={run} /> <Prose text={problem?.message ?? ''} />
          </li>
        ))}
      </ul>
    </>
  );
}

type Removal = Awaited<ReturnType<RunActions['remove']>>;

function problemOf(run: RunRow, answer: Removal | DataError): DataError | null {
  if (answer instanceof DataError) return answer;
  return answer.removed.some(({ run_id }) => run_id === run.run_id) ? null : new DataError('kept', 'it stays');
}

/** What a removal would do, as the service says it. Null: it is not known yet. */
function useRemoval(
  runs: readonly RunRow[] | null,
  { actions, isAll }: { readonly actions: RunActions; readonly isAll: boolean },
): readonly RunPlan[] | DataError | null {
  const [found, setFound] = useState<Removal | DataError | null>(null);
  useEffect(() => {
    if (runs === null) return;
    let isWanted = true;
    setFound(null);
    const ids = runs.map(({ run_id }) => run_id);
    const take = (answer: Removal | DataError): void => {
      if (isWanted) setFound(answer);
    };
    actions.remove(ids, { all: isAll, dryRun: true }).then(take, (cause) => take(toDataError(cause)));
    return () => {
      isWanted = false;
    };
  }, [isAll]);
  if (runs === null || found === null) return null;
  if (found instanceof DataError) return found;
  return runs.map((run) => {
    const removed = found.removed.find(({ run_id }) => run_id === run.run_id);
    if (removed !== undefined) return { run, what: `is removed for good (${size(removed.bytes)})`, why: '' };
    const kept = found.kept.find(({ run_id }) => run_id === run.run_id);
    return { run, what: null, why: kept === undefined ? 'it has no record' : whyKept(kept) };
  });
}

function whyKept({ unapplied, link, problem, status }: Removal['kept'][number]): string {
  if (problem !== undefined) return problem;
  if (link !== undefined) return 'a file of it is a link';
  if (unapplied === true) return 'its changes were not applied';
  return status === 'running' ? 'a process executes it' : `it could be resumed: ${status}`;
}
