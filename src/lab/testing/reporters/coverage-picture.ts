/** What tests execute as a picture: the graph of each program, with the colors of what was executed of its states and steps. */
import type { Machine } from '../../../machine/machine.js';
import { machinesPicture, type ReachOf } from '../../../views/graph/machine-picture.js';
import type { ReachNote } from '../../../views/graph/step-picture.js';
import type { Picture } from '../../../views/picture/picture.js';
import type { Coverage, CoveredItem } from '../coverage.js';

export function coveragePicture(coverage: Coverage): { readonly name: string; readonly picture: Picture } {
  const machines = [...coverage.machines.values()];
  const name = `covered: ${machines.map((machine) => machine.name).join(', ')}`;
  return { name, picture: machinesPicture(machines, { failures: false, reachOf: reachOf(coverage) }) };
}

function reachOf(coverage: Coverage): ReachOf {
  return {
    state: (machine, index) =>
      noteOf(coverage, coverage.inState(machine, machine.states[index] as Machine['states'][number])),
    step: (machine, path) => noteOf(coverage, coverage.inStep(machine, path)),
    transition: (machine, { from, to, kind }) => {
      if (kind !== 'goto' || to === null) return undefined;
      const [source, target] = [machine.states[from], machine.states[to]] as readonly Machine['states'][number][];
      const label = `${source?.name} → ${target?.name}`;
      const ways = coverage.inState(machine, source as Machine['states'][number]).filter((one) => one.label === label);
      if (ways.length === 0) return undefined;
      if (!ways.some((way) => coverage.isCounted(way))) return 'unreachable';
      return ways.some(({ hits }) => hits > 0) ? 'reached' : 'missed';
    },
  };
}

function noteOf(coverage: Coverage, all: readonly CoveredItem[]): ReachNote | undefined {
  if (all.length === 0) return undefined;
  const items = all.filter((item) => coverage.isCounted(item));
  if (items.length === 0) return { reach: 'unreachable', text: 'no run comes here' };
  const covered = items.filter(({ hits }) => hits > 0).length;
  const reach = covered === items.length ? 'reached' : covered === 0 ? 'missed' : 'partly';
  return { reach, text: `${covered} of ${items.length} covered` };
}
