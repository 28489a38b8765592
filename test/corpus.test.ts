/** The one runner of the language's cases: every file below `test/corpus/` is a test of its own. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compile } from '../src/check/compile.js';
import { definedCodes } from '../src/source/catalogue/message.js';
import { type Case, casesOf, programOf, sectionText } from './corpus/case-file.js';
import { compileCase, compileOptions, drawnDiagnostics, explained } from './corpus/compile-case.js';
import { crashed } from './corpus/crash-case.js';
import { type Actual, compare } from './corpus/expectation.js';
import { formatted, parsed, treeOf } from './corpus/format-case.js';
import { mutations, prefixes } from './corpus/mutations.js';
import { checkedPlan } from './corpus/plan-case.js';
import { runPlanCase } from './corpus/plan-run-case.js';
import { type Ran, runCase } from './corpus/run-case.js';
import { sessionOf } from './corpus/session-case.js';
import { readWorkflow } from './corpus/workflow-case.js';

const cases = {
  syntax: casesOf('syntax'),
  check: casesOf('check'),
  run: casesOf('run'),
  format: casesOf('format'),
};
const sessions = casesOf('session');
const plans = casesOf('plans');
const workflows = casesOf('workflows');
const planRuns = casesOf('plan-runs');
const everything = Object.values(cases).flat();

describe('syntax', () => {
  test.each(cases.syntax)('$name', (the) => {
    const { diagnostics, tree } = parsed(the);
    compare(
      the,
      new Map([
        ['diagnostics', diagnostics],
        ['tree', tree],
      ]),
      ['diagnostics', 'tree'],
    );
  });
});

describe('check', () => {
  test.each(cases.check)('$name', (the) => {
    const compilation = compileCase(the);
    const actual: Actual = new Map([
      ['diagnostics', drawnDiagnostics(compilation)],
      ['explain', explained(compilation)],
    ]);
    compare(the, actual, ['diagnostics', 'explain']);
  });
});

describe('plans', () => {
  test.each(plans)('$name', (the) => {
    compare(the, new Map(Object.entries(checkedPlan(the))), ['diagnostics', 'signature']);
  });

  test('are checked without a throw however they are cut off or changed in one token', () => {
    for (const the of plans) {
      const text = sectionText(the, 'plan') ?? '';
      for (const broken of [...prefixes(text, 8), ...mutations(text, 25)]) {
        const sections = the.sections.map((one) => (one.name === 'plan' ? { ...one, text: broken } : one));
        survives(the, broken, () => checkedPlan({ ...the, sections }));
      }
    }
  });
});

describe('workflows', () => {
  test.each(workflows)('$name', (the) => {
    const { diagnostics, read } = readWorkflow(the);
    const actual = new Map([
      ['diagnostics', diagnostics],
      ['read', read],
    ]);
    compare(the, actual, ['diagnostics', 'read']);
  });

  test('are read without a throw however they are cut off or changed in one token', () => {
    for (const the of workflows) {
      const text = sectionText(the, 'workflow') ?? '';
      for (const broken of [...prefixes(text, 5), ...mutations(text, 12)]) {
        const sections = the.sections.map((one) => (one.name === 'workflow' ? { ...one, text: broken } : one));
        survives(the, broken, () => readWorkflow({ ...the, sections }));
      }
    }
  });
});

const ran = new Map<string, Ran>();

describe.concurrent('run', () => {
  test.each(cases.run)('$name', async (the) => {
    const compilation = compileCase(the);
    const diagnostics = drawnDiagnostics(compilation);
    if (compilation.machine === null) {
      compare(the, new Map([['diagnostics', diagnostics]]), ['diagnostics']);
      expect.unreachable(`${the.path}: the program does not compile\n${diagnostics}`);
      return;
    }
    const came = await runCase(the, compilation.machine, compilation.sources);
    ran.set(the.name, came);
    const actual = new Map<string, string | null>([
      ['diagnostics', diagnostics],
      ['events', came.lines],
      ['result', `${JSON.stringify(came.report)}\n`],
    ]);
    for (const { name } of the.sections) if (name.startsWith('wrote ')) actual.set(name, came.wrote(name.slice(6)));
    compare(the, actual, ['events', 'result']);
  });
});

describe.concurrent('plan-runs', () => {
  test.each(planRuns)('$name', async (the) => {
    const { diagnostics, ran: came, calls, written } = await runPlanCase(the);
    if (came !== null) ran.set(`plans/${the.name}`, came);
    const actual = new Map<string, string | null>([
      ['diagnostics', diagnostics],
      ['calls', calls],
      ['written', written],
      ['result', came === null ? null : `${JSON.stringify(came.report)}\n`],
      ['events', came?.lines ?? null],
    ]);
    for (const { name } of the.sections)
      if (name.startsWith('wrote ')) actual.set(name, came?.wrote(name.slice(6)) ?? null);
    compare(the, actual, came === null ? ['diagnostics'] : ['calls', 'written']);
  });
});

/** Every run is crashed after each of its events, and must come to the same. */
describe('a crashed run of a plan', () => {
  test.each(planRuns)('$name', async ({ name, path }) => {
    const undisturbed = ran.get(`plans/${name}`)?.undisturbed;
    if (undisturbed !== undefined) expect(await crashed(undisturbed), path).toEqual([]);
  });
});

describe('a crashed run', () => {
  test.each(cases.run)('$name', async ({ name, path }) => {
    const undisturbed = ran.get(name)?.undisturbed;
    if (undisturbed !== undefined) expect(await crashed(undisturbed), path).toEqual([]);
  });
});

describe.concurrent('session', () => {
  test.each(sessions)('$name', async (the) => {
    compare(the, new Map([['session', await sessionOf(the)]]), ['session']);
  });
});

describe('format', () => {
  test.each(cases.format)('$name', (the) => {
    const once = formatted(programOf(the));
    compare(the, new Map([['formatted', once]]), ['formatted']);
    expect(formatted({ ...programOf(the), text: once }), 'formatting again changes nothing').toBe(once);
    expect(treeOf({ ...programOf(the), text: once }), 'the tree is the same').toEqual(treeOf(programOf(the)));
  });
});

/** Every valid program formats to itself after one turn, whatever it was written to show. */
describe('every program', () => {
  const short = everything.filter((the) => programOf(the).text.length <= 20_000);
  const written = short.filter((the) => !programOf(the).name.endsWith('.yaml'));

  test('formats to a stable text with the same tree, when it has no syntax error', () => {
    for (const the of written) {
      const program = programOf(the);
      if (parsed(the).broken) continue;
      const once = formatted(program);
      expect(formatted({ ...program, text: once }), the.path).toBe(once);
      expect(treeOf({ ...program, text: once }), the.path).toEqual(treeOf(program));
    }
  });

  test('parses without a throw however it is cut off or changed in one token', () => {
    for (const the of short) {
      const { text } = programOf(the);
      for (const broken of [...prefixes(text, 25), ...mutations(text, 25)])
        survives(the, broken, () => parseAlone(the, broken));
    }
  });

  test('is checked without a throw when it is changed in one token', () => {
    for (const the of short) {
      const { text } = programOf(the);
      for (const broken of [...prefixes(text, 4), ...mutations(text, 8)]) {
        survives(the, broken, () => compile(broken, compileOptions(the)));
      }
    }
  });
});

function survives(the: Case, text: string, action: () => unknown): void {
  try {
    action();
  } catch (error) {
    throw new Error(`${the.path}, changed to:\n${text}\n`, { cause: error });
  }
}

function parseAlone(the: Case, text: string): unknown {
  return treeOf({ ...programOf(the), text });
}

test('every code of the catalogue has a case', async () => {
  const catalogue = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src/source/catalogue');
  for (const name of readdirSync(catalogue)) await import(pathToFileURL(join(catalogue, name)).href);
  const shown = new Set<string>();
  for (const the of [...everything, ...sessions, ...plans, ...workflows, ...planRuns]) {
    for (const { name, text } of the.sections) {
      if (name !== 'diagnostics' && name !== 'session') continue;
      for (const [, code] of text.matchAll(/^(?:error|warning|note)\[([\w-]+)\]/gm)) shown.add(code as string);
    }
  }
  expect([...definedCodes().keys()].filter((code) => !shown.has(code))).toEqual([]);
});
