/**
 * Lints that need a whole lowered machine: unreachable states, entry values that no GOTO passes, results that nothing
 * reads.
 */
import type { Machine } from '../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import { type Diagnostic, hasErrors } from '../../source/diagnostic.js';
import type { SourceSet, Span } from '../../source/source-file.js';
import { pipesWithoutSource } from '../graph/pipe-sources.js';
import { type Edge, reachableStates, reachesWithout, type StateGraph, stateGraph } from '../graph/state-graph.js';
import type { LoweredMachine } from '../lower/lower-machine.js';
import type { LoweredState } from '../lower/lowered-state.js';
import { lintEarlyReads } from './early-reads.js';
import { lintReferences } from './reference-lints.js';
import { lintTypes } from './type-lints.js';
import { unboundedCycles } from './unbounded-cycles.js';
import { lintUndo } from './undo-lints.js';

export function lintMachine(lowered: LoweredMachine, sources: SourceSet, diagnostics: Diagnostic[]): void {
  const { states } = lowered;
  const graph = stateGraph(states);
  const names = states.map((s) => s.state.name);
  const error = names.indexOf('ERROR');
  // A first state ERROR has its own error, and the next state was meant to be the first.
  const first = error === 0 && names.length > 1 ? 1 : 0;
  const seen = reachableStates(graph, error < 0 ? [first] : [first, error]);
  states.forEach((_, at) => {
    const declared = lowered.unit.states[at];
    if (!seen[at] && declared) diagnostics.push(say.unreachableState(declared.name.span, { name: declared.name.text }));
  });
  for (const state of states) lintState(state, diagnostics);
  // A wrong name has its own message.
  if (!hasErrors(diagnostics))
    states.forEach((state, at) => {
      lintEarlyReads(state, at === first, diagnostics);
    });
  lintEntries(lowered, graph, diagnostics);
  lintCycles(lowered, graph, diagnostics);
  lintReferences(states, diagnostics);
  lintTypes(lowered, sources, diagnostics);
  lintUndo(states, error, diagnostics);
}

function lintState(state: LoweredState, diagnostics: Diagnostic[]): void {
  for (const pc of pipesWithoutSource(state.state.code, state.state.handlers))
    diagnostics.push(say.pipeWithoutSource(state.spans[pc] as Span, {}));
  for (const check of state.checks)
    if (!state.readSlots.has(check.slot)) diagnostics.push(say.checkNeverRead(check.span, { name: check.name }));
}

/** Reports entry values that a state reads and some path into it does not pass. */
function lintEntries(lowered: LoweredMachine, graph: StateGraph, diagnostics: Diagnostic[]): void {
  const isFirstEntry = reachesWithout(graph);
  lowered.states.forEach((entered, at) => {
    const { state, entryReads } = entered;
    if (entryReads.size === 0) return;
    const isError = state.name === 'ERROR';
    const declared = lowered.unit.states[at];
    if (at === 0 && !isError && declared) {
      const missing = missingIn(new Set(), entryReads.keys());
      diagnostics.push(say.missingEntryAtStart(declared.name.span, entryFacts(entered, missing)));
    }
    for (const { from, jump } of graph.into[at] as readonly Edge[]) {
      if (jump.dead) continue;
      const passes = new Set(jump.passes);
      const missing = missingIn(passes, entryReads.keys());
      if (missing.length === 0) continue;
      // A state that was entered earlier keeps its values, so only paths that avoid the state can lack one.
      if (isError || (at !== 0 && isFirstEntry(from, at)))
        diagnostics.push(say.missingEntry(jump.span, entryFacts(entered, missing)));
      else if (passes.size > 0) diagnostics.push(say.staleEntry(jump.span, { state: state.name, missing }));
    }
  });
}

/**
 * The maximum number of names in one message. Without a limit, the messages would grow with the square of the program.
 */
const MOST_NAMED = 50;

function missingIn(passes: ReadonlySet<string>, needed: Iterable<string>): string[] {
  const missing: string[] = [];
  for (const name of needed) {
    if (missing.length === MOST_NAMED) break;
    if (!passes.has(name)) missing.push(name);
  }
  return missing;
}

function entryFacts({ state, entryReads }: LoweredState, names: readonly string[]) {
  const reads = names.map((name) => ({ span: entryReads.get(name) as Span, text: 'read here' }));
  return { names, state: state.name, reads };
}

function lintCycles({ machine, states }: LoweredMachine, graph: StateGraph, diagnostics: Diagnostic[]): void {
  const cycles = unboundedCycles(states, graph);
  if (cycles.length === 0) return;
  const counter = unusedCounter(machine);
  for (const cycle of cycles) {
    const path = [...cycle.states, cycle.states[0] as number].map((at) => (states[at] as LoweredState).state.name);
    const from = states[cycle.from.state] as LoweredState;
    diagnostics.push(say.unboundedCycle(from.spans[cycle.from.pc] as Span, { path, why: cycle.why, counter }));
  }
}

/** A name for a tracked variable that nothing in the machine has, because it is visible in all states. */
function unusedCounter({ inputs, tracked, states }: Machine): string {
  const used = new Set([
    ...inputs.map(({ name }) => name),
    ...tracked,
    ...states.flatMap(({ locals, entry }) => [...locals, ...entry]),
  ]);
  const isUnused = (name: string): boolean => !used.has(name);
  const found = ['n', 'rounds', 'count'].find(isUnused);
  if (found !== undefined) return found;
  let number = 2;
  while (!isUnused(`rounds${number}`)) number++;
  return `rounds${number}`;
}
