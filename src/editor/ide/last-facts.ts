/** What the last run of a program says about its names and lines, for hovers, hints, lenses and completion. */
import type { ProgramSymbol } from '../../language/check/program-index.js';
import type { Json } from '../../machine/expression.js';

export interface LineFacts {
  /** Milliseconds of all times that it ran. */
  readonly ms: number;
  /** US dollars. */
  readonly cost: number;
  readonly times: number;
}

export interface LastFacts {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The last values of a variable or data reference; `state` null: in any state. Secrets are replaced. */
  readonly values: (name: string, state: string | null) => readonly Json[];
  /** How a step ended, in words; null: it did not run. */
  readonly step: (name: string) => string | null;
  /** What the commands and agents of a line of the program took; null: none ran. */
  readonly line: (line: number) => LineFacts | null;
}

const HAVE_VALUES: ReadonlySet<ProgramSymbol['kind']> = new Set([
  'input',
  'tracked',
  'local',
  'entry',
  'loop',
  'parameter',
  'data-reference',
  'step-key',
]);

/** The value that a name had last, cut at so many characters; null: it had none. */
export function lastValueOf(facts: LastFacts, symbol: ProgramSymbol, most = 200): string | null {
  if (!HAVE_VALUES.has(symbol.kind)) return null;
  const { kind, name, owner } = symbol;
  const isOfState = kind === 'local' || kind === 'entry' || kind === 'loop';
  const state = /\/([A-Za-z_]\w*)$/.exec(owner)?.[1] ?? null;
  const value = facts.values(name, isOfState ? state : null).at(-1);
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
