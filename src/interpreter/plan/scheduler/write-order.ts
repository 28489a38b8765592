/**
 * Who writes where, in the order that decides. For every place there is the list of calls that may write it and the
 * list of calls that may write in or below it; each has a mark before which everything is decided. A call waits until
 * the marks of the places it reads have passed all calls before it.
 */
import type { Json } from '../../../machine/expression.js';
import type { PlanCall, PlanPath } from '../../../machine/plan.js';

/** Calls by rank, ascending, and how many of them from the first on are decided. */
export interface WriterList {
  readonly ranks: readonly number[];
  decided: number;
  /** The highest rank whose result is written, or -1. */
  written: number;
  /** By the number of calls that have to be decided: who waits for that many. */
  waiting: (number[] | undefined)[] | null;
}

/** Told of a call that waited for the calls of a list. */
export type Release = (call: number, list: WriterList) => void;

type GrowingList = Omit<WriterList, 'ranks'> & { ranks: number[] };

/** As a list it has the calls that write here or deeper. One object for both: there is a place for nearly every call. */
interface Place extends GrowingList {
  readonly outer: Place | null;
  children: Map<string, Place> | null;
  /** Calls that write just here; null where nobody does, and where nobody writes deeper. */
  own: GrowingList | null;
}

const NO_RANKS: number[] = [];
/** Where nobody writes. */
export const NONE: readonly WriterList[] = [];

export class WriteOrder {
  private readonly root = place(null);
  /** By rank: the places that the call may write. */
  private readonly written: (readonly Place[])[];

  /** `given`: what is there before any call. */
  constructor(
    calls: readonly PlanCall[],
    order: readonly number[],
    private readonly given: Json,
  ) {
    // All places first, so that each is known for one where others write deeper, or for one of the many where not.
    this.written = order.map((index) => (calls[index]?.arms.flat() ?? []).map((path) => this.made(this.place(path))));
    this.written.forEach((places, rank) => {
      for (const written of places) {
        if (written.children !== null) {
          written.own ??= list();
          append(written.own, rank);
        }
        for (let at: Place | null = written; at !== null; at = at.outer) append(at, rank);
      }
    });
  }

  private made(path: readonly string[]): Place {
    let at = this.root;
    for (const step of path) {
      at.children ??= new Map();
      let next = at.children.get(step);
      if (next === undefined) {
        next = place(at);
        at.children.set(step, next);
      }
      at = next;
    }
    return at;
  }

  /** Whether there is room in a list depends on who wrote into it before, so whoever writes there counts for all of it. */
  private place(path: PlanPath): readonly string[] {
    let at: Json | undefined = this.given;
    for (let depth = 0; depth < path.length; depth++) {
      if (Array.isArray(at)) return path.slice(0, depth);
      if (typeof at !== 'object' || at === null) return path;
      const step = path[depth] as string;
      if (!Object.hasOwn(at, step)) return path;
      at = at[step];
    }
    return path;
  }

  /** Whether calls before it may write where the call with this rank may. */
  hasRivals(rank: number): boolean {
    return (this.written[rank] ?? []).some((written) => {
      for (let at = written.outer; at !== null; at = at.outer)
        if (at.own !== null && startsBefore(at.own, rank)) return true;
      return startsBefore(written, rank);
    });
  }

  /** The lists of all calls that may write the path, what it lies in, or what lies in it. */
  overlapping(path: PlanPath): readonly WriterList[] {
    let found = NONE;
    let at: Place = this.root;
    for (const step of this.place(path)) {
      if (at.own !== null) found = joined(found, at.own);
      else if (at.children === null) found = joined(found, at);
      const next: Place | undefined = at.children?.get(step);
      if (next === undefined) return found;
      at = next;
    }
    return joined(found, at);
  }

  /** The call with this rank has written its result. */
  wrote(rank: number): void {
    for (const written of this.written[rank] ?? []) {
      if (written.own !== null) written.own.written = Math.max(written.own.written, rank);
      for (let at: Place | null = written; at !== null; at = at.outer) at.written = Math.max(at.written, rank);
    }
  }

  /** Moves the marks over a call that was decided; `release` gets those who waited for that. */
  decide(rank: number, isDecided: (rank: number) => boolean, release: Release): void {
    for (const written of this.written[rank] ?? []) {
      if (written.own !== null) advance(written.own, isDecided, release);
      for (let at: Place | null = written; at !== null; at = at.outer) advance(at, isDecided, release);
    }
  }
}

/** Few lists are in question at once, so each is looked for among the others. */
export function union(lists: readonly WriterList[], more: readonly WriterList[]): readonly WriterList[] {
  if (lists.length === 0) return more;
  const others = more.filter((list) => !lists.includes(list));
  return others.length === 0 ? lists : [...lists, ...others];
}

function startsBefore({ ranks }: WriterList, rank: number): boolean {
  const [first] = ranks;
  return first !== undefined && first < rank;
}

/** How many calls of the list come before the rank. */
export function countBefore({ ranks }: WriterList, rank: number): number {
  let low = 0;
  let high = ranks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranks[middle] as number) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The calls of all lists before the rank, each once, ascending. */
export function ranksBefore(lists: readonly WriterList[], rank: number): number[] {
  const ranks = new Set(lists.flatMap((list) => list.ranks.slice(0, countBefore(list, rank))));
  return [...ranks].sort((a, b) => a - b);
}

/** Nearly always there is one list or none, so an array that grows would be mostly room. */
function joined(lists: readonly WriterList[], list: WriterList): readonly WriterList[] {
  if (list.ranks.length === 0) return lists;
  return lists.length === 0 ? [list] : [...lists, list];
}

function advance(list: WriterList, isDecided: (rank: number) => boolean, release: Release): void {
  while (list.decided < list.ranks.length && isDecided(list.ranks[list.decided] as number)) {
    list.decided++;
    const waiting = list.waiting?.[list.decided];
    if (waiting === undefined) continue;
    (list.waiting as (number[] | undefined)[])[list.decided] = undefined;
    for (const call of waiting) release(call, list);
  }
}

function place(outer: Place | null): Place {
  return { ranks: NO_RANKS, decided: 0, written: -1, waiting: null, outer, children: null, own: null };
}

function list(): GrowingList {
  return { ranks: NO_RANKS, decided: 0, written: -1, waiting: null };
}

/** Most lists have one rank for good: an array that is pushed to begins with room for many. */
function append(list: GrowingList, rank: number): void {
  const { ranks } = list;
  if (ranks.length === 0) list.ranks = [rank];
  else if (ranks[ranks.length - 1] !== rank) ranks.push(rank);
}
