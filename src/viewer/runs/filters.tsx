/** The filters of the list. What they are set to is a part of the address. */
import type { RefObject } from 'preact';
import { countOf } from '../../views/drawing/amounts.js';
import { usePage } from '../page-parts.js';
import { SearchField } from '../shell/search-field.jsx';
import { hasFilters, PERIODS, STATUSES } from './run-filters.js';

const TYPING_MS = 200;

interface FiltersProps {
  readonly search: RefObject<HTMLInputElement | null>;
  readonly count: number;
  readonly isComplete: boolean;
  readonly isLoading: boolean;
}

export function Filters({ search, count, isComplete, isLoading }: FiltersProps) {
  const { router } = usePage();
  const { query } = router.address.value;
  const change = (name: string, value: string): void => router.change({ [name]: value === '' ? undefined : value });
  const isFiltered = hasFilters(query);
  return (
    <search class="filters">
      <SearchField
        element={search}
        label="Search in ids, programs, states, errors and inputs"
        placeholder="Search  ( / )"
        value={query.q ?? ''}
        onChange={(value) => change('q', value)}
        pauseMs={TYPING_MS}
      />
      <Choice name="Status" value={query.status ?? ''} all="Any status" onChange={(value) => change('status', value)}>
        {STATUSES}
      </Choice>
      <Choice name="Started" value={query.period ?? ''} all="Any time" onChange={(value) => change('period', value)}>
        {Object.keys(PERIODS)}
      </Choice>
      {query.program !== undefined && (
        <button type="button" class="chip" onClick={() => change('program', '')}>
          program {query.program} <span aria-hidden="true">×</span>
          <span class="hidden">: remove this filter</span>
        </button>
      )}
      {isFiltered && (
        <button type="button" class="quiet" onClick={() => router.go({ run: null, query: {} }, 'replace')}>
          Clear
        </button>
      )}
      <span class="faint count" role="status">
        {isLoading ? '' : `${countOf(count, 'run')}${isComplete ? '' : ' and more'}`}
      </span>
    </search>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  /** What no filter is called. */
  readonly all: string;
  readonly onChange: (value: string) => void;
  readonly children: readonly string[];
}

function Choice({ name, value, all, onChange, children }: ChoiceProps) {
  return (
    <select aria-label={name} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{all}</option>
      {children.map((one) => (
        <option key={one} value={one}>
          {name === 'Started' ? `Last ${one}` : one}
        </option>
      ))}
    </select>
  );
}
