/** Reports agents that are not configured or lack their program, each once. */
import type { Template } from '../../../machine/expression.js';
import { nearest } from '../../../prelude/nearest.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Name, Template as TextTemplate } from '../../syntax/expression-nodes.js';
import { symbolKey } from '../program-index.js';
import { constantText, lowerTemplate } from './lower-expression.js';
import type { StateLowering } from './state-lowering.js';

/** Suggests `claude-opus` for `claud-opus`. */
function nearAdapter(name: string, adapters: readonly string[]): string | undefined {
  const prefix = name.split('-', 1)[0] as string;
  const near = nearest(prefix, adapters);
  return near === undefined ? undefined : near + name.slice(prefix.length);
}

/**
 * Reports an agent that is not configured as an error, and a missing program as a warning, because the machine that
 * runs the flow may have it.
 */
export function reportAgent(l: StateLowering, { text: name, span }: Name): void {
  if (l.shared.index) l.mention(span, 'use', symbolKey('agent', '', name));
  const { reportedAgents: reported, lookups } = l.settings;
  const { agents, onPath } = lookups;
  if (agents === undefined) return;
  // Asked first: whether a state can be reused depends on all agents that it names.
  const isKnown = agents.isKnown(name);
  if (reported.has(name)) return;
  if (!isKnown) {
    reported.add(name);
    // What cannot be a name is already reported.
    if (/[{}"']/.test(name)) return;
    const { names: known = [], adapters = [] } = agents;
    const near = nearest(name, known) ?? nearAdapter(name, adapters);
    l.diagnostics.push(say.unknownAgent(span, { name, known, adapters, near }));
    return;
  }
  const program = agents.program?.(name) ?? null;
  if (program === null || onPath === undefined || onPath(program)) return;
  reported.add(name);
  l.diagnostics.push(say.commandNotFound(span, { word: program, path: false }));
}

/** Reports a prompt that begins with a value, if the program of the agent does not take every prompt as a text. */
export function reportPrompt(l: StateLowering, agent: string | null, { parts, span }: TextTemplate): void {
  const traits = agent === null ? null : (l.settings.lookups.agents?.traits?.(agent.trim()) ?? null);
  if (traits === null || traits.takesText) return;
  const first = parts.find((part) => typeof part !== 'string' || part.trim() !== '');
  if (first === undefined || typeof first === 'string') return;
  l.diagnostics.push(say.valueBeginsPrompt(span, { adapter: traits.adapter }));
}

/** The name of the agent: a word, or a key such as `{converge.agent}`. */
export function lowerAgentName(l: StateLowering, agent: TextTemplate): Template {
  const name = constantText(agent);
  if (name !== null) reportAgent(l, { text: name.trim(), span: agent.span });
  return lowerTemplate(agent, l);
}
