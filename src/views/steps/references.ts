/** The names that an instruction reads, each with its declaration. */
import type { Expr, SlotRef } from '../../machine/expression.js';
import type { Instruction, State } from '../../machine/machine.js';
import { printPath } from '../../prelude/reference.js';
import { keyPath, type StepPosition } from './step-positions.js';

export interface Reference {
  /** As in the program: `converge.output`, `task.files`. */
  readonly name: string;
  /** Null if the name is sufficient. */
  readonly resolves: string | null;
}

/** `count (tracked)`. */
export function referenceWords({ name, resolves }: Reference): string {
  return resolves === null ? name : `${name} (${resolves})`;
}

/** In the order of reading, none twice. Expressions are plain data, so this walks data, not their kinds. */
export function referencesIn(instruction: Instruction, state: State, position: StepPosition): Reference[] {
  const found = new Map<string, Reference>();
  const add = (reference: Reference | null): void => {
    if (reference !== null) found.set(`${reference.name} ${reference.resolves}`, reference);
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
      return;
    }
    if (value === null || typeof value !== 'object') return;
    const node = value as Expr;
    if (node.op === 'dagger') add({ name: `†${printPath(node.path)}`, resolves: null });
    const path = pathOf(node);
    if (path !== null) add(resolveReference(path.root, path.name, state, position));
    else if (node.op !== 'const') Object.values(node).forEach(visit);
  };
  partsOf(instruction).forEach(visit);
  return [...found.values()];
}

/** The layout of a step is part of each of its instructions; the overrides of a retry are read at the verdict. */
function partsOf(instruction: Instruction): unknown[] {
  if (!('plan' in instruction) || typeof instruction.plan === 'string') return [instruction];
  const { plan: layout, ...own } = instruction;
  return instruction.op === 'step-verdict' ? [layout.retry] : [own];
}

/** The name and fields that an expression reads; null for all other expressions. */
function pathOf(node: Expr): { readonly root: Expr; readonly name: string } | null {
  switch (node.op) {
    case 'read':
      return Array.isArray(node.places) ? { root: node, name: node.name } : null;
    case 'step-key':
      return { root: node, name: node.text };
    case 'retry-key':
      return { root: node, name: node.field };
    case 'run-total':
      return { root: node, name: `run.${node.field}` };
    case 'maybe':
      return pathOf(node.of);
    case 'field': {
      const of = pathOf(node.of);
      return of === null ? null : { root: of.root, name: `${of.name}.${node.name}` };
    }
    default:
      return null;
  }
}

function resolveReference(root: Expr, name: string, state: State, position: StepPosition): Reference | null {
  switch (root.op) {
    case 'read':
      return isOwn(root, name, state) ? null : { name, resolves: scopes(root.places, state) };
    case 'step-key':
      return { name, resolves: `${keyPath(position, root.key)}.${root.key.field}` };
    case 'retry-key':
      return { name, resolves: ofRetry(root.field, position) };
    case 'run-total':
      return { name, resolves: 'of the run so far' };
    default:
      return null;
  }
}

/** Variables of the engine, such as counters and the tasks of a split. */
function isOwn({ places }: Extract<Expr, { op: 'read' }>, name: string, { locals }: State): boolean {
  const [position] = places;
  return name.startsWith('$') || (position?.in === 'local' && locals[position.slot] === '$tasks');
}

/** The fields of the previous attempt that a step can read. */
function ofRetry(field: string, { path, judging }: StepPosition): string {
  if (field === 'attempt') return `the attempt of ${path}`;
  if (field === 'diff' && judging) return `${path}.diff`;
  if (field.startsWith('prev.')) return `prev.${path}.${field.slice('prev.'.length)}`;
  return field.startsWith('gate.') ? `${path}.${field}` : `the last failed attempt of ${path}`;
}

function scopes(slots: readonly SlotRef[], state: State): string {
  if (slots.length === 0) return 'never bound';
  return [...new Set(slots.map((position) => slotWords(position, state)))].join(', else ');
}

function slotWords(position: SlotRef, { locals }: State): string {
  if (position.in === 'entry') return 'entry value';
  if (position.in !== 'local') return position.in;
  const slot = locals[position.slot] ?? '';
  if (slot === '$task') return 'task';
  // The arguments of patterns and workflows are in their own slots.
  return slot.startsWith('$') && !slot.includes(':') ? 'argument' : 'local';
}
