/** A Machine as text: its slots, and its states with their instructions. All values except slots, jumps and states are JSON. */
import type { Instruction, Machine, State } from '../machine/machine.js';

/** Ends with a line feed. */
export function disassemble(machine: Machine): string {
  const { name, version, files, inputs, tracked, initial, error, limits, states } = machine;
  const lines = [
    `machine ${name} (format ${version})`,
    ...files.map((file, at) => `  file ${at}: ${file}`),
    ...inputs.map(({ name: input, ...rest }, at) => `  input[${at}] ${input}${membersText(rest)}`),
    ...tracked.map((slot, at) => `  tracked[${at}] ${slot}`),
    ...(Object.keys(limits).length === 0 ? [] : [`  limits${membersText(limits)}`]),
    `  initial: ${stateName(machine, initial)}`,
    ...(error === null ? [] : [`  on failure: ${stateName(machine, error)}`]),
  ];
  return [...lines, ...states.flatMap((state, at) => ['', ...stateLines(machine, state, at)]), ''].join('\n');
}

function stateLines(machine: Machine, state: State, at: number): string[] {
  const scope = { machine, state };
  return [
    `state ${at} ${state.name}${state.builtin === true ? ' (built in)' : ''}`,
    ...state.entry.map((slot, index) => `  entry[${index}] ${slot}`),
    ...state.locals.map((slot, index) => `  local[${index}] ${slot}`),
    ...state.handlers.map(({ from, to, ...rest }) => `  handler ${from}..${to - 1}${membersText(rest)}`),
    ...state.code.map((instruction, pc) => `${String(pc).padStart(4)}  ${instructionText(scope, instruction)}`),
  ];
}

interface DrawnScope {
  readonly machine: Machine;
  readonly state: State;
}

function instructionText(scope: DrawnScope, { op, origin, ...rest }: Instruction): string {
  const { file, line } = origin;
  const where = `${file === 0 ? '' : `${file}:`}${line}`.padStart(5);
  const members = Object.entries(rest)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ` ${name}=${memberText(scope, name, value)}`);
  return `line ${where}  ${op}${members.join('')}`;
}

/** Jumps are numbers of instructions, and states are numbers in the machine. */
function memberText({ machine, state }: DrawnScope, name: string, value: unknown): string {
  if (name === 'to' && typeof value === 'number') return `@${value}`;
  if (name === 'state' && typeof value === 'number') return stateName(machine, value);
  return JSON.stringify(nameSlots(value, machine, state));
}

/** The same value with the names of slots instead of their numbers. */
function nameSlots(value: unknown, machine: Machine, state: State): unknown {
  if (Array.isArray(value)) return value.map((item) => nameSlots(item, machine, state));
  if (typeof value !== 'object' || value === null) return value;
  const { in: kind, slot } = value as { readonly in?: unknown; readonly slot?: unknown };
  if (typeof kind === 'string' && typeof slot === 'number') {
    const names =
      kind === 'local' ? state.locals : kind === 'entry' ? state.entry : kind === 'tracked' ? machine.tracked : null;
    const inputs = kind === 'input' ? machine.inputs.map(({ name }) => name) : [];
    return `${kind}[${slot}] ${(names ?? inputs)[slot] ?? ''}`.trimEnd();
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'origin')
      .map(([name, member]) => [name, nameSlots(member, machine, state)]),
  );
}

function stateName({ states }: Machine, at: number): string {
  return `${at} ${states[at]?.name ?? '?'}`;
}

function membersText(members: object): string {
  return Object.entries(members)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
    .join('');
}
