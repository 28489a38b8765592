/** How a session goes back: to the action before, to a breakpoint, to an event, or to an execution of a line. */
import type { Thread } from '../../interpreter/run-state/thread.js';
import { positionOf, type Stop, type StopReason, type WantedStops } from '../debug/watch.js';
import { AdapterRefusal } from './adapter-protocol.js';
import type { LiveRun } from './debugged-run.js';
import { candidatesAt, type PastLocation, type PastRecord, PastRun } from './past-run.js';

/** What travelling needs of a session. */
interface TravellingSession {
  readonly still: { readonly stop: Stop };
  readonly wanted: WantedStops;
  readonly past: PastRun | null;
  readonly live: LiveRun | null;
  /** `stops`: whether it stops at breakpoints. */
  newPast(stops: boolean): PastRun;
  recordNow(): PastRecord;
  standIn(past: PastRun): void;
  endOf(past: PastRun): string;
  announce(stop: Stop): void;
}

export class TimeTravel {
  constructor(private readonly debuggee: TravellingSession) {}

  stepBack(): void {
    const standing = this.debuggee.still;
    const { stop } = standing;
    const from = positionOf(stop.thread, stop.pc, stop.depth);
    const here = this.here();
    const scan = this.debuggee.newPast(false);
    let best: PastLocation | null = null;
    let outer: PastLocation | null = null;
    const observe = (thread: Thread, pc: number, tick: number): void => {
      for (const { position, depth } of candidatesAt(scan.program, thread, pc, tick)) {
        if (here !== null && (tick > here.tick || (tick === here.tick && depth >= here.depth))) continue;
        if (position.path === from.path && (position.visit !== from.visit || position.nesting <= from.nesting))
          best = { tick, depth };
        else if (from.path.startsWith(`${position.path}.`) || position.path === '') outer = { tick, depth };
      }
    };
    scan.scan(here, observe);
    this.standAt(best ?? outer, best === null && outer === null ? 'entry' : 'step');
  }

  /** Stands where the state of a thread was entered, or the pattern that is the `level`th one in it. Reports nothing. */
  standAtBeginning(thread: Thread, level: number): void {
    void this.debuggee.still;
    const here = this.here();
    const scan = this.debuggee.newPast(false);
    const begun: PastLocation[] = [];
    let around = '';
    scan.scan(here, (one, pc, tick) => {
      if (one.path !== thread.path) return;
      const calls = scan.program.locationAt(pc)?.calls ?? [];
      const names = calls.slice(0, level).map(({ span }) => `${span.file}:${span.start}`);
      const now = calls.length < level ? '' : `${one.run.statesTotal} ${names.join(' ')}`;
      if (now !== around && now !== '') begun.push({ tick, depth: level });
      around = now;
    });
    const last = begun.at(-1);
    const past = this.debuggee.newPast(false);
    if (last === undefined || !past.goTo(last))
      throw new AdapterRefusal('where this frame began is not on record', true);
    this.debuggee.standIn(past);
  }

  reverseContinue(): void {
    void this.debuggee.still;
    const here = this.here();
    const scan = this.debuggee.newPast(true);
    scan.watch.motion = { kind: 'run' };
    let last: { readonly place: PastLocation; readonly stop: Stop } | null = null;
    while (scan.forward()) {
      const { stop } = scan.watch;
      if (stop === null || scan.isNow) break;
      const location = { tick: scan.tick, depth: stop.depth };
      if (here !== null && (location.tick > here.tick || (location.tick === here.tick && location.depth >= here.depth)))
        break;
      last = { place: location, stop };
      scan.watch.proceed({ kind: 'run' });
    }
    if (last === null) this.standAt(null, 'entry');
    else this.standAt(last.place, last.stop.reason, last.stop.hit);
  }

  /** Stands at the first instruction after an event. */
  goToEvent(seq: number): void {
    const past = this.debuggee.newPast(false);
    const isFound = past.goToEvent(seq);
    const stop = isFound ? past.watch.stop : past.endingStop('goto', this.debuggee.endOf(past));
    past.watch.stop = { ...(stop as Stop), reason: 'goto' };
    this.debuggee.standIn(past);
    this.debuggee.announce(past.watch.stop);
  }

  /** Every execution of a line, with the number of its place. */
  executionsOf(
    file: string,
    line: number,
  ): { readonly place: PastLocation; readonly seq: number; readonly text: string }[] {
    const scan = this.debuggee.newPast(false);
    const found: { place: PastLocation; seq: number; text: string }[] = [];
    scan.scan(null, (thread, pc, tick) => {
      for (const { entry, depth } of candidatesAt(scan.program, thread, pc, tick))
        if (entry.where.file === file && entry.where.line === line)
          found.push({ place: { tick, depth }, seq: scan.seqNow, text: thread.path });
    });
    return found;
  }

  standAt(location: PastLocation | null, reason: StopReason, hit: readonly number[] = []): void {
    const past = this.debuggee.newPast(false);
    const found = location === null ? this.toFirst(past) : past.goTo(location);
    if (!found || past.watch.stop === null) past.watch.stop = past.endingStop(reason, this.debuggee.endOf(past));
    else past.watch.stop = { ...past.watch.stop, reason, hit };
    this.debuggee.standIn(past);
    this.debuggee.announce(past.watch.stop);
  }

  private toFirst(past: PastRun): boolean {
    past.watch.motion = { kind: 'pause', reason: 'entry' };
    return past.forward();
  }

  /** The number of the place at which the run stands; null: the end of the record. */
  private here(): PastLocation | null {
    const { past, live } = this.debuggee;
    if (past?.watch.stop != null) return past.isOver ? null : { tick: past.tick, depth: past.watch.stop.depth };
    if (live?.moment == null) return null;
    const scan = this.debuggee.newPast(false);
    return scan.forward() ? { tick: scan.tick, depth: live.moment.depth } : null;
  }

  openAt(at: unknown): void {
    const { records } = this.debuggee.recordNow();
    if (typeof at === 'number') return this.goToEvent(at);
    if (typeof at === 'string') {
      const found = /^(.*?)(?:#(\d+))?$/.exec(at);
      const entries = records.filter(({ event }) => event.type === 'state_entered' && event.state === found?.[1]);
      const entry = entries[Number(found?.[2] ?? 1) - 1];
      if (entry === undefined) throw new AdapterRefusal(`the run never entered \`${at}\``, true);
      return this.goToEvent(entry.seq);
    }
    if (records.at(-1)?.event.type === 'run_failed' && this.standAtLastFailure()) return;
    const past = this.debuggee.newPast(false);
    past.forward();
    past.watch.stop = past.endingStop('entry', this.debuggee.endOf(past));
    this.debuggee.standIn(past);
    this.debuggee.announce(past.watch.stop);
  }

  /** A failed run opens where it failed. */
  private standAtLastFailure(): boolean {
    const failures: WantedStops = {
      ...this.debuggee.wanted,
      breakpoints: [],
      data: [],
      failures: [{ id: 'any', condition: null }],
    };
    const open = (): PastRun => new PastRun(this.debuggee.recordNow(), failures, null);
    const scan = open();
    let count = 0;
    for (; scan.forward(); count++) scan.watch.proceed({ kind: 'run' });
    if (count === 0) return false;
    const past = open();
    for (let at = 1; past.forward() && at < count; at++) past.watch.proceed({ kind: 'run' });
    this.debuggee.standIn(past);
    if (past.watch.stop !== null) this.debuggee.announce(past.watch.stop);
    return true;
  }
}
