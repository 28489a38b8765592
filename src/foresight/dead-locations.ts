/** States, branches and handlers that no run reaches. */
import type { Instruction, Machine, State } from '../machine/machine.js';
import { type Defect, type DefectKind, fileOf } from './defect.js';
import type { Exploration } from './exploration.js';
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
  // The lines of a pattern are in each state that uses it.
  const conditions = conditionsIn(machine, starts, all);
  const reported = new Set<string>();
  const handlers = reachedHandlers(machine, starts, isReached);
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
      const { isTrue, isFalse } = conditions.get(keyOf(instruction)) ?? { isTrue: true, isFalse: true };
      if (isTrue === isFalse || reported.has(keyOf(instruction))) return;
      reported.add(keyOf(instruction));
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
      // What fails in ways that are not known is for a handler of every kind.
      if (step === true || keep !== undefined || kind === null || isReached(base + pc) || !options.withFailures)
        continue;
      const isEverTried = state.code.some((_, at) => at >= from && at < to && isReached(base + at));
      const origin = state.code[pc]?.origin;
      if (!isEverTried || origin === undefined || handlers.has(originKey(origin))) continue;
      report('dead-handler', origin, `no failure reaches this \`ON ERROR ${kind}\``, 'remove it, or correct the kind');
    }
  });
  return found;
}

type Condition = Extract<Instruction, { op: 'unless' }>;

const originKey = ({ file, line }: Instruction['origin']): string => `${file ?? 0} ${line}`;

const keyOf = ({ origin, text }: Condition): string => `${originKey(origin)} ${text}`;

/** Whether each condition of the text was ever true, and ever false. */
function conditionsIn(
  { states }: Machine,
  starts: readonly number[],
  all: readonly Exploration[],
): ReadonlyMap<string, { isTrue: boolean; isFalse: boolean }> {
  const found = new Map<string, { isTrue: boolean; isFalse: boolean }>();
  states.forEach(({ code }, index) => {
    code.forEach((instruction, at) => {
      if (instruction.op !== 'unless') return;
      const pc = (starts[index] as number) + at;
      const before = found.get(keyOf(instruction));
      found.set(keyOf(instruction), {
        isTrue: before?.isTrue === true || all.some(({ executed }) => executed.wasTrue[pc] === 1),
        isFalse: before?.isFalse === true || all.some(({ executed }) => executed.wasFalse[pc] === 1),
      });
    });
  });
  return found;
}

/** The first lines of handlers that a failure reaches. */
function reachedHandlers(
  { states }: Machine,
  starts: readonly number[],
  isReached: (pc: number) => boolean,
): ReadonlySet<string> {
  return new Set(
    states.flatMap(({ code, handlers }, index) =>
      handlers.flatMap(({ pc }) => {
        const origin = code[pc]?.origin;
        return origin !== undefined && isReached((starts[index] as number) + pc) ? [originKey(origin)] : [];
      }),
    ),
  );
}

function isAboutError(machine: Machine, state: number, { condition }: Condition): boolean {
  const { entry, locals } = machine.states[state] as State;
  for (const variable of readsIn(machine, state, condition)) {
    const [storage, , slot] = variable.split(' ');
    const name = storage === 'entry' ? entry[Number(slot)] : storage === 'local' ? locals[Number(slot)] : undefined;
    if (name === 'error_type') return true;
  }
  return false;
}
