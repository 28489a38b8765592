/** The questions and approvals that a run waits for, with what led to them. All that are open are one form. */
import { useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { waitingLine } from '../../views/log/event-line.js';
import { type DataError, toDataError } from '../data/page-data.js';
import { waitingWords } from '../record/event-words.js';
import type { ScreenModel } from '../run/screen-model.js';
import { Problem } from '../shell/problem.jsx';
import { Prose } from '../shell/prose.jsx';
import { Time } from '../shell/time.jsx';
import { ValueList, WhatLedHere } from './what-led-here.jsx';

const isQuestion = ({ kind }: Waiting): boolean => kind === 'ask' || kind === 'approval';

export function Questions({ model }: { readonly model: ScreenModel }) {
  const run = model.latest.value;
  const actions = model.data.actions.value;
  const [problem, setProblem] = useState<DataError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [reason, setReason] = useState('');
  const [given, setGiven] = useState<Readonly<Record<string, Json>>>({});
  if (run === null || run.waiting.length === 0 || model.at.value !== null) return null;
  const asked = actions === null ? [] : run.waiting.filter(isQuestion);
  const others = run.waiting.filter((one) => !asked.includes(one));
  const isForm = asked.length > 1;
  const ready = Object.entries(given).filter(([id]) => asked.some((one) => idOf(one) === id));

  async function answer(answers: Readonly<Record<string, Json>>): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await actions?.answer(run?.run_id ?? '', answers, reason.trim());
      setReason('');
      setGiven({});
      // The button that had the focus goes away with its question.
      document.querySelector<HTMLElement>('.run-head h1')?.focus();
    } catch (cause) {
      setProblem(toDataError(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <section class="waiting questions" aria-label="What the run waits for">
      {others.map((waiting) => (
        <p key={`${waiting.kind} ${idOf(waiting)}`} class="question-text" title={waitingLine(waiting)}>
          <Prose text={questionText(waiting)} />
        </p>
      ))}
      {run.waiting.some(isQuestion) && (
        <WhatLedHere model={model} run={run} isShort={run.waiting.some(({ show }) => show !== undefined)} />
      )}
      {asked.map((waiting) => (
        <Question
          key={idOf(waiting)}
          waiting={waiting}
          asked={askedOf(model, waiting)}
          isForm={isForm}
          isBusy={isBusy}
          chosen={given[idOf(waiting)]}
          onAnswer={(value) =>
            isForm
              ? setGiven(({ [idOf(waiting)]: _, ...rest }) =>
                  value === undefined ? rest : { ...rest, [idOf(waiting)]: value },
                )
              : void (value !== undefined && answer({ [idOf(waiting)]: value }))
          }
        />
      ))}
      {asked.length > 0 && (
        <div class="send">
          <label class="reason">
            Reason (may be empty)
            <input type="text" value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
          </label>
          {isForm && (
            <button
              type="button"
              class="main"
              disabled={isBusy || ready.length === 0}
              onClick={() => void answer(Object.fromEntries(ready))}
            >
              Send {ready.length} of {asked.length} answers
            </button>
          )}
        </div>
      )}
      {asked.length > 0 && (
        <p class="faint small">What you answer is recorded with your name and the reason, and the run continues.</p>
      )}
      {problem !== null && <Problem of={problem} />}
    </section>
  );
}

const idOf = ({ id, name, path }: Waiting): string => id ?? name ?? path ?? '';

function questionText(waiting: Waiting): string {
  const { kind, question } = waiting;
  return kind === 'ask' && question !== undefined ? visibleLine(question) : `It waits for ${waitingWords(waiting)}`;
}

interface Asked {
  readonly time: string;
  /** The state of the run when it asked; empty: none. */
  readonly state: string;
}

/** Null: the record does not say, or is not read yet. */
function askedOf({ record, history }: ScreenModel, { id, name, path }: Waiting): Asked | null {
  const { lines } = record.value;
  for (const line of lines.before('asked', lines.length)) {
    const isIt = id === undefined ? line.name === (name ?? path) : line.id === id;
    if (isIt) return { time: line.ts, state: history.timeline.stateAt(line.seq) ?? '' };
  }
  return null;
}

interface QuestionProps {
  readonly waiting: Waiting;
  readonly asked: Asked | null;
  /** An answer is only kept until all are sent. */
  readonly isForm: boolean;
  readonly isBusy: boolean;
  readonly chosen: Json | undefined;
  /** Undefined: no answer. */
  readonly onAnswer: (value: Json | undefined) => void;
}

function Question({ waiting, asked, isForm, isBusy, chosen, onAnswer }: QuestionProps) {
  const { kind, choices, until } = waiting;
  const id = idOf(waiting);
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
        <Prose text={questionText(waiting)} />
        {kind === 'ask' && <span class="mono faint small"> {visibleLine(id)}</span>}
      </p>
      <p class="faint small">
        {asked !== null && (
          <>
            Asked {asked.state !== '' && `by ${visibleLine(asked.state)} `}
            at <Time at={asked.time} />
          </>
        )}
        {until != null && (
          <>
            {asked === null ? 'Until ' : ', until '}
            <Time at={new Date(until).toISOString()} />
          </>
        )}
      </p>
      {waiting.show !== undefined && <ValueList values={Object.entries(waiting.show)} />}
      {buttons.length > 0 ? (
        <div class="buttons" role="group" aria-labelledby={`question-${id}`}>
          {buttons.map(([label, value], at) => (
            <button
              key={label}
              type="button"
              // The author names first what is meant to be the ordinary answer.
              class={isForm ? '' : at === 0 ? 'main' : ''}
              aria-pressed={isForm ? chosen === value : undefined}
              disabled={isBusy}
              onClick={() => onAnswer(isForm && chosen === value ? undefined : value)}
            >
              {visibleLine(label)}
            </button>
          ))}
        </div>
      ) : (
        <AnswerField id={id} isForm={isForm} isBusy={isBusy} onAnswer={onAnswer} />
      )}
    </div>
  );
}

interface AnswerFieldProps extends Pick<QuestionProps, 'isForm' | 'isBusy' | 'onAnswer'> {
  readonly id: string;
}

/** What is written is the answer, also if it looks like JSON. */
function AnswerField({ id, isForm, isBusy, onAnswer }: AnswerFieldProps) {
  const [text, setText] = useState('');
  const change = (next: string): void => {
    setText(next);
    if (isForm) onAnswer(next === '' ? undefined : next);
  };
  return (
    <form
      class="buttons"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== '' && !isForm) onAnswer(text);
      }}
    >
      <input
        type="text"
        aria-labelledby={`question-${id}`}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      {!isForm && (
        <button type="submit" class="main" disabled={isBusy || text === ''}>
          Answer
        </button>
      )}
    </form>
  );
}
