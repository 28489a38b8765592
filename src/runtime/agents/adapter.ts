/**
 * How a program that is an agent is called. An adapter only says what to start: prompts, limits, output, cost and
 * records are the same for all of them.
 */
import type { AgentRequest } from '../../interpreter/request.js';
import type { Command } from '../shell.js';

/** An agent as the configuration describes it. */
export interface AgentConfiguration {
  readonly adapter: string;
  readonly model?: string;
  /** Further arguments for the adapter's program. */
  readonly args?: readonly string[];
  /** Program and arguments, for the adapter `command`. */
  readonly run?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** US dollars. */
  readonly max_cost?: number;
  readonly max_concurrent?: number;
}

export interface AgentCall {
  readonly name: string;
  readonly configuration: AgentConfiguration;
  readonly request: AgentRequest;
  /** Folder that relative program paths start from: that of the configuration file. */
  readonly folder: string | null;
}

export interface Adapter {
  readonly name: string;
  /** What to start with the prompt on its standard input, or why that is not possible. */
  command(call: AgentCall): Command | { readonly reason: string };
}
