/**
 * The timeline of a run, built from its events one by one: a bar for every visit of a state, every attempt of an effect,
 * every pause before a retry and every wait, in lanes for what ran at the same time. An event costs about the same
 * whether it is the tenth or the millionth.
 */
import type { EffectKind, RunEvent } from '../../interpreter/events/event.js';
import { threadOf } from '../../interpreter/events/facts.js';
import { commandLine } from '../../views/log/started-command.js';
import { endingOf } from '../../views/report/facts-of-run.js';
import { OpenWaits } from '../../views/report/open-waits.js';
import type { Recorded } from '../../views/report/report-facts.js';
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

type Requested = Extract<RunEvent, { type: 'effect_requested' }>;

/** An effect that was requested and has no outcome yet, or waits for its next attempt. */
interface OpenWork {
  readonly request: Requested;
  bar: number;
}

/** The time before the next attempt of an effect. */
interface Pause {
  readonly beganMs: number;
  readonly untilMs: number;
  readonly bar: number;
}

interface BarWait {
  readonly kind: 'ask' | 'signal' | 'time' | 'approval';
  readonly name: string | null;
  readonly seq: number;
  readonly effect: string;
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

export class Timeline {
  readonly bars = new Bars();
  readonly events = new EventMarks();
  readonly idle = new IdleSpans();
  /** Milliseconds since the epoch; null before the first event. */
  beganMs: number | null = null;
  /** The time of the last event; times of events never go back here. */
  lastMs = 0;
  /** The run has returned or failed. */
  isOver = false;
  /** Events up to this one were copied from another run; 0 if none were. */
  copiedUntil = 0;
  private readonly names = new Names();
  private readonly lanesOfRun = new Lanes();
  private readonly work = new Map<string, OpenWork>();
  private readonly waits = new OpenWaits<BarWait>();
  private readonly pauses = new Map<string, Pause>();
  /** The last bar that ended in each branch, which an event may correct. */
  private readonly lastEnded = new Map<string, number>();
  /** The last command of each step with this name, which may turn out to be a gate. */
  private readonly stepCommands = new Map<string, number>();
  private visit = -1;
  /** The time that was read last, and its milliseconds: many events of a run that computes have the same. */
  private readTime = '';
  private readMs = Number.NaN;
  /** The bar that the current event is about. */
  private touched = -1;

  /** Lanes from top to bottom; the first belongs to the run itself. */
  get lanes(): readonly Lane[] {
    return this.lanesOfRun.all;
  }

  /** The visits of states. */
  get stateLane(): Lane {
    return this.lanesOfRun.states;
  }

  /** Takes the next event. */
  take({ seq, time, event }: Recorded): void {
    const read = this.msOf(time);
    const at = Number.isNaN(read) ? this.lastMs : Math.max(this.lastMs, read);
    this.beganMs ??= at;
    this.touched = -1;
    this.follow(seq, at, event);
    this.lastMs = at;
    this.events.add(seq, { timeMs: at, visit: this.visit, line: 'line' in event ? event.line : 0 });
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

  private follow(seq: number, at: number, event: RunEvent): void {
    switch (event.type) {
      case 'state_entered':
        return this.enter(seq, at, event.state);
      case 'effect_requested':
        return this.request(seq, at, event);
      case 'effect_settled':
        return this.settle(seq, at, event);
      case 'effect_retried':
        return this.retry(seq, at, event);
      case 'asked': {
        const isApproval = !/(^|\.)\d+$/.test(event.effect);
        const kind = isApproval ? 'approval' : 'ask';
        return this.beginWait(seq, at, { kind, name: event.name, effect: event.effect, text: event.question });
      }
      case 'answered':
        return this.endWait(seq, at, event.effect);
      case 'signal_received': {
        const wait = this.waits.receive(event.name);
        if (wait !== null) this.closeWait(wait, { seq, at, status: 'succeeded' });
        return;
      }
      case 'timer_set':
        if (!this.waits.takeDeadline(event.effect))
          this.beginWait(seq, at, { kind: 'time', name: null, effect: event.effect, text: 'WAIT' });
        return;
      case 'gate_result':
        return this.judge(seq, at, event);
      case 'run_suspended':
        return this.idle.begin(at, seq, 'suspended');
      case 'run_interrupted':
        return this.idle.begin(at, seq, 'interrupted');
      case 'run_resumed':
        return this.resume(seq, at, event);
      case 'run_returned':
      case 'run_failed':
        return this.finish(seq, at, event.type === 'run_failed');
      default:
    }
  }

  private enter(seq: number, at: number, state: string): void {
    this.leave(seq, at, 'succeeded');
    this.passOn('', seq, at);
    if (this.lastEnded.size > 0) this.lastEnded.clear();
    const text = this.names.number(state);
    const lane = this.lanesOfRun.states;
    this.visit = this.bars.add({
      ...{ kind: 'state', lane: STATE_LANE, beganMs: at, seq, text, state: text, line: 0, attempt: 1 },
    });
    lane.bars.add(this.visit);
    this.touched = this.visit;
  }

  /** A branch that does something no longer waits. */
  private passOn(thread: string, seq: number, at: number): void {
    for (const wait of this.waits.endOf(thread)) this.closeWait(wait, { seq, at, status: 'stopped' });
  }

  private leave(seq: number, at: number, status: BarStatus): void {
    if (this.visit >= 0 && this.bars.endSeq[this.visit] === 0) this.end(this.visit, { seq, at, status });
  }

  private request(seq: number, at: number, request: Requested): void {
    const { effect, kind, text } = request;
    if (kind === 'signal') {
      const name = text.replace(/^WAIT: signal /, '');
      return this.beginWait(seq, at, { kind, name, effect, text, line: request.line });
    }
    const pause = this.pauses.get(effect);
    this.pauses.delete(effect);
    const waitsFirst = pause !== undefined && at - pause.beganMs < AT_ONCE_MS;
    if (pause !== undefined && !waitsFirst && pause.untilMs > at) this.bars.endedMs[pause.bar] = at;
    this.begin(seq, waitsFirst ? Math.max(at, pause.untilMs) : at, request);
  }

  private begin(seq: number, at: number, request: Requested): void {
    const { effect, kind, tool, step, line, attempt } = request;
    this.passOn(threadOf(effect), seq, at);
    const named = kind === 'agent' && tool !== null ? tool : this.textOf(request);
    const bar = this.addBar(effect, { kind: KINDS[kind], seq, at, text: named, state: request.state, line, attempt });
    this.work.set(effect, { request, bar });
    if (step !== undefined && kind === 'shell' && tool !== null)
      this.stepCommands.set(JSON.stringify([step, tool]), bar);
  }

  /** The command with its values. A run of very many different commands has their templates from some point on. */
  private textOf(request: Requested): string {
    return (this.names.size < MOST_TEXTS ? commandLine(request) : null) ?? request.text;
  }

  private addBar(
    effect: string,
    one: Pick<Bar, 'kind' | 'seq' | 'text' | 'state' | 'line' | 'attempt'> & { readonly at: number },
  ): number {
    const { kind, seq, at, line, attempt } = one;
    const lane = this.lanesOfRun.occupy(effect, threadOf(effect));
    const [text, state] = [this.names.number(one.text), this.names.number(one.state)];
    const bar = this.bars.add({ kind, lane, beganMs: at, seq, text, state, line, attempt });
    this.lanes[lane]?.bars.add(bar);
    this.touched = bar;
    return bar;
  }

  private settle(seq: number, at: number, event: Extract<RunEvent, { type: 'effect_settled' }>): void {
    const { effect, outcome } = event;
    const open = this.work.get(effect);
    if (open === undefined) return this.endWait(seq, at, effect);
    this.work.delete(effect);
    const status = endingOf(outcome, open.request.kind, event.stopped === true);
    this.end(open.bar, { seq, at, status });
    this.lastEnded.set(threadOf(effect), open.bar);
    this.lanesOfRun.release(effect);
    this.touched = open.bar;
  }

  /** The lane stays occupied until the next attempt. */
  private retry(seq: number, at: number, event: Extract<RunEvent, { type: 'effect_retried' }>): void {
    const { effect, attempt, error, delay_ms: delay, until_ms: until } = event;
    const failed = this.lastEnded.get(threadOf(effect));
    if (failed !== undefined && this.bars.attempt[failed] === attempt)
      this.setStatus(failed, until === undefined ? 'failed' : 'put-off');
    const of = failed ?? -1;
    const line = of < 0 ? 0 : (this.bars.line[of] as number);
    const state = of < 0 ? (this.stateAt(seq) ?? '') : this.names.at(this.bars.state[of] as number);
    const bar = this.addBar(effect, { kind: 'pause', seq, at, text: error, state, line, attempt });
    this.end(bar, { seq, at: at + delay, status: 'succeeded' });
    this.pauses.set(effect, { beganMs: at, untilMs: at + delay, bar });
  }

  private beginWait(
    seq: number,
    at: number,
    begun: Pick<BarWait, 'kind' | 'name' | 'effect'> & { readonly text: string; readonly line?: number },
  ): void {
    const { kind, name, effect, text, line = 0 } = begun;
    this.passOn(threadOf(effect), seq, at);
    const barKind = kind === 'ask' ? 'question' : kind === 'time' ? 'timer' : kind;
    const state = this.visit < 0 ? '' : this.names.at(this.bars.text[this.visit] as number);
    const bar = this.addBar(effect, { kind: barKind, seq, at, text, state, line, attempt: 1 });
    this.waits.begin(effect, { kind, name, seq, effect, bar });
  }

  private endWait(seq: number, at: number, effect: string): void {
    const ended = this.waits.end(effect);
    if (ended === null) return;
    const isOver = ended.ranOut && ended.wait.kind !== 'time';
    this.closeWait(ended.wait, { seq, at, status: isOver ? 'stopped' : 'succeeded' });
  }

  private closeWait({ bar, effect }: BarWait, ended: { seq: number; at: number; status: BarStatus }): void {
    this.end(bar, ended);
    this.lanesOfRun.release(effect);
    this.touched = bar;
  }

  /** A gate that is a command has its bar already; any other gate is a moment. */
  private judge(seq: number, at: number, event: Extract<RunEvent, { type: 'gate_result' }>): void {
    const { step, gate, pass, attempt } = event;
    const key = JSON.stringify([step, gate]);
    const command = this.stepCommands.get(key);
    this.stepCommands.delete(key);
    if (command !== undefined) {
      this.bars.setKind(command, 'gate');
      if (!pass) this.setStatus(command, 'failed');
      this.touched = command;
      return;
    }
    const state = this.stateAt(seq) ?? '';
    const effect = `gate ${seq}`;
    const bar = this.addBar(effect, { kind: 'gate', seq, at, text: `GATE: ${gate}`, state, line: 0, attempt });
    this.end(bar, { seq, at, status: pass ? 'succeeded' : 'failed' });
    this.lanesOfRun.release(effect);
  }

  /** What a process had begun was interrupted with it, and begins again. Waits continue. */
  private resume(seq: number, at: number, event: Extract<RunEvent, { type: 'run_resumed' }>): void {
    const last = this.idle.all.at(-1);
    if (last === undefined || last.toMs !== null) this.idle.begin(this.lastMs, seq - 1, 'crashed');
    this.idle.end(at);
    this.isOver = false;
    const from = event.from ?? seq;
    if (event.of !== undefined) this.copiedUntil = seq;
    for (let bar = this.bars.length - 1; bar >= 0 && (this.bars.seq[bar] as number) >= from; bar--)
      this.bars.undone[bar] = 1;
    for (const [effect, { request, bar }] of [...this.work]) {
      this.end(bar, { seq, at: this.lastMs, status: 'interrupted' });
      this.lanesOfRun.release(effect);
      this.work.delete(effect);
      if ((this.bars.seq[bar] as number) < from) this.begin(seq, at, request);
    }
    if (event.from !== undefined) this.discard(seq, at, from);
    this.touched = -1;
  }

  /** Waits and the visit that began at a discarded event are over. */
  private discard(seq: number, at: number, from: number): void {
    for (const wait of this.waits.all)
      if (wait.seq >= from) this.closeWait(wait, { seq, at: this.lastMs, status: 'interrupted' });
    this.waits.keepBefore(from);
    const state = this.stateAt(from - 1);
    this.leave(seq, this.lastMs, 'interrupted');
    if (state !== null) this.enter(seq, at, state);
  }

  private finish(seq: number, at: number, failed: boolean): void {
    this.isOver = true;
    this.leave(seq, at, failed ? 'failed' : 'succeeded');
    for (const { bar } of this.work.values()) this.end(bar, { seq, at, status: 'stopped' });
    for (const wait of this.waits.all) this.closeWait(wait, { seq, at, status: 'stopped' });
    this.work.clear();
    this.waits.keepBefore(0);
  }

  private end(bar: number, { seq, at, status }: { seq: number; at: number; status: BarStatus }): void {
    this.bars.endedMs[bar] = Math.max(at, this.bars.beganMs[bar] as number);
    this.bars.endSeq[bar] = seq;
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
