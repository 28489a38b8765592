/** Runs, time and money by day and program, above the list. A program in the legend filters the list. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunDay } from '../../app/run-filter.js';
import { countOf, dollars, duration } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunQuery } from '../data/page-data.js';
import { usePage } from '../page-parts.js';
import { theme } from '../shell/theme.js';
import { budgetOf, type DayBars, type DrawPlot, dayBars, MEASURES, type Measure } from './day-bars.js';

const REFRESH_MS = 15_000;
const TITLES: Readonly<Record<Measure, string>> = { runs: 'Runs', time: 'Time', money: 'Money' };

const FORMATS: Readonly<Record<Measure, (value: number) => string>> = {
  runs: (value) => (Number.isInteger(value) ? String(value) : ''),
  time: (value) => (value === 0 ? '0' : duration(value)),
  money: dollars,
};

interface DayChartProps {
  readonly query: RunQuery;
  /** The most that one run of the program may cost, if only one program is listed. */
  readonly limit: number | null;
}

export function DayChart({ query, limit }: DayChartProps) {
  const { router } = usePage();
  const all = useDays(query);
  const { chart } = router.address.value.query;
  const measure = MEASURES.find((one) => one === chart) ?? 'runs';
  const bars = useMemo(() => (all === null ? null : dayBars(all, measure, today())), [all, measure]);
  const days = new Set(all?.map(({ day }) => day)).size;
  const isFolded = chart === 'none' || (chart === undefined && days < 2);
  // Its height is kept free, so that the list below does not move when the numbers come.
  if (all === null || bars === null) return <div class={`day-chart ${chart === undefined ? 'folded' : 'coming'}`} />;
  if (all.length === 0) return null;
  if (isFolded)
    return (
      <div class="day-chart folded">
        <button type="button" class="quiet" aria-expanded={false} onClick={() => router.change({ chart: 'runs' })}>
          ▸ Runs by day
        </button>
      </div>
    );
  const line = measure === 'money' ? budgetOf(all, limit) : null;
  return (
    <section class="day-chart" aria-label="Runs by day">
      <div class="chart-head">
        <div role="group" aria-label="What the chart shows" class="choices">
          {MEASURES.map((one) => (
            <button
              key={one}
              type="button"
              class="quiet"
              aria-pressed={one === measure}
              onClick={() => router.change({ chart: one })}
            >
              {TITLES[one]}
            </button>
          ))}
        </div>
        <Legend bars={bars} measure={measure} line={line} />
        <button type="button" class="quiet" aria-expanded={true} onClick={() => router.change({ chart: 'none' })}>
          Hide
        </button>
      </div>
      {bars.programs.length === 0 ? (
        <p class="faint pad">
          {measure === 'money' ? 'No cost above $0.00 is known of these runs.' : 'No duration is known of these runs.'}
        </p>
      ) : (
        <Plot bars={bars} measure={measure} line={line} />
      )}
    </section>
  );
}

interface PlotProps {
  readonly bars: DayBars;
  readonly measure: Measure;
  readonly line: number | null;
}

function Legend({ bars: { programs }, measure, line }: PlotProps) {
  const { router } = usePage();
  return (
    <ul class="legend" aria-label="Programs">
      {programs.map(({ program, total }, at) => (
        <li key={program}>
          <span class={`swatch program-${at}`} aria-hidden="true" />
          {program === null ? (
            'others'
          ) : (
            <button type="button" class="quiet" onClick={() => router.change({ program }, 'push')}>
              {visibleLine(program)}
              <span class="hidden">: show only its runs</span>
            </button>
          )}{' '}
          <span class="faint">{FORMATS[measure](total)}</span>
        </li>
      ))}
      {line !== null && (
        <li>
          <span class="swatch budget" aria-hidden="true" /> its limits permit {dollars(line)} a day
        </li>
      )}
    </ul>
  );
}

function Plot({ bars, measure, line }: PlotProps) {
  const { loadPlot } = usePage();
  const [draw, setDraw] = useState<{ readonly plot: DrawPlot } | null>(null);
  const element = useRef<HTMLDivElement>(null);
  const shownTheme = theme.value;
  useEffect(() => {
    // Without the chart, the list says the same.
    loadPlot?.().then(
      (plot) => setDraw({ plot }),
      () => undefined,
    );
  }, []);
  const key = JSON.stringify([bars, line, measure, shownTheme]);
  useEffect(() => {
    if (draw === null || element.current === null) return;
    return draw.plot(element.current, bars, { line, format: FORMATS[measure] });
  }, [draw, key]);
  return <div ref={element} class="plot" role="img" aria-label={wordsOf(bars, measure)} />;
}

function wordsOf({ days, programs }: DayBars, measure: Measure): string {
  const sums = days.map((_, at) => programs.reduce((sum, { values }) => sum + (values[at] as number), 0));
  const format = measure === 'runs' ? (value: number) => countOf(value, 'run') : FORMATS[measure];
  const words = days.flatMap((day, at) => (sums[at] === 0 ? [] : [`${day}: ${format(sums[at] as number)}`]));
  return `${TITLES[measure]} by day. ${words.slice(-LONGEST_WORDS).join(', ')}`;
}

const LONGEST_WORDS = 14;

/** Null until they are known. */
function useDays(query: RunQuery): readonly RunDay[] | null {
  const { data } = usePage();
  const [days, setDays] = useState<readonly RunDay[] | null>(null);
  const key = JSON.stringify({ ...query, since: query.since?.slice(0, 13) });
  useEffect(() => {
    if (data.days === null) return;
    const controller = new AbortController();
    const read = (): void => {
      if (document.visibilityState === 'hidden' || data.connection.peek() !== 'connected') return;
      data.days?.(query, controller.signal).then(setDays, () => {
        if (!controller.signal.aborted) setDays((known) => known ?? []);
      });
    };
    read();
    const timer = setInterval(read, REFRESH_MS);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [key]);
  return days;
}

/** In the zone of the reader. */
function today(): string {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
