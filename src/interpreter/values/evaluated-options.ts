/** Options from values: exit codes and attempts, decoded when the instruction is reached. */
import type { Template } from '../../machine/expression.js';
import type { WorkInstruction } from '../../machine/machine.js';
import {
  type Pause,
  parseExitCodes,
  parsePause,
  parseRetry,
  parseRetryOn,
  RETRIED_KINDS,
  type Retry,
  type RetryOn,
} from '../../machine/option-values.js';
import { badValue, excerpt, listNames, type RuntimeFailure } from '../failure.js';
import type { Thread } from '../run-state/thread.js';
import { render } from './json.js';
import type { durationMs } from './operations.js';
import { operations } from './operations.js';
import { compileTemplate } from './template.js';
import { isList, type Value } from './value.js';

type ExitCodes = Exclude<WorkInstruction['ok'], { template: Template }>;

const ONCE: Retry = { times: 0, pauseMs: 0 };

export function compileExitCodes(ok: WorkInstruction['ok']): (thread: Thread) => ExitCodes {
  if (ok === 'any' || !('template' in ok)) return () => ok;
  const { value } = compileTemplate(ok.template);
  const { optionText } = operations();
  return (t) => {
    const made = value(t);
    const text = optionText(isList(made) ? made.map(render).join(',') : render(made), ['0']);
    const codes = parseExitCodes(text);
    if (codes === null)
      throw badValue(
        `\`ok=${excerpt(text)}\`: exit codes must be numbers from 0 to 255, separated by commas, as in \`ok=0,2\`, or \`any\``,
      );
    return codes;
  };
}

export function compileRetry(retry: WorkInstruction['retry']): (thread: Thread) => Retry {
  if (retry === undefined) return () => ONCE;
  if (!('template' in retry)) return () => retry;
  const { text } = compileTemplate(retry.template);
  const { optionText } = operations();
  return (t) => {
    const made = optionText(text(t), ['0', '1', '2']);
    const read = parseRetry(made);
    if (read === null)
      throw badValue(
        `\`retry=${excerpt(made)}\`: it must be a whole number with an optional pause, as in \`retry=2/5s\` or \`retry=5/1s..60s\``,
      );
    return read;
  };
}

/** Whether a failure may be retried: never if the effect may have run and must not run twice. */
export function compileRetryOn(
  on: WorkInstruction['retryOn'],
): (thread: Thread) => (failure: Pick<RuntimeFailure, 'errorType' | 'exit'>) => boolean {
  const listed = compileListed(on);
  return (t) => {
    const list = listed(t);
    return ({ errorType, exit }) =>
      errorType !== 'in_doubt' && (list === null || list.includes(errorType) || (exit !== null && list.includes(exit)));
  };
}

function compileListed(on: WorkInstruction['retryOn']): (thread: Thread) => readonly RetryOn[] | null {
  if (on === undefined) return () => null;
  if (!('template' in on)) return () => on;
  const { value } = compileTemplate(on.template);
  const { optionText } = operations();
  return (t) => {
    const made = value(t);
    const text = optionText(isList(made) ? made.map(render).join(',') : render(made), RETRIED_KINDS);
    const read = parseRetryOn(text);
    if ('on' in read) return read.on;
    throw badValue(
      `\`retry_on=${excerpt(text)}\`: \`${excerpt(read.wrong)}\` is not a failure that can be retried; write ${listNames(RETRIED_KINDS)} or an exit code, as in \`exit:75\``,
    );
  };
}

/** `1s`, or `1s..30s` if the pause doubles. */
export function pauseOf(value: Value, what: string, read: typeof durationMs): Pause {
  const doubled = typeof value === 'string' && value.includes('..');
  if (!doubled) return { pauseMs: read(value, what) };
  const pause = parsePause(value);
  if (pause !== null) return pause;
  throw badValue(
    `${what}: \`${excerpt(value)}\` is not a pause that doubles; write \`1s..30s\`, the shorter one first`,
  );
}
