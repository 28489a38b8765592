/** The graph of a verified program, with the colors of what runs reach. */
import type { Verification } from '../../lab/foresight/verify-machine.js';
import { mermaid } from '../../views/graph/graph-text.js';
import { graphOf } from '../../views/graph/machine-graph.js';
import { machinesPicture, type ReachOf } from '../../views/graph/machine-picture.js';

export async function verificationGraph(
  results: readonly Verification[],
  form: 'svg' | 'mermaid',
): Promise<{ readonly text: string } | { readonly problem: string }> {
  const machines = results.map(({ machine }) => machine);
  if (form === 'mermaid') {
    const unreached = results.map(unreachedStates);
    return { text: mermaid(machines.map(graphOf), (graph, state) => unreached[graph]?.has(state) === true) };
  }
  const { layOutSvg } = await import('../terminal/graph-svg.js');
  const picture = machinesPicture(machines, { failures: false, reachOf: reachOf(results) });
  const drawn = await layOutSvg(`reached: ${machines.map(({ name }) => name).join(', ')}`, picture);
  return 'svg' in drawn ? { text: drawn.svg } : drawn;
}

/** Empty if not everything was explored: then nothing is known to be unreachable. */
function unreachedStates({ machine, stoppedBy, reached }: Verification): ReadonlySet<number> {
  if (stoppedBy !== null) return new Set();
  return new Set(machine.states.flatMap((_, at) => (reached.states.has(at) ? [] : [at])));
}

function reachOf(results: readonly Verification[]): ReachOf {
  const of = new Map(results.map((result) => [result.machine, result]));
  return {
    state: (machine, state) => {
      const result = of.get(machine);
      if (result === undefined) return undefined;
      if (result.reached.states.has(state)) return { reach: 'reached', text: entriesOf(result, state) };
      return result.stoppedBy === null ? { reach: 'missed', text: 'no run enters it' } : undefined;
    },
    step: () => undefined,
    transition: (machine, { from, to, kind }) => {
      const result = of.get(machine);
      if (result === undefined || kind !== 'goto' || to === null) return undefined;
      if (result.reached.transitions.has(`${from} ${to}`)) return 'reached';
      // A target that is computed is not among the transitions.
      const isComputed = machine.states[from]?.code.some(({ op }) => op === 'goto-dynamic') === true;
      return result.stoppedBy === null && !isComputed ? 'missed' : undefined;
    },
  };
}

function entriesOf({ machine, bounds }: Verification, state: number): string {
  const bound = bounds.find(({ what }) => what === `state ${machine.states[state]?.name}`);
  if (bound === undefined) return 'entered';
  const most = bound.formula ?? bound.atMost;
  return most === null ? 'entered without a bound' : `entered at most ${most} ${most === 1 ? 'time' : 'times'}`;
}
