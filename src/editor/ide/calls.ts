/** Who leads to whom: states by GOTO and USE, patterns by USE, steps and workflows. */
import type { Occurrence } from '../../language/check/program-index.js';
import type { Span } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import { graphOf } from '../../views/graph/machine-graph.js';
import { filesOfSteps } from './described-values.js';
import { distinct, type OpenProgram, occurrencesAt, symbolAt, targetsAt } from './open-program.js';
import { enclosing, machineAt, wholeSpan } from './outline.js';

export interface CallItem {
  readonly name: string;
  readonly kind: 'state' | 'pattern' | 'workflow' | 'step' | 'file';
  /** The symbol; -1 for the lines of a script. */
  readonly symbol: number;
  readonly range: Span;
  readonly selection: Span;
}

export interface CallWay {
  readonly item: CallItem;
  /** The names that lead there. */
  readonly ranges: readonly Span[];
}

const CALLED: ReadonlySet<string> = new Set(['state', 'pattern', 'workflow', 'step']);

export function callItemAt(program: OpenProgram, offset: number): CallItem[] {
  const { index } = program;
  const targets = targetsAt(index, offset);
  const ids = targets.length > 0 ? targets : occurrencesAt(index, offset).flatMap(({ symbols }) => symbols);
  const named = [...new Set(ids)].flatMap((id) => itemOf(program, id) ?? []);
  if (named.length > 0) return named;
  const around = enclosing(program, offset);
  return around === null ? [] : [itemAround(program, offset)];
}

function itemOf({ index, tree }: OpenProgram, id: number): CallItem | null {
  const { kind, name, declarations } = symbolAt(index, id);
  const [selection] = declarations;
  if (!CALLED.has(kind) || selection === undefined) return null;
  const declared = tree.items.flatMap((item) =>
    (item.kind === 'state' || item.kind === 'pattern') && item.name.span.start === selection.start ? [item] : [],
  );
  const [own] = selection.file === 0 ? declared : [];
  const range = own === undefined ? selection : wholeSpan(own);
  return { name, kind: kind as CallItem['kind'], symbol: id, range, selection };
}

/** The state or pattern that contains an offset, or the file. */
function itemAround(program: OpenProgram, offset: number): CallItem {
  const { index, source } = program;
  const around = enclosing(program, offset);
  const whole = { file: 0, start: 0, end: source.text.length };
  if (around === null)
    return { name: source.name, kind: 'file', symbol: -1, range: whole, selection: { ...whole, end: 0 } };
  const { name, kind } = around;
  const owner = kind === 'state' ? machineAt(program, around.span.start) : '';
  const symbol = index.symbols.findIndex((one) => one.kind === kind && one.name === name.text && one.owner === owner);
  return { name: name.text, kind: kind as 'state' | 'pattern', symbol, range: wholeSpan(around), selection: name.span };
}

const WAYS: ReadonlySet<string> = new Set(['jump', 'use']);

export function incomingCalls(program: OpenProgram, symbol: number): CallWay[] {
  const leads = program.index.occurrences.filter(
    ({ role, symbols, span }) => WAYS.has(role) && symbols.includes(symbol) && span.file === 0,
  );
  return groupWays(leads.map(({ span }) => ({ item: itemAround(program, span.start), span })));
}

export function outgoingCalls(program: OpenProgram, item: CallItem): CallWay[] {
  const { index } = program;
  const inside = ({ span, role }: Occurrence): boolean =>
    WAYS.has(role) && span.file === item.range.file && span.start >= item.range.start && span.end <= item.range.end;
  const ways = index.occurrences.filter(inside).flatMap(({ symbols, span }) =>
    symbols.flatMap((id) => {
      const to = itemOf(program, id);
      return to === null ? [] : [{ item: to, span }];
    }),
  );
  const led = index.targets
    .filter(({ span }) => span.file === item.range.file && span.start >= item.range.start && span.end <= item.range.end)
    .flatMap(({ symbols, span }) =>
      symbols.flatMap((id) => {
        const to = itemOf(program, id);
        return to === null ? [] : [{ item: to, span }];
      }),
    );
  return groupWays([...ways, ...led]);
}

function groupWays(ways: readonly { readonly item: CallItem; readonly span: Span }[]): CallWay[] {
  const groups = new Map<string, { item: CallItem; ranges: Span[] }>();
  for (const { item, span } of ways) {
    const key = `${item.kind} ${item.symbol} ${item.name}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { item, ranges: [span] });
    else known.ranges.push(span);
  }
  return [...groups.values()].map(({ item, ranges }) => ({ item, ranges: distinct(ranges) }));
}

export interface LocatedGraph {
  readonly nodes: readonly {
    readonly id: string;
    readonly label: string;
    readonly kind: string;
    readonly range: Span;
  }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly label: string;
    readonly range: Span;
  }[];
}

/** The graph of a machine with the places of its nodes and ways; null if the program has errors. */
export function locatedGraph(program: OpenProgram, name?: string): LocatedGraph | null {
  const { compilation, index } = program;
  const machine = name === undefined ? compilation.machine : compilation.machines.find((one) => one.name === name);
  if (machine === undefined || machine === null) return null;
  const { states, edges } = graphOf(machine);
  const declared = new Map(
    index.symbols.flatMap(({ kind, name: own, owner, declarations: [first] }) =>
      kind === 'state' && owner === machine.name && first !== undefined ? [[own, first] as const] : [],
    ),
  );
  const spanOf = (state: string): Span => declared.get(state) ?? { file: 0, start: 0, end: 0 };
  const ways = waysBetween(program, machine);
  const nodes = states.map((state) => ({
    id: state.name,
    label: state.name,
    kind: state.initial ? 'initial' : 'state',
    range: spanOf(state.name),
  }));
  const isLeft = edges.some(({ to }) => to === null);
  return {
    nodes: isLeft ? [...nodes, { id: END, label: 'end', kind: 'end', range: { file: 0, start: 0, end: 0 } }] : nodes,
    edges: edges.map(({ from, to, label }) => {
      const [source, target] = [states[from]?.name ?? '', to === null ? END : (states[to]?.name ?? '')];
      return { from: source, to: target, label, range: ways.get(wayKey(source, target)) ?? spanOf(source) };
    }),
  };
}

/** The end of the run in a graph. */
const END = '$end';

/** The first GOTO from one state to another, by the names of both. */
function waysBetween({ index, tree }: OpenProgram, machine: Machine): ReadonlyMap<string, Span> {
  const states: { readonly name: string; readonly range: Span }[] = [];
  const names = new Set<string>();
  for (const item of tree.items) {
    if (item.kind !== 'state' || item.span.file !== 0 || names.has(item.name.text)) continue;
    names.add(item.name.text);
    states.push({ name: item.name.text, range: wholeSpan(item) });
  }
  const found = new Map<string, Span>();
  let at = 0;
  for (const { role, symbols, span } of index.occurrences) {
    if (role !== 'jump' || span.file !== 0) continue;
    while (at < states.length && (states[at]?.range.end ?? 0) < span.end) at++;
    const around = states[at];
    if (around === undefined || span.start < around.range.start) continue;
    for (const { name, owner } of symbols.map((id) => symbolAt(index, id))) {
      const key = wayKey(around.name, name);
      if (owner === machine.name && !found.has(key)) found.set(key, span);
    }
  }
  return found;
}

const wayKey = (from: string, to: string): string => `${from}\0${to}`;

export interface FileLink {
  readonly span: Span;
  readonly kind: 'import' | 'plan' | 'workflow' | 'tool' | 'file';
  readonly path: string;
}

/** The files that a program names, without a look at the disk. */
export function linksOf(program: OpenProgram): FileLink[] {
  const { index } = program;
  const named = index.occurrences.flatMap(({ span, symbols }): FileLink[] => {
    const { kind, name } = symbolAt(index, symbols[0] as number);
    return span.file === 0 && (kind === 'import' || kind === 'plan' || kind === 'workflow' || kind === 'tool')
      ? [{ span, kind, path: name }]
      : [];
  });
  const files = filesOfSteps(program).map(
    ({ start, end, path }): FileLink => ({ span: { file: 0, start, end }, kind: 'file', path }),
  );
  return [...named, ...files].sort((a, b) => a.span.start - b.span.start);
}
