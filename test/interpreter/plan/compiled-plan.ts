/** Plans for tests of the scheduler, compiled from their documents as everywhere. */
import { compilePlan } from '../../../src/language/check/plan/compile-plan.js';
import { readPlanDocument } from '../../../src/language/frontends/plan-document.js';
import { readYamlTree } from '../../../src/language/frontends/yaml-tree.js';
import type { Diagnostic } from '../../../src/language/source/diagnostic.js';
import type { Json } from '../../../src/machine/expression.js';
import type { Plan } from '../../../src/machine/plan.js';

const TOOLS = '{ t: { run: [t], idempotent: true }, none: { run: [t], idempotent: true, failure: none } }';

export function compiledPlan(document: Json, tools = TOOLS): { plan: Plan | null; diagnostics: readonly Diagnostic[] } {
  const { plan, diagnostics } = readPlanDocument(JSON.stringify(document), 0);
  const { root } = readYamlTree(tools, 1);
  if (plan === null || root === null) throw new Error('the document of a test is no plan');
  return compilePlan(plan, {
    tools: { name: 'tools.yaml', root },
    found: diagnostics,
    readNextTo: () => ({ error: 'no such file' }),
    validate: () => null,
  });
}

export function soundPlan(document: Json, tools = TOOLS): Plan {
  const { plan, diagnostics } = compiledPlan(document, tools);
  if (plan === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return plan;
}
