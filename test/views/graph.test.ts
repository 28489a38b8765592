import { expect, test } from 'vitest';
import type { Machine } from '../../src/machine/machine.js';
import { ascii, dot, mermaid } from '../../src/views/graph/graph-text.js';
import { graphOf } from '../../src/views/graph/machine-graph.js';
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
