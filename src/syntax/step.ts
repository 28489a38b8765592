/**
 * The tree of a STEP and its sections. Both spellings of a workflow become this: the text of a state and the YAML of
 * a workflow file. Like the rest of the tree it says what is written, not what it means.
 */
import type { Span } from '../source/source-file.js';
import type {
  Argument,
  Block,
  Declaration,
  Expression,
  Instruction,
  Name,
  Option,
  ShellText,
  Template,
} from './ast.js';

/** What a STEP is, besides its place and its verb. */
export interface StepParts {
  readonly name: Name;
  /** `code`, `split`, `validate` or `artifact`; also a word that is none of them. */
  readonly type?: Name;
  /** Other options on the line of the name, all of them unknown to a step. */
  readonly options: readonly Option[];
  readonly context: readonly ContextEntry[];
  readonly prompt?: Template;
  readonly session?: SessionSource;
  readonly run: StepRun;
  readonly gates: readonly GateEntry[];
  readonly retry?: { readonly entries: readonly RetryEntry[]; readonly span: Span };
  readonly each?: EachTask;
}

/** Something that is put before an agent next to its prompt. */
export type ContextEntry =
  | { readonly kind: 'file'; readonly path: Template; readonly span: Span }
  | { readonly kind: 'bash'; readonly shell: ShellText; readonly span: Span }
  | { readonly kind: 'workflow'; readonly call: WorkflowCall; readonly span: Span }
  /** A value under a heading, left out where it is empty. No spelling has it: a workflow file means it by what it leaves out. */
  | { readonly kind: 'value'; readonly title: string; readonly value: Expression; readonly span: Span };

/** The session that the first attempt begins in. */
export type SessionSource =
  | { readonly kind: 'new'; readonly span: Span }
  | { readonly kind: 'from'; readonly step: Name; readonly span: Span };

/** A workflow with the only values it gets. */
export interface WorkflowCall {
  readonly name: Name;
  readonly args: readonly Argument[];
  readonly span: Span;
}

/** Who does the work of a step. */
export type StepRun =
  /** The name may hold interpolations; `guards` are its `max_turns=60` and so on. */
  | { readonly kind: 'agent'; readonly agent: Template; readonly guards: readonly Option[]; readonly span: Span }
  /** Ordinary instructions. */
  | { readonly kind: 'body'; readonly body: Block }
  | { readonly kind: 'workflow'; readonly call: WorkflowCall }
  /** Steps of its own, one after the other or at once. */
  | { readonly kind: 'group'; readonly parallel: boolean; readonly steps: Block }
  /** Nothing: only its gates. */
  | { readonly kind: 'none' };

/** A check that a step has to pass. */
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
  /** Without a path the schema of the step's type. */
  | { readonly kind: 'schema'; readonly path?: Template }
  | { readonly kind: 'touched' | 'untouched'; readonly globs: readonly Template[] }
  | { readonly kind: 'bash'; readonly shell: ShellText }
  | { readonly kind: 'expr'; readonly condition: Expression }
  | { readonly kind: 'validate'; readonly call: WorkflowCall };

/** When an entry of RETRY applies. */
export type RetryCondition =
  | { readonly kind: 'attempt'; readonly number: Expression; readonly span: Span }
  /** As written: `gate.test`. */
  | { readonly kind: 'not'; readonly gate: Name; readonly span: Span }
  | { readonly kind: 'validate'; readonly call: WorkflowCall; readonly span: Span }
  | { readonly kind: 'exit'; readonly number: Expression; readonly span: Span };

/** One entry of RETRY. It has to have one condition; others are reported where the program is checked. */
export interface RetryEntry {
  readonly conditions: readonly RetryCondition[];
  readonly overrides: readonly Override[];
  readonly span: Span;
}

/** What a retry changes. `word` is the keyword as written; `name` one of the four, or null when it is none. */
export interface Override {
  readonly word: Name;
  readonly name: 'agent' | 'prompt' | 'session' | 'worktree' | null;
  readonly value: Template;
  readonly span: Span;
}

/** `EACH:` the steps that run once for every task of a split. */
export interface EachTask {
  readonly parallel: boolean;
  /** `max=4`. */
  readonly options: readonly Option[];
  /** The split whose tasks these are; absent: the step itself. */
  readonly of?: Name;
  readonly steps: Block;
  readonly span: Span;
}

/** The instructions inside a step, in the order in which they are written. */
export function blocksOf({ run, each }: StepParts): Block[] {
  const blocks: Block[] = [];
  if (run.kind === 'body') blocks.push(run.body);
  if (run.kind === 'group') blocks.push(run.steps);
  if (each !== undefined) blocks.push(each.steps);
  return blocks;
}

/** All steps among items and inside them, the outer ones first. */
export function allSteps(items: readonly (Instruction | Declaration)[]): Extract<Instruction, { kind: 'step' }>[] {
  return items.flatMap((one) =>
    one.kind === 'step' ? [one, ...blocksOf(one).flatMap(({ instructions }) => allSteps(instructions))] : [],
  );
}
