import { expect, test } from 'vitest';
import { plain } from '../../src/views/drawing/paint.js';
import { drawDryRun } from '../../src/views/dry-run.js';
import { machine } from './machine-fixture.js';

test('inputs, limits, states, and instructions with their class', () => {
  const inputs = new Map([['token', 'hush']]);
  const text = drawDryRun({ machine, inputs, limits: { ...machine.limits, cost: 5 }, start: 'PLAN' }, plain);
  expect(text).toBe(
    `machine plan
  inputs
    objective  required
    limit      = 20 by default
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
