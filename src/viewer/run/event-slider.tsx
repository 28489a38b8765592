/** The slider over all events: the whole screen shows the run as it was after the chosen one. */
import { localTime } from '../../views/drawing/amounts.js';
import type { RunModel } from './run-model.js';

export function EventSlider({ model }: { readonly model: RunModel }) {
  const { lines, last, isComplete } = model.record.value;
  const at = model.shownSeq.value;
  const line = lines.find(at);
  const isLive = model.at.value === null;
  const when = line !== null && 'ts' in line ? `, ${localTime(line.ts)}` : '';
  return (
    <div class="slider">
      <button
        type="button"
        class="quiet"
        aria-label="Previous event"
        disabled={at <= 1}
        onClick={() => model.select(at - 1)}
      >
        ‹
      </button>
      <input
        type="range"
        aria-label="Event"
        aria-valuetext={`event ${at} of ${last}${when}`}
        min={Math.min(1, last)}
        // The browser would move the value to a maximum that is not known yet.
        max={isComplete ? last : Math.max(last, at)}
        value={at}
        disabled={last === 0}
        onInput={({ currentTarget }) => {
          const seq = currentTarget.valueAsNumber;
          model.select(seq >= last ? null : seq);
        }}
      />
      <button
        type="button"
        class="quiet"
        aria-label="Next event"
        disabled={at >= last}
        onClick={() => model.select(at + 1)}
      >
        ›
      </button>
      <span class="faint small" aria-hidden="true">
        Event
      </span>
      <output class="mono at">
        {at} / {last}
        {isComplete ? '' : ' …'}
      </output>
      <button type="button" class="latest" disabled={isLive} onClick={() => model.select(null)}>
        Latest
      </button>
    </div>
  );
}
