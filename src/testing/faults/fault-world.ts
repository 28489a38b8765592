/** The world of a run with a fault: each request gets what it got without the fault, at the same time and in the same order. */
import type { Outcome } from '../../interpreter/events/event.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { EffectContext, Effects, PerformedRequest } from '../../runtime/effect-context.js';
import type { VirtualTime } from '../../runtime/virtual-time.js';
import { callOf, type TestWorld } from '../test-world.js';
import { isProcess, keyOf, type Performed } from './reference.js';

/** What is different from the reference. Members that are left out are as they were. */
export interface Change {
  readonly outcome?: Outcome;
  readonly endedAt?: number;
  readonly rank?: number;
}

interface FaultWorldOptions {
  readonly performed: readonly Performed[];
  /** Those with an outcome on record. */
  readonly settled: ReadonlySet<Performed>;
  readonly changes: ReadonlyMap<Performed, Change>;
  /** Answers what the reference did not ask for. */
  readonly others: TestWorld;
  readonly time: VirtualTime;
  /** A request that was made again is not as it was. */
  readonly onOther?: () => void;
}

export class FaultWorld implements Effects {
  /** Requests that were made although their outcome was on record. */
  readonly repeated: PerformedRequest[] = [];
  private readonly left = new Map<string, Performed[]>();
  private readonly settled = new Set<string>();
  /** Requests that were answered without the others, which do not know it yet. */
  private readonly played: PerformedRequest[] = [];

  constructor(private readonly options: FaultWorldOptions) {
    for (const entry of options.performed) {
      const key = keyOf(entry.request);
      if (options.settled.has(entry)) {
        this.settled.add(key);
        this.played.push(entry.request);
        continue;
      }
      const list = this.left.get(key);
      if (list === undefined) this.left.set(key, [entry]);
      else list.push(entry);
    }
  }

  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome> {
    const key = keyOf(request);
    const entry = this.left.get(key)?.shift();
    if (entry === undefined && this.settled.has(key) && isProcess(request)) this.repeated.push(request);
    if (entry === undefined || !isSame(entry.request, request)) return this.performOther(request, context);
    this.played.push(entry.request);
    if (isProcess(request)) this.options.others.calls.push(callOf(request));
    if (!hasSameTime(entry.request, request)) this.options.onOther?.();
    return this.play(entry, context);
  }

  private performOther(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome> {
    const { others } = this.options;
    for (const one of this.played.splice(0)) others.consume(one);
    return others.perform(request, context);
  }

  private play(entry: Performed, { stop }: EffectContext): Outcome | Promise<Outcome> {
    const { time, changes } = this.options;
    const { outcome, endedAt, rank } = { ...entry, ...changes.get(entry) };
    switch (entry.request.kind) {
      case 'clock':
      case 'uuid':
      case 'random':
        return outcome ?? { kind: 'value', value: null };
      case 'timer': {
        const until = Math.min(endedAt, outcome === null ? (entry.request.until ?? endedAt) : endedAt);
        return time.sleep(until, stop, rank).then(() => ({ kind: 'value', value: Math.max(time.now, until) }));
      }
      case 'shell':
      case 'argv':
      case 'function':
      case 'agent':
      case 'tool':
      case 'worktree':
      case 'schema':
        return time
          .sleep(outcome === null ? Number.POSITIVE_INFINITY : endedAt, stop, rank)
          .then(() => outcome ?? { kind: 'not-started', reason: 'it was stopped' });
      default:
        return unreachable(entry.request);
    }
  }
}

/** A timer that no event ends has to have the same point in time. */
function hasSameTime(one: PerformedRequest, other: PerformedRequest): boolean {
  return one.kind !== 'timer' || other.kind !== 'timer' || one.until === other.until;
}

/** After another end of an effect, the next one with its number may be a different one. */
function isSame(one: PerformedRequest, other: PerformedRequest): boolean {
  if (!('text' in one) || !('text' in other)) return true;
  if (one.kind === 'schema' || other.kind === 'schema') return one.text === other.text;
  return one.text === other.text && one.line === other.line;
}
