/**
 * Describes what a run would do, without running it: inputs, limits, and every state with its instructions in order,
 * each with its class (what it touches), its options, and the names it reads with their scopes.
 */
import { storedLimits } from '../interpreter/events/stored-limits.js';
import { byteCount } from '../machine/byte-count.js';
import type { Json } from '../machine/expression.js';
import type { Input, Limits, Machine, State } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { limitDuration } from './drawing/amounts.js';
import type { Paint } from './drawing/paint.js';
import { cut, escapeControls, oneLine, visibleLine } from './drawing/visible-text.js';
import { type DescribedInstruction, describeState } from './instruction.js';
import { referenceWords } from './steps/references.js';
import { stepSummaries } from './steps/step-summary.js';

const LONGEST_LINE = 200;
/** A longer description is shortened, because nobody reads it from beginning to end. */
const LONGEST = 4000;

/** What is left out, one after the other, until the rest is short enough. */
const LEFT_OUT = [
  { what: '', keeps: () => true, hasReads: true, line: LONGEST_LINE },
  { what: 'what is read', keeps: () => true, hasReads: false, line: LONGEST_LINE },
  { what: 'what is read and what only computes', keeps: isNotPure, hasReads: false, line: 100 },
  { what: 'all that starts nothing', keeps: isEffect, hasReads: false, line: 70 },
] as const satisfies readonly DrawnDetail[];

interface DrawnDetail {
  /** The words for it. */
  readonly what: string;
  readonly keeps: (kind: string) => boolean;
  readonly hasReads: boolean;
  /** The characters of a text. */
  readonly line: number;
}

function isNotPure(kind: string): boolean {
  return kind !== 'pure' && kind !== 'sample';
}

function isEffect(kind: string): boolean {
  return isNotPure(kind) && kind !== 'control';
}

interface DryRun {
  readonly machine: Machine;
  /** The given values. A required input without a value is shown as required. */
  readonly inputs: ReadonlyMap<string, Json>;
  /** The JSON text of inputs with a number that JavaScript would print differently. */
  readonly printed?: Readonly<Record<string, string>>;
  /** The effective limits: those of the program, overridden by flags. */
  readonly limits: Limits & { readonly effectTimeoutMs?: number | null };
  /** The name of the state in which a run would start. */
  readonly start: string;
  /** What it spends on agents at most; absent: it calls none. */
  readonly bound?: { readonly words: string; readonly bounds: object };
}

/** `isWhole`: also what is long. */
export function drawDryRun(dry: DryRun, paint: Paint, isWhole = false): string {
  const [whole] = LEFT_OUT;
  let text = drawWith(dry, paint, whole);
  if (isWhole) return text;
  for (const detail of LEFT_OUT.slice(1)) {
    if (text.length <= LONGEST) break;
    text = `${drawWith(dry, paint, detail)}\nleft out: ${detail.what}; --verbose prints everything\n`;
  }
  return text;
}

function drawWith(dry: DryRun, paint: Paint, detail: DrawnDetail): string {
  const { machine, inputs, printed = {}, limits } = dry;
  const out = [`machine ${paint.strong(visibleLine(machine.name))}`];
  if (machine.inputs.length > 0) {
    out.push('  inputs');
    const width = Math.max(...machine.inputs.map(({ name }) => name.length));
    for (const input of machine.inputs)
      out.push(
        `    ${input.name.padEnd(width)}  ${inputText(input, inputs.get(input.name), Object.hasOwn(printed, input.name) ? printed[input.name] : undefined)}`,
      );
  }
  if (machine.tracked.length > 0) out.push(`  tracked  ${machine.tracked.join(', ')}`);
  out.push(`  limits   ${limitsText(limits)}`);
  if (dry.bound !== undefined) out.push(`  agents   ${escapeControls(dry.bound.words)}`);
  for (const state of machine.states) out.push('', ...stateLines(state, dry, detail, paint));
  return `${out.join('\n')}\n`;
}

/** The dry run as JSON. */
export function dryRunJson({ machine, inputs, limits, start, bound }: DryRun): object {
  const { effectTimeoutMs, ...caps } = limits;
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
    steps: machine.states.flatMap((state) => stepSummaries(state, machine)),
    limits: { ...storedLimits(caps), effect_timeout_ms: effectTimeoutMs ?? null },
    bound: bound?.bounds ?? null,
    states: machine.states.map((state) => ({
      name: state.name,
      entry: state.entry,
      instructions: describeState(state, machine).map(({ instruction, lines, reads, position, ...described }) => ({
        file: machine.files[instruction.origin.file] ?? null,
        line: instruction.origin.line,
        ...described,
        text: lines.join('; '),
        reads: reads.map(referenceWords),
        ...omitUndefined({ step: position.path ?? undefined }),
      })),
    })),
  };
}

function stateLines(state: State, { machine, start }: DryRun, detail: DrawnDetail, paint: Paint): string[] {
  const notes = [
    state.name === start ? 'starts here' : null,
    state.builtin ? 'built in' : null,
    state.entry.length > 0 ? `entry values ${state.entry.join(', ')}` : null,
  ].filter((note) => note !== null);
  // A workflow file has only steps, so its state is not shown.
  const stateless = machine.workflow !== undefined;
  const head = paint.state(`→ ${state.name}`) + (notes.length > 0 ? paint.faint(` (${notes.join('; ')})`) : '');
  const out = [stateless ? paint.state('steps') : head];
  const all = describeState(state, machine);
  const kept = all.filter((one) => detail.keeps(one.class) || one.position.path !== null);
  const shown = stateless ? kept.filter(({ instruction }) => instruction.op !== 'return') : kept;
  let file = 0;
  for (const described of shown) {
    const { position, instruction } = described;
    const from = instruction.origin.file;
    // The steps of a workflow are adjacent, so their file is named only once.
    if (position.path !== null && from !== file)
      out.push(
        paint.faint(
          `${' '.repeat(TEXT_COLUMN)}${'  '.repeat(position.depth)}in ${visibleLine(machine.files[from] ?? '')}`,
        ),
      );
    if (position.path !== null) file = from;
    out.push(...instructionLines(described, machine, detail, paint));
  }
  for (const handler of state.handlers) {
    // A step handles failed attempts itself, without an ON ERROR.
    if (handler.step === true) continue;
    const last = out[out.length - 1];
    const line = `  ${paint.faint('handles')} ${handler.kind ?? 'every failure'}`;
    if (last !== line) out.push(line);
  }
  return out;
}

/** The end of the column that says what an instruction touches. */
const TEXT_COLUMN = 17;

function instructionLines(
  described: DescribedInstruction,
  machine: Machine,
  detail: DrawnDetail,
  paint: Paint,
): string[] {
  const { instruction, lines, reads, position } = described;
  const { origin } = instruction;
  const file = origin.file === 0 || position.path !== null ? '' : `${machine.files[origin.file]}:`;
  const where = `${file}${origin.line}`.padStart(5);
  const options = described.options.length === 0 ? '' : paint.faint(` [${described.options.join(' ')}]`);
  // The line that opens a step is at the level of the step; its contents are indented.
  const inside = instruction.op === 'step-begin' ? position.depth - 1 : position.depth;
  const lead = '  '.repeat(inside);
  const texts = lines.map((line) => lead + escapeControls(cut(oneLine(line), detail.line)));
  const out = texts.map((text, at) =>
    at === 0
      ? `${paint.frame(where)}  ${described.class.padEnd(8)}  ${text}${options}`
      : ' '.repeat(Math.max(TEXT_COLUMN, where.length + 12)) + text,
  );
  const words = detail.hasReads ? reads.map(referenceWords).join(', ') : '';
  if (words !== '') out.push(paint.faint(`${' '.repeat(TEXT_COLUMN)}${lead}reads ${escapeControls(words)}`));
  return out;
}

function inputText(input: Input, value: Json | undefined, printed: string | undefined): string {
  const showValue = (one: Json, as = JSON.stringify(one)): string => (input.secret ? '***' : cut(as, 200));
  const notes = [
    input.type,
    input.choices === undefined ? undefined : `one of ${input.choices.join(', ')}`,
    input.secret ? 'secret' : undefined,
  ].filter((note) => note !== undefined);
  const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  if (value !== undefined) return `= ${showValue(value, printed)}${note}`;
  if (input.value !== undefined) return `= ${showValue(input.value, input.printed)} by default${note}`;
  return `required${note}`;
}

function limitsText(limits: DryRun['limits']): string {
  const parts = [
    `transitions ${limits.transitions ?? 100_000}`,
    `time ${limits.timeMs === undefined ? 'none' : limitDuration(limits.timeMs)}`,
    `cost ${limits.cost === undefined ? 'none' : `$${limits.cost.toFixed(2)}`}`,
    `tokens ${limits.tokens ?? 'none'}`,
    ...(limits.journal === undefined ? [] : [`journal ${byteCount(limits.journal)}`]),
    ...(limits.output === undefined ? [] : [`output ${byteCount(limits.output)}`]),
    `each effect ${limits.effectTimeoutMs == null ? 'none' : limitDuration(limits.effectTimeoutMs)}`,
  ];
  return parts.join(', ');
}
