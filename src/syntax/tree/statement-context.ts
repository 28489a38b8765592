/** The types through which the builders of statements and of blocks communicate. */

import type { Block, Declaration, Instruction } from '../ast.js';
import type { Expression, Name } from '../expression.js';
import type { SyntaxNode } from '../grammar/cst.js';
import type { StepPart } from '../steps/step-part.js';

/** The position of a statement. */
export interface StatementContext {
  /** In an action list, where verbs need no colon. */
  readonly inList: boolean;
  /** Directly in PARALLEL or FOR EACH, where a line without a verb is a command. */
  readonly bare: boolean;
  /** After the dash of a bullet. */
  readonly bullet: boolean;
}

/** ELSE, ELSE IF, DEFAULT and ON ERROR, whose result depends on the adjacent lines. */
export interface Branch {
  readonly kind: 'branch';
  readonly is: 'else' | 'else-if' | 'default' | 'on-error';
  readonly verb: Name;
  readonly condition?: Expression;
  readonly errorKind?: Name;
  readonly body: Block;
  readonly span: Instruction['span'];
}

export type Built = Instruction | Declaration | Branch | StepPart;

/**
 * Gives a statement access to its parts outside of its own node: the actions after its arrow, and the lines below it.
 */
export interface Bodies {
  /** The block after an arrow: its action list, or else the lines below. */
  branch(actions: SyntaxNode | undefined, verb: Name): Block;
  /** The lines below, or undefined if there are none. `bare` lines are commands. */
  below(bare: boolean): Block | undefined;
  /** The lines below a STEP or one of its sections. */
  stepLines(): StepLines | undefined;
}

/** The lines of a STEP or of a section: instructions, and parts that only have a meaning there. */
export interface StepLines {
  readonly body: Block;
  readonly parts: readonly StepPart[];
}
