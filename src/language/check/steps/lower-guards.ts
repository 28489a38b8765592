/** Lowers the guards of an agent call: limits that act while it runs. */
import { parseDuration } from '../../../machine/duration.js';
import type { GuardLayout } from '../../../machine/step.js';
import type { Mutable } from '../../../prelude/mutable.js';
import { nearest } from '../../../prelude/nearest.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { type GuardProblem, stepMessages as say } from '../../source/catalogue/steps.js';
import type { Option } from '../../syntax/ast.js';
import { constantText } from '../lower/lower-expression.js';
import type { StateLowering } from '../lower/state-lowering.js';

const KNOWN = ['max_turns', 'max_cost', 'max_time', 'idle', 'no_write'] as const;
type Guard = (typeof KNOWN)[number];

export function lowerGuards(l: StateLowering, options: readonly Option[]): GuardLayout {
  const guards: Mutable<GuardLayout> = {};
  const seen = new Set<string>();
  for (const option of options) {
    const name = option.key.text;
    const report = (problem: GuardProblem): void => {
      l.diagnostics.push(say.guard(option.span, { name, problem, near: nearest(name, KNOWN), known: KNOWN }));
    };
    if (!isGuard(name)) report('unknown');
    else if (seen.has(name)) report('twice');
    else if (!take(guards, name, option.value === undefined ? null : (constantText(option.value) ?? '').trim()))
      report(option.value === undefined && name !== 'no_write' ? 'no-value' : 'bad-value');
    seen.add(name);
  }
  return guards;
}

function isGuard(name: string): name is Guard {
  return (KNOWN as readonly string[]).includes(name);
}

/** False if the value is not valid for the guard. */
function take(guards: Mutable<GuardLayout>, name: Guard, text: string | null): boolean {
  switch (name) {
    case 'no_write':
      if (text !== null && text !== 'true' && text !== 'false') return false;
      guards.noWrite = text !== 'false';
      return true;
    case 'max_time':
    case 'idle': {
      const ms = text === null ? null : parseDuration(text);
      if (ms === null || ms <= 0) return false;
      guards[name === 'idle' ? 'idleMs' : 'maxTimeMs'] = ms;
      return true;
    }
    case 'max_turns':
      if (text === null || !/^[1-9]\d{0,8}$/.test(text)) return false;
      guards.maxTurns = Number(text);
      return true;
    case 'max_cost':
      if (text === null || !/^\d+(?:\.\d+)?$/.test(text) || Number(text) <= 0) return false;
      guards.maxCost = Number(text);
      return true;
    default:
      return unreachable(name);
  }
}
