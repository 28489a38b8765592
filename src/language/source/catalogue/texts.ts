/** Messages about text that looks like a part of the language, and about texts used as conditions. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Correction } from '../diagnostic.js';
import { message } from './message.js';

/** `{test ? first : second}`. */
const CHOICE = /^\{\s*([^?{}"]*(?:"[^"]*"[^?{}"]*)*?)\s*\?\s*([^?:{}]+?)\s*:\s*([^?:{}]+?)\s*\}$/;

/** How to choose between two values, which no expression does. */
function chooseFirst(written: string): string {
  const [, test = '', first = '', second = ''] = CHOICE.exec(written) ?? [];
  return `choose before: \`IF: ${test.trim()} → DO: result = ${first}\`, then \`ELSE → DO: result = ${second}\`, and write \`{result}\``;
}

export const textMessages = {
  option: message<{ verb: string; part: string; meant: string; line?: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is an argument of the command here`,
    label: 'part of the command',
    help: `write options before the colon: \`${f.line ?? `${f.verb} [… ${f.meant}]: …`}\``,
  })),
  emptyAssignment: message<{ name: string; line: string }>('taken-as-text', 'warning', (f) => ({
    message: `to the shell, \`${f.name}=\` is an empty variable of the command after it`,
    label: 'binds no name',
    help: `write \`${f.line}\` to keep what the command prints`,
  })),
  onlyComment: message<{ text: string; verb: string }>('taken-as-text', 'warning', (f) => {
    const name = /^#\{?([A-Za-z_]\w*)\}?$/.exec(f.text)?.[1];
    return {
      message: 'this is a comment of the shell, and no command runs',
      label: 'prints nothing',
      help:
        name === undefined
          ? 'write a command, or remove the line'
          : `write \`len(${name})\` for the length of a text or list`,
    };
  }),
  optionsFirst: message<{ part: string; line: string; fix?: Correction }>('not-a-command', 'error', (f) => ({
    message: `\`${f.part}\` is not a command`,
    label: 'options stand before the colon',
    help: `write \`${f.line}\``,
    ...omitUndefined({ correction: f.fix }),
  })),
  nameAfter: message<{ line: string; name: string; part: string; fix: Correction }>(
    'name-after-command',
    'error',
    (f) => ({
      message: `\`${f.part}\` is part of the command here and binds no name`,
      label: 'more arguments',
      help: `write \`${f.line}\` to keep what the command prints, or quotes around the arguments`,
      correction: f.fix,
    }),
  ),
  action: message<{ verb: string; part: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the command here`,
    label: 'more arguments',
    help: `write it on the next line, without the arrow: \`${f.part.replace(/^(?:→|->)\s*/, '')}\``,
  })),
  nextAction: message<{ part: string; rest: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the command here`,
    label: 'not an action',
    help: f.part.startsWith(',')
      ? `write it on the next line: \`${f.rest}\``
      : `write it on the next line, or in a list of actions behind a comma: \`…, ${f.rest}\``,
  })),
  otherwise: message<{ part: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the text here`,
    label: 'not an ELSE',
    help: `write it on the next line: \`${f.part.replace(/^ELSE:?\s*(?:→|->)?\s*/, 'ELSE → ')}\``,
  })),
  unreadInstruction: message<{ part: string; help: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the text here`,
    label: 'not an instruction',
    help: f.help,
  })),
  textOfValue: message<{ instead: string }>('taken-as-text', 'warning', (f) => ({
    message: 'this is text, and nothing is computed',
    label: 'not an expression',
    help: `write \`${f.instead}\` for the value`,
    repair: { instead: f.instead, guess: true },
  })),
  ternary: message<{ test: string; first: string; second: string }>('taken-as-text', 'warning', (f) => ({
    message: 'this is text, and decides nothing',
    label: 'no value is chosen here',
    help: `write \`IF: ${f.test} → RETURN: ${f.first}\`, and \`RETURN: ${f.second}\` on the next line`,
  })),
  uncomputed: message<{ text: string }>('taken-as-text', 'warning', (f) => ({
    message: 'this is text, and nothing is computed',
    label: 'not an expression',
    help: /^f["']/.test(f.text)
      ? `remove the \`f\`: write \`${f.text.slice(1)}\``
      : `write ${f.text.includes('??') ? '`default(a, b)` instead of `a ?? b`' : 'it as in an IF, with `AND`, `OR`, `NOT`, `==` and `!=`'}, or ${/["{]/.test(f.text) ? 'quote it if you mean' : `\`"${f.text}"\` for`} the text`,
  })),
  onlyIf: message<{ test: string; line: string; isProse?: true }>('taken-as-text', 'warning', (f) => ({
    message: 'this is text, and decides nothing',
    label: 'not a condition',
    help: `write \`IF: ${f.test} → ${f.line}\`${f.isProse === true ? ', or quote it if you mean the text' : ''}`,
  })),
  severalValues: message<{ list: string }>('taken-as-text', 'warning', (f) => ({
    message: 'this is text, and none of the values',
    label: 'names stay words in a text',
    help: `write \`RETURN with ${f.list}\` for an object of these values, or quote it if you mean the text`,
  })),
  failureFields: message<{ text: string }>('taken-as-text', 'warning', (f) => ({
    message: 'this is all the text of the failure, which has no fields',
    label: 'not a field',
    help: `write \`FAIL: ${f.text}\`, or quote it if you mean the text`,
  })),
  eventOfValue: message<{ name: string }>('taken-as-text', 'warning', (f) => ({
    message: `this names an event, and is not the value of \`${f.name}\``,
    label: 'the name of an event',
    help: `write \`EMIT: "{${f.name}}"\` for the value, or \`EMIT: ${f.name.toUpperCase()}\` for an event`,
  })),
  expectedWords: message<{ part: string; line: string; test: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the command here, and nothing is compared`,
    label: 'arguments of the command',
    help: `write \`${f.line}\`, then \`IF: ${f.test} → PROCEED\` with an \`ELSE →\` for what is to happen otherwise`,
  })),
  waited: message<{ line: string }>('taken-as-text', 'warning', (f) => ({
    message: 'these words are part of the command here',
    label: 'arguments of the command',
    help: `write \`${f.line}\``,
  })),
  dollarName: message<{ line: string }>('taken-as-text', 'warning', (f) => ({
    message: 'this names a variable of the shell as the command, and binds no result',
    label: 'part of the command',
    help: `write \`${f.line}\``,
  })),
  unclosed: message<{ close: string }>('taken-as-text', 'warning', (f) => ({
    message: 'this is text, because its bracket is not closed',
    label: 'not an expression',
    help: `close it with \`${f.close}\`, or quote it if you mean the text`,
  })),
  comment: message<{ verb: string; part: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the command here`,
    label: 'more arguments',
    help: 'in a command, a comment begins with `#`',
    repair: { replace: '//', by: '#', guess: true },
  })),
  remark: message<{ part: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is part of the text here`,
    label: 'not a comment',
    help: 'a comment begins with two spaces and `#`; quote the text if it has these slashes',
    repair: { replace: '//', by: '#', guess: true },
  })),
  wordedOption: message<{ part: string; verb: string; option: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.part}\` is an argument of the command here`,
    label: 'part of the command',
    help: `write the option before the colon: \`${f.verb} [${f.option}]: …\``,
  })),
  variable: message<{ text: string; line: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.text}\` is the command here: the shell runs the program that it names`,
    label: 'not a value',
    help: `write \`${f.line}\` for its value`,
  })),
  semicolon: message<{ text: string }>('taken-as-text', 'warning', (f) => ({
    message: '`;` is part of the text here',
    label: 'lines do not end with `;`',
    help: `remove it, or write \`"${f.text}"\` to keep it`,
    repair: { remove: 'span', guess: true },
  })),
  innerQuotes: message<{ instead: string }>('taken-as-text', 'warning', (f) => ({
    message: 'the quotes at both ends are part of the text here, because others are between them',
    label: 'not one quoted text',
    help: `write \`${f.instead}\``,
    repair: { instead: f.instead, guess: true },
  })),
  dollar: message<{ name: string; written: string }>('shell-variable', 'error', (f) => ({
    message: `\`${f.written}\` is written as in a shell, but \`${f.name}\` is a value of the program`,
    label: 'the `$` would stay in the text',
    help: `write \`{${f.name}}\` for the value`,
    repair: { instead: `{${f.name}}`, guess: true },
  })),
  braces: message<{
    written: string;
    kind: 'other' | 'unclosed' | 'doubled';
    name: string;
    instead: string | null;
    compute?: string;
    onlyInputs?: boolean;
  }>('ambiguous-braces', 'error', ({ written, kind, name, instead, compute = '…', onlyInputs = false }) => {
    if (kind === 'unclosed' && !onlyInputs)
      return {
        message: written.endsWith('}')
          ? `a bracket in \`${written}\` is not closed`
          : `\`${written}\` has no closing brace`,
        label: `\`${name}\` is a value of the program`,
        help: `write \`${instead}\` for the value`,
      };
    return {
      message: `\`${written}\` is not how the value of \`${name}\` is written here`,
      label: kind === 'doubled' ? 'a value has one pair of braces' : 'braces take an expression',
      help: onlyInputs
        ? `this text is known before the run, and has only inputs and their fields, such as \`{${name}}\``
        : instead === null && written.length < 200 && CHOICE.test(written)
          ? chooseFirst(written)
          : instead === null
            ? `compute it first, as in \`DO: result = ${compute}\`, and write \`{result}\``
            : `write \`${instead}\`${kind === 'doubled' ? ` for the value, or \`{${instead}}\` for braces` : ''}`,
      ...omitUndefined({ repair: instead === null ? undefined : { instead, guess: true as const } }),
    };
  }),
  brokenCall: message<{ written: string; why: string; help?: string }>('ambiguous-braces', 'error', (f) => ({
    message: `\`${f.written}\` cannot be read: ${f.why}`,
    label: 'braces take an expression',
    help: f.help ?? 'correct it, or compute it first, as in `DO: result = …`',
  })),
  substitution: message<{ text: string; line: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`${f.text}\` is text here, and runs nothing`,
    label: 'not a command',
    help: `write \`${f.line}\``,
  })),
  oneTurn: message<{ name: string }>('taken-as-text', 'warning', (f) => ({
    message: `\`{${f.name}}\` is one word here, so the loop has one turn`,
    label: 'one word, even if it is a list',
    help: `write \`{${f.name}*}\` to get one word for each item`,
    repair: { instead: `{${f.name}*}`, guess: true },
  })),
  condition: message<{ mended: string | null }>('not-a-condition', 'error', (f) => ({
    message: 'this is a value, not a condition',
    label: 'neither true nor false',
    help: f.mended === null ? 'compare it with something, as in `x == …`' : `write \`${f.mended}\``,
    ...omitUndefined({ repair: f.mended === null ? undefined : ({ instead: f.mended, guess: true } as const) }),
  })),
};
