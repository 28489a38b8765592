/** A form that starts a run of a program of the folder: its inputs, limits, and what the run may spend, before it begins. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ListedInput, ProgramList } from '../../app/programs.js';
import { boundWords } from '../../views/drawing/bound-words.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { type CheckedRun, type DataError, type NewRun, type RunActions, toDataError } from '../data/page-data.js';
import { usePage } from '../page-parts.js';
import { Problem } from '../shell/problem.jsx';
import { Prose } from '../shell/prose.jsx';
import { Dialog } from '../shell/search-field.jsx';
import { InputField, inputProblem, jsonOf, kindOf } from './input-fields.jsx';

/** Something that can be started. */
interface StartableProgram {
  readonly path: string;
  readonly comment: string | null;
  readonly inputs: readonly ListedInput[];
  readonly errors: number;
}

interface StartDialogProps {
  readonly actions: RunActions;
  /** The path of the chosen program; empty: none yet. */
  readonly program: string;
}

/** Which program is chosen is a part of the address, so that a link leads to its form. */
export function StartDialog({ actions, program }: StartDialogProps) {
  const { data, router } = usePage();
  const [all, setAll] = useState<readonly StartableProgram[] | null>(null);
  const [problem, setProblem] = useState<DataError | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    data.programs?.list(controller.signal).then(
      (list) => setAll(startable(list)),
      (cause) => controller.signal.aborted || setProblem(toDataError(cause)),
    );
    return () => controller.abort();
  }, [data]);
  const chosen = all?.find(({ path }) => path === program);
  return (
    <Dialog title="Start a run" onClose={() => router.change({ start: undefined })}>
      {problem !== null && <Problem of={problem} />}
      {all === null && problem === null && <p class="faint">Looking for programs …</p>}
      {all?.length === 0 && (
        <p>
          <Prose text="The folder of the service has no program. It is the one that `--programs` names, or else the one in which the service was started. `statedsl init` writes a first one; then open this again." />
        </p>
      )}
      {all !== null && all.length > 0 && (
        <div class="action">
          <label>
            Program
            <select
              value={chosen?.path ?? ''}
              onChange={({ currentTarget }) => router.change({ start: currentTarget.value })}
            >
              <option value="">Choose …</option>
              {all.map(({ path }) => (
                <option key={path} value={path}>
                  {visibleLine(path)}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {chosen === undefined ? (
        <form method="dialog">
          <button type="submit">Back</button>
        </form>
      ) : (
        <StartForm key={chosen.path} actions={actions} program={chosen} />
      )}
    </Dialog>
  );
}

function startable({ programs, workflows, plans }: ProgramList): StartableProgram[] {
  const plainInput = (name: string): ListedInput => ({
    ...{ name, type: null, required: true, default: null, choices: null, secret: false },
  });
  return [
    ...programs,
    ...workflows,
    ...plans.map(({ path, inputs, errors }) => ({ path, comment: null, inputs: inputs.map(plainInput), errors })),
  ];
}

const LIMITS = [
  ['cost', 'Cost in US dollars'],
  ['time', 'Time in seconds'],
  ['tokens', 'Tokens'],
  ['transitions', 'State changes'],
] as const;

interface StartFormProps {
  readonly actions: RunActions;
  readonly program: StartableProgram;
}

function StartForm({ actions, program: { path, comment, inputs, errors } }: StartFormProps) {
  const { router } = usePage();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [limits, setLimits] = useState<Readonly<Record<string, string>>>({});
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<DataError | null>(null);
  const isReady = inputs.every((input) => inputProblem(input, texts[input.name] ?? '') === null);
  const meant = useMemo(() => ({ program: path, ...runOf(inputs, texts, limits) }), [path, texts, limits]);
  const checked = useCheck(isReady ? meant : null);
  const hasErrors = checked !== null && 'valid' in checked && !checked.valid;

  async function start(isConfirmed: boolean): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const { run_id } = await actions.start({ ...meant, name: name.trim(), isConfirmed });
      router.go({ run: run_id, query: {} });
    } catch (cause) {
      setProblem(toDataError(cause));
      setBusy(false);
    }
  }

  return (
    <form
      class="action"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) void start(false);
      }}
    >
      {comment !== null && <p class="faint">{visibleLine(comment)}</p>}
      {inputs.length === 0 && <p class="faint">It has no inputs.</p>}
      {inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          text={texts[input.name] ?? ''}
          onChange={(text) => setTexts({ ...texts, [input.name]: text })}
        />
      ))}
      <details>
        <summary>Name and limits</summary>
        <label>
          What to call the run (empty: its title)
          <input
            type="text"
            value={name}
            maxLength={200}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        {LIMITS.map(([limit, label]) => (
          <label key={limit}>
            {label} at most (empty: as the program has it)
            <input
              type="number"
              min={limit === 'cost' || limit === 'time' ? '0.01' : '1'}
              step={limit === 'cost' || limit === 'time' ? 'any' : '1'}
              value={limits[limit] ?? ''}
              onInput={({ currentTarget }) => setLimits({ ...limits, [limit]: currentTarget.value })}
            />
          </label>
        ))}
      </details>
      <p role="status" class="bound">
        {errors > 0 && checked === null ? 'The program has errors.' : <BoundText checked={checked} isReady={isReady} />}
      </p>
      {problem !== null && problem.code !== 'unconfirmed' && <Problem of={problem} />}
      {problem?.code === 'unconfirmed' && (
        <p class="problem" role="alert">
          <Prose text={problem.message} />
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={() => router.change({ start: undefined })}>
          Back
        </button>
        {problem?.code === 'unconfirmed' ? (
          <button type="button" class="main" disabled={isBusy} onClick={() => void start(true)}>
            Start it nevertheless
          </button>
        ) : (
          <button type="submit" class="main" disabled={isBusy || !isReady || hasErrors}>
            Start the run
          </button>
        )}
      </div>
    </form>
  );
}

type Texts = Readonly<Record<string, string>>;

/** What is sent of what a person wrote; an empty field sends nothing. */
function runOf(inputs: readonly ListedInput[], texts: Texts, limits: Texts): Pick<NewRun, 'inputs' | 'limits'> {
  const given = inputs.flatMap((input) => {
    const json = jsonOf(kindOf(input), texts[input.name] ?? '');
    return json === null ? [] : [[input.name, json] as const];
  });
  const numbers = Object.entries(limits).flatMap(([name, text]) =>
    text.trim() === '' ? [] : [[name, Number(text)] as const],
  );
  return { inputs: Object.fromEntries(given), limits: Object.fromEntries(numbers) };
}

const PAUSE_MS = 400;

/** What the service says of a run that is meant; null: it is not known yet. */
function useCheck(run: Pick<NewRun, 'program' | 'inputs' | 'limits'> | null): CheckedRun | DataError | null {
  const { data } = usePage();
  const [checked, setChecked] = useState<CheckedRun | DataError | null>(null);
  useEffect(() => {
    setChecked(null);
    if (run === null) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      data.programs?.check(run, controller.signal).then(setChecked, (cause) => {
        if (!controller.signal.aborted) setChecked(toDataError(cause));
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [run]);
  return checked;
}

/** What the run may spend on agents, or why it cannot start. */
function BoundText({
  checked,
  isReady,
}: {
  readonly checked: CheckedRun | DataError | null;
  readonly isReady: boolean;
}) {
  if (!isReady) return <span class="faint">What the run may spend is computed when its inputs are complete.</span>;
  if (checked === null) return <span class="faint">Computing what the run may spend …</span>;
  if (checked instanceof Error) return <Prose text={checked.message} />;
  const wrong = checked.diagnostics.find(({ severity }) => severity === 'error');
  if (wrong !== undefined) return <Prose text={`The program has errors: ${wrong.message}`} />;
  if (checked.bound == null) return <>It calls no agents, so it spends no money on them.</>;
  const words = boundWords(checked.bound);
  return <>{`${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`}</>;
}
