/**
 * Builds references with locations. A mistake is stored in the node, because only the checker knows the allowed kinds.
 */
import { type DataPath, type ReferenceExpr, type ReferenceProblem, readReference } from '../../../prelude/reference.js';
import type { OutputPath } from '../ast.js';
import type { DataReference, Expression, ReferenceGroup, ReferenceMistake } from '../expression-nodes.js';
import { type ParseContext, span } from '../grammar/cst.js';

/** A single reference. `start` is the offset of its `†` in the parsed text. */
export function buildDataReference(context: ParseContext, image: string, start: number): DataReference {
  const read = readReference(image);
  if (read.ok && read.expr.kind === 'reference') return reference(context, read.expr.path, start, image.length);
  const kind = /^†([\p{L}\p{M}\p{N}_$]*)/u.exec(image)?.[1] ?? '';
  const problem = read.ok ? undefined : mistake(context, read.problem, start);
  const broken = reference(context, [kind], start, image.length);
  return problem === undefined ? broken : { ...broken, problem };
}

/** Several references with operators between them. */
export function buildReferences(context: ParseContext, image: string, start: number): Expression {
  const read = readReference(joinLines(image));
  if (read.ok) return shiftReference(context, read.expr, start);
  const where = span(context, start, start + image.length);
  const root = { text: '', span: where };
  return { kind: 'data-reference', root, path: [], problem: mistake(context, read.problem, start), span: where };
}

/** The output path after the arrow. */
export function buildOutputPath(context: ParseContext, image: string, start: number): OutputPath {
  const raw = joinLines(image);
  const read = readReference(raw);
  const where = span(context, start, start + image.length);
  if (read.ok) return { paths: shiftReference(context, read.expr, start), raw, span: where };
  return { paths: null, problem: mistake(context, read.problem, start), raw, span: where };
}

/** A continued line is one text. Spaces replace the line end, so that all offsets stay the same. */
function joinLines(image: string): string {
  return image.replace(/\\[ \t]*\r?\n/g, (end) => ' '.repeat(end.length));
}

function shiftReference(context: ParseContext, expr: ReferenceExpr, start: number): DataReference | ReferenceGroup {
  if (expr.kind === 'reference') return reference(context, expr.path, start + expr.start, expr.end - expr.start);
  return {
    kind: 'references',
    operator: expr.kind,
    of: expr.of.map((part) => shiftReference(context, part, start)),
    span: span(context, start + expr.start, start + expr.end),
  };
}

function reference(context: ParseContext, [kind, ...path]: DataPath, start: number, length: number): DataReference {
  const root = { text: kind, span: span(context, start + 1, start + 1 + kind.length) };
  return { kind: 'data-reference', root, path, span: span(context, start, start + length) };
}

function mistake(context: ParseContext, problem: ReferenceProblem, start: number): ReferenceMistake {
  const { kind, message, help } = problem;
  return { kind, message, help, span: span(context, start + problem.start, start + problem.end) };
}
