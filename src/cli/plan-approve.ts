/**
 * `statedsl plan approve`: one number that stands for a plan, its tools with their schemas, and the plans those call.
 * Spelling does not count: the same plan with other blanks or another order of keys has the same number.
 */
import { createHash } from 'node:crypto';
import { dirname, relative, resolve, sep } from 'node:path';
import { jsonOf } from '../check/plan/json-of.js';
import type { Json } from '../machine/expression.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { type LoadedPlan, type PlanFlags, soundPlan } from './load-plan.js';
import { stdout } from './streams.js';
import { usageError } from './usage.js';

const MAX_DEPTH = 16;

export interface PlanApproveFlags extends PlanFlags {
  readonly json?: boolean;
}

type Approved = { readonly value: Json } | { readonly problem: string | null };

export async function planApproveCommand(file: string, flags: PlanApproveFlags): Promise<ExitCode> {
  const approved = await canonical(file, flags, []);
  if ('problem' in approved) return approved.problem === null ? EXIT.usage : usageError(approved.problem);
  const hash = createHash('sha256').update(canonicalJson(approved.value)).digest('hex');
  stdout.write(flags.json ? `${JSON.stringify({ hash })}\n` : `${hash}\n`);
  return EXIT.returned;
}

/** Everything that an approval is about. A problem without words has been told already. */
async function canonical(file: string, flags: PlanFlags, outer: readonly string[]): Promise<Approved> {
  const path = file === '-' ? file : resolve(file);
  if (outer.includes(path)) return { problem: `the plan \`${file}\` calls itself` };
  if (outer.length >= MAX_DEPTH) return { problem: `plans call each other more than ${MAX_DEPTH} deep` };
  const sound = await soundPlan(file, flags);
  if (sound === null || sound.tree === null) return { problem: null };
  const plans: { [file: string]: Json } = {};
  for (const [name, inner] of innerPlans(sound, file)) {
    if (inner === null) return { problem: `the plan \`${name}\` lies outside the folder of \`${file}\`` };
    const one = await canonical(inner, {}, [...outer, path]);
    if ('problem' in one) return one;
    plans[name] = one.value;
  }
  const tools = sound.plan.tools as unknown as Json;
  return { value: { plan: jsonOf(sound.tree.root), tools, plans } };
}

/** The plans that calls run, by the name they have there; null for one that may not be called. */
function innerPlans(sound: LoadedPlan & { plan: NonNullable<LoadedPlan['plan']> }, file: string) {
  const found = new Map<string, string | null>();
  for (const { delegate } of sound.plan.calls) {
    if (delegate === null) continue;
    const folder = resolve(dirname(file));
    const inner = resolve(folder, delegate);
    const way = relative(folder, inner);
    found.set(delegate, way === '..' || way.startsWith(`..${sep}`) ? null : inner);
  }
  for (const { calls } of Object.values(sound.plan.tools))
    if (calls.kind === 'plan') found.set(calls.file, resolve(dirname(sound.toolsPath ?? file), calls.file));
  return found;
}

/** JSON with sorted keys and no blanks. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`).join(',')}}`;
}
