/**
 * What a run would do, without doing it: inputs, limits, and every state with its instructions in order, each with
 * its class (what it touches), its options, and the names it reads with the scope they were resolved to.
 */
import type { Json } from '../machine/expression.js';
import type { Input, Instruction, Limits, Machine, State } from '../machine/machine.js';
import { limitDuration } from './duration.js';
import { type Described, describe } from './instruction.js';
import type { Paint } from './paint.js';
import { cut, escapeControls, oneLine } from './visible-text.js';

export interface DryRun {
  readonly machine: Machine;
  /** Values that were given; a required input without one is shown as required. */
  readonly inputs: ReadonlyMap<string, Json>;
  /** Limits that hold: those of the program, overridden by flags. */
  readonly limits: Limits & { readonly effectTimeoutMs?: number | null };
  /** Name of the state a run would start in. */
  readonly start: string;
}

export function drawDryRun({ machine, inputs, limits, start }: DryRun, paint: Paint): string {
  const out = [`machine ${paint.strong(machine.name)}`];
  if (machine.inputs.length > 0) {
    out.push('  inputs');
    const width = Math.max(...machine.inputs.map(({ name }) => name.length));
    for (const input of machine.inputs) out.push(`    ${input.name.padEnd(width)}  ${inputText(input, inputs)}`);
  }
  if (machine.tracked.length > 0) out.push(`  tracked  ${machine.tracked.join(', ')}`);
  out.push(`  limits   ${limitsText(limits)}`);
  for (const state of machine.states) out.push('', ...stateLines(state, machine, start, paint));
  return `${out.join('\n')}\n`;
}

/** The same for programs. */
export function dryRunJson({ machine, inputs, limits, start }: DryRun): object {
  return {
    status: 'valid',
    machine: machine.name,
    state: start,
    inputs: machine.inputs.map((input) => ({
      name: input.name,
      required: input.value === undefined && !inputs.has(input.name),
      value: input.secret ? null : (inputs.get(input.name) ?? input.value ?? null),
    })),
    tracked: machine.tracked,
    limits,
    states: machine.states.map((state) => ({
      name: state.name,
      entry: state.entry,
      instructions: state.code.flatMap((instruction) => {
        const described = describe(instruction, state, machine);
        const { file, line } = instruction.origin;
        return described === null ? [] : [{ file: machine.files[file] ?? null, line, ...described }];
      }),
    })),
  };
}

function stateLines(state: State, machine: Machine, start: string, paint: Paint): string[] {
  const notes = [
    state.name === start ? 'starts here' : null,
    state.builtin ? 'supplied by the engine' : null,
    state.entry.length > 0 ? `entry values ${state.entry.join(', ')}` : null,
  ].filter((note) => note !== null);
  const out = [paint.state(`→ ${state.name}`) + (notes.length > 0 ? paint.faint(` (${notes.join('; ')})`) : '')];
  for (const instruction of state.code) {
    const described = describe(instruction, state, machine);
    if (described !== null) out.push(...instructionLines(described, instruction, machine, paint));
  }
  for (const handler of state.handlers) {
    const last = out[out.length - 1];
    const line = `  ${paint.faint('handles')} ${handler.kind ?? 'every failure'}`;
    if (last !== line) out.push(line);
  }
  return out;
}

function instructionLines(described: Described, { origin }: Instruction, machine: Machine, paint: Paint): string[] {
  const file = origin.file === 0 ? '' : `${machine.files[origin.file]}:`;
  const where = `${file}${origin.line}`.padStart(5);
  const text = escapeControls(cut(oneLine(described.text), 200));
  const options = described.options.length === 0 ? '' : paint.faint(` [${described.options.join(' ')}]`);
  const out = [`${paint.frame(where)}  ${described.class.padEnd(8)}  ${text}${options}`];
  if (described.reads.length > 0) out.push(paint.faint(`${' '.repeat(17)}reads ${described.reads.join(', ')}`));
  return out;
}

function inputText(input: Input, given: ReadonlyMap<string, Json>): string {
  const value = given.get(input.name);
  const shown = (one: Json): string => (input.secret ? '***' : cut(JSON.stringify(one), 200));
  const notes = [
    input.type,
    input.choices === undefined ? undefined : `one of ${input.choices.join(', ')}`,
    input.secret ? 'secret' : undefined,
  ].filter((note) => note !== undefined);
  const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  if (value !== undefined) return `= ${shown(value)}${note}`;
  if (input.value !== undefined) return `= ${shown(input.value)} by default${note}`;
  return `required${note}`;
}

function limitsText(limits: DryRun['limits']): string {
  const parts = [
    `transitions ${limits.transitions ?? 100_000}`,
    `time ${limits.timeMs === undefined ? 'none' : limitDuration(limits.timeMs)}`,
    `cost ${limits.cost === undefined ? 'none' : `$${limits.cost.toFixed(2)}`}`,
    `tokens ${limits.tokens ?? 'none'}`,
    `each effect ${limits.effectTimeoutMs == null ? 'none' : limitDuration(limits.effectTimeoutMs)}`,
  ];
  return parts.join(', ');
}
