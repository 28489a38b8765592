/**
 * Limits the expansion of patterns. A pattern that uses another one twice doubles it, so a page of text could need more
 * instructions than fit into memory. Every walk over expanded bodies counts them.
 */

/** Instructions that patterns may add to one state. */
const STATE_LIMIT = 50_000;

/** Instructions that patterns may add to all states together. */
const PROGRAM_LIMIT = 200_000;

/** How many patterns may be inside each other. Walks call themselves for each, and the stack of a process is limited. */
export const MOST_INSIDE = 100;

/** The count of one walk over a program. */
class Expansion {
  private inState = 0;
  private inProgram = 0;
  private isTooDeep = false;

  enterState(): void {
    this.inState = 0;
    this.isTooDeep = false;
  }

  /** Counts an instruction that is inside so many patterns. Returns false beyond a limit: the walk must stop. */
  take(inside: number): boolean {
    if (inside > MOST_INSIDE) this.isTooDeep = true;
    return !this.isTooDeep && ++this.inState <= STATE_LIMIT && ++this.inProgram <= PROGRAM_LIMIT;
  }

  /** The limit that the patterns of this state exceed, alone or together with earlier states. */
  get exceeded(): { readonly of: string; readonly limit: number; readonly inside?: true } | null {
    if (this.isTooDeep) return { of: 'this state', limit: MOST_INSIDE, inside: true };
    if (this.inState > STATE_LIMIT) return { of: 'this state', limit: STATE_LIMIT };
    return this.inState > 0 && this.inProgram > PROGRAM_LIMIT ? { of: 'this program', limit: PROGRAM_LIMIT } : null;
  }
}

/** The counts of the walks that expand patterns. Each walk visits all instructions, so each has its own count. */
export interface Expansions {
  readonly symbols: Expansion;
  readonly names: Expansion;
  readonly lowering: Expansion;
}

export function newExpansions(): Expansions {
  return { symbols: new Expansion(), names: new Expansion(), lowering: new Expansion() };
}
