/**
 * Compares reads of data with everything that calls write in the machine. A path that resembles a written one is
 * misspelt. Any other may be absent on purpose, so reading it fails only during a run.
 */
import { nearest } from '../../../prelude/nearest.js';
import { type DataPath, printPath } from '../../../prelude/reference.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { LoweredState } from '../lower/lowered-state.js';
import { buildPathTree } from '../plan/path-tree.js';
import type { CheckedWrite, DataRead } from '../scope.js';

export function lintReferences(states: readonly LoweredState[], diagnostics: Diagnostic[]): void {
  const reads = states.flatMap(({ dataUse }) => dataUse.reads);
  if (reads.length === 0) return;
  const written = states.flatMap(({ dataUse }) => dataUse.writes.map(({ path }) => path));
  const tree = buildPathTree([{ arms: [written] }]);
  const reported = new Set<string>();
  for (const read of reads) {
    // A whole kind of data exists during the whole run.
    if (read.path.length === 1) continue;
    const diagnostic = tree.isWritten(read.path) ? parallelOnly(read, states) : checkUnwritten(read, written);
    if (diagnostic === null) continue;
    const key = `${diagnostic.code} ${printPath(read.path)}`;
    if (diagnostic.severity !== 'error' && reported.has(key)) continue;
    reported.add(key);
    diagnostics.push(diagnostic);
  }
}

function checkUnwritten({ path, span, spared }: DataRead, written: readonly DataPath[]): Diagnostic | null {
  const text = `†${printPath(path)}`;
  const near = nearWritten(path, written);
  if (near !== undefined) return say.misspeltReference(span, { path: text, near: `†${printPath(near)}` });
  return spared ? null : say.readsNothingWritten(span, { path: text });
}

/** A written path that differs in one similar segment, with the rest of the read path. */
function nearWritten(path: DataPath, written: readonly DataPath[]): DataPath | undefined {
  for (let at = 1; at < path.length; at++) {
    const before = path.slice(0, at);
    const segments = written.filter((other) => other.length > at && before.every((segment, i) => segment === other[i]));
    if (segments.length === 0) return undefined;
    const names = segments.map((other) => other[at] as string);
    const segment = path[at] as string;
    if (names.includes(segment)) continue;
    const near = nearest(segment, names);
    return near === undefined ? undefined : ([...before, near, ...path.slice(at + 1)] as unknown as DataPath);
  }
  return undefined;
}

/** Reports a path that only parallel branches write: their results exist after the join. */
function parallelOnly({ path, span, spared, parallel }: DataRead, states: readonly LoweredState[]): Diagnostic | null {
  if (parallel === undefined || spared) return null;
  const fork = parallel.fork.span;
  const elsewhere = states.some(({ dataUse }) =>
    dataUse.writes.some((write) => !isInside(write.span, fork) && overlap(write.path, path)),
  );
  if (elsewhere) return null;
  const labels = [{ span: parallel.write.span, text: 'the other branch' }];
  return say.readsOtherBranch(span, { path: `†${printPath(path)}`, labels });
}

function isInside(span: Span, around: Span): boolean {
  return span.file === around.file && span.start >= around.start && span.end <= around.end;
}

/** The data use of one member of a fork: its reads, as a range of the list of all reads, and its writes. */
export interface BranchUse {
  readonly from: number;
  readonly to: number;
  readonly writes: readonly CheckedWrite[];
}

/** Marks the paths that a member reads and only other members write. */
export function noteParallelReads(reads: DataRead[], members: readonly BranchUse[], fork: Span): void {
  if (members.every(({ writes }) => writes.length === 0)) return;
  const tree = buildPathTree(members.map(({ writes }) => ({ arms: [writes.map(({ path }) => path)] })));
  members.forEach(({ from, to }, own) => {
    // A branch that tests for the value expects that it may be missing.
    const asked = reads.slice(from, to).filter(({ spared }) => spared);
    for (let at = from; at < to; at++) {
      const read = reads[at] as DataRead;
      const writers = tree.findOverlapping(read.path);
      const [first] = writers;
      if (first === undefined || read.parallel !== undefined || writers.some(({ call }) => call === own)) continue;
      if (asked.some(({ path }) => isPrefix(path, read.path))) continue;
      const write = members[first.call]?.writes.find(({ path }) => path === first.path);
      if (write !== undefined) reads[at] = { ...read, parallel: { write: { span: write.span }, fork: { span: fork } } };
    }
  });
}

/** Reports paths that two members of a fork write, or of which one is inside the other. */
export function lintBranches(members: readonly BranchUse[], diagnostics: Diagnostic[]): void {
  const before: CheckedWrite[] = [];
  let reported = 0;
  for (const { writes } of members) {
    for (const write of writes) {
      const clash = before.find((other) => overlap(other.path, write.path));
      const diagnostic = clash === undefined ? null : clashOf(clash, write);
      if (diagnostic !== null && reported++ < MOST_CLASHES) diagnostics.push(diagnostic);
    }
    if (before.length < MOST_COMPARED) before.push(...writes);
  }
}

/** The same body runs for each element, so all of them write its paths. */
export function lintEachBranch(writes: readonly CheckedWrite[], diagnostics: Diagnostic[]): void {
  for (const { path, span, method } of writes)
    if (method === null) diagnostics.push(say.branchesWriteOne(span, { path: `†${printPath(path)}`, labels: [] }));
}

const MOST_CLASHES = 20;
const MOST_COMPARED = 2000;

function clashOf(earlier: CheckedWrite, later: CheckedWrite): Diagnostic | null {
  const labels = [{ span: earlier.span, text: 'the other branch' }];
  const [outer, inner] = earlier.path.length <= later.path.length ? [earlier, later] : [later, earlier];
  if (outer.path.length < inner.path.length) {
    if (earlier.method !== null || later.method !== null) return null;
    const facts = { outer: `†${printPath(outer.path)}`, inner: `†${printPath(inner.path)}`, labels };
    return say.branchesWriteInside(later.span, facts);
  }
  if (later.method !== null) return null;
  return say.branchesWriteOne(later.span, { path: `†${printPath(later.path)}`, labels });
}

function overlap(a: DataPath, b: DataPath): boolean {
  return isPrefix(a, b) || isPrefix(b, a);
}

function isPrefix(a: DataPath, b: DataPath): boolean {
  return a.length <= b.length && a.every((segment, at) => segment === b[at]);
}
