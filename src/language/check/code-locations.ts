/**
 * Where instructions come from, for debuggers: the action whose part an instruction is, the uses of patterns and workflows
 * around it, and what names mean there. It is kept next to a machine and never in it, so the digest of a machine does not
 * depend on it.
 */
import type { Expr, Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { Diagnostic, Span } from '../source/diagnostic.js';
import type { Expression } from '../syntax/expression-nodes.js';

/** A use of a pattern, or a call of a workflow, in which an instruction stands. */
export interface LocationCall {
  readonly kind: 'pattern' | 'workflow';
  /** The name of the pattern, or the file of the workflow. */
  readonly name: string;
  /** The line that uses it. */
  readonly span: Span;
}

/** A name of an inner scope. */
export interface LocationName {
  readonly kind: 'parameters' | 'loop' | 'handler' | 'workflow';
  readonly name: string;
  /** The local slot, or the constant that the name stands for. */
  readonly at: { readonly slot: number } | { readonly constant: Json; readonly printed?: string };
}

/** An expression in which names are resolved; null: it has errors. */
export interface LocatedExpression {
  readonly expr: Expr | null;
  readonly diagnostics: readonly Diagnostic[];
}

export interface DebugLocation {
  readonly span: Span;
  /** The kind of the action, as in the tree. */
  readonly action: string;
  /** The whole action. */
  readonly actionSpan: Span;
  /** Outermost first. */
  readonly calls: readonly LocationCall[];
  /** Names of inner scopes that are visible here, innermost first. */
  readonly names: () => readonly LocationName[];
  /** Resolves the names of an expression here. It may not take samples, such as `now()`. */
  readonly lower: (expression: Expression) => LocatedExpression;
}

/** The places of a machine, by state and position. Code that the compiler adds has none. */
export interface MachineLocations {
  readonly machine: Machine;
  readonly states: readonly (readonly DebugLocation[])[];
}
