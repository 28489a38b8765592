/** Names by their kinds, for highlighting. */
import type { NameRole, ProgramSymbol } from '../../language/check/program-index.js';
import type { Span } from '../../language/source/diagnostic.js';
import { type OpenProgram, symbolAt } from './open-program.js';

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
