/**
 * Parallel loops over a list of which longer lists add nothing but calls: the members share nothing, nothing looks at their
 * results, and nothing else looks at the list, except whether it is empty. The first member that fails decides how the loop
 * fails, and a rule about moments is violated by one member; so two members show what any number of them can do.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Json, SlotRef } from '../../machine/expression.js';
import { agentTools, type Instruction, type Machine, type State } from '../../machine/machine.js';
import { type CountedSite, countedSite, type Mistake } from './explored-graph.js';
import type { Monitors } from './monitors.js';
import { controlParts, readsIn, readsThatFail, type Variable, variableOf } from './reductions/reads.js';

type ParallelLoop = Extract<Instruction, { op: 'fork-each' }>;

/** What members may do: calls, conditions, and their own locals. */
const OWN: ReadonlySet<Instruction['op']> = new Set([
  ...(['shell', 'argv', 'function', 'agent', 'unless', 'jump', 'emit', 'fail', 'branch-end'] as const),
]);

/** Instructions that show a value without looking at it. */
const SHOWING: ReadonlySet<Instruction['op']> = new Set(['shell', 'agent', 'emit', 'return']);

/** The positions of these loops, over all states. `looksAtErrors`: the words of failures decide something. */
export function independentLoops(machine: Machine, monitors: Monitors, looksAtErrors: boolean): ReadonlySet<number> {
  const found = new Set<number>();
  let base = 0;
  for (const [index, state] of machine.states.entries()) {
    const look = new Looks(machine, index, monitors);
    state.code.forEach((one, pc) => {
      if (one.op === 'fork-each' && !monitors.counts && !looksAtErrors && isIndependent(one, pc, state, look))
        found.add(base + pc);
    });
    base += state.code.length;
  }
  return found;
}

function isIndependent(loop: ParallelLoop, pc: number, { code }: State, look: Looks): boolean {
  const { quorum, wait, keep, detached, body, join, collect } = loop;
  if (quorum !== null || (wait ?? null) !== null || detached === true) return false;
  const isAlone = code.every((one, at) => {
    const isOther = at !== pc && (one.op === 'fork' || one.op === 'fork-each') && at < pc && one.join > pc;
    return !isOther && one.op !== 'step-begin';
  });
  if (!isAlone || !code.slice(body, join).every(isOwn)) return false;
  const results = keep === undefined ? collect : [...collect, keep];
  const isOutside = (at: number): boolean => at < body || at >= join;
  if (results.some((slot) => look.at({ in: 'local', slot }, isOutside))) return false;
  const ref = loop.list.op === 'read' && loop.list.places.length === 1 ? loop.list.places[0] : undefined;
  if (ref === undefined || (ref.in !== 'local' && ref.in !== 'input')) return false;
  if (ref.in === 'local' && !code.every((one) => bindsOnly(one, ref.slot))) return false;
  return !look.at(ref, (at, isSame) => !isSame || at !== pc);
}

const isOwn = (one: Instruction): boolean => OWN.has(one.op) || (one.op === 'set' && one.to.in === 'local');

/** Whether an instruction gives a local only what the world gave: other values may have parts elsewhere. */
function bindsOnly(one: Instruction, slot: number): boolean {
  if (one.op === 'set') return one.to.in !== 'local' || one.to.slot !== slot;
  if (one.op === 'next') return one.variable !== slot;
  return one.op !== 'plan' || one.bind?.slot !== slot;
}

/** What looks at a variable. */
class Looks {
  constructor(
    private readonly machine: Machine,
    private readonly state: number,
    private readonly monitors: Monitors,
  ) {}

  /** Whether an instruction that `counts` looks at it; an input may be looked at in each state. */
  at(ref: SlotRef, counts: (at: number, isSame: boolean) => boolean): boolean {
    const { machine, state, monitors } = this;
    const variable = variableOf(state, ref);
    if (readsIn(machine, state, monitors.conditions).has(variable)) return true;
    return machine.states.some(({ code }, index) => {
      const isSame = index === state;
      if (ref.in === 'local' && !isSame) return false;
      return code.some((one, at) => counts(at, isSame) && this.looksAt(one, index, variable));
    });
  }

  private looksAt(one: Instruction, state: number, variable: Variable): boolean {
    const { machine, monitors } = this;
    const found = new Set<Variable>();
    if (SHOWING.has(one.op)) readsThatFail(machine, state, one, found);
    for (const part of SHOWING.has(one.op) ? [...controlParts(one), ...monitors.partsOf(one)] : [one])
      readsIn(machine, state, withoutEmptiness(part), found);
    return found.has(variable);
  }
}

/** Without tests whether a variable is empty. */
function withoutEmptiness(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptiness);
  if (typeof value !== 'object' || value === null) return value;
  const { op, test, of } = value as { readonly op?: Json; readonly test?: Json; readonly of?: { readonly op?: Json } };
  if (op === 'test' && test === 'empty' && of?.op === 'read') return null;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutEmptiness(item)]));
}

/** Most segments count nothing, and have no mistakes. */
const NOTHING: readonly number[] = [];

type FailedInstruction = Extract<RunEvent, { readonly type: 'instruction_failed' }>;

const isMistake = (event: RunEvent): event is FailedInstruction =>
  event.type === 'instruction_failed' && event.error_type === 'bad_value';

/** What events count: calls and entries by their site, and failures of the program's own expressions. */
export class Counted {
  readonly sites: CountedSite[] = [];
  readonly mistakes: Mistake[] = [];
  /** Where each agent is called, as `STATE LINE`. */
  readonly agentLines = new Map<string, Set<string>>();
  private readonly agents: ReadonlyMap<string, string>;
  private readonly siteIndex = new Map<string, number>();
  private readonly mistakeIndex = new Map<string, number>();

  constructor(machine: Machine) {
    this.agents = agentTools(machine);
  }

  /** The indexes of the sites that events count. */
  sitesOf(events: readonly RunEvent[]): readonly number[] {
    let found: number[] | null = null;
    for (const event of events) {
      const site = countedSite(event, this.agents);
      if (site === null) continue;
      found ??= [];
      found.push(this.indexOf(site));
    }
    return found ?? NOTHING;
  }

  private indexOf(site: CountedSite): number {
    if (site.kind === 'agent') this.noteAgent(site);
    const key = site.kind === 'command' ? JSON.stringify(site) : `${site.kind} ${site.name}`;
    let index = this.siteIndex.get(key);
    if (index === undefined) {
      index = this.sites.push(site) - 1;
      this.siteIndex.set(key, index);
    }
    return index;
  }

  private noteAgent({ name, state, line }: CountedSite): void {
    const lines = this.agentLines.get(name);
    if (lines === undefined) this.agentLines.set(name, new Set([`${state} ${line}`]));
    else lines.add(`${state} ${line}`);
  }

  /** The indexes of the failures. `isOver`: the run has ended. `reasons`: why lines failed, where an event has unknown words. */
  mistakesIn(events: readonly RunEvent[], isOver: boolean, reasons: ReadonlyMap<number, string>): readonly number[] {
    if (!events.some(isMistake)) return NOTHING;
    const end = events.find(({ type }) => type === 'run_failed');
    return events.flatMap((event) => {
      if (!isMistake(event)) return [];
      const { error_type: kind, error, state, line } = event;
      const message = reasons.get(line) ?? error;
      const isFatal = isOver && end?.type === 'run_failed' && end.error.line === line && end.error.state === state;
      const key = `${state} ${line} ${isFatal}`;
      let index = this.mistakeIndex.get(key);
      if (index === undefined) {
        index = this.mistakes.push({ kind, message, state, line, isFatal }) - 1;
        this.mistakeIndex.set(key, index);
      }
      return [index];
    });
  }
}
