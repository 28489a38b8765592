/** References as trees with places: what is wrong with one stays in it, because whoever checks it knows its kinds. */
import { type DataPath, type ReferenceExpr, type ReferenceProblem, readReference } from '../../source/reference.js';
import type { DataReference, Expression, OutputPath, ReferenceGroup, ReferenceMistake } from '../ast.js';
import { type ParseContext, span } from '../grammar/cst.js';

/** A single reference; `start` is the offset of its dagger in the text being read. */
export function buildDataReference(reading: ParseContext, image: string, start: number): DataReference {
  const read = readReference(image);
  if (read.ok && read.expr.kind === 'reference') return reference(reading, read.expr.path, start, image.length);
  const kind = /^†([\p{L}\p{M}\p{N}_$]*)/u.exec(image)?.[1] ?? '';
  const problem = read.ok ? undefined : mistake(reading, read.problem, start);
  const broken = reference(reading, [kind], start, image.length);
  return problem === undefined ? broken : { ...broken, problem };
}

/** Several references with operators between them. */
export function buildReferences(reading: ParseContext, image: string, start: number): Expression {
  const read = readReference(joined(image));
  if (read.ok) return shiftReference(reading, read.expr, start);
  const where = span(reading, start, start + image.length);
  const root = { text: '', span: where };
  return { kind: 'dagger', root, path: [], problem: mistake(reading, read.problem, start), span: where };
}

/** What is after the arrow. */
export function buildOutputPath(reading: ParseContext, image: string, start: number): OutputPath {
  const raw = joined(image);
  const read = readReference(raw);
  const where = span(reading, start, start + image.length);
  if (read.ok) return { paths: shiftReference(reading, read.expr, start), raw, span: where };
  return { paths: null, problem: mistake(reading, read.problem, start), raw, span: where };
}

/** A line that continues below is one text; spaces instead of the line end keep all offsets. */
function joined(image: string): string {
  return image.replace(/\\[ \t]*\r?\n/g, (end) => ' '.repeat(end.length));
}

function shiftReference(reading: ParseContext, expr: ReferenceExpr, start: number): DataReference | ReferenceGroup {
  if (expr.kind === 'reference') return reference(reading, expr.path, start + expr.start, expr.end - expr.start);
  return {
    kind: 'references',
    operator: expr.kind,
    of: expr.of.map((part) => shiftReference(reading, part, start)),
    span: span(reading, start + expr.start, start + expr.end),
  };
}

function reference(reading: ParseContext, [kind, ...path]: DataPath, start: number, length: number): DataReference {
  const root = { text: kind, span: span(reading, start + 1, start + 1 + kind.length) };
  return { kind: 'dagger', root, path, span: span(reading, start, start + length) };
}

function mistake(reading: ParseContext, problem: ReferenceProblem, start: number): ReferenceMistake {
  const { kind, message, help } = problem;
  return { kind, message, help, span: span(reading, start + problem.start, start + problem.end) };
}
