/**
 * The spans of a run, computed from its events one by one: the run and its resumed executions, visits of states, steps and
 * their attempts, agents, commands, tools, gates, waits and questions. Ids follow from the run and the number of an event,
 * so a span is the same whenever and by whomever it is made. A span is passed on once, when it has ended.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import { threadOf } from '../../interpreter/events/facts.js';
import { endsRun, statusAfter, WORK_EFFECTS } from '../../interpreter/events/status-after.js';
import type { Json } from '../../machine/expression.js';
import type { Attempt, EventOf, Recorded, RecordedWait, Visit } from '../record/record-facts.js';
import { RunModel, type WaitEnd } from '../record/run-model.js';
import {
  attributesOf,
  nanoseconds,
  type OtlpSpan,
  parseTraceparent,
  type SpanLink,
  spanIdOf,
  spanOfEffect,
  traceIdOf,
  traceparentFor,
  wellFormed,
} from './otlp.js';
import {
  type Attributes,
  agentAttributes,
  cutText,
  failureOf,
  outcomeAttributes,
  textWithoutValues,
} from './span-attributes.js';
import { GEN_AI, OPERATION } from './span-names.js';

interface OpenSpan {
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly kind: 1 | 3;
  readonly startMs: number;
  readonly attributes: Attributes;
  readonly links: readonly SpanLink[];
}

interface OpenStepSpan extends Pick<OpenSpan, 'id'> {
  readonly span: OpenSpan;
  attempt: OpenSpan | null;
  /** The number of the event that began it. */
  readonly seq: number;
}

export interface SpanOptions {
  readonly runId: string;
  /** The `TRACEPARENT` that the run was started with. */
  readonly parent: string | null;
  /** The one of the run that this one was copied from. */
  readonly origin: string | null;
  /** Whether spans of agents have their prompts and answers. */
  readonly prompts: boolean;
  readonly emit: (span: OtlpSpan) => void;
  /** All spans so far belong to the trace of the run that this one was copied from. */
  readonly forget: () => void;
}

export class RunSpans {
  private readonly traceId: string;
  private readonly model: RunModel;
  private seq = 0;
  private nowMs = 0;
  /** The time of the event before. */
  private beforeMs = 0;
  private root: OpenSpan | null = null;
  private rootId = '';
  /** What executes the run: the root, or the span of a resumed execution. */
  private execution: OpenSpan | null = null;
  private executionId: string | undefined;
  private visit: OpenSpan | null = null;
  private readonly attempts = new Map<string, { readonly span: OpenSpan; readonly attempt: Attempt }>();
  private readonly waits = new Map<string, OpenSpan>();
  private readonly steps = new Map<string, OpenStepSpan>();
  /** Steps that ended, by path, with the events that began and ended them: a resume may open them again. */
  private readonly endedSteps = new Map<string, { readonly seq: number; readonly endSeq: number }>();
  /** When the last command of each gate began, in milliseconds since the epoch. */
  private readonly gateCommands = new Map<string, number>();
  /** The attempt that ended with the last event: the next one may say that its outcome was of no use. */
  private held: { readonly span: OpenSpan; readonly attempt: Attempt; readonly endMs: number } | null = null;

  constructor(private readonly options: SpanOptions) {
    this.traceId = traceIdOf(options.runId, options.parent);
    this.model = new RunModel({
      // What the model keeps of a million attempts is of no use here.
      keeps: () => false,
      watcher: {
        enterState: (visit) => this.enterState(visit),
        leaveState: (_, end) => this.leaveState(end),
        beginAttempt: (attempt) => this.beginAttempt(attempt),
        endAttempt: (attempt) => this.endAttempt(attempt),
        beginWait: (wait) => this.beginWait(wait),
        endWait: (wait, end) => this.endWait(wait, end),
        resume: (event) => this.resume(event),
      },
    });
  }

  take(record: Recorded): void {
    const { seq, time, event } = record;
    if (event.type === 'run_resumed' && event.of !== undefined) {
      this.held = null;
      this.options.forget();
    }
    this.seq = seq;
    this.beforeMs = this.nowMs;
    this.nowMs = Date.parse(time);
    if (this.beforeMs === 0) this.beforeMs = this.nowMs;
    this.judgeHeld(event);
    if (event.type === 'run_started') this.beginRoot(event);
    if (event.type === 'rollback_started') this.beginExecution('rollback', { 'statedsl.by': event.by });
    this.model.take(record);
    switch (event.type) {
      case 'step_started':
        return this.beginStep(event);
      case 'retry_triggered':
        return this.endStepAttempt(event.step, 'fail');
      case 'step_completed':
        return this.endStep(event);
      case 'gate_result':
        return this.addGate(event);
      default:
        if (statusAfter(event) !== null) this.endExecution(event);
    }
  }

  /** The `TRACEPARENT` for what an effect starts. */
  traceparentOf(effect: string): string {
    const id = this.attempts.get(effect)?.span.id ?? this.executionId ?? this.rootId;
    return traceparentFor(this.options, id);
  }

  private begin(
    name: string,
    parent: string | undefined,
    attributes: Attributes,
    {
      what = '',
      kind = 1,
      startMs = this.nowMs,
      links = [],
    }: Partial<Pick<OpenSpan, 'kind' | 'startMs' | 'links'> & { readonly what: string }> = {},
  ): OpenSpan {
    const id = spanIdOf(this.options.runId, this.seq, what);
    return { id, parent, name, kind, startMs, attributes, links };
  }

  private end(span: OpenSpan, endMs: number, error: string | null = null, more: Attributes = {}): void {
    const { id, parent, name, kind, startMs, attributes, links } = span;
    this.options.emit({
      traceId: this.traceId,
      spanId: id,
      ...(parent === undefined ? {} : { parentSpanId: parent }),
      name: wellFormed(name),
      kind,
      startTimeUnixNano: nanoseconds(startMs),
      endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
      attributes: attributesOf({ ...attributes, ...more }),
      ...(links.length === 0 ? {} : { links }),
      status: error === null ? {} : { code: 2, message: wellFormed(cutText(error)) },
    });
  }

  private beginRoot({ machine, by, version }: EventOf<'run_started'>): void {
    const attributes = {
      'statedsl.run.id': this.options.runId,
      'statedsl.machine': machine,
      'statedsl.version': version,
      'statedsl.by': by,
    };
    const parent = parseTraceparent(this.options.parent)?.spanId;
    this.rootId = rootIdOf(this.options.runId);
    this.root = { ...this.begin(`run ${machine}`, parent, attributes), id: this.rootId };
    this.execution = this.root;
    this.executionId = this.rootId;
  }

  /** `name`: what continues a run that had ended, or that no process executed. */
  private beginExecution(name: string, attributes: Attributes): void {
    const before = this.executionId ?? this.rootId;
    const execution = this.begin(`${name} ${this.model.machine}`, this.rootId, attributes, {
      what: 'execution',
      links: [{ traceId: this.traceId, spanId: before }],
    });
    this.execution = execution;
    this.executionId = execution.id;
  }

  private endExecution(event: RunEvent): void {
    const isOver = endsRun(event);
    const error = event.type === 'run_failed' ? event.error.message : null;
    const status = { 'statedsl.status': statusAfter(event) };
    if (this.execution !== null && this.execution !== this.root) {
      this.end(this.execution, this.nowMs, error, status);
      this.execution = null;
    }
    if (!isOver) return;
    this.endOpen(this.nowMs, 'ended');
    if (this.root === null) return;
    const type = event.type === 'run_failed' ? { 'error.type': event.error.kind } : {};
    this.end(this.root, this.nowMs, error, { ...status, 'statedsl.cost_usd': this.model.cost, ...type });
    this.root = null;
    this.execution = null;
  }

  /** Steps, attempts and waits that something ended before they were over. */
  private endOpen(endMs: number, how: 'ended' | 'interrupted'): void {
    const more = how === 'interrupted' ? { 'statedsl.interrupted': true } : { 'statedsl.stopped': true };
    for (const { span } of this.attempts.values()) this.end(span, endMs, null, more);
    this.attempts.clear();
    for (const span of this.waits.values()) this.end(span, endMs, null, more);
    this.waits.clear();
    // Steps inside of others end first.
    for (const [path, step] of [...this.steps].reverse()) this.closeStep(path, step, endMs, null, more);
  }

  /** Before the model takes anything back. */
  private resume(event: EventOf<'run_resumed'>): void {
    const { from: since, of, by } = event;
    if (of !== undefined) {
      const open = [...this.steps].map(([path, { seq }]) => [path, { seq, endSeq: this.seq }] as const);
      this.beginCopy(of, event);
      return this.openAgain([...this.endedSteps, ...open], since);
    }
    // The process died: the execution ended with the last event that it recorded.
    if (this.execution !== null && this.execution !== this.root)
      this.end(this.execution, this.beforeMs, null, { 'statedsl.interrupted': true });
    if (since !== undefined) this.endOpen(this.beforeMs, 'interrupted');
    const open = [...this.attempts.values()];
    for (const { span } of open) this.end(span, this.beforeMs, null, { 'statedsl.interrupted': true });
    this.beginExecution('resume', { 'statedsl.by': by, 'statedsl.resume.event': since });
    // They are made again, as others are that the model takes back.
    for (const { attempt } of open) this.beginAttempt(attempt);
    this.openAgain([...this.endedSteps], since);
  }

  /** Steps that had begun before the event `since`, and have not ended there: their next attempts need a span. */
  private openAgain(
    steps: readonly (readonly [string, { readonly seq: number; readonly endSeq: number }])[],
    since: number | undefined,
  ): void {
    if (since === undefined) return;
    for (const [path, { seq, endSeq }] of steps)
      if (seq < since && endSeq >= since) this.openStep(path, { 'statedsl.step': path }, seq);
  }

  /** Another run did everything up to here, and its trace has the spans: this run begins with the resumption. */
  private beginCopy(of: string, { by, from: since }: EventOf<'run_resumed'>): void {
    for (const map of [this.attempts, this.waits, this.steps]) map.clear();
    this.visit = null;
    const machine = this.model.machine;
    const links = [{ traceId: traceIdOf(of, this.options.origin), spanId: rootIdOf(of) }];
    const attributes = {
      'statedsl.run.id': this.options.runId,
      'statedsl.machine': machine,
      'statedsl.by': by,
      'statedsl.replay.of': of,
      'statedsl.resume.event': since,
    };
    const parent = parseTraceparent(this.options.parent)?.spanId;
    this.rootId = rootIdOf(this.options.runId);
    this.root = { ...this.begin(`run ${machine}`, parent, attributes, { links }), id: this.rootId };
    this.execution = this.root;
    this.executionId = this.rootId;
  }

  private get innermost(): string | undefined {
    return this.visit?.id ?? this.executionId;
  }

  private enterState({ state, entered }: Visit): void {
    const attributes = { 'statedsl.state': state, 'statedsl.entered': entered ? undefined : false };
    this.visit = this.begin(`state ${state}`, this.executionId, attributes, { what: 'state' });
  }

  private leaveState(end: 'succeeded' | 'failed' | 'interrupted'): void {
    if (this.visit === null) return;
    const visit = this.visit;
    this.visit = null;
    if (end === 'interrupted') return this.end(visit, this.beforeMs, null, { 'statedsl.interrupted': true });
    this.end(visit, this.nowMs, end === 'failed' ? 'the run failed in this state' : null);
  }

  private beginAttempt(attempt: Attempt): void {
    const { request } = attempt;
    const { effect, kind, tool, step, line, attempt: number, undo, member } = request;
    if (!WORK_EFFECTS.has(kind)) return;
    const name = tool ?? kind;
    const parent = (step === undefined ? undefined : this.steps.get(step)?.attempt?.id) ?? this.innermost;
    const common = {
      'statedsl.effect': effect,
      'statedsl.attempt': number,
      'statedsl.line': line,
      'statedsl.undo': undo,
      'statedsl.member': member?.[0],
    };
    const what = spanOfEffect(effect);
    const span =
      kind === 'agent'
        ? this.begin(`${OPERATION.agent} ${name}`, parent, { ...agentAttributes(name), ...common }, { what, kind: 3 })
        : kind === 'tool'
          ? this.begin(
              `${OPERATION.tool} ${name}`,
              parent,
              { [GEN_AI.operation]: OPERATION.tool, [GEN_AI.tool]: name, ...common },
              { what },
            )
          : this.begin(
              `${kind === 'function' ? 'function' : 'command'} ${name}`,
              parent,
              { ...common, 'statedsl.command': textWithoutValues(request) },
              { what },
            );
    this.attempts.set(effect, { span, attempt });
    if (step !== undefined && tool !== null && kind === 'shell')
      this.gateCommands.set(JSON.stringify([step, tool]), this.nowMs);
  }

  private endAttempt(attempt: Attempt): void {
    const { effect } = attempt.request;
    const open = this.attempts.get(effect);
    if (open === undefined) return;
    this.attempts.delete(effect);
    this.held = { span: open.span, attempt, endMs: this.nowMs };
  }

  /** Ends the attempt whose outcome came with the event before. */
  private judgeHeld(next: RunEvent): void {
    if (this.held === null) return;
    const { span, attempt, endMs } = this.held;
    this.held = null;
    const { effect } = attempt.request;
    const isRetried = next.type === 'effect_retried' && next.effect === effect;
    const isBackedOff = isRetried && next.until_ms !== undefined;
    const isUseless = next.type === 'instruction_failed' && next.thread === threadOf(effect);
    const error =
      isBackedOff || attempt.ending === 'stopped'
        ? null
        : isRetried || isUseless
          ? next.error
          : attempt.ending === 'failed'
            ? failureOf(attempt)
            : null;
    this.end(span, endMs, error, {
      ...outcomeAttributes(attempt, this.options.prompts),
      'statedsl.backed_off': isBackedOff ? true : undefined,
      'statedsl.stopped': attempt.ending === 'stopped' ? true : undefined,
    });
  }

  private beginWait(wait: RecordedWait): void {
    const { kind, name, effect, isApproval, waiting } = wait;
    const title = isApproval
      ? `approval ${waiting.path ?? name ?? ''}`
      : kind === 'ask'
        ? `question ${name ?? ''}`
        : kind === 'signal'
          ? `wait signal ${name ?? ''}`
          : 'wait';
    const attributes = { 'statedsl.wait.kind': isApproval ? 'approval' : kind, 'statedsl.wait.name': name };
    this.waits.set(effect, this.begin(title.trim(), this.innermost, attributes, { what: `wait ${effect}` }));
  }

  private endWait({ effect }: RecordedWait, end: WaitEnd): void {
    const span = this.waits.get(effect);
    if (span === undefined) return;
    this.waits.delete(effect);
    this.end(span, end === 'discarded' ? this.beforeMs : this.nowMs, null, { 'statedsl.wait.end': end });
  }

  private beginStep({ step: path, attempt, agent, step_type: type }: EventOf<'step_started'>): void {
    const attributes = { 'statedsl.step': path, 'statedsl.step.type': type };
    const known = this.steps.get(path);
    if (known !== undefined && known.attempt !== null) this.endStepAttempt(path, null);
    const step = known ?? this.openStep(path, attributes, this.seq);
    const more = { 'statedsl.step': path, 'statedsl.attempt': attempt, [GEN_AI.agent]: agent };
    step.attempt = this.begin(`attempt ${attempt} of ${path}`, step.id, more, { what: 'attempt' });
  }

  private openStep(path: string, attributes: Attributes, seq: number): OpenStepSpan {
    const around = [...this.steps].findLast(([outer]) => path.startsWith(`${outer}/`))?.[1];
    const parent = around?.attempt?.id ?? around?.id ?? this.innermost;
    const span = this.begin(`step ${path}`, parent, attributes, { what: `step ${path}` });
    const step = { id: span.id, span, attempt: null, seq };
    this.steps.set(path, step);
    return step;
  }

  private endStepAttempt(path: string, status: string | null): void {
    const step = this.steps.get(path);
    if (step === undefined || step.attempt === null) return;
    const error = status === 'fail' || status === 'fatal' ? 'the attempt did not pass' : null;
    this.end(step.attempt, this.nowMs, error, { 'statedsl.status': status });
    step.attempt = null;
  }

  private endStep({ step: path, status, retries, cost }: EventOf<'step_completed'>): void {
    const step = this.steps.get(path);
    if (step === undefined) return;
    this.endStepAttempt(path, status);
    const more = { 'statedsl.status': status, 'statedsl.retries': retries, 'statedsl.cost_usd': cost };
    this.closeStep(path, step, this.nowMs, status === 'pass' ? null : 'the step did not pass', more);
  }

  private closeStep(path: string, step: OpenStepSpan, endMs: number, error: string | null, more: Attributes): void {
    if (step.attempt !== null) this.end(step.attempt, endMs, null, more);
    this.end(step.span, endMs, error, more);
    this.steps.delete(path);
    this.endedSteps.set(path, { seq: step.seq, endSeq: this.seq });
  }

  /** The span of a gate begins with its command, if it has one. */
  private addGate({ step, gate, kind, pass, message }: EventOf<'gate_result'>): void {
    const key = JSON.stringify([step, gate]);
    const startMs = this.gateCommands.get(key) ?? this.nowMs;
    this.gateCommands.delete(key);
    const open = this.steps.get(step);
    const attributes = {
      'statedsl.step': step,
      'statedsl.gate': gate,
      'statedsl.gate.kind': kind,
      'statedsl.gate.pass': pass,
    };
    const parent = open?.attempt?.id ?? open?.id ?? this.innermost;
    const span = this.begin(`gate ${gate}`, parent, attributes, { what: 'gate', startMs });
    this.end(span, this.nowMs, pass ? null : (message ?? 'the gate did not pass'));
  }
}

/** What the spans of a run need of the settings that it is stored with. */
export function parentsOf({
  traceparent,
  origin_traceparent: origin,
}: Readonly<Record<string, Json>>): Pick<SpanOptions, 'parent' | 'origin'> {
  const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
  return { parent: text(traceparent), origin: text(origin) };
}

/** Another run can link to it without reading the record. */
function rootIdOf(runId: string): string {
  return spanIdOf(runId, 0, 'run');
}
