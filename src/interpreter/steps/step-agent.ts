/**
 * The agent call of a step. An agent that fails, exceeds a limit or answers in the wrong form fails the attempt, not the
 * step: RETRY decides what happens next.
 */

import type { GuardLayout, StepInstruction, StepLayout } from '../../machine/step.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { agentText } from '../agents/agent-output.js';
import { backOff, unavailability } from '../agents/agent-wait.js';
import { factsOfCall, sessionBegun } from '../agents/continued-session.js';
import { costOf, spend } from '../control/budget.js';
import { beginEffect, reissueSample, requestedEvent } from '../control/effects.js';
import { asFailure } from '../control/fail.js';
import { releaseReservation, reserveFor, spendInWorkflows, timeLeft } from '../control/reservations.js';
import type { Outcome } from '../events/event.js';
import { type DecodeOptions, decodeOutcome } from '../outcome.js';
import type { AgentRequest } from '../request.js';
import type { StepFrame, Tally } from '../run-state/frame.js';
import type { LinkContext, Linked } from '../run-state/linked-machine.js';
import { STOP } from '../run-state/linked-machine.js';
import { inStep, stepOf } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import { type Thread, warn } from '../run-state/thread.js';
import { addCost } from '../run-state/usage.js';
import { printJson } from '../values/json.js';
import type { Value } from '../values/value.js';
import { readTasks, readVerdict } from './answer.js';
import { answerSchema } from './answer-schema.js';
import { cutMiddle } from './excerpt.js';
import { compilePromptOf } from './prompt.js';
import { compilePrompt, retryFieldsOf } from './prompt-text.js';
import { linkRetryPrompts } from './step.js';
import { stepRequest } from './step-request.js';

/** The file that an agent may write to its answer folder instead of printing its answer. */
const ANSWER_FILES: Readonly<Record<StepLayout['type'], string | null>> = {
  split: 'plan.json',
  validate: 'validate.json',
  artifact: 'artifact.txt',
  code: null,
  none: null,
};

type Try = Pick<Pending, 'effect' | 'attempt' | 'waits'>;

export function linkStepAgent(
  instruction: Extract<StepInstruction, { op: 'step-agent' }>,
  { pc, base }: LinkContext,
): Linked {
  const { plan: layout, replan, to = 0, guards, context, answerFolder, answerSchemaFile } = instruction;
  const prompt = instruction.prompt === null ? null : compilePrompt(instruction.prompt);
  const shown = instruction.prompt === null ? new Set<string>() : retryFieldsOf(instruction.prompt);
  const promptOf = compilePromptOf({ layout, prompt, overrides: linkRetryPrompts(layout), context, shown });

  const build = (t: Thread, next: Try, again = false): AgentRequest => {
    const frame = stepOf(t);
    const agent = frame.agent ?? '';
    const answerFile = ANSWER_FILES[layout.type];
    return omitUndefined({
      ...stepRequest(t, next),
      kind: 'agent',
      tool: agent,
      text: `STEP: ${frame.path}`,
      timeoutMs: t.run.options.effectTimeoutMs,
      env: {},
      agent,
      prompt: promptOf(t, frame),
      args: {},
      output: null,
      step: frame.path,
      guards: guardsOf(guards, timeLeft(t)),
      ...sessionOf(t, frame),
      again: again ? true : undefined,
      waits: next.waits === 0 ? undefined : next.waits,
      answerFile: answerFile ?? undefined,
      answerFolder,
      answerSchema: answerSchema(layout.type),
      answerSchemaFile,
    });
  };

  const launch = (t: Thread, next: Try, counts: boolean): number => {
    const request = build(t, next);
    const event = requestedEvent(request, { ...inStep(t), prompt: request.prompt });
    beginEffect(t, request, omitUndefined({ event, counts, waits: request.waits }));
    return STOP;
  };

  const begin = (t: Thread): number => {
    if (replan !== undefined && t.locals[replan] !== null) return base + to;
    const frame = stepOf(t);
    const reserved = reserveFor(t, frame, mostOf(t, frame, guards));
    return reserved === 'reserved' ? launch(t, { effect: t.nextEffect(), attempt: 1 }, true) : STOP;
  };

  return {
    instruction: begin,
    suspender: {
      resume: (t, pending, outcome) => {
        const { waits, putsOff } = pending;
        const frame = stepOf(t);
        if (putsOff !== undefined) return launch(t, { ...putsOff, waits }, false);
        const unavailable = unavailability(outcome);
        if (unavailable === null) releaseReservation(t, frame);
        if (spend(t.run, outcome, frame.path) || spendInWorkflows(t, frame, outcome)) return STOP;
        if (unavailable !== null) {
          // It is not an attempt, but its reported cost is in the total of the run.
          if (costOf(outcome) !== null) count(frame, outcome);
          continueLater(t, frame, outcome);
          return backOff(t, pending, unavailable);
        }
        takeIn(t, frame, outcome, () => promptOf(t, frame));
        return decodeAnswer(frame, outcome, layout) ? pc + 1 : begin(t);
      },
      reissue: (t, pending) => {
        if (!reissueSample(t, pending)) t.run.request(build(t, pending, true));
      },
    },
  };
}

function guardsOf({ maxTurns, maxCost, maxTimeMs, noWrite }: GuardLayout, leftMs: number | null) {
  const most = maxTimeMs === undefined ? leftMs : leftMs === null ? maxTimeMs : Math.min(maxTimeMs, leftMs);
  return omitUndefined({
    maxTurns,
    maxCost,
    maxTimeMs: most ?? undefined,
    noWrite: noWrite ? noWrite : undefined,
  });
}

/** The most that the call may cost in US dollars, if that is limited. */
function mostOf(t: Thread, { agent }: StepFrame, { maxCost }: GuardLayout): number | null {
  const configured = agent === null ? undefined : t.run.options.agentMaxCost?.[agent];
  if (maxCost === undefined) return configured ?? null;
  return configured === undefined ? maxCost : Math.min(maxCost, configured);
}

type SessionOfRequest = Pick<AgentRequest, 'session' | 'sessionAdapter' | 'sessionTokens' | 'sessionOrigin' | 'fork'>;

/** The session to continue and its adapter, because no other adapter can continue it. */
function sessionOf({ run: { steps } }: Thread, { session, fork }: StepFrame): SessionOfRequest {
  if (session === null) return {};
  return omitUndefined({
    session,
    sessionAdapter: steps.sessionAdapters.get(session),
    sessionTokens: steps.sessionTokens.get(session),
    sessionOrigin: steps.sessionOrigins.get(session),
    fork: fork === true ? true : undefined,
  });
}

/** Characters of a prompt and of an answer that stand for a session. */
const ORIGIN_LENGTH = 20_000;

/** Adds what the call used, and keeps its session for the next call. */
function takeIn(t: Thread, frame: StepFrame, outcome: Outcome, prompt: () => string): void {
  count(frame, outcome);
  frame.continues = false;
  const {
    session_id: sessionId,
    adapter,
    session_of: made,
    denied = [],
    session_bound: isBound,
  } = factsOfCall(outcome);
  if (denied.length > 0) frame.denied = [...(frame.denied ?? []), ...denied];
  if (made !== undefined)
    warn(t, `\`${frame.path}\` starts a new session, because \`${adapter}\` cannot continue a session of \`${made}\``);
  if (sessionId === undefined || sessionId === '') {
    if (made !== undefined) frame.session = null;
    return;
  }
  ownSession(t, frame, sessionId, outcome);
  if (isBound !== true) return;
  const { directory } = t.worktree;
  const answer = cutMiddle(agentText(outcome) ?? '', ORIGIN_LENGTH);
  t.run.steps.setSessionOrigin(sessionId, { directory, prompt: cutMiddle(prompt(), ORIGIN_LENGTH), answer });
}

/** The session is that of this step from here on. */
function ownSession({ run: { steps } }: Thread, frame: StepFrame, sessionId: string, outcome: Outcome): void {
  const { adapter, session_tokens: sessionTokens } = factsOfCall(outcome);
  frame.session = sessionId;
  frame.fork = false;
  if (sessionTokens !== undefined) steps.setSessionTokens(sessionId, sessionTokens);
  if (adapter !== undefined) steps.setSessionAdapter(sessionId, adapter);
}

/** An agent that had begun its work continues it in its session, on the files as they are. */
function continueLater(t: Thread, frame: StepFrame, outcome: Outcome): void {
  const sessionId = sessionBegun(outcome);
  if (sessionId === null) return;
  ownSession(t, frame, sessionId, outcome);
  frame.continues = true;
}

function count(frame: StepFrame, outcome: Outcome): void {
  const { tally } = frame;
  const cost = costOf(outcome);
  const facts = factsOfCall(outcome);
  frame.tally = {
    calls: tally.calls + 1,
    cost: addCost(tally.cost, cost ?? 0),
    unknown: tally.unknown || cost === null,
    turns: facts.turns === undefined ? tally.turns : (tally.turns ?? 0) + facts.turns,
    tokens: facts.tokens === undefined ? tally.tokens : sum(tally.tokens, facts.tokens),
  };
}

function sum(a: Tally['tokens'], b: NonNullable<Tally['tokens']>): NonNullable<Tally['tokens']> {
  if (a === null) return b;
  return {
    in: a.in + b.in,
    out: a.out + b.out,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
  };
}

/** Decodes the answer. False if the agent must be asked again for its right form. */
function decodeAnswer(frame: StepFrame, outcome: Outcome, layout: StepLayout): boolean {
  const options: DecodeOptions = { decoding: 'text', ok: [0], tool: frame.agent, agent: true };
  let text: string;
  try {
    const { value } = decodeOutcome(outcome, options);
    text = typeof value === 'string' ? value : value === undefined ? '' : printJson(value);
  } catch (thrown) {
    frame.failure = asFailure(thrown).message;
    frame.guarded = (outcome.kind === 'exited' || outcome.kind === 'timed-out') && outcome.guard !== undefined;
    return true;
  }
  // An agent that only changes files need not answer.
  const why = takeAnswer(frame, text, layout);
  if (why === null) return true;
  if (frame.correction !== null) {
    frame.failure = `the answer cannot be used: ${why}`;
    return true;
  }
  frame.correction = why;
  return false;
}

/** Stores the answer in the form that other steps read. Otherwise returns the problem. */
export function takeAnswer(frame: StepFrame, text: string, layout: StepLayout): string | null {
  switch (layout.type) {
    case 'split': {
      const tasks = readTasks(text);
      if (!tasks.ok) return tasks.why;
      frame.output = printJson(tasks.value as unknown as Value);
      return null;
    }
    case 'validate': {
      const verdict = readVerdict(text);
      if (!verdict.ok) return verdict.why;
      const { pass, comments } = verdict.value;
      frame.verdict = pass;
      frame.comments = comments;
      frame.output = layout.older === true ? printJson({ pass, comments }) : String(pass);
      return null;
    }
    case 'artifact':
    case 'none':
    case 'code':
      frame.output = text;
      return null;
    default:
      return unreachable(layout.type);
  }
}
