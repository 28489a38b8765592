import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILED, compiledSources } from './test/compiled-sources.js';
import { longTests, startsProcesses, testsWithProcesses } from './test/processes.js';

/** Only the tests that start no process, which need no built program; or only those that start processes. */
const isUnit = process.env.UNIT !== undefined;
const isProcesses = process.env.PROCESSES !== undefined;

function pathOf(name: string): string {
  return resolve(`test/${name}.test.ts`);
}

/** They take longest, in this order; without them, one worker ends long before the other. */
const LONGEST = [
  // Minutes of computing, but only in the long tests.
  ...(process.env.LONG === undefined ? [] : ['foresight/random-programs']),
  'corpus-sessions',
  'cli/worktree',
  // They start git a thousand times, while a worker is still small.
  'runtime/worktree-apply',
  'runtime/worktree-crash',
  'runtime/worktree-snapshot',
  'corpus-runs-1',
  'corpus-runs-2',
  'corpus-runs-3',
  'corpus-plan-runs',
  'cli/stopping',
  'serve/process',
  'readme',
].map(pathOf);

/** They read all sources with the compiler, and the memory of a worker stays large after that. */
const COMPILING = ['library', 'names'].map(pathOf);

/**
 * Tests run most functions for a moment, and compiling one well takes longer than it then saves: in all, an eighth of the
 * time of the tests. Versions of Node from 22 on have a quick compiler for such functions, and no such option.
 */
const OPTIMIZE_LATER = Number.parseInt(process.versions.node, 10) < 22 ? ['--interrupt-budget=600000'] : [];

/** Starting a process takes longer the more memory a worker has, so such tests come first. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(moduleId);
      if (at >= 0) return at;
      if (COMPILING.includes(moduleId)) return LONGEST.length + 1;
      return LONGEST.length + (startsProcesses(moduleId) ? 0 : 2);
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

/** A file that is named is tested as a whole, whatever it takes. */
const isNamed = process.argv.slice(3).some((word) => !word.startsWith('-'));
const left = process.env.LONG !== undefined || isNamed ? [] : longTests(isProcesses);

/** Mutations and `npm run watch` look at the sources themselves. */
const isCompiled = process.argv.includes('run') && !process.argv.some((word) => word.startsWith('--config'));

/** Of one test, in milliseconds. In the night each tries twenty times as much. */
const LIMIT = process.env.NIGHTLY === undefined ? 300_000 : 3_600_000;

export default defineConfig({
  plugins: isCompiled ? [compiledSources()] : [],
  // As in the built program: the packages that read Markdown have slower files for their own development.
  ssr: { resolve: { conditions: ['node'] } },
  test: {
    server: { deps: { external: [COMPILED] } },
    // A test that hangs fails; one that only computes or waits for processes may take its time on a busy machine.
    testTimeout: LIMIT,
    hookTimeout: LIMIT,
    // Half of the tests wait for processes, so two workers keep two processors busy; a third reads all sources once more.
    maxWorkers: 2,
    // A worker reads the sources once for all of its tests, which change nothing that others see.
    isolate: false,
    // Short-lived values are collected less often. A worker that starts processes stays small instead.
    execArgv: [...OPTIMIZE_LATER, ...(isUnit ? ['--max-semi-space-size=32'] : [])],
    sequence: { sequencer: ProcessesFirst },
    include: isProcesses ? testsWithProcesses() : ['test/**/*.test.ts'],
    exclude: [...(isUnit ? testsWithProcesses() : []), ...left],
    env: isNamed ? { WHOLE: '1' } : {},
    // A test that asserts nothing fails.
    expect: { requireAssertions: true, poll: { timeout: LIMIT } },
    globalSetup: [
      'test/memory-folder.ts',
      ...(isUnit ? [] : ['test/build-first.ts']),
      'test/environment.ts',
      'test/seed.ts',
      'test/something-ran.ts',
    ],
    setupFiles: ['test/no-processes.ts', 'test/random.ts'],
    experimental: { fsModuleCache: true },
    coverage: {
      provider: 'custom',
      customProviderModule: 'test/coverage.ts',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'node_modules/.cache/coverage',
    },
  },
});
