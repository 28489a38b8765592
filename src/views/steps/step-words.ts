/**
 * Instructions of steps in words: the agent, the prompt, the changes of a retry. Purely structural instructions have
 * none.
 */
import type { Expr, Template } from '../../machine/expression.js';
import type { Instruction, State } from '../../machine/machine.js';
import type {
  CheckLayout,
  GateLayout,
  GuardLayout,
  RetryEntryLayout,
  StepInstruction,
  StepLayout,
} from '../../machine/step.js';
import { unreachable } from '../../prelude/unreachable.js';
import { limitDuration } from '../drawing/amounts.js';
import { cut } from '../drawing/visible-text.js';
import type { InstructionClass } from '../instruction-class.js';
import { keyPath, type StepPosition } from './step-positions.js';

const LONGEST_PROMPT = 160;

/** Its class and its lines of text; null if there is nothing to say. */
export type StepWords = readonly [InstructionClass, string | readonly string[]] | null;

/** An instruction of steps with its context. */
interface StepSite {
  readonly state: State;
  readonly pc: number;
  readonly position: StepPosition;
}

export function stepWords(instruction: StepInstruction, site: StepSite): StepWords {
  const { position } = site;
  switch (instruction.op) {
    case 'step-begin':
      return ['control', `STEP ${position.path}${typeWords(instruction.plan)}`];
    case 'step-attempt':
      if (instruction.agent === null) return null;
      return ['control', `AGENT ${templateWords(instruction.agent)}${sessionWords(instruction, position)}`];
    case 'step-agent':
      return ['agent', `PROMPT ${promptWords(instruction.prompt)}${inBrackets(guardWords(instruction.guards))}`];
    case 'gate-command': {
      const least = instruction.least === undefined ? '' : `, at least ${instruction.least} %`;
      return ['command', `${gateHead(instruction.gate)}: ${instruction.text}${least}`];
    }
    case 'gate-schema':
      return ['control', `${gateHead(instruction.gate)}: ${templateWords(instruction.path)}`];
    case 'gate-check':
      return ['control', `${gateHead(instruction.gate)}${checkWords(instruction.check)}`];
    case 'step-verdict': {
      const lines = retryLines(instruction.plan, site);
      return lines.length === 0 ? null : ['control', lines.map((line) => `RETRY ${line}`)];
    }
    case 'workflow-enter':
      return ['control', workflowWords(instruction, site)];
    case 'tasks':
      return ['control', `EACH task of ${keyPath(position, instruction.of)}.output${togetherWords(site)}`];
    case 'step-collect':
    case 'step-retry':
    case 'gate-verdict':
    case 'workflow-leave':
    case 'group-enter':
    case 'group-leave':
    case 'task-enter':
    case 'task-leave':
    case 'tasks-merge':
      return null;
    default:
      return unreachable(instruction);
  }
}

/** A template as it was written, on one line. */
export function templateWords(template: Template): string {
  const text = template.map((part) => (typeof part === 'string' ? part : part.source)).join('');
  return text.trim().replace(/\s+/g, ' ');
}

function promptWords(prompt: Template | null): string {
  return prompt === null ? '(continues in its session)' : cut(templateWords(prompt), LONGEST_PROMPT);
}

function typeWords({ type }: StepLayout): string {
  return type === 'none' ? '' : ` (${type})`;
}

function sessionWords({ session }: Extract<StepInstruction, { op: 'step-attempt' }>, position: StepPosition): string {
  if (session === null) return '';
  return session.kind === 'new' ? ', in a new session' : `, in the session of ${keyPath(position, session.key)}`;
}

/** As they are written. */
export function guardWords({ maxTurns, maxCost, maxTimeMs, idleMs, noWrite }: GuardLayout): string[] {
  return [
    ...(maxTurns === undefined ? [] : [`max_turns=${maxTurns}`]),
    ...(maxCost === undefined ? [] : [`max_cost=${maxCost}`]),
    ...(maxTimeMs === undefined ? [] : [`max_time=${limitDuration(maxTimeMs)}`]),
    ...(idleMs === undefined ? [] : [`idle=${limitDuration(idleMs)}`]),
    ...(noWrite ? ['no_write'] : []),
  ];
}

function inBrackets(words: readonly string[]): string {
  return words.length === 0 ? '' : ` [${words.join(' ')}]`;
}

function gateHead({ name, kind }: GateLayout): string {
  return `GATE ${name}${kind === name || kind === 'command' ? '' : ` (${kind})`}`;
}

function checkWords(check: CheckLayout): string {
  switch (check.kind) {
    case 'touched':
    case 'untouched':
      return `: ${check.globs.map(templateWords).join(', ')}`;
    case 'files':
      return ': only the files of the task';
    case 'skipped':
    case 'unknown':
      return `: ${check.why}`;
    case 'shape':
      return '';
    case 'expr':
      return `: ${check.text}`;
    default:
      return unreachable(check);
  }
}

/** The entries of RETRY in order, the last with the number of allowed attempts. */
export function retryLines({ retry }: StepLayout, { state, pc }: Omit<StepSite, 'position'>): string[] {
  if (retry === null) return [];
  const entries = retry.entries.filter(({ when }) => when.kind !== 'exit');
  return [...entries.map((entry) => entryWords(entry, state, pc)), `exit: ${retry.exit}`];
}

function entryWords(entry: RetryEntryLayout, state: State, pc: number): string {
  const { agent, prompt, session, worktree, restart, replan } = entry;
  const changes = [
    ...(agent === undefined ? [] : [`agent ${templateWords(agent)}`]),
    ...(prompt === undefined ? [] : [`prompt ${JSON.stringify(promptWords(prompt))}`]),
    ...(session === undefined ? [] : [`session ${session}`]),
    ...(worktree === undefined ? [] : [`worktree ${worktree}`]),
    ...(restart === undefined ? [] : [`restart_from ${restart}`]),
    ...(replan === undefined ? [] : [`replan ${templateWords(replan)}`]),
  ];
  return `${conditionWords(entry, state, pc)} → ${changes.join(', ')}`;
}

function conditionWords({ when }: RetryEntryLayout, state: State, pc: number): string {
  switch (when.kind) {
    case 'attempt':
      return `attempt: ${when.number}`;
    case 'not':
      return `not: gate.${when.gate}`;
    case 'validate':
      return `validate: ${workflowAsked(state, pc, when.slot)}`;
    case 'exit':
      return 'exit';
    default:
      return unreachable(when);
  }
}

/** The validator after the verdict: it leaves its answer in the slot of the entry. */
function workflowAsked({ code }: State, from: number, slot: number): string {
  const left = code.findIndex((one, pc) => pc > from && one.op === 'workflow-leave' && one.slot === slot);
  let open = 0;
  for (let pc = left; pc > from; pc--) {
    const one = code[pc] as Instruction;
    if (one.op === 'workflow-leave' && one.failed !== true) open++;
    if (one.op !== 'workflow-enter') continue;
    open--;
    if (open === 0) return one.name;
  }
  return 'a workflow';
}

function workflowWords(instruction: Extract<StepInstruction, { op: 'workflow-enter' }>, site: StepSite): string {
  const { name, at, gate, limits } = instruction;
  const given = workflowArguments(site).map(([key, value]) => `${key}=${valueWords(value)}`);
  const args = given.length === 0 ? '' : ` with ${given.join(', ')}`;
  const words = [
    ...(limits.cost === undefined ? [] : [`cost=${limits.cost}`]),
    ...(limits.tokens === undefined ? [] : [`tokens=${limits.tokens}`]),
    ...(limits.timeMs === undefined ? [] : [`time=${limitDuration(limits.timeMs)}`]),
  ];
  const call = `${name}${args}${inBrackets(words)}`;
  switch (at) {
    case 'run':
      return `WORKFLOW ${call}`;
    case 'gate':
      return `GATE ${gate} (validate): ${call}`;
    case 'context':
      return `CONTEXT workflow ${call}`;
    case 'retry':
      return `RETRY asks ${call}`;
    default:
      return unreachable(at);
  }
}

/** The arguments of a call follow its beginning, each in its own slot. */
export function workflowArguments({ state, pc }: Omit<StepSite, 'position'>): [name: string, value: Expr][] {
  const given: [string, Expr][] = [];
  for (let at = pc + 1; at < state.code.length; at++) {
    const one = state.code[at] as Instruction;
    if (one.op === 'sample') continue;
    if (one.op !== 'set' || !one.name.startsWith('$')) break;
    given.push([one.name.slice(1), one.value]);
  }
  return given;
}

function valueWords(value: Expr): string {
  switch (value.op) {
    case 'const':
      return cut(JSON.stringify(value.value), LONGEST_PROMPT);
    case 'template':
      return JSON.stringify(cut(templateWords(value.template), LONGEST_PROMPT));
    case 'read':
      return `{${value.name}}`;
    case 'step-key':
      return `{${value.text}}`;
    case 'retry-key':
      return `{${value.field}}`;
    default:
      return '…';
  }
}

function togetherWords({ state, pc }: StepSite): string {
  const next = state.code[pc + 1];
  if (next?.op !== 'fork-each') return '';
  const max = next.max?.op === 'const' ? `, max ${JSON.stringify(next.max.value)}` : '';
  return `, in parallel${max}`;
}
