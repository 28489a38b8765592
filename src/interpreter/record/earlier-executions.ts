/**
 * What a run has executed, as far as an edited program may move it. The record has outcomes of effects and events; which
 * instruction did what, in which turn of a loop, and what it left in names, is found by executing the record again.
 */
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { KeptOutcome } from '../events/event.js';
import type { LinkedMachine } from '../run-state/linked-machine.js';
import { prefixHere } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { Alignment } from './alignment.js';
import { instructionKey, isEffect, isUnnumbered, leftBy, passingKey, valuesOf } from './instruction-key.js';
import { endOf } from './structures.js';

/** An instruction that was executed to its end. */
export interface PastExecution {
  readonly key: string;
  readonly state: string;
  /** Its position in the state; null: it was executed in an earlier version of the program. */
  pc: number | null;
  /** Where it was executed, if an earlier edit has removed that place. */
  origin: string | null;
  /** The path of its thread. */
  readonly path: string;
  /** How many transitions the run had made. */
  readonly entry: number;
  /** Executions have ascending numbers. */
  readonly number: number;
  /** The effects that it requested. */
  effects: readonly string[];
  /** Its values, as one text; for a step its path. */
  readonly args: string;
  /** The texts of the values that it bound, by name. */
  left: Json;
}

interface Observed {
  readonly key: string;
  readonly end: number;
  /** Where it leads instead; null: nowhere. */
  readonly to: number | null;
  readonly isPassing: boolean;
  readonly args: (thread: Thread) => string;
  readonly valuesLeft: (thread: Thread) => Json;
  /** It consists of one instruction, so it has failed if it is not followed by its end. */
  readonly isSingle: boolean;
  readonly isEffect: boolean;
}

interface OpenExecution {
  readonly one: PastExecution;
  readonly what: Observed;
  /** The position in the machine. */
  readonly at: number;
  readonly counter: number;
  readonly thread: Thread;
}

/** Where the turns of a loop began, and where threads are, in the current state. */
interface LoopProgress {
  entry: number;
  /** By thread and position of the loop: the number of the first execution of its turn. */
  readonly turns: Map<string, number>;
  readonly positions: Map<string, number>;
}

export class PastExecutions {
  readonly all: PastExecution[] = [];
  /** Tested conditions and repeatable SETs of the current entry of a state. */
  passed: PastExecution[] = [];
  private machine: Machine | null = null;
  private versions = 0;
  private readonly open = new Map<string, OpenExecution[]>();
  private readonly progress: LoopProgress = { entry: -1, turns: new Map(), positions: new Map() };
  private count = 0;

  /** The machine, whose runs are observed. */
  observe = (linked: LinkedMachine): LinkedMachine => {
    const { machine, starts } = linked;
    this.follow(machine);
    this.open.clear();
    const observed = machine.states.flatMap((state, at) =>
      state.code.map((one, pc): Observed | null => {
        const its = instructionKey(one, state, pc) ?? passingKey(one);
        if (its === null) return null;
        const end = (starts[at] as number) + endOf(state.code, pc);
        const isStep = one.op === 'step-begin';
        return {
          key: its.key,
          end,
          to: one.op === 'unless' ? (starts[at] as number) + one.to : null,
          isPassing: instructionKey(one, state, pc) === null,
          args: isStep ? (t) => prefixHere(t) + one.plan.name : valuesOf(one),
          valuesLeft: leftBy(state, pc),
          isSingle: end === (starts[at] as number) + pc + 1,
          isEffect: isEffect(one),
        };
      }),
    );
    const loops = new Set(
      machine.states.flatMap(({ code }, at) =>
        code.flatMap(({ op }, pc) => (op === 'next' ? [(starts[at] as number) + pc] : [])),
      ),
    );
    const instructions = linked.instructions.map((instruction, at) => (thread: Thread): number => {
      this.note(thread, at, machine, starts, observed[at] ?? null);
      if (loops.has(at)) this.progress.turns.set(`${thread.path} ${at - (starts[thread.state] as number)}`, this.count);
      return instruction(thread);
    });
    const watch = (thread: Thread, { effect, outcome }: KeptOutcome): void => {
      this.note(thread, thread.pc, machine, starts, observed[thread.pc] ?? null);
      const taken = this.open.get(thread.path)?.pop();
      if (taken === undefined) return;
      const effects = isUnnumbered(effect) ? [] : [effect];
      const list = taken.what.isPassing ? this.passed : this.all;
      const isHere = (one: PastExecution): boolean => one.pc === taken.one.pc && one.state === taken.one.state;
      const earlier = list.findIndex(
        (one) =>
          (one.pc === null ? one.key === taken.one.key : isHere(one)) &&
          (effects.length === 0 ? one.effects.length === 0 : one.effects.includes(effect)),
      );
      if (earlier >= 0) list.splice(earlier, 1);
      taken.one.effects = effects;
      taken.one.left = outcome.kind === 'value' ? outcome.value : null;
      list.push(taken.one);
    };
    return { ...linked, instructions, watch };
  };

  /** At the end of the record: what has ended although its thread has not gone on. */
  finish(): void {
    for (const open of this.open.values())
      for (const one of open)
        if (one.thread.pc === one.what.end || one.thread.pc === one.what.to) this.end(one, one.thread, one.thread.pc);
    this.open.clear();
  }

  /** Finds what was executed before in an edited program. */
  private follow(machine: Machine): void {
    const before = this.machine;
    this.machine = machine;
    if (before === null) return;
    const version = this.versions++;
    const alignments = new Map<string, Alignment | null>();
    for (const one of [...this.all, ...this.passed]) {
      if (one.pc === null) continue;
      if (!alignments.has(one.state)) {
        const [was, is] = [before, machine].map(({ states }) => states.find(({ name }) => name === one.state));
        alignments.set(
          one.state,
          was === undefined || is === undefined ? null : new Alignment(was, is, { old: before, fresh: machine }),
        );
      }
      const at = alignments.get(one.state)?.of(one.pc) ?? null;
      if (at === null) one.origin = `${version} ${one.state} ${one.pc}`;
      one.pc = at;
    }
  }

  /** The number of the first execution of the turn in which a thread is; null: it is not in this loop. */
  turnOf(path: string, loop: number, exit: number): number | null {
    const at = this.progress.positions.get(path);
    if (at === undefined || at < loop || at >= exit) return null;
    return this.progress.turns.get(`${path} ${loop}`) ?? null;
  }

  private note(
    thread: Thread,
    at: number,
    { states }: Machine,
    starts: readonly number[],
    what: Observed | null,
  ): void {
    const { run, path } = thread;
    const { progress } = this;
    if (run.transitions !== progress.entry) {
      progress.entry = run.transitions;
      for (const map of [progress.turns, progress.positions, this.open]) map.clear();
      this.passed = [];
    }
    const pc = at - (starts[thread.state] as number);
    progress.positions.set(path, pc);
    const open = this.open.get(path) ?? [];
    // An instruction that waited for budget is executed once more.
    if (open.at(-1)?.at === at) return;
    const rest = open.filter((one) => {
      if (one.what.end === at || one.what.to === at) this.end(one, thread, at);
      return one.what.end !== at && !one.what.isSingle;
    });
    for (const one of open) if (one.what.isEffect && one.what.end !== at) this.end(one, thread, at);
    if (what !== null)
      rest.push({
        one: {
          ...{ key: what.key, state: states[thread.state]?.name ?? '', pc, origin: null, path, entry: progress.entry },
          ...{ number: this.count++, effects: [], args: what.args(thread), left: null },
        },
        what,
        at,
        counter: thread.counter,
        thread,
      });
    this.open.set(path, rest);
  }

  private end({ one, what, counter }: OpenExecution, thread: Thread, at: number): void {
    const { path } = thread;
    const ids = Array.from({ length: thread.counter - counter }, (_, at) => String(counter + at + 1));
    if (what.isEffect) one.effects = path === '' ? ids : ids.map((id) => `${path}.${id}`);
    else one.left = what.to === null ? what.valuesLeft(thread) : at === what.end;
    (what.isPassing ? this.passed : this.all).push(one);
  }
}
