/**
 * A run moved into an edited program. It can go on there when everything it stands on is still there: its state, the
 * instructions it waits at, and the names that hold values. Instructions have no names of their own, so one is the same
 * when it does the same and is the same one of those in its state.
 */
import type { Json } from '../../machine/expression.js';
import type { Instruction, State } from '../../machine/machine.js';
import { type LinkedMachine, type Run, restoreRun, snapshotOf } from '../run.js';
import type { UndoEntry } from '../undo/register.js';
import { encode } from '../values/json.js';
import type { Value } from '../values/value.js';
import type { EncodedSlots, ForkImage, RunImage, ThreadImage } from './run-image.js';
import { Trail } from './trail.js';

export type Migration = { readonly run: Run } | { readonly missing: readonly string[] };

/** The run in another machine, with everything it knew, or what that machine lacks. The given run is left as it is. */
export function migrateRun(run: Run, linked: LinkedMachine): Migration {
  const image = snapshotOf(run) as unknown as RunImage;
  const move = new Move(run.linked, linked);
  const moved = move.run(image);
  if (move.missing.length > 0) return { missing: [...new Set(move.missing)] };
  const { states } = linked.machine;
  // States that were entered before and are gone now are no part of the run's way any more.
  const trail = new Trail(states.length);
  const places = new Map(states.map(({ name }, at) => [name, at]));
  for (const name of run.states) {
    const at = places.get(name);
    if (at !== undefined) trail.push(at);
  }
  const options = { ...run.options, limits: run.limits };
  return { run: restoreRun(linked, moved as unknown as Json, options, trail.bytes()) };
}

class Move {
  readonly missing: string[] = [];

  constructor(
    private readonly from: LinkedMachine,
    private readonly to: LinkedMachine,
  ) {}

  run(image: RunImage): RunImage {
    const { machine } = this.to;
    const before = this.from.machine;
    const old = before.states.find(({ name }) => name === image.state);
    const fresh = machine.states.find(({ name }) => name === image.state);
    if (old === undefined || fresh === undefined) {
      this.missing.push(`the state \`${image.state}\``);
      return image;
    }
    this.undo(image.undo);
    return {
      ...image,
      main: this.thread(image.main, old, fresh),
      tracked: this.slots(image.tracked, before.tracked, machine.tracked, 'the tracked variable'),
      inputs: this.inputs(image.inputs),
      entries: this.entries(image.entries),
    };
  }

  private inputs(values: EncodedSlots): EncodedSlots {
    const old = this.from.machine.inputs.map(({ name }) => name);
    const { inputs } = this.to.machine;
    const moved = this.slots(
      values,
      old,
      inputs.map(({ name }) => name),
      'the input',
    );
    return moved.map((value, index) => {
      const input = inputs[index];
      if (value !== null || input === undefined) return value;
      if (input.value === undefined) this.missing.push(`a value for the new input \`${input.name}\``);
      return input.value === undefined ? null : encode(input.value as Value);
    });
  }

  private entries(entries: RunImage['entries']): RunImage['entries'] {
    const moved: Record<string, EncodedSlots> = {};
    for (const [name, values] of Object.entries(entries)) {
      const old = this.from.machine.states.find((state) => state.name === name);
      const fresh = this.to.machine.states.find((state) => state.name === name);
      // A state that is not entered any more needs no values either.
      if (old !== undefined && fresh !== undefined) moved[name] = this.slots(values, old.entry, fresh.entry, null);
    }
    return moved;
  }

  /** Entries hold all they need, but for the plans of CALLs. */
  private undo(entries: readonly UndoEntry[] = []): void {
    const { plans = {} } = this.to.machine;
    for (const { by, line } of entries)
      if (by.op === 'plan' && plans[by.plan] === undefined) this.missing.push(`what the UNDO of line ${line} calls`);
  }

  private thread(image: ThreadImage, old: State, fresh: State): ThreadImage {
    // What a plan was told belongs to its calls by their numbers, so it goes on only as it was.
    if (image.plan !== undefined && plansOf(this.from) !== plansOf(this.to))
      this.missing.push('the plan as it was when it began');
    return {
      ...image,
      pc: image.status === 'ready' ? this.next(image.pc, old, fresh) : this.position(image.pc, old, fresh),
      locals: this.slots(image.locals, old.locals, fresh.locals, 'the variable'),
      forks: image.forks.map((fork) => this.fork(fork, old, fresh)),
    };
  }

  private fork(image: ForkImage, old: State, fresh: State): ForkImage {
    return {
      ...image,
      pc: this.position(image.pc, old, fresh),
      locals: this.slots(image.locals, old.locals, fresh.locals, null),
      members: image.members.map((member) => ({
        ...member,
        thread: member.thread === null ? null : this.thread(member.thread, old, fresh),
      })),
    };
  }

  /** What comes next need not be there any more when what was done last is: it has not begun. */
  private next(pc: number, old: State, fresh: State): number {
    // A state that has just been entered is entered anew.
    if (pc === 0) return 0;
    const same = find(pc, old, fresh);
    if (same !== null) return same;
    const before = find(pc - 1, old, fresh);
    return before === null ? this.position(pc, old, fresh) : before + 1;
  }

  /** The same instruction in the edited state. */
  private position(pc: number, old: State, fresh: State): number {
    const same = find(pc, old, fresh);
    if (same !== null) return same;
    const line = old.code[pc]?.origin.line ?? 0;
    this.missing.push(`the instruction ${described(old.code[pc])} of line ${line} in the state \`${old.name}\``);
    return 0;
  }

  /** Values by name. `what` is how a name is told that has a value and no place any more; null: it is not needed. */
  private slots(
    values: EncodedSlots,
    old: readonly string[],
    fresh: readonly string[],
    what: string | null,
  ): EncodedSlots {
    const moved = new Array<string | null>(fresh.length).fill(null);
    values.forEach((value, slot) => {
      const name = old[slot];
      if (value === null || name === undefined) return;
      const at = fresh.indexOf(name);
      if (at >= 0) moved[at] = value;
      else if (what !== null && !name.startsWith('$')) this.missing.push(`${what} \`${name}\``);
    });
    return moved;
  }
}

/** The plans of a machine, wherever they stand in their documents. */
function plansOf({ machine }: LinkedMachine): string {
  return JSON.stringify(Object.values(machine.plans ?? {}), (name, value) => (name === 'line' ? undefined : value));
}

/** The instruction that does the same and is the same one of those. */
function find(pc: number, old: State, fresh: State): number | null {
  const wanted = identity(old.code[pc], old);
  let nth = 0;
  for (let at = 0; at < pc; at++) if (identity(old.code[at], old) === wanted) nth++;
  for (let at = 0; at < fresh.code.length; at++)
    if (identity(fresh.code[at], fresh) === wanted && nth-- === 0) return at;
  return null;
}

/** What an instruction does, apart from where it stands. */
function identity(instruction: Instruction | undefined, state: State): string {
  if (instruction === undefined) return '';
  switch (instruction.op) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
      return `${instruction.op} ${state.locals[instruction.bind?.slot ?? -1] ?? ''} ${instruction.text}`;
    case 'ask':
    case 'signal':
      return `${instruction.op} ${instruction.name}`;
    case 'fork':
      return `fork ${instruction.branches.length}`;
    case 'fork-each':
      return `fork-each ${state.locals[instruction.variable]}`;
    default:
      return instruction.op;
  }
}

function described(instruction: Instruction | undefined): string {
  if (instruction === undefined) return '';
  if ('text' in instruction) return `\`${instruction.text}\``;
  return `\`${'name' in instruction ? `${instruction.op} ${instruction.name}` : instruction.op}\``;
}
