/** Messages about declarations: states, machines, inputs, imports, names and options. */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Label } from '../diagnostic.js';
import { didYouMean, list, message, type Near } from './message.js';

export const declarationMessages = {
  duplicate: message<{ what: string; name: string; first: Label }>('duplicate', 'error', (f) => ({
    message: `${f.what} \`${f.name}\` is declared twice`,
    label: 'declared again here',
    labels: [f.first],
    help: 'rename one of the two, or remove it',
  })),
  outsideState: message('instruction-outside-state', 'error', () => ({
    message: 'this instruction is outside every state',
    label: 'the file declares states, so every instruction must be in one',
    help: 'indent it under the `STATE:` that should run it',
  })),
  firstStateError: message('first-state-error', 'error', () => ({
    message: 'the first state is `ERROR`',
    label: 'a run would start as a failed one',
    help: 'move another state above it',
  })),
  nothingToRun: message('nothing-to-run', 'warning', () => ({
    message: 'there is nothing to run in this file',
    help: 'write an instruction such as `DO: echo hello`, or a `STATE:`',
  })),
  unreadBlock: message<{ verb: string }>('unread-block', 'warning', (f) => ({
    message: 'no line of this block begins with a verb in capitals, so it is not a part of the program',
    help: `write \`${f.verb}\` and the other verbs in capitals; if it is not a program, name its language, as in \`\`\`text`,
  })),
  notInImport: message<{ what: string }>('not-in-import', 'error', (f) => ({
    message: `an imported file can contain only patterns, but this one contains ${f.what}`,
    help: 'move the patterns to a separate file and import that',
  })),
  importFailed: message<{ path: string; reason: string }>('import-failed', 'error', (f) => ({
    message: `cannot import \`${f.path}\`: ${f.reason}`,
    help: 'paths are relative to the importing file; shipped patterns are `std/NAME`',
  })),
  unknownMachine: message<{ name: string; names: readonly string[] }>('unknown-machine', 'error', (f) => ({
    message: `there is no machine \`${f.name}\` in this file`,
    help: f.names.length ? `it has ${list(f.names)}` : 'it has none',
  })),
  unknownStart: message<{ name: string } & Near>('unknown-start', 'error', (f) => ({
    message: `there is no state \`${f.name}\` to start in`,
    ...didYouMean(f.name, f.near, 'name a state of the machine that runs'),
  })),
  machineWithoutStates: message<{ name: string }>('machine-without-states', 'warning', (f) => ({
    message: `machine \`${f.name}\` has no state`,
    help: 'add a `STATE:` below it, or remove the line',
  })),
  inputDefault: message<{ word?: string | undefined }>('input-default', 'error', (f) => ({
    message: 'the default of an input must be a plain value',
    label: 'only a run can compute this',
    help:
      f.word === undefined
        ? 'write a number, text, list or object without names in it'
        : `write \`"${f.word}"\` for the text`,
    ...omitUndefined({
      repair: f.word === undefined ? undefined : ({ replace: f.word, by: `"${f.word}"`, guess: true } as const),
    }),
  })),
  inputChoice: message<{ value: string; choices: readonly string[] }>('input-choice', 'error', (f) => ({
    message: `the default \`${f.value}\` is not one of the choices`,
    help: `choose one of ${list(f.choices)}`,
  })),
  reservedName: message<{ name: string }>('reserved-name', 'error', (f) => ({
    message: `\`${f.name}\` is a word of the language and cannot name a variable`,
    help: `choose another name, such as \`${f.name}_value\``,
    repair: { replace: f.name, by: `${f.name}_value`, guess: true },
  })),
  unknownOption: message<{ name: string; of: string; known: readonly string[] } & Near>(
    'unknown-option',
    'error',
    (f) => ({
      message: `${f.of} has no option \`${f.name}\``,
      ...didYouMean(f.name, f.near, `it has ${list(f.known)}`, f.known),
    }),
  ),
  badOption: message<{ name: string; why: string; help: string }>('bad-option', 'error', (f) => ({
    message: `option \`${f.name}\` ${f.why}`,
    help: f.help,
  })),
  badLimit: message<{ name: string }>('bad-option', 'error', (f, s) => ({
    message: `${s.limit(f.name)} must be a ${f.name === 'cost' ? '' : 'whole '}number above 0`,
    help:
      f.name === 'cost'
        ? `write US dollars, such as ${s.limit(f.name, '5.00')}`
        : `write ${s.limit(f.name, '2000')} or ${s.limit(f.name, '2M')}`,
  })),
  badDuration: message<{ text: string }>('bad-duration', 'error', (f) => {
    if (/^(?:\d+(?:\.\d+)?|\.\d+)(?:ms|s|m|h|d)$/.test(f.text.trim()))
      return { message: `\`${f.text}\` is longer than 10,000 days`, help: 'write at most `10000d`' };
    const words = {
      message: `\`${f.text}\` is not a duration`,
      notes: ['a duration is a number followed by one of the units ms, s, m, h, d'],
    };
    if (!/^\d+(\.\d+)?$/.test(f.text)) return { ...words, help: 'write for example `30s` or `1.5h`' };
    return {
      ...words,
      help: `write \`${f.text}s\` for seconds`,
      repair: { replace: f.text, by: `${f.text}s`, guess: true },
    };
  }),
  badPause: message<{ text: string }>('bad-duration', 'error', (f) => ({
    message: `\`${f.text}\` is not a pause that doubles`,
    notes: [
      'a pause that doubles starts at the first duration, which is above 0, and ends at the second, which is not shorter',
    ],
    help: 'write for example `1s..30s`',
  })),
  expansionTooLarge: message<{ of: string; limit: number }>('expansion-too-large', 'error', (f) => ({
    message: `the patterns of ${f.of} expand to more than ${f.limit} instructions`,
    help: 'use fewer patterns inside patterns, or split the work into several states',
  })),
} as const;
