/**
 * A command as a tool: its words come from the tools file, and its parameters are one JSON object on its standard input.
 * No part of a parameter is ever in a command line.
 */
import type { Outcome } from '../../interpreter/events/event.js';
import type { ToolRequest } from '../../interpreter/request.js';
import type { EffectContext } from '../effect-context.js';
import { argumentProblem } from '../process/process-texts.js';
import { cannotStart, directoryOf, type Environment, performCommand } from '../process/shell.js';

export async function performCommandTool(
  request: ToolRequest,
  argv: readonly string[],
  context: EffectContext,
  inherited: Environment,
): Promise<Outcome> {
  const problem = argumentProblem(argv);
  if (problem !== null) return problem;
  const text = request.call.printed ?? JSON.stringify(request.call.parameters);
  const stdin = { text, bytes: Buffer.byteLength(text) };
  // An environment has a maximum size. Paths are short, and compiling limits their number.
  const env = { STATEDSL_ALTERNATIVES: JSON.stringify(request.call.alternatives) };
  const ended = await performCommand({ argv, env }, { ...request, stdin }, context, inherited);
  return 'code' in ended ? cannotStart(ended, argv[0] ?? '', directoryOf(request, context)) : ended;
}
