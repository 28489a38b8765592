/** Messages about shell text: values that a shell would execute, and ambiguous braces. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import type { Correction, Words } from '../diagnostic.js';
import { message } from './message.js';

/** Positions in which even a quoted value becomes code or a name. */
export type UnsafePosition =
  | 'arithmetic'
  | 'integer-variable'
  | 'parameter'
  | 'subscript'
  | 'eval'
  | 'trap'
  | 'shell-code'
  | 'shell-input'
  | 'split-string'
  | 'code-argument'
  | 'command-word'
  | 'special-variable'
  | 'descriptor'
  | 'variable-name'
  | 'naming-builtin'
  | 'test-variable'
  | 'test-operator'
  | 'loop-variable';

interface UnsafeFacts {
  readonly position: UnsafePosition;
  /** The interpolation as written. */
  readonly source: string;
  /** The command in that position, or the assigned variable. */
  readonly command: string;
  /** Set if writing the value as `{v:int}` corrects the mistake. */
  readonly integer?: Correction;
}

const AS_INTEGER = (facts: UnsafeFacts, other: string) =>
  facts.integer === undefined
    ? other
    : `for a whole number write \`${facts.integer.text}\`, which is checked; ${other}`;

const UNSAFE: Readonly<Record<UnsafePosition, (facts: UnsafeFacts) => Words>> = {
  arithmetic: (facts) => ({
    message: `\`${facts.source}\` is inside shell arithmetic, where a text can run commands`,
    label: 'evaluated as an expression',
    notes: ['arithmetic evaluates names and subscripts in the text of a variable, and a subscript can contain `$( )`'],
    help: AS_INTEGER(facts, 'compute anything else with `SET:` before the command'),
  }),
  'integer-variable': (facts) => ({
    message: `\`${facts.source}\` is assigned to \`${facts.command}\`, which evaluates it as arithmetic`,
    label: 'evaluated as an expression',
    help: AS_INTEGER(facts, 'use a variable without that attribute'),
  }),
  parameter: ({ source }) => ({
    message: `\`${source}\` is inside \`\${…}\`, where its text is read as an expression or a pattern`,
    label: 'not a plain value here',
    help: `assign it to a shell variable first: \`v=${source}\`, then use \`$v\` instead`,
  }),
  subscript: (facts) => ({
    message: `\`${facts.source}\` is inside an array subscript, which is shell arithmetic`,
    label: 'evaluated as an expression',
    help: AS_INTEGER(facts, 'keep lists in the program and pass one value'),
  }),
  eval: ({ source }) => ({
    message: `\`eval\` runs the text of \`${source}\` as a command`,
    label: 'becomes code',
    help: `leave out \`eval\` and pass the value as an argument: \`command ${source}\``,
  }),
  trap: ({ source }) => ({
    message: `\`trap\` keeps the text of \`${source}\` and runs it as a command`,
    label: 'becomes code',
    help: `assign it to a shell variable first: \`v=${source}; trap 'rm -f -- "$v"' EXIT\``,
  }),
  'shell-code': ({ source, command }) => ({
    message: `\`${command} -c\` runs the text of \`${source}\` as a command`,
    label: 'becomes code',
    help: `pass the value after the code: \`${command} -c 'echo "$1"' ${command} ${source}\``,
  }),
  'shell-input': ({ source, command }) => ({
    message: `\`${command}\` reads its program here, so the text of \`${source}\` becomes part of it`,
    label: 'becomes code',
    help: `pass the value as an argument: \`${command} -s -- ${source} <<'EOF'\`, and use \`"$1"\` in the program`,
  }),
  'split-string': ({ source }) => ({
    message: `\`env -S\` splits the text of \`${source}\` into a command`,
    label: 'chooses what runs',
    help: `leave out \`-S\` and write the words themselves, with \`${source}\` as an argument`,
  }),
  'code-argument': ({ source, command }) => ({
    message: `\`${command}\` runs \`${source}\`, or takes it as the choice of what runs`,
    label: 'becomes code',
    help: `write that part literally, and pass \`${source}\` to the program as data`,
  }),
  'command-word': ({ source }) => ({
    message: `\`${source}\` is the command word: it chooses the program that runs`,
    label: 'used as a command',
    help: 'write the name of the program, or choose between commands with `IF:`',
  }),
  'special-variable': ({ source, command }) => ({
    message: `\`${source}\` is assigned to \`${command}\`, which shells or programs read as instructions`,
    label: 'changes what later commands do',
    help: `use another name, or write the value of \`${command}\` literally`,
  }),
  descriptor: ({ source, command }) => ({
    message: `bash expands the target of \`${command}\` twice, so the text of \`${source}\` can run commands`,
    label: 'expanded twice',
    help: `redirect to a file instead: \`> ${source} 2>&1\``,
  }),
  'variable-name': ({ source, command }) => ({
    message: `\`${source}\` names the variable that \`${command}\` sets, and a name can contain a subscript that runs`,
    label: 'used as a variable name',
    help: 'write the name of the variable, and keep the value separate from it',
  }),
  'naming-builtin': ({ source, command }) => ({
    message: `\`${command}\` takes \`${source}\` as names or declarations, which can run commands`,
    label: 'not a plain value here',
    help: `assign it on its own: \`v=${source}\`, without \`${command}\` on that line`,
  }),
  'test-variable': ({ source }) => ({
    message: `\`-v\` takes \`${source}\` as the name of a variable, and a name can contain a subscript that runs`,
    label: 'used as a variable name',
    help: 'write the name of the variable, or test the value in an `IF:`',
  }),
  'test-operator': ({ source, command }) => ({
    message: `\`${source}\` can be read as an operator of \`${command}\``,
    label: 'may be an operator',
    help: `write the operator itself: \`[ -n ${source} ]\``,
  }),
  'loop-variable': ({ source, command }) => ({
    message: `\`${command}\` needs the name of a variable, not \`${source}\``,
    label: 'used as a variable name',
    help: `write a name: \`for item in ${source}; do …; done\``,
  }),
};

export const unsafePosition = message<UnsafeFacts>('unsafe-position', 'error', (facts) => ({
  ...UNSAFE[facts.position](facts),
  ...omitUndefined({
    correction: facts.integer === undefined ? undefined : ({ ...facts.integer, guess: true } as const),
  }),
}));

export type BracesKind = 'doubled' | 'service' | 'descriptor';

interface BracesFacts {
  readonly written: string;
  readonly kind: BracesKind;
  readonly next: string;
  /** The name in the braces is a value of the program. */
  readonly isValue: boolean;
}

/** Braces with more than a value, or with less than a pair. `value`: what to write instead; null: it is computed first. */
export const computedBraces = message<{ written: string; value: string | null; compute?: string | undefined }>(
  'ambiguous-braces',
  'error',
  ({ written, value, compute = written.slice(1, -1).trim() }) => ({
    message: `\`${written}\` can be a value or text of the shell`,
    label: 'in shell text, braces take a name, a field or a call',
    help:
      value === null
        ? `compute it first, as in \`DO: next = ${compute}\`, and write \`{next}\`, or write \`\\${written}\` for the text`
        : `write \`${value}\` for the value, or \`\\${written}\` for the text`,
  }),
);

/** `{name}` for `{{ name }}` and `${{ name }}`. */
const singleBraces = (written: string): string => `{${written.replace(/^\$?\{\{\s*|\s*\}\}$/g, '')}}`;

export const ambiguousBraces = message<BracesFacts>('ambiguous-braces', 'error', ({ written, kind, next, isValue }) => {
  const value = singleBraces(written);
  switch (kind) {
    case 'doubled':
      return {
        message: `\`${written}\` can be a value or the text \`${written}\``,
        label: 'double braces have no meaning in shell text',
        help: `write \`${value}\` for the value, or \`\\${written}\` for the text`,
        repair: { replace: written, by: value, guess: true },
      };
    case 'service':
      return {
        message: `\`${written}\` is a value in files of other services, but not in a shell`,
        label: 'a value of the program has one pair of braces, and no `$`',
        help: isValue
          ? `write \`${value}\` for the value`
          : `write \`{name}\` for a value, or \`'${written}'\` for the text`,
        ...omitUndefined({ repair: isValue ? { replace: written, by: value } : undefined }),
      };
    case 'descriptor':
      return {
        message: `\`${written}${next}\` can be a value before a redirection or a file descriptor that bash opens`,
        label: 'value or descriptor?',
        help: `write \`${written} ${next}\` or \`"${written}"${next}\` for the value, or \`\\${written}${next}\` for the text`,
        repair: { replace: `${written}${next}`, by: `${written} ${next}`, guess: true },
      };
    default:
      return unreachable(kind);
  }
});

/** Programs, and constructs of the shell, that read a value as code in another language. */
export type ProgramReader =
  | 'printf'
  | 'source'
  | 'indirect'
  | 'arithmetic'
  | 'code'
  | 'output'
  | 'remote'
  | 'starter'
  | 'program';

interface UnsafeProgramFacts {
  readonly reader: ProgramReader;
  /** The interpolation, or the shell variable that contains it. */
  readonly source: string;
  readonly command: string;
}

const PASS: Readonly<Record<string, (source: string) => string>> = {
  awk: (v) => `pass it in the environment: \`v=${v} awk '… ENVIRON["v"] …'\``,
  make: (v) => `pass it in the environment: \`v=${v} make …\`, and read it in the rule as \`$$v\``,
  jq: (v) => `pass it by name: \`jq --arg v ${v} '… $v …'\``,
  python: (v) => `pass it as an argument: \`python3 -c 'import sys; … sys.argv[1] …' ${v}\``,
  node: (v) => `pass it as an argument: \`node -e '… process.argv[1] …' -- ${v}\``,
  perl: (v) => `pass it as an argument: \`perl -e '… $ARGV[0] …' -- ${v}\``,
  ruby: (v) => `pass it as an argument: \`ruby -e '… ARGV[0] …' -- ${v}\``,
};

function passingHelp(command: string, source: string): string {
  const name = command
    .replace(/^(?:g|m|n)awk$/, 'awk')
    .replace(/^python.*$/, 'python')
    .replace(/^nodejs$/, 'node');
  // `{name}` is also a rule of awk and an object of jq.
  const text =
    /^(?:awk|jq)$/.test(name) && /^\{\w+\}$/.test(source) ? `; for the text itself, write \`\\${source}\`` : '';
  return (
    PASS[name]?.(source).concat(text) ??
    `keep the program of \`${command}\` fixed and pass the value as an argument or as input`
  );
}

const READ_AS_CODE: Readonly<Record<ProgramReader, (source: string, command: string) => Words>> = {
  printf: (source) => ({
    message: `\`${source}\` is part of a \`printf\` format, where \`%\` and \`\\\` have a meaning`,
    label: 'read as a format',
    help: `write \`printf '%s' ${source}\``,
    repair: { replace: source, by: `'%s' ${source}`, guess: true },
  }),
  source: (source, command) => ({
    message: `\`${source}\` chooses the file that \`${command}\` runs${/^(?:\.|source)$/.test(command) ? ' in this shell' : ''}`,
    label: 'names a file of code',
    help: 'write the path of the file, or make sure that only you choose the value',
  }),
  indirect: (source, command) => ({
    message: `\`${command}\` reads a variable by a name in another variable, in a text that also contains \`${source}\``,
    label: 'a value may reach this name',
    help: 'write the name of the variable',
  }),
  arithmetic: (source, command) => ({
    message: `\`${command}\` contains \`${source}\` and is evaluated here as an expression`,
    label: 'evaluated as an expression',
    help: `check the value where it is assigned: \`${command}=${integerForm(source)}\``,
  }),
  code: (source, command) => ({
    message: `\`${command}\` contains \`${source}\` and runs here as code`,
    label: 'becomes code',
    help: `use \`"$${command}"\` as an argument instead of as code`,
  }),
  output: (source) => ({
    message: `a shell runs this text as code, and it contains \`${source}\``,
    label: 'becomes code',
    help: `keep the code fixed, and pass the value as an argument: \`bash -c 'echo "$1"' bash ${source}\``,
  }),
  remote: (source, command) => ({
    message: `\`${command}\` passes \`${source}\` to a shell on the other machine, which reads it as code`,
    label: 'read again by another shell',
    help: `send it as input: \`printf '%s' ${source} | ${command} ${command === 'adb' ? 'shell' : 'HOST'} 'cat > file'\``,
  }),
  starter: (source, command) => ({
    message: `\`${command}\` passes \`${source}\` to a shell, which reads it as code`,
    label: 'read again by another shell',
    help: `pass the value in the environment: \`v=${source} ${command} 'echo "$v"'\``,
  }),
  program: (source, command) => ({
    message: `\`${source}\` is part of a program of \`${command}\`, which can read it as code`,
    label: 'inside a program',
    help: passingHelp(command, source),
  }),
};

export const unsafeProgram = message<UnsafeProgramFacts>('unsafe-program', 'warning', ({ reader, source, command }) =>
  READ_AS_CODE[reader](source, command),
);

function integerForm(source: string): string {
  return source.replace(/(?::[a-z]+)?\}$/, ':int}');
}

/** Subcommands of git for which paths follow `--`, so that a revision after it would become a path. */
const REVISIONS = /^(?:diff|log|show|rev-list|rev-parse|blame|archive|shortlog|cherry-pick|revert)$/;

interface OptionFacts {
  readonly source: string;
  readonly command: string;
  readonly subcommand?: string;
  /** The command is a list of words. */
  readonly argv?: boolean;
}

export const mayBeReadAsOption = message<OptionFacts>(
  'may-be-read-as-option',
  'warning',
  ({ source, command, subcommand = '', argv }) => {
    const message = `\`${command}\` reads \`${source}\` as an option when it begins with \`-\``;
    const asPath = `\`${source.replace(/(?::[a-z]+)?\}$/, ':path}')}\``;
    if (argv === true)
      return {
        message,
        label: 'no `"--"` before it',
        help: `write \`"--", ${source}\``,
        repair: { before: '"--", ', guess: true },
      };
    if (command === 'git' && REVISIONS.test(subcommand))
      return {
        message,
        label: 'no `--end-of-options` before it',
        notes: [`\`git ${subcommand} -- ${source}\` would read it as a path`],
        help: `write \`--end-of-options ${source}\` for a revision, or \`-- ${source}\` for a path`,
        repair: { before: '--end-of-options ', guess: true },
      };
    if (command === 'git' && subcommand === 'checkout')
      return {
        message,
        help: `write \`git switch -- ${source}\` for a branch, or \`git checkout -- ${source}\` for a path`,
      };
    if (command === 'git' && subcommand === 'reset')
      return {
        message,
        help: `write \`"$(git rev-parse --verify --end-of-options ${source})"\` for a revision, or \`-- ${source}\` for a path`,
      };
    return {
      message,
      label: 'no `--` before it',
      help: `write \`-- ${source}\`, or ${asPath} for a path`,
      repair: { before: '-- ', guess: true },
    };
  },
);

export const listNotAWord = message<{ text: string }>('list-not-a-word', 'error', ({ text }) => ({
  message: `\`${text}\` becomes one word for each element, so it cannot be part of a word or be in quotes`,
  label: 'must be a whole unquoted word',
  help: `put spaces around \`${text}\`, or leave out the \`*\` for the list as JSON`,
}));

export const backslashInBackticks = message<{ source: string }>('backslash-in-backticks', 'error', ({ source }) => ({
  message: `there is a backslash in the same backticks as \`${source}\``,
  label: 'read twice inside backticks',
  help: 'write `$( … )` instead of the backticks',
}));

export const substitutionInHeredoc = message('substitution-in-heredoc', 'error', () => ({
  message: 'a here-document contains both a command substitution and a value',
  label: 'expanded together with the value',
  help: 'run the command first, as in `x=$(command)`, and write `$x` here; or quote the delimiter',
}));

export const unclosedQuote = message<{ quote: string }>('unclosed-quote', 'error', ({ quote }) => ({
  message: `this ${quote === '"' ? 'double' : 'single'} quote is never closed`,
  label: 'opened here',
  repair: { close: quote, guess: true },
  help:
    quote === '"'
      ? 'close it with `"`, or write `\\"` for the character'
      : 'close it with `\'`, or write `"\'"` for an apostrophe',
}));

export const unclosedSubstitution = message<{ close: string }>('unclosed-substitution', 'error', ({ close }) => ({
  message: `the \`${close}\` that ends this is missing`,
  label: 'opened here',
  help: `close it with \`${close}\``,
  repair: { close, guess: true },
}));

export const unclosedHeredoc = message<{ delimiter: string; oneLine: boolean }>(
  'unclosed-heredoc',
  'error',
  ({ delimiter, oneLine }) => ({
    message: `this here-document has no closing line \`${delimiter}\``,
    label: 'begins here',
    help: oneLine
      ? `write \`DO:\` alone, and below it, indented deeper, the command, the text and a line \`${delimiter}\``
      : `put \`${delimiter}\` on a separate line after the text`,
  }),
);

export const rawSplice = message<{ source: string }>('raw-splice', 'warning', ({ source }) => ({
  message: `\`raw(${source})\` puts the value into the command as code`,
  label: 'becomes shell source',
  help: `write \`${source}\` unless the value is meant to be part of a command`,
  repair: { replace: `raw(${source})`, by: source, guess: true },
}));

export const choiceWord = message<{ text: string }>('choice-word', 'warning', ({ text }) => ({
  message: `\`${text}\` runs as a pipe between commands`,
  label: 'a pipe without spaces',
  help: `write one of the words, or quote it: \`'${text}'\`; put spaces around \`|\` for a pipe`,
  repair: { replace: text, by: `'${text}'`, guess: true },
}));
