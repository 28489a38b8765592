/**
 * `unchecked-agent`: a run can return although nothing looked at what an agent answered. Follows each call of an agent to
 * the RETURNs that it can reach. A path ends where something looks: a gate, a CHECK, an ASK, a decision that depends on
 * the answer, a RETURN of it, or a command that reads a file of the call again. In doubt something counts as a look, so
 * that a message is never wrong: failures are not followed, loops have at least one turn, and whatever an effect gives
 * after the call may depend on the answer.
 */
import { successors } from '../../../machine/control-flow.js';
import type { SlotRef, Template } from '../../../machine/expression.js';
import type { Instruction, Machine, State } from '../../../machine/machine.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { LoweredMachine } from '../lower/lower-machine.js';

/** An instruction of a machine: its state, and its index in the code of that state. */
interface CallLocation {
  readonly state: number;
  readonly pc: number;
}

/** `reachable`: whether a run can reach each state. */
export function lintUncheckedAgents(
  { machine, states, unit }: LoweredMachine,
  reachable: readonly (boolean | undefined)[],
  diagnostics: Diagnostic[],
): void {
  const reported = new Set<string>();
  // Most programs call no agent.
  let flow: AnswerFlow | null = null;
  machine.states.forEach(({ code }, state) => {
    code.forEach((one, pc) => {
      const agent = agentOf(machine, one);
      if (agent === null) return;
      const span = states[state]?.spans[pc];
      // A pattern that is used twice is reported once.
      if (!reachable[state] || span === undefined || reported.has(locationOf(span))) return;
      flow ??= new AnswerFlow(machine);
      const found = new LookSearch(flow, { state, pc }).unseenReturn();
      if (found === null) return;
      reported.add(locationOf(span));
      // The end of a program without states is not written.
      const isWritten = !unit.script || found.pc < code.length - 1;
      const end = isWritten ? states[found.state]?.spans[found.pc] : undefined;
      diagnostics.push(say.uncheckedAgent(span, { agent, step: stepOf(one), end }));
    });
  });
}

const locationOf = ({ file, start }: Span): string => `${file}:${start}`;

/** The agent that an instruction calls; null if it calls none. */
function agentOf({ plans }: Machine, one: Instruction): string | null {
  if (one.op === 'agent') return one.agent;
  if (one.op === 'step-agent') return one.plan.name;
  if (one.op !== 'plan' || one.call === undefined) return null;
  const target = Object.values(plans?.[one.plan]?.tools ?? {}).find(({ calls }) => calls.kind === 'agent')?.calls;
  return target?.kind === 'agent' ? target.agent : null;
}

const stepOf = (one: Instruction): boolean => one.op === 'step-agent';

/** What follows an instruction within its state, and what that can bind. */
interface StateReach {
  /** Slots that effects bind. */
  readonly bound: readonly number[];
  /** The states that it can enter; null: any. */
  readonly entered: readonly number[] | null;
}

/** What a value is computed of: slots, or results of steps, which always may depend on the answer of an agent. */
type ValueSources = readonly number[] | 'always';

/** Instructions and slots of a machine as numbers. What does not depend on a call is found once for all of them. */
class AnswerFlow {
  private readonly starts: readonly number[];
  private readonly locals: readonly number[];
  private readonly entries: readonly number[];
  private readonly tracked: number;
  private readonly inputs: number;
  private readonly slots: number;
  private readonly reaches: (StateReach | undefined)[] = [];
  /** For each instruction what can follow it, and the sources of the value on which it depends, as far as they were asked for. */
  private readonly nexts: (readonly CallLocation[] | undefined)[] = [];
  private readonly sources: (ValueSources | undefined)[] = [];
  /** For each slot the slots into which a value of it is written; null: not found yet. */
  private targets: readonly (readonly number[] | undefined)[] | null = null;
  /** Slots that always may depend on an answer. */
  private readonly always: number[] = [];
  /** For each instruction the number of the last `reachFrom` that came there. */
  private readonly reached: Uint32Array;
  private times = 0;

  constructor(readonly machine: Machine) {
    const offsets = (from: number, sizeOf: (state: State) => number): number[] => {
      const all = [from];
      for (const state of machine.states) all.push((all.at(-1) as number) + sizeOf(state));
      return all;
    };
    this.starts = offsets(0, ({ code }) => code.length);
    this.reached = new Uint32Array(this.starts.at(-1) as number);
    this.locals = offsets(0, ({ locals }) => locals.length);
    this.entries = offsets(this.locals.at(-1) as number, ({ entry }) => entry.length);
    this.tracked = this.entries.at(-1) as number;
    this.inputs = this.tracked + machine.tracked.length;
    this.slots = this.inputs + machine.inputs.length;
  }

  at({ state, pc }: CallLocation): Instruction | undefined {
    return this.machine.states[state]?.code[pc];
  }

  /** All nodes from `starts` on, in the order of their distance. Nothing after a node for which `ends` is true. */
  walk(starts: readonly CallLocation[], ends: (node: CallLocation) => boolean): CallLocation[] {
    const known = new Set<number>();
    const found: CallLocation[] = [];
    const add = (node: CallLocation): void => {
      const key = this.keyOf(node);
      if (this.at(node) === undefined || known.has(key)) return;
      known.add(key);
      found.push(node);
    };
    for (const node of starts) add(node);
    // What is found meanwhile is visited, too.
    for (const node of found) if (!ends(node)) for (const next of this.after(node)) add(next);
    return found;
  }

  /** What can follow an instruction that succeeds. */
  after(node: CallLocation): readonly CallLocation[] {
    const key = this.keyOf(node);
    this.nexts[key] ??= this.findAfter(node);
    return this.nexts[key];
  }

  private findAfter(node: CallLocation): readonly CallLocation[] {
    const one = this.at(node) as Instruction;
    if (one.op === 'goto') return [{ state: one.state, pc: 0 }];
    if (one.op === 'goto-dynamic') return this.machine.states.map((_, to) => ({ state: to, pc: 0 }));
    return this.inState(node);
  }

  private inState({ state, pc }: CallLocation): CallLocation[] {
    const { code } = this.machine.states[state] as State;
    const one = code[pc] as Instruction;
    const here = (to: number): CallLocation => ({ state, pc: to });
    switch (one.op) {
      case 'each':
        // Its head is next. It has at least one turn.
        return [here(code[pc + 1]?.op === 'next' ? pc + 2 : pc + 1)];
      case 'step-collect':
        return [here(pc + 1)];
      case 'step-verdict':
        return [here(one.done)];
      case 'branch-end':
        return [here(joinOf(code, pc))];
      default:
        return successors(code, pc).map(here);
    }
  }

  /** For each slot whether it may depend on the answer: what the call binds, what later effects give, and what is computed of these. */
  derivedFrom(call: CallLocation): Uint8Array {
    const derived = new Uint8Array(this.slots);
    const work: number[] = [];
    const add = (slot: number): void => {
      if (derived[slot] === 1) return;
      derived[slot] = 1;
      work.push(slot);
    };
    this.targets ??= this.findTargets();
    for (const slot of this.always) add(slot);
    for (const slot of this.boundBy(call, true)) add(slot);
    const first = this.reachFrom(this.after(call).filter(({ state }) => state === call.state));
    const one = this.at(call) as Instruction;
    if (one.op === 'fork' || one.op === 'fork-each') for (const slot of this.boundByMembers(call)) add(slot);
    const entered = new Uint8Array(this.machine.states.length);
    const reaches = [first];
    for (const { bound, entered: next } of reaches) {
      for (const slot of bound) add(slot);
      for (const state of next ?? this.machine.states.keys()) {
        if (entered[state] === 1) continue;
        entered[state] = 1;
        reaches.push(this.reachOf(state));
      }
    }
    for (const slot of work) for (const target of this.targets[slot] ?? []) add(target);
    return derived;
  }

  private reachOf(state: number): StateReach {
    this.reaches[state] ??= this.reachFrom([{ state, pc: 0 }]);
    return this.reaches[state];
  }

  private reachFrom(starts: readonly CallLocation[]): StateReach {
    const time = ++this.times;
    const found = [...starts];
    const bound: number[] = [];
    const entered = new Set<number>();
    let isAnywhere = false;
    for (const node of found) {
      const key = this.keyOf(node);
      const one = this.at(node);
      if (one === undefined || this.reached[key] === time) continue;
      this.reached[key] = time;
      bound.push(...this.boundBy(node, false));
      if (one.op === 'fork' || one.op === 'fork-each') bound.push(...this.boundByMembers(node));
      if (one.op === 'goto') entered.add(one.state);
      else if (one.op === 'goto-dynamic') isAnywhere = true;
      else found.push(...this.inState(node));
    }
    return { bound, entered: isAnywhere ? null : [...entered] };
  }

  private boundBy(node: CallLocation, isCall: boolean): number[] {
    const one = this.at(node) as Instruction;
    if ((one.op === 'emit' && !isCall) || !('bind' in one) || one.bind === undefined) return [];
    const slots = typeof one.bind === 'number' ? [one.bind] : [one.bind.slot, one.bind.exitSlot];
    return slots.filter((slot) => slot !== undefined).map((slot) => this.localOf(node.state, slot));
  }

  /** What the instructions of members bind, which the main path passes by. */
  private boundByMembers({ state, pc }: CallLocation): number[] {
    const one = this.at({ state, pc });
    if (one?.op !== 'fork' && one?.op !== 'fork-each') return [];
    return Array.from({ length: one.join - pc }, (_, at) => this.boundBy({ state, pc: pc + at }, false)).flat();
  }

  private keyOf({ state, pc }: CallLocation): number {
    return (this.starts[state] as number) + pc;
  }

  private localOf(state: number, slot: number): number {
    return (this.locals[state] as number) + slot;
  }

  private numberOf({ in: kind, slot }: SlotRef, state: number): number {
    switch (kind) {
      case 'local':
        return this.localOf(state, slot);
      case 'entry':
        return (this.entries[state] as number) + slot;
      case 'tracked':
        return this.tracked + slot;
      case 'input':
        return this.inputs + slot;
      default:
        return unreachable(kind);
    }
  }

  /** The sources of the one part of an instruction that a search asks for. */
  sourcesAt(node: CallLocation, part: unknown): ValueSources {
    const key = this.keyOf(node);
    this.sources[key] ??= this.sourcesOf(part, node.state);
    return this.sources[key];
  }

  private sourcesOf(part: unknown, state: number): ValueSources {
    const found: number[] = [];
    let isAlways = false;
    visit(part, (value) => {
      if (value.op === 'step-key' || value.op === 'retry-key' || value.op === 'dagger' || value.op === 'run-total')
        isAlways = true;
      else if (value.op === 'read')
        for (const slot of value.places as readonly SlotRef[]) found.push(this.numberOf(slot, state));
    });
    return isAlways ? 'always' : found;
  }

  private findTargets(): (readonly number[] | undefined)[] {
    const targets: number[][] = [];
    const passes = (sources: ValueSources, target: number): void => {
      if (sources === 'always') {
        this.always.push(target);
        return;
      }
      for (const source of sources) {
        targets[source] ??= [];
        targets[source].push(target);
      }
    };
    this.machine.states.forEach(({ code }, state) => {
      for (const one of code) this.pass(one, state, passes);
    });
    return targets;
  }

  /** Calls `passes` with what an instruction computes a slot of. */
  private pass(one: Instruction, state: number, passes: (sources: ValueSources, target: number) => void): void {
    const local = (slot: number): number => this.localOf(state, slot);
    switch (one.op) {
      case 'set':
        passes(this.sourcesOf(one.value, state), this.numberOf(one.to, state));
        return;
      case 'increment':
        passes(this.sourcesOf(one.by, state), this.numberOf(one.to, state));
        return;
      case 'track':
        passes(this.sourcesOf(one.value, state), this.numberOf({ in: 'tracked', slot: one.slot }, state));
        return;
      case 'each':
        passes(this.sourcesOf(one.list, state), local(one.items));
        return;
      case 'next':
        passes([local(one.items)], local(one.variable));
        return;
      case 'fork-each':
        passes(this.sourcesOf(one.list, state), local(one.variable));
        return;
      case 'goto':
      case 'goto-dynamic':
        for (const { name, value } of one.args) {
          const sources = this.sourcesOf(value, state);
          for (const to of one.op === 'goto' ? [one.state] : this.machine.states.keys()) {
            const slot = this.machine.states[to]?.entry.indexOf(name) ?? -1;
            if (slot >= 0) passes(sources, this.numberOf({ in: 'entry', slot }, to));
          }
        }
        return;
      default:
        return;
    }
  }
}

/** The search of one call. */
class LookSearch {
  /** Most searches end before they need it. */
  private derived: Uint8Array | null = null;
  /** How the files that belong to the call are written in the program. */
  private readonly files: readonly string[];

  constructor(
    private readonly flow: AnswerFlow,
    private readonly call: CallLocation,
  ) {
    this.files = filesOf(flow.at(call) as Instruction);
  }

  /** A RETURN that the call reaches without a look. */
  unseenReturn(): CallLocation | null {
    const { flow, call } = this;
    const found = flow.walk(flow.after(call), (node) => this.isEnd(node) || this.isLook(node));
    return found.find((node) => this.isEnd(node)) ?? null;
  }

  private isEnd(node: CallLocation): boolean {
    const one = this.flow.at(node);
    return one?.op === 'return' && !one.failed && (one.value === null || !this.dependsOn(one.value, node));
  }

  private isLook(node: CallLocation): boolean {
    const one = this.flow.at(node) as Instruction;
    switch (one.op) {
      case 'return':
      case 'ask':
      case 'signal':
      case 'gate-command':
      case 'gate-schema':
      case 'gate-check':
      case 'gate-verdict':
      case 'tasks':
        return true;
      case 'step-verdict':
        // The answer of a validation is its verdict.
        return one.plan.type === 'validate';
      case 'workflow-leave':
        return one.verdict !== null || one.output !== null;
      case 'unless':
        return this.dependsOn(one.condition, node);
      case 'goto-dynamic':
        return this.dependsOn(one.target, node);
      case 'each':
      case 'fork-each':
        return this.dependsOn(one.list, node) || (one.op === 'fork-each' && this.isSeenIn(node, one.body));
      case 'fork':
        // All members run, in any order.
        return one.branches.some(({ pc }) => this.isSeenIn(node, pc));
      case 'shell':
      case 'argv':
      case 'function':
      case 'agent':
        return isCheck(one.reading) || this.readsAgain(one);
      case 'step-agent':
      case 'plan':
        return this.readsAgain(one);
      default:
        return false;
    }
  }

  /** Whether something looks on each way through a member. */
  private isSeenIn({ state }: CallLocation, pc: number): boolean {
    const { flow } = this;
    const isOver = (node: CallLocation): boolean => flow.at(node)?.op === 'branch-end';
    return !flow.walk([{ state, pc }], (node) => isOver(node) || this.isLook(node)).some(isOver);
  }

  /** Whether the text of an instruction names a file of the call. */
  private readsAgain(one: Instruction): boolean {
    if (one.op === 'argv' && one.reads === true) return true;
    if (this.files.length === 0) return false;
    const texts = textsIn(one);
    return this.files.some((file) => texts.some((text) => text.includes(file)));
  }

  /** Whether a part of an instruction reads something that may depend on the answer. */
  private dependsOn(part: unknown, node: CallLocation): boolean {
    const sources = this.flow.sourcesAt(node, part);
    if (sources === 'always') return true;
    if (sources.length === 0) return false;
    this.derived ??= this.flow.derivedFrom(this.call);
    return sources.some((slot) => this.derived?.[slot] === 1);
  }
}

const isCheck = (use: string): boolean => use !== 'none' && use !== 'do';

/** The join of the innermost fork around the end of a member. */
function joinOf(code: readonly Instruction[], pc: number): number {
  for (let at = pc - 1; at >= 0; at--) {
    const one = code[at];
    if ((one?.op === 'fork' || one?.op === 'fork-each') && one.join > pc) return one.join;
  }
  return pc + 1;
}

function visit(part: unknown, look: (value: { readonly [key: string]: unknown }) => void): void {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) look(part as { readonly [key: string]: unknown });
  for (const inner of Object.values(part)) visit(inner, look);
}

/** What can hold names of files. A longer one is data: its parts are not compared. */
const WORD = /[\w.~/-]+/g;
const LONGEST_WORD = 1000;
/** Names of files in a word of a prompt: with a slash or an extension. */
const FILE = /[\w.~-]*\/[\w./-]*\w|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}(?!\w)/g;

/** The file that receives the answer, and the files that the prompt names, as they are written. */
function filesOf(call: Instruction): readonly string[] {
  const output = call.op === 'agent' && call.output !== undefined ? [writtenAs(call.output).trim()] : [];
  const prompt = call.op === 'agent' || call.op === 'step-agent' ? (call.prompt ?? []) : [];
  const words = (writtenAs(prompt).match(WORD) ?? []).filter(({ length }) => length <= LONGEST_WORD);
  return [...output, ...words.flatMap((word) => word.match(FILE) ?? [])].filter((name) => name.length > 2);
}

const writtenAs = (template: Template): string =>
  template.map((part) => (typeof part === 'string' ? part : part.source)).join('');

/** The texts of an instruction, with values as they are written. */
function textsIn(part: unknown): string[] {
  if (typeof part === 'string') return [part];
  if (typeof part !== 'object' || part === null) return [];
  if (isTemplate(part)) return [writtenAs(part)];
  return Object.values(part).flatMap(textsIn);
}

function isTemplate(part: object): part is Template {
  const isPart = (piece: unknown): boolean =>
    typeof piece === 'string' || (typeof piece === 'object' && piece !== null && 'source' in piece);
  return Array.isArray(part) && part.every(isPart);
}
