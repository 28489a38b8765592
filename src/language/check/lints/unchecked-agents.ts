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
  machine.states.forEach(({ code }, state) => {
    code.forEach((one, pc) => {
      const agent = agentOf(machine, one);
      const span = states[state]?.spans[pc];
      // A pattern that is used twice is reported once.
      if (agent === null || !reachable[state] || span === undefined || reported.has(locationOf(span))) return;
      const found = new LookSearch(machine, { state, pc }).unseenReturn();
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

class LookSearch {
  /** What may depend on the answer. */
  private readonly derived = new Set<string>();
  /** How the files that belong to the call are written in the program. */
  private readonly files: readonly string[];

  constructor(
    private readonly machine: Machine,
    private readonly call: CallLocation,
  ) {
    this.files = filesOf(this.at(call) as Instruction);
    this.derive();
  }

  /** A RETURN that the call reaches without a look. */
  unseenReturn(): CallLocation | null {
    const found = this.walk(this.after(this.call), (node) => this.isEnd(node) || this.isLook(node));
    return found.find((node) => this.isEnd(node)) ?? null;
  }

  private at({ state, pc }: CallLocation): Instruction | undefined {
    return this.machine.states[state]?.code[pc];
  }

  /** All nodes from `starts` on. Nothing after a node for which `ends` is true. */
  private walk(starts: readonly CallLocation[], ends: (node: CallLocation) => boolean): CallLocation[] {
    const known = new Set<string>();
    const found: CallLocation[] = [];
    const work = [...starts];
    while (work.length > 0) {
      const node = work.shift() as CallLocation;
      const key = `${node.state}:${node.pc}`;
      if (known.has(key) || this.at(node) === undefined) continue;
      known.add(key);
      found.push(node);
      if (!ends(node)) work.push(...this.after(node));
    }
    return found;
  }

  /** What can follow an instruction that succeeds. */
  private after(node: CallLocation): CallLocation[] {
    const { state, pc } = node;
    const { code } = this.machine.states[state] as State;
    const one = code[pc] as Instruction;
    const here = (to: number): CallLocation => ({ state, pc: to });
    switch (one.op) {
      case 'goto':
        return [{ state: one.state, pc: 0 }];
      case 'goto-dynamic':
        return this.machine.states.map((_, to) => ({ state: to, pc: 0 }));
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

  private isEnd(node: CallLocation): boolean {
    const one = this.at(node);
    return one?.op === 'return' && !one.failed && (one.value === null || !this.dependsOn(one.value, node.state));
  }

  private isLook(node: CallLocation): boolean {
    const one = this.at(node) as Instruction;
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
        return this.dependsOn(one.condition, node.state);
      case 'goto-dynamic':
        return this.dependsOn(one.target, node.state);
      case 'each':
      case 'fork-each':
        return this.dependsOn(one.list, node.state) || (one.op === 'fork-each' && this.isSeenIn(node, one.body));
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
    const ends = (node: CallLocation): boolean => this.at(node)?.op === 'branch-end' || this.isLook(node);
    return !this.walk([{ state, pc }], ends).some((node) => this.at(node)?.op === 'branch-end');
  }

  /** Whether the text of an instruction names a file of the call. */
  private readsAgain(one: Instruction): boolean {
    if (one.op === 'argv' && one.reads === true) return true;
    const texts = textsIn(one);
    return this.files.some((file) => texts.some((text) => text.includes(file)));
  }

  /** Whether a part of an instruction reads something that may depend on the answer. Results of steps may always. */
  private dependsOn(part: unknown, state: number): boolean {
    let depends = false;
    visit(part, (value) => {
      if (value.op === 'step-key' || value.op === 'retry-key' || value.op === 'dagger' || value.op === 'run-total')
        depends = true;
      else if (value.op === 'read')
        depends ||= (value.places as readonly SlotRef[]).some((slot) => this.derived.has(keyOf(slot, state)));
    });
    return depends;
  }

  /** Finds what may depend on the answer: what the call binds, what later effects give, and what is computed of these. */
  private derive(): void {
    const later = [this.call, ...this.walk(this.after(this.call), () => false)];
    const members = later.flatMap((node) => this.membersOf(node));
    for (const node of [...later, ...members]) {
      const one = this.at(node) as Instruction;
      const isCall = node === this.call || one.op !== 'emit';
      if (!isCall || !('bind' in one) || one.bind === undefined) continue;
      const slots = typeof one.bind === 'number' ? [one.bind] : [one.bind.slot, one.bind.exitSlot];
      for (const slot of slots) if (slot !== undefined) this.derived.add(`local ${node.state}.${slot}`);
    }
    for (let size = -1; size !== this.derived.size; ) {
      size = this.derived.size;
      this.machine.states.forEach(({ code }, state) => {
        for (const one of code) this.pass(one, state);
      });
    }
  }

  /** The instructions of members, which the main path passes by. */
  private membersOf(node: CallLocation): CallLocation[] {
    const one = this.at(node);
    if (one?.op !== 'fork' && one?.op !== 'fork-each') return [];
    return Array.from({ length: one.join - node.pc }, (_, at) => ({ state: node.state, pc: node.pc + at }));
  }

  private pass(one: Instruction, state: number): void {
    const add = (slot: SlotRef): void => void this.derived.add(keyOf(slot, state));
    const local = (slot: number): void => add({ in: 'local', slot });
    switch (one.op) {
      case 'set':
        if (this.dependsOn(one.value, state)) add(one.to);
        return;
      case 'increment':
        if (this.dependsOn(one.by, state)) add(one.to);
        return;
      case 'track':
        if (this.dependsOn(one.value, state)) add({ in: 'tracked', slot: one.slot });
        return;
      case 'each':
        if (this.dependsOn(one.list, state)) local(one.items);
        return;
      case 'next':
        if (this.derived.has(`local ${state}.${one.items}`)) local(one.variable);
        return;
      case 'fork-each':
        if (this.dependsOn(one.list, state)) local(one.variable);
        return;
      case 'goto':
      case 'goto-dynamic': {
        const given = one.args.filter(({ value }) => this.dependsOn(value, state)).map(({ name }) => name);
        if (given.length === 0) return;
        this.machine.states.forEach(({ entry }, to) => {
          if (one.op === 'goto' && one.state !== to) return;
          for (const name of given) if (entry.includes(name)) this.derived.add(`entry ${to}.${entry.indexOf(name)}`);
        });
        return;
      }
      default:
        return;
    }
  }
}

/** Tracked variables and inputs belong to the run, other slots to a state. */
function keyOf({ in: kind, slot }: SlotRef, state: number): string {
  return kind === 'local' || kind === 'entry' ? `${kind} ${state}.${slot}` : `${kind} ${slot}`;
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

/** Names of files in a prompt: words with a slash or an extension. */
const FILE = /[\w.~-]*\/[\w./-]*\w|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}(?!\w)/g;

/** The file that receives the answer, and the files that the prompt names, as they are written. */
function filesOf(call: Instruction): readonly string[] {
  const output = call.op === 'agent' && call.output !== undefined ? [writtenAs(call.output).trim()] : [];
  const prompt = call.op === 'agent' || call.op === 'step-agent' ? (call.prompt ?? []) : [];
  return [...output, ...(writtenAs(prompt).match(FILE) ?? [])].filter((name) => name.length > 2);
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
