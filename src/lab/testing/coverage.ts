/**
 * What tests have executed of their programs: lines, both ways of each condition, transitions, ON ERROR, gates passed and
 * failed, entries of RETRY, choices of ASK, and alternatives of CALL. A pattern counts in its own file, wherever it is used.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import { linkObserved } from '../../interpreter/run.js';
import type { Template } from '../../machine/expression.js';
import type { Instruction, Machine, Origin, State } from '../../machine/machine.js';
import { printPath } from '../../prelude/reference.js';
import type { Position } from '../foresight/ways-to.js';

export type CoveredKind = 'line' | 'condition' | 'transition' | 'handler' | 'gate' | 'retry' | 'choice' | 'alternative';

export interface CoveredItem {
  readonly kind: CoveredKind;
  readonly file: string;
  readonly line: number;
  /** What else distinguishes it: the condition and its way, the gate and its result, the choice. */
  readonly label: string;
  hits: number;
}

type AskedEvent = Extract<RunEvent, { type: 'asked' }>;
/** Whether an event shows an outcome. `asked`: the question that it answers; null: it is not known. */
type Shows = (event: RunEvent, asked: AskedEvent | null) => boolean;

/** An outcome of an instruction that only events show. */
interface ShownItem {
  readonly item: CoveredItem;
  readonly shows: Shows;
}

interface StepLocation {
  readonly state: string;
  /** Empty: none. */
  readonly step: string;
}

const SHOWING: ReadonlySet<RunEvent['type']> = new Set(['gate_result', 'retry_triggered', 'state_set', 'answered']);

/** Instructions that no line of a program asks for. */
const HIDDEN: ReadonlySet<Instruction['op']> = new Set(['jump', 'fell-off', 'branch-end', 'join-detached', 'sample']);

export class Coverage {
  private readonly items = new Map<string, CoveredItem>();
  /** What belongs to each state, and to each step by its name. */
  private readonly ofState = new Map<string, Set<CoveredItem>>();
  private readonly ofStep = new Map<string, Set<CoveredItem>>();
  /** What the items that are added belong to. */
  private current: readonly Set<CoveredItem>[] = [];
  /** The machines that were watched, by file and name. */
  readonly machines = new Map<string, Machine>();

  /** What only events show, and which. */
  private readonly shown = new Map<CoveredItem, Shows[]>();
  private readonly positions = new Map<Machine, Map<CoveredItem, Position[]>>();
  private readonly dropped = new Set<CoveredItem>();

  /** What was not executed, by machine, and where it would be. An outcome is at the instruction that can have it. */
  missing(): Map<Machine, ReadonlyMap<CoveredItem, readonly Position[]>> {
    return new Map(
      [...this.positions].map(([machine, items]) => [machine, new Map([...items].filter(([{ hits }]) => hits === 0))]),
    );
  }

  /** Does not count an item anymore, because no run executes it. */
  drop(item: CoveredItem): void {
    this.dropped.add(item);
  }

  /** What is not counted. */
  unreachable(): readonly CoveredItem[] {
    return inOrder([...this.dropped]);
  }

  private notePositions(
    machine: Machine,
    pc: number,
    items: readonly (CoveredItem | null | undefined)[],
    is: boolean | null,
  ): void {
    const known = this.positions.get(machine) ?? new Map<CoveredItem, Position[]>();
    this.positions.set(machine, known);
    for (const item of items)
      if (item !== null && item !== undefined) known.set(item, [...(known.get(item) ?? []), { pc, is }]);
  }

  /** A copy of the machine whose runs are counted. */
  watch(machine: Machine): Machine {
    const copy = { ...machine };
    this.machines.set(JSON.stringify([machine.files[0], machine.name]), machine);
    const lines: (CoveredItem | null)[] = [];
    const ways: (readonly [CoveredItem, CoveredItem] | null)[] = [];
    const handlers: (CoveredItem | null)[] = [];
    const transitions: (CoveredItem | null)[] = [];
    for (const state of machine.states) {
      const base = lines.length;
      const { code } = state;
      const inState = setOf(this.ofState, stateKey(machine, state));
      this.current = [inState];
      let step = '';
      for (const instruction of code) {
        const { origin } = instruction;
        if (instruction.op === 'step-begin') {
          step = instruction.plan.name;
          this.current = [inState, setOf(this.ofStep, stepKey(machine, step))];
        }
        lines.push(HIDDEN.has(instruction.op) ? null : this.item(machine, 'line', origin, ''));
        ways.push(this.waysOf(machine, instruction));
        handlers.push(null);
        transitions.push(this.transitionOf(machine, state, instruction));
        const outcomes = this.outcomesOf(machine, instruction, { state: state.name, step });
        for (const { item, shows } of outcomes) this.shown.set(item, [...(this.shown.get(item) ?? []), shows]);
        const items = outcomes.map(({ item }) => item);
        this.notePositions(machine, lines.length - 1, items, null);
      }
      for (const { pc } of state.handlers) {
        const origin = code[pc]?.origin;
        if (origin !== undefined) handlers[base + pc] = this.item(machine, 'handler', origin, 'ON ERROR');
      }
    }
    for (let pc = 0; pc < lines.length; pc++) {
      this.notePositions(machine, pc, [lines[pc], handlers[pc], transitions[pc]], null);
      this.notePositions(machine, pc, [ways[pc]?.[0]], true);
      this.notePositions(machine, pc, [ways[pc]?.[1]], false);
    }
    linkObserved(copy, (pc, next) => {
      const line = lines[pc];
      // A line may have several instructions: its first one counts.
      if (line !== null && line !== undefined && (line !== lines[pc - 1] || line.hits === 0)) line.hits++;
      hit(handlers[pc]);
      hit(transitions[pc]);
      const both = ways[pc];
      if (both !== null && both !== undefined && next !== null) hit(next === pc + 1 ? both[0] : both[1]);
    });
    return copy;
  }

  /** Counts what only the events of a run show. */
  note(events: readonly RunEvent[]): void {
    const questions = new Map<string, AskedEvent>();
    for (const event of events) {
      if (event.type === 'asked') questions.set(event.effect, event);
      if (!SHOWING.has(event.type)) continue;
      const asked = event.type === 'answered' ? (questions.get(event.effect) ?? null) : null;
      for (const [item, shows] of this.shown) if (shows.some((one) => one(event, asked))) item.hits++;
    }
  }

  /** Whether an event shows an item; null: events do not show such items. Questions of one name are one question here. */
  shows(item: CoveredItem): ((event: RunEvent) => boolean) | null {
    const shows = this.shown.get(item);
    return shows === undefined ? null : (event) => SHOWING.has(event.type) && shows.some((one) => one(event, null));
  }

  /** By file, line and label. */
  list(): readonly CoveredItem[] {
    return inOrder([...this.items.values()].filter((item) => !this.dropped.has(item)));
  }

  /** What was executed of a state. */
  inState(machine: Machine, state: State): readonly CoveredItem[] {
    return [...(this.ofState.get(stateKey(machine, state)) ?? [])];
  }

  /** What was executed of a step; `path` as in a step tree. */
  inStep(machine: Machine, path: string): readonly CoveredItem[] {
    return [...(this.ofStep.get(stepKey(machine, nameOfStep(path))) ?? [])];
  }

  /** Whether something counts, because a run may execute it. */
  isCounted(item: CoveredItem): boolean {
    return !this.dropped.has(item);
  }

  private waysOf(machine: Machine, instruction: Instruction): readonly [CoveredItem, CoveredItem] | null {
    if (instruction.op !== 'unless') return null;
    const way = (name: string) => this.item(machine, 'condition', instruction.origin, `${instruction.text} is ${name}`);
    return [way('true'), way('false')];
  }

  /** A GOTO whose target only the run knows is a line like any other. */
  private transitionOf(machine: Machine, { name }: State, instruction: Instruction): CoveredItem | null {
    const target = targetOf(machine, instruction);
    return target === null ? null : this.item(machine, 'transition', instruction.origin, `${name} → ${target}`);
  }

  private outcomesOf(machine: Machine, instruction: Instruction, location: StepLocation): ShownItem[] {
    const { origin } = instruction;
    const outcome = (kind: CoveredKind, at: Origin, label: string, shows: Shows): ShownItem => ({
      item: this.item(machine, kind, at, label),
      shows,
    });
    if ('gate' in instruction && instruction.gate !== undefined && typeof instruction.gate === 'object') {
      const { name } = instruction.gate;
      const isResult = (pass: boolean) => (event: RunEvent) =>
        event.type === 'gate_result' &&
        event.gate === name &&
        event.pass === pass &&
        isStep(event.step, location, machine);
      return [
        outcome('gate', origin, `${name} passed`, isResult(true)),
        outcome('gate', origin, `${name} failed`, isResult(false)),
      ];
    }
    if (instruction.op === 'step-retry') {
      const { name, retry } = instruction.plan;
      // An `exit` is not an attempt: what shows it is the end of the step.
      return (retry?.entries ?? []).flatMap(({ when }, at) => {
        const hasApplied = (event: RunEvent) =>
          event.type === 'retry_triggered' && event.matched.includes(at) && isStep(event.step, location, machine);
        return when.kind === 'exit' ? [] : [outcome('retry', origin, `${name} entry ${at + 1}`, hasApplied)];
      });
    }
    if (instruction.op === 'ask') {
      const { name, question, choices } = instruction;
      return choices
        .flatMap((template) => constantOf(template) ?? [])
        .map((choice) =>
          outcome(
            'choice',
            origin,
            `${name} = ${choice}`,
            (event, asked) =>
              event.type === 'answered' &&
              event.name === name &&
              event.value === choice &&
              (asked === null || canBe(question, asked.question)),
          ),
        );
    }
    if (instruction.op !== 'plan') return [];
    return alternativesOf(machine, instruction.plan).map(({ line, path, label }) =>
      outcome(
        'alternative',
        instruction.main && line > 0 ? { ...origin, line } : origin,
        label,
        (event) => event.type === 'state_set' && event.path === path,
      ),
    );
  }

  private item({ files, name }: Machine, kind: CoveredKind, { file, line }: Origin, label: string): CoveredItem {
    const path = files[file] ?? name;
    const key = JSON.stringify([kind, path, line, label]);
    let item = this.items.get(key);
    if (item === undefined) {
      item = { kind, file: path, line, label, hits: 0 };
      this.items.set(key, item);
    }
    for (const owner of this.current) owner.add(item);
    return item;
  }
}

const stateKey = ({ files, name }: Machine, state: State): string => JSON.stringify([files[0], name, state.name]);
const stepKey = ({ files, name }: Machine, step: string): string => JSON.stringify([files[0], name, step]);

function setOf(sets: Map<string, Set<CoveredItem>>, key: string): Set<CoveredItem> {
  const known = sets.get(key) ?? new Set();
  sets.set(key, known);
  return known;
}

function hit(item: CoveredItem | null | undefined): void {
  if (item !== null && item !== undefined) item.hits++;
}

/** The name of the state that a GOTO enters, if the program fixes it. */
function targetOf(machine: Machine, instruction: Instruction): string | null {
  if (instruction.op === 'goto') return machine.states[instruction.state]?.name ?? null;
  if (instruction.op !== 'goto-dynamic' || instruction.target.op !== 'const') return null;
  return String(instruction.target.value);
}

interface Alternative {
  readonly line: number;
  readonly path: string;
  readonly label: string;
}

/** The alternatives of the calls of a plan that have several, by their first paths; `line` is that of the document. */
function alternativesOf({ plans = {} }: Machine, name: string): Alternative[] {
  return (plans[name]?.calls ?? []).flatMap(({ tool, delegate, arms, line }) =>
    arms.length < 2
      ? []
      : arms.flatMap(([first]) => {
          if (first === undefined) return [];
          const path = printPath(first);
          return [{ line, path, label: `${tool ?? delegate ?? 'value'} → †${path}` }];
        }),
  );
}

/** Below a task the path of a step has `/`, and inside a validator `.`. */
const nameOfStep = (path: string): string => path.split(/[./]/).at(-1) ?? path;

/** Whether the path of a step in a run is that of a step of the program. Paths of named states begin with the state. */
function isStep(path: string, { state, step }: StepLocation, { states }: Machine): boolean {
  const [first] = path.split('/');
  const isNamed = path.includes('/') && states.some(({ name }) => name === first);
  return nameOfStep(path) === nameOfStep(step) && (!isNamed || first === state);
}

/** Whether a question may come from this template: its fixed parts are in the question, in their order. */
function canBe(template: Template, question: string): boolean {
  const [first] = template;
  let at = 0;
  for (const part of template) {
    if (typeof part !== 'string') continue;
    const found = question.indexOf(part, at);
    if (found < 0 || (part === first && found > 0)) return false;
    at = found + part.length;
  }
  const last = template.at(-1);
  return typeof last !== 'string' || question.endsWith(last);
}

function constantOf([only, ...more]: Template): string | null {
  return typeof only === 'string' && more.length === 0 ? only : null;
}

function inOrder(items: readonly CoveredItem[]): CoveredItem[] {
  return [...items].sort(
    (one, other) => compareText(one.file, other.file) || one.line - other.line || compareText(one.label, other.label),
  );
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Per cent of what could be covered; 100 where there is nothing. */
export function percentOf(items: readonly CoveredItem[]): number {
  return items.length === 0 ? 100 : (100 * items.filter(({ hits }) => hits > 0).length) / items.length;
}
