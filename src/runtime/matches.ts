/**
 * Regular expressions in bounded time. A pattern such as `(a+)+$` can take practically forever on thirty characters, and a
 * loop that computes must not hang. Patterns that are certainly fast are executed directly; the others run in a context
 * with a time limit.
 */
import { createContext, Script } from 'node:vm';

const LIMIT_MS = 500;
/** How many matcher steps are certainly done within the limit. */
const FEW_ATTEMPTS = 1e7;

/** A test that returns null if matching took too long. One for each run, because it holds a context of its own. */
export function boundedMatches(limitMs = LIMIT_MS): (regex: RegExp, text: string) => boolean | null {
  let guarded: ReturnType<typeof guardedTest> | null = null;
  return (regex, text) => {
    if (worstAttempts(regex.source, text.length) <= FEW_ATTEMPTS) return regex.test(text);
    guarded ??= guardedTest(limitMs);
    try {
      return guarded(regex, text);
    } catch (cause) {
      if ((cause as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
      throw cause;
    }
  };
}

/**
 * An upper bound of the steps of a backtracking matcher: the length to the power of the number of repetitions plus one,
 * because a match may begin anywhere; unbounded if a group is repeated.
 */
function worstAttempts(source: string, length: number): number {
  const bare = source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, 'x');
  if (/\)[*+{?]/.test(bare) || /\\[1-9k]/.test(source)) return length <= 8 ? FEW_ATTEMPTS : Number.POSITIVE_INFINITY;
  const repetitions = bare.match(/[*+{]|[^(]\?/g)?.length ?? 0;
  return (length + 1) ** (repetitions + 1);
}

function guardedTest(limitMs: number): (regex: RegExp, text: string) => boolean {
  const context = createContext({ regex: null, text: null });
  const script = new Script('regex.test(text)');
  return (regex, text) => {
    context.regex = regex;
    context.text = text;
    return script.runInContext(context, { timeout: limitMs }) as boolean;
  };
}
