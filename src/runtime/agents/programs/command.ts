/**
 * Any program as an agent: it reads the prompt from its standard input and prints its answer, or reports as Claude
 * Code does.
 */
import { resolve } from 'node:path';
import type { Adapter } from './adapter.js';
import { readClaudeEvent } from './claude-stream.js';
import { UNLIMITED } from './permissions.js';

export const commandAdapter: Adapter = {
  name: 'command',
  program: null,
  // A program of the project's own may fail with any words; only a report of it is read for what it means.
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
    // The configuration names its own neighbors, wherever the run takes place.
    const path = /^\.\.?\//.test(program) && folder !== null ? resolve(folder, program) : program;
    return { argv: [path, ...args, ...more], env };
  },
  decodeLine(line, tally) {
    // A program may print JSON that is its answer; only a report is taken for more than that.
    if (typeof line.type === 'string' && REPORTS.has(line.type)) readClaudeEvent(line, tally);
  },
};

const REPORTS = new Set(['assistant', 'result', 'rate_limit_event']);
