/**
 * An instruction of a machine in words: how it reads, what it touches, which options it has and where the names in
 * it come from. Instructions that only steer the machine within a state (jumps, ends of branches) have no words.
 */
import type { Expr, Place, Template } from '../machine/expression.js';
import type { Instruction, Machine, State } from '../machine/machine.js';
import { type DaggerPath, printPath } from '../machine/reference.js';
import { stepWords } from './step-words.js';

/** What an instruction touches: `command`, `agent`, `function` and `tool` act on the world, `wait` and `person` on time. */
export type InstructionClass =
  | 'command'
  | 'agent'
  | 'function'
  | 'tool'
  | 'wait'
  | 'person'
  | 'sample'
  | 'pure'
  | 'control';

export interface Described {
  readonly class: InstructionClass;
  readonly text: string;
  readonly options: readonly string[];
  /** `count (tracked)`, in the order of reading. */
  readonly reads: readonly string[];
}

type Effect = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' }>;

export function describe(instruction: Instruction, state: State, machine: Machine): Described | null {
  const words = wordsOf(instruction, state, machine);
  if (words === null) return null;
  return {
    class: words[0],
    text: bound(instruction, state) + words[1],
    options: isEffect(instruction) ? effectOptions(instruction) : [],
    reads: readsIn(instruction),
  };
}

/** `x = ` where the result of an effect gets a name. */
function bound(instruction: Instruction, state: State): string {
  if (!isEffect(instruction) || instruction.bind === undefined) return '';
  return `${state.locals[instruction.bind.slot]} = `;
}

function wordsOf(instruction: Instruction, state: State, machine: Machine): [InstructionClass, string] | null {
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
      return ['control', `GOTO a state named by a value${withText(instruction.args)}`];
    case 'return':
      return ['control', instruction.failed ? 'RETURN, failed' : 'RETURN'];
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
      return ['control', `FOR EACH ${variableName(state, loopVariable(instruction, state))}`];
    case 'fork':
      return ['control', `PARALLEL, ${instruction.branches.length} members${joinText(instruction)}`];
    case 'fork-each':
      return ['control', `FOR EACH ${variableName(state, instruction.variable)} in PARALLEL${joinText(instruction)}`];
    case 'jump':
    case 'fell-off':
    case 'wait-turn':
    case 'next':
    case 'branch-end':
    case 'join-detached':
      return null;
    default:
      return stepWords(instruction);
  }
}

/** What the engine sets for itself: its hidden variables, and what a WAIT says of its end. */
function isOwn(name: string): boolean {
  return name.startsWith('$') || name === 'timed_out';
}

/** How many members run at once, how many are enough, and how long they are waited for, where the program says so. */
function joinText({ max, quorum, wait }: Extract<Instruction, { op: 'fork' | 'fork-each' }>): string {
  const said = [
    max === null ? '' : `, max ${numberText(max)}`,
    quorum === null ? '' : `, quorum ${numberText(quorum)}`,
    wait?.timeout ? `, waited for at most ${templateText(wait.timeout)}` : '',
  ];
  return said.join('');
}

function numberText(number: Expr): string {
  if (number.op === 'template') return templateText(number.template);
  return number.op === 'const' ? String(number.value) : '…';
}

/** The slot of a loop's variable is named after the loop too, since other loops may have one of the same name. */
function variableName(state: State, slot: number): string | undefined {
  return state.locals[slot]?.replace(/^\$each:/, '');
}

/** The loop's head has it; a loop is known by the slot of its list. */
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

function isEffect(instruction: Instruction): instruction is Effect {
  return ['shell', 'argv', 'function', 'agent'].includes(instruction.op);
}

/** Options as they are written in the brackets of a DO. */
function effectOptions(effect: Effect): string[] {
  const out: string[] = [];
  if (effect.ok !== 'any') {
    const ok = 'template' in effect.ok ? templateText(effect.ok.template) : effect.ok.join(',');
    if (ok !== '0') out.push(`ok=${ok}`);
  }
  if (effect.timeout !== undefined) out.push(`timeout=${templateText(effect.timeout)}`);
  if (effect.retry !== undefined && 'template' in effect.retry)
    out.push(`retry=${templateText(effect.retry.template)}`);
  else if (effect.retry !== undefined) {
    const pause = effect.retry.pauseMs > 0 ? `/${effect.retry.pauseMs}ms` : '';
    out.push(`retry=${effect.retry.times}${pause}`);
  }
  if (effect.once) out.push('once');
  if (effect.cwd !== undefined) out.push(`cwd=${templateText(effect.cwd)}`);
  for (const { name, value } of effect.env ?? []) out.push(`env.${name}=${templateText(value)}`);
  if (effect.op === 'shell' && effect.shell !== 'default') out.push(`shell=${effect.shell}`);
  if (effect.piped) out.push('piped');
  return out;
}

/** Names an instruction reads with their scopes. Expressions are plain data, so this walks data, not their kinds. */
function readsIn(instruction: Instruction): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (value !== null && typeof value === 'object') {
      const node = value as { op?: unknown; name?: unknown; places?: unknown; path?: unknown };
      if (node.op === 'read' && typeof node.name === 'string' && Array.isArray(node.places)) {
        if (!node.name.startsWith('$')) found.add(`${node.name} (${scopes(node.places as Place[])})`);
      } else if (node.op === 'dagger') found.add(`†${printPath(node.path as DaggerPath)}`);
      else if (node.op !== 'const') Object.values(value).forEach(visit);
    }
  };
  visit(instruction);
  return [...found];
}

function scopes(places: readonly Place[]): string {
  if (places.length === 0) return 'never bound';
  return [...new Set(places.map((place) => (place.in === 'entry' ? 'entry value' : place.in)))].join(', else ');
}

/** A template as it was written. */
export function templateText(template: Template): string {
  return template.map((part) => (typeof part === 'string' ? part : part.source)).join('');
}
