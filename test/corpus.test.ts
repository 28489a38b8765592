/** Cases that are decided by reading: each file in these folders of `test/corpus/` is a test of its own. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { definedCodes } from '../src/language/source/catalogue/message.js';
import { CASE_KINDS, casesOf, namedCases, programOf, sectionText } from './corpus/case-file.js';
import { compileCase, drawnDiagnostics, explained } from './corpus/compile-case.js';
import { compare } from './corpus/expectation.js';
import { formatted, parsed, treeOf } from './corpus/format-case.js';
import { answers } from './corpus/ide-case.js';
import { recordInMemory } from './corpus/memory-case.js';
import { checkedPlan } from './corpus/plan-case.js';
import { readWorkflow } from './corpus/workflow-case.js';

describe('syntax', () => {
  test.each(namedCases('syntax'))('%s', (_, the) => {
    const { diagnostics, tree } = parsed(the);
    compare(the, { diagnostics, tree }, ['diagnostics', 'tree']);
  });
});

describe('check', () => {
  test.each(namedCases('check'))('%s', (_, the) => {
    const compilation = compileCase(the);
    const actual = { diagnostics: drawnDiagnostics(compilation), explain: explained(compilation) };
    compare(the, actual, ['diagnostics', 'explain']);
  });
});

describe('plans', () => {
  test.each(namedCases('plans'))('%s', (_, the) => {
    compare(the, { ...checkedPlan(the) }, ['diagnostics', 'signature']);
  });
});

describe('workflows', () => {
  test.each(namedCases('workflows'))('%s', (_, the) => {
    compare(the, readWorkflow(the), ['diagnostics', 'read']);
  });
});

describe('format', () => {
  test.each(namedCases('format'))('%s', (_, the) => {
    const once = formatted(programOf(the));
    compare(the, { formatted: once }, ['formatted']);
    expect(formatted({ ...programOf(the), text: once }), 'formatting again changes nothing').toBe(once);
    expect(treeOf({ ...programOf(the), text: once }), 'the tree is the same').toEqual(treeOf(programOf(the)));
  });
});

describe('in memory', () => {
  test.each(namedCases('run').filter(([, the]) => sectionText(the, 'record') !== undefined))('%s', (_, the) => {
    compare(the, { record: recordInMemory(the) }, ['record']);
  });
});

describe('ide', () => {
  test.each(namedCases('ide'))('%s', (_, the) => {
    const actual = answers(the);
    compare(the, actual, Object.keys(actual));
  });
});

test('every code of the catalogue has a case', async () => {
  const catalogue = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src/language/source/catalogue');
  for (const name of readdirSync(catalogue)) await import(pathToFileURL(join(catalogue, name)).href);
  const shown = new Set<string>();
  for (const { sections } of CASE_KINDS.flatMap(casesOf)) {
    for (const { name, text } of sections) {
      if (name !== 'diagnostics' && name !== 'session') continue;
      for (const [, code] of text.matchAll(/^(?:error|warning|note)\[([\w-]+)\]/gm)) shown.add(code as string);
    }
  }
  expect([...definedCodes().keys()].filter((code) => !shown.has(code))).toEqual([]);
});
