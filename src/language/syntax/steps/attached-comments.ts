/**
 * Assigns the comments of a file to its declarations, steps and their parts, so that another spelling of the same tree
 * can print each comment at the same part: above it, at the end of its line, or at the end of a step.
 */
import { unreachable } from '../../../prelude/unreachable.js';
import type { Comment, Declaration, Instruction, Program, StepNode } from '../ast.js';
import { allSteps } from '../step-nodes.js';

/** The comments of parts, by the offset of the part; each includes its `#`. */
export interface AttachedComments {
  above(...parts: readonly number[]): string[];
  atEnd(...parts: readonly number[]): string[];
  /** The comments on the last lines of a step. */
  below(step: number): string[];
  /** The comments at the end of the file. */
  readonly rest: readonly string[];
}

export const noComments: AttachedComments = { above: () => [], atEnd: () => [], below: () => [], rest: [] };

/** `text` is the source of the program. */
export function attachComments(program: Program, text: string): AttachedComments {
  const steps = allSteps(program.items);
  const starts = new Set(steps.map(({ span }) => span.start));
  const parts = [...new Set([...program.items.flatMap(partsOfItem), ...steps.flatMap(partsOfStep)])].sort(
    (a, b) => a - b,
  );
  const above = new Map<number, string[]>();
  const atEnd = new Map<number, string[]>();
  const below = new Map<number, string[]>();
  const rest: string[] = [];
  for (const comment of program.comments) {
    const { start } = comment.span;
    const next = parts.find((part) => part > start);
    const before = parts.findLast((part) => part < start);
    const inside = isTrailing(next, starts, start, text) ? stepAround(steps, start, text) : undefined;
    if (comment.position === 'end' && before !== undefined && !text.slice(before, start).includes('\n'))
      add(atEnd, before, comment);
    else if (inside !== undefined) add(below, inside.span.start, comment);
    else if (next === undefined) rest.push(comment.text);
    else add(above, next, comment);
  }
  const of =
    (map: ReadonlyMap<number, readonly string[]>) =>
    (...at: readonly number[]): string[] =>
      [...new Set(at)].flatMap((part) => map.get(part) ?? []);
  return { above: of(above), atEnd: of(atEnd), below: of(below), rest };
}

function add(map: Map<number, string[]>, part: number, { text }: Comment): void {
  map.set(part, [...(map.get(part) ?? []), text]);
}

/** Whether nothing of the enclosing step follows: the next part is a step with less indentation, or there is none. */
function isTrailing(next: number | undefined, steps: ReadonlySet<number>, at: number, text: string): boolean {
  if (next === undefined) return indentation(at, text) > 0;
  return steps.has(next) && indentation(next, text) < indentation(at, text);
}

function stepAround(steps: readonly StepNode[], at: number, text: string): StepNode | undefined {
  return steps.findLast(({ span }) => span.start < at && indentation(span.start, text) < indentation(at, text));
}

/** The number of columns before the first character of the line. The dash of an item counts as a column. */
function indentation(at: number, text: string): number {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, line + 1000))?.[0].length ?? 0;
}

function partsOfItem(item: Declaration | Instruction): number[] {
  if (item.kind === 'limit') return item.options.map(({ span }) => span.start);
  return [item.span.start];
}

/** All parts of a step that have a location in both spellings. */
function partsOfStep(step: StepNode): number[] {
  const { span, context, prompt, session, run, gates, retry, each } = step;
  return [
    span.start,
    ...context.map((entry) => entry.span.start),
    ...(prompt === undefined ? [] : [prompt.span.start]),
    ...(session === undefined ? [] : [session.span.start]),
    ...partsOfRun(run),
    ...gates.map((gate) => gate.span.start),
    ...(retry === undefined ? [] : [retry.span.start, ...retry.entries.flatMap(partsOfEntry)]),
    ...(each === undefined ? [] : [each.span.start]),
  ];
}

export function partsOfRun(run: StepNode['run']): number[] {
  switch (run.kind) {
    case 'agent':
      return [run.span.start, ...run.guards.map(({ span }) => span.start)];
    case 'workflow':
      return [run.call.span.start];
    case 'body':
      return run.body.instructions.map(({ span }) => span.start);
    case 'group':
    case 'none':
      return [];
    default:
      return unreachable(run);
  }
}

export function partsOfEntry(entry: NonNullable<StepNode['retry']>['entries'][number]): number[] {
  return [entry.span.start, ...entry.overrides.map(({ span }) => span.start)];
}
