/** Stopped members, permits, loops that keep failures, and handlers: in a run, and in one that is restored at each step. */
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { answer, receiveSignal } from '../../src/interpreter/run.js';
import { ScriptedProgram } from './scripted-program.js';

const CLOCK = { kind: 'value', value: 1000 } as const;

describe.each([
  { mode: 'as it is', restored: false },
  { mode: 'restored after each step', restored: true },
])('a run $mode', ({ restored }) => {
  const start = (text: string, jobs = 4) => new ScriptedProgram(text, { restored, run: { jobs } });

  test('a join stops what runs inside the other members, and what they did there counts', () => {
    const run = start(`STATE: A
  FOR EACH: x in [1, 2] in PARALLEL [quorum=1]:
    IF: x == 1 → DO: first
    IF: x == 2 → DO: second
    FOR EACH: y in [1, 2] in PARALLEL:
      EMIT: INNER x={x} y={y}
      DO: made {x}{y}
      UNDO: back {x}{y}
      DO: next {x}{y}
  ROLLBACK
  RETURN: {rollback.done}
`);
    run.end('second').end('made 21').end('first').end('made 11').end('made 12');
    expect(run.started).toEqual([
      'first',
      'second',
      'made 21',
      'made 22',
      'next 21',
      'made 11',
      'made 12',
      'next 11',
      'next 12',
    ]);
    run.end('next 12').end('next 11');
    expect(run.stopped).toEqual(['next 21', 'made 22']);
    run.end('back 21').end('back 12').end('back 11');
    expect(run.lines).toEqual([
      'STATE A',
      'EMIT INNER x=1 y=1',
      'EMIT INNER x=1 y=2',
      'EMIT INNER x=2 y=1',
      'EMIT INNER x=2 y=2',
      'RETURN 3',
    ]);
  });

  test('a member that is stopped while it waits for its permit never gets it', () => {
    const run = start(
      `STATE: A
  FOR EACH: x in [1, 2] in PARALLEL [quorum=1]:
    IF: x == 1 → ASK user: "Go?" → go
    DO: work {x}
  DO: in PARALLEL
    - after one
    - after two
  RETURN
`,
      1,
    );
    expect(run.started).toEqual(['ask go', 'work 2']);
    run.answer('ask go', 'yes');
    expect(run.started).toEqual(['ask go', 'work 2']);
    run.end('work 2').end('after one').end('after two');
    expect(run.started).toEqual(['ask go', 'work 2', 'after one', 'after two']);
    expect(run.run.result?.status).toBe('returned');
  });

  test('a member that is stopped starts none of its own members afterwards, and releases its permits', () => {
    const run = start(
      `STATE: A
  DO: in PARALLEL [quorum=1]
    - first
    - FOR EACH: y in [1, 2, 3] in PARALLEL:
        inner {y}
  DO: in PARALLEL
    - after one
    - after two
    - after three
  RETURN
`,
      2,
    );
    run.end('first');
    expect(run.stopped).toEqual(['inner 1']);
    expect(run.started).toEqual(['first', 'inner 1', 'after one', 'after two']);
    run.end('after one').end('after two').end('after three');
    expect(run.lines.at(-1)).toBe('RETURN');
  });

  test('members that were stopped bind nothing, and the others what they printed', () => {
    const run = start(`STATE: A
  DO: in PARALLEL [quorum=2]
    - one = first
    - two = second
    - three = third
  RETURN: {one}-{two}-{three}
`);
    run.end('third', 'c').end('first', 'a');
    expect(run.stopped).toEqual(['second']);
    expect(run.lines.at(-1)).toBe('RETURN a--c');
  });

  test('a failure inside of members is reported once', () => {
    const run = start(`STATE: A
  FOR EACH: x in [1, 2] in PARALLEL:
    FOR EACH: y in [1, 2] in PARALLEL:
      work {x}{y}
  RETURN
`);
    run.fail('work 11').end('work 12').end('work 21').end('work 22');
    const reported = run.events.filter((event) => event.type === 'emitted' && event.event === 'TOOL_FAILURE');
    expect(reported).toHaveLength(1);
    expect(run.lines.at(-1)).toMatch(/^FAILED/);
  });

  test('a failure names each member by its name or id, or as a short text', () => {
    const items = '[{"name": "ann"}, {"id": 7}, {"name": true}, "two  words", "LONG", {"name": null, "id": "x"}]';
    const run = start(`STATE: A
  FOR EACH: x in ${items.replace('LONG', 'l'.repeat(41))} in PARALLEL max=9:
    DO: work {x}
  RETURN
`);
    for (const name of [...run.waiting]) run.fail(name);
    expect(run.run.result?.error?.message).toBe(
      `6 of 6 failed: ann: broken; 7: broken; {"name":true}: broken; two words: broken; ${'l'.repeat(39)}…: broken; x: broken`,
    );
  });

  test('one member that failed has its whole message', () => {
    const run = start(`STATE: A
  FOR EACH: x in ["a", "b"] in PARALLEL max=9:
    DO: work {x}
  RETURN
`);
    run.end('work a').fail('work b', 'm'.repeat(300));
    expect(run.run.result?.error?.message).toBe(`1 of 2 failed: b: ${'m'.repeat(300)}`);
  });

  test('a failure names twenty members, and counts the others', () => {
    const failed = (count: number): string => {
      const run = start(`STATE: A\n  FOR EACH: x in range(${count}) in PARALLEL:\n    work {x}\n  RETURN\n`, 30);
      for (let x = 0; x < count; x++) run.fail(`work ${x}`, 'no');
      return run.lines.at(-1) ?? '';
    };
    expect(failed(20)).toMatch(/20 of 20 failed: 0: no; 1: no; .*19: no$/);
    expect(failed(21)).toMatch(/21 of 21 failed: 0: no; 1: no; .*19: no; and 1 more$/);
  });

  test('the reason why a member bound nothing is forgotten with its state', () => {
    const compared = '  IF: two.n > 1 → RETURN: more\n  RETURN: less\n';
    const members = 'STATE: A\n  DO: in PARALLEL [quorum=1]\n    - one = first\n    - two = second\n';
    const same = start(`${members}  DO: then\n${compared}`);
    expect(same.end('first', '1').end('then').lines.at(-1)).toMatch(/stopped/);
    const other = start(`${members}  GOTO: B\nSTATE: B\n  CHECK: two = other\n${compared}`);
    expect(other.end('first', '1').end('other', 'null').lines.at(-1)).not.toMatch(/stopped/);
    expect(other.lines.at(-1)).toMatch(/FAILED/);
  });

  /** Members that run while a WAIT runs its block. */
  const probed = (indent: string) =>
    [
      'DO: in PARALLEL',
      '  - left one',
      '  - left two',
      'WAIT: now == "ready" OR timeout=30s every=1s',
      '  DO: now = probe',
    ]
      .map((line) => `${indent}${line}`)
      .join('\n');

  test('a turn that fails stops the members that it has started, and no others', () => {
    const run = start(`STATE: A
  DO: in PARALLEL
    - outer one
    - outer two
  WAIT: outside == "ready" OR timeout=30s every=1s
    DO: outside = look
    FOR EACH: x in [1, 2] [on_failure=keep]:
${probed('      ')}
    GOTO: B with failed={len(failures)}
  RETURN: never
STATE: B
  RETURN: {failed}
`);
    run.end('clock', CLOCK).end('look').end('clock', CLOCK).fail('probe');
    expect(run.stopped).toEqual(['left one', 'left two']);
    run.end('clock', CLOCK).fail('probe');
    expect(run.stopped.slice(2)).toEqual(['left one', 'left two', 'outer one', 'outer two']);
    expect(run.lines.at(-1)).toBe('RETURN 2');
  });

  test('a member that fails stops its own members', () => {
    const run = start(`STATE: A
  FOR EACH: x in [1, 2] in PARALLEL [on_failure=keep]:
    IF: x == 1 → FAIL: early
${probed('    ')}
  DO: after
  RETURN
`);
    run.end('clock', CLOCK).fail('probe').end('after');
    expect(run.stopped).toEqual(['left one', 'left two']);
    expect(run.lines.at(-1)).toBe('RETURN');
  });

  test('a handler stops the members that its state has started', () => {
    const run = start(`STATE: A
${probed('  ')}
  RETURN
  ON ERROR: → DO: mend, RETURN: mended
`);
    run.end('clock', CLOCK).fail('probe');
    expect(run.stopped).toEqual(['left one', 'left two']);
    run.end('mend');
    expect(run.lines.at(-1)).toBe('RETURN mended');
  });

  test('the state ERROR stops the members that a state has started', () => {
    const run = start(`STATE: A
${probed('  ')}
  RETURN
STATE: ERROR
  DO: mend
  RETURN: mended
`);
    run.end('clock', CLOCK).fail('probe');
    expect(run.stopped).toEqual(['left one', 'left two']);
    run.end('mend');
    expect(run.lines.at(-1)).toMatch(/^FAILED tool_failure/);
  });

  test('a RETURN and a GOTO stop the members that run', () => {
    const leaving = (how: string) =>
      start(`STATE: A
  DO: in PARALLEL
    - left one
    - left two
  WAIT: now == "ready" OR timeout=30s every=1s
    DO: now = probe
    IF: now == "out" → ${how}
  RETURN: never
STATE: B
  RETURN: B
`);
    for (const [how, value] of [
      ['RETURN: A', 'A'],
      ['GOTO: B', 'B'],
    ] as const) {
      const run = leaving(how).end('clock', CLOCK).end('probe', 'out');
      expect(run.stopped).toEqual(['left one', 'left two']);
      expect(run.lines.at(-1)).toBe(`RETURN ${value}`);
    }
  });

  test('a failure of a member that is left is a warning', () => {
    const run = start(`STATE: A
  DO: in PARALLEL
    - left one
    - left two
  WAIT: now == "ready" OR timeout=30s every=1s
    DO: now = probe
    IF: now == "out" → RETURN: A
  RETURN: never
`);
    run.end('clock', CLOCK).fail('left one').end('probe', 'out');
    expect(run.lines).toEqual(['STATE A', 'WARN member 1 of 2 failed: broken', 'RETURN A']);
  });

  test('a WAIT for something else joins the members when it ends', () => {
    const run = start(`STATE: A
  DO: in PARALLEL
    - one = first
    - two = second
  WAIT: now == "ready" OR timeout=30s every=1s
    DO: now = probe
  DO: in PARALLEL
    - three = third
  RETURN: {one}-{two}-{three}
`);
    run.end('clock', CLOCK).end('first', 'a').end('probe', 'ready');
    expect(run.stopped).toEqual(['second']);
    run.end('third', 'c');
    expect(run.lines.at(-1)).toBe('RETURN a--c');
  });

  test('members that all end before that WAIT does not end it', () => {
    const run = start(`STATE: A
  DO: in PARALLEL
    - one = first
    - two = second
  WAIT: now == "ready" OR timeout=30s every=1s
    DO: now = probe
  RETURN: {one}-{two}-{now}
`);
    run.end('clock', CLOCK).end('first', 'a').end('second', 'b').end('probe', 'ready');
    expect(run.lines.at(-1)).toBe('RETURN a-b-ready');
  });

  test('the timer of a join ends with it', () => {
    const run = start(`STATE: A
  DO: in PARALLEL
    - first
    - second
  WAIT: All 2 complete OR timeout=10s
  DO: after {timed_out}
  RETURN
`);
    run.end('clock', CLOCK).end('first').end('second');
    expect(run.stopped).toEqual(['timer']);
    run.end('after false');
    expect(run.lines.at(-1)).toBe('RETURN');
  });

  test('a member that continues comes before the members of one that starts', () => {
    const run = start(
      `STATE: A
  FOR EACH: x in [1, 2] in PARALLEL:
    FOR EACH: y in [1, 2] in PARALLEL:
      DO: inner {x}{y}
    DO: next {x}
  RETURN
`,
      1,
    );
    const order = ['inner 11', 'inner 12', 'next 1', 'inner 21', 'inner 22', 'next 2'];
    for (const name of order) run.end(name);
    expect(run.started).toEqual(order);
  });

  test('a member lends its permit also to members of members that have a limit of their own', () => {
    const run = start(
      `STATE: A
  FOR EACH: x in [1, 2] in PARALLEL:
    FOR EACH: y in [1, 2] in PARALLEL [max=1]:
      FOR EACH: z in [1, 2] in PARALLEL:
        inner {x}{y}{z}
  RETURN
`,
      1,
    );
    for (let [next] = run.waiting; next !== undefined; [next] = run.waiting) {
      expect(run.waiting).toHaveLength(1);
      run.end(next);
    }
    expect(run.started).toHaveLength(8);
    expect(run.lines.at(-1)).toBe('RETURN');
  });

  test('a member that decides the join starts no other one', () => {
    const run = start(
      'STATE: A\n  DO: in PARALLEL [quorum=1 max=1]\n    - first\n    - second\n  DO: third\n  RETURN\n',
    );
    expect(run.end('first').started).toEqual(['first', 'third']);
  });

  test('a quorum out of reach stops no member of a loop that keeps failures', () => {
    const run = start(`STATE: A
  FOR EACH: x in [1, 2, 3] in PARALLEL [quorum=3 on_failure=keep]:
    DO: work {x}
  RETURN: {len(failures)}
`);
    run.fail('work 2');
    expect(run.waiting).toEqual(['work 1', 'work 3']);
    run.end('work 1').end('work 3');
    expect(run.stopped).toEqual([]);
    expect(run.lines.at(-1)).toBe('RETURN 1');
  });

  test('a member learns why a member before it bound nothing', () => {
    const run = start(`STATE: A
  DO: in PARALLEL [quorum=1]
    - one = first
    - two = second
  FOR EACH: x in [1] in PARALLEL:
    IF: two.n > x → DO: more
    DO: less
  RETURN
`);
    expect(run.end('first', '1').lines.at(-1)).toMatch(/`two` .*stopped/);
  });

  const within = (inner: string): string =>
    `    DO: in PARALLEL
      - outer one
    WAIT: far == "ready" OR timeout=30s every=1s
      DO: far = look
      DO: in PARALLEL
        - inner one
      WAIT: near == "ready" OR timeout=30s every=1s
        DO: near = probe
${inner}`;

  test('members within others stop before them', () => {
    const left = start(`STATE: A
  IF: true →
${within('        IF: near == "out" → GOTO: B')}
STATE: B
  RETURN: B
`);
    left.end('clock', CLOCK).end('look').end('clock', CLOCK).end('probe', 'out');
    expect(left.stopped).toEqual(['inner one', 'outer one']);
    const stopped = start(`STATE: A
  FOR EACH: x in [1, 2] in PARALLEL [quorum=1]:
    IF: x == 2 → DO: second
    IF: x == 1 →
${within('').replaceAll(/^/gm, '  ')}
  RETURN
`);
    stopped.end('clock', CLOCK).end('look').end('clock', CLOCK).end('second');
    expect(stopped.stopped).toEqual(['inner one', 'outer one', 'probe']);
  });

  test('a signal goes to the first that waits for it, and is kept if none does', () => {
    const run = start(`STATE: A
  FOR EACH: x in [1, 2] in PARALLEL:
    WAIT: signal go
    DO: take {x} {go}
  WAIT: signal late
  RETURN: {late}
`);
    run.signal('other', 0).signal('late', 'kept').signal('go', 1);
    expect(run.started.filter((name) => name.startsWith('take'))).toEqual(['take 1 1']);
    run.signal('go', 2).end('take 1 1').end('take 2 2');
    expect(run.lines.at(-1)).toBe('RETURN kept');
  });

  test('a signal does not answer a question of the same name', () => {
    const run = start(`STATE: A
  ASK user: "Go?" → go
  WAIT: signal go
  RETURN: {go}
`);
    run.signal('go', 'signal').answer('ask go', 'answer');
    expect(run.lines.at(-1)).toBe('RETURN signal');
  });

  test('an answer is recorded with the person who gave it, and given once', () => {
    const run = start(`STATE: A
  ASK user: "Go?" → go
  DO: work {go}
  RETURN: {go}
`);
    const ask = run.events.find((event) => event.type === 'asked');
    run.answer('ask go', 'yes');
    expect(run.events.find((event) => event.type === 'answered')).toMatchObject({ by: 'ann', value: 'yes' });
    answer(run.run, ask?.effect ?? '', 'no', 'bob');
    run.end('work yes');
    expect(run.lines.at(-1)).toBe('RETURN yes');
  });

  test('members that continue get their permits in the order of the program, also the tenth and those after it', () => {
    const run = start(
      `STATE: A
  FOR EACH: x in range(12) in PARALLEL:
    ASK user: "{x}?" → go
    DO: work {x} {go}
  RETURN
`,
      1,
    );
    // All questions have the same name, so the last one is the open one.
    const asks = run.events.flatMap((event) => (event.type === 'asked' ? [event.effect] : []));
    for (const x of [0, 10, 2, 1]) answer(run.run, asks[x] ?? '', x, 'ann');
    run.signal('nothing', 0);
    const started = () => run.started.filter((name) => name.startsWith('work'));
    expect(started()).toEqual(['work 0 0']);
    run.end('work 0 0').end('work 1 1').end('work 2 2');
    expect(started().at(-1)).toBe('work 10 10');
  });

  test('a member continues although its own members hold the permit that it lent to them', () => {
    const run = start(
      `STATE: A
  FOR EACH: x in [1, 2] in PARALLEL:
${probed('    ')}
  RETURN
`,
      1,
    );
    run.end('clock', CLOCK);
    expect(run.waiting).toEqual(['left one', 'probe']);
  });

  test('an answer that the world gives is that of the user, and mail is recorded with its position in the inbox', () => {
    const run = start('STATE: A\n  ASK user: "Go?" → go\n  ASK user: "On?" → on\n  RETURN: {go} {on}\n');
    run.end('ask go', { kind: 'value', value: 'yes' });
    answer(run.run, run.run.pending.keys().next().value ?? '', 'no', 'bob', { inbox: 7 });
    receiveSignal(run.run, 'late', 1, 'bob', { inbox: 9 });
    run.signal('after', 0);
    const mail = run.events.filter(({ type }) => type === 'answered' || type === 'signal_received');
    expect(mail).toMatchObject([
      { name: 'go', by: 'user' },
      { name: 'on', by: 'bob', inbox: 7 },
      { name: 'late', by: 'bob', inbox: 9 },
      { name: 'after' },
    ]);
    expect(run.lines.at(-1)).toBe('RETURN "yes no"');
  });

  test('a question that nobody could be asked has failed, and nobody answered it', () => {
    const run = start('STATE: A\n  ASK user: "Go?" → go\n  RETURN: {go}\n');
    run.end('ask go', { kind: 'failed', message: 'no terminal' });
    expect(run.events.filter(({ type }) => type === 'answered')).toEqual([]);
    expect(run.lines.at(-1)).toMatch(/^FAILED .*no terminal/);
  });

  test('an answer to what is no question changes nothing', () => {
    const run = start('STATE: A\n  DO: now = work\n  RETURN: {now}\n');
    answer(run.run, run.run.pending.keys().next().value ?? '', 'mine', 'bob');
    expect(run.run.takeEvents()).toEqual([]);
    expect(run.end('work', 'its own').lines.at(-1)).toBe('RETURN "its own"');
  });

  const settled = (run: ScriptedProgram) => run.events.find((event) => event.type === 'effect_settled')?.outcome;

  test('what a command prints is no report of an agent', () => {
    const run = start('STATE: A\n  DO: now = work\n  RETURN: over\n');
    run.end('work', '{"type": "result", "result": "x", "total_cost_usd": 5, "session_id": "s1"}');
    expect(settled(run)).not.toHaveProperty('cost');
    expect(run.run.usage.cost).toBe(0);
  });

  test.each(['exited', 'timed-out'])('the record has no text of %s that is in its artifact', (kind) => {
    const run = start('STATE: A\n  DO: now = work\n  RETURN: {now}\n  ON ERROR: → RETURN: late\n');
    const stdout = { text: 'long', bytes: 4, artifact: 'a1' };
    run.end('work', { kind, exit: 0, timeout_ms: 5, stdout, stderr: '', duration_ms: 1 } as Outcome);
    expect(settled(run)).toMatchObject({ kind, stdout: { artifact: 'a1', bytes: 4 } });
    expect(settled(run)).not.toHaveProperty('stdout.text');
    expect(run.lines.at(-1)).toBe(`RETURN ${kind === 'exited' ? 'long' : 'late'}`);
  });
});
