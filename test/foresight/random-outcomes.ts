/** Random outcomes of everything that a run can wait for, in virtual time. */

import type { Outcome } from '../../src/interpreter/events/event.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import { answer, type Run, receiveSignal, settle } from '../../src/interpreter/run.js';
import type { Pending } from '../../src/interpreter/run-state/pending.js';
import { nextOf } from '../../src/lab/foresight/explore.js';
import type { Json } from '../../src/machine/expression.js';
import type { Instruction, Machine } from '../../src/machine/machine.js';
import { AllOutcomes } from './all-outcomes.js';
import { MAX_COST } from './random-flows.js';

type Random = (below: number) => number;

const JSON_TEXTS =
  '1|2|-1|2.5|3|0|"skip"|"ok"|"OK"|""|"1"|true|false|null|{"a": 1}|{"a": "ok"}|{}|[]|[1]|["ok"]|[1, 2]|" "|"kk"|"{}"|1e300|"é"|9007199254740992|9007199254740993|1.10'.split(
    '|',
  );
const TEXTS = ['text', 'ok', '', 'a\nb\n', 'skip\n', '1', '[1]', '{"a": 1}', 'true', ' '];
const COMMIT = '0'.repeat(40);

export class RandomWorld {
  private readonly requests = new Map<string, EffectRequest>();
  private readonly code: readonly Instruction[];
  private readonly all: AllOutcomes;
  private now = 0;

  constructor(
    machine: Machine,
    private readonly random: Random,
    /** Members that do not depend on each other end in one order. */
    private readonly oneOrder: boolean,
    /** Commands succeed and say little, so that what waits for them waits until its end. */
    private readonly isPatient = false,
  ) {
    this.code = machine.states.flatMap(({ code }) => code);
    this.all = new AllOutcomes(machine, {
      values: JSON_TEXTS.map((text) => JSON.parse(text) as Json),
      texts: TEXTS,
      tasks: [0, 1, 2],
      maxCost: MAX_COST,
    });
  }

  pick<T>(all: readonly T[]): T {
    return all[this.random(all.length)] as T;
  }

  json = (): Json => JSON.parse(this.pick(JSON_TEXTS)) as Json;

  note(requests: readonly EffectRequest[]): void {
    for (const request of requests) this.requests.set(request.effect, request);
  }

  /** Milliseconds since the run began. */
  get time(): number {
    return this.now;
  }

  inputs({ inputs }: Machine): Record<string, Json> {
    const found: Record<string, Json> = {};
    for (const { name, type, choices, value } of inputs)
      if (choices !== undefined) found[name] = this.pick(choices);
      else if (value === undefined)
        found[name] =
          type === 'number'
            ? this.pick([0, 1, 2, 2.5, -1])
            : type === 'string'
              ? this.pick(['', 'ok', 'x', '1'])
              : type === 'boolean'
                ? this.random(2) === 0
                : type === 'object'
                  ? this.pick<Json>([{}, { a: 1 }, { a: 'ok' }])
                  : (this.json() ?? 'text');
    return found;
  }

  /** Lets something happen. Returns its position among what the run waits for; null: it waits for nothing. */
  act(run: Run): number | null {
    const all = [...run.pending.values()];
    const timers = all
      .filter(({ kind }) => kind === 'timer')
      .sort((one, other) => Number(one.until) - Number(other.until));
    const able = (this.oneOrder ? nextOf(all, false) : all).filter((one) => one.kind !== 'timer' || one === timers[0]);
    const instant = all.find(({ kind }) => kind === 'clock' || kind === 'uuid' || kind === 'random');
    if (able.length === 0) return null;
    const chosen = instant ?? this.pick(able);
    const request = this.requests.get(chosen.effect);
    if (chosen.kind === 'ask' && request?.kind === 'ask')
      answer(run, chosen.effect, this.pick(request.choices ?? ['yes', 'ok', '', '1']), 'user');
    else if (chosen.kind === 'signal' && request?.kind === 'signal')
      receiveSignal(run, request.name, this.json(), 'user');
    else settle(run, chosen.effect, this.outcome(chosen, request, timers[0]?.until ?? Number.POSITIVE_INFINITY));
    return all.indexOf(chosen);
  }

  private outcome(pending: Pending, request: EffectRequest | undefined, nextTimer: number): Outcome {
    const timeout = request !== undefined && 'timeoutMs' in request ? request.timeoutMs : null;
    if (timeout !== null && this.random(5) === 0 && this.now + timeout <= nextTimer) {
      this.now += timeout;
      return {
        kind: 'timed-out',
        timeout_ms: timeout,
        stdout: { text: '', bytes: 0 },
        stderr: '',
        duration_ms: timeout,
      };
    }
    switch (pending.kind) {
      case 'clock':
        return { kind: 'value', value: this.now };
      case 'timer':
        this.now = Math.max(this.now, pending.until ?? 0);
        return { kind: 'value', value: pending.until ?? 0 };
      case 'random':
        // The shortest pauses make the most rounds.
        return { kind: 'value', value: this.pick([0, 0, this.random(1000) / 1000, 0.999]) };
      case 'worktree':
        return this.worktree(request);
      case 'agent':
        if (request?.kind === 'agent' && request.answerFile === 'plan.json') return this.anyOf(pending, request);
        return this.agent(request);
      case 'tool':
      case 'schema':
        return this.anyOf(pending, request);
      default:
        return this.command(pending, request);
    }
  }

  private anyOf(pending: Pending, request: EffectRequest | undefined): Outcome {
    const able = this.all.of(pending, request).filter(({ isTime, rare }) => isTime !== true && rare === undefined);
    const { what } = this.pick(able);
    if (what.kind !== 'outcome') throw new Error(`nobody gives the outcome of ${pending.kind}`);
    return what.outcome;
  }

  private worktree(request: EffectRequest | undefined): Outcome {
    const action = request?.kind === 'worktree' ? request.action.do : 'reset';
    const files = this.pick([['src/a'], [], ['b']]);
    if (action === 'snapshot') return { kind: 'changed', commit: COMMIT, files, stdout: { text: 'diff', bytes: 4 } };
    return { kind: 'value', value: null };
  }

  private exited(text: string, exit: number | null, more: object = {}): Outcome {
    const stderr = exit === 0 ? '' : this.pick(['', 'oops x', 'bad']);
    return { kind: 'exited', exit, stdout: { text, bytes: text.length }, stderr, duration_ms: 0, ...more };
  }

  private agent(request: EffectRequest | undefined): Outcome {
    const isAgent = request?.kind === 'agent';
    const isVerdict = isAgent && request.answerFile === 'validate.json';
    const text = this.pick(isVerdict ? ['true', 'false', 'none', '{"pass": true, "comments": "bad"}'] : TEXTS);
    switch (this.random(7)) {
      case 0:
        return this.exited(text, this.random(3), { is_error: true });
      case 1:
        if (isAgent && (request.agent in MAX_COST || Object.keys(request.guards ?? {}).length > 0))
          return this.exited('', 0, { guard: { name: 'max_turns', message: 'the limit is reached' } });
    }
    return this.exited(text, 0, { is_error: false });
  }

  private command({ thread }: Pending, request: EffectRequest | undefined): Outcome {
    const one = this.code[thread.pc];
    if (one?.op === 'gate-command') return this.exited('1 passed', this.random(2));
    const { ok = [0] } = request !== undefined && 'ok' in request ? request : {};
    if (this.isPatient && this.random(12) > 0) return this.exited('"zz"', ok === 'any' ? 0 : (ok[0] ?? 0));
    const isCheck = one?.op === 'shell' && String(one.reading).startsWith('check');
    const text = this.pick(isCheck && this.random(10) > 0 ? JSON_TEXTS : TEXTS);
    switch (this.random(12)) {
      case 0:
        return this.exited(text, 1 + this.random(3));
      case 1:
        return this.exited(text, null, { signal: 'SIGKILL' });
      case 2:
        return { kind: 'not-started', reason: 'it does not exist' };
      case 3:
        if (request !== undefined && 'once' in request && request.once)
          return { kind: 'failed', error_type: 'in_doubt', message: 'it may already have run' };
    }
    return this.exited(text, this.random(5) === 0 ? 2 : 0);
  }
}
