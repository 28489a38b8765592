/**
 * A step, from its first attempt to its last. The work itself is ordinary instructions. This file decides what connects
 * them: the number of the attempt, its overrides, and what follows from a failed gate.
 */
import type { Template } from '../../machine/expression.js';
import type { RetryEntryLayout, SessionLayout, StepInstructionOf, StepLayout } from '../../machine/step.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { readClock, reissueSample } from '../control/request-effects.js';
import { timeIsUp } from '../control/reservations.js';
import { RuntimeFailure } from '../failure.js';
import { timeOf } from '../instructions/wait-instructions.js';
import type { WorktreeAction } from '../request.js';
import { NOTHING_USED, type Overrides, type StepFrame } from '../run-state/frame.js';
import { type LinkContext, type Linked, STOP } from '../run-state/linked-machine.js';
import { pathOf, prefixHere, stepOf } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { compileTemplate } from '../values/template.js';
import { copyToPrevious, costOfTally, recordStep, writeVerdict } from './keys.js';
import { compilePrompt, cutMiddle, lastLine } from './prompt-text.js';
import { markCommittedAt, reissueWorktree, requestWorktree, worktreeFailure } from './step-requests.js';

/** How many characters `{error}` and `{diff}` have at most, including the mark of what is omitted. */
const ERROR_LENGTH = 2000;
const DIFF_LENGTH = 3000;

export function linkStepBegin({ plan: layout }: StepInstructionOf<'step-begin'>, { pc }: LinkContext): Linked {
  return linkAtTime(layout, (t, nowMs) => {
    const path = prefixHere(t) + layout.name;
    // A step that is executed again in a loop of states keeps nothing of the last time.
    for (const prefix of [`${path}.`, `prev.${path}.`]) t.run.steps.removeKeysBelow(prefix);
    t.frames.push(frameOfStep(t, newFrame(path, nowMs, t.worktree.commit)));
    return pc + 1;
  });
}

/** An instruction that reads the clock first. `then` gets the time and gives the next position. */
function linkAtTime(layout: StepLayout, then: (thread: Thread, nowMs: number) => number): Linked {
  return {
    instruction: (t) => {
      readClock(t, `STEP: ${layout.name}`);
      return STOP;
    },
    suspender: {
      resume: (t, _pending, outcome) => {
        const nowMs = timeOf(outcome);
        t.run.steps.tick(nowMs);
        return then(t, nowMs);
      },
      reissue: reissueSample,
    },
  };
}

function newFrame(path: string, startedMs: number, commit: string | null): StepFrame {
  return {
    kind: 'step',
    path,
    startedMs,
    attempt: 0,
    phase: 'work',
    base: commit,
    before: commit,
    overrides: {},
    agent: null,
    agentBefore: null,
    session: null,
    sessionBefore: null,
    correction: null,
    output: '',
    diff: '',
    files: [],
    comments: null,
    verdict: null,
    failure: null,
    guarded: false,
    gates: {},
    asked: null,
    errorBefore: '',
    diffBefore: '',
    gatesBefore: {},
    tally: NOTHING_USED,
    reserved: 0,
  };
}

export function linkStepAttempt(instruction: StepInstructionOf<'step-attempt'>, { pc }: LinkContext): Linked {
  const { plan: layout, session, replan } = instruction;
  const agent = instruction.agent === null ? null : compileTemplate(instruction.agent).text;
  const begin = (t: Thread): number => {
    const frame = stepOf(t);
    frame.before = t.worktree.commit;
    delete frame.entered;
    // The output of an earlier command is not an answer of this step.
    if (layout.work === 'body') t.output = null;
    frame.agent = agent === null ? null : (frame.overrides.agent ?? agent(t).trim());
    frame.session = sessionFor(t, frame, session);
    if (replan !== undefined) {
      t.locals[replan.planner] = frame.overrides.replan ?? null;
      t.locals[replan.worker] = frame.agent ?? '';
    }
    const { path: step, attempt } = frame;
    t.run.recordNow({ type: 'step_started', step, attempt, agent: frame.agent, step_type: layout.type });
    recordStep(t.run, frame, 'running');
    return pc + 1;
  };
  return {
    instruction: (t) => {
      const frame = stepOf(t);
      startAttempt(frame);
      forgetBelow(t, frame.path);
      if (t.worktree.commit === null) return begin(t);
      const isFirst = isFirstHere(frame);
      const isBack = isFirst ? frame.entered === 'for-another' : frame.overrides.worktree === 'reset';
      // Changes of earlier instructions are not changes of the step, and resetting must not remove them.
      const isAhead = isFirst && layout.work !== 'none' && t.run.steps.touched.has(t.worktree.task);
      return isBack || isAhead ? requestWorktree(t, startingAction(t)) : begin(t);
    },
    suspender: {
      resume: (t, _pending, outcome) => {
        if (outcome.kind === 'failed' || outcome.kind === 'not-started') throw worktreeFailure(outcome);
        const frame = stepOf(t);
        if (outcome.kind === 'changed') frame.base = outcome.commit;
        markCommittedAt(t, frame.base);
        return begin(t);
      },
      reissue: reissueWorktree(startingAction),
    },
  };
}

/** Whether it is the first attempt since the step was entered. */
const isFirstHere = ({ attempt, entered }: StepFrame): boolean => attempt === 1 || entered !== undefined;

/** The operation that the worktree needs before an attempt. */
function startingAction(t: Thread): WorktreeAction {
  const frame = stepOf(t);
  const { base, path } = frame;
  const commit = base as string;
  if (!isFirstHere(frame) || frame.entered === 'for-another') return { do: 'reset', to: commit };
  return { do: 'snapshot', onto: commit, from: commit, label: `before ${path}` };
}

function startAttempt(frame: StepFrame): void {
  frame.attempt++;
  frame.phase = 'work';
  frame.agentBefore = frame.agent;
  frame.sessionBefore = frame.session;
  frame.undone = frame.guarded && frame.before !== null;
  frame.continues = false;
  frame.denied = [];
  frame.correction = null;
  frame.output = '';
  frame.comments = null;
  frame.verdict = null;
  frame.failure = null;
  delete frame.outside;
  frame.guarded = false;
  frame.gates = {};
}

/** A retry continues the session of the previous attempt, unless it must start a new one or has another agent. */
function sessionFor(t: Thread, frame: StepFrame, layout: SessionLayout | null): string | null {
  if (frame.attempt > 1) {
    if (frame.overrides.session !== 'new' && frame.agent === frame.agentBefore) return frame.sessionBefore;
    frame.fork = false;
    return null;
  }
  if (layout === null || layout.kind === 'new') return null;
  const found = t.run.steps.keys.get(`${pathOf(t, layout.key)}.session_id`);
  if (found === undefined || found === '') return null;
  frame.fork = true;
  return found;
}

/** Decides the result of an attempt after all of its gates. */
export function linkStepVerdict(
  { plan: layout, done }: StepInstructionOf<'step-verdict'>,
  { pc, base }: LinkContext,
): Linked {
  return linkAtTime(layout, (t, nowMs) => {
    const frame = stepOf(t);
    if (timeIsUp(t, nowMs)) return STOP;
    if (hasPassed(frame, layout)) {
      writeVerdict(t.run, frame, 'pass', nowMs);
      noteBase(t, frame, layout);
      complete(t, frame, 'pass');
      return base + done;
    }
    const last = isLast(t, frame, layout.retry?.exit ?? 1);
    writeVerdict(t.run, frame, last ? 'fatal' : 'fail', nowMs);
    if (last) return end(t, frame, layout);
    recordStep(t.run, frame, 'fail');
    remember(t, frame, layout);
    return pc + 1;
  });
}

function hasPassed(frame: StepFrame, layout: StepLayout): boolean {
  if (frame.failure !== null) return false;
  if (frame.verdict === false && layout.verdict !== true) return false;
  return Object.values(frame.gates).every(({ pass }) => pass);
}

/** Whether this is the last attempt, unless the user grants another one. */
function isLast(t: Thread, { path, attempt }: StepFrame, exit: number): boolean {
  return attempt >= exit && !t.run.steps.isGranted({ step: path, attempt });
}

function complete(t: Thread, frame: StepFrame, status: 'pass' | 'fatal'): void {
  const { path: step, attempt, tally } = frame;
  recordStep(t.run, frame, status);
  t.run.recordNow({ type: 'step_completed', step, attempt, status, retries: attempt - 1, cost: costOfTally(tally) });
  t.frames.pop();
}

/** Ends a step that did not pass. */
function end(t: Thread, frame: StepFrame, layout: StepLayout): number {
  const { path, attempt } = frame;
  complete(t, frame, 'fatal');
  const why = reasonOf(frame, layout);
  const tries = attempt === 1 ? '' : ` after ${attempt} attempts`;
  const gate = frame.failure === null ? failedGates(frame, layout)[0]?.name : undefined;
  const about = { step: path, ...omitUndefined({ gate }) };
  const { kind, causes } = frame.outside ?? { kind: 'gate_failed', causes: undefined };
  throw new RuntimeFailure(
    kind,
    `step \`${path}\` failed${tries}: ${why}`,
    path,
    null,
    about,
    causes === undefined ? { attempt } : { causes },
  );
}

/** Why an attempt did not pass, in one line. */
function reasonOf(frame: StepFrame, layout: StepLayout): string {
  if (frame.failure !== null) return firstLine(frame.failure);
  const failed = failedGates(frame, layout);
  const [first] = failed;
  if (first === undefined)
    return frame.comments ? `it rejected the result: ${firstLine(frame.comments)}` : 'it rejected the result';
  const { comments, said, error } = first.finding;
  const names = failed.map(({ name }) => `\`${name}\``).join(', ');
  const words = lastLine(comments || said || error || '');
  return `${failed.length === 1 ? 'gate' : 'gates'} ${names}${words === '' ? '' : `: ${words}`}`;
}

/** The gates that did not pass, in the order of the step. */
function failedGates({ gates }: StepFrame, layout: StepLayout) {
  return layout.gates.flatMap(({ name }) => {
    const finding = gates[name];
    return finding?.pass === false ? [{ name, finding }] : [];
  });
}

const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0] ?? '';

/** The results of a failed attempt that the next one can read. */
function remember(t: Thread, frame: StepFrame, layout: StepLayout): void {
  frame.phase = 'retry';
  frame.errorBefore = cutMiddle(errorText(frame, layout), ERROR_LENGTH);
  frame.diffBefore = cutMiddle(frame.diff, DIFF_LENGTH);
  frame.gatesBefore = frame.gates;
  copyToPrevious(t.run, frame.path);
}

/** The output of failed gates, each with its name if there are several. */
function errorText(frame: StepFrame, layout: StepLayout): string {
  if (frame.failure !== null) return frame.failure;
  const failed = failedGates(frame, layout).map(({ name, finding: { said, error, comments } }) => ({
    name,
    text: (said || error || comments || '').trimEnd(),
  }));
  if (failed.length === 0) return frame.comments ?? '';
  if (failed.length === 1) return failed[0]?.text ?? '';
  return failed.map(({ name, text }) => `${name}:\n${text}`).join('\n\n');
}

/** Decides what the next attempt does differently, after the validators of its entries have answered. */
export function linkStepRetry(
  { plan: layout, again, restarts = [] }: StepInstructionOf<'step-retry'>,
  { base }: LinkContext,
): Linked {
  const entries = (layout.retry?.entries ?? []).map(linkEntry);
  return {
    instruction: (t) => {
      const frame = stepOf(t);
      const next = frame.attempt + 1;
      let overrides: Overrides = frame.overrides;
      const matched: number[] = [];
      entries.forEach((entry, index) => {
        if (!entry.applies(t, frame, next)) return;
        matched.push(index);
        const own = entry.overrides(t, index);
        // An agent that takes over does the step itself.
        const { replan, ...before } = overrides;
        const isByItself = replan === undefined || (own.agent !== undefined && own.replan === undefined);
        overrides = isByItself ? { ...before, ...own } : { ...overrides, ...own };
      });
      const earlier = restarts.find(({ step }) => step === overrides.restart);
      const isOther = overrides.agent !== undefined && overrides.agent !== frame.agent;
      // A conversation about files that are made anew does not help.
      if ((isOther || earlier !== undefined) && overrides.session !== 'new')
        overrides = { ...overrides, session: 'new' };
      frame.overrides = overrides;
      t.run.recordNow({
        type: 'retry_triggered',
        step: frame.path,
        attempt: next,
        matched,
        overrides: describeOverrides(overrides, entries),
      });
      if (earlier === undefined) return base + again;
      leaveFor(t, earlier.step);
      return base + earlier.to;
    },
  };
}

interface LinkedEntry {
  readonly applies: (t: Thread, frame: StepFrame, next: number) => boolean;
  readonly overrides: (t: Thread, index: number) => Overrides;
  readonly source: string;
}

function linkEntry({ when, agent, prompt, session, worktree, restart, replan }: RetryEntryLayout): LinkedEntry {
  const name = agent === undefined ? null : compileTemplate(agent).text;
  const planner = replan === undefined ? null : compileTemplate(replan).text;
  return {
    applies: (t, frame, next) => {
      switch (when.kind) {
        case 'attempt':
          return next >= when.number;
        case 'not':
          return frame.gates[when.gate]?.pass === false;
        case 'validate':
          return t.locals[when.slot] === true;
        case 'exit':
          return false;
        default:
          return unreachable(when);
      }
    },
    overrides: (t, index) =>
      omitUndefined({
        agent: name === null ? undefined : name(t).trim(),
        prompt: prompt === undefined ? undefined : index,
        session,
        worktree,
        restart,
        replan: planner === null ? undefined : planner(t).trim(),
      }),
    source: prompt === undefined ? '' : sourceOf(prompt),
  };
}

/** The source text of a prompt, for the record: its values belong to the attempt. */
function sourceOf(prompt: Template): string {
  return prompt.map((part) => (typeof part === 'string' ? part : part.source)).join('');
}

function describeOverrides(overrides: Overrides, entries: readonly LinkedEntry[]) {
  const { agent, prompt, session, worktree, restart, replan } = overrides;
  return omitUndefined({
    agent,
    prompt: prompt === undefined ? undefined : (entries[prompt]?.source ?? ''),
    session,
    worktree,
    restart_from: restart,
    replan,
  });
}

/** The prompts of RETRY by entry; null if an entry has none. */
export function linkRetryPrompts(layout: StepLayout): readonly (((t: Thread) => string) | null)[] {
  return (layout.retry?.entries ?? []).map(({ prompt }) => (prompt === undefined ? null : compilePrompt(prompt)));
}

/** Leaves a step that did not pass, for the earlier step of that name. */
function leaveFor(t: Thread, earlier: string): void {
  const frame = t.frames.pop() as StepFrame;
  const restarts = t.restarts ?? { left: {}, bases: {} };
  const to = prefixHere(t) + earlier;
  t.restarts = { ...restarts, left: { ...restarts.left, [frame.path]: frame }, to, by: frame.path };
}

/** Notes the commit before a step from which a later one may start again. */
function noteBase(t: Thread, { path, base }: StepFrame, layout: StepLayout): void {
  if (layout.restarts !== true || base === null) return;
  const restarts = t.restarts ?? { left: {}, bases: {} };
  t.restarts = { ...restarts, bases: { ...restarts.bases, [path]: base } };
}

/** The frame of a step that is entered: what an earlier attempt has left, or a new one. */
function frameOfStep(t: Thread, fresh: StepFrame): StepFrame {
  const { restarts } = t;
  if (restarts === null) return fresh;
  const { path } = fresh;
  forgetBelow(t, path);
  const own = restarts.left[path];
  if (own !== undefined) {
    const { [path]: _, ...left } = restarts.left;
    t.restarts = { ...restarts, left };
    const { base, before } = fresh;
    return startedBy(t, { ...own, base, before, entered: 'for-itself' });
  }
  return startedBy(t, fresh);
}

/** The step learns which later one did not pass, and why. */
function startedBy(t: Thread, frame: StepFrame): StepFrame {
  const { restarts } = t;
  if (restarts === null || restarts.to !== frame.path || restarts.by === undefined) return frame;
  const { to, by, ...others } = restarts;
  t.restarts = others;
  const later = others.left[by];
  const base = others.bases[to] ?? frame.base;
  const why = later === undefined ? {} : { errorBefore: later.errorBefore, diffBefore: later.diffBefore };
  return { ...frame, ...why, base, startedBy: by, entered: 'for-another' };
}

/** What steps inside of a step have left is not that of its next attempt. */
function forgetBelow(t: Thread, path: string): void {
  if (t.restarts === null) return;
  const kept = Object.entries(t.restarts.left).filter(([inner]) => !inner.startsWith(`${path}/`));
  t.restarts = { ...t.restarts, left: Object.fromEntries(kept) };
}
