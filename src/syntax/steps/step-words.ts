/** The words of gates and of retries, and what may follow each of them. */
import { nearest } from '../../source/suggest.js';
import { isSection, verbNamed } from '../tokens/verbs.js';

/** Gates with a command after them and nothing more to say. */
const plainGates = ['compile', 'test', 'lint', 'tests_found'] as const;
const gates: ReadonlyMap<string, 'plain' | 'expression' | 'text' | 'call'> = new Map([
  ...plainGates.map((word) => [word, 'plain'] as const),
  ['coverage', 'expression'],
  ['expr', 'expression'],
  ['schema', 'text'],
  ['touched', 'text'],
  ['untouched', 'text'],
  ['bash', 'text'],
  ['validate', 'call'],
]);

/** What follows the word of a gate, in whatever case; null for the name of a gate that the language does not know. */
export function gateKind(word: string): 'plain' | 'expression' | 'text' | 'call' | null {
  return gates.get(word.toLowerCase()) ?? null;
}

/** The word of the gate that is meant: the language's own are in small letters. */
export function meantGate(word: string): string {
  const lower = word.toLowerCase();
  return gates.has(lower) ? lower : word;
}

/** The gate of the language that a name is near to, for names that mean nothing. */
export function nearGate(word: string): string | undefined {
  return gates.has(word) ? undefined : nearest(word, gates.keys());
}

/** Is it the word of an instruction or a section, where the name of a gate is wanted? */
export function isNoGate(word: string): boolean {
  return isSection(word) || verbNamed(word) === word;
}

export const conditionWords = ['ATTEMPT', 'NOT', 'VALIDATE', 'EXIT'] as const;
export const overrideWords = ['AGENT', 'PROMPT', 'SESSION', 'WORKTREE'] as const;
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
]);

/** The word of RETRY that was meant: the word itself, or the one it resembles. */
export function meantRetry(word: string): string | undefined {
  return retries.has(word) ? word : nearest(word.toUpperCase(), retryWords);
}

/** What follows a word in RETRY, a misspelt one read as the one it resembles; null for others. */
export function retryKind(word: string): 'number' | 'gate' | 'call' | 'prompt' | 'value' | null {
  const meant = meantRetry(word);
  return meant === undefined ? null : (retries.get(meant) ?? null);
}
