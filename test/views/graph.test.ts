import { describe, expect, test } from 'vitest';
import type { Machine } from '../../src/machine/machine.js';
import { ascii, dot, mermaid } from '../../src/views/graph/graph-text.js';
import { graphOf } from '../../src/views/graph/machine-graph.js';
import { machinesPicture } from '../../src/views/graph/machine-picture.js';
import { describeState } from '../../src/views/instruction.js';
import type { Picture } from '../../src/views/picture/picture.js';
import { referenceWords } from '../../src/views/steps/references.js';
import { stepSummaries } from '../../src/views/steps/step-summary.js';
import { compileCase } from '../corpus/compile-case.js';
import { code, goto, machine, unless } from './machine-fixture.js';

test('edges have conditions, and failures are separate edges', () => {
  expect(ascii([graphOf(machine)])).toBe(
    `plan

PLAN  (initial)
  -- [count < 5] --> PLAN
  -- [NOT (count < 5)] --> WORK

WORK
  -------> (return)
  -- [on error timeout] --> PLAN
  .. [failure] ..> ERROR

ERROR
  -------> (return)
`,
  );
});

test('a condition that looks like an arrow is not one', () => {
  const graph = {
    ...graphOf(machine),
    edges: [{ from: 0, to: 1, label: 'a == "-- - -->"', kind: 'goto' as const }],
  };
  expect(ascii([graph])).toContain('  -- [a == "-- - -->"] --> WORK\n');
});

test('Mermaid', () => {
  expect(mermaid([graphOf(machine)])).toBe(
    `stateDiagram-v2
    PLAN
    WORK
    ERROR
    [*] --> PLAN
    PLAN --> PLAN : count < 5
    PLAN --> WORK : NOT (count < 5)
    WORK --> [*]
    WORK --> PLAN : on error timeout
    WORK --> ERROR : failure
    ERROR --> [*]
`,
  );
});

test('DOT', () => {
  expect(dot([graphOf(machine)])).toBe(
    `digraph "plan" {
  rankdir=TB;
  node [shape=box, style=rounded];
  "(return)" [shape=doublecircle, label="", width=0.2];
  "PLAN" [penwidth=2];
  "WORK";
  "ERROR";
  "PLAN" -> "PLAN" [label="count < 5"];
  "PLAN" -> "WORK" [label="NOT (count < 5)"];
  "WORK" -> "(return)";
  "WORK" -> "PLAN" [label="on error timeout"];
  "WORK" -> "ERROR" [label="failure", style=dashed];
  "ERROR" -> "(return)";
}
`,
  );
});

function oneEdge(condition: string, name = 'A'): Machine {
  const states = [
    { name, locals: [], entry: [], handlers: [], code: code(1, unless(condition, 2), goto(0), { op: 'fell-off' }) },
  ];
  return { ...machine, states, error: null } as Machine;
}

test('hostile labels end nothing and open nothing', () => {
  const hostile = 'x == "a]; %%{init: {}}%%\n<script>alert(1)</script> :: # \\N"';
  const graph = graphOf(oneEdge(hostile));
  const line = mermaid([graph])
    .split('\n')
    .find((one) => one.includes('-->') && one.includes(' : ')) as string;
  const label = line.slice(line.indexOf(' : ') + 3);
  expect(label.replace(/#\d+;/g, '')).not.toMatch(/[;#`{}\\\n]|<script|%%|::/);
  expect(dot([graph]).split('\n')).toHaveLength(7);
  expect(dot([graph])).toContain('\\"a]; %%{init: {}}%% <script>');
  expect(dot([graph])).toContain('\\\\N\\"');
});

test('names that Mermaid reads as its own words get another one', () => {
  expect(mermaid([graphOf(oneEdge('c', 'END'))])).toBe(
    'stateDiagram-v2\n    state "END" as s0\n    [*] --> s0\n    s0 --> s0 : c\n',
  );
});

test('nested conditions are joined, and a chain of ELSE IF excludes the earlier ones', () => {
  const states = [
    {
      name: 'A',
      locals: [],
      entry: [],
      handlers: [],
      code: code(
        1,
        unless('a', 4),
        unless('b', 3),
        goto(0),
        { op: 'jump', to: 8 },
        unless('c', 7),
        { op: 'return', value: null, failed: false },
        { op: 'jump', to: 8 },
        goto(0),
        { op: 'fell-off' },
      ),
    },
  ];
  const labels = graphOf({ ...machine, states, error: null } as Machine).edges.map(({ label }) => label);
  expect(labels).toEqual(['a AND b', 'NOT (a) AND c', 'NOT (a) AND NOT (c)']);
});

test('a graph of many states asks for a quick layout', () => {
  const state = (name: string) => ({ name, locals: [], entry: [], handlers: [], code: [] });
  const states = Array.from({ length: 200 }, (_, i) => state(`S${i}`));
  expect(dot([graphOf({ ...machine, states, error: null })])).toContain('nslimit=1;');
});

test('several machines are one picture, and equal names in them are different states', () => {
  const two = [graphOf({ ...oneEdge('c'), name: 'a "b"' }), graphOf(oneEdge('d'))];
  expect(mermaid(two)).toBe(`stateDiagram-v2
    state "a #34;b#34;" as m0 {
        state "A" as m0_A
        [*] --> m0_A
        m0_A --> m0_A : c
    }
    state "plan" as m1 {
        state "A" as m1_A
        [*] --> m1_A
        m1_A --> m1_A : d
    }
`);
  expect(dot(two)).toBe(`digraph "machines" {
  rankdir=TB;
  node [shape=box, style=rounded];
  subgraph "cluster_0" {
    label="a \\"b\\"";
    "0/A" [label="A", penwidth=2];
    "0/A" -> "0/A" [label="c"];
  }
  subgraph "cluster_1" {
    label="plan";
    "1/A" [label="A", penwidth=2];
    "1/A" -> "1/A" [label="d"];
  }
}
`);
});

/** A program with its tools, compiled without errors. */
function compiled(text: string, tools = ''): Machine {
  const sections = [
    { name: 'program', text },
    { name: 'file tools.yaml', text: tools },
    {
      name: 'config',
      text: 'gates: { coverage: ./coverage, test: ./test }\nagents: { claude: { adapter: claude }, codex: { adapter: codex } }\n',
    },
  ];
  const { machine, diagnostics } = compileCase({ kind: 'check', path: '', name: '', intro: '', sections });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return machine as Machine;
}

/** One flow of each kind: steps, groups, tasks, and calls of tools between them. */
const STEPS = `INPUT: spec
STATE: WORK
  STEP: plan type=split
    PROMPT: "Plan {spec}"
    AGENT: claude with max_turns=3, max_cost=0.5, max_time=2m, idle=30s, no_write
    GATE: schema, coverage 80, test, touched "src/**", "a", expr spec == "x" as big
    RETRY:
      ATTEMPT 2 → AGENT codex, PROMPT "Again", SESSION new
      NOT gate.test → WORKTREE reset
      EXIT 4
    EACH parallel max=2:
      STEP: build type=code
        SESSION: from=plan
        AGENT: codex
        RETRY: EXIT 3
      STEP: look
        DO: true
  STEP: both parallel
    STEP: one
      DO: true
    STEP: two
      SESSION: new
      AGENT: codex
      PROMPT: "two"
  STEP: again type=split
    AGENT: codex
    PROMPT: "x"
    EACH:
      STEP: only
        DO: true
      STEP: then
        DO: true
  RETURN
`;

const TOOLS = `find: { run: [./find] }
price: { run: [./price] }
`;

const CALLS = `INPUT: items = [1]
STATE: A
  CALL: found = find with q="a"
  DO: in PARALLEL:
    - CALL: x = price with of=1
    - DO: true
  DO: in PARALLEL:
    - CALL: y = price with of=1
    - DO: true
    - USE: Q
  FOR EACH: item in items in PARALLEL:
    CALL: price with of={item}
  FOR EACH: item in items in PARALLEL:
    DO: true
  USE: P
  USE: P
  GOTO: B
STATE: B
  STEP: s
    DO: true
  CALL: z = find with q="d"
  RETURN
PATTERN: P
  CALL: price with of=2
PATTERN: Q
  CALL: find with q="b"
  CALL: find with q="c"
`;

describe('steps and calls in graphs', () => {
  const steps = [graphOf(compiled(STEPS))];
  const calls = [graphOf(compiled(CALLS, TOOLS))];

  test('steps as a list', () =>
    expect(ascii(steps)).toMatchInlineSnapshot(`
    "program

    WORK  (initial)
      plan  (split, claude; gates: schema, coverage, test, touched, big)
        retry attempt: 2 → agent codex, prompt "Again", session new
        retry not: gate.test → worktree reset
        retry exit: 4
      each task of plan, in parallel
        build  (code, codex; gates: files)
          retry exit: 3
        look  (gates: files)
      both
        one
        two  (codex)
      again  (split, codex)
      each task of again
        only  (gates: files)
        then  (gates: files)
      -------> (return)
    "
  `));
  test('steps in Mermaid', () =>
    expect(mermaid(steps)).toMatchInlineSnapshot(`
    "stateDiagram-v2
        state WORK {
            state "plan · split, claude · gates: schema, coverage, test, touched, big" as w0_s0
            w0_s0 --> w0_s0 : retry: attempt: 2 → agent codex, prompt "Again", session new#59; not: gate.test → worktree reset#59; exit: 4
            state "each task of plan, in parallel" as w0_s1 {
                state "build · code, codex · gates: files" as w0_s1_s0
                w0_s1_s0 --> w0_s1_s0 : retry: exit: 3
                state "look · gates: files" as w0_s1_s1
                [*] --> w0_s1_s0
                w0_s1_s0 --> w0_s1_s1
                w0_s1_s1 --> [*]
            }
            state "both" as w0_s2 {
                state "one" as w0_s2_s0
                state "two · codex" as w0_s2_s1
                [*] --> w0_s2_s0
                w0_s2_s0 --> [*]
                [*] --> w0_s2_s1
                w0_s2_s1 --> [*]
            }
            state "again · split, codex" as w0_s3
            state "each task of again" as w0_s4 {
                state "only · gates: files" as w0_s4_s0
                state "then · gates: files" as w0_s4_s1
                [*] --> w0_s4_s0
                w0_s4_s0 --> w0_s4_s1
                w0_s4_s1 --> [*]
                w0_s4_s1 --> w0_s4_s0 : next task
            }
            [*] --> w0_s0
            w0_s0 --> w0_s1
            w0_s1 --> w0_s2
            w0_s2 --> w0_s3
            w0_s3 --> w0_s4
            w0_s4 --> [*]
        }
        [*] --> WORK
        WORK --> [*]
    "
  `));
  test('steps in DOT', () =>
    expect(dot(steps)).toMatchInlineSnapshot(`
    "digraph "program" {
      rankdir=TB;
      node [shape=box, style=rounded];
      "(return)" [shape=doublecircle, label="", width=0.2];
      subgraph "cluster_state_WORK" {
        label="WORK";
        "WORK" [penwidth=2];
        "step WORK/plan" [label="plan\\nsplit, claude\\ngates: schema, coverage, test, touched, big", style="rounded,filled", fillcolor="#f4f4f4"];
        "step WORK/plan" -> "step WORK/plan" [label="retry\\nattempt: 2 → agent codex, prompt \\"Again\\", session new\\nnot: gate.test → worktree reset\\nexit: 4", style=dashed];
        subgraph "cluster_step WORK/plan/<task>" {
          label="each task of plan, in parallel";
          "step WORK/plan/<task>/build" [label="build\\ncode, codex\\ngates: files", style="rounded,filled", fillcolor="#f4f4f4"];
          "step WORK/plan/<task>/build" -> "step WORK/plan/<task>/build" [label="retry\\nexit: 3", style=dashed];
          "step WORK/plan/<task>/look" [label="look\\ngates: files", style="rounded,filled", fillcolor="#f4f4f4"];
          "step WORK/plan/<task>/build" -> "step WORK/plan/<task>/look";
        }
        subgraph "cluster_step WORK/both" {
          label="both";
          "step WORK/both" [label="both", style="rounded,filled", fillcolor="#f4f4f4"];
          "step WORK/both/one" [label="one", style="rounded,filled", fillcolor="#f4f4f4"];
          "step WORK/both/two" [label="two\\ncodex", style="rounded,filled", fillcolor="#f4f4f4"];
          "step WORK/both" -> "step WORK/both/one";
          "step WORK/both" -> "step WORK/both/two";
        }
        "step WORK/again" [label="again\\nsplit, codex", style="rounded,filled", fillcolor="#f4f4f4"];
        subgraph "cluster_step WORK/again/<task>" {
          label="each task of again";
          "step WORK/again/<task>/only" [label="only\\ngates: files", style="rounded,filled", fillcolor="#f4f4f4"];
          "step WORK/again/<task>/then" [label="then\\ngates: files", style="rounded,filled", fillcolor="#f4f4f4"];
          "step WORK/again/<task>/only" -> "step WORK/again/<task>/then";
          "step WORK/again/<task>/then" -> "step WORK/again/<task>/only" [label="next task", style=dashed];
        }
        "step WORK/plan" -> "step WORK/plan/<task>/build";
        "step WORK/plan/<task>/look" -> "step WORK/both";
        "step WORK/both/one" -> "step WORK/again";
        "step WORK/both/two" -> "step WORK/again";
        "step WORK/again" -> "step WORK/again/<task>/only";
        "WORK" -> "step WORK/plan";
      }
      "WORK" -> "(return)";
    }
    "
  `));
  test('calls as a list', () =>
    expect(ascii(calls)).toMatchInlineSnapshot(`
    "program

    A  (initial)
      CALL find  (→ found)
      CALL price  (→ x)
      in parallel
        CALL price  (→ y)
        in order
          CALL find
          CALL find
      each in parallel
        CALL price
      CALL price
      -------> B

    B
      s
      CALL find  (→ z)
      -------> (return)
    "
  `));
  test('calls in Mermaid', () =>
    expect(mermaid(calls)).toMatchInlineSnapshot(`
    "stateDiagram-v2
        state A {
            state "CALL find · → found" as w0_s0
            state "CALL price · → x" as w0_s1
            state "in parallel" as w0_s2 {
                state "CALL price · → y" as w0_s2_s0
                state "in order" as w0_s2_s1 {
                    state "CALL find" as w0_s2_s1_s0
                    state "CALL find" as w0_s2_s1_s1
                    [*] --> w0_s2_s1_s0
                    w0_s2_s1_s0 --> w0_s2_s1_s1
                    w0_s2_s1_s1 --> [*]
                }
                [*] --> w0_s2_s0
                w0_s2_s0 --> [*]
                [*] --> w0_s2_s1
                w0_s2_s1 --> [*]
            }
            state "each in parallel" as w0_s3 {
                state "CALL price" as w0_s3_s0
                [*] --> w0_s3_s0
                w0_s3_s0 --> [*]
            }
            state "CALL price" as w0_s4
            [*] --> w0_s0
            w0_s0 --> w0_s1
            w0_s1 --> w0_s2
            w0_s2 --> w0_s3
            w0_s3 --> w0_s4
            w0_s4 --> [*]
        }
        state B {
            state "s" as w1_s0
            state "CALL find · → z" as w1_s1
            [*] --> w1_s0
            w1_s0 --> w1_s1
            w1_s1 --> [*]
        }
        [*] --> A
        A --> B
        B --> [*]
    "
  `));
  test('calls in DOT', () =>
    expect(dot(calls)).toMatchInlineSnapshot(`
    "digraph "program" {
      rankdir=TB;
      node [shape=box, style=rounded];
      "(return)" [shape=doublecircle, label="", width=0.2];
      subgraph "cluster_state_A" {
        label="A";
        "A" [penwidth=2];
        "step call A 0" [label="CALL find\\n→ found", style="rounded,filled", fillcolor="#f4f4f4"];
        "step call A 2" [label="CALL price\\n→ x", style="rounded,filled", fillcolor="#f4f4f4"];
        subgraph "cluster_step call A 6" {
          label="in parallel";
          "step call A 7" [label="CALL price\\n→ y", style="rounded,filled", fillcolor="#f4f4f4"];
          subgraph "cluster_step call member A 11" {
            label="in order";
            "step call A 11" [label="CALL find", style="rounded,filled", fillcolor="#f4f4f4"];
            "step call A 12" [label="CALL find", style="rounded,filled", fillcolor="#f4f4f4"];
            "step call A 11" -> "step call A 12";
          }
        }
        subgraph "cluster_step call A 14" {
          label="each in parallel";
          "step call A 15" [label="CALL price", style="rounded,filled", fillcolor="#f4f4f4"];
        }
        "step call A 20" [label="CALL price", style="rounded,filled", fillcolor="#f4f4f4"];
        "step call A 0" -> "step call A 2";
        "step call A 2" -> "step call A 7";
        "step call A 2" -> "step call A 11";
        "step call A 7" -> "step call A 15";
        "step call A 12" -> "step call A 15";
        "step call A 15" -> "step call A 20";
        "A" -> "step call A 0";
      }
      subgraph "cluster_state_B" {
        label="B";
        "B";
        "step B/s" [label="s", style="rounded,filled", fillcolor="#f4f4f4"];
        "step call B 6" [label="CALL find\\n→ z", style="rounded,filled", fillcolor="#f4f4f4"];
        "step B/s" -> "step call B 6";
        "B" -> "step B/s";
      }
      "A" -> "B";
      "B" -> "(return)";
    }
    "
  `));

  test('as instructions', () => {
    const described = [compiled(STEPS), compiled(CALLS, TOOLS)].flatMap((one) =>
      one.states.flatMap((state) => [
        `STATE ${state.name}`,
        ...describeState(state, one).map((described) =>
          [described.class, ...described.lines, ...described.options, ...described.reads.map(({ name }) => name)].join(
            ' | ',
          ),
        ),
      ]),
    );
    expect(described.join('\n')).toMatchInlineSnapshot(`
      "STATE WORK
      control | STEP WORK/plan (split)
      control | AGENT claude
      agent | PROMPT Plan {spec} [max_turns=3 max_cost=0.5 max_time=2m idle=30s no_write] | spec
      control | GATE schema
      command | GATE coverage: ./coverage, at least 80 %
      command | GATE test: ./test
      control | GATE touched: src/**, a
      control | GATE big (expr): spec == "x" | spec
      control | RETRY attempt: 2 → agent codex, prompt "Again", session new | RETRY not: gate.test → worktree reset | RETRY exit: 4
      control | EACH task of WORK/plan.output, in parallel, max 2
      control | STEP WORK/plan/<task>/build (code)
      control | AGENT codex, in the session of WORK/plan
      agent | PROMPT (continues in its session)
      control | GATE files: only the files of the task
      control | RETRY exit: 3
      control | STEP WORK/plan/<task>/look
      command | true
      control | GATE files: only the files of the task
      control | STEP WORK/both
      control | PARALLEL, 2 members
      control | STEP WORK/both/one
      command | true
      control | STEP WORK/both/two
      control | AGENT codex, in a new session
      agent | PROMPT two
      control | STEP WORK/again (split)
      control | AGENT codex
      agent | PROMPT x
      control | EACH task of WORK/again.output
      control | STEP WORK/again/<task>/only
      command | true
      control | GATE files: only the files of the task
      control | STEP WORK/again/<task>/then
      command | true
      control | GATE files: only the files of the task
      control | RETURN
      STATE A
      tool | CALL: found = find with q="a"
      control | PARALLEL, 2 members
      tool | CALL: x = price with of=1
      command | true
      control | PARALLEL, 3 members
      tool | CALL: y = price with of=1
      command | true
      tool | CALL: find with q="b"
      tool | CALL: find with q="c"
      control | FOR EACH item in PARALLEL | items
      tool | CALL: price with of={item} | item
      control | FOR EACH item in PARALLEL | items
      command | true
      tool | CALL: price with of=2
      tool | CALL: price with of=2
      control | GOTO B
      STATE B
      control | STEP B/s
      command | true
      tool | CALL: z = find with q="d"
      control | RETURN"
    `);
  });

  test('of many calls, only the first are drawn', () => {
    const many = `STATE: A\n${Array.from({ length: 62 }, (_, at) => `  CALL: find with q="${at}"\n`).join('')}  RETURN\n`;
    const [{ steps: drawn = [] } = { steps: [] }] = graphOf(compiled(many, TOOLS)).states;
    expect(drawn).toHaveLength(61);
    expect(drawn.at(-1)?.lines).toEqual(['and 2 more']);
  });
});

describe('what a ROLLBACK undoes in graphs', () => {
  const labels = (text: string): string[] =>
    graphOf(compiled(text)).edges.flatMap(({ kind, to, label }) => (kind === 'rollback' ? [`${to}: ${label}`] : []));

  test('everything before it, newest first, and at most three of a state', () => {
    const undo = (name: string) => `  DO: touch ${name}\n  UNDO: rm ${name}\n`;
    const text = `STATE: A\n${['a', 'b', 'c', 'd'].map(undo).join('')}  GOTO: B\nSTATE: B\n${undo('e')}${undo('e')}  RETURN\nSTATE: ERROR\n  ROLLBACK\n  FAIL: x\n`;
    expect(labels(text)).toEqual(['0: undo rm d; rm c; rm b; … 1 more', '1: undo rm e']);
  });

  test('nothing that another ROLLBACK or KEEP took', () => {
    const text = 'STATE: A\n  DO: touch a\n  UNDO: rm a\n  KEEP\n  DO: touch b\n  UNDO: rm b\n  ROLLBACK\n  RETURN\n';
    expect(labels(text)).toEqual(['0: undo rm b']);
  });

  test('in a branch or a turn, what was done in it', () => {
    const text = `STATE: A
  DO: touch a
  UNDO: rm a
  DO: in PARALLEL:
    - USE: P
    - USE: Q
  FOR EACH: x in [1] in PARALLEL:
    DO: touch d
    UNDO: rm d
    ROLLBACK
  RETURN
PATTERN: P
  DO: touch b
  UNDO: rm b
  IF: 1 == 1 → ROLLBACK
PATTERN: Q
  DO: touch c
  UNDO: rm c
`;
    expect(labels(text)).toEqual(['0: 1 == 1: undo rm b', '0: undo rm d']);
  });
});

test('more than eight conditions are cut', () => {
  const nested = Array.from({ length: 10 }, (_, at) => `${'  '.repeat(at + 1)}IF: n > ${at} →\n`).join('');
  const text = `STATE: A\n  TRACK: n = 1\n${nested}${'  '.repeat(11)}RETURN\n  GOTO: A\n`;
  expect(graphOf(compiled(text)).edges[0]?.label).toBe(
    '… AND n > 2 AND n > 3 AND n > 4 AND n > 5 AND n > 6 AND n > 7 AND n > 8 AND n > 9',
  );
});

/** A picture as text: each node with its rows, what is inside of it deeper, then the edges. */
function pictureText({ nodes, edges, arrange }: Picture, lead = ''): string[] {
  const inside = nodes.flatMap((node) => [
    `${lead}${node.kind} ${node.shape}: ${node.title}${node.about === undefined ? '' : ` (${node.about})`}`,
    ...node.rows.map(({ kind, text, depth }) => `${lead}  ${'  '.repeat(depth)}- ${kind ?? 'text'}: ${text}`),
    ...(node.inside === undefined ? [] : pictureText(node.inside, `${lead}  `)),
  ]);
  const name = (id: string): string => id.replace(/^m0 /, '');
  return [
    `${lead}${arrange}`,
    ...inside,
    ...edges.map((edge) => `${lead}${name(edge.from)} → ${name(edge.to)} ${edge.kind}: ${edge.labels.join(' / ')}`),
  ];
}

describe('pictures as text', () => {
  const drawn = (text: string, tools = '', failures = false) =>
    pictureText(machinesPicture([compiled(text, tools)], { failures })).join('\n');

  test('of steps', () =>
    expect(drawn(STEPS)).toMatchInlineSnapshot(`
    "flow
    start dot:  (the run starts)
    state card: WORK
      flow
      step card: plan
        - text: split, claude
        - text: gates: schema, coverage, test, touched, big
        - loop: retry: 4 attempts at most
          - text: attempt: 2 → agent codex, prompt "Again", session new
          - text: not: gate.test → worktree reset
      parallel card: each task of plan, in parallel
        flow
        step card: build
          - text: code, codex
          - text: gates: files
          - loop: retry: 3 attempts at most
        step card: look
          - text: gates: files
        state 0/1/0 → state 0/1/1 main: 
      parallel card: both
        row
        step card: one
        step card: two
          - text: codex
      step card: again
        - text: split, codex
      loop card: each task of again
        flow
        step card: only
          - text: gates: files
        step card: then
          - text: gates: files
        state 0/4/0 → state 0/4/1 main: 
      state 0/0 → state 0/1 main: 
      state 0/1 → state 0/2 main: 
      state 0/2 → state 0/3 main: 
      state 0/3 → state 0/4 main: 
    end pill: returned
    start → state 0 main: 
    state 0 → end main: "
  `));
  test('of calls', () =>
    expect(drawn(CALLS, TOOLS)).toMatchInlineSnapshot(`
    "flow
    start dot:  (the run starts)
    state card: A
      - call: CALL find
        - text: → found
      - parallel: 2 in parallel: x, DO: true
        - call: CALL price
          - text: → x
      - parallel: 3 in parallel: y, DO: true, USE: Q
        - call: CALL price
          - text: → y
        - call: CALL find (2 times)
      - parallel: each item in parallel
        - call: CALL price
      - parallel: each item in parallel
      - call: CALL price (2 times)
    state card: B
      flow
      step card: s
      call card: CALL find
        - text: → z
      state 1/0 → state 1/1 main: 
    end pill: returned
    start → state 0 main: 
    state 0 → state 1 main: 
    state 1 → end main: "
  `));

  const ALL = `INPUT: items = [1]
STATE: A
  TRACK: n = 1
  SET: n = 2
  INCREMENT: n by 2
  CHECK: x = cat v
  DO [timeout=3s retry=2]: touch a
  UNDO: rm a
  FOR EACH: item in items:
    DO: echo {item}
    IF: item == 2 → EMIT: FOUND item={item}, of="x"
  IF: n == 3 →
    DO: Task(claude) "Write {n}" > plan.md
    WAIT: 3s
  ELSE IF: n == 4 → GOTO: A
  ELSE: → DO: ls
  WAIT: signal go OR timeout=1h
  WAIT: n > 3 OR timeout=1h
    CHECK: n = cat v
  WAIT: x == 2 OR timeout=2h
    DO: x = cat v
  ASK user: "Go on?" → ok choices=yes,no
  DO: in PARALLEL [max=2]:
    - DO: one = ls
    - DO: ls
  DO: ls
  DO: ls
  KEEP
  GOTO: B with n
  ON ERROR timeout: → GOTO: A
  ON ERROR:
    ROLLBACK
    GOTO: B with n=1
STATE: B
  IF: n == 1 → FAIL: no
  RETURN: {n}
STATE: ERROR
  ROLLBACK
  RETURN
`;
  test('of instructions', () =>
    expect(drawn(ALL)).toMatchInlineSnapshot(`
      "flow
      start dot:  (the run starts)
      failure pill: failure in B (a failure in B)
      state card: A
        - loop: for each item
        - agent: claude: Write {n}
        - wait: waits 3s
        - wait: waits for signal go
        - wait: waits until n > 3, at most 1h
        - wait: waits until x == 2, at most 2h
        - question: asks for ok: yes / no
        - parallel: 2 in parallel, at most 2 at once: one, DO: ls
      state card: B
      failure card: ERROR
      end pill: returned
      failure pill: failed
      start → state 0 main: 
      state 0 → state 0 again: NOT (n == 3) AND n == 4
      state 0 → state 1 main: 
      state 0 → state 0 failure: on error timeout
      state 0 → state 0 undo: on error: undo rm a
      state 0 → state 1 failure: on error
      state 1 → end main: 
      state 2 → state 0 undo: undo rm a
      state 2 → failure main: 
      failures → state 2 failure: "
    `));
  test('of instructions with their failures', () =>
    expect(drawn(ALL, '', true)).toMatchInlineSnapshot(`
      "flow
      start dot:  (the run starts)
      state card: A
        - loop: for each item
        - agent: claude: Write {n}
        - wait: waits 3s
        - wait: waits for signal go
        - wait: waits until n > 3, at most 1h
        - wait: waits until x == 2, at most 2h
        - question: asks for ok: yes / no
        - parallel: 2 in parallel, at most 2 at once: one, DO: ls
      state card: B
      failure card: ERROR
      end pill: returned
      failure pill: failed
      start → state 0 main: 
      state 0 → state 0 again: NOT (n == 3) AND n == 4
      state 0 → state 1 main: 
      state 0 → state 0 failure: on error timeout
      state 0 → state 0 undo: on error: undo rm a
      state 0 → state 1 failure: on error
      state 1 → end main: 
      state 1 → state 2 failure: 
      state 2 → state 0 undo: undo rm a
      state 2 → failure main: "
    `));
  test('of several machines, and of none', () => {
    const both = [compiled('STATE: A\n  RETURN\n'), compiled('STATE: B\n  GOTO: B\n')];
    expect(pictureText(machinesPicture(both, { failures: false })).join('\n')).toMatchInlineSnapshot(`
      "stack
      machine card: program
        flow
        start dot:  (the run starts)
        state card: A
        end pill: returned
        start → state 0 main: 
        state 0 → end main: 
      machine card: program
        flow
        start dot:  (the run starts)
        state card: B
        m1 start → m1 state 0 main: 
        m1 state 0 → m1 state 0 again: "
    `);
    expect(pictureText(machinesPicture([], { failures: false })).join('\n')).toMatchInlineSnapshot(`
      "stack
      input pill: this file has no states to draw"
    `);
  });
});

test('workflows in steps: what runs them, with what, and what they judge', () => {
  const text = `INPUT: spec
STATE: WORK
  STEP: plan type=split
    PROMPT: "x"
    AGENT: claude
  STEP: inner
    WORKFLOW: look with topic={spec}, n=2, plan={plan.output}, t="a {spec}"
  STEP: judged
    CONTEXT: file=a.md, bash="git log", workflow=look with topic="x", n=1, plan="", t=""
    PROMPT: "y"
    AGENT: codex
    GATE: validate look with topic="z", n=1, plan="", t="" as review
    RETRY:
      VALIDATE look with topic={error}, n=1, plan="", t="" → AGENT claude, WORKTREE reset, SESSION new
      ATTEMPT 2 → RESTART_FROM plan
      EXIT 3
  RETURN
`;
  const look = `max_cost: 2
inputs: [topic, n, plan, t]
steps:
  - name: read
    agent: claude
    prompt: Read {topic} {n} {plan} {t}
  - name: judge
    type: validate
    agent: claude
    prompt: Is {topic} right?
`;
  const sections = [
    { name: 'program', text },
    { name: 'file workflows/look.yaml', text: look },
    { name: 'file a.md', text: 'x' },
    { name: 'config', text: 'agents: { claude: { adapter: claude }, codex: { adapter: codex } }\n' },
  ];
  const { machine, diagnostics } = compileCase({ kind: 'check', path: '', name: '', intro: '', sections });
  expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
  const one = machine as Machine;
  const lines = one.states.flatMap((state) =>
    describeState(state, one).flatMap(({ lines: words, reads }) => [
      ...words,
      ...reads.map((read) => `  reads ${referenceWords(read)}`),
    ]),
  );
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "STEP WORK/plan (split)
    AGENT claude
    PROMPT x
    STEP WORK/inner
    WORKFLOW look with topic={spec}, n=2, plan={plan.output}, t="a {spec}"
      reads spec (input)
      reads plan.output (WORK/plan.output)
    STEP WORK/inner.state.read
    AGENT claude
    PROMPT Read {topic} {n} {plan} {t}
      reads topic (argument)
      reads n (argument)
      reads plan (argument)
      reads t (argument)
    STEP WORK/inner.state.judge (validate)
    AGENT claude
    PROMPT Is {topic} right?
      reads topic (argument)
    STEP WORK/judged
    AGENT codex
    CONTEXT read a.md
    CONTEXT git log
    CONTEXT workflow look with topic="x", n=1, plan="", t=""
    STEP WORK/judged.state.read
    AGENT claude
    PROMPT Read {topic} {n} {plan} {t}
      reads topic (argument)
      reads n (argument)
      reads plan (argument)
      reads t (argument)
    STEP WORK/judged.state.judge (validate)
    AGENT claude
    PROMPT Is {topic} right?
      reads topic (argument)
    PROMPT y
    GATE review (validate): look with topic="z", n=1, plan="", t=""
    STEP WORK/judged.gate.review.state.read
    AGENT claude
    PROMPT Read {topic} {n} {plan} {t}
      reads topic (argument)
      reads n (argument)
      reads plan (argument)
      reads t (argument)
    STEP WORK/judged.gate.review.state.judge (validate)
    AGENT claude
    PROMPT Is {topic} right?
      reads topic (argument)
    RETRY validate: look → agent claude, session new, worktree reset
    RETRY attempt: 2 → restart_from plan
    RETRY exit: 3
    RETRY asks look with topic={error}, n=1, plan="", t=""
      reads error (the last failed attempt of WORK/judged)
    STEP WORK/judged.retry.state.read
    AGENT claude
    PROMPT Read {topic} {n} {plan} {t}
      reads topic (argument)
      reads n (argument)
      reads plan (argument)
      reads t (argument)
    STEP WORK/judged.retry.state.judge (validate)
    AGENT claude
    PROMPT Is {topic} right?
      reads topic (argument)
    RETURN"
  `);
  expect(ascii([graphOf(one)])).toMatchInlineSnapshot(`
    "program

    WORK  (initial)
      plan  (split, claude)
      inner  (workflow look)
        read  (claude)
        judge  (validate, claude)
      judged  (codex; gates: review)
        retry validate: look → agent claude, session new, worktree reset
        retry attempt: 2 → restart_from plan
        retry exit: 3
        read  (claude)
        judge  (validate, claude)
      -------> (return)
    "
  `);
});

test('what is told of each step has what its sections say', () => {
  const steps = compiled(STEPS).states.flatMap((state) => stepSummaries(state, compiled(STEPS)));
  const told = steps.map(({ gates, reads, ...one }) => ({
    ...one,
    gates: gates.map(({ name, kind, what }) => `${name} ${kind}: ${what}`),
    reads: reads.map(({ name }) => name),
  }));
  expect(told.map((one) => JSON.stringify(one)).join('\n')).toMatchInlineSnapshot(`
    "{"path":"WORK/plan","type":"split","file":"program.dsl","line":3,"agent":"claude","session":null,"guards":["max_turns=3","max_cost=0.5","max_time=2m","idle=30s","no_write"],"context":[],"workflow":null,"retry":["attempt: 2 → agent codex, prompt \\"Again\\", session new","not: gate.test → worktree reset"],"exit":4,"gates":["schema schema: ","coverage coverage: ./coverage, at least 80 %","test test: ./test","touched touched: src/**, a","big expr: spec == \\"x\\""],"reads":["spec"]}
    {"path":"WORK/plan/<task>/build","type":"code","file":"program.dsl","line":12,"agent":"codex","session":"WORK/plan","guards":[],"context":[],"workflow":null,"retry":[],"exit":3,"gates":["files files: only the files of the task"],"reads":[]}
    {"path":"WORK/plan/<task>/look","type":"none","file":"program.dsl","line":16,"agent":null,"session":null,"guards":[],"context":[],"workflow":null,"retry":[],"exit":1,"gates":["files files: only the files of the task"],"reads":[]}
    {"path":"WORK/both","type":"none","file":"program.dsl","line":18,"agent":null,"session":null,"guards":[],"context":[],"workflow":null,"retry":[],"exit":1,"gates":[],"reads":[]}
    {"path":"WORK/both/one","type":"none","file":"program.dsl","line":19,"agent":null,"session":null,"guards":[],"context":[],"workflow":null,"retry":[],"exit":1,"gates":[],"reads":[]}
    {"path":"WORK/both/two","type":"none","file":"program.dsl","line":21,"agent":"codex","session":null,"guards":[],"context":[],"workflow":null,"retry":[],"exit":1,"gates":[],"reads":[]}
    {"path":"WORK/again","type":"split","file":"program.dsl","line":25,"agent":"codex","session":null,"guards":[],"context":[],"workflow":null,"retry":[],"exit":1,"gates":[],"reads":[]}
    {"path":"WORK/again/<task>/only","type":"none","file":"program.dsl","line":29,"agent":null,"session":null,"guards":[],"context":[],"workflow":null,"retry":[],"exit":1,"gates":["files files: only the files of the task"],"reads":[]}
    {"path":"WORK/again/<task>/then","type":"none","file":"program.dsl","line":31,"agent":null,"session":null,"guards":[],"context":[],"workflow":null,"retry":[],"exit":1,"gates":["files files: only the files of the task"],"reads":[]}"
  `);
});
