/** Random plans that compile, and tools with an outcome that depends only on their call. */
import fc from 'fast-check';
import type { PlanOutcome } from '../../../src/interpreter/plan/scheduler/plan-outcome.js';
import type { Json } from '../../../src/machine/expression.js';
import { compiledPlan } from './compiled-plan.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f.x', 'f.y', 'g', 'h.x'];
const name = fc.constantFrom(...NAMES);
const readable = fc.constantFrom(...NAMES, 'f', 'h', 'a.deep');
const path = name.map((one) => `†state.${one}`);
const output = fc
  .uniqueArray(path, { minLength: 1, maxLength: 3 })
  .chain((paths) => fc.constantFrom(paths.join(' || '), paths.join(' && ')));
const read = fc
  .uniqueArray(
    readable.map((one) => `†state.${one}`),
    { minLength: 1, maxLength: 3 },
  )
  .chain((paths) => fc.constantFrom(paths.join(' || '), paths.join(' && ')));
const call = fc.record(
  {
    _tool: fc.constantFrom('t', 'none'),
    _outputPath: output,
    _outputMethod: fc.constantFrom('set', 'merge', 'push'),
    x: read,
    y: read,
  },
  { requiredKeys: ['_tool', '_outputPath'] },
);

/** Reads of everything that a plan may read: also inputs, a list, approvals, and fields of what others write. */
const anyRead = fc
  .uniqueArray(
    fc.constantFrom(
      ...NAMES.map((one) => `†state.${one}`),
      ...['†state.f', '†state.a.deep', '†state.l', '†state.l[0]', '†input.i', '†input.i.j', '†input.none'],
      ...['†state.approvals.p', '†state.approvals.q', '†state.approvals.q.r'],
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((paths) => fc.constantFrom(paths.join(' || '), paths.join(' && ')));
const anyOutput = fc
  .uniqueArray(fc.constantFrom(...NAMES.map((one) => `†state.${one}`), '†state.l[0]', '†state.l[1]'), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((paths) => fc.constantFrom(paths.join(' || '), paths.join(' && ')));
const anyCall = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record(
      {
        _tool: fc.constantFrom('t', 'none'),
        _outputPath: anyOutput,
        _outputMethod: fc.constantFrom('set', 'merge', 'push'),
        x: anyRead,
        y: fc.tuple(anyRead, fc.record({ z: anyRead })),
      },
      { requiredKeys: ['_tool', '_outputPath'] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ _output: fc.record({ v: anyRead }), _outputPath: fc.constantFrom('†state.a', '†state.d') }),
  },
);

/** Plans that compile, of everything that plans are made of but plans inside. */
export const allSortsOfPlans = fc
  .array(anyCall, { minLength: 2, maxLength: 14 })
  .map((calls) => soundPart(calls as Json[]).plan);

export const plans = fc.array(call, { minLength: 2, maxLength: 14 }).map((calls) => soundPart(calls as Json[]));

/** The calls that compile: whatever makes an error is taken out until nothing does. */
function soundPart(calls: Json[]) {
  let left = calls;
  for (;;) {
    const { plan, diagnostics } = compiledPlan(left);
    if (plan !== null) return { plan, document: left };
    const text = JSON.stringify(left);
    const at = diagnostics.find(({ severity }) => severity === 'error')?.span.start ?? 0;
    let end = 1;
    const bad = left.findIndex((one) => {
      end += JSON.stringify(one).length + 1;
      return at < end;
    });
    if (bad < 0) throw new Error(`no call is to blame in ${text}`);
    left = left.filter((_, index) => index !== bad);
  }
}

/** Objects with the same members are the same, in whatever order calls wrote these. */
function inOneOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What a tool does depends on the call and its arguments, and on nothing else. */
export function outcomeOf(call: number, parameters: unknown, salt: number): PlanOutcome {
  let hash = salt;
  for (const unit of `${call}${JSON.stringify(parameters, inOneOrder)}`)
    hash = (Math.imul(hash, 31) + unit.charCodeAt(0)) >>> 0;
  const value: Json = hash % 2 === 0 ? hash % 100 : { x: hash % 100, deep: true };
  switch ((hash >>> 8) % 6) {
    case 0:
      return { kind: 'failure', code: 1, message: 'no', exitCode: 1 };
    case 1:
      return { kind: 'broken', code: 'timeout', message: 'too long' };
    case 2:
      return { kind: 'result', value: { _path: 1, _output: value } };
    default:
      return { kind: 'result', value };
  }
}
