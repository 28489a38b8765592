/**
 * The agent call of a step. An agent that fails, exceeds a limit or answers in the wrong form fails the attempt, not the
 * step: RETRY decides what happens next.
 */
import type { Json } from '../../machine/expression.js';
import type { ContextLayout, GuardLayout, StepInstruction, StepLayout, StepType } from '../../machine/step.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { agentText } from '../agents/agent-output.js';
import { backOff, unavailability } from '../agents/agent-wait.js';
import { CONTINUES, factsOfCall, sessionBegun } from '../agents/continued-session.js';
import { costOf, isBackedOff, spend } from '../control/budget.js';
import { asFailure } from '../control/fail.js';
import { beginEffect, reissueSample, requestedEvent } from '../control/request-effects.js';
import { releaseReservation, reserveFor, spendInWorkflows, timeLeft } from '../control/reservations.js';
import type { Outcome } from '../events/event.js';
import { type DecodeOptions, decodeOutcome } from '../outcome.js';
import type { AgentRequest, StepMemo } from '../request.js';
import type { StepFrame, Tally } from '../run-state/frame.js';
import { type LinkContext, type Linked, STOP } from '../run-state/linked-machine.js';
import { inStep, stepOf } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import { addCost } from '../run-state/run-usage.js';
import { type Thread, warn } from '../run-state/thread.js';
import { printJson, render } from '../values/json.js';
import { compileTemplate } from '../values/template.js';
import type { Value } from '../values/value.js';
import { recordStep } from './keys.js';
import { compilePrompt, cutMiddle, retryFieldsOf } from './prompt-text.js';
import { linkRetryPrompts } from './run-step.js';
import { readTasks, readVerdict } from './step-answer.js';
import { stepRequest } from './step-requests.js';

/** The file that an agent may write to its answer folder instead of printing its answer. */
const ANSWER_FILES: Readonly<Record<StepLayout['type'], string | null>> = {
  split: 'plan.json',
  validate: 'validate.json',
  artifact: 'artifact.txt',
  code: null,
  none: null,
};

type AgentTry = Pick<Pending, 'effect' | 'attempt' | 'waits'>;

export function linkStepAgent(
  instruction: Extract<StepInstruction, { op: 'step-agent' }>,
  { pc, base }: LinkContext,
): Linked {
  const { plan: layout, replan, to = 0, guards, context, answerFolder, answerSchemaFile } = instruction;
  const prompt = instruction.prompt === null ? null : compilePrompt(instruction.prompt);
  const shown = instruction.prompt === null ? new Set<string>() : retryFieldsOf(instruction.prompt);
  const files = layout.memo?.map((glob) => compileTemplate(glob).text);
  const promptOf = compilePromptOf({ layout, prompt, overrides: linkRetryPrompts(layout), context, shown });

  const build = (t: Thread, next: AgentTry, again = false): AgentRequest => {
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
      answerSchema: SCHEMAS[layout.type],
      answerSchemaFile,
      memo:
        files === undefined
          ? undefined
          : { files: files.map((glob) => glob(t)), reading: 'text' as const, step: memoOf(frame, layout) },
    });
  };

  const launch = (t: Thread, next: AgentTry, counts: boolean): number => {
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
        if (spend(t.run, outcome, frame.path) || spendInWorkflows(t, frame, outcome)) {
          // The run ends, and its report has what the step has cost.
          count(frame, outcome);
          recordStep(t.run, frame, 'running');
          return STOP;
        }
        if (unavailable !== null) {
          // It is not an attempt, but its reported cost is in the total of the run.
          if (costOf(outcome) !== null && !isBackedOff(outcome)) count(frame, outcome);
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

function guardsOf({ maxTurns, maxCost, maxTimeMs, idleMs, noWrite }: GuardLayout, leftMs: number | null) {
  const most = maxTimeMs === undefined ? leftMs : leftMs === null ? maxTimeMs : Math.min(maxTimeMs, leftMs);
  return omitUndefined({
    maxTurns,
    maxCost,
    maxTimeMs: most ?? undefined,
    idleMs,
    noWrite: noWrite ? noWrite : undefined,
  });
}

/** The most that the call may cost in US dollars, if that is limited. */
function mostOf(t: Thread, { agent }: StepFrame, { maxCost }: GuardLayout): number | null {
  const configured = agent === null ? undefined : t.run.options.agentMaxCost?.[agent];
  if (maxCost === undefined) return configured ?? null;
  return configured === undefined ? maxCost : Math.min(maxCost, configured);
}

/** Later requests of a step depend on what its gates found. */
function memoOf({ attempt, startedBy, correction, continues }: StepFrame, { type }: StepLayout): StepMemo {
  const isFirst = attempt === 1 && startedBy === undefined && correction === null && continues !== true;
  return { isFirst, changesFiles: type === 'code' || type === 'none' };
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

function objectOf(properties: Readonly<Record<string, Json>>): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const task = objectOf({
  name: { type: 'string', description: 'letters, digits, "_" and "-"; unique' },
  description: { type: 'string' },
  files: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'the only files that the task may change, or null',
  },
});

/**
 * The schemas of what agents of a split or a validation answer, for programs that make the model keep to one. They are in
 * the form that all of them accept: an object in which every member is required and no other is allowed.
 */
const SCHEMAS: Readonly<Partial<Record<StepLayout['type'], Json>>> = {
  split: objectOf({ tasks: { type: 'array', items: task } }),
  validate: objectOf({ pass: { type: 'boolean' }, comments: { type: 'string' } }),
};

/** The form of an answer that the run decodes. */
const FORMS: Readonly<Record<StepType, string>> = {
  code: '',
  artifact: '',
  none: '',
  split: [
    'Answer with a JSON list of tasks and nothing else:',
    '[{"name": "short-name", "description": "what to do", "files": ["path/of/a/file"]}]',
    'Names are unique and made of letters, digits, `_` and `-`; `files` may be left out.',
  ].join('\n'),
  validate: 'Answer with one JSON object and nothing else: {"pass": true or false, "comments": "what has to change"}',
};

interface PromptParts {
  readonly layout: StepLayout;
  /** The prompt of the step; null if it only continues a session. */
  readonly prompt: ((thread: Thread) => string) | null;
  /** Prompts of entries of RETRY. */
  readonly overrides: readonly (((thread: Thread) => string) | null)[];
  readonly context: readonly ContextLayout[];
  /** What the prompt of the step shows itself, which a retry does not append again: `error`, `diff`. */
  readonly shown: ReadonlySet<string>;
}

/** The complete prompt for an agent. */
function compilePromptOf({ layout, prompt, overrides, context, shown }: PromptParts) {
  const sections = context.map(({ title, slot, optional }) => ({
    title: compileTemplate(title).text,
    slot,
    optional: optional === true,
  }));
  return (t: Thread, frame: StepFrame): string => {
    if (frame.correction !== null) return correction(frame.correction, layout.type);
    const override = frame.overrides.prompt === undefined ? null : (overrides[frame.overrides.prompt] ?? null);
    const parts = override === null ? (prompt === null ? [] : [prompt(t)]) : [override(t)];
    for (const { title, slot, optional } of sections) {
      const value = t.locals[slot];
      if (value === undefined) continue;
      const text = render(value).trimEnd();
      if (text !== '' || !optional) parts.push(`## ${title(t)}\n\n${text}`);
    }
    // Without any text, the agent is asked to continue its session or to follow its own instructions.
    if (parts.length === 0) parts.push('Go on.');
    if (override === null && (frame.attempt > 1 || frame.startedBy !== undefined))
      parts.push(retrySection(frame, layout, shown));
    if (FORMS[layout.type] !== '') parts.push(FORMS[layout.type]);
    // What RETRY says is complete, but only here it is known that a conversation mentions changes that are gone.
    if (override !== null && frame.undone === true && frame.session !== null) parts.push(UNDONE);
    if (frame.continues === true) parts.unshift(CONTINUES);
    const [only, ...more] = parts;
    // A prompt to which nothing is added is sent unchanged, including spaces at its end.
    return more.length === 0 ? (only as string) : parts.map((part) => part.trimEnd()).join('\n\n');
  };
}

const UNDONE = 'The changes that the attempt before made to files were undone: the files are as they were before it.';

function correction(why: string, type: StepType): string {
  return `Your answer cannot be used: ${why}.\n\n${FORMS[type]}`;
}

function retrySection(
  { attempt, agent, agentBefore, errorBefore, diffBefore, undone, startedBy }: StepFrame,
  { retry }: StepLayout,
  shown: ReadonlySet<string>,
): string {
  const left = Math.max(0, (retry?.exit ?? attempt) - attempt);
  const lines =
    startedBy === undefined
      ? [
          '## The attempt before this one did not pass',
          `This is attempt ${attempt}; ${left === 0 ? 'it is the last one' : `${left} more ${left === 1 ? 'is' : 'are'} left after it`}.`,
        ]
      : [
          `## \`${startedBy}\` did not pass`,
          'The work starts again from here: the files are as they were before, and what was done since is gone.',
        ];
  if (agent !== agentBefore && agentBefore !== null && startedBy === undefined)
    lines.push(`The attempt before was made by ${agentBefore}; you are ${agent ?? 'another agent'} and take over.`);
  if (undone === true) lines.push(UNDONE);
  if (errorBefore !== '' && !shown.has('error')) lines.push('', '### What went wrong', '', errorBefore.trimEnd());
  if (diffBefore !== '' && !shown.has('diff')) lines.push('', '### What was changed by then', '', diffBefore.trimEnd());
  return lines.join('\n');
}
