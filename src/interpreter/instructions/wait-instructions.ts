/**
 * Instructions that wait for the time, a random number, a person or a signal. They read the clock first, and every deadline
 * is a point in time, so that a run that was stopped in between waits only for the rest.
 */
import type { Json } from '../../machine/expression.js';
import type { InstructionOf } from '../../machine/machine.js';
import type { Pause } from '../../machine/option-values.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { release } from '../control/join.js';
import {
  awaitedEvent,
  beginEffect,
  beginSample,
  cancelAll,
  type EffectFacts,
  readClock,
  reissueSample,
  setTimer,
} from '../control/request-effects.js';
import type { Outcome, RunEvent, ShownValues } from '../events/event.js';
import { RuntimeFailure } from '../failure.js';
import { decodeOutcome } from '../outcome.js';
import type { AskRequest, SignalRequest } from '../request.js';
import { type LinkContext, type Linked, STOP, type Suspender } from '../run-state/linked-machine.js';
import { namesOf, type Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';
import type { Evaluator } from '../values/evaluate.js';
import { pauseOf } from '../values/evaluated-options.js';
import { printedForm, render } from '../values/json.js';
import { operations } from '../values/operations.js';
import { compileTemplate } from '../values/template.js';
import { isList, plain, type Value } from '../values/value.js';

/** The value of a clock, a timer or a sample. */
function sampleValue(outcome: Outcome): Value {
  return decodeOutcome(outcome, { decoding: 'do', ok: [0], tool: null, agent: false }).value ?? null;
}

/** Milliseconds since the epoch, as a clock or a timer gives them. */
export function timeOf(outcome: Outcome): number {
  const value = sampleValue(outcome);
  if (typeof value === 'number') return value;
  throw new RuntimeFailure('tool_failure', 'the clock returned no time');
}

export function linkSample(instruction: InstructionOf<'sample'>, context: LinkContext): Linked {
  const { source, slot } = instruction;
  const kind = source === 'now' ? 'clock' : source;
  const { timeText } = operations();
  return {
    instruction: (t) => {
      beginSample(t, kind, `${source}()`);
      return STOP;
    },
    suspender: {
      resume: (t, _pending, outcome) => {
        t.locals[slot] = source === 'now' ? timeText(timeOf(outcome)) : sampleValue(outcome);
        return context.pc + 1;
      },
      reissue: reissueSample,
    },
  };
}

/** Reads the clock after the duration was checked. */
function clockAfter(duration: (thread: Thread) => number): (thread: Thread) => number {
  return (t) => {
    duration(t);
    readClock(t, 'WAIT');
    return STOP;
  };
}

export function linkSleep(instruction: InstructionOf<'sleep'>, context: LinkContext): Linked {
  const duration = compileTemplate(instruction.duration).value;
  const { durationMs } = operations();
  const length = (t: Thread): number => durationMs(duration(t), 'the duration of WAIT');
  return {
    instruction: clockAfter(length),
    suspender: {
      resume: (t, { purpose }, outcome) => {
        const now = timeOf(outcome);
        if (purpose === 'result') return context.pc + 1;
        const ms = length(t);
        setTimer(t, { until: now + ms, ms });
        return STOP;
      },
      reissue: reissueSample,
    },
  };
}

export function linkWaitStart(instruction: InstructionOf<'wait-start'>, context: LinkContext): Linked {
  const timeout = compileTemplate(instruction.timeout).value;
  const { deadline, timedOut } = instruction;
  const { durationMs } = operations();
  const length = (t: Thread): number => durationMs(timeout(t), 'the timeout of WAIT');
  return {
    instruction: clockAfter(length),
    suspender: {
      resume: (t, _pending, outcome) => {
        t.locals[deadline] = timeOf(outcome) + length(t);
        t.locals[timedOut] = false;
        return context.pc + 1;
      },
      reissue: reissueSample,
    },
  };
}

export function linkWaitTurn(instruction: InstructionOf<'wait-turn'>, context: LinkContext): Linked {
  const every = compileTemplate(instruction.every).value;
  const { deadline, timedOut, backOff } = instruction;
  const { durationMs } = operations();
  const exit = context.base + instruction.exit;
  const again = context.base + instruction.again;
  const what = 'the interval of WAIT';
  const pause = (t: Thread): Pause =>
    backOff === undefined ? { pauseMs: durationMs(every(t), what) } : pauseOf(every(t), what, durationMs);
  const interval = (t: Thread): number => {
    const one = pause(t);
    if (backOff === undefined || one.upToMs === undefined) return one.pauseMs;
    return doubledMs(one, t.locals[backOff.turns] as number, t.locals[backOff.chance] as number);
  };
  const readNow = clockAfter(interval);
  return {
    instruction: (t) => {
      if (backOff === undefined || pause(t).upToMs === undefined) return readNow(t);
      const turns = t.locals[backOff.turns];
      t.locals[backOff.turns] = typeof turns === 'number' ? turns + 1 : 1;
      askChance(t, {});
      return STOP;
    },
    suspender: {
      resume: (t, { purpose, kind }, outcome) => {
        if (kind === 'random' && backOff !== undefined) {
          t.locals[backOff.chance] = chanceOf(outcome);
          return readNow(t);
        }
        const now = timeOf(outcome);
        if (purpose === 'result') return again;
        const end = t.locals[deadline] as number;
        if (now >= end) {
          t.locals[timedOut] = true;
          return exit;
        }
        // Never past the deadline, so that the condition is evaluated once more there.
        const until = Math.min(now + Math.max(1, interval(t)), end);
        setTimer(t, { until, ms: until - now });
        return STOP;
      },
      reissue: reissueSample,
    },
  };
}

/** The previous effect of its thread. */
function effectBefore(effect: string): string {
  const at = effect.lastIndexOf('.') + 1;
  return `${effect.slice(0, at)}${Number(effect.slice(at)) - 1}`;
}

/** Releases the permit of a member that waits for a person or a program, which may take days. */
function releasePermit(thread: Thread): void {
  if (thread.member !== null) release(thread.member);
}

export function linkSignal(instruction: InstructionOf<'signal'>, context: LinkContext): Linked {
  const { name, bind, timedOut } = instruction;
  const { durationMs } = operations();
  const timeout = instruction.timeout === null ? null : compileTemplate(instruction.timeout).value;
  const limit = (t: Thread): number => durationMs(timeout === null ? null : timeout(t), 'the timeout of WAIT');
  const take = (t: Thread, payload: Value, late: boolean): number => {
    cancelAll(t);
    t.locals[bind] = payload;
    t.locals[timedOut] = late;
    return context.pc + 1;
  };
  const request = (t: Thread, effect: string, until: number | null): SignalRequest => {
    const timeoutMs = timeout === null ? null : limit(t);
    return { effect, kind: 'signal', attempt: 1, delayMs: 0, name, until, timeoutMs };
  };
  const listen = (t: Thread, now: number): number => {
    const ms = timeout === null ? null : limit(t);
    const until = ms === null ? null : now + ms;
    const effect = t.nextEffect();
    const id = t.run.nextWaitId(name);
    const event = { ...awaitedEvent(t, effect, 'signal', `WAIT: signal ${name}`), id };
    beginEffect(t, request(t, effect, until), { event, until, waiting: { kind: 'signal', id, name, until } });
    if (ms !== null) setTimer(t, { until: now + ms, ms, bounds: effect });
    releasePermit(t);
    return STOP;
  };
  /** Takes a signal that came before the thread waited for it. */
  const keptSignal = (t: Thread): Value | undefined => t.run.takeSignal(name)?.payload as Value | undefined;
  return {
    instruction: (t) => {
      if (timeout !== null) limit(t);
      const early = keptSignal(t);
      if (early !== undefined) return take(t, early, false);
      if (timeout === null) return listen(t, 0);
      readClock(t, 'WAIT');
      return STOP;
    },
    suspender: {
      resume: (t, { purpose }, outcome) => {
        if (purpose === 'bound') return take(t, null, true);
        if (purpose === 'result') return take(t, sampleValue(outcome), false);
        const early = keptSignal(t);
        return early === undefined ? listen(t, timeOf(outcome)) : take(t, early, false);
      },
      reissue: (t, pending) => {
        if (pending.kind === 'signal') t.run.request(request(t, pending.effect, pending.until));
        else reissueBound(t, pending);
      },
    },
  };
}

/** The timer that limits the wait of the thread, or the clock that is read before it. */
function reissueBound(thread: Thread, pending: Pending): void {
  const bounded = thread.pending.find(({ purpose }) => purpose === 'result');
  reissueSample(thread, pending, pending.kind === 'timer' ? bounded?.effect : undefined);
}

/** A choice that is a list, as in `choices={versions}`, stands for its elements. */
function choicesFrom(evaluate: Evaluator, t: Thread): string[] {
  const choice = evaluate(t);
  return isList(choice) ? choice.map(render) : [render(choice)];
}

/** Longer values are cut, since they are on record wherever the run got them from. */
const LONGEST_SHOWN = 8192;

function compileShown(show: NonNullable<InstructionOf<'ask'>['show']>): (thread: Thread) => ShownValues {
  const compiled = show.map(({ name, value }) => ({ name, read: compileTemplate(value).value }));
  return (t) => Object.fromEntries(compiled.map(({ name, read }) => [name, shownValue(read(t))]));
}

function shownValue(value: Value): Json {
  const text = render(value);
  if (text.length > LONGEST_SHOWN) return `${text.slice(0, LONGEST_SHOWN)}… (${text.length} characters in all)`;
  // A number that was written differently than JSON has it, such as `1.10`, is shown as it was written.
  return printedForm(value) === undefined ? plain(value) : text;
}

export function linkAsk(instruction: InstructionOf<'ask'>, context: LinkContext): Linked {
  const { name, bind } = instruction;
  const { durationMs } = operations();
  const question = compileTemplate(instruction.question).text;
  const choices = instruction.choices.map((choice) => compileTemplate(choice).value);
  const fallback = instruction.value === null ? null : compileTemplate(instruction.value).text;
  const deadline = instruction.deadline === null ? null : compileTemplate(instruction.deadline).value;
  const shown = instruction.show === undefined ? undefined : compileShown(instruction.show);
  const limit = (t: Thread): number => durationMs(deadline === null ? null : deadline(t), 'the deadline of ASK');
  const describe = (t: Thread) => ({
    name,
    question: question(t),
    choices: choices.length === 0 ? null : choices.flatMap((choice) => choicesFrom(choice, t)),
    default: fallback === null ? null : fallback(t),
    ...(shown === undefined ? {} : { show: shown(t) }),
  });
  const request = (t: Thread, effect: string, until: number | null): AskRequest => {
    return { effect, kind: 'ask', attempt: 1, delayMs: 0, ...describe(t), deadlineMs: until };
  };
  const openQuestion = (t: Thread, now: number): number => {
    const ms = deadline === null ? null : limit(t);
    const until = ms === null ? null : now + ms;
    const effect = t.nextEffect();
    const asked = request(t, effect, until);
    const { question, choices, default: value } = asked;
    const show = omitUndefined({ show: asked.show });
    const id = t.run.nextWaitId(name);
    const about = { id, name, question, choices } as const;
    const event: RunEvent = { type: 'asked', effect, ...about, default: value, deadline: until, ...show };
    beginEffect(t, asked, { event, until, waiting: { kind: 'ask', ...about, ...show, until } });
    if (ms !== null) setTimer(t, { until: now + ms, ms, bounds: effect });
    releasePermit(t);
    return STOP;
  };
  /** Uses and records the default, because no answer came in time. */
  const expire = (t: Thread): number => {
    const asked = t.pending.find(({ kind }) => kind === 'ask') as Pending;
    const { effect } = asked;
    cancelAll(t);
    if (fallback === null) {
      // Asking again allows the full time again, so the clock is read again.
      const source = { effects: [effectBefore(effect)] };
      throw new RuntimeFailure('timeout', `\`${name}\` was not answered before its deadline`, null, null, {}, source);
    }
    const value = fallback(t);
    t.run.recordNow({ type: 'answered', effect, ...namesOf(asked), value, by: 'deadline' });
    t.locals[bind] = value;
    return context.pc + 1;
  };
  const suspender: Suspender = {
    resume: (t, { purpose }, outcome) => {
      if (purpose === 'clock') return openQuestion(t, timeOf(outcome));
      if (purpose === 'bound') return expire(t);
      cancelAll(t);
      t.locals[bind] = sampleValue(outcome);
      return context.pc + 1;
    },
    reissue: (t, pending) => {
      if (pending.kind === 'ask') t.run.request(request(t, pending.effect, pending.until));
      else reissueBound(t, pending);
    },
  };
  return {
    instruction: (t) => {
      if (deadline === null) return openQuestion(t, 0);
      limit(t);
      describe(t);
      readClock(t, 'ASK');
      return STOP;
    },
    suspender,
    takeOver: {
      args: () => name,
      take: (t, { outcome }) => {
        t.locals[bind] = sampleValue(outcome);
        return context.pc + 1;
      },
    },
  };
}

/** The pause after this many attempts or rounds, in milliseconds; 0 ≤ `chance` < 1. */
export function doubledMs({ pauseMs, upToMs = pauseMs }: Pause, after: number, chance: number): number {
  return Math.round(Math.min(pauseMs * 2 ** (after - 1), upToMs) * chance);
}

/** Requests the random number for the next pause. */
export function askChance(thread: Thread, facts: Pick<EffectFacts, 'retries' | 'call'>): void {
  beginSample(thread, 'random', 'how long to pause', facts);
}

/** The random number. */
export function chanceOf(outcome: Outcome): number {
  const { value } = decodeOutcome(outcome, { decoding: 'do', ok: [0], tool: null, agent: false });
  return typeof value === 'number' ? value : 0;
}
