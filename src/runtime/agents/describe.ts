/** Describes how an agent will be called, without calling it. The prompt is not part of the command line. */
import type { PreparedCommand } from './programs/adapter.js';
import type { ResolvedAgent } from './resolve.js';

/** Placeholders for the paths of a call. */
const FOLDER_MARK = '$STATEDSL_OUT';
const DIRECTORY_MARK = '$PWD';
const SCRIPT_MARK = 'SCRIPT';

export async function describeCall(
  name: string,
  { adapter, configuration }: ResolvedAgent,
  folder: string | null,
): Promise<PreparedCommand> {
  return adapter.command({
    name,
    configuration,
    folder,
    directory: DIRECTORY_MARK,
    prompt: '',
    session: null,
    newSession: null,
    fork: false,
    sessionTokens: null,
    step: '',
    out: FOLDER_MARK,
    guards: {
      maxTurns: null,
      maxCost: configuration.max_cost ?? null,
      maxTimeMs: null,
      idleMs: null,
      changedFile: null,
    },
    schema: null,
    file: () => SCRIPT_MARK,
    callNumber: () => 0,
  });
}
