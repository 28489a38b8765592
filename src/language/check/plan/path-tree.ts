/** A tree of output paths. A walk finds all paths that overlap a path: those above and below it. */
import type { PlanPath } from '../../../machine/plan.js';

/** A call that writes a path, in one of its arms. */
export interface Writer {
  readonly call: number;
  readonly arm: number;
  readonly path: PlanPath;
}

interface PathBranch {
  readonly children: Map<string, PathBranch>;
  readonly own: Writer[];
  readonly below: Writer[];
}

export interface PathTree {
  /** The writers of the path, of its parts and of enclosing paths, in the order of the calls. */
  findOverlapping(path: PlanPath): readonly Writer[];
  /** Whether there is any of these writers. */
  isWritten(path: PlanPath): boolean;
}

export function buildPathTree(calls: readonly { readonly arms: readonly (readonly PlanPath[])[] }[]): PathTree {
  const root: PathBranch = { children: new Map(), own: [], below: [] };
  calls.forEach(({ arms }, call) => {
    arms.forEach((paths, arm) => {
      for (const path of paths) insert(root, { call, arm, path });
    });
  });
  return {
    findOverlapping(path) {
      const found: Writer[] = [];
      let at: PathBranch | undefined = root;
      for (const segment of path) {
        if (at.own.length > 0) found.push(...at.own);
        at = at.children.get(segment);
        if (at === undefined) break;
      }
      if (at === undefined) return found.sort(byCall);
      return found.length === 0 ? at.below : [...found, ...at.below].sort(byCall);
    },
    isWritten(path) {
      let at: PathBranch | undefined = root;
      for (const segment of path) {
        if (at.own.length > 0) return true;
        at = at.children.get(segment);
        if (at === undefined) return false;
      }
      return at.below.length > 0;
    },
  };
}

function byCall(a: Writer, b: Writer): number {
  return a.call - b.call || a.arm - b.arm;
}

function insert(root: PathBranch, writer: Writer): void {
  let at = root;
  at.below.push(writer);
  for (const segment of writer.path) {
    let next = at.children.get(segment);
    if (next === undefined) {
      next = { children: new Map(), own: [], below: [] };
      at.children.set(segment, next);
    }
    next.below.push(writer);
    at = next;
  }
  at.own.push(writer);
}
