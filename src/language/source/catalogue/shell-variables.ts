/** Messages about shell variables that were meant as values of the program. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Correction, Words } from '../diagnostic.js';
import { message } from './message.js';

interface ShellVariableFacts {
  readonly name: string;
  readonly written: string;
  /** The interpolation to write instead; null if that is not enough. */
  readonly value: string | null;
  readonly fix: Correction | undefined;
}

const shellVariableWords = ({ name, written, value, fix }: ShellVariableFacts): Words => ({
  message: `\`${written}\` is a shell variable, but \`${name}\` is a value of the program`,
  label: `no command here sets the variable, so it is ${written === name ? '0' : 'empty'}`,
  help: value === null ? `set the variable first: \`${name}={${name}}\`` : `write \`${value}\` for the value`,
  // In arithmetic the value is checked, too.
  ...omitUndefined({
    correction: fix === undefined || value === `{${name}}` ? fix : ({ ...fix, guess: true } as const),
  }),
});

/** `[ n -gt 3 ]`, which compares the letter. */
export const wordOfTest = message<{ name: string; value: string; fix: Correction | undefined }>(
  'shell-variable',
  'error',
  ({ name, value, fix }) => ({
    message: `the test compares the word \`${name}\`, but \`${name}\` is a value of the program`,
    label: 'the word itself, so the answer is always the same',
    help: `write \`${value}\` for the value`,
    ...omitUndefined({ correction: fix === undefined ? undefined : ({ ...fix, guess: true } as const) }),
  }),
);

export const shellVariable = message<ShellVariableFacts>('shell-variable', 'error', shellVariableWords);

/** A name that nothing sets, next to a value of the program. */
export const nearVariable = message<{ written: string; near: string }>('shell-variable', 'warning', (f) => ({
  message: `\`${f.written}\` is a shell variable that nothing sets`,
  label: 'empty, unless the environment of the run has it',
  help: `did you mean the value \`{${f.near}}\`?`,
}));

export const shellVariableOrEnvironment = message<ShellVariableFacts>('shell-variable', 'warning', (facts) => ({
  ...shellVariableWords(facts),
  label: 'reads the environment variable of that name, if there is one',
}));
