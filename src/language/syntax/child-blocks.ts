/**
 * The blocks directly inside an instruction (only this file knows which instructions contain others), which items are
 * declarations, and trees at another place of the text.
 */
import type { BareNode, Block, Declaration, Instruction, StateDeclaration, TextActionNode } from './ast.js';
import { blocksOf } from './step-nodes.js';

/** All kinds, or it does not compile. */
const DECLARATIONS: Readonly<Record<Declaration['kind'], true>> = {
  ...{ machine: true, title: true, input: true, limit: true, tool: true, key: true },
  ...{ import: true, pattern: true, state: true },
};

export function isDeclaration(item: { readonly kind: string }): item is Declaration {
  return Object.hasOwn(DECLARATIONS, item.kind);
}

export function childBlocks(i: Instruction): readonly Block[] {
  switch (i.kind) {
    case 'if':
      return blocksOfIf(i);
    case 'default':
    case 'on-error':
    case 'for-each':
      return [i.body];
    case 'parallel':
      return [i.members];
    case 'wait':
      return i.body === undefined ? none : [i.body];
    case 'step':
      return blocksOf(i);
    case 'do':
    case 'check':
    case 'call':
    case 'emit':
    case 'goto':
    case 'return':
    case 'track':
    case 'increment':
    case 'set':
    case 'ask':
    case 'use':
    case 'undo':
      return none;
    default:
      i satisfies BareNode | TextActionNode;
      return none;
  }
}

/** Shared by all instructions without blocks, which are most. */
const none: readonly Block[] = [];

function blocksOfIf({ arms, otherwise }: Extract<Instruction, { kind: 'if' }>): readonly Block[] {
  const blocks: Block[] = [];
  for (const { body } of arms) blocks.push(body);
  if (otherwise !== undefined) blocks.push(otherwise.body);
  return blocks;
}

/** States that have moved, with the state as it was parsed and how far it has moved. */
const parsed = new WeakMap<StateDeclaration, { readonly state: StateDeclaration; readonly by: number }>();

/**
 * A state at another position of the same file. Its body moves when somebody asks for it: a change at the top of a long program
 * moves all states below, and nearly nothing asks where their instructions are.
 */
export function rebaseDeclaration(state: StateDeclaration, by: number): StateDeclaration {
  const { file } = state.span;
  let body: Block | undefined;
  const rebased: StateDeclaration = {
    kind: 'state',
    name: rebase(state.name, file, by),
    get body() {
      body ??= rebase(state.body, file, by);
      return body;
    },
    span: rebase(state.span, file, by),
  };
  parsed.set(rebased, { state, by });
  return rebased;
}

/** The body of a state where it was parsed, for questions about anything but its position; `by`: how far it has moved since. */
export function parsedBody(state: StateDeclaration): { readonly body: Block; readonly by: number } {
  const known = parsed.get(state);
  return known === undefined ? { body: state.body, by: 0 } : { body: known.state.body, by: known.by };
}

/** A line of shell text with its offset in the file: the only offset outside of a span. */
const SHELL_LINE = 'source';

/** Returns a copy of `value`, moved by `by` code units, in the file with the index `file`. */
export function rebase<Value>(value: Value, file: number, by: number): Value {
  return rebaseValue(value, file, by) as Value;
}

function rebaseValue(value: unknown, file: number, by: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = new Array(value.length);
    for (let at = 0; at < value.length; at++) list[at] = rebaseValue(value[at], file, by);
    return list;
  }
  const record = value as Record<string, unknown>;
  if (isSpan(record)) return { file, start: record.start + by, end: record.end + by };
  const copy: Record<string, unknown> = { ...record };
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === 'object') copy[key] = rebaseValue(inner, file, by);
    else if (key === SHELL_LINE) copy[key] = (inner as number) + by;
  }
  return copy;
}

function isSpan(record: Record<string, unknown>): record is { file: number; start: number; end: number } {
  return typeof record.file === 'number' && typeof record.start === 'number' && typeof record.end === 'number';
}
