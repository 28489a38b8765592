/**
 * A turn: executes a run on the engine until it has ended, until it waits for nothing but the clock, a person or a signal,
 * or until it has settled so much that reading the engine's record of it again would take long. The loop is that of `drive`:
 * exchange, record, start, wait. What differs is who remembers: every outcome is an entry of the engine, and the lines and
 * the image go to the object of the run.
 *
 * A turn may be executed again at any point, in another process. So it reads no clock, no environment and no random number
 * except through entries, and whatever it does with them depends on entries alone.
 */
import type { RunEvent } from '../interpreter/events/event.js';
import { endsRun } from '../interpreter/events/status-after.js';
import { type AdvanceStatus, exchange, type Finished } from '../interpreter/exchange.js';
import type { EffectRequest } from '../interpreter/request.js';
import {
  exceed,
  exceedImage,
  type OpenWait,
  openWaits,
  type Run,
  refuseRun,
  skipRun,
  startRun,
  waiting,
} from '../interpreter/run.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import type { Redactor } from '../runtime/redact.js';
import { applyDelivery } from '../runtime/run/apply-delivery.js';
import { Growth } from '../runtime/run/growth.js';
import { remembersSteps } from '../runtime/run/memo-effects.js';
import { reportOf } from '../runtime/run/run-report.js';
import { imageOf, runOf } from '../runtime/store/image.js';
import type { JournalRecord } from '../runtime/store/journal-line.js';
import { nextTurn } from '../runtime/timer.js';
import { VERSION } from '../runtime/version.js';
import { EffectEntries } from './effect-entries.js';
import type { TurnContext } from './engine-context.js';
import type { Mail, PerformedEffect, StoredArtifact, StoredImage, Turned, TurnRequest, TurnStart } from './messages.js';
import { hideSecrets, revealSecrets } from './secret-inputs.js';
import type { TurnPresence } from './turn-host.js';
import {
  beginningOf,
  END_ONLY,
  type EndedStep,
  EXECUTE,
  isEndedAtOnce,
  mayEnd,
  requireWorktree,
  type TurnHost,
  type TurnProgram,
  type WorkerRefusal,
} from './turn-host.js';
import { bytesOf, MOST_IMAGE, type TooLarge, TurnRecord, tooMuch } from './turn-record.js';
import {
  type Awaited,
  type Came,
  passOn,
  passOnOrEnd,
  storedReport,
  TurnTimers,
  TurnWaits,
  tooLargeResult,
} from './turn-waits.js';
import { type BegunWorktree, TurnWorktree } from './turn-worktree.js';
import { unpackDelivery } from './value-codec.js';

/** A turn that has settled so many effects, or so many bytes of outcomes and lines, starts nothing new. */
const MOST_EFFECTS = 500;
const MOST_BYTES = 4_000_000;
/** Transitions between two looks at the size of the record, at first and at most. */
const FIRST_TRANSITIONS = 64;
const MOST_TRANSITIONS = 4_096;
/** Lines of so many bytes between two looks are many, and so many are few. */
const MANY_BYTES = 500_000;
const FEW_BYTES = 100_000;

/** How a turn began. It is on record, so that all attempts do the same, whichever worker makes them. */
interface BegunTurn {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Why the worker that began the turn does not execute it; null: it does. */
  readonly refused: WorkerRefusal | null;
  /** Absent: the run has none, or does not get to it. */
  readonly worktree?: BegunWorktree;
  /** Its end sends spans. */
  readonly isTraced?: true;
  /** The version of statedsl that began it. */
  readonly by: string;
}

/** Executes a turn and sends its end to the object of the run. */
export async function executeTurn(context: TurnContext, start: TurnStart, host: TurnHost): Promise<void> {
  const { runId, turn } = start;
  const begun = await context.begin<BegunTurn>(async (at) => ({
    at,
    ...(await beginningOf(start, host, context.invocation)),
    ...(host.sendSpans === undefined ? {} : { isTraced: true as const }),
    by: VERSION,
  }));
  const { refused, by } = begun;
  host.origins?.note(context.invocation, { runId, turn, by });
  if (begun.worktree !== undefined) await requireWorktree(start, host, context.invocation);
  if (refused === null)
    return execute(context, start, host, begun, await host.program(runId, isEndedAtOnce(start) ? END_ONLY : EXECUTE));
  if (refused.unreadableOf !== undefined) return passOn(context, start, host.services, refused.unreadableOf);
  const program = await host.program(runId, END_ONLY);
  if (mayEnd(start) && refused.isFinal) return execute(context, start, host, begun, program);
  const ended = await passOnOrEnd(context, start, host.services, program.home);
  if (ended !== null) await execute(context, ended, host, { ...begun, refused: null }, { ...program, refused });
}

async function execute(
  context: TurnContext,
  start: TurnStart,
  host: TurnHost,
  { at, refused, worktree, isTraced }: BegunTurn,
  given: TurnProgram,
): Promise<void> {
  const program =
    worktree === undefined ? given : { ...given, options: { ...given.options, worktree: { base: worktree.base } } };
  const recorded: JournalRecord[] = [];
  const onRecorded = isTraced === true ? (record: JournalRecord): void => void recorded.push(record) : null;
  const turn = new Turn(context, start, host, { program, begun: Math.max(at, start.due ?? 0), onRecorded });
  if (worktree !== undefined && host.worktrees !== undefined)
    turn.worktree = new TurnWorktree(context, host.worktrees, start, worktree);
  const turned = await (refused === null ? turn.execute() : turn.refuse(refused.reason));
  for (const artifact of turn.takeArtifacts()) context.send(host.services.run(start.runId, 'store'), artifact);
  context.send(host.services.run(start.runId, 'turned'), turned);
  // Nothing waits for it: the run has gone on. That spans were sent is on record, so another attempt does not send them again.
  if (isTraced === true) await context.run('spans', async () => (await host.sendSpans?.(start, recorded)) ?? null);
}

interface TurnBeginnings {
  readonly program: TurnProgram;
  /** When the turn began. */
  readonly begun: number;
  /** Gets every event as it is on record. */
  readonly onRecorded: ((record: JournalRecord) => void) | null;
}

class Turn {
  private readonly program: TurnProgram;
  private readonly begun: number;
  private readonly run: Run;
  private readonly record: TurnRecord;
  private readonly effects: EffectEntries;
  private readonly waits: TurnWaits;
  private readonly growth: Growth;
  private readonly presence: TurnPresence | null;
  private readonly output: { bytes: number; limit: number; onExceeded: () => void };
  /** Requests that are not started yet. */
  private queued: PerformedRequest[] = [];
  /** By effects that are not started: the numbers of the events that requested them. Only of runs that are traced. */
  private readonly requestedAt: Map<string, number>;
  /** The number of the event with which all others begin again. */
  private resumedAt: number | undefined;
  private readonly timers = new TurnTimers();
  private settled = 0;
  private readonly remembers: boolean;
  private readonly endedSteps: EndedStep[] = [];
  private seen: number;
  private transitions = FIRST_TRANSITIONS;
  /** Null: the run works in the directory of its worker. */
  worktree: TurnWorktree | null = null;

  constructor(
    private readonly context: TurnContext,
    private readonly start: TurnStart,
    private readonly host: TurnHost,
    { program, begun, onRecorded }: TurnBeginnings,
  ) {
    this.program = program;
    this.begun = begun;
    const { image, runId, written, seen } = start;
    const { linked, options, inDoubt, placement, secrets, redactor } = program;
    this.run =
      image === null
        ? startRun(linked, options)
        : runOf({ ...image, snapshot: revealSecrets(image.snapshot, secrets) }, linked, options);
    this.remembers = remembersSteps(linked.machine);
    this.requestedAt = new Map(Object.entries(image?.requested_at ?? {}));
    this.record = new TurnRecord(start, begun, redactor, this.watcher(onRecorded));
    const { invocation, attemptOver: over } = context;
    this.presence = host.presence?.({ runId, turn: start.turn, invocation, over }) ?? null;
    this.effects = new EffectEntries(context, { runId, host, inDoubt, placement, program, presence: this.presence });
    this.waits = new TurnWaits(context, start, host.services, this.record, () => this.questions);
    this.output = { bytes: written.output, limit: 0, onExceeded: () => undefined };
    this.growth = new Growth(this.run.limits, () => this.record.journalBytes, this.output);
    this.seen = seen;
  }

  async execute(): Promise<Turned> {
    const { resumedBy, mail, begin = [], keyed = [] } = this.start;
    if (resumedBy !== null) this.add([{ type: 'run_resumed', by: resumedBy }]);
    this.add(begin);
    for (const one of keyed)
      if (one.type === 'run_skipped') skipRun(this.run, one.key, one.run_id);
      else this.run.recordNow(one);
    if (this.run.result?.status === 'skipped') this.seen = mail.at(-1)?.number ?? this.seen;
    else this.receive(mail);
    let finished: Finished | null = null;
    for (;;) {
      const status = this.exchange(finished);
      finished = null;
      if (status === 'stopped') return this.end('stopped');
      if (this.exceedsGrowth()) continue;
      if (this.isFull && this.effects.isEmpty && (status === 'more' || this.queued.length > 0))
        return this.end('limit');
      if (status === 'more') {
        await nextTurn();
        continue;
      }
      await this.startQueued();
      finished = this.takeDueTimer();
      if (finished !== null) continue;
      if (this.effects.isEmpty) return this.end('suspended');
      finished = this.take(this.waits.receive(await this.waits.next(this.awaited), this.seen));
    }
  }

  /** The run fails before it begins. */
  async refuse(reason: string): Promise<Turned> {
    this.add(this.start.begin ?? []);
    refuseRun(this.run, reason);
    while (this.exchange(null) === 'more');
    return this.end('stopped');
  }

  /** What the lines of the turn refer to and the object of the run does not have yet. */
  takeArtifacts(): readonly StoredArtifact[] {
    return this.record.takeArtifacts();
  }

  private exchange(finished: Finished | null): AdvanceStatus {
    const { status, events, requests, cancelled } = exchange(this.run, finished, this.transitions);
    this.cancel(cancelled);
    const before = this.record.bytes;
    const result = tooLargeResult(this.run);
    const tooLarge = this.add(result === null ? events : events.filter((one) => !endsRun(one))) ?? result;
    if (tooLarge !== null) return this.exceedImage(tooLarge);
    for (const request of requests) this.accept(request);
    const bytes = this.record.bytes - before;
    if (bytes > MANY_BYTES) this.transitions = Math.max(1, Math.floor(this.transitions / 4));
    else if (bytes < FEW_BYTES) this.transitions = Math.min(MOST_TRANSITIONS, this.transitions * 2);
    if (this.record.isHeavy) this.waits.sendLines(this.seen);
    return status;
  }

  private add(events: readonly RunEvent[]): TooLarge | null {
    const tooLarge = this.record.add(events);
    // Without all of them the run is about to end.
    if (tooLarge === null) this.worktree?.note(events);
    if (this.remembers) this.endedSteps.push(...events.filter((one) => one.type === 'step_completed'));
    return tooLarge;
  }

  /** Ends the run, because the engine cannot keep what it produced, even if that was its end. */
  private exceedImage({ limit, used }: TooLarge): 'stopped' {
    exceedImage(this.run, limit, used);
    this.run.takeRequests();
    this.cancel(this.run.takeCancellations());
    this.add(this.run.takeEvents());
    return 'stopped';
  }

  private cancel(effects: readonly string[]): void {
    if (effects.length === 0) return;
    for (const effect of effects) {
      this.timers.delete(effect);
      this.effects.stop(effect);
    }
    const cancelled = new Set(effects);
    this.queued = this.queued.filter(({ effect }) => !cancelled.has(effect));
  }

  private accept(request: EffectRequest): void {
    switch (request.kind) {
      case 'ask':
      case 'signal':
        return;
      case 'timer':
        this.timers.add(request, this.record.now);
        return;
      default:
        this.queued.push(request);
    }
  }

  private watcher(onRecorded: TurnBeginnings['onRecorded']): TurnBeginnings['onRecorded'] {
    if (this.program.traceparentOf === undefined) return onRecorded;
    return (record) => {
      const { seq, event } = record;
      if (event.type === 'effect_requested') this.requestedAt.set(event.effect, seq);
      else if (event.type === 'run_resumed') {
        this.requestedAt.clear();
        this.resumedAt = seq;
      }
      onRecorded?.(record);
    };
  }

  private withTraceparent(request: PerformedRequest): TurnRequest {
    const { effect } = request;
    const seq = this.requestedAt.get(effect) ?? this.resumedAt;
    if (seq === undefined || this.program.traceparentOf === undefined) return request;
    this.requestedAt.delete(effect);
    return { ...request, traceparent: this.program.traceparentOf(effect, seq) };
  }

  /** Each delivery is applied only after everything has followed from the previous one. */
  private receive(mail: readonly Mail[]): void {
    for (const { number, delivery } of mail) {
      if (number <= this.seen) continue;
      this.seen = number;
      while (this.exchange(null) === 'more');
      if (delivery.kind === 'freed') this.timers.free(delivery);
      else applyDelivery(this.run, unpackDelivery(delivery));
    }
  }

  private get isFull(): boolean {
    return this.settled >= MOST_EFFECTS || this.record.bytes > MOST_BYTES;
  }

  private exceedsGrowth(): boolean {
    if (this.run.undo.endedAs !== null) return false;
    const passed = this.growth.exceededLimit();
    if (passed !== null) exceed(this.run, passed.scope, passed.limit, passed.used);
    else this.add(this.growth.warnings(this.run.currentState));
    return passed !== null;
  }

  /** Which steps have passed is known only now, and one of them may begin again. */
  private async rememberSteps(): Promise<void> {
    for (const ended of this.endedSteps.splice(0))
      await this.context.run(`${ended.step} memo`, async () => {
        await this.host.rememberEnd?.(this.start.runId, ended);
        return null;
      });
  }

  private async startQueued(): Promise<void> {
    if (this.endedSteps.length > 0) await this.rememberSteps();
    // A stopped effect must not write into the files of the next one.
    const stopping = this.effects.stoppedEnd();
    if (stopping !== null) await stopping;
    if (this.isFull) return;
    const point = this.worktree === null ? null : await this.worktree.keepPoint();
    if (point !== null) this.add([point]);
    const requests = this.queued;
    this.queued = [];
    const outputLimit = this.output.limit - this.output.bytes;
    for (const request of requests) {
      const started = this.effects.start(this.withTraceparent(request), outputLimit, this.record.now);
      if (started !== null) await started;
    }
  }

  /** A timer that is due ends without an entry. */
  private takeDueTimer(): Finished | null {
    const { now } = this.record;
    const effect = this.timers.takeDue(now);
    return effect === null ? null : { kind: 'outcome', effect, outcome: { kind: 'value', value: now } };
  }

  /** What the turn waits for. */
  private get awaited(): Awaited {
    const limit = this.timeLimit;
    return {
      effects: this.effects.entries(),
      timer: this.timers.soonest()?.until ?? null,
      timeLimit: limit === null ? null : this.begun + limit - this.activeBefore,
    };
  }

  /** Returns what is to be given to the run. */
  private take(came: Came): Finished | null {
    switch (came.kind) {
      case 'performed':
        return this.settle(came.effect, came.performed);
      case 'found':
        this.effects.proceed(came);
        return null;
      case 'mail':
        this.receive(came.mail);
        return null;
      case 'time-up':
        exceed(this.run, 'time', this.timeLimit ?? 0, this.activeMs);
        return null;
      case 'nothing':
        return null;
    }
  }

  private settle(effect: string, { outcome, at, printed }: PerformedEffect): Finished | null {
    this.effects.finish(effect);
    this.presence?.noteProgress();
    this.settled++;
    this.record.passOutcome(outcome, at);
    this.output.bytes += printed;
    // An output that a limit cut off must not become an outcome.
    return this.exceedsGrowth() ? null : { kind: 'outcome', effect, outcome };
  }

  private get questions(): readonly OpenWait[] {
    return openWaits(this.run).map((one) => withoutSecrets(one, this.program.redactor));
  }

  /** What the next turn continues from. */
  private image(): StoredImage {
    const image = imageOf(this.run, { activeMs: this.activeMs });
    const requested = this.queued.flatMap(({ effect }) => {
      const seq = this.requestedAt.get(effect) ?? this.resumedAt;
      return seq === undefined ? [] : [[effect, seq] as const];
    });
    return {
      ...image,
      made_by: VERSION,
      snapshot: hideSecrets(image.snapshot, this.program.secrets),
      ...(requested.length === 0 ? {} : { requested_at: Object.fromEntries(requested) }),
    };
  }

  /** The limit does not apply to a rollback of a run that has ended. */
  private get timeLimit(): number | null {
    return this.run.undo.endedAs === null ? (this.run.limits.timeMs ?? null) : null;
  }

  private get activeBefore(): number {
    return this.start.image?.active_ms ?? 0;
  }

  private get activeMs(): number {
    return this.activeBefore + this.record.now - this.begun;
  }

  private async end(wanted: Turned['end']): Promise<Turned> {
    let end = wanted;
    let image = end === 'stopped' ? null : this.image();
    const tooLarge = image === null ? null : tooMuch(bytesOf(image), MOST_IMAGE);
    if (tooLarge !== null) {
      end = this.exceedImage(tooLarge);
      image = null;
    }
    this.effects.stopAll();
    await this.effects.stoppedEnd();
    await this.rememberSteps();
    if (this.record.isHeavy) this.waits.sendLines(this.seen);
    const { run, record, activeMs, start, program } = this;
    const open = waiting(run);
    if (end === 'suspended') {
      if (open.length === 0) throw new Error('the run is blocked and waits for nothing');
      this.add([{ type: 'run_suspended', waiting: open }]);
    }
    const driveEnd =
      end === 'suspended' ? ({ kind: 'suspended', waiting: open } as const) : ({ kind: 'ended' } as const);
    const isReturned = end === 'stopped' && run.result?.status === 'returned';
    const worktree =
      (await this.worktree?.end(isReturned ? 'returned' : end === 'limit' ? 'continues' : 'stops')) ?? null;
    const facts = { runId: start.runId, durationMs: activeMs, redactor: program.redactor, worktree, key: program.key };
    const soonest = this.timers.soonest();
    return {
      turn: start.turn,
      end,
      ...record.take(),
      image,
      written: { journal: record.journalBytes, output: this.output.bytes },
      seen: this.seen,
      endedAt: new Date(record.now).toISOString(),
      due: soonest === null ? null : { until: soonest.until, ms: Math.max(0, soonest.until - record.now) },
      questions: this.questions,
      report: end === 'limit' ? null : storedReport(reportOf(run, driveEnd, facts), image === null),
    };
  }
}

/** Choices are not restricted where they cannot be read. */
function withoutSecrets(question: OpenWait, redactor: Redactor | null): OpenWait {
  const { kind, choices } = question;
  return kind === 'ask' && choices?.some((one) => redactor !== null && redactor.text(one) !== one)
    ? { ...question, choices: null }
    : question;
}
