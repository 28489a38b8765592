/**
 * An instruction of a machine in words: its text, its class, its options and where its names come from. Instructions
 * that only steer the machine within a state (jumps, ends of branches) have no words.
 */
import type { Expr, Template } from '../machine/expression.js';
import { type Instruction, type Machine, performedBy, type State, type WorkInstruction } from '../machine/machine.js';
import type { InstructionClass } from './instruction-class.js';
import { type Reference, referencesIn } from './steps/references.js';
import { type StepPosition, stepPositions } from './steps/step-positions.js';
import { type StepWords, stepWords, workflowArguments } from './steps/step-words.js';

export interface DescribedInstruction {
  readonly instruction: Instruction;
  readonly class: InstructionClass;
  /** Most are one line. */
  readonly lines: readonly string[];
  readonly options: readonly string[];
  readonly reads: readonly Reference[];
  /** The position of the instruction among the steps of the state. */
  readonly position: StepPosition;
}

/** The instructions of a state that have words, in their order. */
export function describeState(state: State, machine: Machine): DescribedInstruction[] {
  const positions = stepPositions(state);
  return state.code.flatMap((_, pc) => describe(pc, state, machine, positions[pc] as StepPosition) ?? []);
}

function describe(pc: number, state: State, machine: Machine, position: StepPosition): DescribedInstruction | null {
  const instruction = state.code[pc] as Instruction;
  const words = wordsOf(instruction, pc, state, machine, position);
  if (words === null) return null;
  const lines = typeof words[1] === 'string' ? [words[1]] : words[1];
  return {
    instruction,
    class: words[0],
    lines: lines.map((line) => bindingText(instruction, state) + line),
    options: optionsOf(instruction),
    reads: [...workflowInputs(instruction, pc, state, position), ...referencesIn(instruction, state, position)],
    position: position,
  };
}

function optionsOf(instruction: Instruction): string[] {
  const performed = performedBy(instruction);
  return isEffect(performed) ? effectOptions(performed) : [];
}

/** The references in the arguments of a workflow. */
function workflowInputs(instruction: Instruction, pc: number, state: State, position: StepPosition): Reference[] {
  if (instruction.op !== 'workflow-enter') return [];
  const values = workflowArguments({ state, pc }).map(([, value]) => value);
  return referencesIn(
    { op: 'return', value: { op: 'list', items: values }, failed: false, origin: instruction.origin },
    state,
    position,
  );
}

/** `x = ` where the result of an effect gets a name. */
function bindingText(instruction: Instruction, state: State): string {
  if (!isEffect(instruction) || instruction.bind === undefined) return '';
  const name = state.locals[instruction.bind.slot] ?? '';
  return name === '$context' ? 'CONTEXT ' : `${name} = `;
}

function wordsOf(
  instruction: Instruction,
  pc: number,
  state: State,
  machine: Machine,
  position: StepPosition,
): StepWords {
  switch (instruction.op) {
    case 'shell':
    case 'argv':
      return ['command', instruction.text];
    case 'function':
      return ['function', instruction.text];
    case 'agent':
      return ['agent', instruction.text];
    case 'plan':
      return ['tool', instruction.text];
    case 'set':
      return isOwn(instruction.name) ? null : ['pure', `SET ${instruction.name}`];
    case 'track':
      return ['pure', `TRACK ${machine.tracked[instruction.slot]}`];
    case 'increment':
      return ['pure', `INCREMENT ${instruction.name}`];
    case 'emit':
      return ['pure', emitText(instruction)];
    case 'unless':
      if (instruction.text === '') return null;
      return ['control', instruction.text === 'DEFAULT' ? 'DEFAULT' : `IF ${instruction.text}`];
    case 'goto':
      return ['control', `GOTO ${machine.states[instruction.state]?.name}${withText(instruction.args)}`];
    case 'goto-dynamic':
      return ['control', `GOTO a computed state${withText(instruction.args)}`];
    case 'return':
      return ['control', instruction.failed ? 'RETURN, failed' : 'RETURN'];
    case 'undo':
      return ['pure', `UNDO ${'text' in instruction.by ? instruction.by.text : ''}`];
    case 'rollback':
      return ['control', 'ROLLBACK'];
    case 'keep':
      return ['control', 'KEEP'];
    case 'fail':
      return ['control', `FAIL ${JSON.stringify(templateText(instruction.message))}${withText(instruction.args)}`];
    case 'sample':
      return ['sample', `${instruction.source}()`];
    case 'sleep':
      return ['wait', `WAIT ${templateText(instruction.duration)}`];
    case 'wait-start':
      return ['wait', `WAIT at most ${templateText(instruction.timeout)}`];
    case 'signal':
      return ['wait', `WAIT signal ${instruction.name}${atMost(instruction.timeout)}`];
    case 'ask':
      return ['person', `ASK ${templateText(instruction.question)} → ${instruction.name}`];
    case 'each':
      if (variableName(state, loopVariable(instruction, state)) === '$task') return null;
      return ['control', `FOR EACH ${variableName(state, loopVariable(instruction, state))}`];
    case 'fork':
      return ['control', `PARALLEL, ${instruction.branches.length} members${joinText(instruction)}`];
    case 'fork-each':
      if (variableName(state, instruction.variable) === '$task') return null;
      return ['control', `FOR EACH ${variableName(state, instruction.variable)} in PARALLEL${joinText(instruction)}`];
    case 'jump':
    case 'fell-off':
    case 'wait-turn':
    case 'next':
    case 'branch-end':
    case 'join-detached':
      return null;
    default:
      return stepWords(instruction, { state, pc, position: position });
  }
}

/** Variables that the engine sets for itself: hidden ones, and the result of a WAIT. */
function isOwn(name: string): boolean {
  return name.startsWith('$') || name === 'timed_out';
}

/** How many members may run at the same time, how many are enough, and the time limit, if the program sets them. */
function joinText({ max, quorum, wait }: Extract<Instruction, { op: 'fork' | 'fork-each' }>): string {
  const said = [
    max === null ? '' : `, max ${numberText(max)}`,
    quorum === null ? '' : `, quorum ${numberText(quorum)}`,
    wait?.timeout ? `, timeout ${templateText(wait.timeout)}` : '',
  ];
  return said.join('');
}

function numberText(number: Expr): string {
  if (number.op === 'template') return templateText(number.template);
  return number.op === 'const' ? String(number.value) : '…';
}

/** The slot of a loop variable is named after the loop too, because other loops may use the same name. */
function variableName(state: State, slot: number): string | undefined {
  return state.locals[slot]?.replace(/^\$each:/, '');
}

/** The head of the loop has the variable; a loop is identified by the slot of its list. */
function loopVariable({ items }: Extract<Instruction, { op: 'each' }>, state: State): number {
  const head = state.code.find((one) => one.op === 'next' && one.items === items);
  return head?.op === 'next' ? head.variable : -1;
}

function emitText(instruction: Extract<Instruction, { op: 'emit' }>): string {
  const fields = instruction.fields.map(({ name, value, optional }) =>
    optional ? `[${name}=${templateText(value)}]` : `${name}=${templateText(value)}`,
  );
  const said = instruction.message === null ? [] : [JSON.stringify(templateText(instruction.message))];
  return ['EMIT', ...(instruction.event === null ? [] : [instruction.event]), ...fields, ...said].join(' ');
}

function withText(args: readonly { readonly name: string }[]): string {
  return args.length === 0 ? '' : ` with ${args.map(({ name }) => name).join(', ')}`;
}

function atMost(timeout: Template | null): string {
  return timeout === null ? '' : ` at most ${templateText(timeout)}`;
}

function isEffect(instruction: Instruction): instruction is WorkInstruction {
  return ['shell', 'argv', 'function', 'agent'].includes(instruction.op);
}

/** Options as they are written in the brackets of a DO. */
function effectOptions(effect: WorkInstruction): string[] {
  const out: string[] = [];
  const isCheck = effect.reading.startsWith('check') || effect.reading === 'capture';
  const ok =
    effect.ok === 'any' ? 'any' : 'template' in effect.ok ? templateText(effect.ok.template) : effect.ok.join(',');
  if (ok !== '0' && !isCheck) out.push(`ok=${ok}`);
  if (effect.timeout !== undefined) out.push(`timeout=${templateText(effect.timeout)}`);
  if (effect.idle !== undefined) out.push(`idle=${templateText(effect.idle)}`);
  if (effect.retry !== undefined && 'template' in effect.retry)
    out.push(`retry=${templateText(effect.retry.template)}`);
  else if (effect.retry !== undefined) {
    const { times, pauseMs, upToMs } = effect.retry;
    const upTo = upToMs === undefined ? '' : `..${upToMs}ms`;
    out.push(`retry=${times}${pauseMs > 0 ? `/${pauseMs}ms${upTo}` : ''}`);
  }
  if (effect.retryOn !== undefined) out.push(`retry_on=${retriedText(effect.retryOn)}`);
  if (effect.once) out.push('once');
  if (effect.memo !== undefined)
    out.push(effect.memo.length === 0 ? 'memo' : `memo=${effect.memo.map(templateText).join(',')}`);
  if (effect.cwd !== undefined) out.push(`cwd=${templateText(effect.cwd)}`);
  for (const { name, value } of effect.env ?? []) out.push(`env.${name}=${templateText(value)}`);
  if (effect.op === 'shell' && effect.shell !== 'default') out.push(`shell=${effect.shell}`);
  if (effect.piped) out.push('piped');
  return out;
}

function retriedText(on: NonNullable<WorkInstruction['retryOn']>): string {
  if ('template' in on) return templateText(on.template);
  return on.map((one) => (typeof one === 'number' ? `exit:${one}` : one)).join(',');
}

/** A template as it was written. */
function templateText(template: Template): string {
  return template.map((part) => (typeof part === 'string' ? part : part.source)).join('');
}
