/**
 * A command as a tool: its words as they stand in the file of tools, the parameters as one JSON object on its standard
 * input. No byte of a parameter is ever part of a command line.
 */
import type { Outcome } from '../../interpreter/events/event.js';
import type { ToolRequest } from '../../interpreter/request.js';
import type { EffectContext } from '../effect-context.js';
import { argumentProblem } from '../process/process-texts.js';
import { cannotStart, directoryOf, type Environment, execute } from '../process/shell.js';

export async function performCommandTool(
  request: ToolRequest,
  argv: readonly string[],
  context: EffectContext,
  inherited: Environment,
): Promise<Outcome> {
  const problem = argumentProblem(argv);
  if (problem !== null) return problem;
  const text = JSON.stringify(request.call.parameters);
  const stdin = { text, bytes: Buffer.byteLength(text) };
  // Paths are short, and their number is limited where plans are compiled; an environment has a largest size.
  const env = { STATEDSL_ALTERNATIVES: JSON.stringify(request.call.alternatives) };
  const ended = await execute({ argv, env }, { ...request, stdin }, context, inherited);
  return 'code' in ended ? cannotStart(ended, argv[0] ?? '', directoryOf(request, context)) : ended;
}
