/** Properties of all runs: what never happens, and what always follows. Each is a small monitor beside the run. */

import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import type { Machine } from '../machine/machine.js';
import type { Exploration } from './explore.js';
import { componentsOf, cycleThrough, type Edge, type Node, wayTo } from './graph.js';
import { isMoment, type Moment, missingIn, readMoment } from './moments.js';
import type { MonitorState, Monitors } from './monitors.js';
import { type Trace, traceOf } from './trace.js';
import { areEqual } from './unknown/comparisons.js';

export interface Property {
  /** As it was written. */
  readonly name: string;
  /** `never`: must not happen, unless `other` has happened. `after`: `other` must follow before the end. */
  readonly kind: 'never' | 'after';
  readonly moment: Moment;
  readonly other: Moment | null;
}

export type PropertyVerdict = 'proved' | 'bounded' | 'violated' | 'possible' | 'undecided' | 'vacuous';

export interface JudgedProperty {
  readonly name: string;
  readonly verdict: PropertyVerdict;
  readonly trace: Trace | null;
  readonly cycle: number;
}

/** Reads `MOMENT UNLESS MOMENT` for `never`, and `MOMENT → MOMENT` for `after`. */
export function readProperty(kind: Property['kind'], text: string): Property | { readonly problem: string } {
  const [first = '', second, ...more] = text.split(kind === 'never' ? /\s+UNLESS\s+/ : /\s*(?:→|->)\s*/);
  if (more.length > 0 || (kind === 'after' && second === undefined))
    return {
      problem: `\`${text}\` is not a property; write \`${kind === 'never' ? 'MOMENT UNLESS MOMENT' : 'MOMENT → MOMENT'}\``,
    };
  const moment = readMoment(first);
  if ('problem' in moment) return moment;
  const other = second === undefined ? null : readMoment(second);
  if (other !== null && 'problem' in other) return other;
  return { name: `${kind === 'never' ? 'NEVER' : 'AFTER'}: ${text.trim()}`, kind, moment, other };
}

/** A property that names what the program has none of would hold because nothing happens. */
export function matchesNothing(machine: Machine, { moment, other }: Property): string | null {
  return missingIn(machine, moment) ?? (other === null ? null : missingIn(machine, other));
}

/** 1 for `never`: `other` has happened. 1 for `after`: `other` must still follow. */
export function monitorsOf(properties: readonly Property[]): Monitors {
  return {
    first: properties.map(() => 0),
    looksAtEvents: properties.some(({ moment, other }) => moment.kind === 'event' || other?.kind === 'event'),
    looksAtOrder: properties.length > 0,
    step: (before, { run, events, knowledge }) => {
      const state: number[] = [...before];
      const violated = new Set<number>();
      const awoken = new Set<number>();
      const isEqual = (one: Json, other: Json): boolean => areEqual(knowledge, '==', one as Value, other as Value);
      properties.forEach(({ kind, moment, other }, at) => {
        for (const event of events) {
          const isOther = other !== null && isMoment(other, event, isEqual);
          if (isMoment(moment, event, isEqual)) {
            awoken.add(at);
            if (kind === 'after') state[at] = 1;
            else if (state[at] === 0 && !isOther) violated.add(at);
          }
          if (isOther) state[at] = kind === 'after' ? 0 : 1;
        }
        if (kind === 'after' && run.result !== null && state[at] === 1) violated.add(at);
      });
      return { state, violated: [...violated], awoken: [...awoken] };
    },
  };
}

export function judgeProperties(exploration: Exploration, properties: readonly Property[]): JudgedProperty[] {
  return properties.map((property, at): JudgedProperty => {
    const { name, kind } = property;
    const found = violationOf(exploration, at) ?? (kind === 'after' ? openForever(exploration, at) : null);
    if (found !== null) {
      const trace = traceOf(exploration, found.edges);
      return { name, verdict: trace.isConfirmed ? 'violated' : 'possible', trace, cycle: found.cycle };
    }
    const none = { name, trace: null, cycle: 0 };
    if (exploration.stoppedBy !== null) return { ...none, verdict: 'undecided' };
    if (kind === 'after' && !exploration.awoken.has(at)) return { ...none, verdict: 'vacuous' };
    return { ...none, verdict: exploration.isBounded ? 'bounded' : 'proved' };
  });
}

interface Violation {
  readonly edges: readonly Edge[];
  readonly cycle: number;
}

function violationOf({ violations, nodes }: Exploration, at: number): Violation | null {
  const first = violations.find(({ property }) => property === at);
  if (first === undefined) return null;
  const { edge } = first;
  return { edges: [...(edge.from < 0 ? [] : wayTo(nodes, edge.from)), edge], cycle: 0 };
}

/** A loop without end in which the second moment never comes. */
function openForever({ nodes, monitorStates }: Exploration, at: number): Violation | null {
  const isOpen = (id: number): boolean => (monitorStates[id] as MonitorState)[at] === 1;
  const follows = (edge: Edge): boolean => !edge.isTime && !edge.isOutside && isOpen(edge.from) && isOpen(edge.to);
  const component = componentsOf(nodes, follows);
  for (const { id, out } of nodes as readonly Node[]) {
    if (!isOpen(id)) continue;
    const inside = (edge: Edge): boolean => follows(edge) && component[edge.to] === component[id];
    const cycle = out.some(inside) ? cycleThrough(nodes, id, inside) : null;
    if (cycle !== null) return { edges: [...wayTo(nodes, id), ...cycle, ...cycle], cycle: cycle.length };
  }
  return null;
}
