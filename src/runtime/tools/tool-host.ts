/** What calls of tools need in addition to their requests. */

import type { Environment } from '../process/shell.js';

/** Servers of the Model Context Protocol by name: how each is started. */
export type McpServers = Readonly<
  Record<string, { readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> }>
>;

export interface ToolHost {
  readonly inherited: Environment;
  /** Servers of the Model Context Protocol by name. */
  readonly mcp: McpServers;
}
