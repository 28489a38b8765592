/**
 * Checks whether words, variables and a directory can be passed to a process: they must not contain a zero byte, and
 * the system limits their length. Checked before the start, so that our message is shown and not the system's.
 */
import type { Outcome } from '../../interpreter/events/event.js';
import { ARGUMENT_BYTES } from './shell-values.js';

type Refused = Extract<Outcome, { kind: 'not-started' }>;

/** The reason why the words of a program cannot be passed, or null. */
export function argumentProblem(argv: readonly string[]): Refused | null {
  for (const [index, word] of argv.entries()) {
    const what = index === 0 ? 'the program' : `argument ${index}`;
    const problem = textProblem(what, word) ?? lengthProblem(what, Buffer.byteLength(word));
    if (problem !== null) return problem;
  }
  return null;
}

/** The reason why variables or a directory cannot be used, or null. */
export function surroundingsProblem(env: Readonly<Record<string, string>>, cwd: string | null): Refused | null {
  for (const [name, value] of Object.entries(env)) {
    const what = `the value of \`env.${name}\``;
    const problem = textProblem(what, value) ?? lengthProblem(what, Buffer.byteLength(`${name}=${value}`));
    if (problem !== null) return problem;
  }
  return cwd === null ? null : textProblem('the value of `cwd`', cwd);
}

function textProblem(what: string, text: string): Refused | null {
  if (text.includes('\0'))
    return notStarted('bad_value', `${what} contains a NUL character, which cannot be passed to a process`);
  if (/\p{Surrogate}/u.test(text))
    return notStarted('bad_value', `${what} contains half of a surrogate pair, which is not a character`);
  return null;
}

function lengthProblem(what: string, bytes: number): Refused | null {
  if (bytes <= ARGUMENT_BYTES) return null;
  const reason = `${what} is ${bytes} bytes long, but the system allows at most 128 KiB; use \`DO: |\` or a file`;
  return notStarted('value_too_large', reason);
}

function notStarted(errorType: string, reason: string): Refused {
  return { kind: 'not-started', reason, error_type: errorType };
}
