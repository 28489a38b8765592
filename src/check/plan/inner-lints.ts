/** Checks calls that run plans: whether the plan can run, and whether the parameters match its inputs. */
import type { PlanPath } from '../../machine/plan.js';
import { nearest } from '../../prelude/nearest.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { LoweredCall } from './lower-calls.js';
import { inputName } from './read-lints.js';

/** The interface of a plan, for the calls that run it. */
export interface PlanInterface {
  /** Each list has the alternatives of one parameter that a call must pass. */
  readonly signature: readonly (readonly PlanPath[])[];
  /** Names of the inputs that calls read, in the order of reading; null if a call reads all of them at once. */
  readonly inputs: readonly string[] | null;
  /** Paths of its tools that the workers of an engine may not have. */
  readonly onlyHere?: readonly string[];
}

export type InnerPlan = { readonly problem: string; readonly help: string } | PlanInterface;

/** `by`: paths in a call are relative to the plan, paths in a tool to the tools file. */
export type OpenPlan = (file: string, by: 'call' | 'tool') => InnerPlan;

export function lintInnerPlans(calls: readonly LoweredCall[], open: OpenPlan, diagnostics: Diagnostic[]): void {
  const seen = new Set<LoweredCall['node']>();
  for (const call of calls) {
    const target = call.binding?.calls;
    // Calls of several instances are one call of the document.
    if (target?.kind !== 'plan' || seen.has(call.node)) continue;
    seen.add(call.node);
    const span = call.node.delegate?.span ?? call.node.tool?.span ?? call.node.node.span;
    const inner = open(target.file, call.delegate === null ? 'tool' : 'call');
    if ('problem' in inner) diagnostics.push(words.innerPlan(span, { plan: target.file, ...inner }));
    else lintParameters(call, target, inner, diagnostics);
  }
}

function lintParameters(
  call: LoweredCall,
  { file, each }: { readonly file: string; readonly each: string | null },
  { signature, inputs }: PlanInterface,
  diagnostics: Diagnostic[],
): void {
  const span = call.node.delegate?.span ?? call.node.tool?.span ?? call.node.node.span;
  const names = new Set(call.parameters.entries.map(([name]) => name));
  if (each !== null) {
    const items = call.parameters.entries.find(([name]) => name === each)?.[1];
    const isOther = items?.op === 'object' || (items?.op === 'literal' && !Array.isArray(items.value));
    const problem = items === undefined ? 'this call does not pass' : isOther ? 'is not a list here' : null;
    if (problem !== null) diagnostics.push(words.eachParameter(span, { plan: file, name: each, problem }));
    names.delete(each);
    for (const name of ['item', 'index']) names.add(name);
  }
  for (const paths of signature) {
    const wanted = paths.map(inputName).filter((name) => name !== undefined);
    if (!wanted.some((name) => names.has(name)))
      diagnostics.push(words.missingInnerInput(span, { plan: file, names: wanted }));
  }
  if (inputs === null) return;
  for (const { member } of call.node.parameters) {
    const { key, keySpan } = member;
    if (key === each || inputs.includes(key)) continue;
    diagnostics.push(words.unreadInput(keySpan, { name: key, near: nearest(key, inputs) }));
  }
}
