/**
 * What is particular to one agent program: how it is started without a person in front of it, and what its output
 * means. Everything else (prompts, limits, stopping, records) is the same for all of them and is not in here.
 */
import type { TokenCounts } from '../../../interpreter/events/event.js';
import type { Command } from '../../process/shell.js';
import type { AgentTally } from '../tally.js';
import type { AnswerSchema } from './answer-schema.js';
import type { Allowed, Leaks, Permission } from './permissions.js';

/** An agent as the configuration describes it. */
export interface AgentConfiguration {
  readonly adapter: string;
  /** For the adapter `fake` the file that holds its answers. */
  readonly model?: string;
  /** Further arguments for the adapter's program. */
  readonly args?: readonly string[];
  /** Program and arguments, for the adapter `command`. */
  readonly run?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it may do; absent: what its program lets it do when nobody is there to be asked. */
  readonly allow?: readonly Permission[];
  /** US dollars a call. */
  readonly max_cost?: number;
  /** Calls at once. */
  readonly max_concurrent?: number;
}

/** Limits of one call; null is none. */
export interface Guards {
  readonly maxTurns: number | null;
  /** US dollars. */
  readonly maxCost: number | null;
  readonly maxTimeMs: number | null;
  /** Tells the name of a file that changed, or null: the agent may change none. */
  readonly changedFile: (() => Promise<string | null>) | null;
}

/** One call of an agent: what it is asked, and within which limits. */
export interface AgentCall {
  /** As the program names it. */
  readonly name: string;
  readonly configuration: AgentConfiguration;
  /** Folder that relative paths of the configuration start from; null where there is no configuration. */
  readonly folder: string | null;
  /** Where it works. */
  readonly directory: string;
  readonly prompt: string;
  /** The session to go on in; null begins a new one. */
  readonly session: string | null;
  /** It branches off from the session, which stays as it is. */
  readonly fork: boolean;
  /** Tokens that the session had used before, as its program counts them; null where that is not known. */
  readonly sessionTokens: TokenCounts | null;
  /** What the call is for: the path of a step, or the state. */
  readonly step: string;
  /** An empty folder outside the directory it works in, where it may leave files. */
  readonly out: string;
  readonly guards: Guards;
  /** What the answer has to match; null: anything. */
  readonly schema: AnswerSchema | null;
  /** Writes a private file that lives as long as the run; gives its path. */
  file(text: string, extension?: string): string;
  /** Which call of its run this is of those that share `key`, from 0; the same when it is made again after a crash. */
  callNumber(key: string): number;
}

/** A JSON object that a program printed on a line of its own. */
export type JsonLine = Readonly<Record<string, unknown>>;

export interface Adapter {
  readonly name: string;
  /** What is looked for on PATH; null where the configuration decides. */
  readonly program: string | null;
  /** What to start, with the prompt on its standard input, or why that is not possible. */
  command(call: AgentCall): Prepared | Promise<Prepared>;
  /** Takes in one line of output. */
  decodeLine(line: JsonLine, tally: AgentTally): void;
  /** Takes in one line of standard error, where the program reports there what its output does not say. */
  decodeErrorLine?(line: string, tally: AgentTally): void;
  /** The prompt in the form in which the program takes all of it as text; absent: as it is. */
  asText?(prompt: string): string;
  /** Every prompt reaches its model as a text: none is a command of the program, and none attaches a file. */
  readonly takesText: boolean;
  /** What the program can do with a session besides continuing it where it was begun. */
  readonly sessions: {
    /** Branch off, so that the session stays as it is. */
    readonly fork: boolean;
    /** Find it from another directory. */
    readonly elsewhere: boolean;
  };
  /** What the program cannot be kept from, by what its agent may not do. */
  leaks(allowed: Allowed, args: readonly string[]): Leaks;
  /** The version that first knew its limits; absent where an older one refuses to start because of them. */
  readonly allowSince?: string;
  /** Flags in the `args` of an agent that may give it more than `allow` does, and beginnings of such arguments. */
  readonly loosens: readonly string[];
  /** Errors of the program may be read as those of a service: see `unavailable.ts`. */
  readonly service: boolean;
  /** Its output always says how the call ended; without that the call failed, whatever its exit code. */
  readonly reportsEnd: boolean;
}

/** A line break in front of a prompt that begins with `/`: the program looks for its commands at the very beginning. */
export function withoutCommand(prompt: string): string {
  return prompt.startsWith('/') ? `\n${prompt}` : prompt;
}

/** A backslash in front of every `@` that could name a file, which the program would read and attach. */
export function withoutMentions(prompt: string): string {
  return prompt.replace(/(?<!\\)@(?=[^\s@])/g, '\\@');
}

export type Prepared = Command | { readonly reason: string };

/**
 * A flag with its value, left out where the configuration's own arguments have it already: programs refuse to be told a
 * thing twice. `spellings` are its names, the one to use first, with others that say something about the same.
 */
export function flag(
  args: readonly string[],
  spellings: readonly [string, ...string[]],
  ...value: readonly string[]
): string[] {
  const given = args.some((arg) => spellings.some((name) => arg === name || arg.startsWith(`${name}=`)));
  return given ? [] : [spellings[0], ...value];
}
