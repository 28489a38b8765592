import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openRuns } from '../../src/index.js';
import { journalStart, readJournal } from '../../src/runtime/store/read-journal.js';
import { openStoredRun } from '../../src/runtime/store/stored-run.js';
import { type Body, debugging } from './debug-client.js';

const LOOP = `INPUT: top = 3
INPUT: key = "swordfish" (secret)

PATTERN: Bump with by
  SET: doubled = by * 2
  INCREMENT: n by {by}

STATE: Start
  TRACK: n = 0
  TRACK: doubled = 0
  # a comment
  USE: Bump with by=1
  CHECK: out = echo hello {n}
  IF: n >= top → GOTO: Done with last={out}
  GOTO: Start

STATE: Done
  EMIT: finished [last={last}]
  RETURN: {n}

STATE: Never
  RETURN: 1
`;

const FAILING = `STATE: Start
  TRACK: tries = 0
  DO: false
  RETURN: 1
`;

describe('a run that is executed', () => {
  test('stops on entry, at lines, and steps over, into and out of patterns', async () => {
    const one = await debugging({ 'loop.dsl': LOOP });
    const set = await one.launch({ program: 'loop.dsl', inputs: { top: 2 }, stopOnEntry: true }, { 'loop.dsl': [13] });
    expect(set).toMatchObject([{ verified: true, line: 13 }]);
    expect(await one.stop()).toMatchObject({ reason: 'entry', stack: ['Start:9'] });
    expect(await one.moves('next', 'next', 'stepIn', 'stepIn', 'stepOut')).toEqual([
      'step Start:10',
      'step Start:12',
      'step Bump:5',
      'step Bump:6',
      'breakpoint Start:13',
    ]);
    const at = await one.move('next');
    expect(at).toMatchObject({ reason: 'step', stack: ['Start:14'] });
    expect(at?.scopes).toMatchObject({
      Locals: { out: '"hello 1"' },
      Tracked: { n: '1', doubled: '2' },
      Inputs: { top: '2', key: '"***"' },
    });
    expect(await one.moves('next', 'next', 'next', 'next')).toEqual([
      'step Start:15',
      'step Start:9',
      'step Start:10',
      'step Start:12',
    ]);
    const inside = await one.move('stepIn');
    expect(inside?.stack).toEqual(['Bump:5', 'Start:12']);
    expect(inside?.scopes.Parameters).toEqual({ by: '1' });
    expect(await one.moves('continue', 'continue')).toEqual(['breakpoint Start:13', 'end']);
    expect(one.events.find(({ event }) => event === 'exited')?.body).toEqual({ exitCode: 0 });
    expect(one.printed).toContain('EMIT finished last=hello 2');
    expect(one.outputs.at(-1)).toMatchObject({ category: 'stdout', output: '2\n' });
  });

  test('a restart begins another run with the same breakpoints, and the first one can be resumed', async () => {
    const one = await debugging({ 'loop.dsl': LOOP });
    await one.launch({ program: 'loop.dsl', inputs: { top: 2 }, stopOnEntry: false }, { 'loop.dsl': [13] });
    expect(await one.stop()).toMatchObject({ reason: 'breakpoint', stack: ['Start:13'] });
    await one.ask('restart', {});
    expect(await one.stop()).toMatchObject({
      reason: 'breakpoint',
      stack: ['Start:13'],
      scopes: { Tracked: { n: '1' } },
    });
    await one.ask('restart', { arguments: { inputs: { top: 1 } } });
    expect(await one.stop()).toMatchObject({ stack: ['Start:13'], scopes: { Inputs: { top: '1' } } });
    expect(one.events.some(({ event }) => event === 'terminated' || event === 'exited')).toBe(false);
    expect(await one.moves('continue')).toEqual(['end']);
    const runs = await openRuns({ folder: one.folder }).list({});
    expect(runs.ok && runs.value.runs.map(({ status }: { status: string }) => status).sort()).toEqual([
      ...['interrupted', 'interrupted', 'returned'],
    ]);
  });

  test.each([
    [{ inputs: 5 }, '`inputs` is not an object'],
    [{ env: ['A=1'] }, '`env` is not an object'],
    [{ jobs: 0 }, '`jobs` is not a number from 1'],
    [{ worktree: 'no' }, '`worktree` is not true or false'],
    [{ program: '.' }, /it is a directory/],
    [{ run: 'x', at: [] }, '`at` is not the number of an event, or a state'],
  ])('a launch with %j is refused', async (more, why) => {
    const one = await debugging({ 'loop.dsl': LOOP });
    expect(await one.refusal('statedsl/goto', { seq: 2 })).toBe('the run has not begun');
    expect(await one.refusal('launch', { program: 'loop.dsl', ...more })).toMatch(why);
  });

  test.each([
    ['stackTrace', { source: null }, 'the `source` of `stackTrace` is not an object'],
    ['setBreakpoints', { source: 5 }, 'the `source` of `setBreakpoints` is not an object'],
    ['setBreakpoints', { source: {}, breakpoints: [{}] }, 'each element of `breakpoints` needs `line`, a number'],
    ['setFunctionBreakpoints', { breakpoints: [{ name: 5 }] }, 'each element of `breakpoints` needs `name`, a text'],
    ['setDataBreakpoints', { breakpoints: [{ dataId: {} }] }, 'each element of `breakpoints` needs `dataId`, a text'],
    ['attach', null, '`run` is the id of a run, or the beginning of it'],
  ])('a request %s with %j is refused in words', async (command, given, why) => {
    const one = await debugging({ 'loop.dsl': LOOP });
    expect(await one.refusal(command, given as object)).toBe(why);
  });

  test('a frame begins again in a new run, and the old one can be resumed', async () => {
    const one = await debugging({ 'loop.dsl': LOOP });
    await one.launch({ program: 'loop.dsl', inputs: { top: 2 } }, { 'loop.dsl': [6] });
    await one.stop();
    expect(await one.move('continue')).toMatchObject({
      stack: ['Bump:6', 'Start:12'],
      scopes: { Tracked: { n: '1' } },
    });
    const frames = async () => (await one.ask('stackTrace', { threadId: 1 })).stackFrames;
    const again = async (frameId: number) => {
      await one.ask('restartFrame', { frameId });
      return one.stop();
    };
    expect(await again((await frames())[0].id)).toMatchObject({ stack: ['Bump:5', 'Start:12'] });
    expect(await one.moves('next', 'stepOut')).toEqual(['breakpoint Bump:6', 'step Start:13']);
    expect(await again((await frames())[0].id)).toMatchObject({ stack: ['Start:9'], scopes: { Tracked: { n: '1' } } });
    await one.breakpoints('loop.dsl', []);
    expect(await one.moves('continue')).toEqual(['end']);
    expect(one.outputs.at(-1)).toMatchObject({ output: '2\n' });
    const runs = await openRuns({ folder: one.folder }).list({});
    expect(runs.ok && runs.value.runs.map(({ status }: { status: string }) => status)).toEqual([
      ...['returned', 'interrupted', 'interrupted'],
    ]);
  });

  test('a line without code moves, or says why it cannot', async () => {
    const one = await debugging({ 'loop.dsl': LOOP, 'other.dsl': FAILING });
    const set = await one.launch({ program: 'loop.dsl' }, { 'loop.dsl': [11, 8, 3, 22, 2, 99, 21], 'other.dsl': [3] });
    expect(set.map(({ verified, line, message }: Body) => (verified ? line : message))).toEqual([
      12,
      9,
      'an empty line with no action below it in its block',
      'this state is never reached',
      'no action stands here, nor below it in the same block',
      'the file has 23 lines',
      'this state is never reached',
      'this file is not a part of the program that runs',
    ]);
    const [first] = await one.breakpoints('loop.dsl', [{ line: 14, column: 30 }]);
    expect(first).toMatchObject({ verified: true, line: 14, column: 18 });
    const { breakpoints } = await one.ask('breakpointLocations', { source: { path: one.path('loop.dsl') }, line: 14 });
    expect(breakpoints.map(({ column }: Body) => column)).toEqual([3, 18]);
  });

  test('conditions, hit counts and log points', async () => {
    const one = await debugging({ 'loop.dsl': LOOP });
    const set = await one.launch(
      { program: 'loop.dsl', inputs: { top: 9 } },
      {
        'loop.dsl': [
          { line: 13, condition: 'n == 3' },
          { line: 12, hitCondition: '% 4' },
          { line: 6, logMessage: 'by {by} from {n}', condition: 'n > 6' },
          { line: 15, condition: 'nn == 1' },
          { line: 15, hitCondition: 'often' },
          { line: 14, condition: 'top / (n - 7) > 100' },
        ],
      },
    );
    expect(set.map(({ verified, message }: Body) => message ?? verified)).toEqual([
      true,
      true,
      true,
      'nothing binds `nn` in state `Start`',
      '`often` is not a hit count: write `5`, `>= 5` or `% 5`',
      true,
    ]);
    const at = await one.stop();
    expect(at).toMatchObject({ reason: 'breakpoint', stack: ['Start:13'], hit: [set[0].id] });
    expect(at?.scopes.Tracked?.n).toBe('3');
    expect((await one.move('continue'))?.hit).toEqual([set[1].id]);
    const failed = await one.move('continue');
    expect(failed?.stack).toEqual(['Start:14']);
    expect(failed?.text).toMatch(/^the condition `top \/ \(n - 7\) > 100` failed: /);
    expect(await one.moves('continue', 'continue')).toEqual(['breakpoint Start:12', 'end']);
    expect(one.outputs.filter(({ output }) => output.startsWith('by'))).toMatchObject([
      { output: 'by 1 from 7\n' },
      { output: 'by 1 from 8\n' },
    ]);
  });

  test('breakpoints on states, patterns and values', async () => {
    const one = await debugging({ 'loop.dsl': LOOP });
    let answers: Body[] = [];
    await one.launch({ program: 'loop.dsl', inputs: { top: 2 } }, {}, async () => {
      const breakpoints = [{ name: 'Done' }, { name: 'Bump', condition: 'n == 1' }, { name: 'Dome' }];
      answers = (await one.ask('setFunctionBreakpoints', { breakpoints })).breakpoints;
      const info = await one.ask('dataBreakpointInfo', { name: 'doubled' });
      expect(info).toMatchObject({ dataId: 'tracked:doubled' });
      expect(await one.ask('dataBreakpointInfo', { name: 'out' })).toMatchObject({ dataId: null });
      await one.ask('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId }] });
    });
    expect(answers.map(({ verified, message }) => message ?? verified)).toEqual([
      true,
      true,
      'no state, used pattern or step is called `Dome`; did you mean `Done`?',
    ]);
    expect(await one.stop()).toMatchObject({
      reason: 'data breakpoint',
      text: 'changed: doubled',
      stack: ['Start:12'],
    });
    expect(await one.moves('continue', 'continue', 'continue', 'continue')).toEqual([
      'data breakpoint Bump:6',
      'function breakpoint Bump:5',
      'function breakpoint Done:18',
      'end',
    ]);
  });

  test('stops at failures, and says what they are', async () => {
    const one = await debugging({ 'failing.dsl': FAILING });
    await one.launch({ program: 'failing.dsl' }, {}, () =>
      one.ask('setExceptionBreakpoints', { filters: ['unhandled'] }),
    );
    const at = await one.stop();
    expect(at).toMatchObject({ reason: 'exception', stack: ['Start:3'] });
    const info = await one.ask('exceptionInfo', { threadId: 1 });
    expect(info).toMatchObject({ exceptionId: 'tool_failure', details: { typeName: 'tool_failure' } });
    expect(info.details.message).toContain('--> failing.dsl:3:3');
    expect(await one.moves('continue')).toEqual(['end']);
    expect(one.events.find(({ event }) => event === 'exited')?.body).toEqual({ exitCode: 1 });
    expect(one.printed).toContain('error[tool-failure]');
  });

  test('evaluates expressions, and performs nothing', async () => {
    const one = await debugging({ 'loop.dsl': LOOP });
    await one.launch({ program: 'loop.dsl' }, { 'loop.dsl': [14, 6] });
    const inner = await one.stop();
    const value = async (expression: string, given: object) =>
      (await one.ask('evaluate', { expression, ...given })).result;
    expect(await value('by + 1', { frameId: inner?.frameId })).toBe('2');
    const { stackFrames } = await one.ask('stackTrace', { threadId: 1 });
    expect(await one.refusal('evaluate', { expression: 'by', frameId: stackFrames[1].id })).toMatch(
      /nothing binds `by`/,
    );
    const ids = stackFrames.map(({ id }: { id: number }) => id);
    const [second] = (await one.ask('stackTrace', { threadId: 1, startFrame: 1, levels: 1 })).stackFrames;
    expect([...new Set(ids), second.id]).toEqual([...ids, ids[1]]);
    const at = await one.move('continue');
    expect(ids).not.toContain(at?.frameId);
    expect(await one.refusal('evaluate', { expression: 'n', frameId: ids[0] })).toMatch(/the run has moved/);
    const frame = { frameId: at?.frameId };
    expect(await value('[n, top, out]', frame)).toBe('[1,3,"hello 1"]');
    expect(await value('len(out) > n', { ...frame, context: 'watch' })).toBe('true');
    expect(await one.refusal('evaluate', { expression: 'exit_code(out)', ...frame })).toMatch(/is kept only where/);
    expect(await one.refusal('evaluate', { expression: 'now()', ...frame })).toMatch(/another value each time/);
    expect(await one.refusal('evaluate', { expression: 'n + 1', context: 'hover', ...frame })).toMatch(/only names/);
    expect(await value('key', frame)).toBe('"***"');
    const { targets } = await one.ask('completions', { text: 'dou', column: 4, ...frame });
    expect(targets.map(({ label }: Body) => label)).toEqual(['doubled']);
  });

  test('other requests are refused by name', async () => {
    const one = await debugging({ 'loop.dsl': LOOP });
    expect(await one.refusal('readMemory', {})).toBe('the request `readMemory` is not known here');
    expect(await one.refusal('launch', { program: 'missing.dsl' })).toMatch(/missing\.dsl/);
    expect(await one.refusal('launch', { program: 'loop.dsl', machine: 'Other' })).toMatch(/Other/);
  });
});

describe('time', () => {
  test('goes back and forth, and nothing runs twice', async () => {
    const counting = LOOP.replace('echo hello {n}', 'echo x >> ran.txt; echo hello {n}');
    const one = await debugging({ 'loop.dsl': counting });
    await one.launch({ program: 'loop.dsl', inputs: { top: 2 } }, { 'loop.dsl': [18] });
    expect((await one.stop())?.stack).toEqual(['Done:18']);
    const outputs = one.outputs.length;
    expect(await one.moves('stepBack', 'stepBack', 'stepBack', 'stepBack', 'stepBack')).toEqual([
      'step Start:14',
      'step Start:14',
      'step Start:13',
      'step Start:12',
      'step Start:10',
    ]);
    expect(await one.moves('stepIn', 'stepIn', 'next', 'reverseContinue', 'next')).toEqual([
      'step Start:12',
      'step Bump:5',
      'step Bump:6',
      'entry Start:9',
      'step Start:10',
    ]);
    expect(one.outputs.length).toBe(outputs);
    expect(await one.moves('continue', 'next', 'next')).toEqual(['breakpoint Done:18', 'step Done:19', 'end']);
    expect(one.outputs.filter(({ output }) => output.startsWith('hello')).map(({ output }) => output)).toEqual([
      'hello 1\n',
      'hello 2\n',
    ]);
  });

  test('goes to executions of a line and to events', async () => {
    const one = await debugging({ 'loop.dsl': LOOP });
    await one.launch({ program: 'loop.dsl' }, { 'loop.dsl': [18] });
    await one.stop();
    const { targets } = await one.ask('gotoTargets', { source: { path: one.path('loop.dsl') }, line: 6 });
    expect(targets.map(({ label }: Body) => label.replace(/ after event \d+/, ''))).toEqual([
      'execution 1 of 3,',
      'execution 2 of 3,',
      'execution 3 of 3,',
    ]);
    const second = await one.move('goto', { targetId: targets[1].id });
    expect(second).toMatchObject({ reason: 'goto', stack: ['Bump:6', 'Start:12'] });
    expect(second?.scopes.Tracked).toEqual({ n: '1', doubled: '2' });
    expect(await one.move('statedsl/goto', { seq: 2 })).toMatchObject({ reason: 'goto', stack: ['Start:9'] });
    expect(await one.moves('continue')).toEqual(['breakpoint Done:18']);
  });

  test('a kept run opens where it failed, and is only read', async () => {
    const one = await debugging({ 'failing.dsl': FAILING });
    await one.launch({ program: 'failing.dsl' });
    expect(await one.stop()).toBeNull();
    const run = one.printed;
    expect(run).toContain('error[tool-failure]');
    const other = await debugging({});
    await other.launch({
      run: readdirSync(one.path('.statedsl/runs')).at(0),
      dir: one.path('.statedsl'),
    });
    expect(await other.stop()).toMatchObject({
      reason: 'exception',
      stack: ['Start:3'],
      scopes: { Tracked: { tries: '0' } },
    });
    expect(await other.moves('stepBack', 'stepBack', 'next', 'continue')).toEqual([
      'step Start:3',
      'step Start:2',
      'step Start:3',
      'pause Start:3',
    ]);
  });
});

const ASKING = `STATE: Start
  CHECK: first = echo real >> ran.txt; echo real
  CHECK: second = echo real >> ran.txt; echo real
  DO: echo more >> ran.txt
  RETURN: "{first} {second}"

  ON ERROR → RETURN: "failed {error_type}"
`;

describe('effects that wait for a person', () => {
  test('are shown, answered, performed or failed', async () => {
    const one = await debugging({ 'asking.dsl': ASKING });
    await one.launch({ program: 'asking.dsl', stopBeforeEffects: 'all' });
    const at = await one.stop();
    expect(at).toMatchObject({ reason: 'pause', stack: ['Start:2'] });
    expect(at?.scopes.Effect).toMatchObject({ kind: '"shell"', text: '"echo real >> ran.txt; echo real"' });
    expect(await one.refusal('statedsl/effect', { action: 'answer' })).toBe('an answer needs `value`: a text, or JSON');
    expect(await one.refusal('statedsl/effect', { action: 'last' })).toMatch(/no earlier run/);
    expect(await one.move('statedsl/effect', { action: 'answer', value: 'given' })).toMatchObject({
      stack: ['Start:3'],
    });
    expect(await one.move('evaluate', { expression: ':run' })).toMatchObject({ stack: ['Start:4'] });
    await one.ask('evaluate', { expression: ':stop none' });
    expect(await one.move('evaluate', { expression: ':fail denied' })).toBeNull();
    expect(one.outputs.at(-1)?.output).toBe('failed denied\n');
    expect(readFileSync(one.path('ran.txt'), 'utf8')).toBe('real\n');
    const [run] = readdirSync(one.path('.statedsl/runs'));
    const journal = readFileSync(one.path(`.statedsl/runs/${run}/journal.ndjson`), 'utf8').split('\n');
    const given = journal.filter((line) => line.includes('"by":"debugger"'));
    expect(given.map((line) => JSON.parse(line).outcome.kind)).toEqual(['exited', 'failed']);
    const again = await debugging({ 'asking.dsl': ASKING });
    await again.launch({ program: 'asking.dsl', stopBeforeEffects: 'all', dir: one.path('.statedsl') });
    await again.stop();
    expect(await again.move('statedsl/effect', { action: 'last' })).toMatchObject({ stack: ['Start:3'] });
    await again.ask('statedsl/stopBeforeEffects', { mode: 'none' });
    expect(await again.move('continue')).toBeNull();
    expect(again.outputs.at(-1)?.output).toBe('given real\n');
  });
});

const COUNTING = `STATE: Start
  TRACK: n = 0
  TRACK: seen = []
  DO: label = ("a")
  SET: seen = seen + ["{label}{n}"]
  INCREMENT: n
  CHECK: out = echo {label}
  IF: n >= 3 → RETURN: {seen}
  GOTO: Start
`;

describe('changes', () => {
  test('are on record, and a changed run is compared, shown and resumed as it was', async () => {
    const one = await debugging({ 'counting.dsl': COUNTING });
    await one.launch({ program: 'counting.dsl' }, { 'counting.dsl': [5] });
    const at = await one.stop();
    const { scopes } = await one.ask('scopes', { frameId: at?.frameId });
    const reference = (title: string) => scopes.find(({ name }: Body) => name === title).variablesReference;
    const set = (title: string, name: string, value: string) =>
      one.ask('setVariable', { variablesReference: reference(title), name, value });
    expect(await set('Locals', 'label', '"b"')).toMatchObject({ value: '"b"' });
    expect(await set('Tracked', 'n', '1')).toMatchObject({ value: '1' });
    expect(
      await one.refusal('setVariable', { variablesReference: reference('Run'), name: 'state', value: '1' }),
    ).toMatch(/`state` is fixed/);
    expect((await one.move('next'))?.scopes.Tracked).toEqual({ n: '1', seen: '["b1"]' });
    expect(await one.ask('evaluate', { expression: 'SET: n = n + 1', context: 'repl' })).toMatchObject({ result: '2' });
    const back = await one.move('stepBack');
    expect(back).toMatchObject({ stack: ['Start:5'], scopes: { Tracked: { n: '1' }, Locals: { label: '"b"' } } });
    await one.breakpoints('counting.dsl', []);
    expect(await one.move('continue')).toBeNull();
    expect(one.outputs.at(-1)?.output).toBe('["b1"]\n');
    const [run = ''] = readdirSync(one.path('.statedsl/runs'));
    const runs = openRuns({ folder: one.folder });
    expect(await runs.compare(run)).toMatchObject({ ok: true, value: { status: 'same' } });
    expect(await runs.inspect(run)).toMatchObject({ value: { returned: ['b1'], tracked: { n: 3 } } });
  });

  test('at a past place they begin a new run, and the old one stays as it is', async () => {
    const one = await debugging({ 'counting.dsl': COUNTING });
    await one.launch({ program: 'counting.dsl' }, { 'counting.dsl': [8] });
    await one.stop();
    expect(await one.moves('continue', 'stepBack', 'stepBack')).toEqual([
      'breakpoint Start:8',
      'step Start:7',
      'step Start:6',
    ]);
    const [old = ''] = readdirSync(one.path('.statedsl/runs'));
    const changed = await one.move('setExpression', { expression: 'seen', value: '["x"]' });
    expect(changed).toMatchObject({ stack: ['Start:6'], scopes: { Tracked: { n: '1', seen: '["x"]' } } });
    await one.breakpoints('counting.dsl', []);
    expect(await one.move('continue')).toBeNull();
    expect(one.outputs.at(-1)?.output).toBe('["x","a2"]\n');
    const all = readdirSync(one.path('.statedsl/runs')).filter((name) => name !== 'index.ndjson');
    expect(all).toHaveLength(2);
    const runs = openRuns({ folder: one.folder });
    const added = all.find((id) => id !== old) ?? '';
    expect(await runs.compare(added)).toMatchObject({ ok: true, value: { status: 'same' } });
    expect(await runs.inspect(old)).toMatchObject({ value: { status: 'interrupted' } });
  });
});

describe('workflows, documents and plans', () => {
  test('a document stops at the lines of its blocks', async () => {
    const text = `# Deploy\n\nSome words.\n\n\`\`\`dsl\n${FAILING.replace('DO: false', 'SET: tries = 2')}\`\`\`\n`;
    const one = await debugging({ 'deploy.md': text });
    const [set] = await one.launch({ program: 'deploy.md' }, { 'deploy.md': [8] });
    expect(set).toMatchObject({ verified: true, line: 8 });
    expect(await one.stop()).toMatchObject({ stack: ['Start:8'], scopes: { Tracked: { tries: '0' } } });
    expect(await one.moves('next', 'continue')).toEqual(['step Start:9', 'end']);
  });

  test('a workflow stops at steps and gates', async () => {
    const yaml = `steps:
  - name: make
    agent: worker
    prompt: "make it"
    gate:
      - bash: "test $STATEDSL_ATTEMPT = 2"
    retry:
      - exit: 3
  - name: pack
    agent: worker
    prompt: "pack {make.output}"
`;
    const config = 'agents:\n  worker: {adapter: command, run: ["cat"]}\n';
    const one = await debugging({ 'build.yaml': yaml, 'statedsl.config.yaml': config });
    await one.launch({ program: 'build.yaml', worktree: false, stopOnEntry: true });
    const stops: string[] = [];
    for (let at = await one.stop(); at !== null && stops.length < 40; at = await one.move('stepIn'))
      stops.push(at.stack.join(' < '));
    const text = stops.join('\n');
    expect(text).toContain('STEP make · attempt 1 · gates');
    expect(text).toContain('STEP pack · attempt 1 · work');
    const failing = await debugging({ 'build.yaml': yaml, 'statedsl.config.yaml': config });
    await failing.launch({ program: 'build.yaml', worktree: false }, {}, () =>
      failing.ask('setExceptionBreakpoints', { filters: ['gate_failed', 'attempt_failed'] }),
    );
    expect((await failing.stop())?.text).toMatch(/^the gate `[^`]+` failed/);
    expect(await failing.ask('exceptionInfo', { threadId: 1 })).toMatchObject({ exceptionId: 'gate_failed' });
    expect((await failing.move('continue'))?.text).toBe('attempt 1 of `make` failed');
  });

  const TOOLS = `load:
  run: [echo, '{"n": 1}']
join:
  run: [cat]
`;
  const PLAN = JSON.stringify(
    [
      { _tool: 'load', _outputPath: '†state.a' },
      { _tool: 'load', _outputPath: '†state.b' },
      { _tool: 'join', one: '†state.a.n', two: '†state.b.n', _outputPath: '†state.both' },
    ],
    null,
    1,
  );

  test('a plan stops at each call, with what it gets and what the others wait for', async () => {
    const one = await debugging({ 'sum.plan.json': PLAN, 'tools.yaml': TOOLS });
    await one.launch({ program: 'sum.plan.json', stopOnEntry: true });
    expect((await one.stop())?.reason).toBe('entry');
    const first = await one.move('stepIn');
    expect(first).toMatchObject({ reason: 'step', scopes: { Parameters: {} } });
    expect(first?.stack[0]).toBe('call 1 (load):2');
    expect(first?.scopes.Calls).toEqual({
      'call 1 (load)': '"is running"',
      'call 2 (load)': '"is running"',
      'call 3 (join)': '"waits for `†state.a.n` of call 1, `†state.b.n` of call 2"',
    });
    expect((await one.move('next'))?.stack[0]).toBe('call 2 (load):6');
    const last = await one.move('next');
    expect(last).toMatchObject({ reason: 'step', scopes: { Parameters: { one: '1', two: '1' } } });
    expect(last?.stack[0]).toBe('call 3 (join):10');
    expect(last?.scopes['†state and †data']?.['†state']).toContain('"a"');
    expect((await one.moves('next', 'next')).at(-1)).toBe('end');
  });

  test('a breakpoint in a plan stops before its call, alone or in a program, and a person can answer', async () => {
    const files = { 'sum.plan.json': PLAN, 'tools.yaml': TOOLS };
    const alone = await debugging(files);
    const [set] = await alone.launch({ program: 'sum.plan.json' }, { 'sum.plan.json': [11] });
    expect(set).toMatchObject({ verified: true, line: 10 });
    expect(await alone.stop()).toMatchObject({ reason: 'breakpoint', hit: [1] });
    await alone.ask('statedsl/effect', { action: 'answer', value: '{"sum": 7}' });
    expect(await alone.stop()).toBeNull();
    const [run = ''] = readdirSync(alone.path('.statedsl/runs'));
    const records: object[] = [];
    const { journal } = openStoredRun(alone.path('.statedsl'), run);
    readJournal(journal, (record) => records.push(record) > 0, journalStart);
    expect(JSON.stringify(records)).toContain('"by":"debugger"');
    const within = await debugging({
      ...files,
      'in/flow.dsl': 'STATE: A\n  PLAN: "../sum.plan.json" → all\n  RETURN: done\n',
    });
    const [inside, refused] = await within.launch(
      { program: 'in/flow.dsl' },
      { 'sum.plan.json': [10, { line: 2, condition: 'true' }] },
    );
    expect(inside).toMatchObject({ verified: true, line: 10 });
    expect(refused).toMatchObject({ verified: false, message: 'a call of a plan stops always: it has no condition' });
    expect((await within.stop())?.stack).toEqual(['call 3 (join):10', 'A:2']);
    expect(await within.moves('stepOut', 'continue')).toEqual(['step A:3', 'end']);
  });

  test('the manual starts a run with these members', async () => {
    const page = readFileSync('docs/debugger.md', 'utf8');
    const [block = ''] = page.match(/\{\n {2}"type": "statedsl"[\s\S]*?\n\}/) ?? [];
    const one = await debugging({ 'deploy.dsl': 'INPUT: version\nSTATE: A\n  RETURN: {version}\n' });
    await one.launch(JSON.parse(block));
    expect(await one.stop()).toMatchObject({
      reason: 'entry',
      stack: ['A:3'],
      scopes: { Inputs: { version: '"1.4.0"' } },
    });
  });
});

describe('the end', () => {
  test('a client that goes away leaves a run that can be resumed', async () => {
    const one = await debugging({ 'counting.dsl': COUNTING });
    await one.launch({ program: 'counting.dsl' }, { 'counting.dsl': [6] });
    await one.stop();
    await one.moves('continue', 'stepBack');
    await one.leave();
    const [run = ''] = readdirSync(one.path('.statedsl/runs'));
    const runs = openRuns({ folder: one.folder });
    expect(await runs.inspect(run)).toMatchObject({ value: { status: 'interrupted' } });
    const resumed = await runs.resume(run);
    expect(resumed.ok && (await resumed.value.report).returned).toEqual(['a0', 'a1', 'a2']);
  });

  test('terminate interrupts, pause stops at the next action, and noDebug only runs', async () => {
    const waiting = 'STATE: A\n  DO: sleep 30\n  RETURN: 1\n';
    const one = await debugging({ 'waiting.dsl': waiting });
    await one.launch({ program: 'waiting.dsl' }, { 'waiting.dsl': [2] });
    await one.stop();
    await one.ask('continue', { threadId: 1 });
    const paused = await one.move('pause');
    expect(paused).toMatchObject({ reason: 'pause', stack: ['A:2'] });
    expect((await one.ask('threads')).threads).toEqual([{ id: 1, name: 'run · waits for a command' }]);
    await one.ask('continue', { threadId: 1 });
    expect(await one.move('terminate')).toBeNull();
    expect(one.events.find(({ event }) => event === 'exited')?.body).toEqual({ exitCode: 130 });
    const plain = await debugging({ 'loop.dsl': LOOP });
    await plain.launch({ program: 'loop.dsl', noDebug: true }, { 'loop.dsl': [9] });
    expect(await plain.stop()).toBeNull();
  });

  test('branches are threads', async () => {
    const parallel = `STATE: A
  DO: in PARALLEL
    - CHECK: a = echo 1
    - CHECK: b = echo 2
  RETURN: {a + b}
`;
    const one = await debugging({ 'parallel.dsl': parallel });
    await one.launch({ program: 'parallel.dsl' }, { 'parallel.dsl': [2] });
    await one.stop();
    const inside = await one.move('stepIn');
    expect(inside?.stack).toEqual(['A:3']);
    const names = (await one.ask('threads')).threads.map(({ name }: Body) => name);
    expect(names).toEqual(['run · waits for its branches', 'branch 1.1', 'branch 1.2']);
    const { targets } = await one.ask('stepInTargets', {});
    expect(targets).toHaveLength(3);
    expect(await one.move('next', { threadId: inside?.threadId })).toMatchObject({ stack: ['A:5'] });
    expect(await one.moves('stepBack', 'continue')).toEqual(['step A:2', 'end']);
  });
});
