/**
 * Who writes where, in the order that decides. For every place there is the list of calls that may write it and the
 * list of calls that may write in or below it; each has a mark before which everything is decided. A call waits until
 * the marks of the places it reads have passed all calls before it.
 */
import type { Json } from '../../machine/expression.js';
import type { PlanCall, PlanPath } from '../../machine/plan.js';

/** Calls by rank, ascending, and how many of them from the first on are decided. */
export interface WriterList {
  readonly ranks: readonly number[];
  decided: number;
  /** The highest rank whose result is written, or -1. */
  written: number;
  /** By the number of calls that have to be decided: who waits for that many. */
  waiting: Map<number, number[]> | null;
}

type GrowingList = Omit<WriterList, 'ranks'> & { readonly ranks: number[] };

interface Place {
  children: Map<string, Place> | null;
  readonly own: GrowingList;
  readonly below: GrowingList;
}

export class WriteLog {
  private readonly root = place();
  private readonly listsOf: WriterList[][] = [];
  private readonly known = new Map<PlanPath, readonly WriterList[]>();

  /** `given`: what is there before any call. */
  constructor(
    calls: readonly PlanCall[],
    order: readonly number[],
    private readonly given: Json,
  ) {
    order.forEach((index, rank) => {
      const lists = new Set<WriterList>();
      for (const written of calls[index]?.arms.flat() ?? []) {
        const path = this.place(written);
        let at = this.root;
        append(at.below, rank, lists);
        for (const step of path) {
          at.children ??= new Map();
          let next = at.children.get(step);
          if (next === undefined) {
            next = place();
            at.children.set(step, next);
          }
          at = next;
          append(at.below, rank, lists);
        }
        append(at.own, rank, lists);
      }
      this.listsOf.push([...lists]);
    });
  }

  /** Whether there is room in a list depends on who wrote into it before, so whoever writes there counts for all of it. */
  private place(path: PlanPath): readonly string[] {
    let at: Json | undefined = this.given;
    for (const [depth, step] of path.entries()) {
      if (Array.isArray(at)) return path.slice(0, depth);
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return path;
      at = at[step];
    }
    return path;
  }

  /** The lists of all calls that may write the path, what it lies in, or what lies in it. */
  overlapping(path: PlanPath): readonly WriterList[] {
    // Asked several times for each path of a plan, which is the same object each time.
    let lists = this.known.get(path);
    if (lists === undefined) {
      lists = this.search(this.place(path));
      this.known.set(path, lists);
    }
    return lists;
  }

  private search(path: readonly string[]): readonly WriterList[] {
    const found: WriterList[] = [];
    let at: Place = this.root;
    for (const step of path) {
      if (at.own.ranks.length > 0) found.push(at.own);
      const next: Place | undefined = at.children?.get(step);
      if (next === undefined) return found;
      at = next;
    }
    if (at.below.ranks.length > 0) found.push(at.below);
    return found;
  }

  written(rank: number): void {
    for (const list of this.listsOf[rank] ?? []) list.written = Math.max(list.written, rank);
  }

  /** Moves the marks over a call that was decided; `release` gets those who waited for that. */
  decide(rank: number, isDecided: (rank: number) => boolean, release: (call: number) => void): void {
    for (const list of this.listsOf[rank] ?? []) {
      while (list.decided < list.ranks.length && isDecided(list.ranks[list.decided] as number)) {
        list.decided++;
        const waiting = list.waiting?.get(list.decided);
        if (waiting === undefined) continue;
        list.waiting?.delete(list.decided);
        for (const call of waiting) release(call);
      }
    }
  }
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

function place(): Place {
  const list = (): GrowingList => ({ ranks: [], decided: 0, written: -1, waiting: null });
  return { children: null, own: list(), below: list() };
}

function append(list: GrowingList, rank: number, lists: Set<WriterList>): void {
  if (list.ranks.at(-1) !== rank) list.ranks.push(rank);
  lists.add(list);
}
