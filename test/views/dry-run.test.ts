import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { plain } from '../../src/views/drawing/paint.js';
import { drawDryRun } from '../../src/views/dry-run.js';
import { machine } from './machine-fixture.js';

test('inputs, limits, states, and instructions with their class', () => {
  const inputs = new Map<string, string | number>([
    ['token', 'hush'],
    ['limit', 5],
  ]);
  const printed = { limit: '5.0' };
  const text = drawDryRun({ machine, inputs, printed, limits: { ...machine.limits, cost: 5 }, start: 'PLAN' }, plain);
  expect(text).toBe(
    `machine plan
  inputs
    objective  required
    limit      = 5.0
    token      = *** (string; secret)
    mode       = "fast" by default (string; one of fast, slow)
  tracked  count
  limits   transitions 50, time 2h, cost $5.00, tokens none, each effect none

→ PLAN (starts here; entry values why)
   10  pure      TRACK count
   11  pure      INCREMENT count
   12  control   IF count < 5
                 reads count (tracked)
   13  control   GOTO PLAN
   15  control   GOTO WORK

→ WORK
   20  command   make {x} [timeout=30s retry=2 once]
   21  control   RETURN
   22  control   GOTO PLAN
  handles timeout

→ ERROR (entry values error_type)
   30  control   RETURN, failed
`,
  );
});

test('a long program is shown without what starts nothing, unless all is wanted', () => {
  const many = Array.from({ length: 300 }, (_, at) => `  SET: x = x + ${at}`).join('\n');
  const { machine: long } = compile(`STATE: A\n  TRACK: x\n${many}\n  DO: make -s {x}\n  RETURN\n`, {
    name: 'long.dsl',
  });
  if (long === undefined || long === null) throw new Error('it does not compile');
  const dry = { machine: long, inputs: new Map(), limits: long.limits, start: 'A' };
  const short = drawDryRun(dry, plain);
  expect(short.length).toBeLessThan(4000);
  expect(short).toContain('make -s {x}');
  expect(short).toContain('--verbose prints everything');
  expect(drawDryRun(dry, plain, true).split('\n').length).toBeGreaterThan(300);
});
