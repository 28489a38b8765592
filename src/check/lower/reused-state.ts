/**
 * Reuses lowered states. An edit changes one state and moves others. Their lowered code is still valid if all questions
 * of the earlier lowering have the same answers. This file has the complete list of these questions. States with
 * messages and states that use patterns depend on more, so they are always lowered again.
 */
import type { Instruction } from '../../machine/machine.js';
import { rebase } from '../../syntax/rebase.js';
import type { TypedOperand, TypeUse } from '../scope.js';
import type { LoweredState } from './lowered-state.js';

/** The questions that lowering a state asked the lookups, with the answers. */
export type Answers = ReadonlyMap<string, boolean>;

/** A lowered state with its dependencies, apart from its own text and the shared surroundings. */
export interface ReusableState {
  readonly lowered: LoweredState;
  /** The offset and the line of the state, from 1. */
  readonly start: number;
  readonly line: number;
  readonly commands: Answers;
  readonly agents: Answers;
  /** What was known of the programs of its agents, as JSON. */
  readonly traits: ReadonlyMap<string, string>;
}

/** The reusable states of one machine. */
export interface ReusableStates {
  /** The names and settings that all states share, as a text to compare. */
  readonly surroundings: string;
  /** The states by their texts. */
  readonly byText: ReadonlyMap<string, ReusableState>;
}

/** A copy of the state for its new position. The stored state is not modified, because it may be in use. */
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

/** The operands do not move, because expressions contain no offsets. */
function rebaseTypeUse({ operator, span, left, right }: TypeUse, by: number): TypeUse {
  const operand = (one: TypedOperand): TypedOperand => ({ expr: one.expr, span: rebase(one.span, 0, by) });
  return { operator, span: rebase(span, 0, by), left: operand(left), right: operand(right) };
}

/** An instruction, or a part of one, moved by a number of lines. A part without a line is the same as before. */
function shiftLines(piece: unknown, by: number): unknown {
  if (typeof piece !== 'object' || piece === null) return piece;
  let copy: Record<string, unknown> | null = null;
  const record = piece as Record<string, unknown>;
  // A constant is data of the program, so its keys must not be changed.
  if (record.op === 'const') return record;
  for (const key in record) {
    const inner = record[key];
    const shifted = key === 'line' || key === 'boundAt' ? (inner as number) + by : shiftLines(inner, by);
    if (shifted === inner) continue;
    copy ??= (Array.isArray(piece) ? [...piece] : { ...record }) as Record<string, unknown>;
    copy[key] = shifted;
  }
  return copy ?? piece;
}
