/** States, branches and handlers that no run reaches. */
import type { Instruction, Machine, State } from '../machine/machine.js';
import { type Defect, type DefectKind, fileOf } from './defect.js';
import type { Exploration } from './explore.js';
import { readsIn } from './reductions/reads.js';

/** Whether lines of this file are those of an included pattern. */
const isShipped = (file: string): boolean => file.startsWith('std/');

export function deadLocations(exploration: Exploration, others: readonly Exploration[]): Defect[] {
  const { machine, starts, options } = exploration;
  const found: Defect[] = [];
  const all = [exploration, ...others];
  const isReached = (pc: number): boolean =>
    all.some(({ executed }) => (executed.passed[pc] as number) + (executed.failed[pc] as number) > 0);
  const report = (
    kind: DefectKind,
    { file, line }: State['code'][number]['origin'],
    message: string,
    help: string,
  ): void => {
    const name = fileOf(machine, file);
    if (isShipped(name)) return;
    found.push({ kind, severity: 'warning', file: name, line, message, help, edges: null, cycle: 0 });
  };
  machine.states.forEach((state, index) => {
    const base = starts[index] as number;
    const isEntered = all.some(({ sites }) => sites.some(({ kind, name }) => kind === 'state' && name === state.name));
    const [first] = state.code;
    if (!isEntered) {
      const isOnlyForFailures = index === machine.error && !options.withFailures;
      if (state.builtin !== true && first !== undefined && !isOnlyForFailures)
        report(
          'dead-state',
          first.origin,
          `no run enters state \`${state.name}\``,
          'remove the state, or correct the condition that should lead to it',
        );
      return;
    }
    state.code.forEach((instruction, at) => {
      if (instruction.op !== 'unless' || !isReached(base + at)) return;
      const isTrue = all.some(({ executed }) => executed.wasTrue[base + at] === 1);
      const isFalse = all.some(({ executed }) => executed.wasFalse[base + at] === 1);
      if (isTrue === isFalse) return;
      const always = isTrue ? 'true' : 'false';
      if (isAboutError(machine, index, instruction)) {
        if (isTrue) return;
        report(
          'dead-handler',
          instruction.origin,
          `no failure makes \`${instruction.text}\` true`,
          'remove it, or correct the kind',
        );
      } else
        report(
          'dead-branch',
          instruction.origin,
          `the condition \`${instruction.text}\` is always ${always}`,
          'correct the condition, or remove it',
        );
    });
    for (const { from, to, pc, step, keep, kind } of state.handlers) {
      if (step === true || keep !== undefined || isReached(base + pc) || !options.withFailures) continue;
      const isEverTried = state.code.some((_, at) => at >= from && at < to && isReached(base + at));
      const origin = state.code[pc]?.origin;
      if (!isEverTried || origin === undefined) continue;
      const what = kind === null ? 'ON ERROR' : `ON ERROR ${kind}`;
      report('dead-handler', origin, `no failure reaches this \`${what}\``, 'remove it, or correct the kind');
    }
  });
  return found;
}

function isAboutError(machine: Machine, state: number, { condition }: Extract<Instruction, { op: 'unless' }>): boolean {
  const { entry, locals } = machine.states[state] as State;
  for (const variable of readsIn(machine, state, condition)) {
    const [storage, , slot] = variable.split(' ');
    const name = storage === 'entry' ? entry[Number(slot)] : storage === 'local' ? locals[Number(slot)] : undefined;
    if (name === 'error_type') return true;
  }
  return false;
}
