/** Tests with one mistake in one source file, which `MUTANT` says; the file itself stays as it is. */
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const mutant = process.env.MUTANT === undefined ? null : JSON.parse(process.env.MUTANT);

const mistake = {
  name: 'mutant',
  enforce: 'pre',
  // What is kept between runs is what the file says, and not what it says here.
  configureVitest({ experimental_defineCacheKeyGenerator: keyed }) {
    keyed(({ id }) => (id === mutant?.path ? false : undefined));
  },
  transform(code, id) {
    if (id !== mutant?.path) return null;
    return { code: code.slice(0, mutant.start) + mutant.replacement + code.slice(mutant.end), map: null };
  },
};

const setupFiles = process.env.COVERED_BY === undefined ? [] : ['test/mutate/covered.ts'];

export default mergeConfig(base, defineConfig({ plugins: [mistake], test: { setupFiles } }));
