/** One mistake in both spellings: the same code, words that fit the file, and no fix that writes text into YAML. */
import { describe, expect, it } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { parseFile } from '../../src/language/frontends/markdown.js';

function badCoverage(name: string, text: string) {
  const { diagnostics } = compile(text, { name, parse: parseFile });
  return diagnostics.find(({ code }) => code === 'bad-coverage');
}

describe('a message', () => {
  it('quotes text in a program, and offers its fix', () => {
    const found = badCoverage('a.dsl', 'STEP: a\n  AGENT: x\n  PROMPT: p\n  GATE: coverage 180\n');
    expect(found?.help).toBe('write `coverage 80`');
    expect(found?.fixes?.[0]?.edits).toMatchObject([{ text: '80' }]);
  });

  it('quotes YAML in a workflow file, and offers no fix that is text', () => {
    const found = badCoverage(
      'a.yaml',
      'steps:\n  - name: a\n    agent: x\n    prompt: p\n    gate: [{ coverage: 180 }]\n',
    );
    expect(found?.help).toBe('write `coverage: 80`');
    expect(found?.fixes).toBeUndefined();
  });

  it('leaves the facts behind its words inside the compiler', () => {
    expect(badCoverage('a.dsl', 'STEP: a\n  AGENT: x\n  PROMPT: p\n  GATE: coverage 180\n')).not.toHaveProperty(
      'origin',
    );
  });
});
