/** A run that is resumed: deadlines and limits are those of the whole run, and only what failed is done again. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { until } from '../harness/until.js';
import { type ProjectFolder, projectFolder, type Result } from './statedsl.js';

/** Commands of this process see another time of day from now on. Timers are real. */
function setTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: ms });
}

/** For commands of this process, so much time passes at once. */
function pass(ms: number): void {
  const now = process.hrtime.bigint.bind(process.hrtime);
  vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => now() + BigInt(Math.floor(ms)) * 1_000_000n);
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const reportOf = ({ stdout, stderr }: Result) => {
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
};

const logOf = ({ folder }: ProjectFolder): string[] => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');

describe('time', () => {
  test('a WAIT ends at its point in time, even if no process executed the run meanwhile', async () => {
    const one = projectFolder({ 'p.dsl': 'WAIT: 1h\nRETURN: waited\n' });
    const { waiting } = reportOf(await one.run(['run', 'p.dsl', '--suspend-after', '100ms', '--json']));
    expect((await one.run(['resume', '--json'])).code, 'it is too early').toBe(75);
    setTime(waiting[0].until);
    const late = ['resume', '--suspend-after', '100ms', '--json'];
    expect(reportOf(await one.run(late))).toMatchObject({ status: 'returned', returned: 'waited' });
  });

  test('a resumed WAIT waits for the remaining time', async () => {
    const one = projectFolder({ 'p.dsl': 'WAIT: 1h\nRETURN: waited\n' });
    const suspended = ['--suspend-after', '0ms', '--json'];
    const { waiting } = reportOf(await one.run(['run', 'p.dsl', ...suspended]));
    expect(reportOf(await one.run(['resume', ...suspended]))).toMatchObject({ waiting });
    const begun = performance.now();
    const laterMs = waiting[0].until - Date.now() - 300;
    const report = reportOf(await one.run(['resume', '--suspend-after', '30m', '--json'], { laterMs }));
    expect(report).toMatchObject({ status: 'returned', returned: 'waited' });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(290);
  });

  test('an answer that did not come in time is the default, and the record says so', async () => {
    const one = projectFolder({
      'p.dsl': 'ASK user: "Go?" → go choices=yes,no default=no deadline=1h\nRETURN: {go}\n',
    });
    const { run_id, waiting } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    expect(waiting[0]).toMatchObject({ kind: 'ask', name: 'go' });
    expect((await one.run(['answer', run_id, 'go=perhaps'])).code).toBe(2);
    expect((await one.run(['answer', run_id, 'stop=yes'])).code).toBe(2);
    setTime(Date.now() + 3_600_000);
    expect(reportOf(await one.run(['resume', '--json']))).toMatchObject({ status: 'returned', returned: 'no' });
    expect(readFileSync(join(one.folder, '.statedsl/runs', run_id, 'journal.ndjson'), 'utf8')).toContain(
      '"by":"deadline"',
    );
    expect((await one.run(['answer', run_id, 'go=yes'])).code).toBe(2);
  });

  test('a time limit counts only while a process executes the run', async () => {
    const one = projectFolder({
      'p.dsl': 'LIMIT: time=1h\nASK user: "Go?" → go\nRETURN: {go}\n',
    });
    const { run_id } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    setTime(Date.now() + 3_600_000);
    expect(reportOf(await one.run(['answer', run_id, 'go=yes', '--json']))).toMatchObject({ returned: 'yes' });
  });

  test('a limit of time is not begun anew', async () => {
    const one = projectFolder({
      'p.dsl':
        'LIMIT: time=1h\nDO: touch a; until [ -e b ]; do sleep 0.02; done\nASK user: "Go?" → go\nDO: [ -e c ] || sleep 600\nRETURN: {go}\n',
    });
    const begun = process.hrtime.bigint();
    const running = one.run(['run', 'p.dsl', '--json']);
    await until(() => existsSync(join(one.folder, 'a')));
    // All but half a second of the hour has passed.
    pass(3_599_500 - Number(process.hrtime.bigint() - begun) / 1e6);
    one.file('b', '');
    const { run_id } = reportOf(await running);
    expect(reportOf(await one.run(['answer', run_id, 'go=yes', '--json'])).error).toMatchObject({ kind: 'limit' });
    const refused = await one.run(['resume', run_id]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--timeout');
    one.file('c', '');
    expect(reportOf(await one.run(['resume', run_id, '--timeout', '2h', '--json']))).toMatchObject({
      returned: 'yes',
    });
  });
});

describe('limits are those of the whole run', () => {
  const text = `STATE: A
  TRACK: n
  INCREMENT: n
  DO: echo {n} >> log
  IF: n == 2 → GOTO: ASKING
  IF: n >= 5 → RETURN: {n}
  GOTO: A
STATE: ASKING
  ASK user: "Go?" → go
  GOTO: A
`;

  test('transitions', async () => {
    const one = projectFolder({ 'p.dsl': `LIMIT: transitions=4\n${text}` });
    const { run_id } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    expect(reportOf(await one.run(['answer', run_id, 'go=yes', '--json'])).error.kind).toBe('limit');
    expect(logOf(one)).toEqual(['1', '2', '3', '4']);
    expect((await one.run(['resume', run_id])).code).toBe(2);
    expect((await one.run(['resume', run_id, '--max-transitions', '4'])).code).toBe(2);
    const { returned, states } = reportOf(await one.run(['resume', run_id, '--max-transitions', '9', '--json']));
    expect(returned).toBe(5);
    expect(states).toEqual(['A', 'A', 'ASKING', 'A', 'A', 'A']);
    expect(logOf(one), 'nothing is done twice').toEqual(['1', '2', '3', '4', '5']);
  });

  test('cost and tokens', async () => {
    const agent = `#!/bin/sh
echo "$STATEDSL_EFFECT_ID" >> log
echo '{"type":"result","result":"ok","total_cost_usd":0.6,"usage":{"input_tokens":10,"output_tokens":5}}'
`;
    const config = 'agents:\n  dear:\n    adapter: command\n    run: ["./agent"]\n';
    const one = projectFolder({
      'p.dsl':
        'LIMIT: cost=1\nDO: a = Task(dear) "One."\nASK user: "Go?" → go\nDO: b = Task(dear) "Two."\nRETURN: {a} {b}\n',
      agent,
      'statedsl.config.yaml': config,
    });
    chmodSync(join(one.folder, 'agent'), 0o755);
    const { run_id, cost } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    expect(cost).toBe(0.6);
    const over = reportOf(await one.run(['answer', run_id, 'go=yes', '--json']));
    expect(over).toMatchObject({ status: 'failed', cost: 1.2, error: { kind: 'limit' } });
    expect((await one.run(['resume', run_id])).stderr).toContain('--max-cost');
    const report = reportOf(await one.run(['resume', run_id, '--max-cost', '3', '--json']));
    expect(report).toMatchObject({ returned: 'ok ok', cost: 1.2, tokens: { in: 20, out: 10 } });
    expect(logOf(one)).toHaveLength(2);
  });
});

describe('a failed run', () => {
  const text = `STATE: A
  DO: echo first >> log
  DO: in PARALLEL
    - x = echo fine >> log; echo 1
    - y = echo bad >> log; [ -e good ]; cat good
  DO: echo last >> log; [ -e better ]
  RETURN: {x} {y}
STATE: ERROR
  DO: echo error >> log
  RETURN: {error_type}
`;

  test('does again what failed, and nothing else, however often', async () => {
    const one = projectFolder({ 'p.dsl': text });
    const { run_id, status } = reportOf(await one.run(['run', 'p.dsl', '--json', '--jobs', '1']));
    expect(status).toBe('failed');
    expect(logOf(one)).toEqual(['first', 'fine', 'bad', 'error']);
    const asked = await one.run(['resume', '--json']);
    expect(asked.code, 'ERROR has done something').toBe(2);
    expect(asked.stderr).toContain('--again');
    expect(reportOf(await one.run(['resume', '--json', '--again'])).status).toBe('failed');
    expect(logOf(one)).toEqual(['first', 'fine', 'bad', 'error', 'bad', 'error']);
    one.file('good', '2');
    expect(reportOf(await one.run(['resume', '--json', '--again'])).status).toBe('failed');
    expect(logOf(one).slice(6)).toEqual(['bad', 'last', 'error']);
    one.file('better', '');
    const report = reportOf(await one.run(['resume', '--json', '--again']));
    expect(report).toMatchObject({ status: 'returned', returned: '1 2', states: ['A'] });
    expect(logOf(one).slice(9)).toEqual(['last']);
    const again = await one.run(['resume', run_id]);
    expect(again.code, 'it is told again').toBe(0);
    expect(again.stdout).toBe('1 2\n');
    expect((await one.run(['replay', run_id])).code, 'the record fits its program').toBe(0);
  });
});

describe('a run that failed while members waited for a permit', () => {
  const text = `STATE: A
  FOR EACH: i in range(4) in PARALLEL [max=1]
    FOR EACH: j in range(2) in PARALLEL [max=1]
      DO: echo {i}{j} >> log; [ {i}{j} != 10 ] || [ -e good ]
  RETURN: done
`;

  test('repeats what failed, and nothing after it', async () => {
    const one = projectFolder({ 'p.dsl': text });
    expect(reportOf(await one.run(['run', 'p.dsl', '--json'])).status).toBe('failed');
    const all = ['00', '01', '10', '11', '20', '21', '30', '31'];
    expect(logOf(one)).toEqual(all);
    expect(reportOf(await one.run(['resume', '--json'])).status).toBe('failed');
    one.file('good', '');
    const { run_id, status } = reportOf(await one.run(['resume', '--json']));
    expect(status).toBe('returned');
    expect(logOf(one)).toEqual([...all, '10', '10']);
    expect((await one.run(['replay', run_id])).code, 'the record fits its program').toBe(0);
  });
});

describe('an edited program', () => {
  const text = `STATE: A
  TRACK: n = 1
  DO: word = echo one
  ASK user: "Go?" → go
  EMIT: SAID word={word}
  GOTO: B
STATE: B
  DO: [ -e good ]
  RETURN: {n}
`;

  test('resumes where it was, even if lines moved and states differ', async () => {
    const one = projectFolder({ 'p.dsl': text });
    const { run_id } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    const longer = text.replace('GOTO: B', 'GOTO: C with x=2').replace('STATE: A', '# Moved.\n\nSTATE: A');
    one.file('q.dsl', `${longer}STATE: C\n  DO: echo x\n  GOTO: B\n`);
    await one.run(['answer', run_id, 'go=yes', '--no-resume']);
    const failed = reportOf(await one.run(['resume', run_id, '--from-file', 'q.dsl', '--json']));
    expect(failed).toMatchObject({ status: 'failed', states: ['A', 'C', 'B'] });
    one.file('good', '');
    expect(reportOf(await one.run(['resume', run_id, '--json']))).toMatchObject({
      returned: 1,
      states: ['A', 'C', 'B'],
    });
    expect(reportOf(await one.run(['show', run_id, '--json']))).toMatchObject({
      status: 'returned',
      states: ['A', 'C', 'B'],
    });
  });

  test('is refused with a list of what it lacks', async () => {
    const one = projectFolder({ 'p.dsl': text });
    const { run_id } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    one.file('q.dsl', text.replaceAll('word', 'term').replaceAll('n = 1', 'm = 1').replace('{n}', '{m}'));
    const { code, stderr } = await one.run(['resume', run_id, '--from-file', 'q.dsl']);
    expect(code).toBe(2);
    expect(stderr).toContain('a value for `term`, which line 5 reads');
    expect(stderr).toContain('a value for `m`, which line 9 reads');
    expect(stderr).toContain(`statedsl replay ${run_id} --from A --from-file q.dsl`);
    one.file('r.dsl', text.replaceAll('STATE: A', 'STATE: Z'));
    expect((await one.run(['resume', run_id, '--from-file', 'r.dsl'])).stderr).toContain('the state `A`');
    expect(reportOf(await one.run(['show', run_id, '--json'])).status, 'nothing changed').toBe('suspended');
  });
});

describe('replay', () => {
  const text = `STATE: A
  TRACK: n
  INCREMENT: n
  DO: x = echo "a {n}" >> log; date +%N
  IF: n < 3 → GOTO: A
  GOTO: B
STATE: B
  DO: echo b >> log
  RETURN: {n}
`;

  test('compares, and reports the first event that differs', async () => {
    const one = projectFolder({ 'p.dsl': text });
    const { run_id } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    expect((await one.run(['replay', run_id])).code).toBe(0);
    expect(logOf(one)).toHaveLength(4);
    one.file('p.dsl', text.replace('n < 3', 'n < 2'));
    const { code, stderr } = await one.run(['run', 'p.dsl', '--replay']);
    expect(code).toBe(1);
    expect(stderr).toContain('drift');
    expect(logOf(one), 'nothing was executed').toHaveLength(4);
  });

  test.each([
    ['B', ['b']],
    ['A#3', ['a 3', 'b']],
    ['A', ['a 1', 'a 2', 'a 3', 'b']],
  ])('continues from %s in a new run', async (point, done) => {
    const one = projectFolder({ 'p.dsl': text });
    const { run_id } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    const before = readFileSync(join(one.folder, '.statedsl/runs', run_id, 'journal.ndjson'), 'utf8');
    const again = reportOf(await one.run(['replay', run_id, '--from', point, '--json']));
    expect(again).toMatchObject({ status: 'returned', returned: 3, states: ['A', 'A', 'A', 'B'] });
    expect(again.run_id).not.toBe(run_id);
    expect(logOf(one).slice(4)).toEqual(done);
    expect(readFileSync(join(one.folder, '.statedsl/runs', run_id, 'journal.ndjson'), 'utf8')).toBe(before);
    expect((await one.run(['replay', again.run_id])).code).toBe(0);
  });

  test('refuses a point that is none', async () => {
    const one = projectFolder({ 'p.dsl': text });
    const { run_id } = reportOf(await one.run(['run', 'p.dsl', '--json']));
    for (const point of ['C', 'A#4', '0', '1', '999', '#', 'A#0'])
      expect((await one.run(['replay', run_id, '--from', point])).code, point).toBe(2);
  });
});
