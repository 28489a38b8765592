/** What a command or agent prints, live and with its colors: the one of the shown event, or the last one before it. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { size } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunModel } from '../run/run-model.js';
import { SearchField } from '../shell/search-field.jsx';
import { ColoredOutput } from './colored-output.jsx';
import { effectAt } from './effect-at.js';
import { openOutput } from './output-text.js';

export function OutputPanel({ model }: { readonly model: RunModel }) {
  const found = effectAt(model.record.value.lines, model.shownSeq.value);
  if (found === null) return <p class="faint pad">Nothing has been printed yet.</p>;
  return <Output key={found.effect} model={model} effect={found.effect} name={found.text} isLive={!found.hasEnded} />;
}

interface OutputProps {
  readonly model: RunModel;
  readonly effect: string;
  readonly name: string;
  readonly isLive: boolean;
}

/** How near to the end counts as the end. */
const NEAR = 40;

function Output({ model: { data, run }, effect, name, isLive }: OutputProps) {
  const [stream, setStream] = useState<'stdout' | 'stderr'>('stdout');
  const [search, setSearch] = useState('');
  const wasLive = useRef(isLive);
  const reader = useMemo(
    () => openOutput(data, { run, effect, stream, isLive: wasLive.current }),
    [data, run, effect, stream],
  );
  useEffect(() => () => reader.close(), [reader]);
  const { text, read, kept, bytes, isLoading, part, problem } = reader.shown.value;
  const frame = useRef<HTMLPreElement>(null);
  const [isFollowing, setFollowing] = useState(isLive);
  useLayoutEffect(() => {
    const { current } = frame;
    if (isFollowing && current !== null) current.scrollTop = current.scrollHeight;
  }, [text, isFollowing]);
  const wanted = search.toLowerCase();
  const matches = useMemo(() => (wanted === '' ? 0 : text.toLowerCase().split(wanted).length - 1), [text, wanted]);
  const hasMore = bytes !== null && read < bytes && part === null;
  return (
    <div class="output">
      <div class="panel-tools">
        <span class="mono effect" title={name}>
          {visibleLine(name)}
        </span>
        <select
          aria-label="Stream"
          value={stream}
          onChange={({ currentTarget }) => setStream(currentTarget.value as 'stdout' | 'stderr')}
        >
          <option value="stdout">Output</option>
          <option value="stderr">Errors</option>
        </select>
      </div>
      <div class="panel-tools">
        <SearchField
          label="Search in the output"
          placeholder="Search"
          value={search}
          onChange={setSearch}
          onEnter={() => showNextMatch(frame.current)}
        />
        {wanted !== '' && <span class="faint">{matches === 1 ? '1 match' : `${matches} matches`}</span>}
        {isLive && (
          <label class="check">
            <input
              type="checkbox"
              checked={isFollowing}
              onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
            />{' '}
            Follow
          </label>
        )}
        <span class="faint">{bytes === null ? (isLoading && isLive ? 'live' : '') : size(bytes)}</span>
      </div>
      <pre
        ref={frame}
        class="output-text scroll"
        tabIndex={0}
        role="region"
        aria-label="Output"
        dir="ltr"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          const isAtEnd = scrollTop + clientHeight >= scrollHeight - NEAR;
          if (!isAtEnd) setFollowing(false);
          if (isAtEnd && hasMore) reader.more();
        }}
      >
        {problem !== null && <span class="faint">{problem.message}</span>}
        {problem === null && bytes === 0 && <span class="faint">It printed nothing here.</span>}
        <ColoredOutput text={text} search={wanted} />
      </pre>
      {part !== null && (
        <p class="cut">
          Only the {part === 'end' ? 'last' : 'first'} {size(kept)} of {size(bytes ?? read)} are shown.{' '}
          <code>
            statedsl output {run} {effect}
          </code>{' '}
          prints all.
        </p>
      )}
      {hasMore && (
        <button type="button" class="more-output" disabled={isLoading} onClick={() => reader.more()}>
          {size(read)} of {size(bytes)}: read more
        </button>
      )}
    </div>
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
