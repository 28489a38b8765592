/**
 * States that were lowered before. An edit changes one state and moves others; what those were lowered to is still
 * right, as long as everything their lowering could have asked for gives the same answer. What that is stands here,
 * in one place. States with messages and states that use patterns are lowered anew: what they depend on is more.
 */
import type { Instruction } from '../../machine/machine.js';
import { moved } from '../../syntax/moved.js';
import type { TypedOperand, TypeUse } from '../scope.js';
import type { LoweredState } from './state.js';

/** What a state asked of the machine it is checked on, with the answers. */
export type Answers = ReadonlyMap<string, boolean>;

/** A lowered state, and what it depends on beyond its own text and the surroundings. */
export interface KeptState {
  readonly lowered: LoweredState;
  /** Offset and one-based line of the state. */
  readonly start: number;
  readonly line: number;
  readonly commands: Answers;
  readonly agents: Answers;
}

/** The states of one machine. */
export interface KeptStates {
  /** Names and settings that all states share, as one text to compare. */
  readonly surroundings: string;
  /** By the text of the state. */
  readonly byText: ReadonlyMap<string, KeptState>;
}

/** The state where it stands now. What was kept is not changed: somebody may hold it. */
export function movedState({ lowered, start, line }: KeptState, newStart: number, newLine: number): LoweredState {
  const by = newStart - start;
  const byLines = newLine - line;
  if (by === 0 && byLines === 0) return lowered;
  const { state, entryReads, spans, jumps, checks, explanations, dagger, typeUses } = lowered;
  return {
    ...lowered,
    state: byLines === 0 ? state : { ...state, code: state.code.map((i) => shifted(i, byLines) as Instruction) },
    entryReads: new Map(moved([...entryReads], 0, by)),
    ...moved({ spans, jumps, checks, explanations, dagger }, 0, by),
    typeUses: typeUses.map((use) => movedUse(use, by)),
  };
}

/** What it is about does not move: expressions hold no offsets. */
function movedUse({ operator, span, left, right }: TypeUse, by: number): TypeUse {
  const operand = (one: TypedOperand): TypedOperand => ({ expr: one.expr, span: moved(one.span, 0, by) });
  return { operator, span: moved(span, 0, by), left: operand(left), right: operand(right) };
}

/** An instruction, or a piece of one, some lines further down. */
function shifted(piece: unknown, by: number): unknown {
  if (typeof piece !== 'object' || piece === null) return piece;
  if (Array.isArray(piece)) return piece.map((item) => shifted(item, by));
  const record = piece as Record<string, unknown>;
  // A constant holds what the program says, whose keys are not ours.
  if (record.op === 'const') return record;
  const copy: Record<string, unknown> = {};
  for (const key in record) {
    const inner = record[key];
    copy[key] = key === 'line' || key === 'boundAt' ? (inner as number) + by : shifted(inner, by);
  }
  return copy;
}
