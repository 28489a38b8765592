/** Every example, included pattern and included workflow has tests, and they pass. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { diskFiles } from '../../src/app/project/project-host.js';
import type { FaultOutcome } from '../../src/lab/testing/faults/run-faults.js';
import { loadSuite } from '../../src/lab/testing/load-suite.js';
import { runSuite } from '../../src/lab/testing/run-suites.js';
import { amount } from '../amount.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const listFiles = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))
    .sort();

const host = (folder: string) => ({ folder, files: diskFiles, allowOutside: false, environment: {} });

describe('the tests of', () => {
  test.each(listFiles('examples', /\.test\.dsl$/))('%s', async (file) => {
    // A folder without a package, so that gates find no commands of this project.
    const cwd = join(root, dirname(file));
    const loaded = await loadSuite(host(root), file, cwd);
    if ('missing' in loaded) throw new Error(loaded.missing);
    expect(loaded.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
    const { suite } = loaded;
    const faults: FaultOutcome[] = [];
    if (suite === null) throw new Error('a suite without a mistake can run');
    const { results, diagnostics } = await runSuite(suite, {
      host: host(root),
      cwd,
      jobs: 4,
      isWanted: () => true,
      bail: false,
      offline: true,
      snapshots: 'read-only',
      coverage: null,
      renew: null,
      faults: {
        choice: { kinds: new Set(['crash', 'late'] as const), only: null, mostEvents: amount(4, 100_000) },
        onResult: ({ outcomes }) => faults.push(...outcomes),
      },
      onResult: () => undefined,
    });
    // Whatever is cut or comes in another order, the run ends, and a crash alone changes nothing.
    const wrong = faults.filter(
      ({ defect, failures, isSame, point, reason }) =>
        defect !== undefined || failures.length > 0 || (point.kind === 'crash' && !isSame && reason === undefined),
    );
    expect(wrong.map(({ point, end, defect, failures }) => [point.name, end, defect, failures])).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
    const failed = results.filter(({ status }) => status !== 'passed');
    expect(failed.map(({ name, failures }) => ({ name, failures }))).toEqual([]);
    expect(diagnostics).toEqual([]);
    expect(results.length).toBeGreaterThan(0);
  });
});

test.each(listFiles('examples', /(?<!\.test)\.dsl$/))('%s has tests', (file) => {
  expect(existsSync(join(root, file.replace(/\.dsl$/, '.test.dsl')))).toBe(true);
});

test.each(listFiles('patterns', /\.dsl$/))('%s has tests', (file) => {
  expect(existsSync(join(root, 'examples/patterns', basename(file, '.dsl').concat('.test.dsl')))).toBe(true);
});

test.each(listFiles('workflows', /^[^/]*\.yaml$/))('%s has tests', (file) => {
  expect(existsSync(join(root, 'examples/workflows', basename(file, '.yaml').concat('.test.dsl')))).toBe(true);
});
