/** What the builders of statements and of blocks tell each other. */
import type { CstNode } from 'chevrotain';
import type { Block, Declaration, Expression, Instruction, Name } from '../ast.js';
import type { StepPart } from '../steps/step-part.js';

/** Where a statement is. */
export interface StatementContext {
  /** In an action list, where verbs need no colon. */
  readonly inList: boolean;
  /** Directly in PARALLEL or FOR EACH, where a line without a verb is a command. */
  readonly bare: boolean;
  /** After the dash of a bullet. */
  readonly bullet: boolean;
}

/** ELSE, ELSE IF, DEFAULT and ON ERROR: what they become depends on the lines around them. */
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

/** Gives a statement what belongs to it outside its own node: the actions after its arrow, the lines below it. */
export interface Bodies {
  /** The block after an arrow: its action list, or else the lines below. */
  branch(actions: CstNode | undefined, verb: Name): Block;
  /** The lines below, or undefined when there are none. `bare` lines are commands. */
  below(bare: boolean): Block | undefined;
  /** The lines below of a STEP or of one of its sections. */
  stepLines(): StepLines | undefined;
}

/** Lines of a STEP or of a section: those that are instructions, and those that only have a meaning there. */
export interface StepLines {
  readonly body: Block;
  readonly parts: readonly StepPart[];
}
