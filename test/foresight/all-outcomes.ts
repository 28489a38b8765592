/** Every outcome of a small world: what can come of something that a run waits for, with values of a small domain. */

import type { Outcome } from '../../src/interpreter/events/event.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import type { Pending } from '../../src/interpreter/run-state/pending.js';
import type { Rare } from '../../src/lab/foresight/way.js';
import type { Json } from '../../src/machine/expression.js';
import type { Instruction, Machine } from '../../src/machine/machine.js';

export interface Event {
  readonly what:
    | { readonly kind: 'outcome'; readonly outcome: Outcome }
    | { readonly kind: 'answer'; readonly value: Json }
    | { readonly kind: 'signal'; readonly name: string; readonly value: Json };
  /** Time passes. */
  readonly isTime?: true;
  /** A person or another program acts. */
  readonly isOutside?: true;
  /** What makes it rare: runs with it are claimed about separately. */
  readonly rare?: Rare;
}

/** What the world can give. */
export interface Domain {
  /** What a CHECK reads, a signal brings, and a tool returns. */
  readonly values: readonly Json[];
  /** What commands and agents print. */
  readonly texts: readonly string[];
  /** What a CHECK reads besides, as it is printed: numbers that are no values of JavaScript. */
  readonly printed?: readonly string[];
  /** The numbers of tasks of a split. */
  readonly tasks: readonly number[];
  /** What a call of an agent may cost, by its name. */
  readonly maxCost?: Readonly<Record<string, number>>;
}

const COMMIT = '0'.repeat(40);
/** Later than every deadline. */
const NEVER_MS = 8e15;

const value = (given: Json): Event => ({ what: { kind: 'outcome', outcome: { kind: 'value', value: given } } });

function exited(text: string, exit: number | null, more: object = {}): Event {
  const stderr = exit === 0 ? '' : 'bad x';
  const outcome: Outcome = {
    ...{ kind: 'exited', exit, stdout: { text, bytes: text.length }, stderr, duration_ms: 0 },
    ...more,
  };
  return { what: { kind: 'outcome', outcome } };
}

function failed(message: string, error_type?: string): Event {
  const outcome: Outcome = { kind: 'failed', message, ...(error_type === undefined ? {} : { error_type }) };
  return { what: { kind: 'outcome', outcome } };
}

const failedWith = (about: { readonly exit?: number; readonly tool_code?: string }): Event => ({
  what: { kind: 'outcome', outcome: { kind: 'failed', message: 'it failed', ...about } },
});

const rarely = (rare: Rare, event: Event): Event => ({ ...event, rare });

/** More than a value can hold. */
const HUGE = { bytes: 17 * 1024 * 1024 };
const tooLarge = (exit: number, more: object = {}): Event =>
  rarely('value_too_large', exited('', exit, { stdout: HUGE, stderr: '', ...more }));

const tooDeep = (exit: number, more: object = {}): Event =>
  rarely('value_too_large', exited(`${'['.repeat(300)}${']'.repeat(300)}`, exit, more));

function refused(rare: Rare, error_type: string): Event {
  const outcome: Outcome = { kind: 'not-started', reason: `${rare} cannot be passed on`, error_type };
  return rarely(rare, { what: { kind: 'outcome', outcome } });
}

const GIT_FAILED: Event = rarely('worktree', failed('no space left', 'worktree'));

/** What a call of an agent uses. */
const SPENT = {
  cost: 0.1,
  tokens: { in: 10, out: 0, cache_read: 0, cache_write: 0 },
} as const;

const NOT_STARTED: Event = { what: { kind: 'outcome', outcome: { kind: 'not-started', reason: 'it does not exist' } } };

const TIMED_OUT: Event = {
  isTime: true,
  what: {
    kind: 'outcome',
    outcome: { kind: 'timed-out', timeout_ms: 0, stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 0 },
  },
};

/** Of one machine. */
export class AllOutcomes {
  private readonly code: readonly Instruction[];

  constructor(
    private readonly machine: Machine,
    readonly domain: Domain,
  ) {
    this.code = machine.states.flatMap(({ code }) => code);
  }

  /** Every value that inputs can have. */
  inputs(): Record<string, Json>[] {
    let all: Record<string, Json>[] = [{}];
    for (const { name, type, choices, value: standard } of this.machine.inputs) {
      if (choices === undefined && standard !== undefined) continue;
      const { values } = this.domain;
      const typed =
        type === undefined ? values.filter((one) => one !== null) : values.filter((one) => typeOf(one) === type);
      // On the command line, a choice is read as a value of the type of the default.
      const each = choices?.map((one): Json => (typeof standard === 'number' ? Number(one) : one)) ?? typed;
      all = all.flatMap((one) => each.map((given) => ({ ...one, [name]: given })));
    }
    return all;
  }

  of(pending: Pending, request: EffectRequest | undefined): readonly Event[] {
    const own = this.ownOf(pending, request);
    const more: Event[] = [];
    const isTimed =
      request !== undefined &&
      (('timeoutMs' in request && request.timeoutMs !== null) || ('idleMs' in request && request.idleMs !== undefined));
    if (isTimed && request.kind !== 'signal') more.push(TIMED_OUT);
    if (request !== undefined && 'once' in request && request.once) more.push(failed('it may have run', 'in_doubt'));
    return [...own, ...more];
  }

  private ownOf(pending: Pending, request: EffectRequest | undefined): readonly Event[] {
    const { values, texts } = this.domain;
    const one = this.code[pending.thread.pc];
    switch (pending.kind) {
      case 'clock':
        return one?.op === 'wait-turn' && pending.purpose === 'clock'
          ? [value(0), { ...value(NEVER_MS), isTime: true }]
          : [value(0)];
      case 'timer':
        return [{ ...value(pending.until ?? 0), isTime: true }];
      case 'random':
        return [0, 0.5, 0.99].map(value);
      case 'uuid':
        return [value('u')];
      case 'worktree':
        return this.worktree(request);
      case 'schema':
        return [value(null), value('it does not fit')];
      case 'ask': {
        const choices = (request?.kind === 'ask' ? request.choices : null) ?? ['yes', 'ok', '', '1'];
        return choices.map((text): Event => ({ isOutside: true, what: { kind: 'answer', value: text } }));
      }
      case 'approval':
        return [true, false].map((given): Event => ({ isOutside: true, what: { kind: 'answer', value: given } }));
      case 'signal': {
        const name = request?.kind === 'signal' ? request.name : '';
        return values.map((given): Event => ({ isOutside: true, what: { kind: 'signal', name, value: given } }));
      }
      case 'tool':
        return this.tool(request);
      case 'agent':
        return this.agent(request, one);
      default:
        if (one?.op === 'gate-command')
          return one.gate.kind === 'coverage' ? [exited('100 %', 0), exited('', 1)] : [exited('ok', 0), exited('', 1)];
        return this.command(request, one, texts);
    }
  }

  private worktree(request: EffectRequest | undefined): readonly Event[] {
    const action = request?.kind === 'worktree' ? request.action.do : 'reset';
    switch (action) {
      case 'snapshot':
        return [['src/a'], [], ['b']]
          .map((files): Event => {
            const stdout = { text: files.length === 0 ? '' : 'diff', bytes: files.length === 0 ? 0 : 4 };
            return { what: { kind: 'outcome', outcome: { kind: 'changed', commit: COMMIT, files, stdout } } };
          })
          .concat(GIT_FAILED);
      case 'fork':
        return [value({ directory: '/' }), GIT_FAILED];
      case 'merge':
        return [
          value({ commit: COMMIT }),
          GIT_FAILED,
          rarely('merge_conflict', failed('both changed a', 'merge_conflict')),
        ];
      default:
        return [value(null), GIT_FAILED];
    }
  }

  private tool(request: EffectRequest | undefined): readonly Event[] {
    if (request?.kind !== 'tool') return [];
    const { alternatives } = request.call;
    const { values } = this.domain;
    if (request.calls.kind === 'plan') return [value(null), invalid(null)];
    const arms = alternatives
      .slice(1)
      .flatMap((_, at) => values.map((given) => value({ _path: at + 1, _output: given })));
    const thrown = [failed('it failed'), failed('it failed', 'not_json'), failedWith({ exit: 3 })];
    const printed =
      request.calls.kind === 'run'
        ? [exited('bad', 3), exited('?', 0), exited('', null, { signal: 'SIGKILL' }), NOT_STARTED]
        : [...thrown, failedWith({ tool_code: 'ok' })];
    const schema = request.call.schema === null ? [] : [invalid(null)];
    const none = alternatives.length > 1 ? [value({ _path: alternatives.length, _output: null }), NOT_STARTED] : [];
    const huge = rarely('value_too_large', failed('it is too large', 'value_too_large'));
    const deep = rarely('value_too_large', failed('it is nested too deep', 'bad_value'));
    return [...values.map(value), ...arms, ...printed, ...schema, ...none, huge, deep];
  }

  private agent(request: EffectRequest | undefined, one: Instruction | undefined): readonly Event[] {
    if (request?.kind !== 'agent') return [];
    const answered = (text: string): Event => exited(text, 0, { is_error: false, ...SPENT });
    const broken = [exited('bad x', 1, { is_error: true }), exited('bad x', null, { is_error: true })];
    const isLimited = request.agent in (this.domain.maxCost ?? {}) || Object.keys(request.guards ?? {}).length > 0;
    if (isLimited) broken.push(exited('', 0, { guard: { name: 'max_turns', message: 'the limit is reached' } }));
    if (hasValues(request)) broken.push(refused('value_too_large', 'value_too_large'), refused('nul', 'bad_value'));
    if (request.answerFile !== undefined || isBound(one)) broken.push(tooLarge(0, { is_error: false }));
    if (request.answerFile === undefined && readsJson(one)) broken.push(tooDeep(0, { is_error: false }));
    switch (request.answerFile) {
      case 'plan.json':
        return [...this.tasks().map(answered), answered('?'), ...broken];
      case 'validate.json':
        return [
          ...['{"pass": true, "comments": "bad"}', '{"pass": false, "comments": "bad"}', 'true', 'false', '?'].map(
            answered,
          ),
          ...broken,
        ];
      default:
        return [...this.printed(one).map(answered), ...broken];
    }
  }

  /** Lists of tasks, with the names that the program mentions. */
  private tasks(): string[] {
    return this.domain.tasks.map((count) =>
      JSON.stringify(
        Array.from({ length: count }, (_, at) => ({ name: `task-${at + 1}`, description: 'text', files: ['src/a'] })),
      ),
    );
  }

  private printed(one: Instruction | undefined): readonly string[] {
    const reading = one !== undefined && 'reading' in one ? String(one.reading) : '';
    const { values, texts } = this.domain;
    return reading.startsWith('check') || reading === 'capture'
      ? [
          ...values.map((given) => JSON.stringify(given)),
          ...(this.domain.printed ?? []),
          '',
          ...(reading === 'capture' ? [] : ['two\nlines']),
        ]
      : reading === 'do'
        ? [...texts, '[1]', '{"a": 1}']
        : texts;
  }

  private command(
    request: EffectRequest | undefined,
    one: Instruction | undefined,
    texts: readonly string[],
  ): readonly Event[] {
    const ok = (request !== undefined && 'ok' in request ? request.ok : undefined) ?? [0];
    const bound = isBound(one);
    const outputs = bound || texts.length === 0 ? this.printed(one) : texts.slice(0, 1);
    const codes = ok === 'any' ? [0, 1, 2, 3] : ok;
    const wrong = ok === 'any' ? [] : [0, 1, 2, 3].filter((code) => !ok.includes(code));
    const rare = [
      ...(bound ? codes.map((code) => tooLarge(code)) : []),
      ...(readsJson(one) ? codes.map((code) => tooDeep(code)) : []),
      ...(hasValues(request) ? [refused('value_too_large', 'value_too_large'), refused('nul', 'bad_value')] : []),
    ];
    return [
      ...rare,
      ...codes.flatMap((exit) => outputs.map((text) => exited(text, exit))),
      ...this.inBody(one),
      ...wrong.map((exit) => exited('', exit)),
      ...wrong.slice(0, 1).map((exit) => exited('', exit, { stderr: 'oops' })),
      ...(ok === 'any' ? [] : [exited('', null, { signal: 'SIGKILL' })]),
      NOT_STARTED,
    ];
  }

  /** Commands in the body of a step may print what the step needs. */
  private inBody(one: Instruction | undefined): readonly Event[] {
    const state = this.machine.states.find(({ code }) => one !== undefined && code.includes(one));
    const types = (state?.code ?? []).flatMap((each) =>
      each.op === 'step-collect' && each.plan.work === 'body' ? [each.plan.type] : [],
    );
    return [
      ...(types.includes('validate') ? ['true', 'false'] : []),
      ...(types.includes('split') ? this.tasks() : []),
    ].map((text) => exited(text, 0));
  }
}

function isBound(one: Instruction | undefined): boolean {
  return one !== undefined && 'bind' in one && one.bind !== undefined;
}

const readsJson = (one: Instruction | undefined): boolean =>
  one !== undefined && 'reading' in one && !['none', 'text'].includes(String(one.reading));

/** Whether a text of the world is a part of what is passed on: no program has this word itself. */
function hasValues(request: EffectRequest | undefined): boolean {
  return /text"(?!:)/.test(JSON.stringify({ ...request, text: '' }));
}

const invalid = (given: Json): Event => ({
  what: { kind: 'outcome', outcome: { kind: 'value', value: given, invalid: 'it does not fit' } },
});

function typeOf(given: Json): string {
  return given === null ? 'null' : Array.isArray(given) ? 'list' : typeof given;
}
