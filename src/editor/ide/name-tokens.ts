/** Names by their kinds for highlighting, and remarks between the lines: hints and lenses. */
import type { NameRole, ProgramSymbol } from '../../language/check/program-index.js';
import { positionAt, type Span } from '../../language/source/diagnostic.js';
import { type OpenProgram, symbolAt } from './open-program.js';
import { wholeSpan } from './outline.js';

export const TOKEN_TYPES = [
  'class',
  'function',
  'parameter',
  'variable',
  'property',
  'event',
  'type',
  'namespace',
] as const;
export const TOKEN_MODIFIERS = ['declaration', 'modification', 'readonly', 'static', 'defaultLibrary'] as const;

type TokenType = (typeof TOKEN_TYPES)[number];
type TokenModifier = (typeof TOKEN_MODIFIERS)[number];

export interface NameToken {
  readonly span: Span;
  readonly type: TokenType;
  readonly modifiers: readonly TokenModifier[];
}

const TYPES: Readonly<Partial<Record<ProgramSymbol['kind'], readonly [TokenType, ...TokenModifier[]]>>> = {
  machine: ['namespace'],
  state: ['class'],
  pattern: ['function'],
  parameter: ['parameter'],
  input: ['parameter', 'readonly'],
  tracked: ['variable', 'static'],
  local: ['variable'],
  loop: ['variable'],
  entry: ['property'],
  fact: ['property', 'defaultLibrary'],
  event: ['event'],
  step: ['namespace'],
  'step-key': ['property', 'defaultLibrary'],
  agent: ['type'],
  gate: ['property'],
  tool: ['function'],
  workflow: ['namespace'],
  function: ['function', 'defaultLibrary'],
  'data-reference': ['property'],
};

const BY_ROLE: Readonly<Partial<Record<NameRole, TokenModifier>>> = {
  declare: 'declaration',
  bind: 'declaration',
  write: 'modification',
};

/** The names between two offsets. */
export function tokensOf({ index }: OpenProgram, from = 0, to = Number.POSITIVE_INFINITY): NameToken[] {
  const tokens: NameToken[] = [];
  let end = -1;
  for (const { span, symbols, role } of index.occurrences) {
    if (span.file !== 0 || span.end < from || span.start > to || span.start < end) continue;
    const known = TYPES[symbolAt(index, symbols[0] as number).kind];
    if (known === undefined) continue;
    const [type, ...modifiers] = known;
    const own = BY_ROLE[role];
    tokens.push({ span, type, modifiers: own === undefined ? modifiers : [own, ...modifiers] });
    end = span.end;
  }
  return tokens;
}

export interface Hint {
  readonly offset: number;
  readonly text: string;
}

const CLASSES = /^(?:expression, bound|function|agent|step of)/;

/** The name that a CHECK chooses, and what a DO is if its words do not tell. */
export function hintsOf({ compilation, source }: OpenProgram, from = 0, to = Number.POSITIVE_INFINITY): Hint[] {
  const seen = new Set<number>();
  return compilation.lines.flatMap(({ span, text }): Hint[] => {
    if (span.file !== 0 || span.start < from || span.start > to || seen.has(span.start)) return [];
    if (!/^(?:binds|expression|function|agent)/.test(text)) return [];
    seen.add(span.start);
    const bound = /^binds `(\w+)`$/.exec(text)?.[1];
    if (bound !== undefined) return [{ offset: span.end, text: ` ${bound} =` }];
    if (!CLASSES.test(text) || text.startsWith('step')) return [];
    const { line } = positionAt(source, span.start);
    const next = source.lineStarts[line] ?? source.text.length + 1;
    const end = Math.min(span.end, next - 1);
    const trimmed = source.text.slice(0, end).trimEnd().length;
    return [{ offset: trimmed, text: ` ${text.startsWith('expression') ? 'expression' : text.replaceAll('`', '')}` }];
  });
}

export interface Lens {
  readonly span: Span;
  readonly title: string;
  readonly command: 'statedsl.run' | 'statedsl.debug' | 'statedsl.runFrom';
  readonly state?: string;
  readonly machine?: string;
}

/** `states`: also what starts at a state. */
export function lensesOf({ tree, source }: OpenProgram, { states = false } = {}): Lens[] {
  const runnable = tree.items.filter(({ kind, span }) => span.file === 0 && kind !== 'pattern' && kind !== 'import');
  const [first] = runnable;
  if (first === undefined) return [];
  const machines = runnable.filter((item) => item.kind === 'machine');
  const heads = machines.length > 0 ? machines : [first];
  const lenses = heads.flatMap((item): Lens[] => {
    const { line } = positionAt(source, item.span.start);
    const start = source.lineStarts[line - 1] as number;
    const span = { file: 0, start, end: start };
    const machine = item.kind === 'machine' ? { machine: item.name.text } : {};
    return [
      { span, title: 'Run', command: 'statedsl.run', ...machine },
      { span, title: 'Debug', command: 'statedsl.debug', ...machine },
    ];
  });
  if (!states) return lenses;
  return [
    ...lenses,
    ...tree.items.flatMap((item): Lens[] =>
      item.kind === 'state' && item.span.file === 0
        ? [
            {
              span: { ...wholeSpan(item), end: item.span.start },
              title: 'Run from here',
              command: 'statedsl.runFrom',
              state: item.name.text,
            },
          ]
        : [],
    ),
  ];
}
