/** What a filter of runs means, wherever the runs are. */
import { expect, test } from 'vitest';
import { hasInput, runCondition, searchedInputs } from '../../src/app/run-filter.js';
import type { RunFilter } from '../../src/app/runs.js';

const run = {
  run_id: '01a2',
  machine: 'Release',
  status: 'suspended',
  started_at: '2026-05-01T10:00:00.000Z',
  state: 'DEPLOY',
  branch: 'statedsl/01a2',
  title: 'Spring cleaning',
  cost: 0.5,
  duration_ms: 3000,
};
const isWanted = (filter: RunFilter): boolean =>
  runCondition(filter)(run, {
    hasText: (text) => 'an error'.includes(text),
    hasInput: (input) => input === 'env=prod',
  });

test.each<[boolean, RunFilter]>([
  [true, {}],
  [true, { status: 'suspended' }],
  [true, { status: ['failed', 'suspended'] }],
  [false, { status: ['failed'] }],
  [true, { machine: 'Release' }],
  [false, { machine: 'release' }],
  [true, { since: '2026-05-01T10:00:00Z' }],
  [true, { since: '2026-05-01T12:00:00+02:00' }],
  [false, { since: '2026-05-01T10:00:01Z' }],
  [false, { until: '2026-05-01T10:00:00Z' }],
  [true, { until: '2026-05-02' }],
  [true, { q: 'RELEASE' }],
  [true, { q: 'deploy' }],
  [true, { q: 'An Error' }],
  [true, { q: '' }],
  [false, { q: 'elsewhere' }],
  [true, { after: '01a3' }],
  [false, { after: '01a2' }],
  [false, { q: 'deploy', machine: 'Other' }],
  [true, { q: 'spring' }],
  [true, { minCost: 0.5 }],
  [false, { minCost: 0.6 }],
  [true, { minTimeMs: 3000 }],
  [false, { minTimeMs: 3001 }],
  [true, { input: 'env=prod' }],
  [false, { input: 'env=test' }],
])('%s: %j', (wanted, filter) => {
  expect(isWanted(filter)).toBe(wanted);
});

test.each(['since', 'until'])('a wrong time for `%s` is refused, whatever the other conditions are', (name) => {
  expect(() => runCondition({ status: 'failed', [name]: 'yesterday' })).toThrow(
    `\`yesterday\` is not a time for \`${name}\``,
  );
});

const inputs = searchedInputs(
  { n: 10, Env: 'Prod', v: 1.1, l: [1, 'a b'], o: { n: 1 }, t: '7', sum: 'a=b', off: null },
  { v: '1.10' },
);
test.each<[boolean, string]>([
  [true, 'n'],
  [true, 'n=10'],
  [false, 'n=1'],
  [false, 'n='],
  [true, 'env=prod'],
  [true, 'ENV = "Prod"'],
  [false, 'env=pro'],
  [true, 'v=1.10'],
  [false, 'v=1.1'],
  [true, 'l=[1, "a b"]'],
  [false, 'l=[1'],
  [true, 'o={"n":1}'],
  [true, 't=7'],
  [true, 'sum=a=b'],
  [true, 'off=null'],
  [false, 'o.n'],
])('%s: the input %s', (wanted, input) => {
  expect(hasInput(inputs, input)).toBe(wanted);
});
