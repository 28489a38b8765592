/**
 * Turns a plan into a program: one state with the plan as its only instruction. So running a plan uses the same record,
 * limits and recovery as every run.
 */
import type { Json } from '../../../machine/expression.js';
import { type Input, type Machine, RUN_FORMAT } from '../../../machine/machine.js';
import type { Plan } from '../../../machine/plan.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';

const PLAN_STATE = 'MAIN';

interface PlanProgram {
  /** The name of the machine: the name of its file. */
  readonly name: string;
  /** The path of the document, for messages. */
  readonly file: string;
  /** The plan's name among `plans`. */
  readonly plan: string;
  /** The plan and all plans that its calls run. */
  readonly plans: { readonly [name: string]: Plan };
  /** The names of the inputs that the plan reads. */
  readonly inputs: readonly string[];
}

export function planMachine({ name, file, plan, plans, inputs }: PlanProgram): Machine {
  const given = plans[plan]?.given.input;
  const printed = plans[plan]?.printed ?? [];
  const textOf = (name: string): string | undefined =>
    printed.find(({ path }) => path.length === 2 && path[0] === 'input' && path[1] === name)?.text;
  const origin = { file: 0, line: 1 };
  return {
    version: RUN_FORMAT,
    name,
    files: [file],
    inputs: inputs.map((input) => inputOf(input, given, textOf(input))),
    tracked: [],
    states: [
      {
        name: PLAN_STATE,
        locals: ['$output'],
        entry: [],
        code: [
          { op: 'plan', plan, args: [], main: true, bind: { slot: 0 }, text: `PLAN ${name}`, origin },
          {
            op: 'return',
            value: { op: 'read', name: '$output', places: [{ in: 'local', slot: 0 }] },
            failed: false,
            origin,
          },
        ],
        handlers: [],
      },
    ],
    initial: 0,
    error: null,
    limits: {},
    plans,
  };
}

/** A value from `context` is a default. The check has reported whether the others are required. */
function inputOf(name: string, given: Json | undefined, printed: string | undefined): Input {
  const known = isJsonObject(given) && Object.hasOwn(given, name);
  return known ? { name, value: given[name] as Json, ...omitUndefined({ printed }) } : { name, optional: true };
}
