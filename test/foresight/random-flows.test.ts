/**
 * Every run of a random program is a way through the explored graph: each of its segments is an edge, each condition had
 * that value, and nothing happens more often or takes longer than the bounds say.
 */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { advance, linkObserved, type Run, startRun } from '../../src/interpreter/run.js';
import type { Bound } from '../../src/lab/foresight/bound.js';
import { boundsOf, nameOf } from '../../src/lab/foresight/bounds.js';
import type { Exploration } from '../../src/lab/foresight/exploration.js';
import { explore } from '../../src/lab/foresight/explore.js';
import { exploreOptions } from '../../src/lab/foresight/explore-options.js';
import { type CountedSite, countedSite } from '../../src/lab/foresight/explored-graph.js';
import { runOptionsOf } from '../../src/lab/foresight/foresight-options.js';
import { agentTools, type Machine } from '../../src/machine/machine.js';
import { amount, tries } from '../amount.js';
import { formulaValue } from './compared.js';
import { FIRST, OPTIONS, sequence } from './programs.js';
import { type Kind, MAX_COST, randomFlow } from './random-flows.js';
import { RandomWorld } from './random-outcomes.js';
import { machineWithFiles } from './with-files.js';

/** A command is counted by its line, everything else by its name, in whatever state. */
const textOf = (site: CountedSite): string =>
  site.kind === 'command' ? `${site.state} ${nameOf(site)}` : nameOf(site);

/** What a segment shows: what is counted, and how the run ended. */
function shownBy(events: readonly RunEvent[], run: Run, agents: ReadonlyMap<string, string>): string {
  const { result } = run;
  const counted = events.flatMap((event) => countedSite(event, agents) ?? []).map(textOf);
  return [...counted, result === null ? '' : `${result.status} ${result.state} ${result.error?.kind}`].join('\n');
}

/** The configurations in which a run can be, as far as it was followed; null: the reductions leave out its way. */
class Follower {
  private at: ReadonlySet<number> | null = null;
  private readonly isFollowed: boolean;
  private readonly texts: readonly string[];

  constructor(private readonly exploration: Exploration) {
    const { nodes, sites } = exploration;
    // A long segment may end earlier in an exploration.
    this.isFollowed = nodes.every(({ out }) => out.every(({ pending }) => pending >= 0));
    this.texts = sites.map(textOf);
  }

  /** False: no edge does that. */
  follow(shown: string, pending: number): boolean {
    if (!this.isFollowed) return true;
    const { nodes, begins } = this.exploration;
    const edges =
      this.at === null
        ? begins
        : [...this.at].flatMap((at) => nodes[at]?.out.filter((edge) => edge.pending === pending) ?? []);
    const fitting = edges.filter(({ counts, to }) => {
      const result = nodes[to]?.result ?? null;
      const end = result === null ? '' : `${result.status} ${result.state} ${result.error ?? undefined}`;
      return [...counts.map((site) => this.texts[site]), end].join('\n') === shown;
    });
    this.at = new Set(fitting.map(({ to }) => to));
    return this.at.size > 0;
  }
}

/** Whether the condition of an IF was true and false, by its position. */
interface Seen {
  readonly wasTrue: Set<number>;
  readonly wasFalse: Set<number>;
}

function problemsOfRun(
  exploration: Exploration,
  bounds: readonly Bound[],
  random: (below: number) => number,
  oneOrder: boolean,
  isPatient: boolean,
): string[] {
  const { machine, executed } = exploration;
  const world = new RandomWorld(machine, random, oneOrder, isPatient);
  const seen: Seen = { wasTrue: new Set(), wasFalse: new Set() };
  const linked = linkObserved(machine, (pc, next) => {
    if (next !== null) (next === pc + 1 ? seen.wasTrue : seen.wasFalse).add(pc);
  });
  const inputs = world.inputs(machine);
  const run = startRun(linked, { ...runOptionsOf(machine, { inputs }), limits: machine.limits });
  const follower = new Follower(exploration);
  const counts = new Map<string, number>();
  const agents = agentTools(machine);
  const wrong: string[] = [];
  for (let step = 0, pending: number | null = -1; step < 50 && pending !== null; step++) {
    if (advance(run, 1000) === 'more') break;
    const events = run.takeEvents();
    world.note(run.takeRequests());
    run.takeCancellations();
    for (const site of events.flatMap((event) => countedSite(event, agents) ?? []))
      counts.set(nameOf(site), (counts.get(nameOf(site)) ?? 0) + 1);
    const isLimit = run.result?.error?.kind === 'limit';
    if (oneOrder && !isLimit && !follower.follow(shownBy(events, run, agents), pending))
      wrong.push(`no way: ${shownBy(events, run, agents)}`);
    if (run.result !== null || wrong.length > 0) break;
    pending = world.act(run);
  }
  const code = machine.states.flatMap((state) => state.code);
  code.forEach((one, pc) => {
    if (one.op !== 'unless') return;
    if (seen.wasTrue.has(pc) && executed.wasTrue[pc] === 0) wrong.push(`line ${one.origin.line}: ${one.text} was true`);
    if (seen.wasFalse.has(pc) && executed.wasFalse[pc] === 0)
      wrong.push(`line ${one.origin.line}: ${one.text} was false`);
  });
  return [...wrong, ...beyondBounds(bounds, counts, world.time)];
}

function beyondBounds(bounds: readonly Bound[], counts: ReadonlyMap<string, number>, ms: number): string[] {
  const most = (what: string): number | null | undefined => {
    const bound = bounds.find((one) => one.what === what);
    const byLists = bound?.formula == null ? Number.NaN : formulaValue(bound.formula, OPTIONS.longest);
    return Number.isNaN(byLists) ? bound?.atMost : byLists;
  };
  const wrong = [...counts].flatMap(([what, count]) => {
    const bound = most(what);
    return bound === null || (bound !== undefined && count <= bound) ? [] : [`${what}: ${count}, not ${bound}`];
  });
  return ms / 1000 > (most('time') ?? Number.POSITIVE_INFINITY) ? [...wrong, `it took ${ms} ms`] : wrong;
}

/** Null: it is too large for a test. */
function explored(machine: Machine, oneOrder: boolean): Exploration | null {
  const options = { ...OPTIONS, maxConfigurations: 1500, maxSegments: 6000, maxCost: MAX_COST };
  const without = new Set(oneOrder ? [] : (['one-order'] as const));
  const exploration = explore(machine, { ...exploreOptions(machine, options, options.free), without });
  return exploration.stoppedBy === null ? exploration : null;
}

/** A block is a test, so that none takes long. */
const BLOCK = amount(2, 60);
const blocks = Array.from({ length: tries(2, 20) }, (_, at) => FIRST + 6 + at * BLOCK);

const KINDS: readonly (readonly Kind[])[] = [
  [],
  ['steps'],
  ['lists'],
  ['undo'],
  ['calls'],
  ['splits'],
  ['steps', 'undo'],
  ['polls'],
  ['agents', 'codes'],
  ['polls', 'codes'],
  ['again'],
  ['members'],
  ['huge'],
  ['limits'],
  ['mixed'],
  ['mixed', 'undo'],
];

test.each(blocks)('random runs of random flows, from seed %d', async (first) => {
  let count = 0;
  for (let seed = first; seed < first + BLOCK; seed++) {
    const random = sequence(seed);
    const kinds = KINDS[seed % KINDS.length] as readonly Kind[];
    // Few other lines end a run before its WAITs are over.
    const program = randomFlow(random, kinds, kinds.includes('polls'));
    const machine = await machineWithFiles(program);
    const oneOrder = seed % 2 === 0;
    const exploration = machine === null ? null : explored(machine, oneOrder);
    if (exploration === null) continue;
    count++;
    const bounds = boundsOf(exploration, { maxCost: MAX_COST });
    for (let round = 0; round < 15; round++)
      expect(problemsOfRun(exploration, bounds, random, oneOrder, round < 4), `seed ${seed}\n${program}`).toEqual([]);
  }
  expect(count).toBeGreaterThan(BLOCK / 8);
});
