/**
 * The tree of a STEP and its sections. Programs and workflow files both become this tree. Like the rest of the tree, it
 * represents what is written and not what it means.
 */
import type { Span } from '../source/diagnostic.js';
import type { Argument, Block, Declaration, Instruction, Option, ShellText } from './ast.js';
import type { Expression, Name, Template } from './expression-nodes.js';

/** The parts of a STEP, without its location and verb. */
export interface StepParts {
  readonly name: Name;
  /** `code`, `split`, `validate` or `artifact`, or an unknown word. */
  readonly type?: Name;
  /** All other options on the line of the name, which are unknown. */
  readonly options: readonly Option[];
  readonly context: readonly ContextEntry[];
  readonly prompt?: Template;
  readonly session?: SessionSource;
  readonly run: StepRun;
  readonly gates: readonly GateEntry[];
  readonly retry?: { readonly entries: readonly RetryEntry[]; readonly span: Span };
  readonly each?: EachTask;
}

/** An entry of the context, which an agent receives in addition to its prompt. */
export type ContextEntry =
  | { readonly kind: 'file'; readonly path: Template; readonly span: Span }
  | { readonly kind: 'bash'; readonly shell: ShellText; readonly span: Span }
  | { readonly kind: 'workflow'; readonly call: WorkflowCall; readonly span: Span }
  /**
   * A value below a heading, left out if it is empty. It cannot be written: a workflow file without `inputs:` implies
   * it.
   */
  | { readonly kind: 'value'; readonly title: string; readonly value: Expression; readonly span: Span };

/** The session in which the first attempt begins. */
export type SessionSource =
  | { readonly kind: 'new'; readonly span: Span }
  | { readonly kind: 'from'; readonly step: Name; readonly span: Span };

/** A workflow with its arguments, the only values that it sees. */
export interface WorkflowCall {
  readonly name: Name;
  readonly args: readonly Argument[];
  readonly span: Span;
}

/** The work of a step. */
export type StepRun =
  /** The name may contain interpolations. `guards` are its limits, such as `max_turns=60`. */
  | { readonly kind: 'agent'; readonly agent: Template; readonly guards: readonly Option[]; readonly span: Span }
  /** Ordinary instructions. */
  | { readonly kind: 'body'; readonly body: Block }
  | { readonly kind: 'workflow'; readonly call: WorkflowCall }
  /** Inner steps, one after the other or in parallel. */
  | { readonly kind: 'group'; readonly parallel: boolean; readonly steps: Block }
  /** No work, only gates. */
  | { readonly kind: 'none' };

/** A check that a step must pass. */
export type GateEntry = GateCheck & {
  /** The word that names the check as written: `compile`, `bash`, `validate`. */
  readonly word: Name;
  /** `as NAME`. */
  readonly label?: Name;
  readonly span: Span;
};

export type GateCheck =
  /** `compile`, `test`, `lint`, `tests_found`, or a gate of the configuration. */
  | { readonly kind: 'command' }
  /** Per cent. */
  | { readonly kind: 'coverage'; readonly least: Expression }
  /** Without a path, the schema of the step's type. */
  | { readonly kind: 'schema'; readonly path?: Template }
  | { readonly kind: 'touched' | 'untouched'; readonly globs: readonly Template[] }
  | { readonly kind: 'bash'; readonly shell: ShellText }
  | { readonly kind: 'expr'; readonly condition: Expression }
  | { readonly kind: 'validate'; readonly call: WorkflowCall };

/** The condition of an entry of RETRY. */
export type RetryCondition =
  | { readonly kind: 'attempt'; readonly number: Expression; readonly span: Span }
  /** As written: `gate.test`. */
  | { readonly kind: 'not'; readonly gate: Name; readonly span: Span }
  | { readonly kind: 'validate'; readonly call: WorkflowCall; readonly span: Span }
  | { readonly kind: 'exit'; readonly number: Expression; readonly span: Span };

/** One entry of RETRY. It must have one condition; the checker reports additional ones. */
export interface RetryEntry {
  readonly conditions: readonly RetryCondition[];
  readonly overrides: readonly Override[];
  readonly span: Span;
}

/**
 * A change that a retry makes. `word` is the keyword as written; `name` is one of the known keywords, or null for an
 * unknown one.
 */
export interface Override {
  readonly word: Name;
  readonly name: 'agent' | 'prompt' | 'session' | 'worktree' | 'restart_from' | 'replan' | null;
  readonly value: Template;
  readonly span: Span;
}

/** `EACH:` contains the steps that run once for every task of a split. */
export interface EachTask {
  readonly parallel: boolean;
  /** `max=4`. */
  readonly options: readonly Option[];
  /** The split that provides the tasks; absent for the step itself. */
  readonly of?: Name;
  readonly steps: Block;
  readonly span: Span;
}

/** The blocks inside a step, in the written order. */
export function blocksOf({ run, each }: StepParts): Block[] {
  const blocks: Block[] = [];
  if (run.kind === 'body') blocks.push(run.body);
  if (run.kind === 'group') blocks.push(run.steps);
  if (each !== undefined) blocks.push(each.steps);
  return blocks;
}

/** All steps of a program, including nested ones; outer steps come first. */
export function allSteps(items: readonly (Instruction | Declaration)[]): Extract<Instruction, { kind: 'step' }>[] {
  return items.flatMap((one) =>
    one.kind === 'step' ? [one, ...blocksOf(one).flatMap(({ instructions }) => allSteps(instructions))] : [],
  );
}
