/** `--only` by its events: which requests belong to the part, where the run stops, and what is said about it. */
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import type { Machine } from '../../src/machine/machine.js';
import { OnlyPart } from '../../src/runtime/run/only-part.js';
import { nameOf, ScriptedProgram } from '../interpreter/scripted-program.js';

const TEXT = `STATE: A
  DO: one
  GOTO: B
STATE: B
  DO: two
  STEP: s
    DO: three
    GATE: bash "four"
  STEP: s-too
    DO: five
  GOTO: C
STATE: C
  DO: six
  RETURN
`;

/** How each request of the run is judged until it is stopped, and how the part has ended. */
function followed(name: string, text = TEXT): string {
  const run = new ScriptedProgram(text, { restored: false, clockMs: 1000 });
  for (let [next] = run.waiting; next !== undefined; [next] = run.waiting) {
    if (/^(?:ask|signal)/.test(next)) break;
    run.end(next);
  }
  const part = new OnlyPart(name, compile(text).machine as Machine, undefined);
  const judged: string[] = [];
  for (const event of run.events) {
    if (part.signal.aborted) break;
    part.take(event);
    const request = run.requests.find((one) => event.type === 'effect_requested' && one.effect === event.effect);
    if (request !== undefined && !part.signal.aborted && request.kind !== 'clock')
      judged.push(`${nameOf(request)} ${part.judge(request)}`);
  }
  const { status, message } = part.report(run.run.result !== null && !part.signal.aborted) ?? {};
  return `${judged.join(', ')}: ${part.signal.aborted ? 'stopped' : 'not stopped'}, ${status} ${message ?? ''}`.trim();
}

test('a state is what is requested between its beginning and the next state', () => {
  expect(followed('A')).toMatchInlineSnapshot(`"one own: stopped, done"`);
  expect(followed('B')).toMatchInlineSnapshot(`"one before, two own, three own, four own, five own: stopped, done"`);
  expect(followed('C')).toMatchInlineSnapshot(
    `"one before, two before, three before, four free, five before, six own: not stopped, done"`,
  );
});

test('a step is what is requested until it is completed, and no step whose name begins alike', () => {
  expect(followed('s')).toMatchInlineSnapshot(`"one before, two before, three own, four own: stopped, done"`);
  expect(followed('B/s-too')).toMatchInlineSnapshot(
    `"one before, two before, three before, four free, five own: stopped, done"`,
  );
});

test('what only a person can answer is refused before the part, and a run may end before it', () => {
  expect(followed('C', TEXT.replace('  DO: two', '  ASK user: "Go?" → go'))).toMatchInlineSnapshot(
    `"one before: stopped, refused \`ASK: go\` comes before \`C\`, and cannot be remembered"`,
  );
  expect(followed('C', TEXT.replace('  DO: two', '  WAIT: signal go'))).toMatchInlineSnapshot(
    `"one before: stopped, refused \`WAIT: signal go\` in line 5 comes before \`C\`, and cannot be remembered"`,
  );
  expect(followed('C', TEXT.replace('  DO: two', '  IF: 1 == 1 → RETURN'))).toMatchInlineSnapshot(
    `"one before: not stopped, not_reached the run ended before it came to \`C\`"`,
  );
  expect(followed('B', TEXT.replace('  DO: two', '  ASK user: "Go?" → go'))).toMatchInlineSnapshot(
    `"one before: not stopped, undefined"`,
  );
});
