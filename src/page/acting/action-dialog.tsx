/** The dialog of an action: what it will do, what it needs, and why it was not done. */
import { useState } from 'preact/hooks';
import { countOf } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { DataError, type PageRun, type RunActions, toDataError } from '../data/page-data.js';
import { MergeWords, totals, useFiles } from '../history/files-panel.jsx';
import { usePage } from '../page-parts.js';
import type { ScreenModel } from '../run/screen-model.js';
import { Problem } from '../shell/problem.jsx';
import { Prose } from '../shell/prose.jsx';
import { Dialog } from '../shell/search-field.jsx';
import type { ActionName } from './allowed-actions.js';
import { jsonProblem, readValue, typeWords } from './read-value.js';

interface ActionDialogProps {
  readonly name: ActionName;
  readonly model: ScreenModel;
  readonly actions: RunActions;
  readonly run: PageRun;
  readonly onClose: () => void;
}

/** A field of a dialog. */
interface DialogField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly isRequired?: true;
  /** A number above zero, or nothing. */
  readonly isAmount?: true;
  /** JSON or text. */
  readonly isValue?: true;
}

interface DialogPlan {
  readonly title: string;
  readonly confirm: string;
  readonly about: string;
  readonly fields: readonly DialogField[];
  /** The id of the run that is shown afterwards, or a text about what was done; null: nothing to say. */
  readonly perform: (values: Readonly<Record<string, string>>) => Promise<{ run?: string; done?: string } | null>;
}

export function ActionDialog({ name, model, actions, run, onClose }: ActionDialogProps) {
  const { router } = usePage();
  const plan = planOf(name, { model, actions, run });
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(plan.fields.map((field) => [field.name, field.value])),
  );
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<DataError | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const isReady = plan.fields.every(
    ({ name: field, isRequired, isValue }) =>
      (isRequired !== true || values[field] !== '') && (isValue !== true || jsonProblem(values[field] ?? '') === null),
  );

  async function perform(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const result = await plan.perform(values);
      if (result?.run !== undefined) router.go({ run: result.run, query: {} });
      if (result?.done === undefined) onClose();
      else setDone(result.done);
    } catch (cause) {
      setProblem(toDataError(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog title={plan.title} onClose={onClose}>
      <p>
        <Prose text={done ?? plan.about} />
      </p>
      {name === 'apply' && done === null && <ApplyPreview model={model} />}
      <form
        class="action"
        onSubmit={(event) => {
          event.preventDefault();
          if (done === null) void perform();
          else onClose();
        }}
      >
        {done === null &&
          plan.fields.map((field) => (
            <label key={field.name}>
              {field.label}
              <input
                {...(field.isAmount === true ? { type: 'number', min: '0.01', step: 'any' } : { type: 'text' })}
                value={values[field.name]}
                required={field.isRequired === true}
                onInput={({ currentTarget }) => setValues({ ...values, [field.name]: currentTarget.value })}
              />
              {field.isValue === true && values[field.name] !== '' && (
                <span class="faint small">
                  {jsonProblem(values[field.name] ?? '') ?? `is sent as ${typeWords(values[field.name] ?? '')}`}
                </span>
              )}
            </label>
          ))}
        {problem !== null && <Problem of={problem} />}
        <div class="buttons">
          {done === null && (
            <button type="button" onClick={onClose}>
              Back
            </button>
          )}
          <button type="submit" class="main" disabled={isBusy || !isReady}>
            {done === null ? plan.confirm : 'Close'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Which files it would change, before it does. */
function ApplyPreview({ model }: Pick<ActionDialogProps, 'model'>) {
  const found = useFiles(model);
  if (found === null) return <p class="faint">Looking at what would change …</p>;
  if (found instanceof DataError) return <Problem of={found} />;
  return (
    <>
      <MergeWords files={found} />
      <p class="faint">{totals(found)}</p>
      <ul class="file-list" aria-label="Files that change">
        {found.files.slice(0, MOST_FILES).map(({ path, status, added, removed }) => (
          <li key={path} class="file">
            <span class="mono">{visibleLine(path)}</span>
            <span class="faint small">{status === 'changed' ? '' : status}</span>
            <span class="plus">+{added ?? '?'}</span>
            <span class="minus">−{removed ?? '?'}</span>
          </li>
        ))}
      </ul>
      {found.files.length > MOST_FILES && <p class="faint">and {found.files.length - MOST_FILES} more</p>}
    </>
  );
}

const MOST_FILES = 15;

type Acting = Pick<ActionDialogProps, 'model' | 'actions' | 'run'>;

function planOf(name: ActionName, acting: Acting): DialogPlan {
  switch (name) {
    case 'signal':
      return signalPlan(acting);
    case 'resume':
      return resumePlan(acting);
    case 'replay':
      return replayPlan(acting);
    case 'apply':
      return applyPlan(acting);
    default:
      return cancelPlan(acting);
  }
}

function signalPlan({ actions, run }: Acting): DialogPlan {
  const [wait, ...others] = run.waiting.filter(({ kind }) => kind === 'signal');
  const isShared = others.some(({ name }) => name === wait?.name);
  const awaited = (isShared ? wait?.id : wait?.name) ?? '';
  return {
    title: 'Send a signal',
    confirm: 'Send the signal',
    about:
      awaited === ''
        ? 'The run gets the signal and keeps it until its program waits for it.'
        : `The run waits for the signal \`${awaited}\` and continues when it gets it.`,
    fields: [
      { name: 'name', label: 'Name', value: awaited, isRequired: true },
      { name: 'payload', label: 'Value (JSON, or text; may be empty)', value: '', isValue: true },
    ],
    async perform({ name = '', payload = '' }) {
      await actions.signal(run.run_id, name, payload === '' ? null : readValue(payload));
      return null;
    },
  };
}

function resumePlan({ actions, run }: Acting): DialogPlan {
  const about = {
    failed:
      run.error?.kind === 'limit'
        ? `The run failed because ${run.error.message}. The service tries again what it was doing; with the same limit it fails again.`
        : 'The service goes back to what failed, tries it again, and continues from there.',
    suspended: 'The service executes the run again. It is suspended again if nothing has changed that it waits for.',
  }[run.status as string];
  return {
    title: 'Resume this run',
    confirm: 'Resume',
    about: about ?? 'The service continues the run where it was stopped.',
    fields: [
      { name: 'cost', label: 'New limit of its cost in US dollars (empty: as it is)', value: '', isAmount: true },
      { name: 'time', label: 'New limit of its time in seconds (empty: as it is)', value: '', isAmount: true },
    ],
    async perform(values) {
      const limits = Object.entries(values).filter(([, value]) => value.trim() !== '');
      await actions.resume(run.run_id, Object.fromEntries(limits.map(([name, value]) => [name, Number(value)])));
      return null;
    },
  };
}

function replayPlan({ model, actions, run }: Acting): DialogPlan {
  const from = model.shownSeq.peek();
  return {
    title: `Replay from event ${from}`,
    confirm: 'Start the new run',
    about: `The service starts a new run. It takes over everything before event ${from} without executing it again, and executes the rest: what ends at event ${from} or later runs again, and may cost money. This run stays as it is.`,
    fields: [],
    perform: async () => ({ run: await actions.replay(run.run_id, from) }),
  };
}

function applyPlan({ actions, run }: Acting): DialogPlan {
  return {
    title: 'Apply the changes of this run',
    confirm: 'Apply',
    about: `The changes on the branch \`${run.worktree?.branch ?? ''}\` are merged into the checkout of the programs.`,
    fields: [],
    async perform() {
      const { into, files = [] } = await actions.apply(run.run_id);
      return {
        done:
          into === undefined
            ? 'The checkout has these changes already.'
            : `${countOf(files.length, 'file')} ${files.length === 1 ? 'is' : 'are'} merged into \`${into}\`.`,
      };
    },
  };
}

function cancelPlan({ actions, run }: Acting): DialogPlan {
  return {
    title: 'Cancel this run',
    confirm: 'Cancel the run',
    about: 'The run ends as failed, for good: it cannot be resumed. What it started is stopped.',
    fields: [],
    async perform() {
      await actions.cancel(run.run_id);
      return null;
    },
  };
}
