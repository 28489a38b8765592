/** The instructions of PARALLEL: opening a fork, the end of a branch, and the join of a fork whose parent continued. */
import type { Expr, Json } from '../../machine/expression.js';
import type { ForkInstruction } from '../../machine/machine.js';
import { failThread } from '../control/fail.js';
import { closeFork, finishMember, join, openFork } from '../control/join.js';
import { readClock, reissueSample, setTimer } from '../control/request-effects.js';
import { badValue } from '../failure.js';
import { type Fork, type Member, newSemaphore, type Semaphore } from '../run-state/fork-state.js';
import type { LinkContext, Linked, Suspender } from '../run-state/linked-machine.js';
import { type ForkLayout, STOP } from '../run-state/linked-machine.js';
import type { Run } from '../run-state/run-memory.js';
import { localOf, type Thread } from '../run-state/thread.js';
import { UndoRegister } from '../run-state/undo-register.js';
import { compile, type Evaluator } from '../values/evaluate.js';
import { operations } from '../values/operations.js';
import { compileTemplate } from '../values/template.js';
import { aType, isList, noList, numberOf, type Value } from '../values/value.js';
import { timeOf } from './wait-instructions.js';

function layoutFor(instruction: ForkInstruction, base: number): ForkLayout {
  const common = {
    join: base + instruction.join,
    timedOut: instruction.wait?.timedOut ?? null,
    keep: instruction.keep ?? null,
    own: instruction.own === true,
  };
  if (instruction.op === 'fork-each') {
    const { body, collect, variable, named } = instruction;
    const names = named === true ? [] : null;
    return { ...common, start: () => base + body, collect: () => collect, variable, names };
  }
  const { branches, names = null } = instruction;
  return {
    ...common,
    names,
    start: (index) => base + (branches[index]?.pc ?? 0),
    collect: (index) => branches[index]?.collect ?? [],
    variable: null,
  };
}

/** A whole number of at least 1, or null if the program has none. */
function compileCount(expr: Expr | null, name: string): (thread: Thread) => number | null {
  if (expr === null) return () => null;
  const evaluate = compile(expr);
  const { countIn } = operations();
  return (t) => {
    const value = evaluate(t);
    const count = countIn(value);
    if (count !== undefined) return count;
    const given = numberOf(value) ?? aType(value);
    throw badValue(`\`${name}\` needs a whole number of at least 1, not ${given}`);
  };
}

function compileItems(instruction: ForkInstruction, pc: number): (thread: Thread) => readonly Value[] | null {
  if (instruction.op === 'fork') return () => null;
  const evaluate: Evaluator = compile(instruction.list);
  const { membersIn } = operations();
  return (t) => {
    const list = membersIn(evaluate(t), pc);
    if (isList(list)) return list;
    throw badValue(noList(list));
  };
}

function semaphoreFor(run: Run, max: number | null, agents: boolean): Semaphore {
  if (max !== null) return newSemaphore(max);
  return agents ? run.agentJobs : run.jobs;
}

function newMember(fork: Fork, index: number): Member {
  return {
    fork,
    index,
    status: 'waiting',
    thread: null,
    events: [],
    failure: null,
    isReported: false,
    writes: [],
    undo: new UndoRegister(),
    collected: null,
    holds: false,
  };
}

export function linkFork(instruction: ForkInstruction, context: LinkContext): Linked {
  const layout = layoutFor(instruction, context.base);
  const items = compileItems(instruction, context.pc);
  const max = compileCount(instruction.max, 'max');
  const quorum = compileCount(instruction.quorum, 'quorum');
  const timeout = instruction.wait?.timeout ? compileTemplate(instruction.wait.timeout).value : null;
  const { durationMs } = operations();
  const limit = (t: Thread): number => durationMs(timeout === null ? null : timeout(t), 'the timeout of WAIT');

  const create = (t: Thread): Fork => {
    const list = items(t);
    const count = list?.length ?? (instruction.op === 'fork' ? instruction.branches.length : 0);
    const enough = quorum(t);
    if (enough !== null && enough > count)
      throw badValue(
        `a quorum of ${enough} cannot be met: there ${count === 1 ? 'is 1 member' : `are ${count} members`}`,
      );
    const fork: Fork = {
      id: t.nextEffect(),
      parent: t,
      pc: context.pc,
      semaphore: semaphoreFor(t.run, max(t), instruction.agents),
      quorum: enough,
      members: [],
      locals: context.state.locals.map((_, slot) => localOf(t, slot)),
      data: t.data.read([]) as Json,
      items: list,
      next: 0,
      open: count,
      succeeded: 0,
      failed: 0,
      detached: instruction.detached === true,
    };
    for (let index = 0; index < count; index++) fork.members.push(newMember(fork, index));
    return fork;
  };

  const openMembers = (t: Thread): number => {
    if (timeout !== null) limit(t);
    const fork = create(t);
    openFork(fork);
    if (fork.detached) return layout.join;
    if (fork.members.length === 0) return join(fork, 'complete');
    if (timeout !== null) {
      readClock(t, 'WAIT');
      t.status = 'joining';
    }
    return STOP;
  };

  const suspender: Suspender = {
    resume: (t, pending, outcome) => {
      const fork = t.forks.at(-1) as Fork;
      if (pending.purpose === 'bound') return join(fork, 'timed-out');
      const ms = limit(t);
      setTimer(t, { until: timeOf(outcome) + ms, ms, bounds: fork.id });
      t.status = 'joining';
      return STOP;
    },
    reissue: (t, pending) => {
      reissueSample(t, pending, pending.kind === 'timer' ? t.forks.at(-1)?.id : undefined);
    },
  };
  return { instruction: openMembers, suspender, layout };
}

export function linkBranchEnd(): Linked {
  return {
    instruction: (t) => {
      if (t.member === null) throw new Error('the end of a branch outside of one');
      finishMember(t.member);
      return STOP;
    },
  };
}

/** Ends the members, because the WAIT that ran in parallel has ended. */
export function linkJoinDetached(): Linked {
  return {
    instruction: (t) => {
      const fork = t.forks.findLast(({ detached }) => detached);
      if (fork === undefined) throw new Error('no members run here');
      const failure = closeFork(fork, 'complete');
      return failure === null ? t.pc + 1 : failThread(t, failure, true);
    },
  };
}
