/** Messages about STEP blocks that cannot be parsed without guessing. */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Fix } from '../diagnostic.js';
import { message } from './message.js';

const owners: Readonly<Record<string, string>> = {
  ATTEMPT: 'an entry of `RETRY:`',
  NOT: 'an entry of `RETRY:`',
  VALIDATE: 'an entry of `RETRY:`',
  EXIT: 'an entry of `RETRY:`',
};

export const sectionOutside = message<{ section: string }>('section-outside-step', 'error', ({ section }) => ({
  message: `\`${section}\` is ${owners[section] ?? 'a section of a `STEP`'} and cannot be used here`,
  help:
    owners[section] === undefined
      ? 'write it directly below the line of a `STEP:`, indented deeper than that line'
      : 'write it below the line `RETRY:`, indented deeper than that line',
}));

export const stepInList = message('step-in-list', 'error', () => ({
  message: '`STEP` cannot be an action of a list',
  help: 'write the step on its own lines, below the arrow',
}));

export const repeatedSection = message<{ section: string }>('repeated-section', 'error', ({ section }) => ({
  message: `the step has a second \`${section}\``,
  notes: ['only `GATE` may be written several times'],
  help: 'keep one of the two',
}));

export const secondRun = message<{ first: string; second: string }>('two-runs', 'error', ({ first, second }) => ({
  message: `\`${second}\` and \`${first}\` cannot both do the work of one step`,
  help: 'split it into two steps, or remove one of the two',
}));

export const notAStep = message<{ verb: string }>('not-a-step', 'error', ({ verb }) => ({
  message: `\`${verb}\` is not a step, and \`EACH\` contains only steps`,
  notes: ['the steps of `EACH` run once for every task'],
  help: 'put it in a `STEP:` without an agent',
}));

export const unquotedPrompt = message<{ fix?: Fix }>('unquoted-prompt', 'error', ({ fix }) => ({
  message: 'the prompt is not in quotes',
  help: 'put it in quotes, or on the lines below, indented deeper',
  ...omitUndefined({ fix }),
}));

export const unknownEntry = message<{
  written: string;
  list: string;
  known: readonly string[];
  meant?: string;
  fix?: Fix;
}>('unknown-entry', 'error', ({ written, list, known, meant, fix }) => ({
  message: `\`${written}\` is not an entry of \`${list}\``,
  ...omitUndefined({
    notes:
      meant === undefined ? [`its entries begin with ${known.map((word) => `\`${word}\``).join(', ')}`] : undefined,
  }),
  help: meant === undefined ? 'remove it' : `write \`${meant}\``,
  ...omitUndefined({ fix }),
}));

export const badSession = message<{ written: string }>('bad-session', 'error', ({ written }) => ({
  message: `\`${written}\` does not say in which session the step starts`,
  help: 'write `SESSION: from=STEP` to continue the session of a step, or `SESSION: new`',
}));

export const badGateCommand = message('bad-gate-command', 'error', () => ({
  message: 'a `DO:` in a list of gates can only be a shell command',
  notes: ['it passes when the command exits with 0, and has no options, no name for its output and no agent'],
  help: 'write the bare command, or a `validate` gate for an agent',
}));

export const notAGate = message<{ verb: string }>('not-a-gate', 'error', ({ verb }) => ({
  message: `\`${verb}\` is not a gate`,
  help: 'write `bash "…"` or `DO: …` for a command, `expr …` for a condition',
}));
