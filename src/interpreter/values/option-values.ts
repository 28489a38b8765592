/** Options that values make: exit codes and tries, read when the instruction is reached. */
import type { Template } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import { parseExitCodes, parseRetry, type Retry } from '../../machine/option-values.js';
import { badValue, excerpt } from '../failure.js';
import type { Thread } from '../run-state.js';
import { render } from './json.js';
import { compileTemplate } from './template.js';
import { isList } from './value.js';

type Effect = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' }>;
type ExitCodes = Exclude<Effect['ok'], { template: Template }>;

const ONCE: Retry = { times: 0, pauseMs: 0 };

export function compileExitCodes(ok: Effect['ok']): (thread: Thread) => ExitCodes {
  if (ok === 'any' || !('template' in ok)) return () => ok;
  const { value } = compileTemplate(ok.template);
  return (t) => {
    const made = value(t);
    const text = isList(made) ? made.map(render).join(',') : render(made);
    const codes = parseExitCodes(text);
    if (codes === null)
      throw badValue(
        `\`ok=${excerpt(text)}\`: exit codes are numbers from 0 to 255 with commas between, as in \`ok=0,2\``,
      );
    return codes;
  };
}

export function compileRetry(retry: Effect['retry']): (thread: Thread) => Retry {
  if (retry === undefined) return () => ONCE;
  if (!('template' in retry)) return () => retry;
  const { text } = compileTemplate(retry.template);
  return (t) => {
    const made = text(t);
    const read = parseRetry(made);
    if (read === null)
      throw badValue(
        `\`retry=${excerpt(made)}\`: tries are a whole number, with a pause if wanted, as in \`retry=2/5s\``,
      );
    return read;
  };
}
