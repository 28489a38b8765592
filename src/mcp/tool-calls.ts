/** What each tool does. */
import { randomUUID } from 'node:crypto';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { CheckedProgram, RunBounds } from '../app/programs.js';
import { whyConfirm } from '../app/run-bounds.js';
import type { Json } from '../machine/expression.js';
import type { Machine } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { inputProblems } from '../runtime/run/run-inputs.js';
import type { OnBusy } from '../runtime/store/run-header.js';
import { findingsOf, inputNames } from '../serve/checking.js';
import { limitsOf } from '../serve/executions/requested-run.js';
import { boundWords } from '../views/drawing/bound-words.js';
import type { Caller, ShownForm } from './caller.js';
import type { Door } from './door.js';
import { findSource, type NamedFlow, sourceOf } from './find-program.js';
import { checkText, errorsResult, MORE_FINDINGS, refusalResult } from './findings.js';
import { confirmForm, defaultsOf, filledForm, formProblem, idOf, isQuestion, nameOf, questionForm } from './forms.js';
import { control, deliver, digestOf, startRun } from './run-operations.js';
import { partOfRun } from './run-parts.js';
import { describeRun, failedResult, resultOf, type ToolResult } from './run-view.js';
import { cutText, type ShortMembers } from './short-answer.js';
import { type TrialArguments, TrialCalls, whyNoTrials } from './trial-calls.js';
import { lookAt, untilItStands } from './until-it-stands.js';

export type CallResult = ToolResult | InputRequiredResult;

type ToolValues = Readonly<Record<string, Json>>;

// ---- check ------------------------------------------------------------------------------------------

const LONGEST_FIXED = 200_000;

interface CheckArguments extends NamedFlow {
  readonly fix?: boolean;
}

export async function checkCall(door: Door, { fix = false, ...named }: CheckArguments): Promise<ToolResult> {
  const found = await findSource(door, named, ['file', 'text']);
  if (!found.ok) return refusalResult(found.refusal);
  const source = sourceOf(found.value);
  if (typeof source === 'string' && /\.test\.(?:dsl|statedsl)$/.test(source))
    return failedResult(`\`${source}\` is a test file`, `run \`statedsl check ${source}\``);
  const result = await door.checks.review(source, fix);
  if (!result.ok) return refusalResult(result.refusal);
  const { valid, findings, inputs, corrected } = result.value;
  const facts = { valid, findings, ...(valid && inputs.length > 0 ? { inputs } : {}) } as unknown as ShortMembers;
  const made = resultOf(facts, MORE_FINDINGS, checkText);
  if (corrected === undefined) return made;
  const { text, fixed } = corrected;
  if (text.length > LONGEST_FIXED) return failedResult('the text is too long to be returned', 'use `check --fix`');
  const [shown] = made.content;
  return {
    content: [{ type: 'text', text: `${shown?.text}\nfixed: ${fixed}\n\n${text}` }],
    structuredContent: { ...made.structuredContent, fixed, text },
  };
}

// ---- run --------------------------------------------------------------------------------------------

export interface RunArguments extends NamedFlow {
  readonly inputs?: ToolValues;
  readonly name?: string;
  readonly limits?: Readonly<Record<string, number>>;
  readonly wait_s?: number;
  readonly confirm?: boolean;
  readonly key?: string;
  readonly run_key?: string;
  readonly on_busy?: OnBusy;
  readonly fresh?: true;
  readonly memo_max_age?: number;
  readonly only?: string;
  readonly trial?: TrialArguments;
}

/** What is reported later about a run that was started. */
export interface StartedTool {
  readonly run_id: string;
  readonly bound?: string;
  readonly isNew: boolean;
}

const WAIT_S = 20;

export async function runCall(door: Door, given: RunArguments, caller: Caller): Promise<CallResult> {
  const { state } = caller;
  // The call comes back with its form and must not start a second run.
  if (state?.kind === 'questions') return afterForm(door, state, given.wait_s ?? WAIT_S, caller);
  if (given.trial !== undefined) return trialCall(door, { ...given, trial: given.trial }, caller);
  const begun = await startCall(door, given, caller);
  if ('answer' in begun) return begun.answer;
  const { run_id, bound, isNew } = begun.started;
  if (caller.hasTasks) return taskResult(run_id);
  return follow(door, caller, {
    run_id,
    wait_s: given.wait_s ?? WAIT_S,
    ...(bound === undefined ? {} : { bound }),
    ...(isNew ? {} : { note: 'the key was used before: this is the run of that time' }),
  });
}

async function trialCall(
  door: Door,
  {
    program,
    file,
    trial,
    confirm = false,
    wait_s = WAIT_S,
    ...others
  }: RunArguments & { readonly trial: TrialArguments },
  caller: Caller,
): Promise<CallResult> {
  const refused = whyNoTrials(door);
  if (refused !== null) return refused;
  const [other] = Object.keys(others);
  if (other !== undefined)
    return failedResult(`a trial has no \`${other}\``, 'the cases have the inputs: leave it out');
  const found = await findSource(door, omitUndefined({ program, file }), ['program', 'file']);
  if (!found.ok) return refusalResult(found.refusal);
  return new TrialCalls(door, caller).start(sourceOf(found.value) as string, trial, confirm, wait_s);
}

/** It was started; or why not, or the form that confirms it. */
type BegunCall = { readonly started: StartedTool } | { readonly answer: CallResult };

export async function startCall(door: Door, given: RunArguments, caller: Caller): Promise<BegunCall> {
  const { inputs = {}, name, limits, key, run_key, on_busy, confirm = false, program, file, text } = given;
  const { fresh, memo_max_age, only } = given;
  const named = {
    ...(program === undefined ? {} : { program }),
    ...(file === undefined ? {} : { file }),
    ...(text === undefined ? {} : { text }),
  };
  const found = await findSource(door, named, ['program', 'file', 'text']);
  if (!found.ok) return { answer: refusalResult(found.refusal) };
  const source = found.value;
  const reviewed = door.checks.isLong(sourceOf(source)) ? await door.checks.review(sourceOf(source), false) : null;
  if (reviewed !== null && !reviewed.ok) return { answer: refusalResult(reviewed.refusal) };
  if (reviewed?.value.valid === false) return { answer: errorsResult(reviewed.value.findings) };
  const result = await door.folder.check(sourceOf(source));
  if (!result.ok) return { answer: refusalResult(result.refusal) };
  const checked = result.value;
  if (!checked.isValid || checked.machine === null) return { answer: errorsResult(findingsOf(checked)) };
  const [problem] = inputProblems(checked.machine as Machine, inputs);
  if (problem !== undefined)
    return {
      answer: failedResult(problem.message, inputHelp(checked), { inputs: inputNames(checked) }),
    };
  const written = caller.written?.inputs as ToolValues | undefined;
  const bounds = await door.folder.bounds(checked, { ...inputs, ...written }, limitsOf(limits));
  const bound = bounds.ok ? bounds.value : null;
  const digest = digestOf(source, { ...inputs, ...written });
  const asked = await confirmation(door, caller, { bound, digest, isConfirmed: confirm });
  if ('answer' in asked) return asked;
  const started = await startRun(door, {
    checked,
    source,
    inputs,
    written,
    name,
    limits: limitsOf(limits),
    by: `agent ${caller.name}`,
    key: key ?? asked.key,
    exclusive: { key: run_key, onBusy: on_busy },
    memo: { fresh, memo_max_age, only },
    signal: caller.signal,
  });
  if (!started.ok) return { answer: refusalResult(started.refusal) };
  return { started: { ...started.value, ...(bound === null ? {} : { bound: boundWords(bound) }) } };
}

function inputHelp({ inputs }: CheckedProgram): string {
  const names = inputs.map(({ name, type }) => (type === undefined ? name : `${name} (${type})`));
  return names.length === 0 ? 'the program has no inputs' : `its inputs are ${names.join(', ')}`;
}

interface Confirming {
  readonly bound: RunBounds | null;
  readonly digest: string;
  readonly isConfirmed: boolean;
}

/** Before money is spent: a form or a refusal, unless the run was confirmed. */
async function confirmation(
  door: Door,
  caller: Caller,
  { bound, digest, isConfirmed }: Confirming,
): Promise<{ readonly answer: CallResult } | { readonly key?: string }> {
  const { confirmAbove = {} } = await door.folder.configuration();
  const why = whyConfirm(bound, confirmAbove);
  if (why === null || isConfirmed) return {};
  const { state } = caller;
  const facts = { bound: bound as unknown as Json };
  if (state?.kind === 'confirm' && state.digest === digest) {
    const form = filledForm(caller);
    if (form.kind === 'accepted' && form.content.start === true && !form.byAgent) return { key: state.key };
    return { answer: failedResult('nothing was started: the run was not confirmed', null, facts) };
  }
  if (!caller.canAsk)
    return {
      answer: failedResult(
        `nothing was started: ${why}`,
        'ask the user, and then call it again with `confirm: true`',
        facts,
      ),
    };
  const key = `form ${randomUUID()}`;
  const seal = await (await door.codec()).mint({ kind: 'confirm', digest, key });
  return { answer: confirmForm(cutText(why, 1000), seal) };
}

// ---- tasks: see tasks.ts ---

/** How often a client should look at a task. */
export const POLL_MS = 500;

/** The answer of a call that has started a run: a task. Its structured content fits the schema of the tool. */
function taskResult(run_id: string): CallResult {
  const now = new Date().toISOString();
  const task = {
    taskId: run_id,
    status: 'working',
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  return { resultType: 'task', ...task, content: [], structuredContent: { run_id, status: 'running' } } as never;
}

// ---- get --------------------------------------------------------------------------------------------

interface GetArguments {
  readonly run_id?: string;
  readonly wait_s?: number;
  readonly part?: 'events' | 'report' | 'output' | 'graph';
  readonly after?: number;
}

export async function getCall(door: Door, { run_id, wait_s = 0, part, after = 0 }: GetArguments, caller: Caller) {
  const { state } = caller;
  if (state?.kind === 'questions') return afterForm(door, state, wait_s, caller);
  const trials = new TrialCalls(door, caller);
  if (trials.has(run_id)) return trials.get(run_id, wait_s);
  const found = await door.runs.find(run_id ?? null);
  if (!found.ok) return refusalResult(found.refusal);
  if (part !== undefined) return partOfRun(door, found.value.run_id, part, after);
  return follow(door, caller, { run_id: found.value.run_id, wait_s, isDetailed: true });
}

// ---- waiting, and questions ---------------------------------------------------------------------------

interface FollowedCall {
  readonly run_id: string;
  readonly wait_s: number;
  readonly bound?: string;
  readonly note?: string;
  readonly isDetailed?: boolean;
  /** The questions of this call were put to a person already. */
  readonly wasAsked?: boolean;
  /** How many forms the call has shown. */
  readonly round?: number;
  /** What the agent would answer. */
  readonly proposed?: ToolValues;
  /** Ids of questions. */
  readonly answered?: readonly string[];
}

/** How many forms one call shows, one after the other: clients and the library end calls with more than eight. */
const MOST_FORMS = 5;

/** Where the run stands; a form if it waits for a person who can be asked. */
async function follow(door: Door, caller: Caller, following: FollowedCall): Promise<CallResult> {
  const { run_id, wait_s, bound, proposed = {}, wasAsked = false, isDetailed = false, answered = [] } = following;
  const { round = 0 } = following;
  const found = await untilItStands(door, caller, { run_id, wait_s, bound, answered });
  if (!found.ok) return refusalResult(found.refusal);
  const questions = found.run.waiting.filter((one) => isQuestion(one) && !answered.includes(idOf(one)));
  if (caller.signal.aborted) door.left.add(run_id);
  const canAsk = caller.canAsk && !door.isReadOnly;
  if (questions.length > 0 && canAsk && !wasAsked && round < MOST_FORMS) {
    const shown = { run_id, names: questions.map(nameOf), ids: questions.map(idOf), round: round + 1 };
    const state = await (await door.codec()).mint({ kind: 'questions', ...shown });
    const defaults = await defaultsOf(door.runs, run_id);
    return questionForm({ runId: run_id, program: found.run.machine, questions, defaults, proposed }, state);
  }
  const wasLeft = !caller.signal.aborted && door.left.delete(run_id);
  const note =
    following.note ?? (wasLeft ? 'the call that waited for this run was cancelled; the run went on' : undefined);
  return describeRun(door, found, {
    ...{ isDetailed, canAsk },
    ...(bound === undefined ? {} : { bound }),
    ...(note === undefined ? {} : { note }),
  });
}

interface CallQuestions {
  readonly run_id: string;
  readonly names: readonly string[];
}

/**
 * A form came back: what a person filled in is delivered, and the call waits on, until the next question. It does not
 * repeat what the person left open.
 */
async function afterForm(door: Door, asked: ShownForm, wait_s: number, caller: Caller): Promise<CallResult> {
  const { run_id, ids: answered, round } = asked;
  const form = filledForm(caller);
  if (form.kind === 'refused')
    return follow(door, caller, {
      run_id,
      wait_s: 0,
      wasAsked: true,
      note: form.how === 'missing' ? 'the form came back without an answer' : `the person ${form.how} the form`,
    });
  const failed = await deliverForm(door, asked, form, caller);
  return failed ?? follow(door, caller, { run_id, wait_s: Math.max(wait_s, ANSWERED_S), answered, round });
}

/** Null: the answers were delivered. */
export async function deliverForm(
  door: Door,
  { run_id, names }: CallQuestions,
  { content, byAgent }: { readonly content: ShortMembers; readonly byAgent: boolean },
  caller: Caller,
): Promise<ToolResult | null> {
  if (door.isReadOnly) return failedResult('this server only reads', null, { run_id });
  const found = await lookAt(door, run_id);
  if (!found.ok) return refusalResult(found.refusal);
  if (byAgent && !door.agentsMayAnswer) return notForAgents(run_id, names);
  const problem = formProblem(content, found.run.waiting, names);
  if (problem !== null)
    return failedResult(problem, 'nothing was answered: call `get` to show the form again', { run_id });
  const by = byAgent ? `agent ${caller.name}` : `form (claimed by ${caller.name})`;
  const delivered = await deliver(door, run_id, { answers: content, by, through: byAgent ? 'mcp' : 'form' });
  return delivered.ok ? null : failedResult(delivered.refusal.message, delivered.refusal.help, { run_id });
}

function notForAgents(run_id: string, names: readonly string[]): ToolResult {
  const list = names.map((name) => `\`${name}\``).join(', ');
  const help = `ask a person to run \`statedsl answer ${run_id} ${names[0] ?? 'NAME'}=…\``;
  return failedResult(`${list} was put to a person, and no agent answers for a person`, help, { run_id });
}

// ---- answer -------------------------------------------------------------------------------------------

interface AnswerArguments {
  readonly run_id: string;
  readonly answers?: ToolValues;
  readonly signal?: string;
  readonly payload?: Json;
  readonly reason?: string;
}

/** How long an answered run may take to come to its next question. */
const ANSWERED_S = 5;

export async function answerCall(door: Door, given: AnswerArguments, caller: Caller): Promise<CallResult> {
  const { answers, signal, payload = null, reason } = given;
  if (caller.state?.kind === 'questions') return afterForm(door, caller.state, ANSWERED_S, caller);
  const found = await lookAt(door, given.run_id);
  if (!found.ok) return refusalResult(found.refusal);
  const { run_id, waiting } = found.run;
  if ((answers === undefined) === (signal === undefined))
    return failedResult('an answer is either `answers` or a `signal`', 'give one of them', { run_id });
  const by = `agent ${caller.name}${reason === undefined ? '' : `: ${cutText(reason, 200)}`}`;
  if (signal !== undefined) {
    const exact = caller.written?.payload ?? payload;
    const sent = await deliver(door, run_id, { signal: { name: signal, payload: exact }, by });
    return sent.ok ? follow(door, caller, { run_id, wait_s: ANSWERED_S }) : refusalResult(sent.refusal);
  }
  const names = Object.keys(answers as ToolValues);
  const questions = waiting.filter(isQuestion);
  const open = questions.map(nameOf);
  const unknown = names.find((name) => !open.includes(name) && !questions.some(({ id }) => id === name));
  if (unknown !== undefined || names.length === 0)
    return failedResult(
      unknown === undefined ? 'there is no answer in `answers`' : `the run does not ask \`${unknown}\``,
      open.length === 0 ? 'it asks nothing now; see `get`' : `it asks ${open.map((name) => `\`${name}\``).join(', ')}`,
      { run_id },
    );
  if (!door.agentsMayAnswer) {
    if (!caller.canAsk) return notForAgents(run_id, names);
    return follow(door, caller, { run_id, wait_s: 0, proposed: answers as ToolValues });
  }
  const exact = (caller.written?.answers ?? answers) as ToolValues;
  const delivered = await deliver(door, run_id, { answers: exact, by: `agent ${caller.name}`, reason });
  const answered = questions.filter((one) => names.includes(nameOf(one)) || names.includes(idOf(one))).map(idOf);
  return delivered.ok
    ? follow(door, caller, { run_id, wait_s: ANSWERED_S, wasAsked: true, answered })
    : refusalResult(delivered.refusal);
}

// ---- control ------------------------------------------------------------------------------------------

interface ControlArguments {
  readonly run_id: string;
  readonly action: 'cancel' | 'resume' | 'replay' | 'rollback';
  readonly from?: string;
  readonly limits?: Readonly<Record<string, number>>;
}

/** How long a run that was resumed may take to fail again. */
const CONTROLLED_S = 2;

export async function controlCall(door: Door, given: ControlArguments, caller: Caller): Promise<CallResult> {
  const { run_id, action, from, limits } = given;
  const by = `agent ${caller.name}`;
  const trials = new TrialCalls(door, caller);
  if (trials.has(run_id)) return trials.control(run_id, action, limits?.cost);
  const done = await control(door, { run_id, action, from, limits: limitsOf(limits), by, signal: caller.signal });
  if (!done.ok) return refusalResult(done.refusal);
  return follow(door, caller, { run_id: done.value, wait_s: action === 'cancel' ? 0 : CONTROLLED_S, wasAsked: true });
}
