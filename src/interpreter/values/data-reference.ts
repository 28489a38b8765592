/**
 * Reads data references, by kind: inputs and tracked variables, and what calls have written below `state` and `data`. The
 * data may be missing. A branch sees the data at its fork and its own writes.
 */
import type { Expr } from '../../machine/expression.js';
import { printPath } from '../../prelude/reference.js';
import { AbsentFailure, UnboundFailure } from '../failure.js';
import type { Slot, Thread } from '../run-state/thread.js';
import { operations } from './operations.js';
import { define, isList, type Missing, type Value } from './value.js';

type SegmentPath = readonly [string, ...string[]];
type ReadPath = (thread: Thread) => Value | Missing;

export function probeDataReference(path: SegmentPath): ReadPath {
  const [kind, ...segments] = path;
  switch (kind) {
    case 'input':
      return compileWalk(
        (t) =>
          valuesByName(
            t.run.linked.machine.inputs.map(({ name }) => name),
            t.inputs,
            segments[0],
          ),
        segments,
      );
    case 'track':
      return compileWalk((t) => valuesByName(t.run.linked.machine.tracked, t.tracked, segments[0]), segments);
    default:
      return (t) => t.data.read(path) as Value | Missing;
  }
}

/** The value, or a failure that names what is missing. */
export function compileDataReference(path: SegmentPath): (thread: Thread) => Value {
  const probe = probeDataReference(path);
  const reads = Array.from(
    { length: Math.max(0, path.length - 2) },
    (_, at) => path.slice(0, at + 2) as unknown as SegmentPath,
  );
  return (t) => {
    const value = probe(t);
    if (value !== undefined) return value;
    throw absentFailure(
      path,
      reads.findLast((outer) => probeDataReference(outer)(t) !== undefined),
    );
  };
}

function absentFailure(path: SegmentPath, there: SegmentPath | undefined): AbsentFailure {
  const text = `\`†${printPath(path)}\``;
  if (there !== undefined)
    return new AbsentFailure(
      `${text} has no value: \`†${printPath(there)}\` exists, but has no \`${path[there.length]}\``,
    );
  return new UnboundFailure(`${text} has no value: ${WHY[path[0]] ?? 'nothing has written it yet'}`);
}

const WHY: Readonly<Record<string, string>> = {
  input: 'this input was not passed',
  track: 'the TRACK that creates it has not run yet',
};

/** All values of a kind as one object, or only as much of it as a path needs. */
function valuesByName(names: readonly string[], slots: readonly Slot[], only: string | undefined): Value {
  const values: { [key: string]: Value } = {};
  names.forEach((name, slot) => {
    const value = slots[slot];
    if (value !== undefined && (only === undefined || only === name)) define(values, name, value);
  });
  return values;
}

function compileWalk(root: (thread: Thread) => Value, segments: readonly string[]): ReadPath {
  const { memberOf, elementAt } = operations();
  const valueInside = (of: Value | Missing, segment: string): Value | Missing => {
    if (isList(of)) return INDEX.test(segment) ? elementAt(of, Number(segment)) : undefined;
    return memberOf(of, segment);
  };
  return (t) => segments.reduce<Value | Missing>(valueInside, root(t));
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/** How a path was written, for messages. */
export function pathText(expr: Expr): string {
  switch (expr.op) {
    case 'read':
      return expr.name;
    case 'field':
      return `${pathText(expr.of)}.${expr.name}`;
    case 'index':
      return `${pathText(expr.of)}[${expr.index.op === 'const' ? JSON.stringify(expr.index.value) : pathText(expr.index)}]`;
    case 'maybe':
      return `${pathText(expr.of)}?`;
    case 'call':
      return `${expr.name}(…)`;
    case 'dagger':
      return `†${printPath(expr.path)}`;
    default:
      return '…';
  }
}
