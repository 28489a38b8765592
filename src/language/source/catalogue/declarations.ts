/** Messages about declarations: states, machines, inputs, imports, names and options. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Label, Spelling, Words } from '../diagnostic.js';
import { didYouMean, list, message, type Near } from './message.js';
import { constantMeant } from './scripts.js';

/** Values as other languages write them. */
const FOREIGN_LITERALS: Readonly<Record<string, string | undefined>> = {
  ...{ True: 'true', TRUE: 'true', yes: 'true', on: 'true', False: 'false', FALSE: 'false', no: 'false', off: 'false' },
  ...{ None: 'null', Null: 'null', NULL: 'null', nil: 'null', undefined: 'null', none: 'null' },
};

const withArticle = (type: string): string => (type === 'object' ? 'an object' : `a ${type}`);

/** Instructions that follow one another outside every state. */
interface OutsideState {
  readonly count: number;
  /** The state above them. */
  readonly state?: string;
  /** The first state, if they are above it. */
  readonly first?: string;
  /** All of them are TRACK. */
  readonly tracks: boolean;
  /** What they bind. */
  readonly names: readonly string[];
  /** The first step among them. */
  readonly step?: string;
}

function stateFor({ count, state, first, tracks, step }: OutsideState): string {
  const them = count === 1 ? 'it' : 'them';
  if (first !== undefined && tracks)
    return `indent ${them} under \`STATE: ${first}\`: what is tracked lives in all states, and a state keeps it when it begins again`;
  if (first !== undefined)
    return (
      `write \`STATE: BEGIN\` above ${them}, indent ${them}, and end with \`GOTO: ${first}\`` +
      (step === undefined ? '' : `; other states read \`{BEGIN/${step}.output}\``)
    );
  if (count === 1) return 'indent it under the `STATE:` that should run it';
  return state === undefined
    ? 'indent them under the `STATE:` that should run them'
    : `indent them, for example under \`STATE: ${state}\``;
}

export const declarationMessages = {
  duplicate: message<{ what: string; name: string; first: Label }>('duplicate', 'error', (f) => ({
    message: `${f.what} \`${f.name}\` is declared twice`,
    label: 'declared again here',
    labels: [f.first],
    help: f.what === 'TITLE' ? 'remove one of the two' : 'rename one of the two, or remove it',
  })),
  outsideState: message<OutsideState>('instruction-outside-state', 'error', (f) => ({
    message:
      f.count === 1 ? 'this instruction is outside every state' : `${f.count} instructions are outside every state`,
    label: 'the file declares states, so every instruction must be in one',
    help: stateFor(f),
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
    help: `write \`${f.verb}\` and the other verbs in capitals; if the block is not a program, name its language, as in \`\`\`text`,
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
  titlePart: message<{ name: string | null } & Near>('title-part', 'error', (f, s) => ({
    message:
      f.name === null ? 'a title can contain only inputs' : `the title reads \`${f.name}\`, which is not an input`,
    label: 'a run has its title before it computes anything',
    ...didYouMean(
      f.name ?? '',
      f.near,
      f.name === null
        ? 'write the name of an input in the braces, or a member of it'
        : `declare ${s.either(`\`INPUT: ${f.name}\``, `\`${f.name}\` under \`inputs:\``)}`,
    ),
  })),
  inputDefault: message<{ word?: string | undefined }>('input-default', 'error', (f) => ({
    message: 'the default of an input must be a plain value',
    label: 'only a run can compute this',
    help:
      f.word === undefined
        ? 'write a number, text, list or object without names in it'
        : FOREIGN_LITERALS[f.word] !== undefined
          ? `write \`${FOREIGN_LITERALS[f.word]}\``
          : `write \`"${f.word}"\` for the text`,
    ...omitUndefined({
      repair:
        f.word === undefined
          ? undefined
          : ({ replace: f.word, by: FOREIGN_LITERALS[f.word] ?? `"${f.word}"`, guess: true } as const),
    }),
  })),
  inputDefaultType: message<{ type: string; given: string }>('input-default', 'error', (f) => ({
    message: `the default is ${withArticle(f.given)}, and the input is ${withArticle(f.type)}`,
    help: `write ${withArticle(f.type)} as the default, or \`(${f.given})\``,
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
  badKey: message<{ why: string; help: string }>('bad-key', 'error', (f) => ({
    message: `the key of the runs ${f.why}`,
    help: f.help,
  })),
  unknownOption: message<{ name: string; of: string; known: readonly string[] } & Near>(
    'unknown-option',
    'error',
    (f) => ({
      message: `${f.of} has no option \`${f.name}\``,
      ...didYouMean(f.name, f.near, f.known.length ? `it has ${list(f.known)}` : 'leave it out: it has none', f.known),
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
  expansionTooLarge: message<{ of: string; limit: number; inside?: true }>('expansion-too-large', 'error', (f) => ({
    message: f.inside
      ? `more than ${f.limit} patterns of ${f.of} are inside each other`
      : `the patterns of ${f.of} expand to more than ${f.limit} instructions`,
    help: 'use fewer patterns inside patterns, or split the work into several states',
  })),
} as const;

/** Whether a message about a name that nothing binds suggests another name. */
export function suggestsName({ name, near }: { readonly name: string } & Near): boolean {
  return near !== undefined && constantMeant(name) === undefined;
}

/** How to get a value whose name only some places know. */
function boundElsewhere(name: string, state: string | undefined): string | undefined {
  if (name === 'exit_code') return 'write `DO [ok=any]: x = …` for the command, and `exit_code(x)` here';
  if (name === 'failures')
    return 'write `in PARALLEL [on_failure=keep]`: the run continues when a member or turn fails, and `failures` has the reasons';
  if (!/^(?:error|error_type|from_state|tool)$/.test(name) || state === undefined) return undefined;
  return `only ERROR and ON ERROR know it: where a handler goes here, write \`GOTO: ${state} with ${name}={${name}}\``;
}

/** A name that only another state gets from a GOTO. */
function passedElsewhere({ name, state, passedTo }: { name: string; state?: string; passedTo?: string | undefined }) {
  if (passedTo === undefined || state === undefined) return undefined;
  return `only \`${passedTo}\` gets it from a GOTO: pass it on with \`GOTO: ${state} with ${name}\`, or keep the value with \`TRACK:\` and \`SET:\``;
}

/** Explains how to give an unbound name a value, or what it may have meant. */
function unboundWords(
  f: { name: string; state?: string; shell?: boolean; prompt?: boolean; passedTo?: string | undefined } & Near,
  s: Spelling,
): Pick<Words, 'help' | 'repair'> {
  const constant = constantMeant(f.name);
  // In shell text it is the name of a value or text, and not the value.
  if (constant !== undefined && f.shell !== true) {
    const repair = { replace: f.name, by: constant } as const;
    const isSpelling = f.name.toLowerCase() === constant;
    return { help: `write \`${constant}\``, repair: isSpelling ? repair : { ...repair, guess: true } };
  }
  const words = didYouMean(
    f.name,
    f.near,
    s.either(
      boundElsewhere(f.name, f.state) ??
        passedElsewhere(f) ??
        'bind it with CHECK, DO or TRACK, declare it with `INPUT:`, or pass it with `GOTO … with`',
      'name an input, or a step that runs before, as `{step.output}`',
    ),
  );
  if (f.shell === true) return { ...words, help: `${words.help}; for the text itself, write \`\\{${f.name}}\`` };
  return f.prompt === true
    ? { ...words, help: `${words.help}; for the text itself, double the braces: \`{{${f.name}}}\`` }
    : words;
}

/** A word with dashes that an expression subtracts; `bound`: the name with `_` instead has a value. */
interface Dashed {
  readonly dashed?: string;
  readonly bound?: boolean;
  readonly compared?: boolean;
}

function dashedHelp(word: string, { bound, compared }: Dashed): string {
  const name = word.replace(/[-.]/g, '_');
  if (bound === true) return `did you mean \`${name}\`?`;
  if (compared === true) return `write \`"${word}"\` for the text`;
  return `for the output of the command, bind it on a line above, \`DO: ${name} = ${word}\`, and read \`${name}\``;
}

/** A workflow file has no states. */
function inState(state: string, s: Spelling): string {
  // The only state of a script has no name in its text.
  return state === 'MAIN' ? '' : s.either(` in state \`${state}\``, '');
}

export const nameMessages = {
  unknownName: message<
    { name: string; state: string; shell?: boolean; prompt?: boolean; passedTo?: string | undefined } & Dashed & Near
  >('unknown-name', 'error', (f, s) =>
    f.dashed === undefined
      ? {
          message: `nothing binds \`${f.name}\`${inState(f.state, s)}`,
          label: 'never has a value',
          ...unboundWords(f, s),
        }
      : {
          message: `nothing binds \`${f.name}\`${inState(f.state, s)}: \`-\` subtracts, and is not part of a name`,
          label: 'a subtraction here',
          help: dashedHelp(f.dashed, f),
        },
  ),
  outOfScope: message<{ name: string; state: string; other: string; bound: Label }>(
    'local-out-of-scope',
    'error',
    (f, s) => ({
      message: `\`${f.name}\` does not exist${inState(f.state, s) || ' here'}`,
      label: `nothing in ${f.state} binds this`,
      labels: [f.bound],
      help: `pass it on with \`GOTO: ${f.state} with ${f.name}\`, or keep the value with \`TRACK:\` and \`SET:\``,
    }),
  ),
  unknownInText: message<{ name: string; state: string } & Near>('unknown-name-in-text', 'warning', (f, s) => ({
    message: `nothing binds \`${f.name}\`${inState(f.state, s)}, so the text keeps the braces`,
    label: 'stays as it is written',
    ...didYouMean(f.name, f.near, 'bind it, or double the braces if they are meant as text'),
  })),
  returnsTheWord: message<{ word: string; state: string }>('returns-the-word', 'warning', (f) => ({
    message: `nothing binds \`${f.word}\` in state \`${f.state}\`, so the word itself is returned`,
    help: `bind it, or write \`RETURN: ${f.word}\` if you mean the word`,
  })),
  shadowsTracked: message<{ name: string; kind: string; written?: string | undefined }>(
    'shadows-tracked',
    'warning',
    (f) => ({
      message: `the local \`${f.name}\` hides the tracked variable of that name`,
      label: 'from here on, the name means the local',
      help:
        f.written !== undefined
          ? `write \`SET: ${f.name} = ${f.written}\` to change the tracked variable, or give the local another name`
          : f.kind === 'loop'
            ? 'give one of the two another name'
            : `give the local another name; \`SET: ${f.name} = …\` with that name changes the tracked variable`,
    }),
  ),
  changesTheCopy: message<{ name: string; written: string }>('shadows-tracked', 'error', (f) => ({
    message: `\`DO\` binds a local \`${f.name}\`, and the tracked variable of that name stays as it is`,
    label: 'the next round begins with the tracked value again',
    help: `write \`SET: ${f.name} = ${f.written}\``,
  })),
  trackTwice: message<{ name: string; first: Label }>('track-differs', 'warning', (f) => ({
    message: `\`${f.name}\` is tracked with different initial values`,
    label: 'only the first TRACK that runs counts',
    labels: [f.first],
    help: 'give both the same initial value',
  })),
  notTracked: message<{ name: string; what: string; verb: string } & Near>('not-tracked', 'error', (f) => ({
    message: `\`${f.verb}\` needs a tracked variable, but \`${f.name}\` is ${f.what}`,
    ...(f.near === undefined
      ? {
          help:
            f.what === 'a word of the language'
              ? `use another name, such as \`${f.name}_value\`, and track it`
              : `add \`TRACK: ${f.name}\` before it`,
          ...omitUndefined({
            repair: f.what === 'not bound' ? ({ above: `TRACK: ${f.name}`, guess: true } as const) : undefined,
          }),
        }
      : didYouMean(f.name, f.near, '')),
  })),
  fixedValue: message<{ name: string; what: string }>('fixed-value', 'error', (f) => ({
    message: `\`${f.name}\` cannot be changed, because it is ${f.what}`,
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
      message: `state \`${f.state}\` reads ${list(f.names)}, which nothing passes when the run starts there`,
      labels: f.reads,
      help: `declare ${f.names.map((n) => `\`INPUT: ${n}\``).join(', ')}, or bind ${f.names.length === 1 ? 'it' : 'them'} before`,
    }),
  ),
  staleEntry: message<{ state: string; missing: readonly string[] }>('stale-entry-value', 'warning', (f) => ({
    message: `this \`with\` does not pass ${list(f.missing)}, which state \`${f.state}\` keeps from an earlier entry`,
    label: 'passes some entry values, not all',
    help: `pass \`${f.missing.map((n) => `${n}=…`).join(', ')}\` too`,
  })),
  overwrittenByPattern: message<{ name: string; pattern: string; labels: readonly Label[] }>(
    'overwritten-by-pattern',
    'warning',
    (f) => ({
      message: `the pattern \`${f.pattern}\` overwrites \`${f.name}\`, which this state reads afterwards`,
      labels: f.labels,
      help: 'give the name of the state or that of the pattern another spelling',
    }),
  ),
  earlierTurn: message<{ name: string; labels: readonly Label[] }>('earlier-turn', 'warning', (f) => ({
    message: `\`${f.name}\` may have the value of an earlier turn of the loop here`,
    label: 'read here',
    labels: f.labels,
    help: `bind \`${f.name}\` in every turn, for example \`DO: ${f.name} = null\` at the beginning of the loop`,
  })),
  lastTurn: message<{ name: string; of: string; labels: readonly Label[] }>('earlier-turn', 'warning', (f) => ({
    message: `\`${f.name}\` has the value of the last turn of the loop here, and of no other`,
    label: 'not the list of all turns',
    labels: f.labels,
    help: `write \`DO: ${f.name} = FOR EACH ${f.of}:\` for the list of what the turns end with`,
  })),
  checkNeverRead: message<{ name: string }>('check-never-read', 'warning', (f) => ({
    message: `the result \`${f.name}\` of this CHECK is never read`,
    help: 'read it in an IF, or use `DO:` when only the effect matters',
  })),
  nameIt: message<{ names: readonly string[] }>('name-the-check', 'error', (f) => ({
    message: `this CHECK could bind any of ${list(f.names)}`,
    label: 'an instruction below reads several names that nothing binds',
    help: `name it: \`CHECK: ${f.names[0]} = …\``,
    repair: { replace: 'CHECK:', by: `CHECK: ${f.names[0]} =`, guess: true },
  })),
  comparesWhole: message<{ name: string; bound: Label }>('compares-whole-result', 'warning', (f) => ({
    message: `\`${f.name}\` is the whole JSON value that the CHECK printed, but is compared with a text`,
    label: 'an object is never equal to a text; the comparison fails the run',
    labels: [f.bound],
    help: `compare a field, such as \`${f.name}.status\``,
    repair: { replace: f.name, by: `${f.name}.status`, guess: true },
  })),
} as const;
