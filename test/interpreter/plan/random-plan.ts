/** Random plans that compile, and tools whose outcome depends on their call and nothing else. */
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

/** Calls that compile; whatever makes an error is taken out until nothing does. */
export const plans = fc.array(call, { minLength: 2, maxLength: 14 }).map((calls) => {
  let left = calls as Json[];
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
});

/** What a tool does depends on the call and its arguments, and on nothing else. */
export function outcomeOf(call: number, parameters: unknown, salt: number): PlanOutcome {
  let hash = salt;
  for (const unit of `${call}${JSON.stringify(parameters)}`) hash = (Math.imul(hash, 31) + unit.charCodeAt(0)) >>> 0;
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
