/**
 * A program whose effects a test settles by hand, in any order. With `restored`, the run is saved and restored after
 * each step, as by a checkpoint: whatever a test says must be true of both.
 */
import { expect } from 'vitest';
import { callSupport } from '../../src/app/project/link-plans.js';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { PastExecutions } from '../../src/interpreter/record/earlier-executions.js';
import { FinishedEffects } from '../../src/interpreter/record/finished-work.js';
import { migrateRun } from '../../src/interpreter/record/migrate.js';
import { Replay, type ReplayOptions } from '../../src/interpreter/record/replay.js';
import type {
  AgentRequest,
  EffectRequest,
  ShellRequest,
  ToolRequest,
  WorktreeAction,
} from '../../src/interpreter/request.js';
import {
  advance,
  answer,
  type InterpreterOptions,
  type LinkedMachine,
  link,
  type Run,
  receiveSignal,
  restoreRun,
  settle,
  snapshotOf,
  startRun,
} from '../../src/interpreter/run.js';
import { beginRollback } from '../../src/interpreter/undo/rollback.js';
import { compile } from '../../src/language/check/compile.js';
import type { Lookups } from '../../src/language/check/lower/lowered-state.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import type { Json } from '../../src/machine/expression.js';
import type { Machine } from '../../src/machine/machine.js';
import { workflowOf } from '../corpus/compile-case.js';
import { eventLine } from '../corpus/event-line.js';
import { memoryHost } from '../project/memory-host.js';
import { OPTIONS, printed } from './machine-builder.js';

const asIs = <T>(one: T): T => one;
const AS_IS: ReplayOptions = { toRecorded: asIs, toCompared: asIs, complete: asIs, migrate: () => null };

export interface ScriptOptions {
  readonly restored: boolean;
  readonly run?: Partial<InterpreterOptions>;
  readonly lookups?: Lookups;
  /** Names of functions that are commands. */
  readonly functions?: readonly string[];
  /** The files of its project, such as `tools.yaml`. */
  readonly files?: Readonly<Record<string, string>>;
  /** The time that every clock shows; absent: the test settles them. */
  readonly clockMs?: number;
}

export class ScriptedProgram {
  run: Run;
  /** What was requested, in order, by the text of the instruction or the kind of the request. */
  readonly started: string[] = [];
  readonly events: RunEvent[] = [];
  /** All requests, in order. */
  readonly requests: EffectRequest[] = [];
  /** The calls of agents. */
  readonly calls: AgentRequest[] = [];
  /** The calls of tools. */
  readonly toolCalls: ToolRequest[] = [];
  readonly stopped: string[] = [];
  /** The commands that a shell executes. */
  readonly commands: ShellRequest[] = [];
  /** What the worktree was asked for. */
  readonly actions: WorktreeAction[] = [];
  /** What the last restored run asked for again. */
  repeated: readonly EffectRequest[] = [];
  /** What the last edit added above the place where the run went on. */
  leftOut: readonly string[] = [];
  private linked: LinkedMachine;
  private readonly options: InterpreterOptions;
  private readonly open = new Map<string, EffectRequest>();
  private readonly names = new Map<string, string>();
  private readonly isRestored: boolean;
  private readonly clockMs: number | undefined;

  constructor(text: string, { restored, run = {}, clockMs, ...project }: ScriptOptions) {
    this.linked = linkText(text, project);
    this.options = { ...OPTIONS, ...run };
    this.isRestored = restored;
    this.clockMs = clockMs;
    this.run = startRun(this.linked, this.options);
    this.step();
  }

  /** Ends the effect of this name; a text is what a command printed. */
  end(name: string, outcome: Outcome | string = ''): this {
    const { effect } = this.take(name);
    settle(this.run, effect, typeof outcome === 'string' ? printed(outcome) : outcome);
    return this.step();
  }

  fail(name: string, message = 'broken'): this {
    return this.end(name, printed('', 1, message));
  }

  answer(name: string, value: Json): this {
    answer(this.run, this.take(name).effect, value, 'ann');
    return this.step();
  }

  signal(name: string, payload: Json): this {
    receiveSignal(this.run, name, payload, 'ann');
    return this.step();
  }

  /** Undoes what a failed run did. */
  rollback(): this {
    beginRollback(this.run, 'ann');
    return this.step();
  }

  /**
   * Continues in an edited program, or returns what it lacks. `failed`: what the run waits for has failed before;
   * `inserted`: what the edited program has above it is executed first.
   */
  edit(text: string, failed = false, inserted = false): readonly string[] {
    return this.goOnIn(text, { failed, inserted });
  }

  private goOnIn(text: string, how: Parameters<typeof migrateRun>[2]): readonly string[] {
    const linked = linkText(text);
    const moved = migrateRun(this.run, linked, how);
    if ('missing' in moved) return moved.missing;
    this.leftOut = moved.leftOut.map(({ text }) => text);
    this.linked = linked;
    this.run = moved.run;
    this.open.clear();
    for (const request of this.run.takeRequests()) this.open.set(nameOf(request), request);
    this.step();
    return [];
  }

  /** The same with what is done, which the record tells: it is not done again where its line is now. */
  move(text: string): readonly string[] {
    const executions = new PastExecutions();
    const effects = new FinishedEffects();
    const replay = new Replay(startRun(executions.observe(this.linked), this.options), AS_IS, false);
    for (const [at, event] of this.events.entries()) {
      if (replay.take(at + 1, event) !== null) throw new Error(`event ${at + 1} is another one`);
      effects.take(event);
    }
    replay.release();
    executions.finish();
    return this.goOnIn(text, { failed: false, finished: effects.work(executions) });
  }

  /** What waits for its outcome. */
  get waiting(): readonly string[] {
    return [...this.open.keys()];
  }

  /** The lines of all events that a reader cares about. */
  get lines(): string[] {
    return this.events.map(eventLine).filter((line) => line !== null);
  }

  private take(name: string): EffectRequest {
    const request = this.open.get(name);
    if (request === undefined) throw new Error(`${name} is not open: ${[...this.open.keys()]}`);
    this.open.delete(name);
    return request;
  }

  private step(): this {
    while (advance(this.run) === 'more') this.events.push(...this.run.takeEvents());
    this.events.push(...this.run.takeEvents());
    for (const effect of this.run.takeCancellations()) {
      const name = this.names.get(effect) ?? effect;
      this.stopped.push(name);
      this.open.delete(name);
    }
    for (const request of this.run.takeRequests()) this.note(request);
    if (this.isRestored && this.run.result === null) this.restore();
    if (this.clockMs === undefined || !this.open.has('clock')) return this;
    return this.end('clock', { kind: 'value', value: this.clockMs });
  }

  private restore(): void {
    const image = snapshotOf(this.run);
    this.run = restoreRun(this.linked, JSON.parse(JSON.stringify(image)) as Json, this.options);
    expect(JSON.stringify(snapshotOf(this.run))).toBe(JSON.stringify(image));
    this.repeated = this.run.takeRequests();
    // Requests of one name hide each other, and signals leave theirs open.
    const open = new Map(
      [...this.open.values()]
        .filter(({ effect }) => this.run.pending.has(effect))
        .map((request) => [request.effect, request]),
    );
    const repeated = this.repeated.filter(({ effect }) => open.has(effect));
    const before = repeated.map(({ effect }) => lasting(open.get(effect) as EffectRequest));
    expect(repeated.map(lasting)).toEqual(before);
    expect(repeated).toHaveLength(open.size);
    this.run.takeEvents();
  }

  private note(request: EffectRequest): void {
    const name = nameOf(request);
    this.started.push(name);
    this.requests.push(request);
    if (request.kind === 'agent') this.calls.push(request);
    if (request.kind === 'tool') this.toolCalls.push(request);
    if (request.kind === 'worktree') this.actions.push(request.action);
    if (request.kind === 'shell') this.commands.push(request);
    this.open.set(name, request);
    this.names.set(request.effect, name);
  }
}

/** What a request has whenever it is made. */
function lasting(request: EffectRequest): string {
  return JSON.stringify({ ...request, delayMs: undefined, ms: undefined, again: undefined });
}

type Project = Pick<ScriptOptions, 'lookups' | 'functions' | 'files'>;

/** Programs that need nothing else, by their texts. */
const linkedTexts = new Map<string, LinkedMachine>();

function linkText(text: string, project: Project = {}): LinkedMachine {
  const known = Object.keys(project).length === 0 ? linkedTexts.get(text) : undefined;
  const linked = known ?? linkIn(text, project);
  if (Object.keys(project).length === 0) linkedTexts.set(text, linked);
  return linked;
}

function linkIn(text: string, { lookups = {}, functions = [], files = {} }: Project): LinkedMachine {
  const calls = () =>
    callSupport(
      memoryHost((name) => files[name]),
      'program.dsl',
      {},
    );
  const called = new Map(Object.entries(files).filter(([path]) => path.startsWith('workflows/')));
  const workflows = called.size === 0 ? {} : { parse: parseFile, workflow: (name: string) => workflowOf(name, called) };
  const { machine, diagnostics } = compile(text, { lookups, calls, commands: functions, ...workflows });
  if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return link(machine as Machine);
}

/** A command as it is executed; for all others the kind, with the name that they have. */
export function nameOf(request: EffectRequest): string {
  if (request.kind === 'agent') return `agent ${request.agent}`;
  if (request.kind === 'tool') return `tool ${request.tool}`;
  if (request.kind !== 'shell') return 'name' in request ? `${request.kind} ${request.name}` : request.kind;
  let hole = 0;
  const parts = request.template.parts.map((part) => {
    if (typeof part === 'string') return part;
    const value = request.values[hole++];
    return value !== undefined && 'text' in value ? value.text : '';
  });
  return parts.join('').trim();
}
