/** Which comments of a program stand above which of its steps in a workflow file. */
import type { Comment, Instruction } from '../../../syntax/ast.js';
import { blocksOf } from '../../../syntax/step.js';

type Step = Extract<Instruction, { kind: 'step' }>;

export interface PlacedComments {
  /** Above the whole file, and behind its last step; each as the YAML library wants it, null for none. */
  readonly top: string | null;
  readonly end: string | null;
  of(step: Step): string | null;
}

/**
 * A comment inside a step belongs to it, any other to the next step. What stands above the first step stays at the
 * top of the file, since names and inputs come in between.
 */
export function commentsAbove(comments: readonly Comment[], steps: readonly Step[]): PlacedComments {
  const all = steps.flatMap(withInner);
  const found = new Map<Step, string[]>();
  const top: string[] = [];
  const end: string[] = [];
  for (const { text, span } of comments) {
    const around = all.filter((step) => step.span.start < span.start && span.start < step.span.end).at(-1);
    const next = all.find((step) => step.span.start > span.start);
    const owner = next !== undefined && (around === undefined || next.span.start < around.span.end) ? next : around;
    const line = text.replace(/^#/, '');
    if (owner === undefined) end.push(line);
    else if (owner === all[0] && span.start < owner.span.start) top.push(line);
    else found.set(owner, [...(found.get(owner) ?? []), line]);
  }
  const joined = (lines: readonly string[] | undefined): string | null =>
    lines === undefined || lines.length === 0 ? null : lines.join('\n');
  return { top: joined(top), end: joined(end), of: (step) => joined(found.get(step)) };
}

function withInner(step: Step): Step[] {
  const inner = blocksOf(step).flatMap(({ instructions }) => instructions.filter((one) => one.kind === 'step'));
  return [step, ...inner.flatMap(withInner)];
}
