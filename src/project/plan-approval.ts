/**
 * The approval of a plan: one hash of the plan, its tools with their schemas, and the plans that they call. Formatting
 * does not count: a plan with other spaces or another order of keys has the same hash.
 */
import { createHash } from 'node:crypto';
import { jsonOf } from '../check/plan/given.js';
import type { Json } from '../machine/expression.js';
import type { LoadedPlan } from './load-plan.js';

/**
 * SHA-256 of everything that an approval covers. Inputs are not part of it, because they may differ from run to run.
 */
export function approvalHash(plan: LoadedPlan): string {
  return createHash('sha256')
    .update(canonicalJson(approvedContent(plan, new Map())))
    .digest('hex');
}

/** Whether the plan or a nested plan requires an approval. */
export function needsApproval({ plan, inner }: LoadedPlan): boolean {
  return plan?.mode === 'lazy' || [...inner.call.values(), ...inner.tool.values()].some(needsApproval);
}

/** A nested plan is represented by its own hash, which is computed once, however often the plan is called. */
function approvedContent(loaded: LoadedPlan, known: Map<LoadedPlan, string>): Json {
  const plans: { [file: string]: Json } = {};
  for (const [file, inner] of [...loaded.inner.call, ...loaded.inner.tool]) {
    const hash =
      known.get(inner) ??
      createHash('sha256')
        .update(canonicalJson(approvedContent(inner, known)))
        .digest('hex');
    known.set(inner, hash);
    plans[file] = hash;
  }
  const tools = (loaded.plan?.tools ?? {}) as unknown as Json;
  return { plan: loaded.tree === null ? null : jsonOf(loaded.tree.root), tools, plans };
}

/** JSON with sorted keys and no spaces. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`).join(',')}}`;
}
