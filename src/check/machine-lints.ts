/** Lints that need a whole lowered machine: what no path reaches, what no GOTO passes, what nothing reads. */
import { checkMessages as say } from '../source/catalogue/check.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type { Span } from '../source/source-file.js';
import { pipesWithoutSource } from './flow.js';
import type { LoweredState } from './lower.js';
import type { LoweredMachine } from './lower-machine.js';
import { type Edge, edgesOf, reachable, unboundedCycles } from './state-graph.js';

export function lintMachine(lowered: LoweredMachine, diagnostics: Diagnostic[]): void {
  const { states } = lowered;
  const edges = edgesOf(states, true);
  const names = states.map((s) => s.state.name);
  const error = names.indexOf('ERROR');
  const seen = reachable(edges, error < 0 ? [0] : [0, error]);
  states.forEach((_, at) => {
    const declared = lowered.unit.states[at];
    if (!seen[at] && declared) diagnostics.push(say.unreachableState(declared.name.span, { name: declared.name.text }));
  });
  for (const state of states) lintState(state, diagnostics);
  for (let at = 0; at < states.length; at++) lintEntries(lowered, edges, at, diagnostics);
  lintCycles(states, names, diagnostics);
}

function lintState(state: LoweredState, diagnostics: Diagnostic[]): void {
  for (const pc of pipesWithoutSource(state.state.code, state.state.handlers))
    diagnostics.push(say.pipeWithoutSource(state.emitter.spans[pc] as Span, {}));
  for (const check of state.checks)
    if (!state.scope.readSlots.has(check.slot)) diagnostics.push(say.checkNeverRead(check.span, { name: check.name }));
}

/** Entry values that a state reads and some way into it does not pass. */
function lintEntries(lowered: LoweredMachine, edges: readonly Edge[][], at: number, diagnostics: Diagnostic[]): void {
  const { states } = lowered;
  const state = states[at] as LoweredState;
  const name = state.state.name;
  const into = edges.flat().filter((e) => e.to === at);
  const needed = [...state.scope.entryReads.keys()];
  const facts = (names: readonly string[]) => ({
    names,
    state: name,
    reads: names.map((n) => ({ span: state.scope.entryReads.get(n) as Span, text: 'read here' })),
  });
  const reported = new Map<Edge, readonly string[]>();
  if (at === 0 && name !== 'ERROR') {
    const declared = lowered.unit.states[0];
    if (declared && needed.length > 0) diagnostics.push(say.missingEntryAtStart(declared.name.span, facts(needed)));
  } else {
    // A state that was entered before keeps its values, so only first entries count: ways that avoid the state.
    const before = reachable(edges, [0], at);
    for (const edge of into) {
      const missing = needed.filter((entry) => !edge.jump.passes.includes(entry));
      if (missing.length === 0 || edge.jump.target === null || (name !== 'ERROR' && !before[edge.from])) continue;
      diagnostics.push(say.missingEntry(edge.jump.span, facts(missing)));
      reported.set(edge, missing);
    }
  }
  if (name === 'ERROR') return;
  for (const edge of into) {
    const { passes, target, span } = edge.jump;
    if (passes.length === 0 || target === null) continue;
    const missing = state.state.entry.filter(
      (e) => !passes.includes(e) && state.scope.entryReads.has(e) && !reported.get(edge)?.includes(e),
    );
    if (missing.length > 0) diagnostics.push(say.staleEntry(span, { state: name, missing }));
  }
}

function lintCycles(states: readonly LoweredState[], names: readonly string[], diagnostics: Diagnostic[]): void {
  for (const cycle of unboundedCycles(states)) {
    const path = [...cycle.map((e) => names[e.from] as string), names[(cycle[0] as Edge).from] as string];
    diagnostics.push(say.unboundedCycle((cycle.at(-1) as Edge).jump.span, { path }));
  }
}
