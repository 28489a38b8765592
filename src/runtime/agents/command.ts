/** Any program as an agent: it reads the prompt from its standard input and prints its answer. */
import { resolve } from 'node:path';
import type { Adapter } from './adapter.js';

export const commandAdapter: Adapter = {
  name: 'command',
  command({ name, configuration, folder }) {
    const [program, ...args] = configuration.run ?? [];
    if (program === undefined)
      return { reason: `the agent \`${name}\` has no program: its configuration needs \`run: [program, …]\`` };
    // The configuration names its own neighbours, wherever the run takes place.
    const path = /^\.\.?\//.test(program) && folder !== null ? resolve(folder, program) : program;
    return { argv: [path, ...args], env: configuration.env ?? {} };
  },
};
