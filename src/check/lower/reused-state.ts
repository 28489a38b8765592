/**
 * States that were lowered before. An edit changes one state and moves others; what those were lowered to is still
 * right, as long as everything their lowering could have asked for gives the same answer. The list of what that is is kept here,
 * in one place. States with messages and states that use patterns are lowered anew: what they depend on is more.
 */
import type { Instruction } from '../../machine/machine.js';
import { rebase } from '../../syntax/rebase.js';
import type { TypedOperand, TypeUse } from '../scope.js';
import type { LoweredState } from './lowered-state.js';

/** What a state asked of the machine it is checked on, with the answers. */
export type Answers = ReadonlyMap<string, boolean>;

/** A lowered state, and what it depends on beyond its own text and the surroundings. */
export interface ReusableState {
  readonly lowered: LoweredState;
  /** Offset and one-based line of the state. */
  readonly start: number;
  readonly line: number;
  readonly commands: Answers;
  readonly agents: Answers;
}

/** The states of one machine. */
export interface ReusableStates {
  /** Names and settings that all states share, as one text to compare. */
  readonly surroundings: string;
  /** By the text of the state. */
  readonly byText: ReadonlyMap<string, ReusableState>;
}

/** The state where it is now. What was kept is not changed: somebody may hold it. */
export function rebaseState({ lowered, start, line }: ReusableState, newStart: number, newLine: number): LoweredState {
  const by = newStart - start;
  const byLines = newLine - line;
  if (by === 0 && byLines === 0) return lowered;
  const { state, entryReads, spans, jumps, checks, explanations, dataUse, typeUses } = lowered;
  return {
    ...lowered,
    state: byLines === 0 ? state : { ...state, code: state.code.map((i) => shiftLines(i, byLines) as Instruction) },
    entryReads: new Map(rebase([...entryReads], 0, by)),
    ...rebase({ spans, jumps, checks, explanations, dataUse }, 0, by),
    typeUses: typeUses.map((use) => rebaseTypeUse(use, by)),
  };
}

/** What it is about does not move: expressions hold no offsets. */
function rebaseTypeUse({ operator, span, left, right }: TypeUse, by: number): TypeUse {
  const operand = (one: TypedOperand): TypedOperand => ({ expr: one.expr, span: rebase(one.span, 0, by) });
  return { operator, span: rebase(span, 0, by), left: operand(left), right: operand(right) };
}

/** An instruction, or a piece of one, some lines further down. */
function shiftLines(piece: unknown, by: number): unknown {
  if (typeof piece !== 'object' || piece === null) return piece;
  if (Array.isArray(piece)) return piece.map((item) => shiftLines(item, by));
  const record = piece as Record<string, unknown>;
  // A constant holds what the program says, whose keys are not ours.
  if (record.op === 'const') return record;
  const copy: Record<string, unknown> = {};
  for (const key in record) {
    const inner = record[key];
    copy[key] = key === 'line' || key === 'boundAt' ? (inner as number) + by : shiftLines(inner, by);
  }
  return copy;
}
