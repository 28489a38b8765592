/** Every example, included pattern and included workflow has tests, and they pass. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { diskFiles } from '../../src/project/host.js';
import { loadSuite } from '../../src/testing/load-suite.js';
import { runSuite } from '../../src/testing/run-suites.js';

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
    if (suite === null) throw new Error('a suite without a mistake can run');
    const { results, diagnostics } = await runSuite(suite, {
      host: host(root),
      cwd,
      jobs: 4,
      filter: null,
      bail: false,
      offline: true,
      snapshots: 'read-only',
      coverage: null,
      renew: null,
      onResult: () => undefined,
    });
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
