/** Paths that people open: which calls wait for them, and who answered. */
import type { PlanPath } from '../../../machine/plan.js';

/** A path that a person opens, and calls that wait for nothing else. */
export interface OpenApproval {
  readonly path: PlanPath;
  readonly calls: ReadonlySet<number>;
}

export class Approvals {
  private readonly gates = new Map<string, { readonly path: PlanPath; readonly calls: Set<number> }>();
  private readonly people = new Map<string, string>();
  /** A person gave something to a gate. */
  answered = false;

  /** Those that calls wait for, in the order in which they were met. */
  approve(): OpenApproval[] {
    return [...this.gates.values()];
  }

  /** Everything else that the call reads is decided. */
  waitFor(paths: readonly PlanPath[], call: number): void {
    for (const path of paths) {
      const known = this.gates.get(keyOf(path));
      if (known === undefined) this.gates.set(keyOf(path), { path, calls: new Set([call]) });
      else known.calls.add(call);
    }
  }

  /** Takes an answer; gives the calls that waited for any gate, since one may decide about another. */
  answer(path: PlanPath, by: string | undefined): number[] {
    if (by !== undefined) this.people.set(keyOf(path), by);
    const waiting = new Set([...this.gates.values()].flatMap(({ calls }) => [...calls]));
    this.gates.clear();
    return [...waiting].sort((a, b) => a - b);
  }

  /** Who answered, where that is known. */
  by(path: PlanPath): string | undefined {
    return this.people.get(keyOf(path));
  }
}

function keyOf(path: PlanPath): string {
  return path.join('\0');
}
