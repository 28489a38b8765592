/** What a run keeps of steps: their keys, results, sessions, worktrees and the budgets of workflows. */
import type { TokenCounts } from '../events/event.js';
import type { GrantedAttempt } from '../events/facts.js';
import type { SessionOrigin } from '../request.js';
import type { UsedBudget } from './frame.js';
import type { StepRecord } from './run-result.js';

const UNUSED: UsedBudget = { cost: 0, tokens: 0, reserved: 0 };

/** The records as a snapshot keeps them. */
export interface StepRecordsImage {
  readonly keys: readonly (readonly [string, string])[];
  readonly steps: readonly StepRecord[];
  readonly budgets: readonly (readonly [string, UsedBudget])[];
  readonly granted: readonly string[];
  readonly firstClockMs: number;
  readonly lastClockMs: number;
}

/** With so many keys, those of one step are found by an index: looking through all of them for each step takes a square. */
const MANY = 200;

export class StepRecords {
  private readonly keyMap = new Map<string, string>();
  /** The keys by the beginning that `ownerOf` gives; null before it is needed. */
  private ownKeys: Map<string, Set<string>> | null = null;
  private readonly recordMap = new Map<string, StepRecord>();
  private readonly budgetMap = new Map<string, UsedBudget>();
  private readonly grantedAttempts = new Set<string>();
  private readonly dirtyTasks = new Set<string | null>();
  private readonly adapters = new Map<string, string>();
  private readonly sessionSums = new Map<string, TokenCounts>();
  private readonly origins = new Map<string, SessionOrigin>();
  private firstMs = 0;
  private lastMs = 0;

  /** The keys that steps wrote: `<path>.<field>`. */
  readonly keys: ReadonlyMap<string, string> = this.keyMap;
  /** Every step that started, by its path, in the order of their starts. */
  readonly records: ReadonlyMap<string, StepRecord> = this.recordMap;
  /** Worktrees, by task, in which something has worked since their last commit; null is the run's own. */
  readonly touched: ReadonlySet<string | null> = this.dirtyTasks;
  /** The adapters that made sessions, by session id. */
  readonly sessionAdapters: ReadonlyMap<string, string> = this.adapters;

  /** Tokens that sessions had used by their last calls, where their programs report only such sums. */
  readonly sessionTokens: ReadonlyMap<string, TokenCounts> = this.sessionSums;
  /** Where sessions were begun that cannot be continued everywhere, and what was said in them last. */
  readonly sessionOrigins: ReadonlyMap<string, SessionOrigin> = this.origins;

  /** When the first step started, in milliseconds since the epoch; 0 before. */
  get firstClockMs(): number {
    return this.firstMs;
  }

  /** When a step last started or got its result, in milliseconds since the epoch. */
  get lastClockMs(): number {
    return this.lastMs;
  }

  /** Nothing of steps is known yet. */
  get isEmpty(): boolean {
    return this.recordMap.size === 0 && this.firstMs === 0;
  }

  setKey(path: string, field: string, value: string): void {
    this.setWhole(`${path}.${field}`, value);
  }

  private setWhole(key: string, value: string): void {
    this.keyMap.set(key, value);
    if (this.ownKeys !== null) addOwn(this.ownKeys, key);
  }

  removeKeysBelow(prefix: string): void {
    for (const key of this.keysBelow(prefix)) {
      this.keyMap.delete(key);
      this.ownKeys?.get(ownerOf(key))?.delete(key);
    }
  }

  private keysBelow(prefix: string): string[] {
    const owner = ownerOf(prefix);
    let all: Iterable<string> = this.keyMap.keys();
    if (owner !== '' && this.keyMap.size >= MANY) {
      this.ownKeys ??= byOwner(all);
      all = this.ownKeys.get(owner) ?? [];
    }
    return [...all].filter((key) => key.startsWith(prefix));
  }

  /** Copies all keys that begin with `from`; the copies begin with `to`. */
  copyKeys(from: string, to: string): void {
    // A copy may have the key of another one that is still to be copied.
    const copied = this.keysBelow(from).map(
      (key) => [to + key.slice(from.length), this.keyMap.get(key) as string] as const,
    );
    for (const [key, value] of copied) this.setWhole(key, value);
  }

  record(step: StepRecord): void {
    this.recordMap.set(step.path, step);
  }

  tick(nowMs: number): void {
    if (this.firstMs === 0) this.firstMs = nowMs;
    this.lastMs = Math.max(this.lastMs, nowMs);
  }

  /** Grants one more attempt after this one, because a user asked for it. */
  grant(attempt: GrantedAttempt): void {
    this.grantedAttempts.add(keyOf(attempt));
  }

  isGranted(attempt: GrantedAttempt): boolean {
    return this.grantedAttempts.has(keyOf(attempt));
  }

  touch(task: string | null): void {
    this.dirtyTasks.add(task);
  }

  /** Notes that the worktree of the task equals its last commit. */
  markCommitted(task: string | null): void {
    this.dirtyTasks.delete(task);
  }

  setSessionAdapter(session: string, adapter: string): void {
    this.adapters.set(session, adapter);
  }

  setSessionOrigin(session: string, origin: SessionOrigin): void {
    this.origins.set(session, origin);
  }

  setSessionTokens(session: string, tokens: TokenCounts): void {
    this.sessionSums.set(session, tokens);
  }

  /** What the workflow at a prefix, which has its own budget, has used. */
  budget(prefix: string): UsedBudget {
    return this.budgetMap.get(prefix) ?? UNUSED;
  }

  setBudget(prefix: string, used: UsedBudget): void {
    this.budgetMap.set(prefix, used);
  }

  get image(): StepRecordsImage {
    return {
      keys: [...this.keyMap],
      steps: [...this.recordMap.values()],
      budgets: [...this.budgetMap],
      granted: [...this.grantedAttempts],
      firstClockMs: this.firstMs,
      lastClockMs: this.lastMs,
    };
  }

  restore({ keys, steps, budgets, granted, firstClockMs, lastClockMs }: StepRecordsImage): void {
    for (const [key, value] of keys) this.setWhole(key, value);
    for (const step of steps) this.record(step);
    for (const [prefix, used] of budgets) this.budgetMap.set(prefix, used);
    for (const one of granted) this.grantedAttempts.add(one);
    this.firstMs = firstClockMs;
    this.lastMs = lastClockMs;
  }
}

/** What all keys of a step begin with, up to their first dot behind `prev.`; empty: there is none. */
function ownerOf(key: string): string {
  const end = key.indexOf('.', key.startsWith('prev.') ? 'prev.'.length : 0);
  return end < 0 ? '' : key.slice(0, end);
}

function byOwner(keys: Iterable<string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const key of keys) addOwn(found, key);
  return found;
}

function addOwn(owned: Map<string, Set<string>>, key: string): void {
  const owner = ownerOf(key);
  const own = owned.get(owner);
  if (own === undefined) owned.set(owner, new Set([key]));
  else own.add(key);
}

function keyOf({ step, attempt }: GrantedAttempt): string {
  return `${step} ${attempt}`;
}
