/** What the effects and agent calls of a run used, and what active calls have reserved. */

/** RunTokens of all agent calls of a run. Cached tokens are not part of `in`. */
export interface RunTokens {
  readonly in: number;
  readonly out: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/** The totals as a snapshot keeps them. */
interface UsageTotals {
  readonly effects: number;
  readonly agentCalls: number;
  readonly knownCost: number;
  readonly unknownCosts: number;
  readonly tokens: RunTokens;
}

const NO_TOKENS: RunTokens = { in: 0, out: 0, cache_read: 0, cache_write: 0 };

function addTokens(a: RunTokens, b: RunTokens): RunTokens {
  return {
    in: a.in + b.in,
    out: a.out + b.out,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
  };
}

/** A sum of US dollars, rounded to remove binary fractions. */
export function addCost(a: number, b: number): number {
  return Math.round((a + b) * 1e9) / 1e9;
}

export class Usage {
  private started = 0;
  private calls = 0;
  private dollars = 0;
  private withoutCost = 0;
  private counted: RunTokens = NO_TOKENS;
  private kept = 0;

  /** How many commands, functions, agents and tools were started; all attempts of one count once. */
  get effects(): number {
    return this.started;
  }

  get agentCalls(): number {
    return this.calls;
  }

  /** US dollars of the agent calls that reported their cost. */
  get knownCost(): number {
    return this.dollars;
  }

  /** Agent calls that did not report their cost. */
  get unknownCosts(): number {
    return this.withoutCost;
  }

  /** US dollars: the known sum, or null when agents ran and none of them reported its cost. */
  get cost(): number | null {
    return this.withoutCost > 0 && this.withoutCost === this.calls ? null : this.dollars;
  }

  get tokens(): RunTokens {
    return this.counted;
  }

  /** US dollars that active calls have reserved. */
  get reserved(): number {
    return this.kept;
  }

  countEffect(): void {
    this.started++;
  }

  /** Adds one attempt of an agent call. `cost`: US dollars; null if it did not report them. */
  addCall(cost: number | null, tokens: RunTokens = NO_TOKENS): void {
    this.calls++;
    if (cost === null) this.withoutCost++;
    else this.dollars = addCost(this.dollars, cost);
    this.counted = addTokens(this.counted, tokens);
  }

  /** Adds the cost of outcomes that no longer count, because it was spent. */
  addSpent({ cost, tokens }: { readonly cost: number; readonly tokens: RunTokens }): void {
    this.dollars += cost;
    this.counted = addTokens(this.counted, tokens);
  }

  /** Reserves more US dollars; a negative number releases them. */
  reserve(by: number): void {
    this.kept = Math.max(0, addCost(this.kept, by));
  }

  restore({ effects, agentCalls, knownCost, unknownCosts, tokens }: UsageTotals, reserved: number): void {
    this.started = effects;
    this.calls = agentCalls;
    this.dollars = knownCost;
    this.withoutCost = unknownCosts;
    this.counted = { ...NO_TOKENS, ...tokens };
    this.kept = reserved;
  }
}
