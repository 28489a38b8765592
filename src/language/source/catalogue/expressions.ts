/** Messages about expressions: functions, regular expressions and filters. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Correction, Label, Span } from '../diagnostic.js';
import { message, type Near } from './message.js';
import { functionMeant } from './scripts.js';

export const expressionMessages = {
  unknownFunction: message<{ name: string; known: readonly string[] } & Near>('unknown-function', 'error', (f) => ({
    message: `there is no function \`${f.name}\``,
    ...functionMeant(f.name, f.near, f.known),
  })),
  wrongArity: message<{ name: string; least: number; most: number; has: number }>(
    'wrong-number-of-arguments',
    'error',
    (f) => {
      const range = f.least === f.most ? `${f.least}` : `${f.least} ${f.most === f.least + 1 ? 'or' : 'to'} ${f.most}`;
      const wants = f.most === Number.POSITIVE_INFINITY ? `at least ${f.least}` : range;
      return {
        message: `\`${f.name}\` takes ${wants} argument${/^(?:at least )?1$/.test(wants) ? '' : 's'}, but gets ${f.has} here`,
        help:
          f.name === 'exit_code'
            ? 'write `DO [ok=any]: x = …` for the command, and `exit_code(x)` here'
            : f.name === 'sort' && f.has > 1
              ? '`sort` compares numbers or texts; for objects keep the best of them: `TRACK: best`, `SET: best = list[0]`, then `FOR EACH: item in list:`, and in it `IF: item.key > best.key → SET: best = item`'
              : `write \`${f.name}(${Array.from({ length: f.least }, () => '…').join(', ')})\``,
      };
    },
  ),
  textIsNoFile: message<{ text: string }>('wrong-type', 'error', (f) => ({
    message: `a text in quotes always exists: \`${f.text}\` does not name a file here`,
    label: 'always true',
    help: `for a file write \`CHECK: found = test -e ${f.text.slice(1, -1)}\` above, and \`exit_code(found) == 0\` here`,
  })),
  clockAsText: message<{ text: string }>('wrong-type', 'error', (f) => ({
    message: `\`now()\` is a date with a time, such as \`2026-01-31T18:00:00.000Z\`, and \`${f.text}\` is none`,
    label: 'compares only characters',
    help: 'let a command read the clock, as in `DO: hour = date +%H`, and write `int(hour) >= 18`',
  })),
  badRegex: message<{ reason: string }>('bad-regex', 'error', (f) => ({
    message: `this is not a regular expression: ${f.reason}`,
    help: 'patterns are JavaScript regular expressions with the `u` flag',
  })),
  exitCodeOf: message<{ name?: string; state: string; bound?: boolean }>('exit-code-of', 'error', (f) => ({
    message: '`exit_code` needs a variable that a CHECK or DO of this state binds',
    help:
      f.name === undefined
        ? 'write `exit_code(x)` with the name of that variable'
        : f.bound === true
          ? `pass the number on where the command runs, \`GOTO: ${f.state} with code={exit_code(${f.name})}\`, and read \`code\` here`
          : `bind the command in this state: \`DO [ok=any]: ${f.name} = …\``,
  })),
  badFilter: message<{ name: string; why: string }>('bad-filter-place', 'error', (f) => ({
    message: `the filter \`:${f.name}\` ${f.why}`,
    help: '`:json` and `:int` work everywhere, `:path` and `:file` in shell text',
  })),
} as const;

/** A field of an error in other languages, as a part of a failure. */
function partOfFailure(field: string): string {
  if (/^(?:type|kind|name|class|category|error_?type)$/i.test(field)) return 'error_type';
  if (/^(?:code|exit_?code|status|rc|errno)$/i.test(field)) return 'exit_code';
  if (/^(?:state|from_?state|step|phase|source)$/i.test(field)) return 'from_state';
  return /^(?:tool|command|cmd|program)$/i.test(field) ? 'tool' : /^line/i.test(field) ? 'line' : 'error';
}

/** Messages about types: comparisons that can only fail, and inputs that are passed as text. */
export const typeMessages = {
  comparesUnlike: message<{
    operator: string;
    left: string;
    right: string;
    /** One of the two operands is the output of a command. */
    printed: boolean;
    /** How to compare a variable that only has some words. */
    words?: string | undefined;
    /** One of the two operands has parts, and the other one has none. */
    structure?: 'list' | 'object' | undefined;
    /** The variable that could be converted to a text. */
    name: string | undefined;
    fix: Correction | undefined;
    after: string | undefined;
  }>('compares-unlike', 'error', (f) => ({
    message: `\`${f.operator}\` compares ${f.left} with ${f.right.replace(/,$/, '')}`,
    label: 'this comparison always fails the run',
    ...omitUndefined({
      notes:
        f.words === undefined && f.printed
          ? ['`DO: x = …` binds text; CHECK binds the type that was printed']
          : undefined,
    }),
    help: `${f.left} ${f.right}`.includes('a version')
      ? 'use `version(…)` on both sides'
      : f.structure !== undefined
        ? f.structure === 'list'
          ? 'compare an element, as in `x[0]`, or `len(x)`, or use `contains`'
          : 'compare one of its fields, as in `x.name`'
        : f.words !== undefined
          ? f.words
          : f.after !== undefined
            ? `write \`${f.after}\``
            : f.name === undefined
              ? 'compare values of one type: `int(x)` is a number, and `string(x)` a text'
              : `convert one of the two, as in \`string(${f.name})\``,
    ...omitUndefined({ correction: f.fix === undefined ? undefined : ({ ...f.fix, guess: true } as const) }),
  })),
  comparesText: message<{
    operator: string;
    outputs?: true;
    instead?: string;
    /** The same with numbers, if a text has a unit. */
    unitless?: string;
  }>('compares-text', 'warning', (f) => ({
    message: `\`${f.operator}\` compares two ${f.outputs === true ? 'outputs as ' : ''}texts, in which \`"10"\` comes before \`"9"\``,
    label: f.outputs === true ? 'the outputs of DO are texts' : 'both sides are texts',
    help:
      f.instead !== undefined
        ? `write \`${f.instead}\``
        : f.unitless !== undefined
          ? `compare numbers without a unit, as in \`${f.unitless}\``
          : 'compare numbers, as in `int(x)`, or versions, as in `version(x)`',
  })),
  joinsOutputs: message<{ left: string; right: string }>('joins-outputs', 'warning', (f) => ({
    message: `\`+\` joins two outputs as texts, in which \`"1" + "2"\` is \`"12"\``,
    label: 'the outputs of DO are texts',
    help: `write \`int(${f.left}) + int(${f.right})\` for the sum, or \`"{${f.left}}{${f.right}}"\` for the text`,
  })),
  wrongType: message<{ needs: string; is: string; help: string }>('wrong-type', 'error', (f) => ({
    message: `${f.needs}, and ${f.is}`,
    label: 'this always fails the run',
    help: f.help,
  })),
  noFields: message<{ of: string; name: string; type: string }>('no-fields', 'error', (f) => ({
    message: `\`${f.of}\` is ${f.type}, which has no field \`${f.name}\``,
    label: 'this always fails the run',
    help: /^(?:length|len|size|count)$/i.test(f.name)
      ? `write \`len(${f.of})\``
      : f.of === 'error'
        ? `write \`${partOfFailure(f.name)}\``
        : f.type === 'text' && /^(?:text|stdout|output|result|content|value)$/i.test(f.name)
          ? `write \`${f.of}\` for the text`
          : f.type === 'a list'
            ? `take an element, as in \`${f.of}[0].${f.name}\`, or go through them with FOR EACH`
            : 'read fields of an object, such as JSON that a CHECK or a DO printed',
  })),
  exitCodeField: message<{ name: string; field: string }>('exit-code-of', 'warning', (f) => ({
    message: `\`${f.name}.${f.field}\` is a field of what the command printed`,
    label: 'not the exit code of the command',
    help: `write \`exit_code(${f.name})\` for the exit code`,
    repair: { instead: `exit_code(${f.name})`, guess: true },
  })),
  neverContains: message<{ operator: string; part: string; elements: string }>('never-contains', 'error', (f) => ({
    message: `\`${f.operator}\` looks for ${f.part} in a list of ${f.elements}`,
    label: 'this comparison always fails the run',
    help: 'compare values of one type: convert one with `int(…)` or `string(…)`, or write texts in quotes',
  })),
  failedCheck: message<{ name: string; bound: Span; line: string; program: string | undefined }>(
    'check-of-failure',
    'warning',
    (f) => ({
      message:
        f.program === undefined
          ? `\`${f.name}\` is read where its command has failed: if that printed several lines or nothing, reading it fails`
          : `\`${f.program}\` prints a line for each thing it finds: if these are several, reading \`${f.name}\` fails`,
      label: 'a CHECK reads one value',
      labels: [{ span: f.bound, text: 'printed here' }],
      help: `write \`${f.line}\` to keep what it prints as a text`,
    }),
  ),
  exitCodeIsKnown: message<{
    name: string;
    accepted: readonly number[];
    isNever: boolean;
    head: string;
    retries: boolean;
  }>('never-has-value', 'warning', (f) => ({
    message: `\`exit_code(${f.name})\` is always ${f.accepted.join(' or ')}, because the DO fails with any other code`,
    label: f.isNever ? 'never true' : 'always true, and what follows when it is false never runs',
    help: `write \`${f.head} ${f.name} = …\`${f.retries ? ' without `retry`, or handle the failure with `ON ERROR tool_failure: → …`' : ''}`,
  })),
  printedNull: message<{ name: string }>('never-has-value', 'warning', (f) => ({
    message: `\`${f.name}\` is never null: what a command prints is a text, also \`null\` and nothing`,
    label: 'tells nothing apart',
    help: `write \`${f.name} is empty\`, or \`${f.name} is not empty\``,
  })),
  silentCheck: message<{ name: string; program: string }>('never-has-value', 'error', (f) => ({
    message: `\`${f.name}\` has no value: \`${f.program}\` prints nothing`,
    label: 'reading it always fails the run',
    help: `write \`exit_code(${f.name}) == 0\` for its answer`,
  })),
  neverHasValue: message<{ name: string; value: string; known: readonly string[]; absent?: true } & Near>(
    'never-has-value',
    'error',
    (f) => ({
      message: `\`${f.name}\` is never ${f.absent ? f.value : `\`${JSON.stringify(f.value)}\``}`,
      label: 'not one of its values',
      help:
        f.near === undefined
          ? `its values are ${f.known
              .slice(0, 12)
              .map((one) => `\`"${one}"\``)
              .join(', ')}`
          : `did you mean \`"${f.near}"\`?`,
      ...omitUndefined({
        repair: f.near === undefined ? undefined : ({ instead: `"${f.near}"`, guess: true } as const),
      }),
    }),
  ),
  untypedInput: message<{
    name: string;
    type: string;
    /** The parts of a default that was meant as a list. */
    words?: readonly string[] | undefined;
  }>('untyped-input', 'warning', (f, s) => ({
    message: `the input \`${f.name}\` has no type, so \`-i ${f.name}=…\` passes a text`,
    label: `used as a ${f.type} here`,
    help:
      f.words !== undefined
        ? `write \`INPUT: ${f.name} = ${JSON.stringify(f.words).replaceAll('","', '", "')}\`, or go through \`split(${f.name}, ",")\``
        : `declare it: ${s.either(`\`INPUT: ${f.name} (${f.type})\``, `\`inputs: [{ name: ${f.name}, type: ${f.type} }]\``)}`,
  })),
} as const;

export const boundByOthers = message<{ name: string; bound: Label }>('read-too-early', 'error', (f) => ({
  message: `another member of this PARALLEL binds \`${f.name}\`, which has no value in this one`,
  label: 'a member sees what was bound above the PARALLEL, so this always fails',
  labels: [f.bound],
  help: 'write this below the PARALLEL',
}));

export const earlyRead = message<{ name: string; tracked: boolean }>('read-too-early', 'warning', (f) => ({
  message: `\`${f.name}\` is read before anything gives it a value`,
  label: 'it has no value here, so the run fails',
  help: f.tracked
    ? `move \`TRACK: ${f.name}\` above this line`
    : `begin with \`TRACK: ${f.name}\`, or bind it above this line`,
}));
