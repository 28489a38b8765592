/**
 * Compiles CALLs of one program that differ only in their location or their constants once, because a program may call
 * a tool on every other line. A call with diagnostics is compiled separately, because these have a location.
 */
import type { EntryArgument } from '../../../../machine/machine.js';
import type { Parameter, Plan } from '../../../../machine/plan.js';
import { omitUndefined } from '../../../../prelude/omit-undefined.js';
import type { CallablePlan } from '../../callables.js';
import { type CallParts, isOpen } from './called-tool.js';

export class RepeatedCalls {
  /** By the tool, the output and the names of the arguments: a call whose constants do not matter. */
  private readonly similar = new Map<string, CallablePlan>();
  /** By the same and the constants. */
  private readonly known = new Map<string, CallablePlan>();

  /** `compile` compiles the call itself, and returns null after reporting that this is impossible. */
  find(tool: string, { args, output, method }: CallParts, compile: () => CallablePlan | null): CallablePlan | null {
    let shape = `${withLength(tool)}${withLength(output?.raw ?? '')}${method ?? ''}`;
    let constants = '';
    for (const { name, value } of args) {
      const constant = value.op === 'const' && !isOpen(value) ? (value.printed ?? JSON.stringify(value.value)) : null;
      shape += `${constant === null ? '?' : '='}${withLength(name)}`;
      if (constant !== null) constants += `${constant},`;
    }
    const exactShape = shape + constants;
    const same = this.known.get(exactShape);
    if (same !== undefined) return same;
    const similar = this.similar.get(shape);
    const found = similar === undefined ? first(compile(), constants) : withConstants(similar, args, constants);
    if (found === null || found.plan === null || found.diagnostics.length > 0) return found;
    this.known.set(exactShape, found);
    if (similar === undefined && found.family !== undefined) this.similar.set(shape, found);
    return found;
  }
}

/** With its length before it, a text can be followed by any other. */
function withLength(text: string): string {
  return `${text.length} ${text}`;
}

/** A call that others of the same form can be made from, unless its constants matter. */
function first(callable: CallablePlan | null, constants: string): CallablePlan | null {
  if (callable === null || callable.plan === null || readsConstants(callable.plan)) return callable;
  let linked: ReturnType<CallablePlan['link']> | undefined;
  const link = () => {
    linked ??= callable.link();
    return linked;
  };
  return {
    ...callable,
    link,
    family: { of: { skeleton: () => JSON.stringify(passing(linkedPlan(link()), null)) }, constants },
  };
}

function linkedPlan({ name, plans }: ReturnType<CallablePlan['link']>): Plan {
  return plans[name] as Plan;
}

/** Schemas, and possibly plans, depend on the values of arguments. */
function readsConstants({ tools }: Plan): boolean {
  return Object.values(tools).some(({ schema, calls }) => schema !== null || calls.kind === 'plan');
}

function withConstants(callable: CallablePlan, args: readonly EntryArgument[], constants: string): CallablePlan {
  const { plan, link, family } = callable;
  if (plan === null || family === undefined) return callable;
  const own = passing(plan, args);
  return {
    ...callable,
    plan: own,
    family: { of: family.of, constants },
    link: () => {
      const { name, plans } = link();
      return { name, plans: { ...plans, [name]: passing(linkedPlan({ name, plans }), args) } };
    },
  };
}

/** The plan of one call with other constants; null for none at all. */
function passing(plan: Plan, args: readonly EntryArgument[] | null): Plan {
  const calls = plan.calls.map((call) => {
    const entries = call.parameters.entries.map(([name, value], at): readonly [string, Parameter] => {
      if (value.op !== 'literal') return [name, value];
      if (args === null) return [name, { op: 'literal', value: null }];
      const given = args[at]?.value;
      if (given?.op !== 'const') return [name, value];
      return [name, { op: 'literal', value: given.value, ...omitUndefined({ printed: given.printed }) }];
    });
    return { ...call, parameters: { op: 'object' as const, entries } };
  });
  return { ...plan, calls };
}
