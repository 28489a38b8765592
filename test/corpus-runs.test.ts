/**
 * Cases that run: what a program or plan does in the world. Each run is then crashed after each of its events, in
 * memory, and must come to the same end.
 */
import { describe, test } from 'vitest';
import { type Case, namedCases } from './corpus/case-file.js';
import { compileCase, drawnDiagnostics } from './corpus/compile-case.js';
import { crashed } from './corpus/crash-case.js';
import { type Actual, compare } from './corpus/expectation.js';
import { runPlanCase } from './corpus/plan-run-case.js';
import { type Ran, runCase } from './corpus/run-case.js';
import { findingsOnEngine } from './engine/recorded-world.js';

/** What a case came to; `ran` is null when its program or plan has errors. */
interface Finished {
  readonly ran: Ran | null;
  readonly actual: Actual;
}

async function finishedRun(the: Case): Promise<Finished> {
  const compilation = compileCase(the);
  const diagnostics = drawnDiagnostics(compilation);
  if (compilation.machine === null) return { ran: null, actual: { diagnostics } };
  const ran = await runCase(the, compilation.machine, compilation.sources);
  return { ran, actual: { diagnostics, ...sectionsOf(ran), ...writtenFiles(the, ran) } };
}

async function finishedPlan(the: Case): Promise<Finished> {
  const { diagnostics, ran, calls, written } = await runPlanCase(the);
  if (ran === null) return { ran, actual: { diagnostics } };
  return { ran, actual: { diagnostics, calls, written, ...sectionsOf(ran), ...writtenFiles(the, ran) } };
}

function sectionsOf({ lines, result }: Ran): Actual {
  return { events: lines, result };
}

function writtenFiles({ sections }: Case, ran: Ran): Actual {
  const names = sections.map(({ name }) => name).filter((name) => name.startsWith('wrote '));
  return Object.fromEntries(names.map((name) => [name, ran.wrote(name.slice('wrote '.length))]));
}

/** Each case runs once, for whichever test of it comes first. */
function once(finish: (the: Case) => Promise<Finished>): (the: Case) => Promise<Finished> {
  const known = new Map<Case, Promise<Finished>>();
  return (the) => {
    const finished = known.get(the) ?? finish(the);
    known.set(the, finished);
    return finished;
  };
}

const run = once(finishedRun);
const runPlan = once(finishedPlan);

describe.concurrent('run', () => {
  test.for(namedCases('run'))('%s', async ([, the], { expect }) => {
    const { ran, actual } = await run(the);
    compare(the, actual, ran === null ? ['diagnostics'] : ['events', 'result'], expect);
    expect(ran, `${the.path}: the program does not compile\n${actual.diagnostics}`).not.toBeNull();
  });
});

describe.concurrent('plan-runs', () => {
  test.for(namedCases('plan-runs'))('%s', async ([, the], { expect }) => {
    const { ran, actual } = await runPlan(the);
    compare(the, actual, ran === null ? ['diagnostics'] : ['calls', 'written'], expect);
    expect(ran, `${the.path}: the plan does not compile\n${actual.diagnostics}`).not.toBeNull();
  });
});

/** One after the other: some of them stop the clock of their worker. */
describe('a crashed run', () => {
  test.for(namedCases('run'))('%s', async ([, the], { expect }) => {
    expect(await findingsOf(await run(the)), the.path).toEqual([]);
  });
});

describe('a crashed run of a plan', () => {
  test.for(namedCases('plan-runs'))('%s', async ([, the], { expect }) => {
    expect(await findingsOf(await runPlan(the)), the.path).toEqual([]);
  });
});

describe('a run on an engine', () => {
  test.for(namedCases('run'))('%s', async ([, the], { expect }) => {
    const { ran, actual } = await run(the);
    expect(ran === null ? actual.diagnostics : await findingsOnEngine(ran.undisturbed), the.path).toEqual([]);
  });
});

describe('a run of a plan on an engine', () => {
  test.for(namedCases('plan-runs'))('%s', async ([, the], { expect }) => {
    const { ran, actual } = await runPlan(the);
    expect(ran === null ? actual.diagnostics : await findingsOnEngine(ran.undisturbed), the.path).toEqual([]);
  });
});

async function findingsOf({ ran, actual }: Finished): Promise<readonly string[]> {
  return ran === null ? [`it does not run: ${actual.diagnostics}`] : crashed(ran.undisturbed);
}
