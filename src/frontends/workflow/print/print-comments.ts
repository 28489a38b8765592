/** Which comments of a program stand above which of its steps in a workflow file. */
import type { SourceFile } from '../../../source/source-file.js';
import type { Comment, Instruction } from '../../../syntax/ast.js';
import { allSteps } from '../../../syntax/step.js';

type Step = Extract<Instruction, { kind: 'step' }>;

export interface PlacedComments {
  /** Above the whole file, and behind its last step; each as the YAML library wants it, null for none. */
  readonly top: string | null;
  readonly end: string | null;
  of(step: Step): string | null;
}

/**
 * A comment directly above a step belongs to it, any other to the step that it stands in, or to the next one. What stands above the first step stays at the
 * top of the file, since names and inputs come in between.
 */
export function commentsAbove(comments: readonly Comment[], steps: readonly Step[], file: SourceFile): PlacedComments {
  const all = allSteps(steps);
  const found = new Map<Step, string[]>();
  const top: string[] = [];
  const end: string[] = [];
  for (const { text, span, position } of comments) {
    // Sections are indented below their step, and so are comments among them.
    const around = all.filter(
      (step) => step.span.start < span.start && columnOf(step.span, file) < columnOf(span, file),
    );
    const next = all.find((step) => step.span.start > span.start);
    const above = next !== undefined && /^\s*(?:#.*\s*)*$/.test(file.text.slice(span.end, next.span.start));
    // What ends a line of a step is about that step.
    const owner = above && position === 'line' ? next : (around.at(-1) ?? next);
    // The library takes an empty line for a blank one.
    const line = text.slice(1) || ' ';
    if (owner === undefined) end.push(line);
    else if (owner === all[0] && span.start < owner.span.start) top.push(line);
    else found.set(owner, [...(found.get(owner) ?? []), line]);
  }
  const joined = (lines: readonly string[] | undefined): string | null =>
    lines === undefined || lines.length === 0 ? null : lines.join('\n');
  return { top: joined(top), end: joined(end), of: (step) => joined(found.get(step)) };
}

function columnOf({ start }: Comment['span'], { text }: SourceFile): number {
  return start - (text.lastIndexOf('\n', start - 1) + 1);
}
