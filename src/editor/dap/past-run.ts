/**
 * A run at a past place: it is executed again with the outcomes on record. Nothing is performed or recorded, and what it
 * printed is not shown again. Each instruction is counted, so that a place has a number.
 */
import type { StoredRecord } from '../../app/project/stored-record.js';
import { isMadeByRun } from '../../interpreter/events/status-after.js';
import { momentOf } from '../../interpreter/record/change.js';
import { advance, link, type Run } from '../../interpreter/run.js';
import type { Thread } from '../../interpreter/run-state/thread.js';
import type { Json } from '../../machine/expression.js';
import type { Redactor } from '../../runtime/redact.js';
import type { RecordFollower } from '../../runtime/run/again/recover.js';
import type { JournalRecord } from '../../runtime/store/journal-line.js';
import { debugLink } from '../debug/debug-link.js';
import type { ActionEntry, DebugProgram } from '../debug/debug-program.js';
import {
  positionOf,
  type Stop,
  type StopReason,
  type ThreadPosition,
  type WantedStops,
  Watch,
} from '../debug/watch.js';

/** A record that is executed again. */
export interface PastRecord {
  readonly source: StoredRecord;
  /** Its events when it was read. */
  readonly records: readonly JournalRecord[];
  readonly inputs: Readonly<Record<string, Json>>;
  readonly redactor: Redactor | null;
  readonly programOf: (machine: DebugProgram['linked']['machine']) => DebugProgram;
}

/** A moment of the run that is executed, at which the past ends. */
export interface PresentMoment {
  readonly path: string;
  readonly pc: number;
  readonly depth: number;
  readonly text: string;
}

/** A place by its number. */
export interface PastLocation {
  readonly tick: number;
  readonly depth: number;
}

class Reached extends Error {}

const reached = new Reached('a place');

export class PastRun {
  readonly watch: Watch;
  /** How many instructions have been executed. */
  tick = 0;
  /** The number of the last event that was read. */
  seq = 0;
  /** Whether everything on record was executed. */
  isOver = false;
  /** The event that the program does not make; null: there is none. */
  differs: number | null = null;
  private readonly follower: RecordFollower;
  private at = 0;
  private isFinished = false;
  private target: PastLocation | null = null;
  private afterEvent: number | null = null;
  private observer: ((thread: Thread, pc: number, tick: number) => void) | null = null;
  private last: Thread | null = null;

  constructor(
    private readonly record: PastRecord,
    wanted: WantedStops,
    /** Null: the past ends with the record. */
    private readonly now: PresentMoment | null,
  ) {
    let watch: Watch | null = null;
    this.follower = record.source.follow(record, record.records, (machine) => {
      const program = record.programOf(machine);
      if (watch === null) watch = new Watch(program, wanted, true);
      else watch.program = program;
      return this.linkTrapped(watch, program);
    });
    this.watch = watch as unknown as Watch;
    this.watch.special = (thread, pc) => this.special(thread, pc);
  }

  get run(): Run {
    return this.follower.replay.run;
  }

  get program(): DebugProgram {
    return this.watch.program;
  }

  private linkTrapped(watch: Watch, program: DebugProgram) {
    const trap = watch.trap(true, () => {
      throw reached;
    });
    return debugLink(link(program.linked.machine), {
      ...trap,
      before: (thread, pc, isAgain) => {
        if (trap.before(thread, pc, isAgain)) return true;
        this.observer?.(thread, pc, this.tick);
        this.last = thread;
        if (!isAgain) this.tick++;
        return false;
      },
    });
  }

  private special(thread: Thread, pc: number): Omit<Stop, 'thread' | 'pc' | 'hit'> | undefined {
    const { target, now } = this;
    if (target !== null && this.tick === target.tick) return { reason: 'step', depth: target.depth };
    if (this.afterEvent !== null && this.seqNow >= this.afterEvent) {
      this.afterEvent = null;
      return { reason: 'goto', depth: this.program.entriesAt(pc)[0]?.depth ?? 0 };
    }
    if (now === null || pc !== now.pc || thread.path !== now.path || momentOf(thread, pc) !== now.text)
      return undefined;
    return { reason: 'step', depth: now.depth };
  }

  /** The number of the last event before this place. */
  get seqNow(): number {
    let { seq } = this;
    let left = this.follower.replay.unmatched;
    for (let at = this.at; left > 0 && at < this.record.records.length; at++) {
      const record = this.record.records[at] as JournalRecord;
      if (isMadeByRun(record.event)) left--;
      seq = record.seq;
    }
    return seq;
  }

  /** Whether it stands where the run that is executed stands. */
  get isNow(): boolean {
    const { now } = this;
    const { stop } = this.watch;
    if (now === null || stop === null || stop.pc !== now.pc || stop.depth !== now.depth) return false;
    if (stop.thread.path !== now.path) return false;
    return momentOf(stop.thread, stop.pc) === now.text;
  }

  /** Continues until it stops. False: it has come to the end of the record. */
  forward(): boolean {
    const { records } = this.record;
    try {
      while (this.at < records.length) {
        const record = records[this.at] as JournalRecord;
        if (!this.follower.take(record)) {
          this.differs = record.seq;
          this.at = records.length;
          break;
        }
        this.at++;
        this.seq = record.seq;
      }
      if (!this.isFinished && this.differs === null) this.follower.finish();
      this.isFinished = true;
      if (this.differs === null) while (advance(this.run) === 'more');
      this.isOver = true;
      return false;
    } catch (thrown) {
      if (thrown !== reached) throw thrown;
      return true;
    }
  }

  /** Where the run stands at the end of its record. */
  endingStop(reason: StopReason, text?: string): Stop {
    const thread = this.last ?? this.run.main;
    const { pc } = thread;
    const depth = this.program.locationAt(pc)?.calls.length ?? 0;
    return { reason, thread, pc, depth, hit: [], ...(text === undefined ? {} : { text }) };
  }

  /** Continues to a place. */
  goTo(location: PastLocation): boolean {
    this.target = location;
    const found = this.forward();
    this.target = null;
    return found;
  }

  /** Continues to the first instruction after an event. */
  goToEvent(seq: number): boolean {
    this.afterEvent = seq;
    const found = this.forward();
    this.afterEvent = null;
    return found;
  }

  /** Executes everything until a place, and shows each instruction. */
  scan(until: PastLocation | null, observe: (thread: Thread, pc: number, tick: number) => void): void {
    this.observer = observe;
    this.target = until;
    // The last instruction is shown too: what surrounds it begins there.
    if (this.forward() && this.watch.stop !== null) observe(this.watch.stop.thread, this.watch.stop.pc, this.tick);
    this.observer = null;
    this.target = null;
  }
}

/** A place of which a thread can step back, and where it stands. */
export interface LocationCandidate extends PastLocation {
  readonly entry: ActionEntry;
  readonly position: ThreadPosition;
}

/** The beginnings of actions at an instruction. */
export function candidatesAt(program: DebugProgram, thread: Thread, pc: number, tick: number): LocationCandidate[] {
  return program
    .entriesAt(pc)
    .map((entry) => ({ tick, depth: entry.depth, entry, position: positionOf(thread, pc, entry.depth) }));
}
