/**
 * A program as a debugger sees it: where its instructions come from, and which of them begin an action, at which a run can
 * stop. Without places, as for a run of another version, its lines are those of the machine alone.
 */
import type { LinkedMachine } from '../../interpreter/run-state/linked-machine.js';
import type { DebugLocation, LocationCall, MachineLocations } from '../../language/check/code-locations.js';
import { positionAt, type SourceSet, type Span } from '../../language/source/diagnostic.js';
import type { Instruction } from '../../machine/machine.js';

/** Where an action or an instruction is. Lines and columns are numbers from 1. */
export interface Where {
  /** The name of the file in the machine. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** The beginning of an action. Several may begin at one position: that of a USE, and the first one of its pattern. */
export interface ActionEntry {
  readonly id: number;
  readonly pc: number;
  /** In how many patterns and workflows it is. */
  readonly depth: number;
  readonly calls: readonly LocationCall[];
  readonly kind: string;
  readonly where: Where;
}

/** They belong to no line of their own. */
const HIDDEN: ReadonlySet<Instruction['op']> = new Set(['jump', 'branch-end', 'join-detached', 'fell-off']);

const NOTHING: readonly ActionEntry[] = [];

export class DebugProgram {
  readonly entries: readonly ActionEntry[];
  private readonly byPc: ActionEntry[][] = [];
  private readonly states: number[] = [];

  constructor(
    readonly linked: LinkedMachine,
    readonly sources: SourceSet,
    private readonly locations: MachineLocations | null,
  ) {
    const { machine } = linked;
    const entries: ActionEntry[] = [];
    machine.states.forEach(({ code }, state) => {
      const known = new Set<string>();
      let before: readonly LocationCall[] = [];
      code.forEach((instruction, at) => {
        const pc = (linked.starts[state] as number) + at;
        this.states[pc] = state;
        if (isHidden(instruction)) return;
        for (const one of this.beginningAt(state, at, instruction, before)) {
          const key = `${one.calls.map(({ span }) => `${span.file}:${span.start}`).join(' ')} ${keyOf(one)}`;
          if (known.has(key)) continue;
          known.add(key);
          const entry = { ...one, id: entries.length, pc };
          entries.push(entry);
          this.byPc[pc] = [...(this.byPc[pc] ?? []), entry];
        }
        before = this.locationAt(pc)?.calls ?? [];
      });
    });
    this.entries = entries;
  }

  get hasLocations(): boolean {
    return this.locations !== null;
  }

  /** The actions that begin at a position, outermost first. */
  entriesAt(pc: number): readonly ActionEntry[] {
    return this.byPc[pc] ?? NOTHING;
  }

  stateAt(pc: number): number {
    return this.states[pc] ?? 0;
  }

  instructionAt(pc: number): Instruction | undefined {
    const state = this.stateAt(pc);
    return this.linked.machine.states[state]?.code[pc - (this.linked.starts[state] as number)];
  }

  locationAt(pc: number): DebugLocation | null {
    const state = this.stateAt(pc);
    return this.locations?.states[state]?.[pc - (this.linked.starts[state] as number)] ?? null;
  }

  /** The file of a plan. The machine names it relative to the folder of the program, and one that a program calls after PLAN. */
  fileOfPlan(name: string): string {
    const own = name.replace(/^PLAN /, '');
    const program = this.sources[0]?.name ?? '';
    if (own.startsWith('/')) return own;
    const names: string[] = program.split('/').slice(0, -1);
    for (const name of own.split('/')) {
      const isUp = name === '..' && names.length > 0 && names.at(-1) !== '..';
      if (isUp) names.pop();
      else if (name !== '.') names.push(name);
    }
    return names.join('/');
  }

  /** The location of the instruction itself. */
  whereAt(pc: number): Where {
    const location = this.locationAt(pc);
    if (location !== null) return this.whereOf(location.span);
    const origin = this.linked.origins[pc];
    return this.lineOf(origin?.file ?? 0, origin?.line ?? 1);
  }

  whereOf(span: Span): Where {
    const source = this.sources[span.file];
    if (source === undefined) return this.lineOf(span.file, 1);
    const start = positionAt(source, span.start);
    const end = positionAt(source, Math.max(span.start, span.end));
    return { file: source.name, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
  }

  private lineOf(file: number, line: number): Where {
    return { file: this.linked.machine.files[file] ?? '', line, column: 1, endLine: line, endColumn: 1 };
  }

  private beginningAt(
    state: number,
    at: number,
    instruction: Instruction,
    before: readonly LocationCall[],
  ): Omit<ActionEntry, 'id' | 'pc'>[] {
    const location = this.locations?.states[state]?.[at];
    if (location === undefined) {
      const where = this.lineOf(instruction.origin.file, instruction.origin.line);
      return [{ depth: 0, calls: [], kind: instruction.op, where }];
    }
    const { calls, action, actionSpan, span } = location;
    // A USE without values has no instruction of its own: it begins where its pattern does.
    const entered = calls.flatMap((call, depth) => {
      if (before[depth] === call) return [];
      const outer = calls.slice(0, depth);
      const kind = call.kind === 'pattern' ? 'use' : 'step';
      return call.kind === 'pattern' ? [{ depth, calls: outer, kind, where: this.whereOf(call.span) }] : [];
    });
    // The parts of a step are its actions.
    const own = action === 'step' ? span : actionSpan;
    return [...entered, { depth: calls.length, calls, kind: action, where: this.whereOf(own) }];
  }
}

function isHidden(instruction: Instruction): boolean {
  if (HIDDEN.has(instruction.op)) return true;
  return instruction.op === 'set' && instruction.name === '$matched';
}

function keyOf({ where, kind }: Pick<ActionEntry, 'where' | 'kind'>): string {
  return `${where.file}:${where.line}:${where.column}:${kind}`;
}
