/**
 * Any program as an agent: it reads the prompt from standard input and prints its answer, or reports like Claude Code.
 */
import { resolve } from 'node:path';
import type { Adapter } from './adapter.js';
import { readClaudeEvent } from './claude-stream.js';
import { UNLIMITED } from './permissions.js';

export const commandAdapter: Adapter = {
  name: 'command',
  program: null,
  // A project's own program may fail with any message, so only its report is interpreted.
  takesText: true,
  sessions: { fork: true, elsewhere: true },
  leaks: () => UNLIMITED,
  loosens: [],
  service: false,
  reportsEnd: false,
  command({ name, configuration, folder }) {
    const { run = [], args: more = [], env = {} } = configuration;
    const [program, ...args] = run;
    if (program === undefined)
      return { reason: `the agent \`${name}\` has no program: its configuration needs \`run: [program, …]\`` };
    // Paths in the configuration are relative to its folder, wherever the run works.
    const path = /^\.\.?\//.test(program) && folder !== null ? resolve(folder, program) : program;
    return { argv: [path, ...args, ...more], env };
  },
  decodeLine(line, tally) {
    // JSON that a program prints may be its answer. Only a report is interpreted.
    if (typeof line.type === 'string' && REPORTS.has(line.type)) readClaudeEvent(line, tally);
  },
};

const REPORTS = new Set(['assistant', 'result', 'rate_limit_event']);
