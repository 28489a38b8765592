/** Messages about text that looks like a part of the language, and about texts used as conditions. */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import { message } from './message.js';

export const textMessages = {
  option: message<{ verb: string; part: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is an argument of the command here`,
    label: 'part of the command',
    help: `write options before the colon: \`${f.verb} ${f.part}: …\``,
  })),
  arrow: message<{ verb: string; part: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the command here`,
    label: 'two more arguments',
    help: `write \`${f.verb}: ${f.part.replace(/^→\s*/, '')} = …\` to keep what the command prints`,
  })),
  action: message<{ verb: string; part: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the command here`,
    label: 'more arguments',
    help: `write it on the next line, without the arrow: \`${f.part.replace(/^(?:→|->)\s*/, '')}\``,
  })),
  comment: message<{ verb: string; part: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the command here`,
    label: 'more arguments',
    help: 'in a command, a comment begins with `#`',
    repair: { replace: '//', by: '#', guess: true },
  })),
  dollar: message<{ name: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`$${f.name}\` is text here`,
    label: 'nothing is inserted',
    help: `write \`{${f.name}}\` for the value`,
    repair: { instead: `{${f.name}}`, guess: true },
  })),
  substitution: message<{ text: string; line: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.text}\` is text here, and runs nothing`,
    label: 'not a command',
    help: `write \`${f.line}\``,
  })),
  dollarBraces: message<{ name: string }>('taken-as-text', 'warning', (f) => ({
    message: `the \`$\` of \`\${${f.name}}\` is text here`,
    label: 'the value, after a dollar sign',
    help: `write \`{${f.name}}\` for the value`,
    repair: { instead: `{${f.name}}`, guess: true },
  })),
  oneTurn: message<{ name: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`{${f.name}}\` is one word here, so the loop has one turn`,
    label: 'one word, even if it is a list',
    help: `write \`{${f.name}*}\` to get one word for each item`,
    repair: { instead: `{${f.name}*}`, guess: true },
  })),
  computed: message<{ text: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`{${f.text}}\` is text here, and computes nothing`,
    label: 'braces take a name, a field or a call',
    help: `compute it first, as in \`DO: result = ${f.text}\`, and write \`{result}\``,
  })),
  exitCode: message<{ name: string; field: string }>('exit-code-of', 'warning', (f) => ({
    message: `\`${f.name}.${f.field}\` is a field of what the command printed`,
    label: 'not the exit code of the command',
    help: `write \`exit_code(${f.name})\` for the exit code`,
    repair: { instead: `exit_code(${f.name})`, guess: true },
  })),
  condition: message<{ mended: string | null }>('not-a-condition', 'error', (f) => ({
    message: 'this is a value, not a condition',
    label: 'neither true nor false',
    help: f.mended === null ? 'compare it with something, as in `x == …`' : `write \`${f.mended}\``,
    ...omitUndefined({ repair: f.mended === null ? undefined : ({ instead: f.mended, guess: true } as const) }),
  })),
};
