/** The instructions of steps, each from the file that executes it. */

import type { StepInstruction } from '../../machine/step.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { LinkContext, Linked } from '../run-state/linked-machine.js';
import { linkStepCollect } from './collect.js';
import { linkGateCheck, linkGateCommand, linkGateSchema, linkGateVerdict } from './gates.js';
import {
  linkGroupEnter,
  linkGroupLeave,
  linkTaskEnter,
  linkTaskLeave,
  linkTasks,
  linkTasksMerge,
  linkWorkflowEnter,
  linkWorkflowLeave,
} from './scopes.js';
import { linkStepAttempt, linkStepBegin, linkStepRetry, linkStepVerdict } from './step.js';
import { linkStepAgent } from './step-agent.js';

export function linkStepInstruction(instruction: StepInstruction, context: LinkContext): Linked {
  switch (instruction.op) {
    case 'step-begin':
      return linkStepBegin(instruction, context);
    case 'step-attempt':
      return linkStepAttempt(instruction, context);
    case 'step-agent':
      return linkStepAgent(instruction, context);
    case 'step-collect':
      return linkStepCollect(instruction, context);
    case 'gate-command':
      return linkGateCommand(instruction, context);
    case 'gate-schema':
      return linkGateSchema(instruction, context);
    case 'gate-check':
      return linkGateCheck(instruction, context);
    case 'gate-verdict':
      return linkGateVerdict(instruction, context);
    case 'step-verdict':
      return linkStepVerdict(instruction, context);
    case 'step-retry':
      return linkStepRetry(instruction, context);
    case 'workflow-enter':
      return linkWorkflowEnter(instruction, context);
    case 'workflow-leave':
      return linkWorkflowLeave(instruction, context);
    case 'group-enter':
      return linkGroupEnter(context);
    case 'group-leave':
      return linkGroupLeave(context);
    case 'tasks':
      return linkTasks(instruction, context);
    case 'task-enter':
      return linkTaskEnter(instruction, context);
    case 'task-leave':
      return linkTaskLeave(instruction, context);
    case 'tasks-merge':
      return linkTasksMerge(instruction, context);
    default:
      return unreachable(instruction);
  }
}
