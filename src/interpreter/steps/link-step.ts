/** The instructions of steps, each from the file that executes it. */
import type { StepInstruction, StepLayout } from '../../machine/step.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { Output } from '../events/event.js';
import type { WorktreeAction } from '../request.js';
import type { StepFrame } from '../run-state/frame.js';
import type { LinkContext, Linked } from '../run-state/linked-machine.js';
import { stepOf } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { base64Bytes } from '../values/functions.js';
import { linkGateCheck, linkGateCommand, linkGateSchema, linkGateVerdict } from './gates.js';
import { recordStep, writeWork } from './keys.js';
import { linkStepAttempt, linkStepBegin, linkStepRetry, linkStepVerdict } from './run-step.js';
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
import { linkStepAgent, takeAnswer } from './step-agent.js';
import { readTasks } from './step-answer.js';
import { markCommittedAt, reissueWorktree, requestWorktree, worktreeFailure } from './step-requests.js';

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

/** All changes of a step count, including those of earlier attempts, so that a forbidden edit cannot survive a retry. */
function actionFor(t: Thread, { memo }: StepLayout): WorktreeAction {
  const frame = stepOf(t);
  const { path: step, attempt } = frame;
  const before = frame.before as string;
  if (frame.guarded) return { do: 'reset', to: before };
  const taken = {
    do: 'snapshot',
    onto: before,
    from: frame.base as string,
    label: `${step}, attempt ${attempt}`,
  } as const;
  return memo === undefined ? taken : { ...taken, memo: { step, attempt } };
}

/**
 * Collects the work of an attempt: commits its changes to the worktree and writes its keys, so that gates and later steps
 * can read them.
 */
function linkStepCollect(
  { plan: layout, otherwise }: Extract<StepInstruction, { op: 'step-collect' }>,
  { pc, base }: LinkContext,
): Linked {
  const finish = (t: Thread): number => {
    const frame = stepOf(t);
    if (frame.failure === null && layout.work === 'body') takeOutput(t, frame, layout);
    if (layout.type === 'code') frame.output = frame.diff;
    else if (frame.overrides.replan !== undefined && frame.failure === null)
      frame.output = outputOfTasks(t, frame, layout);
    frame.phase = 'gates';
    writeWork(t.run, frame, layout.type === 'code' || layout.type === 'none');
    recordStep(t.run, frame, 'running');
    return frame.failure === null ? pc + 1 : base + otherwise;
  };
  return {
    instruction: (t) => {
      const frame = stepOf(t);
      // A step with only gates changes nothing.
      if (t.worktree.commit === null || frame.before === null || layout.work === 'none') return finish(t);
      return requestWorktree(t, actionFor(t, layout));
    },
    suspender: {
      resume: (t, _pending, outcome) => {
        const frame = stepOf(t);
        if (outcome.kind === 'failed' || outcome.kind === 'not-started') throw worktreeFailure(outcome);
        if (outcome.kind === 'changed') {
          frame.diff = textOf(outcome.stdout);
          frame.files = outcome.files;
          markCommittedAt(t, outcome.commit);
        }
        return finish(t);
      },
      reissue: reissueWorktree((t) => actionFor(t, layout)),
    },
  };
}

/** The answers of the tasks into which a retry has divided the step. */
function outputOfTasks({ run: { steps } }: Thread, { path }: StepFrame, { name }: StepLayout): string {
  const tasks = readTasks(steps.keys.get(`${path}/replan.output`) ?? '');
  if (!tasks.ok) return '';
  return tasks.value.map((task) => steps.keys.get(`${path}/replan/${task.name}/${name}.output`) ?? '').join('\n\n');
}

/** The text of a difference, limited to the size of a value. */
function textOf({ text, base64, tail }: Output): string {
  if (text !== undefined) return text;
  return base64 === undefined ? (tail ?? '') : new TextDecoder().decode(base64Bytes(base64) ?? new Uint8Array());
}

/** The answer of the work: the output of its last command. */
function takeOutput(t: Thread, frame: StepFrame, layout: StepLayout): void {
  const why = takeAnswer(frame, withoutFinalNewline(t.output === null ? '' : textOf(t.output)), layout);
  if (why !== null) frame.failure = `its output cannot be used: ${why}`;
}

const withoutFinalNewline = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);
