/** Calls of tools that the programs of agents did not allow: the same call of an agent is one row. */
import type { Attempt } from './facts.js';

/** Calls of one tool that the program of an agent did not allow. */
export interface DeniedRow {
  readonly agent: string;
  readonly tool: string;
  /** The command, the file or the address; absent if the program did not report it. */
  readonly input?: string;
  readonly count: number;
}

export function deniedRows(attempts: readonly Attempt[]): DeniedRow[] {
  const rows = new Map<string, DeniedRow>();
  for (const { request, denied = [] } of attempts)
    for (const { tool, input } of denied) {
      const agent = request.tool ?? request.text;
      const key = JSON.stringify([agent, tool, input ?? null]);
      const call = input === undefined ? { agent, tool } : { agent, tool, input };
      rows.set(key, { ...call, count: (rows.get(key)?.count ?? 0) + 1 });
    }
  return [...rows.values()];
}
