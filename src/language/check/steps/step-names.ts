/**
 * The names of steps: their scopes, the steps in them, and the step that a name means at a location. The nearest scope
 * wins. A step outside of the enclosing scopes needs its whole path.
 */
import type { StepType } from '../../../machine/step.js';
import type { Span } from '../../source/diagnostic.js';
import type { Block, StepNode } from '../../syntax/ast.js';
import { childBlocks } from '../../syntax/child-blocks.js';
import { blocksOf } from '../../syntax/step-nodes.js';

/** The task of an EACH: its name in the program, and its slot. */
export interface StepTask {
  readonly name: string;
  readonly slot: number;
}

/** A step as an entry of a scope, before and while it is lowered. */
export interface NamedStep {
  readonly name: string;
  readonly span: Span;
  readonly type: StepType;
  /** The names of its gates, added when the step is lowered. */
  readonly gates: Set<string>;
  /** The steps below it: of its tasks, its group, or the workflow that it runs. */
  below: StepScope | null;
  /** Whether it has an agent, and therefore a session. */
  readonly hasSession: boolean;
  /** The name of its agent; null if there is none, or if only the run knows it. */
  readonly agent: string | null;
  /**
   * `running`: its own instructions are being lowered. `parallel`: it runs in parallel with the code that is being
   * lowered.
   */
  progress: 'ahead' | 'running' | 'parallel' | 'done';
}

export interface StepScope {
  /** The number of enclosing scopes. */
  readonly level: number;
  readonly kind: 'machine' | 'tasks' | 'group' | 'workflow';
  readonly parent: StepScope | null;
  readonly steps: Map<string, NamedStep>;
  /** The prefix of names in messages: `build/<task>/`. */
  readonly path: string;
  /** Its steps run in parallel with others, each in a worktree of its own. */
  readonly parallel: boolean;
}

const TYPES: ReadonlySet<string> = new Set(['code', 'split', 'validate', 'artifact']);

export function typeOf(step: StepNode): StepType {
  const type = step.type?.text;
  return type !== undefined && TYPES.has(type) ? (type as StepType) : 'none';
}

type NewScope = Pick<StepScope, 'level' | 'kind' | 'parent' | 'path'> & Partial<Pick<StepScope, 'parallel'>>;

/** Creates the scope of some blocks, with the steps that they directly contain. */
export function scopeOf(
  blocks: readonly Block[],
  { level, kind, parent, path, parallel = false }: NewScope,
): StepScope {
  const steps = new Map<string, NamedStep>();
  const scope: StepScope = { level, kind, parent, steps, path, parallel };
  // If two steps have one name, the first one counts. The other is reported when it is lowered.
  for (const block of blocks)
    for (const step of stepsIn(block)) if (!steps.has(step.name.text)) declareStep(step, scope);
  return scope;
}

/** Adds a step to a scope. */
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
    agent: agentOf(run),
    progress: 'ahead',
  };
  const path = `${scope.path}${named.name}/`;
  const { level } = scope;
  if (each !== undefined)
    named.below = scopeOf([each.steps], {
      level: level + 1,
      kind: 'tasks',
      parent: scope,
      path: `${path}<task>/`,
      parallel: each.parallel,
    });
  else if (run.kind === 'group')
    named.below = scopeOf([run.steps], {
      level: level + (run.parallel ? 2 : 1),
      kind: 'group',
      parent: scope,
      path,
      parallel: run.parallel,
    });
  return named;
}

/** The name of an agent without values in it. */
function agentOf(run: StepNode['run']): string | null {
  if (run.kind !== 'agent') return null;
  const [only, ...more] = run.agent.parts;
  return typeof only === 'string' && more.length === 0 ? only : null;
}

/** Sets the progress of a step and of the steps below it, which decides from where they can be read. */
export function setProgress(step: NamedStep, progress: 'parallel' | 'done'): void {
  step.progress = progress;
  if (step.below !== null && step.below.kind !== 'workflow')
    for (const inner of step.below.steps.values()) setProgress(inner, progress);
}

/** The steps in a block, including branches and loops, but not those inside other steps. */
function* stepsIn(block: Block): Generator<StepNode> {
  for (const i of block.instructions) {
    if (i.kind === 'step') {
      yield i;
      // A step in the instructions of another step belongs to the same scope as that step.
      if (i.run.kind === 'body') yield* stepsIn(i.run.body);
    } else for (const inner of childBlocks(i)) yield* stepsIn(inner);
  }
}

/** Whether there is a step anywhere in the instructions. */
export function hasSteps(block: Block): boolean {
  for (const i of block.instructions) if (i.kind === 'step' || childBlocks(i).some(hasSteps)) return true;
  return false;
}

/** The names of all steps, including nested ones. */
export function allStepNames(block: Block, into: Set<string> = new Set()): Set<string> {
  for (const i of block.instructions) {
    if (i.kind === 'step') {
      into.add(i.name.text);
      for (const inner of blocksOf(i)) allStepNames(inner, into);
    } else for (const inner of childBlocks(i)) allStepNames(inner, into);
  }
  return into;
}

/** The step that a name means at a location, and its scope. */
export function lookUp(from: StepScope, name: string): { step: NamedStep; scope: StepScope } | null {
  for (let scope: StepScope | null = from; scope !== null; scope = scope.kind === 'workflow' ? null : scope.parent) {
    const step = scope.steps.get(name);
    if (step !== undefined) return { step, scope };
  }
  return null;
}

/** The outermost scope for whole paths at a location: that of its workflow, or of the machine. */
export function rootOf(scope: StepScope): StepScope {
  return scope.kind === 'workflow' || scope.parent === null ? scope : rootOf(scope.parent);
}

/** Whether a step works in another directory than the steps of a scope, if there are worktrees. */
export function isApart(from: StepScope, step: NamedStep): boolean {
  const own = outerScopes(from);
  const other = scopesTo(own[0] as StepScope, step) ?? [];
  const shared = own.findIndex((scope, at) => scope !== other[at]);
  const at = shared < 0 ? own.length : shared;
  return [...own.slice(at), ...other.slice(at)].some(({ parallel }) => parallel);
}

/** From the outermost one to the scope itself. */
function outerScopes(scope: StepScope): StepScope[] {
  return scope.parent === null ? [scope] : [...outerScopes(scope.parent), scope];
}

/** The scopes around a step, from the outermost one; null if the step is not below it. */
function scopesTo(scope: StepScope, step: NamedStep): StepScope[] | null {
  for (const one of scope.steps.values()) {
    if (one === step) return [scope];
    const inner = one.below === null ? null : scopesTo(one.below, step);
    if (inner !== null) return [scope, ...inner];
  }
  return null;
}

/** All steps with a name below a scope, with their paths for people. */
export function findEverywhere(scope: StepScope, name: string, found: string[] = []): string[] {
  for (const step of scope.steps.values()) {
    if (step.name === name) found.push(scope.path + name);
    if (step.below !== null && step.below.kind !== 'workflow') findEverywhere(step.below, name, found);
  }
  return found;
}

/** The step of a whole path, in which task names may be anything; null if there is none. */
export function byPath(scope: StepScope, path: readonly string[]): NamedStep | null {
  const [first, ...rest] = path;
  const step = first === undefined ? undefined : scope.steps.get(first);
  if (step === undefined) return null;
  if (rest.length === 0) return step;
  const below = step.below;
  if (below === null || below.kind === 'workflow') return null;
  return byPath(below, below.kind === 'tasks' ? rest.slice(1) : rest);
}

/** The ends of all paths below a scope, for suggestions. */
export function allPaths(scope: StepScope, found: string[] = []): string[] {
  for (const step of scope.steps.values()) {
    found.push(scope.path + step.name);
    if (step.below !== null && step.below.kind !== 'workflow') allPaths(step.below, found);
  }
  return found;
}
