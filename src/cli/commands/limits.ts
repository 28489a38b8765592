/** `statedsl limits`: the accounts of agents that have reached a limit, and until when their calls wait. */
import type { LimitList } from '../../app/runs.js';
import { countOf, dollars, duration, localTime } from '../../views/drawing/amounts.js';
import { alignedLines } from '../../views/drawing/columns.js';
import { cut, visibleLine } from '../../views/drawing/visible-text.js';
import { reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

interface LimitsFlags extends Pick<StoreFlags, 'dir' | 'on' | 'namespace'> {
  /** An account, or the beginning of one; `all`. */
  readonly clear?: string;
  readonly json?: boolean;
}

const LONGEST_MESSAGE = 80;

export async function limitsCommand(flags: LimitsFlags): Promise<ExitCode> {
  const runs = await runsOf(flags);
  if (flags.clear !== undefined) {
    const cleared = await runs.clearLimits(flags.clear);
    if (!cleared.ok) return reportRefusal(cleared.refusal);
    if (flags.json) stdout.write(`${JSON.stringify({ cleared: cleared.value })}\n`);
    else if (cleared.value.length === 0) stdout.write('nothing to clear\n');
    else
      for (const account of cleared.value) stdout.write(`cleared \`${visibleLine(account)}\`: its calls begin again\n`);
    return EXIT.returned;
  }
  const listed = await runs.limits();
  if (!listed.ok) return reportRefusal(listed.refusal);
  const { limits, budgets, problems } = listed.value;
  if (flags.json) stdout.write(`${JSON.stringify(listed.value)}\n`);
  else {
    stdout.write(await draw(limits, Date.now()));
    if (budgets.length > 0) stdout.write(await drawBudgets(budgets));
    for (const problem of problems) stderr.write(`${visibleLine(problem)}; \`--clear all\` removes it\n`);
  }
  return EXIT.returned;
}

async function drawBudgets(budgets: LimitList['budgets']): Promise<string> {
  const paint = await stdout.paint();
  const rows = budgets.map(({ program, day, spent, reserved, cost_unknown: unknown }) => [
    visibleLine(program),
    day,
    `${dollars(spent)}${unknown === undefined ? '' : `, and ${countOf(unknown, 'call')} of unknown cost`}`,
    dollars(reserved),
  ]);
  const titles = ['BUDGET OF', 'DAY', 'SPENT', 'RESERVED'].map((title) => ({ title }));
  return `${alignedLines(titles, rows, paint.strong).join('\n')}\n`;
}

async function draw(limits: LimitList['limits'], now: number): Promise<string> {
  if (limits.length === 0) return 'no account of an agent has reached a limit\n';
  const paint = await stdout.paint();
  const rows = limits.map(({ account, until, state, calls, cause, message }) => [
    visibleLine(account),
    state === 'waits'
      ? `${localTime(until)}, in ${duration(Date.parse(until) - now)}`
      : state === 'probe'
        ? 'one call goes first'
        : `${countOf(calls, 'call')} at once`,
    `${cause}: ${visibleLine(cut(message, LONGEST_MESSAGE))}`,
  ]);
  const titles = ['ACCOUNT', 'WAITS UNTIL', 'WHY'].map((title) => ({ title }));
  return `${alignedLines(titles, rows, paint.strong).join('\n')}\n`;
}
