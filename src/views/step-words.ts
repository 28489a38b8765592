/** Instructions of steps in words: who works, what is asked, what a retry changes. What only holds them together has none. */
import type { Template } from '../machine/expression.js';
import type { CheckPlan, GuardPlan, RetryEntryPlan, StepInstruction, StepPlan } from '../machine/step.js';
import type { InstructionClass } from './instruction.js';
import { unreachable } from './unreachable.js';

const text = (template: Template): string =>
  template.map((part) => (typeof part === 'string' ? part : part.source)).join('');

const oneLine = (template: Template): string => {
  const words = text(template).trim().replace(/\s+/g, ' ');
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
};

/** As for any other instruction: its class and how it reads, or null. */
export function stepWords(instruction: StepInstruction): [InstructionClass, string] | null {
  switch (instruction.op) {
    case 'step-begin':
      return ['control', `STEP ${instruction.plan.name}${typeWords(instruction.plan)}`];
    case 'step-attempt':
      return instruction.agent === null
        ? null
        : ['control', `  AGENT ${text(instruction.agent)}${sessionWords(instruction)}`];
    case 'step-agent':
      return [
        'agent',
        `  PROMPT ${instruction.prompt === null ? '(goes on)' : oneLine(instruction.prompt)}${guardWords(instruction.guards)}`,
      ];
    case 'gate-command':
      return [
        'command',
        `  GATE ${instruction.gate.name}: ${instruction.text}${instruction.least === undefined ? '' : `, at least ${instruction.least} %`}`,
      ];
    case 'gate-schema':
      return ['control', `  GATE ${instruction.gate.name}: ${text(instruction.path)}`];
    case 'gate-check':
      return ['control', `  GATE ${instruction.gate.name}${checkWords(instruction.check)}`];
    case 'gate-verdict':
      return ['control', `  GATE ${instruction.gate.name}: what it said`];
    case 'step-verdict':
      return instruction.plan.retry === null ? null : ['control', retryWords(instruction.plan)];
    case 'workflow-enter':
      return ['control', `  WORKFLOW ${instruction.name} (${instruction.at})`];
    case 'tasks':
      return ['control', `EACH task of ${instruction.of.path}`];
    case 'step-collect':
    case 'step-retry':
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

function typeWords({ type }: StepPlan): string {
  return type === 'none' ? '' : ` (${type})`;
}

function sessionWords({ session }: Extract<StepInstruction, { op: 'step-attempt' }>): string {
  return session === null || session.kind === 'new' ? '' : `, in the session of ${session.key.path}`;
}

function guardWords({ maxTurns, maxCost, maxTimeMs, noWrite }: GuardPlan): string {
  const words = [
    ...(maxTurns === undefined ? [] : [`max_turns=${maxTurns}`]),
    ...(maxCost === undefined ? [] : [`max_cost=${maxCost}`]),
    ...(maxTimeMs === undefined ? [] : [`max_time=${maxTimeMs}ms`]),
    ...(noWrite ? ['no_write'] : []),
  ];
  return words.length === 0 ? '' : ` [${words.join(' ')}]`;
}

function checkWords(check: CheckPlan): string {
  switch (check.kind) {
    case 'touched':
    case 'untouched':
      return `: ${check.globs.map(text).join(', ')}`;
    case 'files':
      return ': only the files of the task';
    case 'shape':
      return '';
    case 'expr':
      return `: ${check.text}`;
    default:
      return unreachable(check);
  }
}

function retryWords({ retry }: StepPlan): string {
  const entries = (retry?.entries ?? []).filter(({ when }) => when.kind !== 'exit').map(entryWords);
  return `  RETRY ${[...entries, `exit: ${retry?.exit ?? 1}`].join('; ')}`;
}

function entryWords({ when, agent, prompt, session, worktree }: RetryEntryPlan): string {
  const condition =
    when.kind === 'attempt' ? `attempt: ${when.number}` : when.kind === 'not' ? `not: gate.${when.gate}` : 'validate:';
  const changes = [
    ...(agent === undefined ? [] : [`agent ${text(agent)}`]),
    ...(prompt === undefined ? [] : ['prompt']),
    ...(session === undefined ? [] : [`session ${session}`]),
    ...(worktree === undefined ? [] : [`worktree ${worktree}`]),
  ];
  return `${condition} → ${changes.join(', ')}`;
}
