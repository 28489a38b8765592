/** Walks over graphs of states, held against the slow way of asking; and how long large programs take. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { components } from '../../src/language/check/graph/components.js';
import { dominators } from '../../src/language/check/graph/state-graph.js';
import { amount, tries } from '../amount.js';

const SIZE = 9;
const graphs = fc.array(fc.tuple(fc.nat(SIZE - 1), fc.nat(SIZE - 1)), { maxLength: 30 }).map((edges) => {
  const successors: number[][] = Array.from({ length: SIZE }, () => []);
  for (const [from, to] of edges) successors[from]?.push(to);
  return successors;
});

/** The nodes that can be reached from `root` without entering `except`. */
function reach(successors: readonly number[][], root: number, except = -1): Set<number> {
  const seen = new Set<number>(root === except ? [] : [root]);
  for (const node of seen) for (const next of successors[node] ?? []) if (next !== except) seen.add(next);
  return seen;
}

function holds(law: (graph: number[][]) => void): void {
  fc.assert(fc.property(graphs, law), { numRuns: tries(20, 1000) });
}

describe('graphs', () => {
  test('a node dominates those that cannot be reached without it', () => {
    holds((graph) => {
      const { isReached, dominates } = dominators(graph, 0);
      const reached = reach(graph, 0);
      for (let node = 0; node < SIZE; node++) {
        expect(isReached(node)).toBe(reached.has(node));
        for (const by of reached) {
          if (reached.has(node)) expect(dominates(by, node)).toBe(!reach(graph, 0, by).has(node));
        }
      }
    });
  });

  test('a component holds the nodes that lead to each other', () => {
    holds((graph) => {
      const found = components(graph, () => false);
      expect(found.flat().sort((a, b) => a - b)).toEqual([...graph.keys()]);
      const of = new Map(found.flatMap((nodes, index) => nodes.map((node) => [node, index] as const)));
      for (let a = 0; a < SIZE; a++)
        for (let b = 0; b < SIZE; b++)
          expect(of.get(a) === of.get(b)).toBe(reach(graph, a).has(b) && reach(graph, b).has(a));
    });
  });
});

/** How their time grows is measured in `bench/growth.ts`. */
describe('large programs', () => {
  /** Each with the codes of its messages. */
  const codes: Readonly<Record<string, readonly string[]>> = {
    'a long chain of states': ['unknown-name'],
    'GOTOs to anywhere': [],
    'unreachable GOTOs': ['unbounded-cycle', 'unreachable-instruction'],
    'names that nothing binds': ['unknown-name'],
    'arguments of one GOTO': ['unbounded-cycle'],
    'patterns that only use patterns': ['unknown-argument', 'expansion-too-large'],
    'a ring of states, each with a counter of its own': ['unbounded-cycle'],
    'a script of pipes': [],
  };
  const programs: Readonly<Record<string, (size: number) => string>> = {
    'a long chain of states': (size) =>
      `${Array.from({ length: size }, (_, n) => `STATE: S${n}\n  GOTO: S${n + 1} with x={n}\n`).join('')}STATE: S${size}\n  RETURN: {x}\n`,
    'GOTOs to anywhere': (size) =>
      `PATTERN: P with to\n  GOTO {to}\n${Array.from({ length: size }, (_, n) => `STATE: S${n}\n  TRACK: t = "S1"\n  USE: P with to={t}\n`).join('')}`,
    'unreachable GOTOs': (size) => `STATE: A\n${'  GOTO: A\n'.repeat(size * 4)}`,
    'names that nothing binds': (size) =>
      Array.from({ length: size }, (_, n) => `TRACK: t${n}\nIF: n${n} == 1 → PROCEED\n`).join(''),
    'arguments of one GOTO': (size) =>
      `STATE: A\n  GOTO: A with ${Array.from({ length: size * 2 }, (_, n) => `x${n}=${n}`).join(', ')}\n`,
    'a ring of states, each with a counter of its own': (size) =>
      Array.from(
        { length: size },
        (_, n) =>
          `STATE: S${n}\n  TRACK: n${n} = 0\n  INCREMENT: n${n}\n  IF: n${n} < 3 → GOTO: S${n}\n  GOTO: S${(n + 1) % size}\n`,
      ).join(''),
    'a script of pipes': (size) => `DO:\n${'  echo a | wc -l\n'.repeat(size * 10)}`,
    'patterns that only use patterns': () =>
      `${Array.from({ length: 40 }, (_, n) => `PATTERN: P${n}\n  USE: P${n + 1} with q=1\n  USE: P${n + 1}\n`).join('')}PATTERN: P40\n  PROCEED\nUSE: P0\n`,
  };

  test.each(Object.entries(programs))('%s', (what, program) => {
    const { diagnostics } = compile(program(amount(125, 10_000)));
    expect([...new Set(diagnostics.map(({ code }) => code))]).toEqual(codes[what]);
  });
});
