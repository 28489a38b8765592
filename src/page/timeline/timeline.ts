/**
 * The timeline of a run, built from its events one by one: a bar for every visit of a state, every attempt of an effect,
 * every pause before a retry and every wait, in lanes for what ran at the same time. An event costs about the same
 * whether it is the tenth or the millionth.
 */
import type { EffectKind } from '../../interpreter/events/event.js';
import { threadOf } from '../../interpreter/events/facts.js';
import { endsRun } from '../../interpreter/events/status-after.js';
import type { Attempt, EventOf, Recorded, RecordedWait, Requested, Visit } from '../../runtime/record/record-facts.js';
import { RunModel, type RunWatcher, type WaitEnd } from '../../runtime/record/run-model.js';
import { commandLine } from '../../views/log/started-command.js';
import { type Bar, type BarKind, type BarStatus, Bars, firstIndex, STATE_LANE, withDoubleRoom } from './bars.js';
import { type Lane, Lanes } from './lanes.js';
import { IdleSpans } from './visible-bars.js';

/** No bar, no line. */
const NONE = -1;
/** The columns grow at different lengths, so that no event has to copy all of them. */
const FIRST_CAPACITIES = { times: 1024, bars: 1218, visits: 1448, lines: 1722 };

/** Events are added in the order of their numbers, which begin with 1. A number that is missing has the marks before it. */
class EventMarks {
  /** The number of the last event. */
  last = 0;
  private times = new Float64Array(FIRST_CAPACITIES.times);
  private bars = new Int32Array(FIRST_CAPACITIES.bars);
  private visits = new Int32Array(FIRST_CAPACITIES.visits);
  private lines = new Uint32Array(FIRST_CAPACITIES.lines);

  /** `visit`: the bar of the state that the run is in. `line`: 0 if the event has none. */
  add(seq: number, mark: { readonly timeMs: number; readonly visit: number; readonly line: number }): void {
    if (seq <= this.last) return;
    this.makeRoom(seq + 1);
    const { timeMs, visit, line } = mark;
    this.times.fill(this.times[this.last] as number, this.last + 1, seq);
    this.bars.fill(NONE, this.last + 1, seq + 1);
    this.visits.fill(this.visits[this.last] as number, this.last + 1, seq);
    this.times[seq] = timeMs;
    this.visits[seq] = visit;
    this.lines[seq] = line;
    if (this.last === 0) this.times[0] = timeMs;
    this.last = seq;
  }

  setBar(seq: number, bar: number): void {
    this.bars[seq] = bar;
  }

  /** Milliseconds since the epoch. */
  timeOf(seq: number): number {
    return this.times[this.within(seq)] as number;
  }

  /** The bar that the event began or ended; -1 if none. */
  barOf(seq: number): number {
    return seq >= 1 && seq <= this.last ? (this.bars[seq] as number) : NONE;
  }

  /** The bar of the state in which the run was after the event; -1 before the first state. */
  visitOf(seq: number): number {
    return this.last === 0 ? NONE : (this.visits[this.within(seq)] as number);
  }

  /** 0 if the event has no line. */
  lineOf(seq: number): number {
    return seq >= 1 && seq <= this.last ? (this.lines[seq] as number) : 0;
  }

  /** The last event at this time or before it; 0 if it is before the first one. */
  lastAt(timeMs: number): number {
    return firstIndex(this.last, (index) => (this.times[index + 1] as number) > timeMs);
  }

  private within(seq: number): number {
    return Math.min(Math.max(seq, 0), this.last);
  }

  private makeRoom(length: number): void {
    while (this.times.length < length) this.times = withDoubleRoom(this.times, Float64Array);
    while (this.bars.length < length) this.bars = withDoubleRoom(this.bars, Int32Array);
    while (this.visits.length < length) this.visits = withDoubleRoom(this.visits, Int32Array);
    while (this.lines.length < length) this.lines = withDoubleRoom(this.lines, Uint32Array);
  }
}

/** Texts that occur often, each kept once and named by a number. */
class Names {
  private readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();

  number(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.numbers.set(text, number);
    return number;
  }

  get size(): number {
    return this.texts.length;
  }

  at(number: number): string {
    return this.texts[number] ?? '';
  }
}

/** The time before the next attempt of an effect. */
interface RetryPause {
  readonly beganMs: number;
  readonly untilMs: number;
  readonly bar: number;
}

/** More texts than these would take more memory than the bars themselves. */
const MOST_TEXTS = 20_000;

/** A request recorded this soon after a failure is that of the next attempt, which begins only after the pause. */
const AT_ONCE_MS = 1000;

const KINDS: Readonly<Record<EffectKind, BarKind>> = {
  shell: 'command',
  argv: 'command',
  function: 'function',
  agent: 'agent',
  tool: 'call',
  timer: 'timer',
  clock: 'sample',
  uuid: 'sample',
  random: 'sample',
  worktree: 'sample',
  schema: 'sample',
  ask: 'question',
  signal: 'signal',
  approval: 'approval',
};

export class Timeline implements RunWatcher {
  /** The run that it shows. Only attempts of steps are kept, because all of a long run would need too much memory. */
  readonly run = new RunModel({ watcher: this, keeps: ({ step }) => step !== undefined });
  readonly bars = new Bars();
  readonly events = new EventMarks();
  readonly idle = new IdleSpans();
  /** Milliseconds since the epoch; null before the first event. */
  beganMs: number | null = null;
  /** The time of the last event; times of events never go back here. */
  lastMs = 0;
  /** Events up to this one were copied from another run; 0 if none were. */
  copiedUntil = 0;
  private readonly names = new Names();
  private readonly lanesOfRun = new Lanes();
  /** The bars of what is open. */
  private readonly barOf = new Map<Attempt | RecordedWait, number>();
  private readonly pauses = new Map<string, RetryPause>();
  /** The last bar that ended in each branch, which an event may correct. */
  private readonly lastEnded = new Map<string, number>();
  /** The last command of each step with this name, which may turn out to be a gate. */
  private readonly stepCommands = new Map<string, number>();
  private visit = -1;
  /** The time that was read last, and its milliseconds: many events of a run that computes have the same. */
  private readTime = '';
  private readMs = Number.NaN;
  /** The current event, its time, and the bar that it is about. */
  private seq = 0;
  private now = 0;
  private touched = -1;

  /** Lanes from top to bottom; the first belongs to the run itself. */
  get lanes(): readonly Lane[] {
    return this.lanesOfRun.all;
  }

  /** The visits of states. */
  get stateLane(): Lane {
    return this.lanesOfRun.states;
  }

  /** The run has returned or failed. */
  get isOver(): boolean {
    return this.run.isOver;
  }

  /** Takes the next event. */
  take(record: Recorded): void {
    const { seq, time, event } = record;
    const read = this.msOf(time);
    this.seq = seq;
    this.now = Number.isNaN(read) ? this.lastMs : Math.max(this.lastMs, read);
    this.beganMs ??= this.now;
    this.touched = -1;
    this.run.take(record);
    if (event.type === 'effect_retried') this.retry(event);
    else if (event.type === 'gate_result') this.judge(event);
    else if (event.type === 'run_suspended') this.idle.begin(this.now, seq, 'suspended');
    else if (event.type === 'run_interrupted') this.idle.begin(this.now, seq, 'interrupted');
    else if (event.type === 'run_resumed') this.touched = -1;
    else if (endsRun(event)) this.finish();
    this.lastMs = this.now;
    this.events.add(seq, { timeMs: this.now, visit: this.visit, line: 'line' in event ? event.line : 0 });
    if (this.touched >= 0) this.events.setBar(seq, this.touched);
  }

  /** A bar in full. */
  describe(bar: number): Bar {
    const { bars } = this;
    const endedMs = bars.endedMs[bar] as number;
    const endSeq = bars.endSeq[bar] as number;
    return {
      bar,
      kind: bars.kindOf(bar),
      status: bars.statusOf(bar),
      text: this.names.at(bars.text[bar] as number),
      state: this.names.at(bars.state[bar] as number),
      line: bars.line[bar] as number,
      attempt: bars.attempt[bar] as number,
      lane: bars.lane[bar] as number,
      beganMs: bars.beganMs[bar] as number,
      endedMs: Number.isFinite(endedMs) ? endedMs : null,
      seq: bars.seq[bar] as number,
      endSeq: endSeq === 0 ? null : endSeq,
      undone: bars.undone[bar] === 1,
    };
  }

  /** The state in which the run was after an event; null before the first one. */
  stateAt(seq: number): string | null {
    const visit = this.events.visitOf(seq);
    return visit < 0 ? null : this.names.at(this.bars.text[visit] as number);
  }

  private msOf(time: string): number {
    if (time !== this.readTime) [this.readTime, this.readMs] = [time, Date.parse(time)];
    return this.readMs;
  }

  enterState({ state, entered }: Visit): void {
    // An event cannot correct what happened in an earlier state.
    if (entered && this.lastEnded.size > 0) this.lastEnded.clear();
    const text = this.names.number(state);
    this.visit = this.bars.add({
      ...{ kind: 'state', lane: STATE_LANE, beganMs: this.now, seq: this.seq, text, state: text, line: 0, attempt: 1 },
    });
    this.lanesOfRun.states.bars.add(this.visit);
    this.touched = this.visit;
  }

  leaveState(_visit: Visit, end: 'succeeded' | 'failed' | 'interrupted'): void {
    if (this.visit < 0 || this.bars.endSeq[this.visit] !== 0) return;
    this.end(this.visit, end, end === 'interrupted' ? this.lastMs : this.now);
  }

  beginAttempt(attempt: Attempt): void {
    const { effect } = attempt.request;
    const pause = this.pauses.get(effect);
    this.pauses.delete(effect);
    const waitsFirst = pause !== undefined && this.now - pause.beganMs < AT_ONCE_MS;
    if (pause !== undefined && !waitsFirst && pause.untilMs > this.now) this.bars.endedMs[pause.bar] = this.now;
    this.begin(attempt, waitsFirst ? Math.max(this.now, pause.untilMs) : this.now);
  }

  private begin(attempt: Attempt, at: number): void {
    const { request } = attempt;
    const { effect, kind, tool, step, line, attempt: number, state } = request;
    const text = kind === 'agent' && tool !== null ? tool : this.textOf(request);
    const bar = this.addBar(effect, { kind: KINDS[kind], at, text, state, line, attempt: number });
    this.barOf.set(attempt, bar);
    if (step !== undefined && kind === 'shell' && tool !== null)
      this.stepCommands.set(JSON.stringify([step, tool]), bar);
  }

  /** The command with its values. A run of very many different commands has their templates from some point on. */
  private textOf(request: Requested): string {
    return (this.names.size < MOST_TEXTS ? commandLine(request) : null) ?? request.text;
  }

  private addBar(
    effect: string,
    one: Pick<Bar, 'kind' | 'text' | 'state' | 'line' | 'attempt'> & { readonly at: number },
  ): number {
    const { kind, at, line, attempt } = one;
    const lane = this.lanesOfRun.occupy(effect, threadOf(effect));
    const [text, state] = [this.names.number(one.text), this.names.number(one.state)];
    const bar = this.bars.add({ kind, lane, beganMs: at, seq: this.seq, text, state, line, attempt });
    this.lanes[lane]?.bars.add(bar);
    this.touched = bar;
    return bar;
  }

  endAttempt(attempt: Attempt): void {
    const bar = this.close(attempt, attempt.request.effect, attempt.ending);
    if (bar !== null) this.lastEnded.set(threadOf(attempt.request.effect), bar);
  }

  /** Ends the bar of what was open; null: it has none. */
  private close(one: Attempt | RecordedWait, effect: string, status: BarStatus, at = this.now): number | null {
    const bar = this.barOf.get(one);
    if (bar === undefined) return null;
    this.barOf.delete(one);
    this.end(bar, status, at);
    this.lanesOfRun.release(effect);
    this.touched = bar;
    return bar;
  }

  /** The lane stays occupied until the next attempt. */
  private retry({ effect, attempt, error, delay_ms: delay, until_ms: until }: EventOf<'effect_retried'>): void {
    const failed = this.lastEnded.get(threadOf(effect));
    if (failed !== undefined && this.bars.attempt[failed] === attempt)
      this.setStatus(failed, until === undefined ? 'failed' : 'put-off');
    const line = failed === undefined ? 0 : (this.bars.line[failed] as number);
    const state =
      failed === undefined ? (this.stateAt(this.seq) ?? '') : this.names.at(this.bars.state[failed] as number);
    const bar = this.addBar(effect, { kind: 'pause', at: this.now, text: error, state, line, attempt });
    this.end(bar, 'succeeded', this.now + delay);
    this.pauses.set(effect, { beganMs: this.now, untilMs: this.now + delay, bar });
  }

  beginWait(wait: RecordedWait): void {
    const { kind, isApproval, effect, text, line } = wait;
    const barKind = isApproval ? 'approval' : kind === 'ask' ? 'question' : kind === 'time' ? 'timer' : kind;
    const state = this.visit < 0 ? '' : this.names.at(this.bars.text[this.visit] as number);
    this.barOf.set(wait, this.addBar(effect, { kind: barKind, at: this.now, text, state, line, attempt: 1 }));
  }

  endWait(wait: RecordedWait, end: WaitEnd): void {
    if (end === 'discarded') this.close(wait, wait.effect, 'interrupted', this.lastMs);
    else if (end === 'left' || (end === 'ran-out' && wait.kind !== 'time')) this.close(wait, wait.effect, 'stopped');
    else this.close(wait, wait.effect, 'succeeded');
  }

  /** A gate that is a command has its bar already; any other gate is a moment. */
  private judge({ step, gate, pass, attempt }: EventOf<'gate_result'>): void {
    const key = JSON.stringify([step, gate]);
    const command = this.stepCommands.get(key);
    this.stepCommands.delete(key);
    if (command !== undefined) {
      this.bars.setKind(command, 'gate');
      if (!pass) this.setStatus(command, 'failed');
      this.touched = command;
      return;
    }
    const state = this.stateAt(this.seq) ?? '';
    const effect = `gate ${this.seq}`;
    const bar = this.addBar(effect, { kind: 'gate', at: this.now, text: `GATE: ${gate}`, state, line: 0, attempt });
    this.end(bar, pass ? 'succeeded' : 'failed', this.now);
    this.lanesOfRun.release(effect);
  }

  /** What a process had begun was interrupted with it, and begins again. Waits continue. */
  resume({ from, of }: EventOf<'run_resumed'>): void {
    const { seq, run } = this;
    const last = this.idle.all.at(-1);
    if (last === undefined || last.toMs !== null) this.idle.begin(this.lastMs, seq - 1, 'crashed');
    this.idle.end(this.now);
    if (of !== undefined) this.copiedUntil = seq;
    for (let bar = this.bars.length - 1; bar >= 0 && (this.bars.seq[bar] as number) >= (from ?? seq); bar--)
      this.bars.undone[bar] = 1;
    for (const attempt of run.open.values()) {
      const wasOpen = this.close(attempt, attempt.request.effect, 'interrupted', this.lastMs) !== null;
      if (wasOpen && from === undefined) this.begin(attempt, this.now);
    }
    // The end of the run had ended their bars.
    if (run.isOver && from !== undefined) for (const wait of run.stillOpen) if (wait.seq < from) this.beginWait(wait);
  }

  private finish(): void {
    for (const wait of this.run.stillOpen) this.close(wait, wait.effect, 'stopped');
    for (const bar of this.barOf.values()) this.end(bar, 'stopped', this.now);
    this.barOf.clear();
  }

  private end(bar: number, status: BarStatus, at: number): void {
    this.bars.endedMs[bar] = Math.max(at, this.bars.beganMs[bar] as number);
    this.bars.endSeq[bar] = this.seq;
    this.setStatus(bar, status);
  }

  private setStatus(bar: number, status: BarStatus): void {
    const wasFailed = this.bars.statusOf(bar) === 'failed';
    this.bars.setStatus(bar, status);
    if (status === 'failed' && !wasFailed) this.laneOf(bar).failed.add(bar);
  }

  private laneOf(bar: number): Lane {
    const lane = this.bars.lane[bar] as number;
    return lane === STATE_LANE ? this.stateLane : (this.lanes[lane] as Lane);
  }
}
