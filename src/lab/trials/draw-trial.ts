/** A trial as text for people: a table for each variant, what failed how often, and how the variants compare. */
import { countOf, dollars, duration, localTime } from '../../views/drawing/amounts.js';
import { alignedLines, type Cell, type Column } from '../../views/drawing/columns.js';
import type { Paint } from '../../views/drawing/paint.js';
import { cut, visibleLine } from '../../views/drawing/visible-text.js';
import type { JudgedVariant, Rate, TrialReport } from './trial-report.js';

const HEAD: readonly Column[] = [
  { title: 'CASE' },
  { title: 'PASSED', right: true },
  { title: 'RATE', right: true },
  { title: '95 %', right: true },
  { title: 'COST', right: true },
  { title: 'PER PASS', right: true },
  { title: 'TIME PER PASS', right: true },
  { title: '' },
];
const LONGEST = 100;

const percent = (rate: number): string => `${Math.round(rate * 100)} %`;

/** `next`: the command that continues. */
export function drawTrial(report: TrialReport, paint: Paint, next: string): string {
  const { variants, comparison } = report;
  const parts = variants.map((variant) => drawVariant(variant, variants.length > 1, paint));
  if (comparison !== undefined) parts.push(compareWords(comparison, variants, paint));
  parts.push(endWords(report, next));
  return `${parts.join('\n\n')}\n`;
}

function drawVariant(variant: JudgedVariant, isNamed: boolean, paint: Paint): string {
  const { cases } = variant;
  const rows = cases.map((one): Cell[] => [
    visibleLine(one.name),
    ...rateCells(one),
    { text: one.flaky ? 'flaky' : '', paint: paint.warning },
  ]);
  if (cases.length > 1) rows.push(['all', ...rateCells(variant), '']);
  const lines = alignedLines(HEAD, rows, paint.strong);
  const failures = cases.flatMap(({ name, runs, failures: found }) =>
    found.map(({ expect, count, message, run_id }): Cell[] => [
      visibleLine(name),
      `${count} of ${runs}`,
      visibleLine(cut(`EXPECT: ${expect}`, LONGEST)),
      `${visibleLine(cut(message, LONGEST))}  run ${run_id}`,
    ]),
  );
  const head = [
    { title: 'CASE' },
    { title: 'FAILED', right: true as const },
    { title: 'EXPECTATION' },
    { title: 'FOR EXAMPLE' },
  ];
  return [
    ...(isNamed ? [paint.strong(visibleLine(variant.name))] : []),
    ...lines,
    ...(failures.length === 0 ? [] : ['', ...alignedLines(head, failures, paint.strong)]),
  ].join('\n');
}

function rateCells({
  runs,
  passed,
  rate,
  interval,
  cost,
  cost_unknown,
  cost_per_pass,
  time_ms_per_pass,
}: Rate): string[] {
  const sign = cost_unknown === true && cost !== null ? '≥ ' : '';
  return [
    `${passed}/${runs}`,
    rate === null ? '-' : percent(rate),
    interval === null ? '-' : `${Math.round(interval[0] * 100)}–${percent(interval[1])}`,
    runs === 0 ? '-' : `${sign}${dollars(cost)}`,
    cost_per_pass === null ? '-' : `${sign}${dollars(cost_per_pass)}`,
    time_ms_per_pass === null ? '-' : duration(time_ms_per_pass),
  ];
}

function compareWords(
  { better, difference, p, significant, test }: NonNullable<TrialReport['comparison']>,
  [first, second]: readonly JudgedVariant[],
  paint: Paint,
): string {
  const chance = p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`;
  const points = `${(Math.abs(difference) * 100).toFixed(1)} percentage points`;
  const names = [first, second].map((one) => visibleLine(one?.name ?? ''));
  if (better === null) return `${names[0]} and ${names[1]} pass equally often (${chance}; ${test})`;
  const [winner, other] = better === first?.name ? names : [...names].reverse();
  const verdict = significant ? paint.strong('more than chance') : 'this may be chance';
  return `${winner} passes more often than ${other}, by ${points}: ${verdict} (${chance}; ${test})`;
}

function endWords({ status, runs, open, budget, waiting, trial_id }: TrialReport, next: string): string {
  const money =
    budget === null
      ? ''
      : `; ${dollars(budget.spent)} of ${dollars(budget.limit)} spent, ${dollars(budget.left)} left${unknownCalls(budget.cost_unknown)}`;
  const lines = [
    `${open === 0 ? 'all' : `${runs - open} of`} ${countOf(runs, 'run')} judged${money}  trial ${trial_id}`,
  ];
  for (const { run_id, account, until } of waiting) {
    const what = account === undefined ? 'for a time' : `for the account \`${visibleLine(account)}\``;
    lines.push(`  run ${run_id} waits ${what}${until === null ? '' : ` until ${localTime(until)}`}`);
  }
  if (status === 'budget')
    lines.push(`  the budget does not suffice for the next run; resume with: ${next} --budget USD`);
  else if (status !== 'complete') lines.push(`  resume with: ${next}`);
  return lines.join('\n');
}

const unknownCalls = (count: number | undefined): string =>
  count === undefined ? '' : `, and ${countOf(count, 'call')} of unknown cost`;
