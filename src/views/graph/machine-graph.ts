/**
 * The states of a machine and the transitions between them, as data that all drawings share. The conditions of a GOTO
 * are the tests that would skip it.
 */
import { controlFlow, reaching, turnOf } from '../../machine/control-flow.js';
import type { Instruction, Machine, State } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { oneLine } from '../drawing/visible-text.js';
import { workTree } from '../steps/call-tree.js';
import type { DrawnStep } from '../steps/step-tree.js';

export interface Graph {
  readonly name: string;
  /** In the order of the program. */
  readonly states: readonly GraphState[];
  readonly edges: readonly GraphEdge[];
  /** The program is a workflow file, which has only steps and no states. */
  readonly stateless?: true;
}

interface GraphState {
  readonly name: string;
  readonly initial: boolean;
  /** Its steps and calls in order; absent if it has none. */
  readonly steps?: readonly DrawnStep[];
}

/** A transition from one state to another, or out of the machine (`to` is null). */
export interface GraphEdge {
  readonly from: number;
  readonly to: number | null;
  /**
   * Conditions as written, joined by AND; only the innermost if there are many. Empty if the transition is
   * unconditional.
   */
  readonly label: string;
  /**
   * `failure`: taken after a failure, not because of a GOTO. `rollback`: no transition; a ROLLBACK of the state `from`
   * performs UNDOs of the state `to`, which the label names.
   */
  readonly kind: 'goto' | 'failure' | 'rollback';
  /** The run ends as failed. */
  readonly failed?: true;
}

export function graphOf(machine: Machine): Graph {
  const edges: GraphEdge[] = [];
  const seen = new Set<string>();
  const add = (edge: GraphEdge): void => {
    const key = JSON.stringify([edge.from, edge.to, edge.label, edge.kind]);
    if (!seen.has(key)) edges.push(edge);
    seen.add(key);
  };
  const undone = undoneBy(machine);
  machine.states.forEach((state, from) => {
    for (const edge of edgesOf(state, from, machine, undone)) add(edge);
    if (machine.error !== null && machine.error !== from && canFail(state))
      add({ from, to: machine.error, label: 'failure', kind: 'failure' });
  });
  return {
    name: oneLine(machine.name),
    states: machine.states.map((state, index) => graphState(state, index, machine)),
    edges: machine.workflow === undefined ? edges : [],
    ...omitUndefined({ stateless: machine.workflow === undefined ? undefined : true }),
  };
}

function graphState(state: State, index: number, machine: Machine): GraphState {
  const steps = workTree(state, machine);
  return {
    name: state.name,
    initial: index === machine.initial,
    ...omitUndefined({ steps: steps.length === 0 ? undefined : steps }),
  };
}

/** A condition in force, up to the pc where it ends. */
interface OpenCondition {
  readonly end: number;
  readonly text: string;
}

/** More do not help a reader, and a chain of a thousand ELSE IFs would take quadratic time to draw. */
const MOST_CONDITIONS = 8;

function labelOf(open: readonly OpenCondition[]): string {
  const texts = [...new Set(open.slice(-MOST_CONDITIONS).map(({ text }) => text))];
  return (open.length > MOST_CONDITIONS ? ['…', ...texts] : texts).join(' AND ');
}

/** Text enough to recognize what is undone. */
const MOST_UNDOS = 3;

function undoLabel(condition: string, texts: readonly string[]): string {
  const shown =
    texts.length > MOST_UNDOS ? [...texts.slice(0, MOST_UNDOS), `… ${texts.length - MOST_UNDOS} more`] : texts;
  return `${condition === '' ? '' : `${condition}: `}undo ${shown.join('; ')}`;
}

function edgesOf(state: State, from: number, machine: Machine, undone: ReturnType<typeof undoneBy>): GraphEdge[] {
  const edges: GraphEdge[] = [];
  /** Outermost first: blocks are nested, so the one that ends first is last. */
  const open: OpenCondition[] = [];
  const skipped = skippedTo(state);
  state.code.forEach((instruction, pc) => {
    while (open.length > 0 && (open[open.length - 1] as OpenCondition).end <= pc) open.pop();
    open.push(...beginningAt(state, pc, skipped));
    const failed = instruction.op === 'return' && instruction.failed ? true : undefined;
    for (const to of targetsOf(instruction, machine))
      edges.push({ from, to, label: labelOf(open), kind: 'goto', ...omitUndefined({ failed }) });
    if (instruction.op === 'rollback')
      for (const { state: to, texts } of undone(from, pc))
        edges.push({ from, to, label: undoLabel(labelOf(open), texts), kind: 'rollback' });
    if (instruction.op === 'unless' && instruction.to > pc && instruction.text !== '')
      open.push({ end: instruction.to, text: oneLine(instruction.text) });
  });
  return edges;
}

/** States an instruction may enter; null is the end of the run. */
function targetsOf(instruction: Instruction, machine: Machine): (number | null)[] {
  if (instruction.op === 'return') return [null];
  if (instruction.op === 'goto') return [instruction.state];
  // A value decides at run time, so every state is possible; drawing all of them would hide the other transitions.
  if (instruction.op !== 'goto-dynamic' || instruction.target.op !== 'const') return [];
  const name = instruction.target.value;
  const index = machine.states.findIndex((state) => state.name === name);
  return index < 0 ? [] : [index];
}

/**
 * Conditions other than tests that begin at a pc: the ELSE of a test that skips to here, if the previous instruction
 * jumps over it, and the code of a handler.
 */
function beginningAt(state: State, pc: number, skipped: Map<number, string[]>): OpenCondition[] {
  const begun: OpenCondition[] = [];
  const before = state.code[pc - 1];
  if (before?.op === 'jump' && before.to > pc) {
    for (const text of skipped.get(pc) ?? []) begun.push({ end: before.to, text: `NOT (${text})` });
  }
  for (const handler of state.handlers) {
    // The failures of an attempt of a step stay in the step.
    if (handler.pc !== pc || handler.step === true) continue;
    const text = handler.kind === null ? 'on error' : `on error ${handler.kind}`;
    begun.push({ end: endOf(state, pc) + 1, text });
  }
  return begun;
}

/** Texts of the tests that skip to a pc. */
function skippedTo(state: State): Map<number, string[]> {
  const found = new Map<number, string[]>();
  state.code.forEach((instruction, pc) => {
    if (instruction.op !== 'unless' || instruction.to <= pc || instruction.text === '') return;
    found.set(instruction.to, [...(found.get(instruction.to) ?? []), oneLine(instruction.text)]);
  });
  return found;
}

/** The last pc of a handler: the code of each ends in `fell-off` if it can, and before that of the next one. */
function endOf({ code, handlers }: State, pc: number): number {
  const after = handlers.filter((other) => other.pc > pc && other.from < pc).map((other) => other.pc);
  const end = Math.min(code.length, ...after);
  const left = code.findIndex(({ op }, at) => at >= pc && op === 'fell-off');
  return left < 0 ? end - 1 : Math.min(left, end - 1);
}

/** Instructions that can fail. A failure inside a step belongs to the step, whose verdict can fail. */
const FALLIBLE = new Set<Instruction['op']>(['shell', 'argv', 'function', 'agent', 'plan', 'step-verdict', 'fail']);

/** Whether an effect of the state can fail without a handler for every kind of failure around it. */
function canFail(state: State): boolean {
  return state.code.some(({ op }, pc) => {
    if (!FALLIBLE.has(op)) return false;
    return !state.handlers.some((handler) => handler.kind === null && handler.from <= pc && pc < handler.to);
  });
}

/** The UNDOs of one state that a ROLLBACK can perform. */
interface UndoneState {
  readonly state: number;
  /** As written, newest first. */
  readonly texts: readonly string[];
}

interface GraphPosition {
  readonly state: number;
  readonly pc: number;
  readonly node: number;
}

/** For each ROLLBACK, by state and position, what it can undo. A ROLLBACK or KEEP between an UNDO and another leaves nothing for that. */
function undoneBy(machine: Machine): (state: number, pc: number) => readonly UndoneState[] {
  const { states, error } = machine;
  const flow = controlFlow(states, error ?? -1);
  const positionsOf = (op: Instruction['op']): GraphPosition[] =>
    states.flatMap(({ code }, state) =>
      code.flatMap((one, pc) => (one.op === op ? [{ state, pc, node: (flow.starts[state] as number) + pc }] : [])),
    );
  const undos = positionsOf('undo');
  const rollbacks = undos.length === 0 ? [] : positionsOf('rollback');
  const nodes = new Set([...rollbacks, ...positionsOf('keep')].map(({ node }) => node));
  const found = new Map(
    rollbacks.map((rollback) => {
      const reaches = reaching(flow, [rollback.node], (node) => nodes.has(node));
      const [from, to] = undoneAround(states[rollback.state] as State, rollback.pc);
      const isSeen = ({ state, pc }: GraphPosition): boolean =>
        (from === 0 && to === Number.POSITIVE_INFINITY) || (state === rollback.state && from <= pc && pc < to);
      return [
        rollback.node,
        byState(
          undos.filter((undo) => reaches[undo.node] && isSeen(undo)),
          states,
        ),
      ] as const;
    }),
  );
  return (state, pc) => found.get((flow.starts[state] as number) + pc) ?? [];
}

function byState(undos: readonly GraphPosition[], states: readonly State[]): UndoneState[] {
  const texts = new Map<number, string[]>();
  for (const { state, pc } of undos) {
    const instruction = (states[state] as State).code[pc] as Instruction;
    if (instruction.op !== 'undo' || !('text' in instruction.by)) continue;
    texts.set(state, [oneLine(instruction.by.text), ...(texts.get(state) ?? [])]);
  }
  return [...texts].map(([state, list]) => ({ state, texts: [...new Set(list)] }));
}

/** The code whose effects a ROLLBACK undoes: the turn of its loop, or the branch around it. */
function undoneAround(state: State, pc: number): readonly [from: number, to: number] {
  const rollback = state.code[pc];
  const mark = rollback?.op === 'rollback' ? rollback.mark : undefined;
  return mark === undefined ? branchAround(state, pc) : turnOf(state, mark);
}

/** The code of the innermost branch of a PARALLEL around an instruction: a ROLLBACK there undoes only what it did. */
function branchAround({ code }: State, pc: number): readonly [from: number, to: number] {
  let around: readonly [number, number] = [0, Number.POSITIVE_INFINITY];
  code.forEach((one, at) => {
    if (one.op !== 'fork' && one.op !== 'fork-each') return;
    if (pc <= at || pc >= one.join) return;
    const begins = one.op === 'fork' ? one.branches.map((branch) => branch.pc) : [one.body];
    const from = begins.findLast((begin) => begin <= pc) ?? at;
    around = [from, begins.find((begin) => begin > pc) ?? one.join];
  });
  return around;
}
