/** Messages about states and control flow: jumps, handlers, UNDO, unreachable branches, unbounded cycles. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Correction, Label, Span } from '../diagnostic.js';
import { didYouMean, list, message, type Near } from './message.js';

/** Shortens a long cycle to its beginning and its end. */
function pathText(path: readonly string[]): string {
  const names = path.map((name) => `\`${name}\``);
  return (names.length > 12 ? [...names.slice(0, 8), '…', ...names.slice(-2)] : names).join(' → ');
}

export const flowMessages = {
  unknownState: message<
    {
      name: string;
      parameter?: { name: string; read: Span; isDefault: boolean } | undefined;
      other?: { machine: string; span: Span } | undefined;
    } & Near
  >('unknown-state', 'error', ({ name, parameter, near, other }) => {
    const declare = `declare it with \`STATE: ${name}\``;
    const message = `the machine has no state \`${name}\``;
    if (parameter === undefined && other !== undefined)
      return {
        message,
        label: 'no such state in this machine',
        labels: [{ span: other.span, text: `a state of machine \`${other.machine}\`` }],
        help: 'a GOTO stays in its machine: give each state its own name, and declare both under one machine or heading',
      };
    if (parameter === undefined) return { message, label: 'no such state', ...didYouMean(name, near, declare) };
    return {
      message,
      label: parameter.isDefault ? `\`${parameter.name}\` is \`${name}\` by default` : 'no such state',
      labels: [{ span: parameter.read, text: 'used as a state here' }],
      ...(parameter.isDefault
        ? { help: `pass \`${parameter.name}=…\`, or ${declare}` }
        : didYouMean(name, near, declare)),
    };
  }),
  errorUndeclared: message<{ machine: string; several: boolean }>('error-undeclared', 'warning', (f) => ({
    message: `state \`ERROR\` is not declared${f.several ? ` in machine \`${f.machine}\`` : ''}`,
    label: 'the built-in `ERROR` reports the error and ends the run as failed',
    help: 'declare `STATE: ERROR` to decide what happens then, or write `FAIL:` and the reason',
  })),
  writeFail: message<{ written: string; fix?: Correction | undefined }>('write-fail', 'error', (f) => ({
    message: 'these values cannot be passed, because state `ERROR` is not declared',
    label: 'no such state',
    help: `write \`${f.written}\``,
    ...omitUndefined({ correction: f.fix === undefined ? undefined : ({ ...f.fix, guess: true } as const) }),
  })),
  undoWithoutEffect: message<{ what: string }>('undo-without-effect', 'error', (f) => ({
    message: `${f.what} is directly above this UNDO`,
    label: 'undoes nothing',
    help: 'write it directly below the DO, CALL or Task that it undoes, in the same block',
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
    help: 'move it above the USE, or remove the GOTO from the pattern',
  })),
  unreachableInstruction: message<{ after: Label }>('unreachable-instruction', 'warning', (f) => ({
    message: 'this never runs, because the instruction above it always leaves the state',
    label: 'unreachable',
    labels: [f.after],
    help: 'remove it, or move it up',
    repair: { remove: 'line', guess: true },
  })),
  fallsOff: message<{ name: string }>('falls-off', 'warning', (f) => ({
    message: `a path through state \`${f.name}\` ends without GOTO or RETURN`,
    label: 'a run that reaches the end fails with `fell_off`',
    help: 'end the state with `GOTO: …` or `RETURN`',
  })),
  handlerFallsOff: message('handler-falls-off', 'warning', () => ({
    message: 'a path through this `ON ERROR` ends without GOTO or RETURN',
    label: 'a run that reaches the end fails with `fell_off`',
    help: 'end it with `GOTO: …` or `RETURN`',
  })),
  misplacedHandler: message<{ isInner: boolean | undefined }>('on-error-place', 'error', ({ isInner }) => ({
    message: '`ON ERROR` is not at the end of a state or pattern',
    label: 'it guards the whole body, so it comes last',
    help: isInner
      ? 'write `[on_failure=keep]` in the head of the loop or PARALLEL, which then continues when a turn or member fails'
      : 'move it to the end of the body, at the indentation of the body',
  })),
  unknownErrorKind: message<{ name: string; known: readonly string[] } & Near>(
    'unknown-error-kind',
    'warning',
    (f) => ({
      message: `\`${f.name}\` is not a kind of failure`,
      ...didYouMean(f.name, f.near, `the kinds are ${list(f.known)}`, f.known),
    }),
  ),
  unknownRetried: message<{ name: string; known: readonly string[] } & Near>('bad-option', 'error', (f) => ({
    message: `option \`retry_on\` names \`${f.name}\`, which is not a failure that can be retried`,
    ...didYouMean(f.name, f.near, `write ${list(f.known)} or an exit code, as in \`exit:75\``, f.known),
  })),
  defaultWithoutIf: message('default-without-if', 'error', () => ({
    message: '`DEFAULT` has no `IF` above it',
    label: 'it runs when no IF directly above it matched',
    help: 'put it directly below the last IF, at the same indentation',
  })),
  unboundedCycle: message<{
    path: readonly string[];
    why: readonly string[];
    counter: string;
  }>('unbounded-cycle', 'warning', (f) => ({
    message: `nothing bounds the cycle ${pathText(f.path)}`,
    label: 'repeats from here',
    notes: [
      ...f.why,
      'every round must change a tracked counter in one direction and test it to leave, or wait for a person or a timeout',
    ],
    help: `add \`TRACK: ${f.counter}\`, \`INCREMENT: ${f.counter}\` and \`IF: ${f.counter} > 20 → RETURN: gave up\` on lines that every round runs`,
    repair: {
      above: `TRACK: ${f.counter}\nINCREMENT: ${f.counter}\nIF: ${f.counter} > 20 → RETURN: gave up`,
      guess: true,
    },
  })),
  /** In place of `unbounded-cycle`, if an exploration finds the loop. */
  endless: message<{ what: string; program: string; why: readonly string[] }>('endless', 'warning', (f) => ({
    message: f.what,
    label: 'repeats from here',
    notes: [...f.why, `a run does so: \`statedsl verify ${f.program}\` shows it`],
    help: 'count the rounds with TRACK and INCREMENT on every path around the loop, and leave when the count reaches a limit',
  })),
  returnsFailure: message<{ text: string }>('returns-failure', 'warning', (f, s) => ({
    message: `${s.keyword('RETURN')} ends the run as a success, and its text says that it failed`,
    label: 'after a test of a failure',
    help: `write \`FAIL: ${f.text}\`, or another text if this is a success`,
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
  unnamedMember: message<{ name: string }>('unnamed-member', 'warning', (f) => ({
    message: `\`${f.name}\` has no field for this member`,
    label: 'it binds no name',
    help: 'write `- name = …`, or leave it so if nothing reads its output',
  })),
  noteNamesList: message<{ name?: string }>('loop-as-note', 'error', (f) => ({
    message: `these words are a note: they do not start a member for each element of ${f.name === undefined ? 'a list' : `\`${f.name}\``}`,
    help: `write \`DO: FOR EACH one in ${f.name ?? '…'} in PARALLEL:\` with the work of one element below, or leave the note out`,
  })),
} as const;
