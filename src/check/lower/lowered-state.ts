/** What lowering a state gives: its code, and what lints, `check --explain` and the next compilation read besides. */
import type { State } from '../../machine/machine.js';
import type { Span } from '../../source/source-file.js';
import type { DataUse, TypeUse } from '../scope.js';

export interface LoweredState {
  readonly state: State;
  /** First read of each entry value that nothing else in scope could give. */
  readonly entryReads: ReadonlyMap<string, Span>;
  /** Local slots that some expression reads. */
  readonly readSlots: ReadonlySet<number>;
  /** The text each instruction came from, by pc. */
  readonly spans: readonly Span[];
  readonly explanations: readonly Explanation[];
  readonly jumps: readonly LoweredJump[];
  readonly checks: readonly LoweredCheck[];
  /** What is read and written of the data that need not be there. */
  readonly dataUse: DataUse;
  /** What its expressions ask of the types of values. */
  readonly typeUses: readonly TypeUse[];
}

interface Explanation {
  readonly span: Span;
  readonly text: string;
}

/** A GOTO as it was lowered: the target is null when only the run knows it. */
export interface LoweredJump {
  readonly target: string | null;
  readonly passes: readonly string[];
  readonly span: Span;
  /** Nothing reaches it, because a GOTO or RETURN is above it. */
  readonly dead: boolean;
}

/** What a CHECK binds, for `check-never-read`. */
interface LoweredCheck {
  readonly slot: number;
  readonly name: string;
  readonly span: Span;
}

/** What a state leaves for the lints, gathered while it is lowered. */
export class LintFacts {
  readonly explanations: Explanation[] = [];
  readonly jumps: LoweredJump[] = [];
  readonly checks: LoweredCheck[] = [];

  explain(span: Span, text: string): void {
    this.explanations.push({ span, text });
  }
}
