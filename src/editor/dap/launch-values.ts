/** What the members of `launch` mean. */
import { isAbsolute, resolve } from 'node:path';
import type { Refusal } from '../../app/result.js';
import type { Json } from '../../machine/expression.js';
import { hostEffects } from '../../runtime/effects.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import { drawDiagnostics } from '../../views/diagnostics/draw-diagnostic.js';
import type { DebugProgram } from '../debug/debug-program.js';
import { AdapterRefusal } from './adapter-protocol.js';
import type { EffectMode } from './debugged-run.js';

export function inFolder(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path);
}

export function effectMode(text: string): EffectMode {
  if (text === 'none' || text === 'agents' || text === 'all') return text;
  throw new AdapterRefusal(`\`${text}\` is not one of none, agents, all`);
}

export function refusedBy({ message, help, findings }: Refusal): AdapterRefusal {
  const drawn = findings === undefined ? '' : drawDiagnostics(findings.diagnostics as never, findings.sources as never);
  return new AdapterRefusal(drawn === '' ? [message, help].filter((one) => one !== null).join('; ') : drawn, true);
}

export function effectsOf(options: RunOptions) {
  const { effects, env, commands, agents, mcp, readable, permits } = options;
  const all = { agents: {}, folder: null, instead: {}, ...agents };
  return effects ?? hostEffects({ env, commands, agents: all, mcp, readable, permits });
}

/** Secret inputs are not on record. */
export function secretInputs(inputs: Readonly<Record<string, Json>>, program: DebugProgram | null) {
  const secret = program?.linked.machine.inputs.filter((input) => input.secret === true).map(({ name }) => name) ?? [];
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => secret.includes(name)));
}
