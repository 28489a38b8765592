/**
 * Compiles CALLs of one program that differ only in their location or their constants once, because a program may call
 * a tool on every other line. A call with diagnostics is compiled separately, because these have a location.
 */
import type { EntryArgument } from '../../../machine/machine.js';
import type { Parameter, Plan } from '../../../machine/plan.js';
import type { Callable } from '../../callables.js';
import { type CallParts, isOpen } from './called-tool.js';

export class RepeatedCalls {
  /** Keyed by the tool, the output and the names of the arguments, and by the constants if they matter. */
  private readonly known = new Map<string, Callable>();

  /** `compile` compiles the call itself, and returns null after reporting that this is impossible. */
  find(tool: string, { args, output, method }: CallParts, compile: () => Callable | null): Callable | null {
    const names = args.map(({ name, value }) => [name, isOpen(value)]);
    const shape = JSON.stringify([tool, output?.raw ?? null, method, names]);
    const constants = args.map(({ value }) => (isOpen(value) || value.op !== 'const' ? null : value.value));
    const exactShape = `${shape} ${JSON.stringify(constants)}`;
    const same = this.known.get(exactShape);
    if (same !== undefined) return same;
    const similar = this.known.get(shape);
    const found = similar === undefined ? compile() : withConstants(similar, args);
    if (found === null || found.plan === null || found.diagnostics.length > 0) return found;
    this.known.set(exactShape, found);
    if (similar === undefined && !readsConstants(found.plan)) this.known.set(shape, found);
    return found;
  }
}

/** Schemas, and possibly plans, depend on the values of arguments. */
function readsConstants({ tools }: Plan): boolean {
  return Object.values(tools).some(({ schema, calls }) => schema !== null || calls.kind === 'plan');
}

function withConstants(callable: Callable, args: readonly EntryArgument[]): Callable {
  const { plan, link } = callable;
  if (plan === null) return callable;
  const own = passing(plan, args);
  return {
    ...callable,
    plan: own,
    link: () => {
      const { name, plans } = link();
      const linked = plans[name] as Plan;
      return { name, plans: { ...plans, [name]: linked === plan ? own : passing(linked, args) } };
    },
  };
}

/** The plan of one call with other constants. */
function passing(plan: Plan, args: readonly EntryArgument[]): Plan {
  const calls = plan.calls.map((call) => {
    const entries = call.parameters.entries.map(([name, value], at): readonly [string, Parameter] => {
      const given = args[at]?.value;
      return value.op === 'literal' && given?.op === 'const'
        ? [name, { op: 'literal', value: given.value }]
        : [name, value];
    });
    return { ...call, parameters: { op: 'object' as const, entries } };
  });
  return { ...plan, calls };
}
