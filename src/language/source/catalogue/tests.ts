/** Test files: their lines, and what in them matches nothing. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Correction } from '../diagnostic.js';
import { didYouMean, list, message, type Near } from './message.js';

/** What other tools call the facts of a run, and the line that expects one. */
const FACTS: Readonly<Record<string, string>> = {
  ...synonyms('result output value stdout text answer', 'EXPECT: returned "…"'),
  ...synonyms('state current_state', 'EXPECT: states …, NAME'),
  ...synonyms('fails fail failure', 'EXPECT: failed'),
  ...synonyms('success succeeds succeeded passes passed ok', 'EXPECT: returned'),
  ...synonyms('error_type kind', 'error.kind'),
  ...synonyms('exit_code exit code status', 'error.exit_code'),
  prompt: 'EXPECT: prompt Task(NAME) contains "…"',
  calls: 'EXPECT: calls "COMMAND" == 1',
  ...synonyms('duration elapsed', 'time'),
};

/** Words for an answer that does not come. */
const SILENCE =
  /^(?:time_?(?:d_?)?out|none|nothing|null|nobody|silence|silent|default|deadline|never|no_answer|skip)$/i;

function synonyms(names: string, line: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, line]));
}

export const testMessages = {
  line: message<{ what: string; help?: string }>('test-line', 'error', (f) => ({
    message: f.what,
    ...omitUndefined({ help: f.help }),
  })),
  foreignLine: message<{ line: string; meant: string; fix: Correction }>('test-line', 'error', (f) => ({
    message: `a test file has no line \`${f.line.length > 60 ? `${f.line.slice(0, 60)}…` : f.line}\``,
    help: `write \`${f.meant.split('\n').join('`, then `')}\``,
    correction: { ...f.fix, guess: true },
  })),
  bareSelector: message<{ word: string; help: string; fix?: Correction }>('test-line', 'error', (f) => ({
    message: `\`${f.word}\` is neither an agent such as \`Task(writer)\` nor the text of a command in quotes`,
    help: f.help,
    ...(f.fix === undefined ? {} : { correction: { ...f.fix, guess: true } }),
  })),
  inProgram: message<{ verb: string }>('test-in-program', 'error', (f) => ({
    message: `\`${f.verb}:\` belongs in a test file, and this is a program`,
    help: 'move it to a file with a name that ends in `.test.dsl`, below a line `TESTS: "./program.dsl"`',
  })),
  noProgram: message<{ path: string; reason: string }>('test-program', 'error', (f) => ({
    message: `cannot test \`${f.path}\`: ${f.reason}`,
    help: 'the path is relative to the test file',
  })),
  matchesNothing: message<{ what: string; names: readonly string[]; note?: string } & Near>(
    'matches-nothing',
    'error',
    (f) => ({
      message: `${f.what}, so this line can have no effect`,
      ...didYouMean('', f.near, f.names.length === 0 ? 'remove the line' : `there are ${list(f.names)}`),
      ...(f.note === undefined ? {} : { notes: [f.note] }),
    }),
  ),
  unknownValue: message<{ name: string; where?: 'expected' | 'answered'; inText?: boolean } & Near>(
    'unknown-value',
    'error',
    (f) => ({
      message: `nothing in this test has the name \`${f.name}\``,
      ...didYouMean(
        f.name,
        f.near,
        f.inText === true
          ? `double the braces for the text itself: \`{{${f.name}}}\``
          : f.where === 'answered' && SILENCE.test(f.name)
            ? 'remove the line: without it nobody answers and no signal comes, until `deadline=` or `timeout=` has passed'
            : f.where === 'expected' && Object.hasOwn(FACTS, f.name)
              ? `write \`${FACTS[f.name]}\``
              : /^time_?out$/i.test(f.name)
                ? 'a MOCK that is too late is `→ times out`, or `→ fails timeout "…"` for a command without a time limit; `"timeout"` is a text'
                : `write \`"${f.name}"\` for the text, or name an input, a tracked variable or the row of \`EACH:\``,
      ),
    }),
  ),
  unknownVariable: message<{ name: string; isAtStart: boolean } & Near>('unknown-value', 'error', (f) => ({
    message: f.isAtStart
      ? `\`${f.name}\` has no value before the run, and \`ASSUME:\` is about its inputs`
      : `the program has no input and no tracked variable \`${f.name}\``,
    ...didYouMean(
      f.name,
      f.near,
      f.isAtStart ? 'name an input' : 'name an input or a tracked variable, or write a text in quotes',
    ),
  })),
  ambiguousMock: message<{ other: string; line: number; joined?: string }>('ambiguous-mock', 'error', (f) => ({
    message: `two mocks answer \`${f.other}\`, and neither is more specific`,
    help:
      f.joined !== undefined
        ? `one line has the answers of all calls, in their order: write \`${f.joined}\``
        : `name a state (\`STATE/…\`) or a line (\`… line ${f.line}\`) in one of them`,
  })),
  wrongAnswer: message<{ what: string; help: string }>('wrong-answer', 'error', (f) => ({
    message: f.what,
    help: f.help,
  })),
  cassette: message<{ path: string; reason: string; help?: string }>('cassette', 'error', (f) => ({
    message: `cannot use the cassette \`${f.path}\`: ${f.reason}`,
    help: f.help ?? 'record one with `statedsl run FILE --record CASSETTE`',
  })),
  snapshots: message<{ path: string; reason: string }>('snapshots', 'error', (f) => ({
    message: `cannot use the file of snapshots \`${f.path}\`: ${f.reason}`,
    help: 'remove it, and write it again with `statedsl test --update`',
  })),
  unusedMock: message<{ what: string }>('unused-mock', 'warning', (f) => ({
    message: `no test of this file uses ${f.what}`,
    help: 'remove it, or correct its selector',
  })),
  textIsBuilt: message<{ text: string; line: number }>('text-is-built', 'warning', (f) => ({
    message: `this looks at commands as they are written, so it does not mean \`${f.text}\` on line ${f.line}`,
    help: 'if it is meant, too, write `*` for what is in braces',
  })),
};
