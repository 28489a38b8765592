/** The questions and approvals that a run waits for. Each can be answered where it stands. */
import { useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { waitingLine } from '../../views/log/event-line.js';
import { type DataError, toDataError } from '../data/page-data.js';
import { waitingWords } from '../record/event-words.js';
import type { ScreenModel } from '../run/screen-model.js';
import { Problem, Prose } from '../shell/problem.jsx';
import { jsonOrText } from './action-dialog.jsx';

export function Questions({ model }: { readonly model: ScreenModel }) {
  const run = model.latest.value;
  const actions = model.data.actions.value;
  const [problem, setProblem] = useState<DataError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [reason, setReason] = useState('');
  if (run === null || run.waiting.length === 0 || model.at.value !== null) return null;

  async function answer(id: string, value: Json): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await actions?.answer(run?.run_id ?? '', { [id]: value }, reason.trim());
      setReason('');
    } catch (cause) {
      setProblem(toDataError(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <section class="waiting questions" aria-label="What the run waits for">
      {run.waiting.map((waiting) => (
        <Question
          key={`${waiting.kind} ${idOf(waiting)}`}
          waiting={waiting}
          canAnswer={actions !== null}
          isBusy={isBusy}
          onAnswer={answer}
        />
      ))}
      {actions !== null && run.waiting.some(({ kind }) => kind === 'ask' || kind === 'approval') && (
        <label class="reason">
          Reason (may be empty)
          <input type="text" value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </label>
      )}
      {problem !== null && <Problem of={problem} />}
    </section>
  );
}

/** Runs of older versions have names only. */
const idOf = ({ id, name, path }: Waiting): string => id ?? name ?? path ?? '';

interface QuestionProps {
  readonly waiting: Waiting;
  readonly canAnswer: boolean;
  readonly isBusy: boolean;
  readonly onAnswer: (id: string, value: Json) => Promise<void>;
}

function Question({ waiting, canAnswer, isBusy, onAnswer }: QuestionProps) {
  const { kind, question, choices } = waiting;
  const id = idOf(waiting);
  const shown =
    kind === 'ask' && question !== undefined ? visibleLine(question) : `It waits for ${waitingWords(waiting)}`;
  if (!canAnswer || (kind !== 'ask' && kind !== 'approval'))
    return (
      <p class="question-text" title={waitingLine(waiting)}>
        <Prose text={shown} />
      </p>
    );
  const buttons: readonly (readonly [string, Json])[] =
    kind === 'approval'
      ? [
          ['Approve', true],
          ['Deny', false],
        ]
      : (choices ?? []).map((one) => [one, one] as const);
  return (
    <div class="question-row">
      <p class="question-text" id={`question-${id}`}>
        <Prose text={shown} />
        {kind === 'ask' && <span class="mono faint small"> {visibleLine(id)}</span>}
      </p>
      {buttons.length > 0 ? (
        <div class="buttons" role="group" aria-labelledby={`question-${id}`}>
          {buttons.map(([label, value]) => (
            <button key={label} type="button" disabled={isBusy} onClick={() => void onAnswer(id, value)}>
              {visibleLine(label)}
            </button>
          ))}
        </div>
      ) : (
        <AnswerField id={id} isBusy={isBusy} onAnswer={(text) => onAnswer(id, jsonOrText(text))} />
      )}
      <p class="faint small">The answer is recorded with your name and the reason, and the run continues.</p>
    </div>
  );
}

interface AnswerFieldProps {
  readonly id: string;
  readonly isBusy: boolean;
  readonly onAnswer: (text: string) => Promise<void>;
}

function AnswerField({ id, isBusy, onAnswer }: AnswerFieldProps) {
  const [text, setText] = useState('');
  return (
    <form
      class="buttons"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== '') void onAnswer(text);
      }}
    >
      <input
        type="text"
        aria-labelledby={`question-${id}`}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="main" disabled={isBusy || text === ''}>
        Answer
      </button>
    </form>
  );
}
