/** Expressions that read steps: keys that were written, and the attempts of the current step. */
import type { Expr } from '../../machine/expression.js';
import type { GateFinding, StepFrame } from '../run-state/frame.js';
import { innermostStep, pathOf } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { operations } from '../values/operations.js';
import { costText, readKey } from './keys.js';

export function compileStepKey({ key, text }: Extract<Expr, { op: 'step-key' }>): (t: Thread) => string {
  const { field } = key;
  const { measure } = operations();
  return (t) => measure(field, readKey(t, `${pathOf(t, key)}.${field}`, text));
}

/** The same for a key that may not exist. */
export function probeStepKey({ key }: Extract<Expr, { op: 'step-key' }>): (t: Thread) => string | undefined {
  const { measure } = operations();
  return (t) => {
    const text = t.run.steps.keys.get(`${pathOf(t, key)}.${key.field}`);
    return text === undefined ? undefined : measure(key.field, text);
  };
}

export function compileRetryKey({ field }: Extract<Expr, { op: 'retry-key' }>): (t: Thread) => string {
  const { measure } = operations();
  const measured = field.startsWith('prev.') ? field.slice(5) : field;
  return (t) => {
    const frame = innermostStep(t);
    return frame === null ? '' : measure(measured, retryValue(t, frame, field));
  };
}

function retryValue(t: Thread, frame: StepFrame, field: string): string {
  const judged = frame.phase === 'gates';
  switch (field) {
    case 'error':
      return frame.errorBefore;
    case 'diff':
      return judged ? frame.diff : frame.diffBefore;
    case 'attempt':
      return String(frame.attempt);
    default:
      if (field.startsWith('prev.')) return t.run.steps.keys.get(`prev.${frame.path}.${field.slice(5)}`) ?? '';
      return gateValue(
        judged || frame.phase === 'retry' ? frame.gates : frame.gatesBefore,
        field.slice('gate.'.length),
      );
  }
}

/** `review`, `review.comments`, `review.error`. */
function gateValue(gates: Readonly<Record<string, GateFinding>>, field: string): string {
  const own = Object.hasOwn(gates, field) ? gates[field] : undefined;
  if (own !== undefined) return String(own.pass);
  const dot = field.lastIndexOf('.');
  const name = field.slice(0, dot);
  const finding = dot > 0 && Object.hasOwn(gates, name) ? gates[name] : undefined;
  const part = field.slice(dot + 1);
  return (part === 'comments' ? finding?.comments : part === 'error' ? finding?.error : undefined) ?? '';
}

export function compileRunTotal({ field }: Extract<Expr, { op: 'run-total' }>): (t: Thread) => string {
  const { measure } = operations();
  return (t) => measure('total', runTotal(t, field));
}

/** The current totals of the run. */
export function runTotal({ run }: Pick<Thread, 'run'>, field: string): string {
  switch (field) {
    case 'cost':
      return costText(run.usage.cost);
    case 'tokens_in':
      return String(run.usage.tokens.in);
    case 'tokens_out':
      return String(run.usage.tokens.out);
    case 'retries': {
      let retries = 0;
      for (const { attempt } of run.steps.records.values()) retries += Math.max(0, attempt - 1);
      return String(retries);
    }
    case 'duration':
      return String(Math.max(0, Math.round(run.steps.lastClockMs - run.steps.firstClockMs)));
    case 'status':
      return run.result === null ? 'running' : run.result.status === 'returned' ? 'pass' : 'fatal';
    default:
      return '';
  }
}
