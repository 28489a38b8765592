/**
 * What tests have executed of their programs: lines, both ways of each condition, ON ERROR, gates passed and failed, entries
 * of RETRY, and choices of ASK. A pattern counts in its own file, wherever it is used.
 */
import type { RunEvent } from '../interpreter/events/event.js';
import { linkObserved } from '../interpreter/run.js';
import type { Template } from '../machine/expression.js';
import type { Instruction, Machine, Origin } from '../machine/machine.js';

export type CoveredKind = 'line' | 'condition' | 'handler' | 'gate' | 'retry' | 'choice';

export interface CoveredItem {
  readonly kind: CoveredKind;
  readonly file: string;
  readonly line: number;
  /** What else distinguishes it: the condition and its way, the gate and its result, the choice. */
  readonly label: string;
  hits: number;
}

/** Instructions that no line of a program asks for. */
const HIDDEN: ReadonlySet<Instruction['op']> = new Set(['jump', 'fell-off', 'branch-end', 'join-detached', 'sample']);

export class Coverage {
  private readonly items = new Map<string, CoveredItem>();

  /** A copy of the machine whose runs are counted. */
  watch(machine: Machine): Machine {
    const copy = { ...machine };
    const lines: (CoveredItem | null)[] = [];
    const ways: (readonly [CoveredItem, CoveredItem] | null)[] = [];
    const handlers: (CoveredItem | null)[] = [];
    for (const state of machine.states) {
      const base = lines.length;
      const { code } = state;
      for (const instruction of code) {
        const { origin } = instruction;
        lines.push(HIDDEN.has(instruction.op) ? null : this.item(machine, 'line', origin, ''));
        ways.push(this.waysOf(machine, instruction));
        handlers.push(null);
        this.addOutcomes(machine, instruction);
      }
      for (const { pc } of state.handlers) {
        const origin = code[pc]?.origin;
        if (origin !== undefined) handlers[base + pc] = this.item(machine, 'handler', origin, 'ON ERROR');
      }
    }
    linkObserved(copy, (pc, next) => {
      hit(lines[pc]);
      hit(handlers[pc]);
      const both = ways[pc];
      if (both !== null && both !== undefined && next !== null) hit(next === pc + 1 ? both[0] : both[1]);
    });
    return copy;
  }

  /** Counts what only the events of a run show. */
  note(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.type === 'gate_result') this.hitAll('gate', `${event.gate} ${event.pass ? 'passed' : 'failed'}`);
      if (event.type === 'retry_triggered')
        for (const at of event.matched) this.hitAll('retry', entryName(lastName(event.step), at));
      if (event.type === 'answered') this.hitAll('choice', `${event.name} = ${String(event.value)}`);
    }
  }

  /** By file, line and label. */
  list(): readonly CoveredItem[] {
    return [...this.items.values()].sort(
      (one, other) => compareText(one.file, other.file) || one.line - other.line || compareText(one.label, other.label),
    );
  }

  private waysOf(machine: Machine, instruction: Instruction): readonly [CoveredItem, CoveredItem] | null {
    if (instruction.op !== 'unless') return null;
    const way = (name: string) => this.item(machine, 'condition', instruction.origin, `${instruction.text} is ${name}`);
    return [way('true'), way('false')];
  }

  private addOutcomes(machine: Machine, instruction: Instruction): void {
    const { origin } = instruction;
    if ('gate' in instruction && instruction.gate !== undefined && typeof instruction.gate === 'object') {
      for (const result of ['passed', 'failed'])
        this.item(machine, 'gate', origin, `${instruction.gate.name} ${result}`);
    }
    if (instruction.op === 'step-retry')
      for (const at of (instruction.plan.retry?.entries ?? []).keys())
        this.item(machine, 'retry', origin, entryName(instruction.plan.name, at));
    if (instruction.op === 'ask')
      for (const choice of instruction.choices.flatMap((template) => constantOf(template) ?? []))
        this.item(machine, 'choice', origin, `${instruction.name} = ${choice}`);
  }

  private hitAll(kind: CoveredKind, label: string): void {
    for (const item of this.items.values()) if (item.kind === kind && item.label === label) item.hits++;
  }

  private item({ files, name }: Machine, kind: CoveredKind, { file, line }: Origin, label: string): CoveredItem {
    const path = files[file] ?? name;
    const key = JSON.stringify([kind, path, line, label]);
    let item = this.items.get(key);
    if (item === undefined) {
      item = { kind, file: path, line, label, hits: 0 };
      this.items.set(key, item);
    }
    return item;
  }
}

function hit(item: CoveredItem | null | undefined): void {
  if (item !== null && item !== undefined) item.hits++;
}

/** An entry of the RETRY of a step; the first is 0. */
const entryName = (step: string, at: number): string => `${step} entry ${at + 1}`;
/** Below a task a path has `/`, and inside a validator `.`. */
const lastName = (path: string): string => path.split(/[./]/).at(-1) ?? path;

function constantOf([only, ...more]: Template): string | null {
  return typeof only === 'string' && more.length === 0 ? only : null;
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Per cent of what could be covered; 100 where there is nothing. */
export function percentOf(items: readonly CoveredItem[]): number {
  return items.length === 0 ? 100 : (100 * items.filter(({ hits }) => hits > 0).length) / items.length;
}
