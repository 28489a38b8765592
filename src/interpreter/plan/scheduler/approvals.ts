/** The paths that people give: which calls wait for each of them, and who answered. */
import type { PlanPath } from '../../../machine/plan.js';

/** A path without a value, and the calls that wait for people alone. */
export interface OpenApproval {
  readonly path: PlanPath;
  readonly calls: ReadonlySet<number>;
}

export class Approvals {
  private readonly byKey = new Map<string, { readonly path: PlanPath; readonly calls: Set<number> }>();
  /** Who gave each path, if that is known. */
  private readonly people = new Map<string, string | undefined>();

  /** The approvals that calls wait for, in the order in which calls first asked for them. */
  listOpen(): OpenApproval[] {
    return [...this.byKey.values()];
  }

  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }

  /** Everything else that the call reads is decided. */
  waitFor(paths: readonly PlanPath[], call: number): void {
    for (const path of paths) {
      const open = this.byKey.get(keyOf(path));
      if (open === undefined) this.byKey.set(keyOf(path), { path, calls: new Set([call]) });
      else open.calls.add(call);
    }
  }

  /** Takes an answer. Returns the calls that waited for any approval, because one answer may decide about another. */
  answer(path: PlanPath, by: string | undefined): number[] {
    this.people.set(keyOf(path), by ?? this.answeredBy(path));
    const waiting = new Set([...this.byKey.values()].flatMap(({ calls }) => [...calls]));
    this.byKey.clear();
    return [...waiting].sort((a, b) => a - b);
  }

  isAnswered(path: PlanPath): boolean {
    return this.people.has(keyOf(path));
  }

  /** Who answered, if that is known. */
  answeredBy(path: PlanPath): string | undefined {
    return this.people.get(keyOf(path));
  }
}

function keyOf(path: PlanPath): string {
  return path.join('\0');
}
