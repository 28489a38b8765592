/**
 * Any agent that speaks the Agent Client Protocol, through a bridge. It asks before it uses a tool, and gets an answer from
 * a table, never by the position of a choice.
 */
import { resolve } from 'node:path';
import type { Adapter } from './adapter.js';
import { bridgeCommand, readBridgeLine } from './bridge-stream.js';
import { type Allowed, allowedBy, UNASKED } from './permissions.js';

/** What the bridge gets. */
export interface AcpTask {
  readonly argv: readonly string[];
  readonly directory: string;
  /** The session to continue; null begins a new one. */
  readonly session: string | null;
  readonly allowed: Allowed | null;
}

export const acpAdapter: Adapter = {
  name: 'acp',
  program: null,
  takesText: true,
  sessions: { fork: false, elsewhere: false },
  service: true,
  reportsEnd: true,
  leaks: () => UNASKED,
  loosens: [],
  command({ name, configuration, folder, directory, session }) {
    const { run = [], args = [], env = {} } = configuration;
    if (run.length === 0)
      return { reason: `the agent \`${name}\` has no program: its configuration needs \`run: [program, …]\`` };
    const command = bridgeCommand('acp');
    if (command === null) return { reason: 'the part that speaks to such agents is not built' };
    const [program = '', ...rest] = run;
    // Paths in the configuration are relative to its folder, wherever the run works.
    const path = /^\.\.?\//.test(program) && folder !== null ? resolve(folder, program) : program;
    const argv = [path, ...rest, ...args];
    const task: AcpTask = { argv, directory, session, allowed: allowedBy(configuration) };
    return { argv: command, env: { ...env, STATEDSL_ACP_TASK: JSON.stringify(task) } };
  },
  decodeLine: readBridgeLine,
};
