/** The result of lowering a state: its code, and facts for lints, `check --explain` and the next compilation. */
import type { State } from '../../machine/machine.js';
import type { Span } from '../../source/source-file.js';
import type { DataUse, TypeUse } from '../scope.js';

export interface LoweredState {
  readonly state: State;
  /** The first read of each entry value that nothing else in scope can supply. */
  readonly entryReads: ReadonlyMap<string, Span>;
  /** Local slots that some expression reads. */
  readonly readSlots: ReadonlySet<number>;
  /** The source text of each instruction, by pc. */
  readonly spans: readonly Span[];
  readonly explanations: readonly Explanation[];
  readonly jumps: readonly LoweredJump[];
  readonly checks: readonly LoweredCheck[];
  /** The reads and writes of data references. */
  readonly dataUse: DataUse;
  /** The types that its expressions require. */
  readonly typeUses: readonly TypeUse[];
}

interface Explanation {
  readonly span: Span;
  readonly text: string;
}

/** A lowered GOTO. The target is null if only the run knows it. */
export interface LoweredJump {
  readonly target: string | null;
  readonly passes: readonly string[];
  readonly span: Span;
  /** It is unreachable, because it is below a GOTO or RETURN. */
  readonly dead: boolean;
}

/** The binding of a CHECK, for `check-never-read`. */
interface LoweredCheck {
  readonly slot: number;
  readonly name: string;
  readonly span: Span;
}

/** The facts about a state for the lints, collected while it is lowered. */
export class LintFacts {
  readonly explanations: Explanation[] = [];
  readonly jumps: LoweredJump[] = [];
  readonly checks: LoweredCheck[] = [];

  explain(span: Span, text: string): void {
    this.explanations.push({ span, text });
  }
}
