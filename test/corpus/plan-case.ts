/** Compiles the plan of a case with its tools and files, in memory, and draws what the compiler says. */
import { compilePlan } from '../../src/check/plan/compile-plan.js';
import { readPlanDocument } from '../../src/frontends/plan-document.js';
import { readYamlTree } from '../../src/frontends/yaml-tree.js';
import { printPath } from '../../src/prelude/reference.js';
import { schemaValidator } from '../../src/runtime/tools/call-schema.js';
import { sourceFile } from '../../src/source/source-file.js';
import { drawDiagnostics } from '../../src/views/diagnostics/diagnostic.js';
import { type Case, filesOf, sectionText } from './case-file.js';

/** Tools that need no words in a case: they read and write nothing but what the call says. */
const USUAL = ['a', 'b', 'c', 'd'].map((name) => `${name}: { run: [./${name}], idempotent: true }\n`).join('');

export interface CheckedPlan {
  readonly diagnostics: string;
  readonly signature: string;
  readonly gates: string | null;
}

export function checkedPlan(the: Case): CheckedPlan {
  const text = sectionText(the, 'plan') ?? '';
  const tools = sectionText(the, 'tools') ?? USUAL;
  const sources = [sourceFile('plan.json', text), sourceFile('tools.yaml', tools)];
  const document = readPlanDocument(text, 0);
  const read = readYamlTree(tools, 1);
  const before = [...document.diagnostics, ...read.diagnostics];
  if (document.plan === null || read.root === null)
    return { diagnostics: drawDiagnostics(before, sources), signature: '', gates: null };
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
  const lines = compiled.signature.map((paths) => `${paths.map(printPath).join(' or ')}\n`);
  return {
    diagnostics: drawDiagnostics(compiled.diagnostics, sources),
    signature: lines.join(''),
    gates: compiled.approvals.length === 0 ? null : compiled.approvals.map((path) => `${printPath(path)}\n`).join(''),
  };
}
