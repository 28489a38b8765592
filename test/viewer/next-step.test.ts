/** What the page recommends when something cannot be shown: the service names routes, which nobody can click. */
import { expect, test } from 'vitest';
import { nextStep } from '../../src/page/shell/problem.jsx';

const RUN = '01900000-0000-7000-8000-000000000001';

test('an earlier state of a run is a link to its event', () => {
  expect(nextStep(`look at the run as it was before: \`GET /api/v1/runs/${RUN}?at=19\``)).toEqual({
    text: 'look at the run as it was before',
    to: { run: RUN, query: { event: '19' } },
  });
});

test('other routes are left out, and sentences for people stay', () => {
  expect(nextStep('list the runs: `GET /api/v1/runs`')).toBeNull();
  expect(nextStep(`look at the run: \`GET /api/v1/runs/${RUN}\``)).toBeNull();
  expect(nextStep('choose yes or no')).toEqual({ text: 'choose yes or no' });
  expect(nextStep(null)).toBeNull();
});
