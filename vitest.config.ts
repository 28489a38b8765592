import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests in these files start processes, and some need the built program. All others are unit tests. */
const PROCESSES = [
  'test/{corpus-runs,corpus-sessions,examples,implement-spec,library,patterns,readme}.test.ts',
  'test/cli/*.test.ts',
  'test/control/other-process.test.ts',
  'test/runtime/!(checkpoint|configuration|drive|fits-schema|journal-sync|kept-runs|large-values|run-lock|temporary-folder).test.ts',
  'test/agents/*.test.ts',
  'test/serve/*.test.ts',
  'test/runtime/agents/!(recorded|resolve).test.ts',
  'test/shell/{binding,pipes,random,values}.test.ts',
];

export default defineConfig({
  test: {
    // A test that hangs fails; one that only computes or waits for processes may take its time on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Half of the tests wait for processes, so two workers keep two processors busy; a third reads all sources once more.
    maxWorkers: 2,
    // A worker reads the sources once for all of its tests, which change nothing that others see.
    isolate: false,
    // A test that asserts nothing fails.
    expect: { requireAssertions: true },
    globalSetup: ['test/memory-folder.ts', 'test/seed.ts', 'test/something-ran.ts'],
    setupFiles: ['test/random.ts'],
    // What programs store for their next start is not mixed with that of the user.
    env: { XDG_CACHE_HOME: fileURLToPath(new URL('node_modules/.cache/tests', import.meta.url)) },
    experimental: { fsModuleCache: true },
    coverage: {
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'node_modules/.cache/coverage',
    },
    projects: [
      { extends: true, test: { name: 'processes', include: PROCESSES, globalSetup: ['test/build-first.ts'] } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: PROCESSES,
          setupFiles: ['test/no-processes.ts'],
        },
      },
    ],
  },
});
