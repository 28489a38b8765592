/**
 * The cost of scheduling the calls of a plan, without the time of the tools: every call is answered at once. Wide is ten
 * thousand calls that all can run; deep is as many, each of which reads the one before. Beside them the same deep
 * graph in a peer, where it is installed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PlanEngine } from '../src/interpreter/plan/engine/plan-engine.js';
import { compilePlan } from '../src/language/check/plan/compile-plan.js';
import { readPlanDocument } from '../src/language/frontends/plan-document.js';
import { readYamlTree } from '../src/language/frontends/yaml-tree.js';
import type { Plan } from '../src/machine/plan.js';
import type { Row } from './row.js';
import { root } from './scratch.js';
import { takeTurns } from './timing.js';

const CALLS = 10_000;
/** Growth is seen over a range of sizes. */
const FACTOR = 8;
const PEER_CALLS = 300;

type Shape = 'wide' | 'deep';

function planOf(shape: Shape, calls: number): Plan {
  const reads = (index: number): string => (shape === 'wide' || index === 0 ? '†input.x' : `†state.r${index - 1}`);
  const document = Array.from({ length: calls }, (_, index) => ({
    _tool: 't',
    x: reads(index),
    _outputPath: `†state.r${index}`,
  }));
  const { plan: tree } = readPlanDocument(JSON.stringify(document), 0);
  const tools = readYamlTree('t: { run: [t], idempotent: true }', 1).root;
  if (tree === null || tools === null) throw new Error('the plan of the benchmark cannot be read');
  const { plan } = compilePlan(tree, {
    tools: { name: 'tools.yaml', root: tools },
    found: [],
    validate: () => null,
    readNextTo: () => ({ error: 'no such file' }),
  });
  if (plan === null) throw new Error('the plan of the benchmark has errors');
  return plan;
}

function schedule(plan: Plan): void {
  const run = new PlanEngine({
    plans: { plan },
    name: 'plan',
    given: { input: { x: 1 } },
    limit: 16,
    sink: { write: () => undefined, note: () => undefined },
  });
  for (let leaves = run.launchReady(); leaves.length > 0; leaves = run.launchReady())
    for (const { key } of leaves) run.settle(key, { kind: 'result', value: 1 });
  if (run.result === null || run.result.failures.length > 0) throw new Error('the plan of the benchmark did not end');
}

export const planCalls: Row = {
  name: 'plan calls',
  async measure() {
    const measured = [];
    for (const shape of ['wide', 'deep'] as const) {
      const plan = planOf(shape, CALLS);
      const larger = planOf(shape, CALLS * FACTOR);
      // As many calls in both turns, so that both make as much garbage.
      const many = () => {
        for (let one = 0; one < FACTOR; one++) schedule(plan);
      };
      const [manyMs = 0, largerMs = 0] = await takeTurns(5, [many, () => schedule(larger)]);
      const ms = manyMs / FACTOR;
      const microseconds = (ms * 1000) / CALLS;
      const what = `scheduling a call of a ${shape} plan of ${CALLS}`;
      measured.push({
        what,
        sides: `${ms.toFixed(0)} ms for all of them`,
        ratio: microseconds,
        unit: 'µs',
        atMost: 10,
      });
      measured.push({
        what: `growth of a ${shape} plan, as an exponent`,
        sides: `${ms.toFixed(0)} ms, and ${largerMs.toFixed(0)} ms for ${CALLS * FACTOR}`,
        ratio: Math.log(largerMs / ms) / Math.log(FACTOR),
        unit: '',
        atMost: 1.1,
      });
    }
    return [...measured, await besidePeer()];
  },
};

async function besidePeer() {
  const what = `${PEER_CALLS} calls in a row / LangGraph.js in memory`;
  const peers = join(root, 'bench/peers');
  if (!existsSync(join(peers, 'node_modules/@langchain/langgraph')))
    return { what, sides: 'not installed: npm install --prefix bench/peers --no-package-lock', ratio: Number.NaN };
  const plan = planOf('deep', PEER_CALLS);
  const [ours = 0] = await takeTurns(5, [() => schedule(plan)]);
  const args = [join(peers, 'langgraph-calls.mjs'), String(PEER_CALLS)];
  const other = Number(execFileSync(process.execPath, args, { cwd: peers, encoding: 'utf8' }));
  return { what, sides: `${ours.toFixed(2)} ms vs ${other.toFixed(0)} ms`, ratio: other / ours, atLeast: 1 };
}
