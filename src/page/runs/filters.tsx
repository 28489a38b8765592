/** The filters of the list. What they are set to is a part of the address. */
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { countOf } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunQuery, RunRow, ShownStatus } from '../data/page-data.js';
import { usePage } from '../page-parts.js';
import { SearchField } from '../shell/search-field.jsx';

const TYPING_MS = 200;

interface FiltersProps {
  readonly search: RefObject<HTMLInputElement | null>;
  readonly runs: readonly RunRow[];
  readonly isComplete: boolean;
  readonly isLoading: boolean;
}

export function Filters({ search, runs, isComplete, isLoading }: FiltersProps) {
  const { data, router } = usePage();
  const { query } = router.address.value;
  const canStart = data.actions.value !== null && data.programs !== null;
  const change = (name: string, value: string): void => router.change({ [name]: value === '' ? undefined : value });
  const programs = useKnown(runs.flatMap(({ machine }) => machine ?? []));
  return (
    <search class="filters">
      <SearchField
        element={search}
        label="Search in titles, ids, programs, states, errors and inputs"
        placeholder="Search  ( / )"
        value={query.q ?? ''}
        onChange={(value) => change('q', value)}
        pauseMs={TYPING_MS}
      />
      <StatusFilter value={query.status ?? ''} onChange={(value) => change('status', value)} />
      <Choice
        name="Program"
        value={query.program ?? ''}
        all="Any program"
        onChange={(value) => change('program', value)}
      >
        {withValue(programs, query.program).map((one) => [one, visibleLine(one)])}
      </Choice>
      <Choice name="Started" value={query.period ?? ''} all="Any time" onChange={(value) => change('period', value)}>
        {Object.keys(PERIODS).map((one) => [one, `Last ${one}`])}
      </Choice>
      <MoreFilters query={query} onChange={change} />
      {hasFilters(query) && (
        <button type="button" class="quiet" onClick={() => router.go({ run: null, query: {} }, 'replace')}>
          Clear
        </button>
      )}
      {canStart && (
        <button type="button" class="start-run" onClick={() => router.change({ start: '' })}>
          Start a run…
        </button>
      )}
      <span class="faint count" role="status">
        {isLoading || (runs.length === 0 && !isComplete)
          ? ''
          : `${countOf(runs.length, 'run')}${isComplete ? '' : ' and more'}`}
      </span>
    </search>
  );
}

/** All that was there once: a choice must not disappear because it was chosen. */
function useKnown(names: readonly string[]): readonly string[] {
  const known = useRef(new Set<string>());
  for (const name of names) known.current.add(name);
  return [...known.current].sort();
}

const withValue = (names: readonly string[], value: string | undefined): readonly string[] =>
  value === undefined || names.includes(value) ? names : [...names, value];

interface StatusFilterProps {
  /** Statuses with commas between them; empty: all. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Several statuses can be chosen. */
function StatusFilter({ value, onChange }: StatusFilterProps) {
  const chosen = STATUSES.filter((one) => value.split(',').includes(one));
  const toggle = (status: ShownStatus): void =>
    onChange(STATUSES.filter((one) => chosen.includes(one) !== (one === status)).join(','));
  return (
    <details class="menu">
      <summary>
        <span class="hidden">Status: </span>
        {chosen.length === 0 ? 'Any status' : chosen.join(', ')}
      </summary>
      <fieldset>
        <legend class="hidden">Status</legend>
        {STATUSES.map((status) => (
          <label key={status} class="check">
            <input type="checkbox" checked={chosen.includes(status)} onChange={() => toggle(status)} /> {status}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

interface MoreFiltersProps {
  readonly query: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
}

const MORE = [
  ['input', 'Input', 'name=value'],
  ['cost', 'Cost at least', 'US dollars'],
  ['time', 'Time at least', 'seconds'],
] as const;

function MoreFilters({ query, onChange }: MoreFiltersProps) {
  const set = MORE.filter(([name]) => query[name] !== undefined);
  return (
    <details class="menu">
      <summary>{set.length === 0 ? 'More' : set.map(([name, label]) => `${label} ${query[name]}`).join(', ')}</summary>
      <div class="fields">
        {MORE.map(([name, label, placeholder]) => (
          <FilterField
            key={name}
            label={label}
            placeholder={placeholder}
            value={query[name] ?? ''}
            onChange={(value) => onChange(name, value)}
          />
        ))}
      </div>
    </details>
  );
}

interface FilterFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A filter that counts when it is complete. */
function FilterField({ label, placeholder, value, onChange }: FilterFieldProps) {
  const [text, setText] = useState(value);
  return (
    <label>
      {label}
      <input
        type="text"
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={() => onChange(text.trim())}
      />
    </label>
  );
}

interface FilterChoiceProps {
  readonly name: string;
  readonly value: string;
  /** What no filter is called. */
  readonly all: string;
  readonly onChange: (value: string) => void;
  /** Values, and what they are called. */
  readonly children: readonly (readonly [string, string])[];
}

function Choice({ name, value, all, onChange, children }: FilterChoiceProps) {
  return (
    <select aria-label={name} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{all}</option>
      {children.map(([one, title]) => (
        <option key={one} value={one}>
          {title}
        </option>
      ))}
    </select>
  );
}

const STATUSES: readonly ShownStatus[] = [
  'running',
  'suspended',
  'failed',
  'interrupted',
  'killed',
  'returned',
  'queued',
  'skipped',
];

/** Periods before now, in hours. */
const PERIODS: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168, month: 720 };

/** What the chart shows, and what is open, is a part of the address, too. */
export function hasFilters({ chart: _, start: __, ...query }: Readonly<Record<string, string>>): boolean {
  return Object.keys(query).length > 0;
}

export function queryOf(query: Readonly<Record<string, string>>): RunQuery {
  const { q, status, program, period, input, cost, time } = query;
  const hours = period === undefined ? undefined : PERIODS[period];
  const known = STATUSES.filter((one) => status?.split(',').includes(one));
  return {
    ...(q === undefined ? {} : { q }),
    ...(known.length === 0 ? {} : { status: known.join(',') }),
    ...(program === undefined ? {} : { machine: program }),
    ...(input === undefined ? {} : { input }),
    ...(isAmount(cost) ? { min_cost: Number(cost) } : {}),
    ...(isAmount(time) ? { min_time: Number(time) } : {}),
    ...(hours === undefined ? {} : { since: new Date(Date.now() - hours * 3_600_000).toISOString() }),
  };
}

const isAmount = (text: string | undefined): boolean => text !== undefined && /^\d+(\.\d+)?$/.test(text);
