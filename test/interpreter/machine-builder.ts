/** Machines written by hand in few words, and the world answering a run in memory. */
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import { advance, type InterpreterOptions, link, type Run, settle, startRun } from '../../src/interpreter/run.js';
import type { Expr, Hole, Json, SlotRef, Template } from '../../src/machine/expression.js';
import type { Handler, Instruction, Machine } from '../../src/machine/machine.js';
import { sha256Hex } from '../../src/runtime/sha256.js';

type WithoutOrigin<T> = T extends unknown ? Omit<T, 'origin'> : never;
export type Code = WithoutOrigin<Instruction>;

export interface StateSpec {
  readonly locals?: readonly string[];
  readonly entry?: readonly string[];
  readonly handlers?: readonly Handler[];
  readonly code: readonly Code[];
  readonly builtin?: true;
}

/** A machine. The line of each instruction is its position in the state, beginning with 1. */
export function machine(
  states: Readonly<Record<string, StateSpec>>,
  more: Partial<Pick<Machine, 'tracked' | 'inputs' | 'limits'>> = {},
): Machine {
  const names = Object.keys(states);
  return {
    version: 1,
    name: 'test',
    files: ['test.dsl'],
    inputs: more.inputs ?? [],
    tracked: more.tracked ?? [],
    states: names.map((name) => {
      const { locals = [], entry = [], handlers = [], code, builtin } = states[name] as StateSpec;
      const instructions = code.map((one, at) => ({ origin: { file: 0, line: at + 1 }, ...one }) as Instruction);
      return { name, locals, entry, handlers, code: instructions, ...(builtin ? { builtin } : {}) };
    }),
    initial: 0,
    error: names.includes('ERROR') && states.ERROR?.builtin !== true ? names.indexOf('ERROR') : null,
    limits: more.limits ?? {},
  };
}

// ---- expressions ----

export const constant = (value: Json): Expr => ({ op: 'const', value });
const read =
  (where: SlotRef['in']) =>
  (slot: number, name = `${where}${slot}`): Expr => ({
    op: 'read',
    name,
    places: [{ in: where, slot } as SlotRef],
  });
export const local = read('local');
export const entry = read('entry');
export const tracked = read('tracked');
export const input = read('input');
export const field = (of: Expr, name: string): Expr => ({ op: 'field', of, name });
export const call = (name: string, ...args: Expr[]): Expr => ({ op: 'call', name, args });
export const hole = (value: Expr, source = '{x}', filter?: Hole['filter']): Hole =>
  filter === undefined ? { value, source } : { value, source, filter };

// ---- instructions ----

export const set = (slot: number, value: Expr): Code => ({
  op: 'set',
  to: { in: 'local', slot },
  name: `l${slot}`,
  value,
});
export const emit = (event: string, fields: Readonly<Record<string, Template>> = {}): Code => ({
  op: 'emit',
  event,
  fields: Object.entries(fields).map(([name, value]) => ({ name, value, optional: false })),
  message: null,
});
export const say = (...message: Template): Code => ({ op: 'emit', event: null, fields: [], message });
export const goto = (state: number, args: Readonly<Record<string, Expr>> = {}): Code => ({
  op: 'goto',
  state,
  args: Object.entries(args).map(([name, value]) => ({ name, value })),
});
export const done = (value: Expr | null = null, failed = false): Code => ({ op: 'return', value, failed });
type ShellCode = Extract<Code, { op: 'shell' }>;
export const shell = (text: string, more: Partial<ShellCode> = {}): Code => ({
  op: 'shell',
  template: { parts: [text], source: text },
  shell: 'default',
  tool: text.split(' ')[0] ?? null,
  ok: [0],
  reading: 'none',
  text,
  ...more,
});
export const check = (text: string, slot: number, more: Partial<ShellCode> = {}): Code =>
  shell(text, { ok: 'any', reading: 'check-named', bind: { slot }, ...more });

// ---- running ----

export const printed = (text: string, exit = 0, stderr = ''): Outcome => ({
  kind: 'exited',
  exit,
  stdout: { text, bytes: new TextEncoder().encode(text).length },
  stderr,
  duration_ms: 1,
});

export const OPTIONS: InterpreterOptions = {
  inputs: {},
  jobs: 4,
  record: true,
  autoEvents: false,
  limits: { transitions: 1000 },
  effectTimeoutMs: null,
  matches: (regex, text) => regex.test(text),
  sha256: sha256Hex,
  digest: 'd',
  version: '1',
};

/** Answers requests by the text of the command. Its clock advances with every timer. */
export class World {
  now = 1_000_000;
  readonly seen: string[] = [];

  constructor(readonly answers: Readonly<Record<string, string | Outcome | readonly (string | Outcome)[]>> = {}) {}

  answer(request: EffectRequest): Outcome | null {
    switch (request.kind) {
      case 'clock':
        return { kind: 'value', value: this.now };
      case 'timer':
        if (request.bounds !== undefined) return null;
        this.now = Math.max(this.now, request.until ?? 0);
        return { kind: 'value', value: this.now };
      case 'uuid':
        return { kind: 'value', value: `uuid-${request.effect}` };
      case 'random':
        return { kind: 'value', value: 0.5 };
      case 'schema':
        return { kind: 'value', value: null };
      case 'worktree':
        return { kind: 'failed', message: 'no worktree' };
      case 'ask':
      case 'signal':
        return null;
      default:
        return this.command(request.kind === 'agent' ? request.agent : request.text);
    }
  }

  private command(text: string): Outcome {
    const times = this.seen.filter((one) => one === text).length;
    this.seen.push(text);
    const all = this.answers[text] ?? '';
    const answer = Array.isArray(all)
      ? (all[Math.min(times, all.length - 1)] as string | Outcome)
      : (all as string | Outcome);
    return typeof answer === 'string' ? printed(answer) : answer;
  }
}

/** Runs until there is a result or only people can help. */
export function drive(run: Run, world: World, events: RunEvent[] = []): RunEvent[] {
  for (;;) {
    const status = advance(run);
    events.push(...run.takeEvents());
    if (status === 'stopped') return events;
    if (status === 'more') continue;
    let answered = false;
    for (const request of run.takeRequests()) {
      const outcome = world.answer(request);
      if (outcome === null) continue;
      answered = true;
      settle(run, request.effect, outcome);
    }
    if (!answered) return events;
  }
}

export function execute(
  program: Machine,
  answers: World['answers'] = {},
  options: Partial<InterpreterOptions> = {},
): { run: Run; events: RunEvent[]; lines: string[] } {
  const run = startRun(link(program), { ...OPTIONS, ...options });
  const events = drive(run, new World(answers));
  return { run, events, lines: visible(events) };
}

/** What people would see of a run, a line an event. */
export function visible(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'state_entered':
        return [`STATE ${event.state}${event.with === undefined ? '' : ` ${JSON.stringify(event.with)}`}`];
      case 'emitted':
        return [event.event === null ? `"${event.message}"` : `${event.event} ${JSON.stringify(event.fields)}`];
      case 'tracked_set':
        return [`${event.name} = ${JSON.stringify(event.value)}`];
      case 'warned':
        return [`WARN ${event.message}`];
      case 'effect_retried':
        return [`RETRY ${event.effect} ${event.attempt} ${event.error}`];
      case 'budget_exceeded':
        return [`BUDGET ${event.scope} ${event.limit} ${event.used}`];
      case 'asked':
        return [`ASK ${event.name} ${event.question}`];
      case 'answered':
        return [`ANSWER ${event.name} ${JSON.stringify(event.value)} ${event.by}`];
      case 'run_returned':
        return [`RETURN ${JSON.stringify(event.value)}`];
      case 'run_failed':
        return [`FAILED ${event.error.kind}: ${event.error.message}`];
      default:
        return [];
    }
  });
}
