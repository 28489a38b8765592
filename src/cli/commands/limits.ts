/** `statedsl limits`: the accounts of agents that have reached a limit, and until when their calls wait. */
import { type BreakerState, waitsUntil } from '../../runtime/agents/breakers/breaker.js';
import { breakerFiles, breakersFolder } from '../../runtime/agents/breakers/breakers.js';
import { type DaySpending, reservedOf, spendingsIn } from '../../runtime/agents/daily-budget.js';
import { reasonOf } from '../../runtime/store/store-error.js';
import { countOf, dollars, duration, localTime } from '../../views/drawing/amounts.js';
import { alignedLines } from '../../views/drawing/columns.js';
import { cut, visibleLine } from '../../views/drawing/visible-text.js';
import { type StoreFlags, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface LimitsFlags extends Pick<StoreFlags, 'dir'> {
  /** An account, or the beginning of one; `all`. */
  readonly clear?: string;
  readonly json?: boolean;
}

interface ListedLimit {
  readonly account: string;
  readonly cause: BreakerState['cause'];
  readonly message: string;
  readonly since: string;
  readonly until: string;
  /** `waits`: no call begins before `until`; `probe`: one goes first; `ramp`: `calls` may be under way. */
  readonly state: 'waits' | 'probe' | 'ramp';
  readonly calls: number;
}

const LONGEST_MESSAGE = 80;

export async function limitsCommand(flags: LimitsFlags): Promise<ExitCode> {
  const files = breakerFiles(breakersFolder(process.env));
  const { states, ...found } = files.list();
  const problems = [...found.problems];
  const now = Date.now();
  if (flags.clear === undefined) {
    const limits = states.map((state) => listLimit(state, now));
    const spendings = spendingsIn(storeOf(flags)).list();
    problems.push(...spendings.problems);
    const budgets = spendings.states.map(spending);
    if (flags.json) stdout.write(`${JSON.stringify({ limits, budgets, problems })}\n`);
    else {
      stdout.write(await draw(limits, now));
      if (budgets.length > 0) stdout.write(await drawBudgets(budgets));
      for (const problem of problems) stderr.write(`${visibleLine(problem)}; \`--clear all\` removes it\n`);
    }
    return EXIT.returned;
  }
  const cleared = findNamed(flags.clear, states);
  if (cleared === null)
    return usageError(
      `no account that has reached a limit is called \`${flags.clear}\``,
      states.length === 0
        ? 'none has reached a limit'
        : `use one of ${states.map(({ account }) => `\`${visibleLine(account)}\``).join(', ')}, or \`all\``,
    );
  try {
    for (const { account } of cleared) files.clear(account);
    if (flags.clear === 'all') files.clearUnusable();
  } catch (cause) {
    stderr.write(`cannot write in \`${visibleLine(files.folder)}\`: ${reasonOf(cause)}\n`);
    return EXIT.failed;
  }
  if (flags.json) stdout.write(`${JSON.stringify({ cleared: cleared.map(({ account }) => account) })}\n`);
  else if (cleared.length === 0) stdout.write('nothing to clear\n');
  else for (const { account } of cleared) stdout.write(`cleared \`${visibleLine(account)}\`: its calls begin again\n`);
  return EXIT.returned;
}

/** Null if the name means none, or several. */
function findNamed(name: string, states: readonly BreakerState[]): readonly BreakerState[] | null {
  if (name === 'all') return states;
  const same = states.filter(({ account }) => account === name);
  const near = same.length > 0 ? same : states.filter(({ account }) => name !== '' && account.startsWith(name));
  return near.length === 1 ? near : null;
}

function listLimit(state: BreakerState, now: number): ListedLimit {
  const { account, cause, message, opened_ms: since, level } = state;
  const until = waitsUntil(state, now);
  return {
    account,
    cause,
    message,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    state: now < until ? 'waits' : level === 1 ? 'probe' : 'ramp',
    calls: now < until ? 0 : level,
  };
}

/** What a program has spent on the last day on which it called agents. */
interface SpentBudget {
  readonly program: string;
  readonly day: string;
  readonly spent: number;
  readonly reserved: number;
  /** Present: so many calls have not told their cost. */
  readonly cost_unknown?: number;
}

function spending(state: DaySpending): SpentBudget {
  const { program, day, spent, unknown } = state;
  return { program, day, spent, reserved: reservedOf(state), ...(unknown === 0 ? {} : { cost_unknown: unknown }) };
}

async function drawBudgets(budgets: readonly SpentBudget[]): Promise<string> {
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

async function draw(limits: readonly ListedLimit[], now: number): Promise<string> {
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
