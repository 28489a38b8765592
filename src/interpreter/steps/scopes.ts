/**
 * Scopes of the names of steps: groups, workflows and the tasks of a split each open their own scope. A parallel task also
 * works in its own worktree.
 */
import type { StepInstructionOf } from '../../machine/step.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { RuntimeFailure } from '../failure.js';
import type { MergedTask, WorktreeAction } from '../request.js';
import type { Frame, ParallelTask, ScopeFrame } from '../run-state/frame.js';
import type { LinkContext, Linked } from '../run-state/linked-machine.js';
import { pathOf, stepOf } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { readJson, render } from '../values/json.js';
import { isList, isObject, member, type Value } from '../values/value.js';
import { readKey } from './keys.js';
import { markCommittedAt, reissueWorktree, requestWorktree, worktreeFailure } from './step-requests.js';

function leave(t: Thread): ScopeFrame {
  // Closes the frames inside too, because a handler may come here from anywhere.
  for (let frame = t.frames.pop(); frame !== undefined; frame = t.frames.pop())
    if (frame.kind === 'scope') return frame;
  throw new Error('no scope is open here');
}

export function linkGroupEnter({ pc }: LinkContext): Linked {
  return {
    instruction: (t) => {
      t.frames.push({ kind: 'scope', prefix: `${stepOf(t).path}/` });
      return pc + 1;
    },
  };
}

export function linkGroupLeave({ pc }: LinkContext): Linked {
  return {
    instruction: (t) => {
      leave(t);
      return pc + 1;
    },
  };
}

// ---- workflows --------------------------------------------------------------------------------------

export function linkWorkflowEnter(
  { name, at, gate, limits }: StepInstructionOf<'workflow-enter'>,
  { pc }: LinkContext,
): Linked {
  const below = at === 'gate' ? `.gate.${gate ?? ''}.state.` : at === 'retry' ? '.retry.state.' : '.state.';
  const isLimited = Object.keys(limits).length > 0;
  return {
    instruction: (t) => {
      const prefix = stepOf(t).path + below;
      t.run.steps.removeKeysBelow(prefix);
      const budget = isLimited ? { budget: { name, ...limits, sinceMs: t.run.steps.lastClockMs } } : {};
      const frame: Frame = {
        kind: 'scope',
        prefix,
        ...budget,
        ...omitUndefined({ passing: at === 'retry' ? true : undefined }),
      };
      t.frames.push(frame);
      return pc + 1;
    },
  };
}

export function linkWorkflowLeave(
  { verdict, output, slot, failed }: StepInstructionOf<'workflow-leave'>,
  { pc }: LinkContext,
): Linked {
  return {
    instruction: (t) => {
      const path = verdict === null ? '' : pathOf(t, verdict);
      const comments = t.run.steps.keys.get(`${path}.comments`);
      const pass = failed !== true && t.run.steps.records.get(path)?.verdict === true;
      if (slot !== null)
        t.locals[slot] = output === null ? pass : (t.run.steps.keys.get(`${pathOf(t, output)}.output`) ?? '');
      const scope = leave(t);
      if (scope.passing === true) t.run.steps.removeKeysBelow(scope.prefix);
      const step = stepOf(t);
      step.asked = { pass, comments: failed === true ? (step.failure ?? comments ?? '') : (comments ?? '') };
      // If a validator itself fails, its gate fails, not the work that it validates.
      if (failed === true) step.failure = null;
      return pc + 1;
    },
  };
}

// ---- tasks ------------------------------------------------------------------------------------------

export function linkTasks({ of, slot }: StepInstructionOf<'tasks'>, { pc }: LinkContext): Linked {
  return {
    instruction: (t) => {
      const path = pathOf(t, of);
      const read = readJson(readKey(t, `${path}.output`, `${of.path}.output`));
      if (!read.ok || !isList(read.value))
        throw new RuntimeFailure('bad_value', `the output of \`${path}\` is not a list of tasks`);
      t.locals[slot] = read.value;
      return pc + 1;
    },
  };
}

function nameOf(task: Value | undefined): string {
  const name = isObject(task) ? member(task, 'name') : undefined;
  return name === undefined ? '' : render(name);
}

export function linkTaskEnter(
  { parent, slot, name, parallel }: StepInstructionOf<'task-enter'>,
  { pc }: LinkContext,
): Linked {
  const pathIn = (t: Thread): string =>
    `${pathOf(t, parent)}/${name ?? nameOf(slot === null ? undefined : t.locals[slot])}`;
  const enter = (t: Thread, task?: ParallelTask): number => {
    const prefix = `${name === undefined ? pathIn(t) : pathOf(t, parent)}/`;
    t.frames.push({ kind: 'scope', prefix, ...omitUndefined({ task }) });
    return pc + 1;
  };
  const fork = (t: Thread): WorktreeAction => ({ do: 'fork', base: t.worktree.commit as string });
  return {
    instruction: (t) => {
      if (!parallel || t.worktree.commit === null) return enter(t);
      return requestWorktree(t, fork(t), pathIn(t));
    },
    suspender: {
      resume: (t, _pending, outcome) => {
        if (outcome.kind === 'failed' || outcome.kind === 'not-started') throw worktreeFailure(outcome);
        const directory =
          outcome.kind === 'value' && isObject(outcome.value as Value)
            ? (outcome.value as { directory?: unknown }).directory
            : null;
        const path = pathIn(t);
        const base = t.worktree.commit as string;
        const outer = t.worktree;
        t.worktree = { task: path, directory: typeof directory === 'string' ? directory : null, commit: base };
        return enter(t, { path, base, outer });
      },
      reissue: reissueWorktree(fork, pathIn),
    },
  };
}

/** `slot` receives the last commit of the task, for the merge after the join. */
export function linkTaskLeave({ slot }: StepInstructionOf<'task-leave'>, { pc }: LinkContext): Linked {
  return {
    instruction: (t) => {
      const { task } = leave(t);
      if (task !== undefined) {
        if (slot !== null) t.locals[slot] = { task: task.path, base: task.base, tip: t.worktree.commit ?? task.base };
        t.worktree = task.outer;
      } else if (slot !== null) t.locals[slot] = null;
      return pc + 1;
    },
  };
}

function endsOf(t: Thread, slot: number): MergedTask[] {
  const ends = t.locals[slot];
  if (ends === undefined || !isList(ends)) return [];
  return ends.filter(isObject).map((end) => ({
    task: render(member(end, 'task') ?? ''),
    base: render(member(end, 'base') ?? ''),
    tip: render(member(end, 'tip') ?? ''),
  }));
}

export function linkTasksMerge({ slot }: StepInstructionOf<'tasks-merge'>, { pc }: LinkContext): Linked {
  const merge = (t: Thread): WorktreeAction => ({
    do: 'merge',
    onto: t.worktree.commit as string,
    tasks: endsOf(t, slot),
  });
  return {
    instruction: (t) =>
      t.worktree.commit === null || endsOf(t, slot).length === 0 ? pc + 1 : requestWorktree(t, merge(t)),
    suspender: {
      resume: (t, _pending, outcome) => {
        if (outcome.kind === 'failed' || outcome.kind === 'not-started') throw worktreeFailure(outcome);
        const commit = outcome.kind === 'value' ? (outcome.value as { commit?: unknown } | null)?.commit : null;
        if (typeof commit === 'string') markCommittedAt(t, commit);
        return pc + 1;
      },
      reissue: reissueWorktree(merge),
    },
  };
}
