/** Calls of tools by hand: what is requested, which try comes next, and what a restored run asks for again. */
import { describe, expect, test } from 'vitest';
import { agentLookup } from '../../src/app/project/settings.js';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { noConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { printed } from './machine-builder.js';
import { ScriptedProgram } from './scripted-program.js';

const agents = { worker: { adapter: 'fake' } };
const lookups = { agents: agentLookup({ ...noConfiguration, agents } as typeof noConfiguration, {}) };
const TOOLS = `
plain: { run: [plain] }
alone: { run: [alone], idempotent: false }
sorted: { run: [sorted], idempotent: true, failure: "†state.no" }
coded: { run: [coded], outcomes: { "3": †state.no } }
asked: { agent: worker, prompt: "Count.", schema: { _output: { type: number } } }
`;
const value = (is: unknown) => ({ kind: 'value', value: is }) as Outcome;

describe.each([
  { mode: 'as it is', restored: false },
  { mode: 'restored after each step', restored: true },
])('a call in a run $mode', ({ restored }) => {
  const start = (text: string) => new ScriptedProgram(text, { restored, lookups, files: { 'tools.yaml': TOOLS } });

  test('a request says whether it may be made twice, and which exit codes are results', () => {
    const run = start(`STATE: A
  CALL: plain → †state.one
  CALL: alone → †state.two
  CALL [once]: plain → †state.three
  CALL: coded → †state.yes || †state.no
  RETURN
`);
    for (const name of ['plain', 'alone', 'plain']) run.end(`tool ${name}`, value(1));
    expect(run.toolCalls.map(({ once }) => once)).toEqual([false, true, true, false]);
    expect(run.toolCalls.map(({ ok }) => ok)).toEqual([[0], [0], [0], [0, 3]]);
  });

  test('a failure goes to the path that its tool names, and a limit of time says which one it was', () => {
    const text = 'STATE: A\n  CALL: sorted → †state.yes || †state.no || †state.other\n  RETURN: {†state}\n';
    expect(
      start(text)
        .end('tool sorted', printed('', 1, 'broken'))
        .lines.at(-1),
    ).toMatchInlineSnapshot(`"RETURN {"no":{"code":1,"message":"broken"}}"`);
    const said = (stderr: string) =>
      start(text)
        .end('tool sorted', printed('', 4, stderr))
        .lines.at(-1);
    for (const [stderr, message] of [
      ['broken\n', 'broken'],
      ['a\nb\n\n', 'a\\nb\\n'],
      ['', 'exit 4'],
      ['\n', 'exit 4'],
    ] as const)
      expect(said(stderr)).toBe(`RETURN {"no":{"code":4,"message":"${message}"}}`);
    expect(start(text).end('tool sorted', value(1)).lines.at(-1)).toMatchInlineSnapshot(`"RETURN {"yes":1}"`);
    const late = (more: object) =>
      ({ ...printed(''), kind: 'timed-out', timeout_ms: 5000, ...more }) as unknown as Outcome;
    const ended = (more: object) =>
      start('STATE: A\n  CALL: plain → †state.one\n').end('tool plain', late(more)).lines.at(-1);
    expect(ended({})).toMatchInlineSnapshot(`"FAILED timeout: it took longer than 5000 ms"`);
    expect(ended({ silent: { heard: 'half' } })).toMatchInlineSnapshot(
      `"FAILED timeout: it was silent for 5s; last heard: half"`,
    );
  });

  test('a further try waits as long as the program says', () => {
    const run = start('STATE: A\n  CALL [retry=1/5s]: plain → †state.one\n  RETURN: {†state.one}\n');
    run.end('tool plain', printed('', 1, 'no')).end('tool plain', value(7));
    expect(run.toolCalls.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 0],
      [2, 5000],
    ]);
    expect(run.lines.at(-1)).toBe('RETURN 7');
  });

  test('an agent is asked once more for a usable answer, and told if its process ended before', () => {
    const run = start('STATE: A\n  CALL: asked → †state.n\n  RETURN: {†state.n}\n');
    const again = () => run.repeated.map((request) => ('again' in request ? request.again : null));
    if (restored) expect(again()).toEqual([true]);
    run.end('agent worker', 'many');
    expect(run.calls[1]?.prompt).toMatch(/cannot be used/);
    expect(run.calls[1]?.again).toBeUndefined();
    if (restored) {
      expect(again()).toEqual([true]);
      expect(run.repeated).toMatchObject([{ prompt: run.calls[1]?.prompt }]);
    }
    run.end('agent worker', '12');
    expect(run.lines.at(-1)).toBe('RETURN 12');
  });

  test('a member sees what was written before its fork, and what it has written itself', () => {
    const run = start(`STATE: A
  CALL: plain → †state.before
  DO: in PARALLEL
    - FOR EACH: y in [1]:
        CALL: plain → †state.own
        DO: use {†state.before} {†state.own}
    - other
  RETURN: {†state.own}
`);
    run.end('tool plain', value(1)).end('tool plain', value(2));
    expect(run.started.at(-1)).toBe('use 1 2');
    run.end('use 1 2').end('other');
    expect(run.lines.at(-1)).toBe('RETURN 2');
  });
});
