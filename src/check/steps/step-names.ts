/**
 * The names of steps: which scopes there are, what lies in them, and which of them is meant by a name at some place. The
 * nearest scope wins, and what lies in no scope around the place has to be written out.
 */
import type { StepType } from '../../machine/step.js';
import type { Span } from '../../source/source-file.js';
import type { Block, Instruction } from '../../syntax/ast.js';
import { childBlocks } from '../../syntax/child-blocks.js';
import { blocksOf } from '../../syntax/step.js';

export type StepNode = Extract<Instruction, { kind: 'step' }>;

/** The task that the steps of an EACH are about: its name in the program, and where it is. */
export interface StepTask {
  readonly name: string;
  readonly slot: number;
}

/** A step as its name is known, before and while it is lowered. */
export interface NamedStep {
  readonly name: string;
  readonly span: Span;
  readonly type: StepType;
  /** Its gates by name; filled when the step is lowered. */
  readonly gates: Set<string>;
  /** Steps below it: of its tasks, of its group, or of the workflow that it runs. */
  below: StepScope | null;
  /** It has an agent, and so a session. */
  readonly hasSession: boolean;
  /** `running`: its own instructions are being lowered. `beside`: it runs at the same time as what is being lowered. */
  progress: 'ahead' | 'running' | 'beside' | 'done';
}

export interface StepScope {
  /** How many scopes are around it. */
  readonly level: number;
  readonly kind: 'machine' | 'tasks' | 'group' | 'workflow';
  readonly parent: StepScope | null;
  readonly steps: Map<string, NamedStep>;
  /** What is before names in messages: `build/<task>/`. */
  readonly path: string;
}

const TYPES: ReadonlySet<string> = new Set(['code', 'split', 'validate', 'artifact']);

export function typeOf(step: StepNode): StepType {
  const type = step.type?.text;
  return type !== undefined && TYPES.has(type) ? (type as StepType) : 'none';
}

/** The scope of some instructions, with the steps that are directly in them. */
export function scopeOf(
  blocks: readonly Block[],
  { level, kind, parent, path }: Pick<StepScope, 'level' | 'kind' | 'parent' | 'path'>,
): StepScope {
  const steps = new Map<string, NamedStep>();
  const scope: StepScope = { level, kind, parent, steps, path };
  // Of two steps with one name the first is meant; the other is reported when it is lowered.
  for (const block of blocks)
    for (const step of stepsIn(block)) if (!steps.has(step.name.text)) declareStep(step, scope);
  return scope;
}

/** Puts a step among the names of a scope. */
export function declareStep(step: StepNode, scope: StepScope): NamedStep {
  const named = namedStep(step, scope);
  scope.steps.set(named.name, named);
  return named;
}

function namedStep(step: StepNode, scope: StepScope): NamedStep {
  const { each, run } = step;
  const named: NamedStep = {
    name: step.name.text,
    span: step.name.span,
    type: typeOf(step),
    gates: new Set(),
    below: null,
    hasSession: run.kind === 'agent',
    progress: 'ahead',
  };
  const path = `${scope.path}${named.name}/`;
  const { level } = scope;
  if (each !== undefined)
    named.below = scopeOf([each.steps], { level: level + 1, kind: 'tasks', parent: scope, path: `${path}<task>/` });
  else if (run.kind === 'group')
    named.below = scopeOf([run.steps], { level: level + (run.parallel ? 2 : 1), kind: 'group', parent: scope, path });
  return named;
}

/** Puts a step and those below it where they are seen from: after it, or from what runs at the same time. */
export function setProgress(step: NamedStep, progress: 'beside' | 'done'): void {
  step.progress = progress;
  if (step.below !== null && step.below.kind !== 'workflow')
    for (const inner of step.below.steps.values()) setProgress(inner, progress);
}

/** Steps among instructions, in branches and loops too, but not those inside other steps. */
function* stepsIn(block: Block): Generator<StepNode> {
  for (const i of block.instructions) {
    if (i.kind === 'step') {
      yield i;
      // A step in the instructions that are the work of another one is next to it by its name.
      if (i.run.kind === 'body') yield* stepsIn(i.run.body);
    } else for (const inner of childBlocks(i)) yield* stepsIn(inner);
  }
}

/** Whether there is a step anywhere in the instructions. */
export function hasSteps(block: Block): boolean {
  return block.instructions.some((i) => i.kind === 'step' || childBlocks(i).some(hasSteps));
}

/** Names of all steps, those inside others too. */
export function allStepNames(block: Block, into: Set<string> = new Set()): Set<string> {
  for (const i of block.instructions) {
    if (i.kind === 'step') {
      into.add(i.name.text);
      for (const inner of blocksOf(i)) allStepNames(inner, into);
    } else for (const inner of childBlocks(i)) allStepNames(inner, into);
  }
  return into;
}

/** The step that a name means at a location, and the scope it is in. */
export function lookUp(from: StepScope, name: string): { step: NamedStep; scope: StepScope } | null {
  for (let scope: StepScope | null = from; scope !== null; scope = scope.kind === 'workflow' ? null : scope.parent) {
    const step = scope.steps.get(name);
    if (step !== undefined) return { step, scope };
  }
  return null;
}

/** The outermost scope that a location can name by a whole path: that of its workflow, or of the machine. */
export function rootOf(scope: StepScope): StepScope {
  return scope.kind === 'workflow' || scope.parent === null ? scope : rootOf(scope.parent);
}

/** Every step of a name below a scope, with its path for people. */
export function findEverywhere(scope: StepScope, name: string, found: string[] = []): string[] {
  for (const step of scope.steps.values()) {
    if (step.name === name) found.push(scope.path + name);
    if (step.below !== null && step.below.kind !== 'workflow') findEverywhere(step.below, name, found);
  }
  return found;
}

/** The step of a whole path, task names being anything; null where there is none. */
export function byPath(scope: StepScope, path: readonly string[]): NamedStep | null {
  const [first, ...rest] = path;
  const step = first === undefined ? undefined : scope.steps.get(first);
  if (step === undefined) return null;
  if (rest.length === 0) return step;
  const below = step.below;
  if (below === null || below.kind === 'workflow') return null;
  return byPath(below, below.kind === 'tasks' ? rest.slice(1) : rest);
}

/** Ends of all paths below a scope, for suggestions. */
export function allPaths(scope: StepScope, found: string[] = []): string[] {
  for (const step of scope.steps.values()) {
    found.push(scope.path + step.name);
    if (step.below !== null && step.below.kind !== 'workflow') allPaths(step.below, found);
  }
  return found;
}
