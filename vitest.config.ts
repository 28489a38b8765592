import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-first.ts'],
    testTimeout: 30_000,
    // Half of the tests wait for processes, so three workers keep two processors busy.
    maxWorkers: 3,
    // A worker reads the sources once for all of its tests, which change nothing that others see.
    isolate: false,
  },
});
