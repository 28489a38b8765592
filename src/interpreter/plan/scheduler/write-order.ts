/**
 * Who may write where, in the order that decides. Each slot (a path that some call may write, or a path around one) has
 * the list of the calls that may write there, and each list has a mark: all calls before the mark are decided.
 *
 * 1. A list holds ranks in ascending order and never changes after construction; only its marks move, and only forward.
 * 2. A call waits for a list until the mark has passed every call of lower rank. It waits for each list at most once.
 * 3. `awaited` counts the lists that a call still waits for; a call is free when the count is 0.
 */
import type { Json } from '../../../machine/expression.js';
import type { PlanCall, PlanPath } from '../../../machine/plan.js';

/** Calls by rank, ascending, and how many of them, counted from the first, are decided. */
export interface WriterList {
  readonly ranks: readonly number[];
  decided: number;
  /** The highest rank whose result is written, or -1. */
  written: number;
  /** Indexes of waiting calls, by the number of calls of the list that must be decided first. */
  waiting: (number[] | undefined)[] | null;
}

type GrowingList = Omit<WriterList, 'ranks'> & { ranks: number[] };

/** As a list it holds the calls that write here or deeper. One object is both, because nearly every call has a slot. */
interface WriteSlot extends GrowingList {
  readonly outer: WriteSlot | null;
  children: Map<string, WriteSlot> | null;
  /** The calls that write exactly here; null where none does, and where no call writes deeper. */
  own: GrowingList | null;
}

const NO_RANKS: number[] = [];
/** The lists of a path that no call writes. */
const NO_LISTS: readonly WriterList[] = [];

/**
 * A call that waits for more lists than this is looked at only once it is free: looking at it each time an arm was not
 * taken would take quadratic time.
 */
const MOST_LISTS_FOR_EARLY_LOOK = 1000;

export class WriteOrder {
  private readonly root = newSlot(null);
  /** By rank: the slots that the call may write. */
  private readonly slots: (readonly WriteSlot[])[];
  /** By index: how many lists the call still waits for. */
  private readonly awaited: Int32Array;
  /** By rank: 1 for decided calls. */
  private readonly decided: Uint8Array;

  /** `given`: the data before any call. */
  constructor(
    calls: readonly PlanCall[],
    order: readonly number[],
    private readonly given: Json,
  ) {
    this.awaited = new Int32Array(calls.length);
    this.decided = new Uint8Array(order.length);
    // All slots come first: whether calls write deeper than a slot decides which lists it has.
    this.slots = order.map((index) =>
      (calls[index]?.arms.flat() ?? []).map((path) => this.slotAt(this.pathBeforeList(path))),
    );
    this.slots.forEach((slots, rank) => {
      for (const slot of slots) {
        if (slot.children !== null) {
          slot.own ??= newList();
          append(slot.own, rank);
        }
        for (let at: WriteSlot | null = slot; at !== null; at = at.outer) append(at, rank);
      }
    });
  }

  /** Whether calls of lower rank may write where this call may. */
  hasRivals({ rank }: PlanCall): boolean {
    return (this.slots[rank] ?? []).some((slot) => {
      for (let at = slot.outer; at !== null; at = at.outer)
        if (at.own !== null && startsBefore(at.own, rank)) return true;
      return startsBefore(slot, rank);
    });
  }

  /** The lists of all calls that may write the path, a part of it, or something around it. */
  listsOf(path: PlanPath): readonly WriterList[] {
    let found = NO_LISTS;
    let at: WriteSlot = this.root;
    for (const segment of this.pathBeforeList(path)) {
      if (at.own !== null) found = withList(found, at.own);
      else if (at.children === null) found = withList(found, at);
      const next: WriteSlot | undefined = at.children?.get(segment);
      if (next === undefined) return found;
      at = next;
    }
    return withList(found, at);
  }

  listsOfAll(paths: readonly PlanPath[]): readonly WriterList[] {
    let lists = NO_LISTS;
    for (const path of paths) lists = union(lists, this.listsOf(path));
    return lists;
  }

  /** Makes the call wait until all calls of lower rank in these lists are decided. */
  waitFor({ index, rank }: PlanCall, lists: readonly WriterList[]): void {
    let count = 0;
    for (const list of lists) {
      const before = countBefore(list, rank);
      if (list.decided >= before) continue;
      count++;
      list.waiting ??= new Array(list.ranks.length + 1);
      const waiting = list.waiting[before];
      if (waiting === undefined) list.waiting[before] = [index];
      else waiting.push(index);
    }
    this.awaited[index] = count;
  }

  /** Whether the call waits for no list. */
  isFree({ index }: PlanCall): boolean {
    return this.awaited[index] === 0;
  }

  /** The call has written its result. */
  markWritten({ rank }: PlanCall): void {
    for (const slot of this.slots[rank] ?? []) {
      if (slot.own !== null) slot.own.written = Math.max(slot.own.written, rank);
      for (let at: WriteSlot | null = slot; at !== null; at = at.outer) at.written = Math.max(at.written, rank);
    }
  }

  /**
   * Moves the marks over a call that is decided now. Returns the indexes of the calls to look at: those that became
   * free, and those that read one of the `untaken` lists, because an arm that was not taken may rule them out early.
   */
  decide({ rank }: PlanCall, untaken: readonly WriterList[]): readonly number[] {
    this.decided[rank] = 1;
    const released: number[] = [];
    for (const slot of this.slots[rank] ?? []) {
      if (slot.own !== null) this.moveMark(slot.own, untaken, released);
      for (let at: WriteSlot | null = slot; at !== null; at = at.outer) this.moveMark(at, untaken, released);
    }
    return released;
  }

  private moveMark(list: WriterList, untaken: readonly WriterList[], released: number[]): void {
    const { ranks, waiting } = list;
    while (list.decided < ranks.length && this.decided[ranks[list.decided] as number] === 1) {
      list.decided++;
      const calls = waiting?.[list.decided];
      if (calls === undefined) continue;
      (waiting as (number[] | undefined)[])[list.decided] = undefined;
      for (const call of calls) {
        const left = (this.awaited[call] as number) - 1;
        this.awaited[call] = left;
        if (left === 0 || (left < MOST_LISTS_FOR_EARLY_LOOK && untaken.includes(list))) released.push(call);
      }
    }
  }

  private slotAt(path: readonly string[]): WriteSlot {
    let at = this.root;
    for (const segment of path) {
      at.children ??= new Map();
      let next = at.children.get(segment);
      if (next === undefined) {
        next = newSlot(at);
        at.children.set(segment, next);
      }
      at = next;
    }
    return at;
  }

  /** The path up to the first list on its way: which elements a list has room for depends on every call that writes it. */
  private pathBeforeList(path: PlanPath): readonly string[] {
    let at: Json | undefined = this.given;
    for (let depth = 0; depth < path.length; depth++) {
      if (Array.isArray(at)) return path.slice(0, depth);
      if (typeof at !== 'object' || at === null) return path;
      const segment = path[depth] as string;
      if (!Object.hasOwn(at, segment)) return path;
      at = at[segment];
    }
    return path;
  }
}

/** The ranks of calls that must be decided before one of this rank can read. */
export function undecidedWriters(lists: readonly WriterList[], rank: number): number[] {
  const ranks = lists.flatMap((list) => list.ranks.slice(list.decided, countBefore(list, rank)));
  return [...new Set(ranks)].sort((a, b) => a - b);
}

/** Whether all calls of lower rank in these lists are decided. */
export function areDecided(lists: readonly WriterList[], rank: number): boolean {
  return lists.every((list) => list.decided >= countBefore(list, rank));
}

/** Whether a call of at least this rank has written. */
export function hasLaterWrite(lists: readonly WriterList[], rank: number): boolean {
  return lists.some((list) => list.written >= rank);
}

/** Callers have few lists at once, so a linear search is fast enough. */
export function union(lists: readonly WriterList[], more: readonly WriterList[]): readonly WriterList[] {
  if (lists.length === 0) return more;
  const others = more.filter((list) => !lists.includes(list));
  return others.length === 0 ? lists : [...lists, ...others];
}

/** How many calls of the list have a lower rank. */
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

/** The calls of all lists with a lower rank, each once, ascending. */
export function ranksBefore(lists: readonly WriterList[], rank: number): number[] {
  const ranks = new Set(lists.flatMap((list) => list.ranks.slice(0, countBefore(list, rank))));
  return [...ranks].sort((a, b) => a - b);
}

function startsBefore({ ranks }: WriterList, rank: number): boolean {
  const [first] = ranks;
  return first !== undefined && first < rank;
}

/** There is nearly always one list or none, and a new array of the exact length is smaller than one that grows. */
function withList(lists: readonly WriterList[], list: WriterList): readonly WriterList[] {
  if (list.ranks.length === 0) return lists;
  return lists.length === 0 ? [list] : [...lists, list];
}

function newSlot(outer: WriteSlot | null): WriteSlot {
  return { ranks: NO_RANKS, decided: 0, written: -1, waiting: null, outer, children: null, own: null };
}

function newList(): GrowingList {
  return { ranks: NO_RANKS, decided: 0, written: -1, waiting: null };
}

/** Most lists keep one rank: the first is stored without the room that an array reserves when it grows. */
function append(list: GrowingList, rank: number): void {
  const { ranks } = list;
  if (ranks.length === 0) list.ranks = [rank];
  else if (ranks[ranks.length - 1] !== rank) ranks.push(rank);
}
