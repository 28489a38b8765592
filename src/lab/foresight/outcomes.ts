/** What may come of everything that a run waits for: each way is one outcome, in which unknown values stand for any value. */
import type { Pending } from '../../interpreter/run-state/pending.js';
import type { Json } from '../../machine/expression.js';
import type { Instruction, LimitScope, Limits } from '../../machine/machine.js';
import type { Knowledge } from './unknown/knowledge.js';
import { ANY_TYPE, type Facts, TYPE } from './unknown/known-facts.js';
import type { Rare } from './way.js';
import {
  exitOutcome,
  failedWays,
  failureOfKind,
  type Happening,
  inDoubt,
  isDecoded,
  printedBy,
  type RequestFacts,
  rareFailure,
  type Site,
  tasks,
  timedOut,
  unknownExit,
  valueOutcome,
  verdictBy,
  type Way,
} from './way.js';

/** The limits of the run, and of the workflows around a call, that it may exceed. */
export function limitsAround({ kind, thread }: Pending, ofRun: Limits): readonly LimitScope[] {
  if (kind === 'clock' || kind === 'uuid' || kind === 'random') return [];
  const budgets = thread.frames.flatMap((frame) => (frame.kind === 'scope' ? (frame.budget ?? []) : []));
  const has = (name: 'cost' | 'tokens' | 'timeMs'): boolean =>
    [ofRun, ...budgets].some((limits) => limits[name] !== undefined);
  const isCall = kind === 'agent' || kind === 'shell' || kind === 'argv' || kind === 'function' || kind === 'tool';
  const exceeded: readonly (readonly [LimitScope, boolean])[] = [
    ['time', has('timeMs')],
    ['cost', kind === 'agent' && has('cost')],
    ['tokens', kind === 'agent' && has('tokens')],
    ['output', isCall && ofRun.output !== undefined],
    ['journal', ofRun.journal !== undefined],
  ];
  return exceeded.flatMap(([scope, may]) => (may ? [scope] : []));
}

export function waysOf(site: Site): readonly Way[] {
  const ways = [...ownWaysOf(site), ...rareWays(site)];
  return site.facts.isOnce === true ? [...ways, inDoubt] : ways;
}

/** What is too large, cannot be passed on, or goes wrong with git. */
function rareWays(site: Site): readonly Way[] {
  const { pending, facts, instruction, label } = site;
  const refusalOf = (rare: Rare, kind: string): Way =>
    rareFailure(rare, 'cannot be passed on', (k) => failureOfKind(k, kind, label));
  const refusals =
    facts.hasValues === true ? [refusalOf('value_too_large', 'value_too_large'), refusalOf('nul', 'bad_value')] : [];
  const huge: Parameters<typeof failedWays>[2] = {
    label: 'is too large',
    make: (k, exit) => failureOfKind(k, 'value_too_large', label, exit),
  };
  // A value that is nested too deep is as rare as one that is too large.
  const deep: typeof huge = {
    label: 'is nested too deep',
    make: (k, exit) => failureOfKind(k, 'bad_value', label, exit),
  };
  const decoding = isDecoded(instruction) ? instruction.reading : 'none';
  const readsJson = decoding !== 'none' && decoding !== 'text' && decoding !== 'both';
  switch (pending.kind) {
    case 'shell':
    case 'argv':
    case 'function': {
      if (decoding === 'none') return refusals;
      const { ok = [0] } = facts;
      const exits = ok === 'any' ? {} : { among: ok };
      const ways = [huge, ...(readsJson ? [deep] : [])]
        .flatMap((one) => failedWays(site, exits, one))
        .map((way): Way => ({ ...way, rare: 'value_too_large' }));
      return [...ways, ...refusals];
    }
    case 'agent':
      return [
        rareFailure('value_too_large', 'is too large', (k) =>
          huge.make(k, unknownExit(k, label, { among: [0], orNone: true })),
        ),
        ...(readsJson ? [rareFailure('value_too_large', deep.label, (k) => deep.make(k, 0))] : []),
        ...(facts.hasValues === true ? [refusalOf('nul', 'bad_value')] : []),
      ];
    case 'tool':
      return facts.isPlanCheck === true
        ? []
        : [
            rareFailure('value_too_large', huge.label, (k) => failureOfKind(k, 'value_too_large', label)),
            rareFailure('value_too_large', deep.label, (k) => failureOfKind(k, 'bad_value', label)),
          ];
    case 'worktree': {
      const broken = (rare: Rare, words: string): Way => rareFailure(rare, words, (k) => failureOfKind(k, rare, label));
      const conflicts = facts.action === 'merge' ? [broken('merge_conflict', 'conflicts')] : [];
      return [...conflicts, broken('worktree', 'is not possible')];
    }
    default:
      return [];
  }
}

function ownWaysOf(site: Site): readonly Way[] {
  const { pending, facts } = site;
  switch (pending.kind) {
    case 'clock':
      return clockWays(site);
    case 'timer':
      return [
        {
          label: 'time is over',
          isTime: true,
          takesMs: pending.until ?? 0,
          make: () => valueOutcome(pending.until ?? 0),
        },
      ];
    case 'uuid':
      return [{ label: '', make: (k) => valueOutcome(k.fresh(TYPE.text, 'uuid()')) }];
    case 'random':
      return [{ label: '', make: (k) => valueOutcome(k.fresh(TYPE.number, 'random()', CHANCE)) }];
    case 'worktree':
      return worktreeWays(facts);
    case 'schema':
      return [
        { label: 'fits the schema', make: () => valueOutcome(null) },
        { label: 'does not fit the schema', isFailure: true, make: () => valueOutcome('it does not fit') },
      ];
    case 'ask':
      return askWays(site);
    case 'approval':
      return [true, false].map((value) => ({
        label: value ? 'approved' : 'denied',
        isOutside: true,
        make: () => ({ kind: 'answer', value }),
      }));
    case 'signal':
      return [
        {
          label: 'arrives',
          isOutside: true,
          make: (k) => ({ kind: 'signal', name: facts.name ?? '', value: k.fresh(ANY_TYPE, site.label) }),
        },
      ];
    case 'tool':
      return toolWays(site);
    case 'agent':
      return facts.alternatives === undefined ? agentWays(site) : agentToolWays(site);
    case 'shell':
    case 'argv':
    case 'function':
      return site.instruction?.op === 'gate-command' ? gateWays(site.instruction, facts) : commandWays(site);
    default:
      throw new Error(`nothing is known about outcomes of ${pending.kind}`);
  }
}

const CHANCE: Partial<Facts> = { low: { at: 0, open: false }, high: { at: 1, open: true } };

/** Later than every deadline. */
const NEVER_MS = 8e15;

function clockWays({ instruction, pending }: Site): Way[] {
  const inTime: Way = { label: '', make: () => valueOutcome(0) };
  if (instruction?.op !== 'wait-turn' || pending.purpose !== 'clock') return [inTime];
  return [
    { ...inTime, label: 'in time' },
    { label: 'the time is over', isTime: true, make: () => valueOutcome(NEVER_MS) },
  ];
}

function worktreeWays({ action }: RequestFacts): Way[] {
  const commit = '0'.repeat(40);
  switch (action) {
    case 'snapshot':
      return [
        {
          label: '',
          make: (k) => {
            const text = k.fresh(TYPE.text, 'diff');
            // The list is only read as one text.
            const files = [k.fresh(TYPE.text, 'files')];
            return { kind: 'outcome', outcome: { kind: 'changed', commit, files, stdout: { text, bytes: 1 } } };
          },
        },
      ];
    case 'fork':
      return [{ label: '', make: () => valueOutcome({ directory: '/' }) }];
    case 'merge':
      return [{ label: '', make: () => valueOutcome({ commit }) }];
    default:
      return [{ label: '', make: () => valueOutcome(null) }];
  }
}

function askWays({ facts, label }: Site): Way[] {
  const { choices } = facts;
  const answer = (text: string, make: (k: Knowledge) => Json): Way => ({
    label: text,
    isOutside: true,
    make: (k) => ({ kind: 'answer', value: make(k) }),
  });
  if (choices === null || choices === undefined) return [answer('', (k) => k.fresh(TYPE.text, label))];
  return choices.map((choice) => answer(`= ${JSON.stringify(choice)}`, () => choice));
}

// ---- commands ---------------------------------------------------------------------------------------

function commandWays(site: Site): Way[] {
  const { facts, instruction, label } = site;
  const ways: Way[] = [];
  const { ok = [0] } = facts;
  const readsExit = isDecoded(instruction) && instruction.bind?.exitSlot !== undefined;
  if (ok === 'any')
    ways.push({
      label: '',
      make: (k) =>
        exitOutcome({ text: printedBy(k, instruction, label), exit: readsExit ? unknownExit(k, label, {}) : 0 }),
    });
  else
    for (const exit of readsExit ? ok : ok.slice(0, 1))
      ways.push({
        label: exit === 0 ? '' : `exit ${exit}`,
        make: (k) => exitOutcome({ text: printedBy(k, instruction, label), exit }),
      });
  ways.push(...bodyAnswers(site));
  ways.push(...commandFailures(site));
  return ways;
}

function commandFailures(site: Site): Way[] {
  const { facts, label, looked } = site;
  const { ok = [0] } = facts;
  const ways: Way[] = [];
  const failureOf = (k: Knowledge, exit: number): Happening => ({
    kind: 'outcome',
    outcome: { kind: 'failed', error_type: 'tool_failure', message: k.fresh(TYPE.text, `error of ${label}`), exit },
  });
  if (ok === 'any')
    ways.push(...failedWays(site, { among: [], orNone: true }, { label: 'cannot be started', make: failureOf }));
  else {
    const stderr = (k: Knowledge): string => k.fresh(TYPE.text, `error of ${label}`, { not: ['""'] });
    // Only the codes that the program accepts are none of a failure.
    const exits = { from: ok.includes(0) ? 1 : 0, not: ok };
    ways.push(
      ...failedWays(
        site,
        { ...exits, orNone: true },
        { label: 'fails', make: (k, exit) => exitOutcome({ text: '', exit, stderr: stderr(k) }) },
      ),
      ...(looked.tool ? (facts.piped ?? []) : []).flatMap((program) =>
        failedWays(site, exits, {
          label: `fails in \`${program}\``,
          make: (k, exit) => exitOutcome({ text: '', exit, stderr: stderr(k), pipe: [{ program, exit }] }),
        }),
      ),
    );
  }
  ways.push(...unreadableWays(site));
  if (facts.hasTimeout) ways.push(timedOut(facts));
  return ways;
}

/**
 * Output of a CHECK that is not an answer, which fails where the program reads it. That a command printed nothing can be told from
 * output that is not JSON only with what accepts a missing value. An exit code of 0 is a failed attempt.
 */
function unreadableWays({ facts, instruction, state, label }: Site): Way[] {
  if (!isDecoded(instruction) || !CHECKED.has(instruction.reading)) return [];
  const words = (k: Knowledge, what: string): string => k.fresh(TYPE.text, `${what} of ${label}`, { not: ['""'] });
  const nothing = (k: Knowledge) => ({ text: '', stderr: words(k, 'error') });
  const noAnswer = (k: Knowledge) => ({ text: `${words(k, 'output')}\n.` });
  const isDistinct = instruction.reading !== 'capture' && acceptsMissing(state.code);
  const prints = [
    { label: 'prints nothing', of: nothing },
    ...(isDistinct ? [{ label: 'prints no answer', of: noAnswer }] : []),
  ];
  if (facts.kind === 'agent')
    return prints.map(({ label: how, of }) => ({
      label: how,
      isFailure: true,
      make: (k) => exitOutcome({ ...of(k), exit: 0, is_error: false }),
    }));
  return prints.flatMap(({ label: how, of }): Way[] => {
    const way = (more: string, exitOf: (k: Knowledge) => number): Way => ({
      label: `${how}${more}`,
      isFailure: true,
      make: (k) => exitOutcome({ ...of(k), exit: exitOf(k) }),
    });
    const fails = (from: number) => (k: Knowledge) => unknownExit(k, label, { from });
    return instruction.retry === undefined ? [way('', fails(0))] : [way('', () => 0), way(' and fails', fails(1))];
  });
}

const CHECKED: ReadonlySet<string> = new Set(['check', 'check-named', 'capture']);

/** Whether instructions accept that a value is missing: with `?`, `default`, `is empty`, `exists` or `[k={v}]`. */
function acceptsMissing(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(acceptsMissing);
  if (typeof part !== 'object' || part === null) return false;
  const { op, test, name, optional } = part as Readonly<Record<string, unknown>>;
  if (op === 'const') return false;
  const accepts = op === 'maybe' || (op === 'test' && (test === 'empty' || test === 'exists'));
  return (
    accepts || (op === 'call' && name === 'default') || optional === true || Object.values(part).some(acceptsMissing)
  );
}

/** Commands in the body of a step may print the answer that the step needs. */
function bodyAnswers(site: Site): Way[] {
  const { code } = site.state;
  const types = new Set(
    code.flatMap((one) => (one.op === 'step-collect' && one.plan.work === 'body' ? [one.plan.type] : [])),
  );
  const printing = (what: string, print: (k: Knowledge) => string): Way => ({
    label: `prints ${what}`,
    make: (k) => exitOutcome({ text: print(k), exit: 0 }),
  });
  const verdicts = [true, false].map((pass) => printing(String(pass), (k) => verdictBy(k, site, pass)));
  return [
    ...(types.has('validate') ? verdicts : []),
    ...(types.has('split')
      ? tasks(site).map(({ length, print, about }) => ({ ...printing(`${length} tasks`, print), ...about }))
      : []),
  ];
}

function gateWays({ gate, least }: Extract<Instruction, { op: 'gate-command' }>, facts: RequestFacts): Way[] {
  const text = gate.kind === 'coverage' ? `${least ?? 100} %` : '1 passed';
  const stderr = (k: Knowledge): string => k.fresh(TYPE.text, `error of gate ${gate.name}`, { not: ['""'] });
  return [
    { label: 'passes', make: () => exitOutcome({ text, exit: 0 }) },
    { label: 'does not pass', isFailure: true, make: (k) => exitOutcome({ text: '', exit: 1, stderr: stderr(k) }) },
    ...(facts.hasTimeout ? [timedOut(facts)] : []),
  ];
}

/** An agent that is unavailable is called again later: for all that follows, it only took longer. */
function agentWays(site: Site): Way[] {
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
  ways.push(...unreadableWays(site));
  if (facts.hasTimeout) ways.push(timedOut(facts));
  return ways;
}

/** An agent that is called as a tool. An answer that does not fit its schema makes the run ask once more. */
function agentToolWays(site: Site): Way[] {
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

function toolWays(site: Site): Way[] {
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
  if (hasTimeout) ways.push(timedOut(facts));
  return ways;
}
