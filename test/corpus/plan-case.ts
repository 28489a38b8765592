/** Compiles the plan of a case with its tools and files, in memory, and draws what the compiler says. */
import { compilePlan, type PlanCompilation } from '../../src/language/check/plan/compile-plan.js';
import { readPlanDocument } from '../../src/language/frontends/plan-document.js';
import { readYamlTree } from '../../src/language/frontends/yaml-tree.js';
import type { Diagnostic } from '../../src/language/source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../src/language/source/diagnostic.js';
import { printPath } from '../../src/prelude/reference.js';
import { schemaValidator } from '../../src/runtime/tools/call-schema.js';
import { drawDiagnostics } from '../../src/views/diagnostics/draw-diagnostic.js';
import { type Case, filesOf, sectionText } from './case-file.js';

/** Tools that need no words in a case: they read and write nothing but what the call says. */
const USUAL = ['a', 'b', 'c', 'd'].map((name) => `${name}: { run: [./${name}], idempotent: true }\n`).join('');

export interface CheckedPlan {
  readonly diagnostics: string;
  readonly signature: string;
  readonly gates: string | null;
}

/** Null: the text is no plan at all. */
export function compiledPlan(
  the: Case,
  text = sectionText(the, 'plan') ?? '',
): {
  readonly compiled: PlanCompilation | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceSet;
} {
  const tools = sectionText(the, 'tools') ?? USUAL;
  const sources = [sourceFile('plan.json', text), sourceFile('tools.yaml', tools)];
  const document = readPlanDocument(text, 0);
  const read = readYamlTree(tools, 1);
  const before = [...document.diagnostics, ...read.diagnostics];
  if (document.plan === null || read.root === null) return { compiled: null, diagnostics: before, sources };
  const files = filesOf(the);
  const state = sectionText(the, 'state');
  const inputs = sectionText(the, 'inputs');
  const compiled = compilePlan(document.plan, {
    tools: { name: 'tools.yaml', root: read.root },
    validate: schemaValidator(),
    found: before,
    readNextTo: (path) => {
      const found = files.get(path.replace(/^\.\//, ''));
      return found === undefined ? { error: 'no such file' } : { text: found };
    },
    ...(state === undefined ? {} : { state: JSON.parse(state) }),
    ...(inputs === undefined ? {} : { inputs: JSON.parse(inputs) }),
  });
  return { compiled, diagnostics: compiled.diagnostics, sources };
}

export function checkedPlan(the: Case): CheckedPlan {
  const { compiled, diagnostics, sources } = compiledPlan(the);
  if (compiled === null) return { diagnostics: drawDiagnostics(diagnostics, sources), signature: '', gates: null };
  const lines = compiled.signature.map((paths) => `${paths.map(printPath).join(' or ')}\n`);
  return {
    diagnostics: drawDiagnostics(diagnostics, sources),
    signature: lines.join(''),
    gates: compiled.approvals.length === 0 ? null : compiled.approvals.map((path) => `${printPath(path)}\n`).join(''),
  };
}
