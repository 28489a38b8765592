/** Runs the plan of a case like a file on disk, with its tools and all other files of its folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkPlans } from '../../src/app/project/link-plans.js';
import { loadPlan } from '../../src/app/project/load-plan.js';
import { diskFiles } from '../../src/app/project/project-host.js';
import type { CallReport } from '../../src/interpreter/plan/engine/plan-entry.js';
import { planMachine } from '../../src/language/check/plan/plan-machine.js';
import { hasErrors } from '../../src/language/source/diagnostic.js';
import { drawDiagnostics } from '../../src/views/diagnostics/draw-diagnostic.js';
import { type Case, sectionText } from './case-file.js';
import { inFolder, type Ran, runIn } from './run-case.js';

export interface PlanRan {
  readonly diagnostics: string;
  /** Null when the plan has errors. */
  readonly ran: Ran | null;
  /** What became of the calls, one a line. */
  readonly calls: string;
  /** What `state.json` says of the data, one path a line. */
  readonly written: string;
}

export async function runPlanCase(the: Case): Promise<PlanRan> {
  return inFolder(the, async (folder) => {
    const inputs = JSON.parse(sectionText(the, 'inputs') ?? '{}');
    const state = sectionText(the, 'state') === undefined ? {} : { state: join(folder, 'state.json') };
    const host = { folder, files: diskFiles, allowOutside: true, environment: process.env };
    const loaded = loadPlan(host, join(folder, 'plan.json'), state, { inputs });
    if (loaded.kind === 'missing') throw new Error(loaded.message);
    const diagnostics = drawDiagnostics(loaded.diagnostics, loaded.sources).replaceAll(folder, '$DIR');
    if (loaded.plan === null || hasErrors(loaded.diagnostics))
      return { diagnostics, ran: null, calls: '', written: '' };
    const { name, plans } = linkPlans(host, loaded);
    const all = loaded.inputs ?? Object.keys(inputs);
    const machine = planMachine({ name: 'plan', file: 'plan.json', plan: name, plans, inputs: all });
    const ran = await runIn(folder, the, machine, loaded.sources);
    const values: object = JSON.parse(readFileSync(stateFile(folder, ran.report.run_id), 'utf8'));
    const written = Object.entries(values).filter(([path]) => !path.startsWith('input.'));
    return {
      diagnostics,
      ran,
      calls: lines((ran.report.calls ?? []).map(callLine)).replaceAll(folder, '$DIR'),
      written: lines(written.map(([path, value]) => `${path} = ${JSON.stringify(value)}`)).replaceAll(folder, '$DIR'),
    };
  });
}

function stateFile(folder: string, id: string): string {
  return join(folder, '.statedsl/runs', id, 'state.json');
}

function callLine({ index, tool, instance, status, arm, reason, error, recovered }: CallReport): string {
  return [
    index + 1,
    tool ?? '(value)',
    ...(instance === undefined ? [] : [`for ${instance}`]),
    status,
    ...(arm === null ? [] : [arm]),
    ...(reason === null ? [] : [reason]),
    ...(error === null ? [] : [`${JSON.stringify(error.code)}: ${error.message}`]),
    ...(recovered === undefined ? [] : ['recovered']),
  ].join(' ');
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
