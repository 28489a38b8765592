/**
 * Commands, functions and agents: an instruction becomes a request with all values evaluated, and its outcome becomes a
 * binding, another attempt or a failure. A request can be rebuilt from the thread alone, so that a restored run makes the
 * same request.
 */
import type { Json } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { backOff, unavailability } from '../agents/agent-wait.js';
import { continuedSession, continuing } from '../agents/continued-session.js';
import { spend } from '../control/budget.js';
import { asFailure } from '../control/fail.js';
import { beginEffect, reissueSample, requestedEvent } from '../control/request-effects.js';
import { reservationFor } from '../control/reservations.js';
import type { Outcome, RunEvent } from '../events/event.js';
import { badValue, type RuntimeFailure, unreadable } from '../failure.js';
import { type DecodedOutcome, type DecodeOptions, decodeOutcome } from '../outcome.js';
import type { AgentRequest, ArgvRequest, FunctionRequest, ShellRequest, ShellValue } from '../request.js';
import type { LinkContext, Linked, TakeOver } from '../run-state/linked-machine.js';
import { STOP } from '../run-state/linked-machine.js';
import { inStep } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import { locationOf, type Thread, warn } from '../run-state/thread.js';
import { markDirty } from '../steps/step-requests.js';
import { compile } from '../values/evaluate.js';
import { compileExitCodes, compileRetry, compileRetryOn } from '../values/evaluated-options.js';
import { render } from '../values/json.js';
import { operations } from '../values/operations.js';
import { compileShellValues, compileTemplate } from '../values/template.js';
import { aType, define, isList, plain, Unreadable, type Value } from '../values/value.js';
import { askChance, chanceOf, doubledMs } from './wait-instructions.js';

export type EffectInstruction = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' }>;
type WorkRequest = ShellRequest | ArgvRequest | FunctionRequest | AgentRequest;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The members of all kinds of requests, without those that identify the attempt. */
type Common = Omit<
  ShellRequest,
  'kind' | 'tool' | 'shell' | 'strict' | 'template' | 'values' | 'effect' | 'attempt' | 'delayMs'
>;
type Specific = DistributiveOmit<WorkRequest, keyof Common | 'effect' | 'attempt' | 'delayMs'>;

/** The number of the attempt, how often it was backed off, the session in which it continues, and what it may cost. */
type AttemptFacts = Pick<Pending, 'effect' | 'attempt' | 'waits' | 'continues' | 'reserved'>;

interface ValueOptions {
  readonly ok: ReturnType<typeof compileExitCodes>;
  readonly retry: ReturnType<typeof compileRetry>;
  readonly retryOn: ReturnType<typeof compileRetryOn>;
}

function compileCommon(
  instruction: EffectInstruction,
  { ok, retry, retryOn }: ValueOptions,
  undo: LinkContext['undo'],
): (thread: Thread) => Common {
  const timeout = instruction.timeout === undefined ? null : compileTemplate(instruction.timeout).value;
  const idle = instruction.idle === undefined ? null : compileTemplate(instruction.idle).value;
  const cwd = instruction.cwd === undefined ? null : compileTemplate(instruction.cwd).text;
  const memo = instruction.memo?.map((glob) => compileTemplate(glob).text);
  const { durationMs } = operations();
  const env = (instruction.env ?? []).map(({ name, value }) => ({ name, text: compileTemplate(value).text }));
  return (t) => {
    const { state, line } = undo ?? locationOf(t);
    if (instruction.piped && t.output === null)
      throw badValue('`|` has nothing to read: no DO or CHECK has run in this state yet');
    // Evaluated before the first attempt, so that an invalid value is reported before it and not after a failure.
    retry(t);
    retryOn(t);
    return {
      text: instruction.text,
      state,
      line,
      branch: t.path,
      timeoutMs: timeout === null ? t.run.options.effectTimeoutMs : durationMs(timeout(t), 'the timeout'),
      ...(idle === null ? {} : { idleMs: durationMs(idle(t), '`idle`') }),
      once: instruction.once === true,
      cwd: cwd === null ? null : cwd(t),
      env: Object.fromEntries(env.map(({ name, text }) => [name, text(t)])),
      stdin: instruction.piped ? t.output : null,
      ...(t.worktree.directory === null ? {} : { directory: t.worktree.directory }),
      needsText: instruction.reading !== 'none' || instruction.op === 'agent',
      ok: ok(t),
      ...(memo === undefined ? {} : { memo: { files: memo.map((glob) => glob(t)), reading: instruction.reading } }),
    };
  };
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || path;

function compileArgv(instruction: Extract<EffectInstruction, { op: 'argv' }>): (thread: Thread) => Specific {
  const evaluate = compile(instruction.list);
  const { reads } = instruction;
  const { listIn } = operations();
  return (t) => {
    const list = listIn(evaluate(t));
    if (!isList(list)) throw badValue(`a command without a shell must be a list of texts, not ${aType(list)}`);
    const argv = list.map(render);
    const [program] = argv;
    if (program === undefined || program === '')
      throw badValue('the first text of a command without a shell must be a program');
    return { kind: 'argv', tool: baseName(program), argv, ...(reads === undefined ? {} : { reads }) };
  };
}

function compileFunction(instruction: Extract<EffectInstruction, { op: 'function' }>): (thread: Thread) => Specific {
  const { name } = instruction;
  const { listIn } = operations();
  const args = instruction.args.map(({ template, list }) => {
    const { value, text } = compileTemplate(template);
    return (t: Thread): readonly string[] => {
      if (list !== true) return [text(t)];
      const items = listIn(value(t));
      if (!isList(items)) throw badValue(`\`{…*}\` needs a list, not ${aType(items)}`);
      return items.map(render);
    };
  });
  return (t) => ({ kind: 'function', tool: name, name, args: args.flatMap((arg) => arg(t)) });
}

/** The prompt, then a blank line and the values for the agent, one `name: value` per line. */
function compileAgent(instruction: Extract<EffectInstruction, { op: 'agent' }>): (thread: Thread) => Specific {
  const { agent } = instruction;
  const prompt = instruction.prompt === null ? null : compileTemplate(instruction.prompt).text;
  const args = instruction.args.map(({ name, value }) => ({ name, value: compile(value) }));
  const output = instruction.output === undefined ? null : compileTemplate(instruction.output).text;
  return (t) => {
    const values: { [key: string]: Value } = {};
    for (const { name, value } of args) define(values, name, value(t));
    const lines = args.map(({ name }) => `${name}: ${render(values[name] as Value)}`);
    const parts = [prompt === null ? '' : prompt(t), lines.join('\n')].filter((part) => part !== '');
    return {
      kind: 'agent',
      tool: agent,
      agent,
      prompt: parts.join('\n\n'),
      args: plain(values) as Record<string, Json>,
      output: output === null ? null : output(t),
    };
  };
}

function compileSpecific(instruction: EffectInstruction): (thread: Thread) => Specific {
  switch (instruction.op) {
    case 'shell': {
      const { template, shell, tool, strict } = instruction;
      const values = compileShellValues(template);
      const how = strict === undefined ? { shell } : { shell, strict };
      return (t) => ({ kind: 'shell', tool, ...how, template, values: values(t) });
    }
    case 'argv':
      return compileArgv(instruction);
    case 'function':
      return compileFunction(instruction);
    case 'agent':
      return compileAgent(instruction);
    default:
      return unreachable(instruction);
  }
}

const shellValueJson = (value: ShellValue): Json => ('list' in value ? [...value.list] : value.text);

/** The values in a request, for the record. */
function argsOf(request: WorkRequest): { args?: readonly Json[]; prompt?: string } {
  switch (request.kind) {
    case 'shell':
      return request.values.length === 0 ? {} : { args: request.values.map(shellValueJson) };
    case 'argv':
      return { args: request.argv };
    case 'function':
      return { args: request.args };
    case 'agent':
      return { prompt: request.prompt };
    default:
      return unreachable(request);
  }
}

/** The member of its fork that a thread is; unknown for an older machine. */
function memberOf({ member, run }: Thread): { member?: readonly [number, number] } {
  if (member === null || (run.linked.layouts.get(member.fork.pc)?.names ?? null) === null) return {};
  return { member: [member.index + 1, member.fork.members.length] };
}

function recordOf(
  thread: Thread,
  request: WorkRequest,
  instruction: EffectInstruction,
  undo: LinkContext['undo'],
): RunEvent | null {
  if (thread.run.quiet) return null;
  const back = undo === undefined ? {} : { undo: true as const };
  const holes = instruction.op === 'shell' && instruction.holes !== undefined ? { holes: instruction.holes } : {};
  return requestedEvent(request, { ...back, ...inStep(thread), ...memberOf(thread), ...argsOf(request), ...holes });
}

function bind(thread: Thread, instruction: EffectInstruction, decoded: DecodedOutcome): void {
  const target = instruction.bind;
  thread.output = decoded.output;
  if (decoded.lossy) warn(thread, 'the output is not valid UTF-8; its invalid bytes were replaced by U+FFFD');
  if (target === undefined) return;
  thread.locals[target.slot] = decoded.value;
  if (target.exitSlot !== undefined) thread.locals[target.exitSlot] = decoded.exit;
}

/** The name of what is executed if it is in the program; undefined if only the values have it. */
function staticTool(instruction: EffectInstruction): string | null | undefined {
  switch (instruction.op) {
    case 'shell':
      return instruction.tool;
    case 'function':
      return instruction.name;
    case 'agent':
      return instruction.agent;
    case 'argv':
      return undefined;
    default:
      return unreachable(instruction);
  }
}

export function linkEffect(instruction: EffectInstruction, context: LinkContext): Linked {
  const { reading: decoding, op } = instruction;
  const options = {
    ok: compileExitCodes(instruction.ok),
    retry: compileRetry(instruction.retry),
    retryOn: compileRetryOn(instruction.retryOn),
  };
  const { ok, retry, retryOn } = options;
  const common = compileCommon(instruction, options, context.undo);
  const specific = compileSpecific(instruction);
  const build = (
    t: Thread,
    { effect, attempt, waits, continues }: AttemptFacts,
    delayMs: number,
    again = false,
  ): WorkRequest => {
    const request = { effect, attempt, delayMs, ...common(t), ...specific(t), ...(waits ? { waits } : {}) };
    if (request.kind !== 'agent') return request as WorkRequest;
    if (continues === undefined) return (again ? { ...request, again } : request) as AgentRequest;
    return { ...request, ...continuing(request.prompt, continues, again) } as AgentRequest;
  };

  const launch = (t: Thread, next: AttemptFacts, delayMs: number, counts = false): number => {
    const request = build(t, next, delayMs);
    const event = recordOf(t, request, instruction, context.undo);
    const { waits, continues, reserved } = next;
    const isPlain = waits === undefined && reserved === undefined;
    beginEffect(t, request, isPlain ? { event, counts } : omitUndefined({ event, counts, waits, continues, reserved }));
    markDirty(t);
    return STOP;
  };

  /** A call of an agent begins when the budget has what it may cost. Null: not yet, or never. */
  const launchWithin = (t: Thread, next: () => AttemptFacts, delayMs: number, counts = false): number | null => {
    const reserved = instruction.op === 'agent' ? reservationFor(t, instruction.agent) : 0;
    if (typeof reserved === 'string') return null;
    return launch(t, reserved > 0 ? { ...next(), reserved } : next(), delayMs, counts);
  };

  const launchAgain = (t: Thread, failed: NonNullable<Pending['retries']>, delayMs: number): number => {
    const { effect, attempt } = failed;
    t.run.recordNow({ type: 'effect_retried', ...failed, delay_ms: delayMs });
    if (launchWithin(t, () => ({ effect, attempt: attempt + 1 }), delayMs) === null)
      t.retrying = { effect, attempt, delayMs };
    return STOP;
  };

  const begin = (t: Thread): number => {
    const { retrying } = t;
    if (retrying === null) return launchWithin(t, () => ({ effect: t.nextEffect(), attempt: 1 }), 0, true) ?? STOP;
    const { effect, attempt, delayMs } = retrying;
    if (launchWithin(t, () => ({ effect, attempt: attempt + 1 }), delayMs) !== null) t.retrying = null;
    return STOP;
  };

  const toolOf = staticTool(instruction);
  const bound = decoding === 'none' ? '' : (context.state.locals[instruction.bind?.slot ?? -1] ?? '');
  const decodeOptions = (t: Thread): DecodeOptions => ({
    decoding,
    ok: ok(t),
    tool: toolOf === undefined ? specific(t).tool : toolOf,
    agent: op === 'agent',
    bound: { name: bound, line: locationOf(t).line },
  });

  const onOutcome = (t: Thread, pending: Pending, outcome: Outcome): number => {
    const { waits, putsOff, retries } = pending;
    if (putsOff !== undefined)
      return launch(
        t,
        omitUndefined({ ...putsOff, waits, continues: pending.continues, reserved: pending.reserved }),
        0,
      );
    if (retries !== undefined) return launchAgain(t, retries, doubledMs(retry(t), retries.attempt, chanceOf(outcome)));
    // Its worktree may have been committed meanwhile.
    markDirty(t);
    if (op === 'agent' && spend(t.run, outcome)) return STOP;
    const unavailable = op === 'agent' ? unavailability(outcome) : null;
    if (unavailable !== null) {
      const continues = continuedSession(outcome, pending.continues);
      return backOff(t, omitUndefined({ ...pending, continues }), unavailable);
    }
    const { times, pauseMs, upToMs } = retry(t);
    const { effect, attempt } = pending;
    const mayRetry = (failure: RuntimeFailure): boolean => attempt <= times && retryOn(t)(failure);
    let error: string;
    try {
      const decoded = decodeOutcome(outcome, decodeOptions(t));
      const { value, exit } = decoded;
      const isUnreadable = value instanceof Unreadable && exit === 0;
      if (!isUnreadable || !mayRetry(unreadable(value))) {
        bind(t, instruction, decoded);
        return context.pc + 1;
      }
      error = `the command ${value.output.printed}`;
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (!mayRetry(failure)) throw failure;
      error = failure.message;
    }
    const again = { effect, attempt, error };
    if (upToMs === undefined) return launchAgain(t, again, pauseMs);
    askChance(t, { retries: again });
    return STOP;
  };

  const takeOver: TakeOver = {
    args: (t) => {
      const { args, prompt } = argsOf(build(t, { effect: '', attempt: 1 }, 0));
      return JSON.stringify(args ?? prompt ?? null);
    },
    take: (t, { outcome }) => {
      try {
        bind(t, instruction, decodeOutcome(outcome, decodeOptions(t)));
        return context.pc + 1;
      } catch {
        // It failed there, so it is executed here.
        return null;
      }
    },
  };

  return {
    instruction: (t) => (op === 'agent' ? begin(t) : launch(t, { effect: t.nextEffect(), attempt: 1 }, 0, true)),
    takeOver,
    suspender: {
      resume: onOutcome,
      reissue: (t, pending) => {
        if (!reissueSample(t, pending)) t.run.request(build(t, pending, 0, true));
      },
    },
  };
}
