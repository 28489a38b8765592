/** Remarks between the lines: hints behind what is written, and lenses above it. */
import { lineText, positionAt, type Span } from '../../language/source/diagnostic.js';
import { instructionsOf } from './described-values.js';
import { type LastFacts, lastValueOf } from './last-facts.js';
import { type OpenProgram, symbolAt } from './open-program.js';
import { machineAt, wholeSpan } from './outline.js';

/** Which hints are shown. */
export type HintChoice = {
  /** The name that a CHECK infers. */
  readonly inferredNames: boolean;
  /** What a DO is, where its words do not tell it. */
  readonly kindsOfDo: boolean;
  /** The defaults that a USE takes. */
  readonly defaults: boolean;
  /** What a line bound, took and cost in the last run. */
  readonly lastRun: boolean;
};

export const HINTS: HintChoice = { inferredNames: true, kindsOfDo: true, defaults: false, lastRun: false };

/** Which lenses are shown. */
export type LensChoice = {
  readonly run: boolean;
  readonly debug: boolean;
  /** How a STEP ended in the last run. */
  readonly stepOutcome: boolean;
  readonly runFromHere: boolean;
  /** How many GOTOs lead to a state. */
  readonly waysIn: boolean;
};

export const LENSES: LensChoice = { run: true, debug: true, stepOutcome: false, runFromHere: false, waysIn: false };

export interface Hint {
  readonly offset: number;
  readonly text: string;
}

export interface HintOptions {
  readonly from?: number;
  readonly to?: number;
  readonly choice?: HintChoice;
  readonly last?: LastFacts | null;
}

const CLASSES = /^(?:expression, bound|function|agent|step of)/;

export function hintsOf(
  program: OpenProgram,
  { from = 0, to = Number.POSITIVE_INFINITY, choice = HINTS, last = null }: HintOptions = {},
): Hint[] {
  const isWanted = ({ start }: Span): boolean => start >= from && start <= to;
  const found = [
    ...lineHints(program, isWanted, choice),
    ...(choice.defaults ? defaultHints(program, isWanted) : []),
    ...(choice.lastRun && last !== null ? lastHints(program, isWanted, last) : []),
  ];
  return found.sort((a, b) => a.offset - b.offset);
}

function endOfLine({ source }: OpenProgram, { start, end }: Span): number {
  const { line } = positionAt(source, start);
  const next = source.lineStarts[line] ?? source.text.length + 1;
  return source.text.slice(0, Math.min(end, next - 1)).trimEnd().length;
}

function lineHints(program: OpenProgram, isWanted: (span: Span) => boolean, choice: HintChoice): Hint[] {
  const seen = new Set<number>();
  return program.compilation.lines.flatMap(({ span, text }): Hint[] => {
    if (span.file !== 0 || !isWanted(span) || seen.has(span.start)) return [];
    if (!/^(?:binds|expression|function|agent)/.test(text)) return [];
    seen.add(span.start);
    const bound = /^binds `(\w+)`$/.exec(text)?.[1];
    if (bound !== undefined) return choice.inferredNames ? [{ offset: span.end, text: ` ${bound} =` }] : [];
    if (!choice.kindsOfDo || !CLASSES.test(text)) return [];
    const shown = text.startsWith('expression') ? 'expression' : text.replaceAll('`', '');
    return [{ offset: endOfLine(program, span), text: ` ${shown}` }];
  });
}

/** What a USE leaves out and its pattern has a default for. */
function defaultHints(program: OpenProgram, isWanted: (span: Span) => boolean): Hint[] {
  const { index, compilation } = program;
  const uses = instructionsOf(program).flatMap(({ node, by }) =>
    node.kind === 'use' && isWanted({ ...node.span, start: node.span.start + by }) ? [{ node, by }] : [],
  );
  if (uses.length === 0) return [];
  const parameters = index.symbols.filter(({ kind }) => kind === 'parameter');
  return uses.flatMap(({ node, by }): Hint[] => {
    const given = new Set(node.args.map(({ name }) => name.text));
    const taken = parameters.flatMap(({ name, owner, declarations: [at] }) => {
      if (owner !== node.pattern.text || given.has(name) || at === undefined) return [];
      const text = compilation.sources[at.file]?.text.slice(at.end, at.end + 300) ?? '';
      const value = /^\s*=\s*("(?:[^"\\]|\\.)*"|[^,\n]+)/.exec(text)?.[1]?.trim();
      return value === undefined ? [] : [`${name}=${value}`];
    });
    const { span } = node;
    const offset = endOfLine(program, { ...span, start: span.start + by, end: span.end + by });
    return taken.length === 0 ? [] : [{ offset, text: ` ${taken.join(', ')}` }];
  });
}

/** How much of a value stands between the lines. */
const MOST = 60;

function lastHints(program: OpenProgram, isWanted: (span: Span) => boolean, last: LastFacts): Hint[] {
  const { index, source } = program;
  const bound = new Map<number, string>();
  for (const { span, role, symbols } of index.occurrences) {
    if (span.file !== 0 || role !== 'bind' || !isWanted(span)) continue;
    const value = symbols.map((id) => lastValueOf(last, symbolAt(index, id), MOST)).find((one) => one !== null);
    if (value != null) bound.set(positionAt(source, span.start).line, value);
  }
  const seen = new Set<number>();
  return instructionsOf(program).flatMap(({ node, by }): Hint[] => {
    const span = { ...node.span, start: node.span.start + by, end: node.span.end + by };
    const { line } = positionAt(source, span.start);
    if (!isWanted(span) || seen.has(line)) return [];
    seen.add(line);
    const facts = last.line(line);
    const value = bound.get(line);
    const parts = [
      ...(value === undefined ? [] : [value]),
      ...(facts === null ? [] : [`${(facts.ms / 1000).toFixed(2)} s`]),
      ...(facts === null || facts.cost === 0 ? [] : [`$${facts.cost.toFixed(4)}`]),
      ...(facts === null || facts.times === 1 ? [] : [`${facts.times} times`]),
    ];
    const end = source.lineStarts[line - 1] as number;
    const offset = end + lineText(source, line).trimEnd().length;
    return parts.length === 0 ? [] : [{ offset, text: ` ${parts.join(', ')}` }];
  });
}

export interface Lens {
  readonly span: Span;
  readonly title: string;
  /** Empty: it only says something. */
  readonly command: 'statedsl.run' | 'statedsl.debug' | 'statedsl.runFrom' | '';
  readonly state?: string;
  readonly machine?: string;
}

export function lensesOf(
  program: OpenProgram,
  { choice = LENSES, last = null }: { readonly choice?: LensChoice; readonly last?: LastFacts | null } = {},
): Lens[] {
  return [
    ...machineLenses(program, choice),
    ...(choice.runFromHere || choice.waysIn ? stateLenses(program, choice) : []),
    ...(choice.stepOutcome && last !== null ? stepLenses(program, last) : []),
  ];
}

function machineLenses({ tree, source }: OpenProgram, { run, debug }: LensChoice): Lens[] {
  const runnable = tree.items.filter(({ kind, span }) => span.file === 0 && kind !== 'pattern' && kind !== 'import');
  const [first] = runnable;
  if (first === undefined) return [];
  const machines = runnable.filter((item) => item.kind === 'machine');
  const heads = machines.length > 0 ? machines : [first];
  return heads.flatMap((item): Lens[] => {
    const { line } = positionAt(source, item.span.start);
    const start = source.lineStarts[line - 1] as number;
    const span = { file: 0, start, end: start };
    const machine = item.kind === 'machine' ? { machine: item.name.text } : {};
    return [
      ...(run ? [{ span, title: 'Run', command: 'statedsl.run', ...machine } as const] : []),
      ...(debug ? [{ span, title: 'Debug', command: 'statedsl.debug', ...machine } as const] : []),
    ];
  });
}

function stateLenses(program: OpenProgram, { runFromHere, waysIn }: LensChoice): Lens[] {
  const ways = waysIn ? waysOf(program) : new Map<string, number>();
  return program.tree.items.flatMap((item): Lens[] => {
    if (item.kind !== 'state' || item.span.file !== 0) return [];
    const span = { ...wholeSpan(item), end: item.span.start };
    const count = ways.get(`${machineAt(program, item.span.start)}/${item.name.text}`) ?? 0;
    const words = count === 1 ? '1 way in' : `${count} ways in`;
    return [
      ...(runFromHere
        ? [{ span, title: 'Run from here', command: 'statedsl.runFrom', state: item.name.text } as const]
        : []),
      ...(waysIn ? [{ span, title: words, command: '' } as const] : []),
    ];
  });
}

/** How many transitions lead to each state. */
function waysOf({ index }: OpenProgram): Map<string, number> {
  const ways = new Map<string, number>();
  for (const { role, symbols } of index.occurrences)
    if (role === 'jump')
      for (const id of symbols) {
        const { kind, name, owner } = symbolAt(index, id);
        if (kind === 'state') ways.set(`${owner}/${name}`, (ways.get(`${owner}/${name}`) ?? 0) + 1);
      }
  return ways;
}

function stepLenses(program: OpenProgram, last: LastFacts): Lens[] {
  return instructionsOf(program).flatMap(({ node, by }): Lens[] => {
    const said = node.kind === 'step' ? last.step(node.name.text) : null;
    const start = node.span.start + by;
    return said === null ? [] : [{ span: { file: 0, start, end: start }, title: `last run: ${said}`, command: '' }];
  });
}
