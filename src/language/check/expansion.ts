/**
 * Limits the expansion of patterns. A pattern that uses another one twice doubles it, so a page of text could need more
 * instructions than fit into memory. Every walk over expanded bodies counts them.
 */

/** Instructions that patterns may add to one state. */
const STATE_LIMIT = 50_000;

/** Instructions that patterns may add to all states together. */
const PROGRAM_LIMIT = 200_000;

/** The count of one walk over a program. */
class Expansion {
  private inState = 0;
  private inProgram = 0;

  enterState(): void {
    this.inState = 0;
  }

  /** Counts an instruction of a pattern. Returns false beyond a limit: the walk must stop. */
  take(): boolean {
    return ++this.inState <= STATE_LIMIT && ++this.inProgram <= PROGRAM_LIMIT;
  }

  /** The limit that the patterns of this state exceed, alone or together with earlier states. */
  get exceeded(): { readonly of: string; readonly limit: number } | null {
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
