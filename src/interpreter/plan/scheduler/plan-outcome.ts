/** The outcome of a tool, and which arm of its call that outcome takes. */
import type { Json } from '../../../machine/expression.js';
import type { PlanCall, PlanPath, ToolBinding } from '../../../machine/plan.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { readReference } from '../../../prelude/reference.js';
import { unreachable } from '../../../prelude/unreachable.js';

export type PlanOutcome =
  /** A result; `{"_path": …, "_output": …}` names the arm itself. */
  | { readonly kind: 'result'; readonly value: Json }
  /** The tool says that it failed. `exitCode` is that of a process. */
  | {
      readonly kind: 'failure';
      readonly code: Json;
      readonly message: string;
      readonly exitCode?: number;
      readonly value?: Json;
    }
  /** A time-out, a crash, or a result that cannot be read: the tool itself said nothing. */
  | { readonly kind: 'broken'; readonly code: string; readonly message: string }
  /** It is unknown whether the tool ran. No arm is taken. */
  | { readonly kind: 'in-doubt'; readonly message: string };

/** `arm: null`: the call fails. */
type ArmChoice =
  | { readonly arm: number; readonly value: Json }
  | { readonly arm: null; readonly code: Json; readonly message: string };

/** A call without output paths takes arm -1 when it gives a result. */
export function chooseArm(call: PlanCall, binding: ToolBinding | null, outcome: PlanOutcome): ArmChoice {
  switch (outcome.kind) {
    case 'result':
      return resultArm(call, outcome.value);
    case 'failure':
      return failureArm(call, binding, outcome);
    case 'broken':
      return failureFallback(call, binding, outcome, false);
    case 'in-doubt':
      return { arm: null, code: 'in_doubt', message: outcome.message };
    default:
      return unreachable(outcome);
  }
}

function resultArm(call: PlanCall, value: Json): ArmChoice {
  const first = call.arms.length === 0 ? -1 : 0;
  if (!isJsonObject(value) || !Object.hasOwn(value, '_path')) return { arm: first, value };
  const named = value._path as Json;
  const output = Object.hasOwn(value, '_output') ? (value._output as Json) : null;
  const arm = typeof named === 'number' ? named : typeof named === 'string' ? findArmByText(call, named) : -1;
  if (Number.isInteger(arm) && arm >= 0 && arm < call.arms.length) return { arm, value: output };
  return {
    arm: null,
    code: 'bad_path',
    message: `the tool returned the path ${JSON.stringify(named)}, which this call does not declare`,
  };
}

/** Paths are compared by meaning: `†state["bad"]` is `†state.bad`. */
function findArmByText(call: PlanCall, text: string): number {
  const reference = readReference(text);
  return reference.ok && reference.expr.kind === 'reference' ? findArm(call, reference.expr.path) : -1;
}

function findArm(call: PlanCall, path: PlanPath): number {
  const own = call.instance !== null && path[0] === 'state' ? ['instance', call.instance, ...path] : path;
  return call.arms.findIndex((paths) =>
    paths.some((one) => one.length === own.length && one.every((segment, at) => segment === own[at])),
  );
}

function failureArm(
  call: PlanCall,
  binding: ToolBinding | null,
  outcome: Extract<PlanOutcome, { kind: 'failure' }>,
): ArmChoice {
  const { code, message, exitCode, value = { code, message } } = outcome;
  const { outcomes = null } = binding ?? {};
  const path = exitCode !== undefined && outcomes !== null ? outcomes[String(exitCode)] : undefined;
  const arm = path === undefined ? -1 : findArm(call, path);
  if (arm >= 0) return { arm, value };
  return failureFallback(call, binding, { code, message }, outcomes === null);
}

/**
 * The arm for failures that no exit code names: what the binding says, or else the last of several arms. `hasDefault`:
 * whether the last arm is meant when the binding says nothing.
 */
function failureFallback(
  call: PlanCall,
  binding: ToolBinding | null,
  { code, message }: { readonly code: Json; readonly message: string },
  hasDefault: boolean,
): ArmChoice {
  const arm = fallbackArm(call, binding?.failure ?? (hasDefault ? 'last' : 'none'));
  return arm >= 0 ? { arm, value: { code, message } } : { arm: null, code, message };
}

function fallbackArm(call: PlanCall, failure: NonNullable<ToolBinding['failure']>): number {
  if (failure === 'none') return -1;
  if (failure !== 'last') return findArm(call, failure);
  return call.arms.length >= 2 ? call.arms.length - 1 : -1;
}
