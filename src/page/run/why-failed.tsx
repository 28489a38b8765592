/** Why a run failed, before everything else: the reason, the last lines that were printed, and the line of the program. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { type FailureOfRun, failedSeq, failureOf } from '../output/attempts.js';
import { lastLines } from '../output/merge-streams.js';
import { ColoredOutput } from '../output/terminal-text.jsx';
import { usePage } from '../page-parts.js';
import { Prose } from '../shell/prose.jsx';
import type { ScreenModel } from './screen-model.js';

interface WhyFailedProps {
  readonly model: ScreenModel;
  readonly error: FailureOfRun;
}

export function WhyFailed({ model, error }: WhyFailedProps) {
  const { router } = usePage();
  const { lines, isComplete } = model.record.value;
  const failed = useMemo(() => failedSeq(lines, error), [lines.length, error]);
  const [isWanted, setWanted] = useState(false);
  const found = useMemo(() => failureOf(lines, error), [lines.length, error]);
  const last = found === null ? [] : lastLines(found.outcome, MOST_PRINTED);
  // The reason itself need not be said twice.
  const printed = last.length === 1 && last[0]?.text.trim() === error.message.trim() ? [] : last;
  const show = (tab: string, seq: number | null): void =>
    router.change({ tab, ...(seq === null ? {} : { event: String(seq) }) });
  useEffect(() => {
    // The reason is there before the record, so a quick reader is led to the event as soon as it is known.
    if (!isWanted || (failed === null && !isComplete)) return;
    setWanted(false);
    show('source', failed);
  }, [isWanted, failed, isComplete]);
  const { message, state, line, file } = error;
  const text = message.trim().split('\n');
  const location = file === null ? `line ${line}` : `${visibleLine(file)}, line ${line}`;
  return (
    <section class="why-failed" aria-label="Why it failed">
      <p class="reason">
        <strong>
          <Prose text={text[0] ?? ''} />
        </strong>{' '}
        <span class="faint">{visibleLine(error.kind).replaceAll('_', ' ')}</span>
      </p>
      {text.length > 1 && <pre>{text.slice(1, MOST_LINES).map(visibleLine).join('\n')}</pre>}
      {printed.length > 0 && (
        <pre class="last-lines">
          {printed.map((part, at) => (
            <span key={at} class={part.stream}>
              <ColoredOutput text={`${part.text}\n`} search="" />
            </span>
          ))}
        </pre>
      )}
      <p class="where-failed">
        {state !== null && <>In state {visibleLine(state)}, </>}
        {line !== null && line > 0 && (
          <button type="button" class="quiet more" onClick={() => setWanted(true)}>
            {location}
          </button>
        )}
        {found !== null && (
          <>
            {' · '}
            <button type="button" class="quiet more" onClick={() => show('output', found.seq)}>
              Whole output
            </button>
          </>
        )}
      </p>
    </section>
  );
}

const MOST_LINES = 8;
const MOST_PRINTED = 5;
