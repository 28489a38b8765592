/** The keywords of gates and retries, and the values that may follow them. */
import { nearest } from '../../../prelude/nearest.js';
import { isSection, verbNamed } from '../tokens/verbs.js';

/** Gates that are followed only by a command. */
const plainGates = ['compile', 'test', 'lint', 'tests_found'] as const;
/** Gates that are followed by texts. */
export const textGates = ['schema', 'touched', 'untouched', 'bash'] as const;
export type TextGate = (typeof textGates)[number];
const gates: ReadonlyMap<string, 'plain' | 'expression' | 'text' | 'call'> = new Map([
  ...plainGates.map((word) => [word, 'plain'] as const),
  ['coverage', 'expression'],
  ['expr', 'expression'],
  ...textGates.map((word) => [word, 'text'] as const),
  ['validate', 'call'],
]);

/** The value that follows the word of a gate, ignoring case; null for a name that is not a built-in gate. */
export function gateKind(word: string): 'plain' | 'expression' | 'text' | 'call' | null {
  return gates.get(word.toLowerCase()) ?? null;
}

/** The correct spelling of the word of a gate: built-in gates are in lower case. */
export function meantGate(word: string): string {
  const lower = word.toLowerCase();
  return gates.has(lower) ? lower : word;
}

/** The built-in gate that an unknown name resembles. */
export function nearGate(word: string): string | undefined {
  return gates.has(word) ? undefined : nearest(word, gates.keys());
}

/** Whether it is the word of an instruction or a section, in the position of a gate's name. */
export function isNoGate(word: string): boolean {
  return isSection(word) || verbNamed(word) === word;
}

export const conditionWords = ['ATTEMPT', 'NOT', 'VALIDATE', 'EXIT'] as const;
export const overrideWords = ['AGENT', 'PROMPT', 'SESSION', 'WORKTREE', 'RESTART_FROM', 'REPLAN'] as const;
const retryWords: readonly string[] = [...conditionWords, ...overrideWords];
const retries: ReadonlyMap<string, 'number' | 'gate' | 'call' | 'prompt' | 'value'> = new Map([
  ['ATTEMPT', 'number'],
  ['EXIT', 'number'],
  ['NOT', 'gate'],
  ['VALIDATE', 'call'],
  ['PROMPT', 'prompt'],
  ['AGENT', 'value'],
  ['SESSION', 'value'],
  ['WORKTREE', 'value'],
  ['RESTART_FROM', 'value'],
  ['REPLAN', 'value'],
]);

/** The intended word of RETRY: the word itself, or the one that it resembles. */
export function meantRetry(word: string): string | undefined {
  return retries.has(word) ? word : nearest(word.toUpperCase(), retryWords);
}

/** The value that follows a word in RETRY. A misspelt word counts as the one that it resembles; null for others. */
export function retryKind(word: string): 'number' | 'gate' | 'call' | 'prompt' | 'value' | null {
  const meant = meantRetry(word);
  return meant === undefined ? null : (retries.get(meant) ?? null);
}
