/** What may come of calls of agents and tools. */
import { ANY_TYPE, TYPE } from './unknown/facts.js';
import type { Knowledge } from './unknown/knowledge.js';
import {
  exitOutcome,
  failedWays,
  type Happening,
  isDecoded,
  printedBy,
  type Site,
  tasks,
  timedOut,
  valueOutcome,
  verdictBy,
  type Way,
} from './way.js';

/** An agent that is unavailable is called again later: for all that follows, it only took longer. */
export function agentWays(site: Site): Way[] {
  const { facts, instruction, label } = site;
  const answerOf = (text: string): Happening => exitOutcome({ text, exit: 0, is_error: false });
  const ways: Way[] = [];
  switch (facts.answerFile) {
    case 'plan.json':
      for (const { length, print, about } of tasks(site))
        ways.push({ label: `${length} task${length === 1 ? '' : 's'}`, ...about, make: (k) => answerOf(print(k)) });
      ways.push({ label: 'answers with no tasks', isFailure: true, make: () => answerOf('?') });
      break;
    case 'validate.json':
      for (const pass of [true, false])
        ways.push({ label: `= ${pass}`, make: (k) => answerOf(verdictBy(k, site, pass)) });
      ways.push({ label: 'answers with no verdict', isFailure: true, make: () => answerOf('?') });
      break;
    default:
      ways.push({ label: '', make: (k) => answerOf(printedBy(k, instruction, label)) });
  }
  const failureOf = (k: Knowledge, exit: number): Happening =>
    exitOutcome({ text: k.fresh(TYPE.text, `error of ${label}`, { not: ['""'] }), exit, is_error: true });
  ways.push(...failedWays(site, { orNone: true }, { label: 'fails', make: failureOf }));
  if (facts.hasGuards === true || site.isLimited(facts.agent ?? ''))
    ways.push(...failedWays(site, { orNone: true }, { label: 'reaches its limit', make: guardFailure }));
  const decoding = isDecoded(instruction) ? instruction.reading : 'none';
  if (decoding === 'check' || decoding === 'check-named' || decoding === 'capture')
    ways.push({ label: 'prints nothing', isFailure: true, make: () => answerOf('') });
  if (facts.hasTimeout) ways.push(timedOut);
  return ways;
}

/** An agent that is called as a tool. An answer that does not fit its schema makes the run ask once more. */
export function agentToolWays(site: Site): Way[] {
  const { hasSchema } = site.facts;
  const ways = toolWays({ ...site, facts: { ...site.facts, hasSchema: false } });
  if (hasSchema === true)
    ways.push(
      {
        label: 'does not fit the schema',
        isFailure: true,
        make: () => exitOutcome({ text: '{}', exit: 0, is_error: false, invalid: 'does not fit' }),
      },
      {
        label: 'answers with no JSON',
        isFailure: true,
        make: () => exitOutcome({ text: '?', exit: 0, is_error: false }),
      },
    );
  if (site.facts.hasGuards === true || site.isLimited(site.facts.agent ?? ''))
    ways.push({ label: 'reaches its limit', isFailure: true, make: (k) => guardFailure(k, 0) });
  return ways;
}

const LIMIT_REACHED = { name: 'max_turns' as const, message: 'the limit is reached' };
const guardFailure = (_: Knowledge, exit: number): Happening => exitOutcome({ text: '', exit, guard: LIMIT_REACHED });

/** The code of a failure: what a function throws has any text or number, and an agent the exit code of its program. */
function failureWithCode(k: Knowledge, message: string, { facts, label, pending }: Site): Happening {
  const text = `code of ${label}`;
  const types = TYPE.text | TYPE.number;
  const code =
    pending.kind === 'agent'
      ? k.fresh(types, text, { whole: true, low: { at: 1, open: false }, high: { at: 255, open: false } })
      : facts.isFunction === true
        ? k.fresh(types, text)
        : null;
  const exit = code === null ? {} : { exit: code as unknown as number };
  return { kind: 'outcome', outcome: { kind: 'failed', message, ...exit } };
}

export function toolWays(site: Site): Way[] {
  const { facts, label } = site;
  const { alternatives = 0, ok = [0], isPlanCheck, hasSchema, hasTimeout, printsResult, isFunction } = facts;
  const unfit: Way = {
    label: 'does not fit the schema',
    isFailure: true,
    make: () => ({ kind: 'outcome', outcome: { kind: 'value', value: null, invalid: 'does not fit' } }),
  };
  if (isPlanCheck === true) return [{ label: 'fits the schema', make: () => valueOutcome(null) }, unfit];
  const ways: Way[] = [{ label: '', make: (k) => valueOutcome(k.fresh(ANY_TYPE, label)) }];
  for (let arm = 1; arm < alternatives; arm++)
    ways.push({
      label: `alternative ${arm + 1}`,
      make: (k) => valueOutcome({ _path: arm, _output: k.fresh(ANY_TYPE, label) }),
    });
  if (ok !== 'any')
    for (const exit of ok)
      if (exit !== 0)
        ways.push({ label: `exit ${exit}`, make: () => exitOutcome({ text: '', exit, stderr: 'failed' }) });
  const message = (k: Knowledge): string => k.fresh(TYPE.text, `error of ${label}`, { not: ['""'] });
  if (printsResult === true) {
    const exits = { from: ok === 'any' || ok.includes(0) ? 1 : 0, not: ok === 'any' ? [] : ok };
    const make = (k: Knowledge, exit: number): Happening => exitOutcome({ text: '', exit, stderr: message(k) });
    ways.push(...failedWays(site, exits, { label: 'fails', make }));
  } else ways.push({ label: 'fails', isFailure: true, make: (k) => failureWithCode(k, message(k), site) });
  if (isFunction === true)
    ways.push({
      label: 'returns no JSON',
      isFailure: true,
      make: (k) => ({ kind: 'outcome', outcome: { kind: 'failed', error_type: 'not_json', message: message(k) } }),
    });
  // With one alternative or none, and without an exit code, this is a failure like any other.
  if (alternatives > 1 || printsResult === true)
    ways.push({
      label: 'cannot be started',
      isFailure: true,
      make: () => ({ kind: 'outcome', outcome: { kind: 'not-started', reason: 'it cannot be started' } }),
    });
  if (alternatives > 1)
    ways.push({
      label: 'names no alternative',
      isFailure: true,
      make: () => valueOutcome({ _path: alternatives, _output: null }),
    });
  if (printsResult === true)
    ways.push({ label: 'prints no JSON', isFailure: true, make: () => exitOutcome({ text: '?', exit: 0 }) });
  if (hasSchema === true) ways.push(unfit);
  if (hasTimeout) ways.push(timedOut);
  return ways;
}
