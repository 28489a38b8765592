/**
 * What a command or agent printed, as a terminal shows it: the one of the shown event, or the last one before it; of a run that
 * failed, the one that made it fail.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { size } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { commandTail } from '../record/event-words.js';
import type { ScreenModel } from '../run/screen-model.js';
import { CopyButton } from '../shell/copy-button.jsx';
import { SearchField } from '../shell/search-field.jsx';
import { AgentParts } from './agent-parts.jsx';
import { attemptsOf, type EndedAttempt, effectAt, failureOf, hasFailed, outcomeChip } from './attempts.js';
import { mergeStreams, recordedOutput, type StreamName } from './merge-streams.js';
import { COMPLETE, openBoth } from './read-both.js';
import { ColoredOutput, finalLines } from './terminal-text.jsx';

export function OutputPanel({ model }: { readonly model: ScreenModel }) {
  const { lines } = model.record.value;
  const error = model.at.value === null ? (model.shown.value?.error ?? null) : null;
  const failure = useMemo(() => (error === null ? null : failureOf(lines, error)), [lines.length, error]);
  const found = effectAt(lines, failure?.seq ?? model.shownSeq.value);
  // The record grows while its last effect prints.
  const attempts = useMemo(
    () => (found === null ? [] : attemptsOf(lines, found)),
    [found?.seq, found?.hasEnded, lines.length],
  );
  const [wanted, setWanted] = useState<{ readonly effect: string; readonly attempt: number } | null>(null);
  if (found === null) return <p class="faint pad">Nothing has been printed yet.</p>;
  const { effect, text, request, hasEnded } = found;
  const isLive = !hasEnded || attempts.at(-1)?.isRetried === true;
  const number = wanted?.effect === effect ? wanted.attempt : Number.POSITIVE_INFINITY;
  const chosen = attempts.find(({ attempt }) => attempt === number) ?? (isLive ? undefined : attempts.at(-1));
  return (
    <div class="output">
      <EffectHead name={text} seq={found.seq} model={model} />
      {(attempts.length > 1 || isLive) && (
        <div class="attempts" role="group" aria-label="Attempts">
          {attempts.map((one) => (
            <button
              key={one.attempt}
              type="button"
              class={`chip ${hasFailed(one.outcome) ? 'failed' : 'good'}`}
              aria-pressed={one === chosen}
              onClick={() => setWanted({ effect, attempt: one.attempt })}
            >
              {one.attempt}: {outcomeChip(one.outcome)}
            </button>
          ))}
          {isLive && (
            <button type="button" class="chip" aria-pressed={chosen === undefined} onClick={() => setWanted(null)}>
              {attempts.length + 1}: now
            </button>
          )}
        </div>
      )}
      {attempts.length === 1 && chosen !== undefined && (
        <p class={`ending ${hasFailed(chosen.outcome) ? 'failed' : 'faint'}`}>{outcomeChip(chosen.outcome)}</p>
      )}
      {request.kind === 'agent' && <AgentParts model={model} request={request} isLive={isLive} />}
      <Output
        key={`${effect} ${chosen?.attempt ?? 'live'}`}
        model={model}
        effect={effect}
        attempt={chosen}
        isLast={chosen === undefined || chosen === attempts.at(-1)}
      />
    </div>
  );
}

interface EffectHeadProps {
  readonly name: string;
  readonly seq: number;
  readonly model: ScreenModel;
}

/** The command, and its event in the record. */
function EffectHead({ name, seq, model }: EffectHeadProps) {
  return (
    <div class="panel-tools">
      <span class="mono effect" title={name}>
        {visibleLine(commandTail(name))}
      </span>
      <button type="button" class="quiet more" onClick={() => model.select(seq)}>
        Event {seq}
      </button>
    </div>
  );
}

interface OutputProps {
  readonly model: ScreenModel;
  readonly effect: string;
  /** Undefined: it is executed now. */
  readonly attempt: EndedAttempt | undefined;
  readonly isLast: boolean;
}

/** How near to the end counts as the end. */
const NEAR = 40;

/** Both streams of an attempt as a terminal shows them. */
function Output({ model: { data, run }, effect, attempt, isLast }: OutputProps) {
  const isLive = attempt === undefined;
  const wasLive = useRef(isLive);
  const [stream, setStream] = useState<StreamName | 'both'>('both');
  const [search, setSearch] = useState('');
  const [isWrapped, setWrapped] = useState(true);
  const recorded = useMemo(() => (attempt === undefined ? null : recordedOutput(attempt.outcome)), [attempt?.outcome]);
  const hasReader = recorded === null && (isLast || isLive);
  const merged = useMemo(
    () => (hasReader ? openBoth(data, { run, effect, isLive: wasLive.current }, orderOf(attempt)) : null),
    [data, run, effect, hasReader],
  );
  useEffect(() => () => merged?.close(), [merged]);
  const shown = merged?.shown.value ?? {
    ...COMPLETE,
    parts: mergeStreams(recorded?.stdout ?? '', recorded?.stderr ?? '', orderOf(attempt)),
    problem: recorded === null ? FILE_OF_EARLIER : null,
  };
  const parts = stream === 'both' ? shown.parts : shown.parts.filter((part) => part.stream === stream);
  const text = useMemo(() => parts.map((part) => part.text).join(''), [shown, stream]);
  const frame = useRef<HTMLPreElement>(null);
  const [isFollowing, setFollowing] = useState(isLive || (attempt !== undefined && hasFailed(attempt.outcome)));
  useLayoutEffect(() => {
    const { current } = frame;
    if (isFollowing && current !== null) current.scrollTop = current.scrollHeight;
  }, [text, isFollowing]);
  const wanted = search.toLowerCase();
  const matches = useMemo(() => (wanted === '' ? 0 : text.toLowerCase().split(wanted).length - 1), [text, wanted]);
  return (
    <>
      <div class="panel-tools">
        <SearchField
          label="Search in the output"
          placeholder="Search"
          value={search}
          onChange={setSearch}
          onEnter={() => showNextMatch(frame.current)}
        />
        {wanted !== '' && <span class="faint">{matches === 1 ? '1 match' : `${matches} matches`}</span>}
        <select
          aria-label="Stream"
          value={stream}
          onChange={({ currentTarget }) => setStream(currentTarget.value as StreamName | 'both')}
        >
          <option value="both">All</option>
          <option value="stdout">Output</option>
          <option value="stderr">Errors</option>
        </select>
        <Check label="Wrap" isOn={isWrapped} onChange={setWrapped} />
        {isLive && <Check label="Follow" isOn={isFollowing} onChange={setFollowing} />}
        <CopyButton text={() => finalLines(text)} />
        <span class="faint">{isLive ? 'live' : size(new Blob([text]).size)}</span>
      </div>
      <pre
        ref={frame}
        class={`output-text scroll ${isWrapped ? '' : 'unwrapped'}`}
        tabIndex={0}
        role="region"
        aria-label="Output"
        dir="ltr"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          const isAtEnd = scrollTop + clientHeight >= scrollHeight - NEAR;
          if (!isAtEnd) setFollowing(false);
          if (isAtEnd && shown.hasMore) merged?.more();
        }}
      >
        {shown.problem !== null && <span class="faint">{shown.problem}</span>}
        {shown.problem === null && shown.isComplete && text === '' && (
          <span class="faint">It printed nothing here.</span>
        )}
        {parts.map((part, at) => (
          <span key={at} class={part.stream}>
            <ColoredOutput text={part.text} search={wanted} />
          </span>
        ))}
      </pre>
      {shown.part !== null && (
        <p class="cut">
          Only the {shown.part === 'end' ? 'last' : 'first'} {size(shown.kept)} of {size(shown.bytes)} are shown.{' '}
          <code>
            statedsl output {run} {effect}
          </code>{' '}
          prints all.
        </p>
      )}
      {shown.hasMore && (
        <button type="button" class="more-output" disabled={shown.isLoading} onClick={() => merged?.more()}>
          {size(shown.read)} of {size(shown.bytes)}: read more
        </button>
      )}
    </>
  );
}

const FILE_OF_EARLIER = 'The output of this attempt is too large for the record; it is among the artifacts of the run.';

const orderOf = (attempt: EndedAttempt | undefined): readonly number[] =>
  attempt !== undefined && 'order' in attempt.outcome ? (attempt.outcome.order ?? []) : [];

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} /> {label}
    </label>
  );
}

/** The first match below the ones that were shown, and the first one of all at the end. */
function showNextMatch(frame: HTMLElement | null): void {
  const marks = [...(frame?.querySelectorAll('mark') ?? [])];
  const at = marks.findIndex((mark) => mark.classList.contains('shown'));
  marks[at]?.classList.remove('shown');
  const next = marks[(at + 1) % marks.length];
  next?.classList.add('shown');
  next?.scrollIntoView({ block: 'center' });
}
