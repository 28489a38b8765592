/** Messages about patterns: their names, parameters and arguments. */
import type { Label, Words } from '../diagnostic.js';
import { didYouMean, list, message, type Near } from './message.js';

/** A shipped pattern, named by itself or by its file, needs an import, which goes to the first line. */
function patternMeant(name: string, near: string | undefined): Pick<Words, 'help' | 'repair'> {
  const shipped = shippedPattern(name);
  if (shipped === undefined || (near !== undefined && shipped.pattern !== name))
    return didYouMean(name, near, `declare it with \`PATTERN: ${name}\`, or import the file that has it`);
  const top = `IMPORT: "std/${shipped.file}"`;
  if (shipped.pattern === name) return { help: `add \`${top}\` at the top`, repair: { top, guess: true } };
  return {
    help: `add \`${top}\` at the top and use \`${shipped.pattern}\``,
    repair: { top, guess: true },
  };
}

export const patternMessages = {
  unknownPattern: message<{ name: string } & Near>('unknown-pattern', 'error', (f) => ({
    message: `there is no pattern \`${f.name}\``,
    ...patternMeant(f.name, f.near),
  })),
  recursion: message<{ path: readonly string[] }>('recursive-pattern', 'error', (f) => ({
    message: `pattern \`${f.path[0]}\` uses itself: ${f.path.map((p) => `\`${p}\``).join(' → ')}`,
    notes: ['patterns are expanded where they are used, so they cannot be recursive'],
    help: 'use a state and `GOTO` for the loop',
  })),
  missingArgument: message<{ pattern: string; names: readonly string[]; labels?: readonly Label[] }>(
    'missing-argument',
    'error',
    (f) => ({
      message: `pattern \`${f.pattern}\` needs ${list(f.names)}`,
      labels: f.labels ?? [],
      help: `write \`USE: ${f.pattern} with ${f.names.map((n) => `${n}=…`).join(', ')}\``,
    }),
  ),
  unknownArgument: message<{ pattern: string; name: string; known: readonly string[] } & Near>(
    'unknown-argument',
    'error',
    (f) => ({
      message: `pattern \`${f.pattern}\` has no parameter \`${f.name}\``,
      ...didYouMean(f.name, f.near, f.known.length ? `it has ${list(f.known)}` : 'it has no parameters'),
    }),
  ),
  duplicateArgument: message<{ name: string }>('duplicate-argument', 'error', (f) => ({
    message: `\`${f.name}\` is given twice`,
    help: 'remove one of the two',
    repair: { remove: 'item', guess: true },
  })),
  unusedArgument: message<{ pattern: string; name: string }>('unused-argument', 'warning', (f) => ({
    message: `pattern \`${f.pattern}\` never reads its parameter \`${f.name}\``,
    label: 'has no effect',
    help: 'read it in the body, or remove the parameter',
  })),
  ambiguousWord: message<{ word: string }>('ambiguous-word', 'error', (f) => ({
    message: `\`${f.word}\` could be the text or the variable of that name`,
    help: `write \`{${f.word}}\` for its value or \`"${f.word}"\` for the text`,
    repair: { replace: f.word, by: `{${f.word}}`, guess: true },
    otherRepairs: [{ replace: f.word, by: `"${f.word}"`, guess: true }],
  })),
  emittedWord: message<{ word: string }>('taken-as-text', 'warning', (f) => ({
    message: `this is the text \`${f.word}\`, and not the variable of that name`,
    help: `write \`{${f.word}}\` for its value, or \`"${f.word}"\` for the text`,
    repair: { replace: f.word, by: `{${f.word}}`, guess: true },
    otherRepairs: [{ replace: f.word, by: `"${f.word}"`, guess: true }],
  })),
  notAStateName: message<{ name: string; why: string }>('goto-parameter', 'error', (f) => ({
    message: `\`GOTO {${f.name}}\` ${f.why}`,
    help: 'inside a pattern, name one of its parameters: `PATTERN: P with next_state` … `GOTO {next_state}`',
  })),
} as const;

/** The patterns of the shipped library, so that a message about a missing one can name its import. A test compares the files. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  approve: ['APPROVE_PATTERN'],
  error: ['ERROR_PATTERN'],
  explore: ['EXPLORE_PATTERN'],
  init: ['INIT_PATTERN'],
  plan: ['PLAN_PATTERN'],
  poll: ['POLL_PATTERN', 'POLL_STATUS_PATTERN'],
  retry: ['RETRY_PATTERN'],
};

export const shippedPatterns: readonly { readonly file: string; readonly pattern: string }[] = Object.entries(
  FILES,
).flatMap(([file, patterns]) => patterns.map((pattern) => ({ file, pattern })));

/** The pattern of that name; `poll` and `POLL` are `POLL_PATTERN`. */
function shippedPattern(name: string): { readonly file: string; readonly pattern: string } | undefined {
  const upper = name.toUpperCase();
  return shippedPatterns.find(({ pattern }) => pattern === upper || pattern === `${upper}_PATTERN`);
}
