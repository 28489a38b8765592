/** Warnings of `--agent NAME=OTHER` for a name that the program does not call: a person who writes it expects an effect. */
import type { Diagnostic } from '../../language/source/diagnostic.js';
import type { Template } from '../../machine/expression.js';
import { type Instruction, type Machine, performedBy } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';

/** The names of the agents that a program calls; null: a name of them is a value, which only the run knows. */
function calledAgents({ states, plans = {} }: Machine): ReadonlySet<string> | null {
  const names = new Set<string>();
  let isKnown = true;
  const add = (name: Template | string | null | undefined): void => {
    if (name === null || name === undefined) return;
    if (typeof name === 'string') names.add(name);
    else if (name.every((part) => typeof part === 'string')) names.add(name.join('').trim());
    else isKnown = false;
  };
  const addOf = (instruction: Instruction): void => {
    const one = performedBy(instruction);
    if (one.op === 'agent') add(one.agent);
    if (one.op !== 'step-attempt') return;
    add(one.agent);
    for (const { agent, replan } of one.plan.retry?.entries ?? []) {
      add(agent);
      add(replan);
    }
  };
  for (const { code } of states) code.forEach(addOf);
  for (const { tools } of Object.values(plans))
    for (const { calls } of Object.values(tools)) if (calls.kind === 'agent') add(calls.agent);
  return isKnown ? names : null;
}

export function uncalledReplacements(machine: Machine, instead: Readonly<Record<string, string>>): Diagnostic[] {
  const replaced = Object.entries(instead);
  const called = replaced.length === 0 ? null : calledAgents(machine);
  if (called === null) return [];
  return replaced.flatMap(([name, other]): Diagnostic[] => {
    if (called.has(name)) return [];
    const near = nearest(name, called);
    const listed = [...called].map((one) => `\`${one}\``).join(', ');
    const help =
      near === undefined ? (listed === '' ? undefined : `the program calls ${listed}`) : `did you mean \`${near}\`?`;
    return [
      omitUndefined({
        code: 'unused-agent',
        severity: 'warning' as const,
        message: `\`${name}=${other}\` replaces nothing, because the program calls no agent \`${name}\``,
        span: { file: -1, start: 0, end: 0 },
        help,
      }),
    ];
  });
}
