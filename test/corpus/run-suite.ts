/**
 * Cases that run: what a program or plan does in the world. Each run is then crashed after its events, in memory, and
 * executed on an engine, and must come to the same end. Several test files share the cases, so that workers do, too.
 */
import { describe, test } from 'vitest';
import { isOtherNode, share } from '../amount.js';
import { findingsOnEngine } from '../engine/recorded-world.js';
import { type Case, namedCases } from './case-file.js';
import { compileCase, drawnDiagnostics } from './compile-case.js';
import { crashed } from './crash-case.js';
import { type Actual, compare } from './expectation.js';
import { runPlanCase } from './plan-run-case.js';
import { type Ran, runCase } from './run-case.js';

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

/** Every so many of the cases, from one of the first on. */
export interface Share {
  readonly from: number;
  readonly every: number;
}

export function runCases({ from, every }: Share): void {
  const cases = namedCases('run').filter((_, at) => at % every === from);
  const run = once(finishedRun);

  describe.concurrent('run', () => {
    test.for(isOtherNode ? share(cases) : cases)('%s', async ([, the], { expect }) => {
      const { ran, actual } = await run(the);
      compare(the, actual, ran === null ? ['diagnostics'] : ['events', 'result'], expect);
      expect(ran, `${the.path}: the program does not compile\n${actual.diagnostics}`).not.toBeNull();
    });
  });

  laws(cases, run, ['a crashed run', 'a run on an engine']);
}

export function runPlanCases(): void {
  const cases = namedCases('plan-runs');
  const run = once(finishedPlan);

  describe.concurrent('plan-runs', () => {
    test.for(isOtherNode ? share(cases) : cases)('%s', async ([, the], { expect }) => {
      const { ran, actual } = await run(the);
      compare(the, actual, ran === null ? ['diagnostics'] : ['calls', 'written'], expect);
      expect(ran, `${the.path}: the plan does not compile\n${actual.diagnostics}`).not.toBeNull();
    });
  });

  laws(cases, run, ['a crashed run of a plan', 'a run of a plan on an engine']);
}

type Names = readonly [crashed: string, onEngine: string];

/** One after the other: some of them stop the clock of their worker. */
function laws(
  all: ReturnType<typeof namedCases>,
  run: (the: Case) => Promise<Finished>,
  [whenCrashed, onEngine]: Names,
): void {
  // Nothing of them starts a process.
  if (isOtherNode) return;
  const cases = share(all);
  describe(whenCrashed, () => {
    test.for(cases)('%s', async ([, the], { expect }) => {
      expect(await findingsOf(await run(the), crashed), the.path).toEqual([]);
    });
  });

  describe(onEngine, () => {
    test.for(cases)('%s', async ([, the], { expect }) => {
      expect(await findingsOf(await run(the), findingsOnEngine), the.path).toEqual([]);
    });
  });
}

async function findingsOf(
  { ran, actual }: Finished,
  law: (undisturbed: Ran['undisturbed']) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  return ran === null ? [`it does not run: ${actual.diagnostics}`] : law(ran.undisturbed);
}
