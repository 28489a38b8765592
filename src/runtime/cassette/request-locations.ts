/**
 * Locations of requests in a run: the path of the effect, with numbers that count only requests of the same sort. So a program
 * that asks for the time once more, or waits, keeps the locations of its commands, and of their branches.
 */
import type { EffectKind } from '../../interpreter/events/event.js';
import { isStrict } from './cassette.js';

/** The path of an effect: numbers in threads, with the branch of a fork after each but the last, such as `2.1.4`. */
export class RequestLocations {
  /** Numbers by sort and thread. */
  private readonly numbers = new Map<string, Map<string, number>>();

  /** Requests of one thread must come in their order. */
  locationOf(kind: EffectKind, path: string): string {
    const parts = path.split('.');
    let thread = isStrict(kind) ? '' : kind;
    for (let at = 0; at < parts.length; at += 2) {
      const known = this.numbers.get(thread) ?? new Map<string, number>();
      this.numbers.set(thread, known);
      const part = parts[at] as string;
      const number = known.get(part) ?? known.size + 1;
      known.set(part, number);
      thread += ` ${[number, ...parts.slice(at + 1, at + 2)].join('.')}`;
    }
    return thread;
  }
}

/** The order of requests in their threads. */
export function comparePaths(one: string, other: string): number {
  const [ours, theirs] = [one.split('.').map(Number), other.split('.').map(Number)];
  for (let at = 0; at < Math.min(ours.length, theirs.length); at++) {
    const difference = (ours[at] as number) - (theirs[at] as number);
    if (difference !== 0) return difference;
  }
  return ours.length - theirs.length;
}
