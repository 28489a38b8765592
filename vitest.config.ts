import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-first.ts'],
    testTimeout: 30_000,
    // Half of the tests wait for processes, so two workers keep two processors busy; a third reads all sources once more.
    maxWorkers: 2,
    // A worker reads the sources once for all of its tests, which change nothing that others see.
    isolate: false,
  },
});
