/**
 * The words of everything the checker finds once the text could be read: declarations, names, flow, commands.
 * One entry a code, in the order in which a reader meets them in the reference.
 */
import type { Fix, Label } from '../diagnostic.js';
import type { Span } from '../source-file.js';
import { constantMeant, functionMeant } from './foreign-words.js';
import { didYouMean, message, type Words } from './message.js';
import { shippedPattern } from './shipped-patterns.js';

interface Near {
  readonly near?: string | undefined;
}

const list = (names: readonly string[]): string => names.map((n) => `\`${n}\``).join(', ');

/** Of a long way round, where it begins and how it comes back. */
function pathText(path: readonly string[]): string {
  const names = path.map((name) => `\`${name}\``);
  return (names.length > 12 ? [...names.slice(0, 8), '…', ...names.slice(-2)] : names).join(' → ');
}

/** From here on, a number without a unit may well have been meant as milliseconds. */
const PERHAPS_MILLISECONDS = 1000;

/** How a name that nothing binds comes to have a value, or what was meant. */
function unbound(f: { name: string; shell?: boolean } & Near): Pick<Words, 'help' | 'repair'> {
  const constant = constantMeant(f.name);
  if (constant !== undefined) return { help: `write \`${constant}\``, repair: { replace: f.name, by: constant } };
  const words = didYouMean(
    f.name,
    f.near,
    'bind it with CHECK, DO or TRACK, declare it with `INPUT:`, or pass it with `GOTO … with`',
  );
  return f.shell === true ? { ...words, help: `${words.help}; for the text itself, write \`\\{${f.name}}\`` } : words;
}

/** A shipped pattern, by its name or by that of its file, needs its import; the import goes first. */
function patternMeant(name: string, near: string | undefined): Pick<Words, 'help' | 'repair'> {
  const shipped = shippedPattern(name);
  if (shipped === undefined || (near !== undefined && shipped.pattern !== name))
    return didYouMean(name, near, `declare it with \`PATTERN: ${name}\`, or import the file that has it`);
  const top = `IMPORT: "std/${shipped.file}"`;
  if (shipped.pattern === name) return { help: `add \`${top}\` at the top`, repair: { top } };
  return {
    help: `add \`${top}\` at the top and use \`${shipped.pattern}\``,
    repair: { top, guess: true },
  };
}

/** Names for no agent at all. */
const NOBODY: ReadonlySet<string> = new Set(['pass', 'none', 'noop', 'null', 'nobody']);

export const checkMessages = {
  // ---- declarations ---------------------------------------------------------------------------------
  duplicate: message<{ what: string; name: string; first: Label }>('duplicate', 'error', (f) => ({
    message: `${f.what} \`${f.name}\` is declared twice`,
    label: 'declared again here',
    labels: [f.first],
    help: 'rename one of the two, or remove it',
  })),
  outsideState: message('instruction-outside-state', 'error', () => ({
    message: 'this instruction is outside every state',
    label: 'the file declares states, so every instruction belongs in one',
    help: 'indent it under the `STATE:` that should run it',
  })),
  firstStateError: message('first-state-error', 'error', () => ({
    message: 'the first state is `ERROR`',
    label: 'a run would begin as a failed one',
    help: 'move another state above it',
  })),
  nothingToRun: message('nothing-to-run', 'warning', () => ({
    message: 'there is nothing to run in this file',
    help: 'write an instruction such as `DO: echo hello`, or a `STATE:`',
  })),
  notInImport: message<{ what: string }>('not-in-import', 'error', (f) => ({
    message: `an imported file may contain only patterns, and this one contains ${f.what}`,
    help: 'move the patterns to a file of their own and import that',
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
    ...(f.word === undefined ? {} : { repair: { replace: f.word, by: `"${f.word}"` } }),
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
      ...didYouMean(f.name, f.near, `it has ${list(f.known)}`),
    }),
  ),
  badOption: message<{ name: string; why: string; help: string }>('bad-option', 'error', (f) => ({
    message: `option \`${f.name}\` ${f.why}`,
    help: f.help,
  })),
  badDuration: message<{ text: string }>('bad-duration', 'error', (f) => {
    if (/^(?:\d+(?:\.\d+)?|\.\d+)(?:ms|s|m|h|d)$/.test(f.text.trim()))
      return { message: `\`${f.text}\` is longer than 10,000 days`, help: 'write at most `10000d`' };
    const words = {
      message: `\`${f.text}\` is not a duration`,
      notes: ['a duration is a number followed by one of the units ms, s, m, h, d'],
    };
    if (!/^\d+(\.\d+)?$/.test(f.text)) return { ...words, help: 'write for example `30s` or `1.5h`' };
    const repair = { replace: f.text, by: `${f.text}s` };
    return {
      ...words,
      help: `write \`${f.text}s\` for seconds`,
      repair: Number(f.text) < PERHAPS_MILLISECONDS ? repair : { ...repair, guess: true },
    };
  }),
  badPause: message<{ text: string }>('bad-duration', 'error', (f) => ({
    message: `\`${f.text}\` is not a pause that doubles`,
    notes: ['it begins with the first duration, which is above 0, and doubles up to the second, which is not shorter'],
    help: 'write for example `1s..30s`',
  })),
  expansionTooLarge: message<{ of: string; limit: number }>('expansion-too-large', 'error', (f) => ({
    message: `the patterns of ${f.of} expand to more than ${f.limit} instructions`,
    help: 'use fewer patterns inside patterns, or split the work over states',
  })),
  // ---- states and flow ------------------------------------------------------------------------------
  unknownState: message<
    { name: string; parameter?: { name: string; read: Span; isDefault: boolean } | undefined } & Near
  >('unknown-state', 'error', ({ name, parameter, near }) => {
    const declare = `declare it with \`STATE: ${name}\``;
    const message = `there is no state \`${name}\` in this machine`;
    if (parameter === undefined) return { message, label: 'goes nowhere', ...didYouMean(name, near, declare) };
    return {
      message,
      label: parameter.isDefault ? `\`${parameter.name}\` is \`${name}\` unless it is given` : 'goes nowhere',
      labels: [{ span: parameter.read, text: 'goes there' }],
      ...(parameter.isDefault
        ? { help: `pass \`${parameter.name}=…\`, or ${declare}` }
        : didYouMean(name, near, declare)),
    };
  }),
  errorUndeclared: message<{ machine: string; several: boolean }>('error-undeclared', 'warning', (f) => ({
    message: `state \`ERROR\` is not declared${f.several ? ` in machine \`${f.machine}\`` : ''}`,
    label: 'the built-in one reports the error and ends the run as failed',
    help: 'declare `STATE: ERROR` to decide what happens then, or write `FAIL:` and the reason',
  })),
  writeFail: message<{ written: string; fix?: Fix | undefined }>('write-fail', 'error', (f) => ({
    message: 'there is no state `ERROR` that these values could be passed to',
    label: 'goes nowhere',
    help: `write \`${f.written}\``,
    ...(f.fix === undefined ? {} : { fix: f.fix }),
  })),
  undoWithoutEffect: message<{ what: string }>('undo-without-effect', 'error', (f) => ({
    message: `${f.what} stands directly above this UNDO`,
    label: 'takes nothing back',
    help: 'write it directly below the DO, CALL or Task that it takes back, in the same block',
  })),
  badUndo: message<{ why: string; help: string }>('bad-undo', 'error', (f) => ({
    message: `an UNDO ${f.why}`,
    help: f.help,
  })),
  undoUnreachable: message('undo-unreachable', 'warning', () => ({
    message: 'no ROLLBACK can be reached after this UNDO',
    label: 'only `statedsl rollback` performs it',
    help: 'add `ROLLBACK` to `STATE: ERROR`, or to an `ON ERROR` of this state',
  })),
  failSays: message<{ name: string }>('fail-says', 'error', (f) => ({
    message: `FAIL cannot pass \`${f.name}\`, because every failure sets it`,
    label: 'part of the error',
    help:
      f.name === 'error'
        ? 'write the text after `FAIL:`'
        : f.name === 'error_type'
          ? 'the kind of this failure is `failed`; pass a value of your own, such as `reason=…`'
          : `choose another name, such as \`${f.name}_value\``,
  })),
  unreachableState: message<{ name: string }>('unreachable-state', 'warning', (f) => ({
    message: `no path leads to state \`${f.name}\``,
    help: `add a \`GOTO: ${f.name}\`, or remove the state`,
  })),
  unreachable: message<{ pattern: string; use: Label }>('unreachable', 'error', (f) => ({
    message: `this never runs, because \`USE: ${f.pattern}\` always leaves the state`,
    label: 'unreachable',
    labels: [f.use],
    notes: ['a GOTO or RETURN in a pattern leaves the state that uses it'],
    help: 'move it before the USE, or take the GOTO out of the pattern',
  })),
  unreachableInstruction: message<{ after: Label }>('unreachable-instruction', 'warning', (f) => ({
    message: 'this never runs, because the instruction above it always leaves the state',
    label: 'unreachable',
    labels: [f.after],
    help: 'remove it, or move it up',
    repair: { remove: 'line', guess: true },
  })),
  fallsOff: message<{ name: string }>('falls-off', 'warning', (f) => ({
    message: `a path through state \`${f.name}\` ends without saying where to go`,
    label: 'reaching its end is the failure `fell_off`',
    help: 'end the state with `GOTO: …` or `RETURN`',
  })),
  handlerFallsOff: message('handler-falls-off', 'warning', () => ({
    message: 'a path through this `ON ERROR` ends without saying where to go',
    label: 'reaching its end is the failure `fell_off`',
    help: 'end it with `GOTO: …` or `RETURN`',
  })),
  handlerPlace: message('on-error-place', 'error', () => ({
    message: '`ON ERROR` is not at the end of a state or pattern',
    label: 'it guards the whole body, so it comes last',
    help: 'move it to the end of the body, at the indentation of the body',
  })),
  unknownErrorKind: message<{ name: string; known: readonly string[] } & Near>(
    'unknown-error-kind',
    'warning',
    (f) => ({
      message: `no failure of the engine is called \`${f.name}\``,
      ...didYouMean(f.name, f.near, `failures are ${list(f.known)}`),
    }),
  ),
  unknownRetried: message<{ name: string; known: readonly string[] } & Near>('bad-option', 'error', (f) => ({
    message: `option \`retry_on\` names \`${f.name}\`, which is not a failure that can be tried again`,
    ...didYouMean(f.name, f.near, `write ${list(f.known)} or an exit code, as in \`exit:75\``),
  })),
  defaultWithoutIf: message('default-without-if', 'error', () => ({
    message: '`DEFAULT` has no `IF` above it',
    label: 'it runs when no IF directly above it matched',
    help: 'put it directly below the last IF, at the same indentation',
  })),
  unboundedCycle: message<{ path: readonly string[]; why: readonly string[] }>('unbounded-cycle', 'warning', (f) => ({
    message: `nothing bounds the cycle ${pathText(f.path)}`,
    label: 'goes round again from here',
    notes: [
      ...f.why,
      'every way round should change a tracked counter in one direction and test it to leave, or wait for a person or a time-out',
    ],
    help: 'add `TRACK: n`, `INCREMENT: n` and `IF: n > 20 → RETURN: gave up` where every round passes',
    repair: { above: 'TRACK: n\nINCREMENT: n\nIF: n > 20 → RETURN: gave up', guess: true },
  })),
  eventContradicts: message<{ field: string; value: string; actual: string; what: string; label?: Label }>(
    'event-contradicts',
    'warning',
    (f) => {
      const actual = /[a-z]/.test(f.value) ? f.actual.toLowerCase() : f.actual;
      return {
        message: `the event says \`${f.field}=${f.value}\`, but ${f.what} \`${f.actual}\``,
        labels: f.label ? [f.label] : [],
        help: `write \`${f.field}=${actual}\``,
        repair: { replace: f.value, by: actual, guess: true },
      };
    },
  ),
  // ---- patterns -------------------------------------------------------------------------------------
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
  ambiguousWord: message<{ name: string; word: string }>('ambiguous-word', 'error', (f) => ({
    message: `\`${f.word}\` could be the text or the variable of that name`,
    help: `write \`{${f.word}}\` for its value or \`"${f.word}"\` for the text`,
    repair: { replace: f.word, by: `{${f.word}}`, guess: true },
  })),
  notAStateName: message<{ name: string; why: string }>('goto-parameter', 'error', (f) => ({
    message: `\`GOTO {${f.name}}\` ${f.why}`,
    help: 'inside a pattern, name one of its parameters: `PATTERN: P with next_state` … `GOTO {next_state}`',
  })),
  // ---- names ----------------------------------------------------------------------------------------
  unknownName: message<{ name: string; state: string; shell?: boolean } & Near>('unknown-name', 'error', (f) => ({
    message: `nothing binds \`${f.name}\` in state \`${f.state}\``,
    label: 'no value can be here',
    ...unbound(f),
  })),
  outOfScope: message<{ name: string; state: string; other: string; bound: Label }>(
    'local-out-of-scope',
    'error',
    (f) => ({
      message: `\`${f.name}\` does not exist in state \`${f.state}\``,
      label: `nothing in ${f.state} binds this`,
      labels: [f.bound],
      help: `pass it on with \`GOTO: ${f.state} with ${f.name}\`, or keep the value with \`TRACK:\` and \`SET:\``,
    }),
  ),
  unknownInText: message<{ name: string; state: string } & Near>('unknown-name-in-text', 'warning', (f) => ({
    message: `nothing binds \`${f.name}\` in state \`${f.state}\`, so the text keeps the braces`,
    label: 'stays as it is written',
    ...didYouMean(f.name, f.near, 'bind it, or double the braces if they are meant as text'),
  })),
  returnsTheWord: message<{ word: string; state: string }>('returns-the-word', 'warning', (f) => ({
    message: `nothing binds \`${f.word}\` in state \`${f.state}\`, so the word itself is returned`,
    help: `bind it, or write \`RETURN: ${f.word}\` if you mean the word`,
  })),
  shadowsTracked: message<{ name: string }>('shadows-tracked', 'warning', (f) => ({
    message: `the local \`${f.name}\` hides the tracked variable of that name`,
    label: 'from here on `SET` and reading mean the local',
    help: 'give one of the two another name',
  })),
  trackTwice: message<{ name: string; first: Label }>('track-differs', 'warning', (f) => ({
    message: `\`${f.name}\` is tracked with different initial values`,
    label: 'only the first TRACK that runs counts',
    labels: [f.first],
    help: 'give both the same initial value',
  })),
  notTracked: message<{ name: string; what: string; verb: string } & Near>('not-tracked', 'error', (f) => ({
    message: `\`${f.verb}\` needs a tracked variable, and \`${f.name}\` is ${f.what}`,
    ...(f.near === undefined
      ? {
          help: `add \`TRACK: ${f.name}\` before it`,
          ...(f.what === 'not bound' ? { repair: { above: `TRACK: ${f.name}` } } : {}),
        }
      : didYouMean(f.name, f.near, '')),
  })),
  fixedValue: message<{ name: string; what: string }>('fixed-value', 'error', (f) => ({
    message: `\`${f.name}\` is ${f.what}, and those do not change`,
    help: `copy it into a variable: \`TRACK: my_${f.name} = ${f.name}\``,
  })),
  missingEntry: message<{ names: readonly string[]; state: string; reads: readonly Label[] }>(
    'missing-entry-value',
    'warning',
    (f) => ({
      message: `state \`${f.state}\` reads ${list(f.names)}, which ${f.names.length === 1 ? 'is' : 'are'} not passed here`,
      labels: f.reads,
      help: `write \`with ${f.names.map((n) => `${n}=…`).join(', ')}\``,
    }),
  ),
  missingEntryAtStart: message<{ names: readonly string[]; state: string; reads: readonly Label[] }>(
    'missing-entry-value',
    'warning',
    (f) => ({
      message: `state \`${f.state}\` reads ${list(f.names)}, which nothing passes when the run begins there`,
      labels: f.reads,
      help: `declare ${f.names.map((n) => `\`INPUT: ${n}\``).join(', ')}, or bind ${f.names.length === 1 ? 'it' : 'them'} before`,
    }),
  ),
  staleEntry: message<{ state: string; missing: readonly string[] }>('stale-entry-value', 'warning', (f) => ({
    message: `this \`with\` leaves ${list(f.missing)} of state \`${f.state}\` as an earlier entry set it`,
    label: 'passes some entry values, not all',
    help: `pass \`${f.missing.map((n) => `${n}=…`).join(', ')}\` too`,
  })),
  checkNeverRead: message<{ name: string }>('check-never-read', 'warning', (f) => ({
    message: `the result \`${f.name}\` of this CHECK is never read`,
    help: 'read it in an IF, or use `DO:` when only the effect matters',
  })),
  nameIt: message<{ names: readonly string[] }>('name-the-check', 'error', (f) => ({
    message: `this CHECK could bind any of ${list(f.names)}`,
    label: 'the next IF reads several names that nothing binds',
    help: `name it: \`CHECK: ${f.names[0]} = …\``,
    repair: { replace: 'CHECK:', by: `CHECK: ${f.names[0]} =`, guess: true },
  })),
  comparesWhole: message<{ name: string; bound: Label }>('compares-whole-result', 'warning', (f) => ({
    message: `\`${f.name}\` is all of the JSON that the CHECK printed, compared here with a text`,
    label: 'an object is never equal to a text; the comparison fails the run',
    labels: [f.bound],
    help: `compare a field, such as \`${f.name}.status\``,
    repair: { replace: f.name, by: `${f.name}.status`, guess: true },
  })),
  // ---- expressions ----------------------------------------------------------------------------------
  unknownFunction: message<{ name: string } & Near>('unknown-function', 'error', (f) => ({
    message: `there is no function \`${f.name}\``,
    ...functionMeant(f.name, f.near),
  })),
  wrongArity: message<{ name: string; least: number; most: number; has: number }>(
    'wrong-number-of-arguments',
    'error',
    (f) => {
      const range = f.least === f.most ? `${f.least}` : `${f.least} ${f.most === f.least + 1 ? 'or' : 'to'} ${f.most}`;
      const wants = f.most === Number.POSITIVE_INFINITY ? `at least ${f.least}` : range;
      return {
        message: `\`${f.name}\` takes ${wants} argument${/^(?:at least )?1$/.test(wants) ? '' : 's'}, and here it gets ${f.has}`,
        help: `write \`${f.name}(${Array.from({ length: f.least }, () => '…').join(', ')})\``,
      };
    },
  ),
  badRegex: message<{ reason: string }>('bad-regex', 'error', (f) => ({
    message: `this is not a regular expression: ${f.reason}`,
    help: 'patterns are JavaScript regular expressions with the `u` flag',
  })),
  exitCodeOf: message('exit-code-of', 'error', () => ({
    message: '`exit_code` asks about a variable that a CHECK or DO of this state bound',
    help: 'write `exit_code(x)` with the name of that variable',
  })),
  unknownKind: message<{ name: string; near: string | undefined; known: readonly string[] }>(
    'unknown-kind',
    'error',
    (f) => ({
      message: `there is no data of the kind \`${f.name}\``,
      ...(f.near === undefined
        ? { help: `the kinds are ${f.known.map((kind) => `\`†${kind}\``).join(', ')}` }
        : { help: `did you mean \`†${f.near}\`?`, repair: { replace: f.name, by: f.near } }),
    }),
  ),
  unknownDaggerName: message<{ path: string; what: string; near: string | undefined; declare: string }>(
    'unknown-name',
    'error',
    (f) => ({
      message: `there is no ${f.what} \`${f.path}\``,
      ...didYouMean(f.path, f.near, f.declare),
    }),
  ),
  embeddedReference: message<{ reference: string }>('embedded-dagger', 'warning', (f) => ({
    message: `\`${f.reference}\` stays text here`,
    label: 'nothing is read',
    help: `write \`{${f.reference}}\` for its value`,
    repair: { replace: f.reference, by: `{${f.reference}}`, guess: true },
  })),
  misspeltReference: message<{ path: string; near: string }>('misspelt-reference', 'error', (f) => ({
    message: `nothing writes \`${f.path}\``,
    ...didYouMean(f.path, f.near, ''),
  })),
  readsNothingWritten: message<{ path: string }>('reads-nothing-written', 'warning', (f) => ({
    message: `nothing in this program writes \`${f.path}\``,
    help: f.path.startsWith('†state.approvals')
      ? 'only plans have approvals; in a program ask with `ASK user: "…" → name`'
      : `write it: \`CALL: tool → ${f.path}\`, or read it as \`default(${f.path}, …)\` where it may be missing`,
  })),
  branchesWriteInside: message<{ outer: string; inner: string; labels: readonly Label[] }>(
    'output-prefix',
    'error',
    (f) => ({
      message: `\`${f.inner}\` is part of \`${f.outer}\`, and branches that run at the same time write both`,
      labels: f.labels,
      help: 'write the two results to separate paths',
    }),
  ),
  branchesWriteOne: message<{ path: string; labels: readonly Label[] }>('contended', 'warning', (f) => ({
    message: `branches that run at the same time write \`${f.path}\`: the first of them in the program wins`,
    labels: f.labels,
    help: 'give each a path of its own, or collect the results with `[method=push]`',
  })),
  readsOtherBranch: message<{ path: string; labels: readonly Label[] }>('reads-other-branch', 'warning', (f) => ({
    message: `\`${f.path}\` is written by a parallel branch, and this one does not see it`,
    labels: f.labels,
    help: 'read it after the join, or write it before the branches begin',
  })),
  planUnreadable: message<{ path: string; reason: string }>('call-unreadable', 'error', (f) => ({
    message: `the plan \`${f.path}\` cannot be read: ${f.reason}`,
    help: 'a path is relative to the file that names it',
  })),
  toolsUnreadable: message<{ reason: string }>('call-unreadable', 'error', (f) => ({
    message: `the tools of this program cannot be read: ${f.reason}`,
    help: 'name a file of tools with `--tools`, or put a `tools.yaml` next to the program',
  })),
  planFileName: message('plan-file-name', 'error', () => ({
    message: 'the file of a plan cannot contain values: what a program calls must be known before it runs',
    help: 'name the file, and pass what differs with `with`',
  })),
  planInput: message<{ name: string; file: string }>('missing-input', 'error', (f) => ({
    message: `the plan \`${f.file}\` needs \`${f.name}\``,
    help: `pass it: \`with ${f.name}=…\``,
  })),
  planInputUnread: message<{ name: string; file: string; near: string | undefined }>('unread-input', 'error', (f) => ({
    message: `the plan \`${f.file}\` does not read an input \`${f.name}\``,
    ...didYouMean(f.name, f.near, 'leave it out'),
  })),
  planIsWrong: message<{ file: string; errors: number }>('plan-is-wrong', 'error', (f) => ({
    message: `the plan \`${f.file}\` has ${f.errors === 1 ? 'an error' : `${f.errors} errors`}`,
    help: 'they are listed with their lines in that file',
  })),
  planWantsApproval: message<{ file: string }>('plan-wants-approval', 'error', (f) => ({
    message: `the plan \`${f.file}\` must be approved before it runs, because its mode is \`lazy\`, and a program cannot approve it`,
    help: `run it by itself with \`statedsl run ${f.file} --approved HASH\`, or set its mode to \`eager\``,
  })),
  metaParameter: message<{ name: string }>('unknown-meta', 'error', (f) => ({
    message: `\`${f.name}\` cannot be a parameter: names that begin with \`_\` describe the call itself`,
    help:
      f.name === '_outputPath'
        ? 'write where the result goes after an arrow: `→ †state.result`'
        : f.name === '_outputMethod'
          ? 'write how the result is added in brackets: `CALL [method=push]: …`'
          : 'give the parameter a name without the underscore',
  })),
  badFilter: message<{ name: string; why: string }>('bad-filter-place', 'error', (f) => ({
    message: `the filter \`:${f.name}\` ${f.why}`,
    help: '`:json` and `:int` work everywhere, `:path` and `:file` in shell text',
  })),
  // ---- effects --------------------------------------------------------------------------------------
  notACommand: message<{ word: string }>('not-a-command', 'error', (f) => ({
    message: `\`${f.word}\` is not a command`,
    label: 'neither a program nor a word of the shell',
    help: instructionHelp(f.word) ?? 'write `DO: Task(AGENT) "…"` to give it to an agent',
  })),
  alsoACommand: message<{ name: string; bind: string }>('also-a-command', 'note', (f) => ({
    message: `\`${f.name}\` is the variable here, not the command of that name`,
    help: `write \`DO: ${f.bind} = command ${f.name}\` to run the command`,
  })),
  commandNotFound: message<{ word: string; path: boolean }>('command-not-found', 'warning', (f) => ({
    message: f.path ? `the file \`${f.word}\` does not exist yet` : `the program \`${f.word}\` is not on the PATH`,
    help: f.path ? 'make sure that an earlier instruction creates it' : 'install it, or check the spelling',
  })),
  unknownAgent: message<{ name: string; known: readonly string[]; adapters: readonly string[] } & Near>(
    'unknown-agent',
    'error',
    (f) => ({
      message: `there is no agent \`${f.name}\``,
      label: 'not in the configuration',
      ...(f.adapters.length === 0
        ? {}
        : { notes: [`a name that begins with an adapter needs no configuration: ${list(f.adapters)}`] }),
      ...(NOBODY.has(f.name)
        ? { help: 'leave the agent out: a step without one runs its gates alone' }
        : didYouMean(
            f.name,
            f.near,
            `add it under \`agents:\` in statedsl.config.yaml${f.known.length ? `; it has ${list(f.known)}` : ''}`,
          )),
    }),
  ),
  promptMissing: message<{ agent: string }>('prompt-missing', 'warning', (f) => ({
    message: `there is nothing to send to the agent \`${f.agent}\`: no prompt and no value`,
    help: `write \`Task(${f.agent}) "what to do"\`, unless the agent has instructions of its own`,
  })),
  pipeWithoutSource: message('pipe-without-source', 'error', () => ({
    message: '`|` has no output to pipe on every path to here',
    label: 'stdin would be empty',
    notes: ['the source is the last DO or CHECK of this activation; GOTO and PARALLEL clear it'],
    help: 'run a DO directly before it',
  })),
  functionInPipeline: message<{ name: string }>('function-in-shell', 'error', (f) => ({
    message: `\`${f.name}\` is a bound function and cannot be part of a shell line`,
    help: `call it alone: \`DO: x = ${f.name} …\``,
  })),
  inParallel: message<{ what: string }>('not-in-parallel', 'error', (f) => ({
    message: `${f.what} inside PARALLEL`,
    label: 'branches run at the same time, so no branch can decide this',
    help: 'do it after the join, with what the branches returned',
  })),
  mayBeMissing: message<{ what: string; label: Label; end: Span }>('may-be-missing', 'warning', (f) => ({
    message: `${f.what} may be null here`,
    label: 'reading a field of null fails',
    labels: [f.label],
    notes: ['a member that failed or was stopped leaves its name null'],
    help: 'add `?`, which makes it null too, or `default(…)`, or test it with `is not null` before',
    fix: { span: f.end, text: '?' },
  })),
  quorumTooLarge: message<{ quorum: number; members: number }>('quorum-too-large', 'error', (f) => ({
    message: `a quorum of ${f.quorum} can never be reached by ${f.members} ${f.members === 1 ? 'member' : 'members'}`,
    help: `write \`quorum=${f.members}\` or fewer`,
    repair: { replace: String(f.quorum), by: String(f.members), guess: true },
  })),
  memberCount: message<{ said: number; members: number }>('member-count', 'warning', (f) => ({
    message: `the text says ${f.said}, but there ${f.members === 1 ? 'is 1 member' : `are ${f.members} members`}`,
    help: 'make the two agree',
  })),
  waitWithoutParallel: message('wait-without-parallel', 'error', () => ({
    message: 'there is no PARALLEL directly above this WAIT',
    label: 'nothing to wait for',
    help: 'put the WAIT directly below the PARALLEL it joins, or wait for a condition',
  })),
  askDeadline: message('ask-deadline', 'error', () => ({
    message: 'an ASK with a deadline needs a default',
    label: 'what is the answer when the time is up?',
    help: 'add `default="…"`',
    repair: { endOfLine: ' default="…"', guess: true },
  })),
} as const;

/** An instruction in the place of a command, as people write it who know calls of functions. */
function instructionHelp(word: string): string | undefined {
  const verb = /^(CALL|PLAN|CHECK|EMIT|GOTO|USE|RETURN|SET|ASK|WAIT):?$/.exec(word)?.[1];
  if (verb === undefined) return undefined;
  const binds = verb === 'CALL' || verb === 'PLAN' || verb === 'CHECK';
  return binds
    ? `begin the line with \`${verb}:\`; \`${verb}: x = …\` binds its result`
    : `\`${verb}\` is an instruction of its own: begin the line with it`;
}
