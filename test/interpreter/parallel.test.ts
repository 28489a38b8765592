/** PARALLEL: order of starts and events, joins, quorum, failures, shared permits. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import {
  advance,
  answer,
  link,
  type Run,
  receiveSignal,
  settle,
  startRun,
  waiting,
} from '../../src/interpreter/run.js';
import type { Machine } from '../../src/machine/machine.js';
import {
  type Code,
  constant,
  done,
  execute,
  hole,
  local,
  machine,
  OPTIONS,
  printed,
  say,
  shell,
  visible,
} from './machine-builder.js';
import { ScriptedProgram } from './scripted-program.js';

type Fork = Extract<Code, { op: 'fork' }>;
const fail = (message: string): Outcome => printed('', 1, message);

/** A state with one fork; each member is `say start`, a command, `say end`. */
function parallel(names: readonly string[], more: Partial<Fork> = {}, after: Code[] = [done(local(0))]): Machine {
  const code: Code[] = [];
  const branches = names.map((name, index) => {
    const pc = 1 + code.length;
    code.push(say('start ', name), shell(name, { reading: 'do', bind: { slot: index } }), say('end ', name), {
      op: 'branch-end',
    });
    return { pc, collect: [index] };
  });
  const fork: Fork = {
    op: 'fork',
    branches,
    join: 1 + code.length,
    max: null,
    agents: false,
    quorum: null,
    wait: null,
    ...more,
  };
  return machine({ A: { locals: [...names, 'timed_out'], code: [fork, ...code, ...after] } });
}

const ends = (names: string) => names.split('').flatMap((name) => [`"start ${name}"`, `"end ${name}"`]);

/** A run driven by hand: requests by command text. */
class Rig {
  readonly open = new Map<string, EffectRequest>();
  readonly started: string[] = [];
  readonly events: RunEvent[] = [];

  constructor(readonly run: Run) {
    this.step();
  }

  step(): void {
    advance(this.run);
    this.events.push(...this.run.takeEvents());
    for (const request of this.run.takeRequests()) {
      const name =
        'text' in request
          ? request.text
          : 'bounds' in request
            ? `bound ${request.bounds}`
            : `${request.kind} ${request.effect}`;
      this.started.push(name);
      this.open.set(name, request);
    }
  }

  give(name: string, outcome: Outcome | string = ''): void {
    const request = this.open.get(name);
    if (request === undefined) throw new Error(`${name} is not open: ${[...this.open.keys()]}`);
    this.open.delete(name);
    settle(this.run, request.effect, typeof outcome === 'string' ? printed(outcome) : outcome);
    this.step();
  }

  get lines(): string[] {
    return visible(this.events);
  }
}

const rig = (program: Machine, options: Partial<typeof OPTIONS> = {}): Rig =>
  new Rig(startRun(link(program), { ...OPTIONS, ...options }));

describe('members', () => {
  test('start in order, as many as there are jobs, and are reported in order', () => {
    const r = rig(parallel(['a', 'b', 'c']), { jobs: 2 });
    expect(r.started).toEqual(['a', 'b']);
    r.give('b', 'B');
    expect(r.started).toEqual(['a', 'b', 'c']);
    r.give('c', 'C');
    expect(r.lines).toEqual(['STATE A']);
    r.give('a', 'A');
    expect(r.lines).toEqual(['STATE A', ...ends('abc'), 'RETURN "A"']);
  });

  test('ids of effects do not depend on the order', () => {
    const r = rig(parallel(['a', 'b']));
    expect([...r.open.values()].map(({ effect }) => effect)).toEqual(['1.1.1', '1.2.1']);
  });

  test('max is the number at once', () => {
    const r = rig(parallel(['a', 'b', 'c'], { max: constant(1) }));
    expect(r.started).toEqual(['a']);
    r.give('a');
    expect(r.started).toEqual(['a', 'b']);
    expect(execute(parallel(['a'], { max: constant(0) })).run.result?.error?.message).toBe(
      '`max` needs a whole number of at least 1, not 0',
    );
  });

  test('agents have their own number', () => {
    const names = 'abcdefghij'.split('');
    expect(rig(parallel(names, { agents: true }), { jobs: 2 }).started).toHaveLength(8);
  });

  test('none are joined at once', () => {
    expect(execute(parallel([], {}, [done(constant('over'))])).lines).toEqual(['STATE A', 'RETURN "over"']);
  });

  test('the pipe is empty after the join', () => {
    const program = parallel(['a'], {}, [shell('next', { piped: true }), done()]);
    expect(execute(program).run.result?.error?.message).toMatch(/^`\|` has nothing to read/);
  });
});

describe('failures', () => {
  test('all members end, failures are reported in source order, and one is handled', () => {
    const r = rig(parallel(['a', 'b', 'c']));
    r.give('c', fail('third'));
    r.give('a', fail('first'));
    expect(r.run.result).toBeNull();
    r.give('b');
    expect(r.lines).toEqual([
      'STATE A',
      '"start a"',
      'TOOL_FAILURE {"tool":"a","error":"first","exit":1}',
      '"start b"',
      '"end b"',
      '"start c"',
      'TOOL_FAILURE {"tool":"c","error":"third","exit":1}',
      'FAILED tool_failure: first',
    ]);
  });

  test('ON ERROR around the fork handles the join, one inside a member the member', () => {
    const inner = parallel(['a', 'b'], {}, [
      done(constant('joined')),
      done(constant('outer')),
      say('inner'),
      { op: 'branch-end' },
    ]);
    const [state] = inner.states;
    if (state === undefined) throw new Error();
    const outer = { from: 0, to: 9, kind: null, pc: 10, names: {} };
    const handled = { ...inner, states: [{ ...state, handlers: [outer] }] };
    expect(execute(handled, { a: fail('x') }).run.result?.value).toBe('outer');
    const within = {
      ...inner,
      states: [{ ...state, handlers: [{ from: 1, to: 4, kind: null, pc: 11, names: {} }, outer] }],
    };
    expect(execute(within, { a: fail('x') }).lines).toEqual([
      'STATE A',
      '"start a"',
      'TOOL_FAILURE {"tool":"a","error":"x","exit":1}',
      '"inner"',
      ...ends('b'),
      'RETURN "joined"',
    ]);
  });
});

describe('quorum', () => {
  test('enough successes join and stop the others without a failure', () => {
    const r = rig(parallel(['a', 'b', 'c', 'd'], { quorum: constant(2) }));
    r.give('b', fail('no'));
    r.give('c', 'C');
    r.give('d', 'D');
    expect(r.lines).toEqual([
      'STATE A',
      '"start a"',
      '"start b"',
      'WARN member 2 of 4 failed: no',
      ...ends('cd'),
      'RETURN null',
    ]);
    expect(r.run.takeCancellations()).toEqual(['1.1.1']);
    const settled = r.events.filter((event) => event.type === 'effect_settled').map(({ effect }) => effect);
    expect(settled).toEqual(['1.2.1', '1.3.1', '1.4.1', '1.1.1']);
  });

  test('out of reach is a failure at once', () => {
    const r = rig(parallel(['a', 'b', 'c'], { quorum: constant(2) }));
    r.give('b', fail('no'));
    expect(r.run.result).toBeNull();
    r.give('a', fail('nor this'));
    expect(r.lines.at(-1)).toBe('FAILED tool_failure: nor this');
    expect(r.run.takeCancellations()).toEqual(['1.3.1']);
  });

  test('more than there are members is a failure', () => {
    expect(execute(parallel(['a'], { quorum: constant(2) })).run.result?.error?.message).toBe(
      'a quorum of 2 cannot be met: there is 1 member',
    );
  });
});

describe('a WAIT as the join', () => {
  const wait = { timeout: ['30s'], timedOut: 2 };
  const program = parallel(['a', 'b'], { wait }, [done(local(2))]);
  const clock: Outcome = { kind: 'value', value: 1000 };

  test('all complete', () => {
    const r = rig(program);
    expect(r.started).toEqual(['clock 2', 'a', 'b']);
    r.give('clock 2', clock);
    r.give('a');
    r.give('b');
    expect(r.lines.at(-1)).toBe('RETURN false');
    expect(r.run.takeCancellations()).toEqual(['3']);
  });

  test('time is up: the others are stopped', () => {
    const r = rig(program);
    r.give('clock 2', clock);
    expect(r.open.get('bound 1')).toMatchObject({ until: 31_000 });
    r.give('a');
    r.give('bound 1', { kind: 'value', value: 31_000 });
    expect(r.lines).toEqual(['STATE A', ...ends('a'), '"start b"', 'RETURN true']);
    expect(r.run.takeCancellations()).toEqual(['1.2.1']);
  });

  test('a failure by then is reported', () => {
    const r = rig(program);
    r.give('clock 2', clock);
    r.give('a', fail('no'));
    r.give('bound 1', { kind: 'value', value: 31_000 });
    expect(r.run.result?.error?.message).toBe('no');
  });
});

describe('detached members', () => {
  const program = parallel(['a', 'b'], { detached: true }, [
    say('waiting'),
    shell('poll'),
    { op: 'join-detached' },
    say('joined ', hole(local(0))),
    done(),
  ]);

  test('run while the next instructions run, and end at the join', () => {
    const r = rig(program);
    expect(r.started).toEqual(['poll', 'a', 'b']);
    r.give('a', 'A');
    r.give('poll');
    expect(r.lines).toEqual(['STATE A', '"waiting"', ...ends('a'), '"start b"', '"joined A"', 'RETURN null']);
    expect(r.run.takeCancellations()).toEqual(['1.2.1']);
  });

  test('a failure by then is reported at the join', () => {
    const r = rig(program);
    r.give('b', fail('no'));
    expect(r.run.result).toBeNull();
    r.give('poll');
    expect(r.run.result?.error?.message).toBe('no');
  });

  test('a failure of another branch stops them', () => {
    const r = rig(program);
    r.give('poll', fail('poll'));
    expect(r.run.result?.error?.message).toBe('poll');
    expect(r.run.takeCancellations()).toEqual(['1.1.1', '1.2.1']);
  });
});

/** FOR EACH in PARALLEL over three items; each member forks two commands of its own. */
function nested(outer: number | null = null, max: number | null = null): Machine {
  const inner: Fork = {
    op: 'fork',
    branches: [
      { pc: 3, collect: [1] },
      { pc: 5, collect: [2] },
    ],
    join: 7,
    max: max === null ? null : constant(max),
    agents: false,
    quorum: null,
    wait: null,
  };
  return machine({
    A: {
      locals: ['item', 'x', 'y'],
      code: [
        {
          op: 'fork-each',
          list: constant(['p', 'q', 'r']),
          variable: 0,
          body: 1,
          collect: [1, 2],
          join: 9,
          max: outer === null ? null : constant(outer),
          agents: false,
          quorum: null,
          wait: null,
        },
        say('begin ', hole(local(0))),
        inner,
        shell('x', { reading: 'do', bind: { slot: 1 } }),
        { op: 'branch-end' },
        shell('y', { reading: 'do', bind: { slot: 2 } }),
        { op: 'branch-end' },
        say('done ', hole(local(0)), ' ', hole(local(1)), hole(local(2))),
        { op: 'branch-end' },
        done({ op: 'list', items: [local(1), local(2)] }),
      ],
    },
  });
}

describe('nesting', () => {
  test('jobs are shared and no member waits forever', () => {
    for (const jobs of [1, 2, 3, 100]) {
      const { lines } = execute(nested(), { x: 'X', y: 'Y' }, { jobs });
      const item = (name: string) => [`"begin ${name}"`, `"done ${name} XY"`];
      expect(lines).toEqual(['STATE A', ...['p', 'q', 'r'].flatMap(item), 'RETURN [["X","X","X"],["Y","Y","Y"]]']);
    }
  });

  test('never more effects at once than jobs', () => {
    const run = startRun(link(nested()), { ...OPTIONS, jobs: 2 });
    const open: EffectRequest[] = [];
    let most = 0;
    while (advance(run) !== 'stopped') {
      open.push(...run.takeRequests());
      most = Math.max(most, open.length);
      settle(run, (open.shift() as EffectRequest).effect, printed('z'));
    }
    expect(most).toBe(2);
  });

  test.each([
    ['outer', 2, null, 2, 4, 2],
    ['outer one', 1, null, 4, 2, 1],
    ['inner', null, 1, 2, 2, 2],
    ['both', 2, 1, 9, 2, 2],
    ['none', null, null, 3, 3, 2],
    ['none, many jobs', null, null, 100, 6, 3],
  ] as const)('a max that is written holds: %s', (_, outer, inner, jobs, mostEffects, mostMembers) => {
    const run = startRun(link(nested(outer, inner)), { ...OPTIONS, jobs });
    const open: EffectRequest[] = [];
    let effects = 0;
    let members = 0;
    while (advance(run) !== 'stopped') {
      open.push(...run.takeRequests());
      effects = Math.max(effects, open.length);
      members = Math.max(members, new Set(open.map(({ effect }) => effect.split('.')[1])).size);
      settle(run, (open.shift() as EffectRequest).effect, printed('z'));
    }
    expect(effects).toBeLessThanOrEqual(mostEffects);
    expect(members).toBeLessThanOrEqual(mostMembers);
  });

  test('a skipped binding is null in its slot', () => {
    const program = machine({
      A: {
        locals: ['item', 'x'],
        code: [
          {
            op: 'fork-each',
            list: constant([1, 2]),
            variable: 0,
            body: 1,
            collect: [1],
            join: 4,
            max: null,
            agents: false,
            quorum: null,
            wait: null,
          },
          {
            op: 'unless',
            condition: { op: 'compare', operator: '==', left: local(0), right: constant(2) },
            to: 3,
            text: 'item == 2',
          },
          shell('x', { reading: 'do', bind: { slot: 1 } }),
          { op: 'branch-end' },
          done(local(1)),
        ],
      },
    });
    expect(execute(program, { x: 'X' }).run.result?.value).toEqual([null, 'X']);
  });
});

describe('people', () => {
  const ask = (name: string, slot: number): Code => ({
    op: 'ask',
    name,
    question: [`${name}?`],
    choices: [],
    value: null,
    deadline: null,
    bind: slot,
  });

  test('a question in a branch releases its permit', () => {
    const program = machine({
      A: {
        locals: ['p', 'q', 'r'],
        code: [
          {
            op: 'fork',
            branches: [
              { pc: 1, collect: [0] },
              { pc: 3, collect: [1] },
              { pc: 5, collect: [2] },
            ],
            join: 8,
            max: constant(1),
            agents: false,
            quorum: null,
            wait: null,
          },
          ask('p', 0),
          { op: 'branch-end' },
          ask('q', 1),
          { op: 'branch-end' },
          { op: 'signal', name: 'S', timeout: null, bind: 2, timedOut: 2 },
          shell('x', { reading: 'do', bind: { slot: 2 } }),
          { op: 'branch-end' },
          done({ op: 'list', items: [local(0), local(1), local(2)] }),
        ],
      },
    });
    const r = rig(program);
    expect(waiting(r.run).map(({ kind, name }) => `${kind} ${name}`)).toEqual(['ask p', 'ask q', 'signal S']);
    answer(r.run, r.open.get('ask 1.2.1')?.effect ?? '', 'second', 'me');
    receiveSignal(r.run, 'S', null, 'me');
    r.step();
    r.give('x', 'X');
    answer(r.run, r.open.get('ask 1.1.1')?.effect ?? '', 'first', 'me');
    r.step();
    expect(r.run.result?.value).toEqual(['first', 'second', 'X']);
  });

  test('so does a signal, which only the first branch that waits for it takes', () => {
    const signal: Code = { op: 'signal', name: 'S', timeout: null, bind: 0, timedOut: 1 };
    const forEach: Code = {
      op: 'fork-each',
      list: constant(['a', 'b', 'c']),
      variable: 0,
      body: 1,
      collect: [0],
      join: 3,
      max: constant(1),
      agents: false,
      quorum: null,
      wait: null,
    };
    const r = rig(
      machine({ A: { locals: ['item', 'late'], code: [forEach, signal, { op: 'branch-end' }, done(local(0))] } }),
    );
    const open = () => waiting(r.run).map(({ name }) => name);
    expect(open()).toEqual(['S', 'S', 'S']);
    for (const payload of [1, 2]) receiveSignal(r.run, 'S', payload, 'me');
    r.step();
    expect(open()).toEqual(['S']);
    receiveSignal(r.run, 'S', 3, 'me');
    r.step();
    expect(r.run.result?.value).toEqual([1, 2, 3]);
  });
});

test('any order of outcomes gives the same events, those of effects aside', () => {
  const told = (events: readonly RunEvent[]): string[] =>
    visible(events.filter(({ type }) => !type.startsWith('effect_')));
  const reference = execute(nested(), { x: 'X', y: 'Y' }).events;
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), fc.integer({ min: 1, max: 7 }), (picks, jobs) => {
      const run = startRun(link(nested()), { ...OPTIONS, jobs });
      const open: EffectRequest[] = [];
      const events: RunEvent[] = [];
      let at = 0;
      for (;;) {
        const status = advance(run);
        events.push(...run.takeEvents());
        if (status === 'stopped') break;
        open.push(...run.takeRequests());
        const [request] = open.splice((picks[at++ % picks.length] ?? 0) % open.length, 1);
        if (request === undefined) throw new Error('nothing is open');
        settle(run, request.effect, printed('text' in request ? request.text.toUpperCase() : ''));
      }
      expect(told(events)).toEqual(told(reference));
    }),
    { numRuns: 200 },
  );
});

test('what a member binds is null without it, whatever the name was before, and until then a member reads that', () => {
  const keep = `STATE: A
  DO: x = "old"
  DO: in PARALLEL [on_failure=keep]
    - x = one
    - y = two {x}
  RETURN: {default(x, "null")} {default(y, "null")}
`;
  const start = (text: string) => new ScriptedProgram(text, { restored: true, clockMs: 0 });
  expect(start(keep).fail('one').end('two old', 'Y').lines.at(-1)).toBe('RETURN "null Y"');
  expect(start(keep).end('one', 'X').end('two old', 'Y').lines.at(-1)).toBe('RETURN "X Y"');
  const first = start(keep.replace('on_failure=keep', 'quorum=1'));
  expect(first.end('two old', 'Y').lines.at(-1)).toBe('RETURN "null Y"');
});

test('a field or element of what a failed member would have bound says why it is missing', () => {
  const ends = (read: string) => {
    const text = `STATE: A
  DO: in PARALLEL [on_failure=keep]
    - x = one
    - y = two
  RETURN: {${read}}
`;
    return new ScriptedProgram(text, { restored: true, clockMs: 0 }).fail('one').end('two', '[1]').lines.at(-1);
  };
  expect(ends('x[0]')).toMatchInlineSnapshot(
    `"FAILED bad_value: \`x\` has no element \`0\`: it is null, since its member in line 3 failed"`,
  );
  expect(ends('x.n')).toMatchInlineSnapshot(
    `"FAILED bad_value: \`x\` has no field \`n\`: it is null, since its member in line 3 failed"`,
  );
  expect(ends('y[1]')).toMatchInlineSnapshot(`"FAILED bad_value: \`y\` has no element 1: it has 1 (the first is 0)"`);
  expect(ends('y[0]')).toMatchInlineSnapshot(`"RETURN 1"`);
});
