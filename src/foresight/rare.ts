/**
 * What is left out of an exploration because it is rare, and can happen at almost every line: values that are too large, texts
 * that cannot be passed on, and trouble with git. What is claimed of all runs is explored a second time with it.
 */
import type { Instruction } from '../machine/machine.js';

/** In the order in which reports name them. */
const WORDS = {
  value_too_large: 'values over 16 MiB',
  nul: 'texts with NUL characters',
  merge_conflict: 'merge conflicts',
  worktree: 'failures of git',
} as const;

export type Rare = keyof typeof WORDS;

export const RARE = Object.keys(WORDS) as readonly Rare[];

/** `values over 16 MiB and merge conflicts` */
export function rareWords(kinds: readonly Rare[]): string {
  const words: string[] = RARE.filter((one) => kinds.includes(one)).map((one) => WORDS[one]);
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

const GROWING: ReadonlySet<string> = new Set([
  'set',
  'track',
  'emit',
  'return',
  'fail',
  'goto',
  'goto-dynamic',
  'unless',
  'undo',
]);

/**
 * Whether the program itself makes larger values of others in an instruction: of several, or with a function. A value with
 * some words beside it is as large as the value.
 */
export function makesLarger(instruction: Instruction): boolean {
  return GROWING.has(instruction.op) && grows(instruction);
}

function grows(value: unknown): boolean {
  if (Array.isArray(value)) return isText(value) || value.some(grows);
  if (typeof value !== 'object' || value === null) return false;
  const { op, operator, left, right } = value as Readonly<Record<string, unknown>>;
  if (op === 'const') return false;
  if (op === 'arithmetic' && operator === '+' && !isConstant(left) && !isConstant(right)) return true;
  if (op === 'call' && LONGER.has(String((value as { name?: unknown }).name))) return true;
  return Object.values(value).some(grows);
}

const LONGER: ReadonlySet<string> = new Set(['replace', 'json', 'range', 'join', 'split', 'lines', 'base64_encode']);

const isConstant = (value: unknown): boolean => (value as { op?: unknown } | undefined)?.op === 'const';

/** A template with several values. */
function isText(parts: readonly unknown[]): boolean {
  const isHole = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && 'source' in one && 'value' in one;
  return parts.filter(isHole).length > 1;
}
