/**
 * The interface of an adapter, the part that is specific to one agent program: how to start it without a person, and
 * how to read its output. Everything else (prompts, limits, stopping, records) is the same for all programs.
 */
import type { TokenCounts } from '../../../interpreter/events/event.js';
import type { ProgramCommand } from '../../process/shell.js';
import type { McpServers } from '../../tools/mcp-tool.js';
import type { AgentTally } from '../tally.js';
import type { AnswerSchema } from './answer-schema.js';
import type { Allowed, Leaks, Permission } from './permissions.js';

/** An agent as the configuration describes it. */
export interface AgentConfiguration {
  readonly adapter: string;
  /** The model; for the adapter `fake`, the file with its answers. */
  readonly model?: string;
  /** For the adapter `model`: the service of the model, its address, and the variable with the key. */
  readonly provider?: 'openai' | 'anthropic' | 'google' | 'openai-compatible';
  readonly base_url?: string;
  readonly key_env?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly temperature?: number;
  /** Tokens. */
  readonly max_output?: number;
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high';
  /** How long the service may take for one answer, such as `5m`. */
  readonly timeout?: string;
  /** The names of the tools of a model; `SERVER/TOOL` and `SERVER/*` are tools of a server. */
  readonly tools?: readonly string[];
  /** US dollars for a million tokens. */
  readonly prices?: {
    readonly in: number;
    readonly out: number;
    readonly cache_read?: number;
    readonly cache_write?: number;
  };
  /** Additional arguments for the adapter's program. */
  readonly args?: readonly string[];
  /** The program and its arguments, for the adapter `command`. */
  readonly run?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the agent may do. If absent, its program decides, without asking a person. */
  readonly allow?: readonly Permission[];
  /** The maximum cost of a call in US dollars. */
  readonly max_cost?: number;
  /** What the system keeps the program from, whatever it tries: `strict` is `worktree` with a network of `hosts` only. */
  readonly sandbox?: 'off' | 'worktree' | 'strict';
  /** What a strict sandbox reaches: `api.example.com`, `*.example.com`, `localhost:8080`. */
  readonly hosts?: readonly string[];
  /** More folders and files in which a confined program writes, from the folder of the configuration; `~/` is the home directory. */
  readonly writes?: readonly string[];
  /** How long a call may be silent, such as `10m`. */
  readonly idle?: string;
  /** The maximum number of calls at the same time. */
  readonly max_concurrent?: number;
}

/** The limits of one call; null means no limit. */
export interface Guards {
  readonly maxTurns: number | null;
  /** US dollars. */
  readonly maxCost: number | null;
  readonly maxTimeMs: number | null;
  /** How long the agent may be silent. */
  readonly idleMs: number | null;
  /** Returns the name of a changed file, or null. The agent must not change files. */
  readonly changedFile: (() => Promise<string | null>) | null;
}

/** One call of an agent: its prompt and its limits. */
export interface AgentCall {
  /** The model, by the program's name for it. */
  readonly name: string;
  readonly configuration: AgentConfiguration;
  /** The folder of the configuration, to which its paths are relative; null if there is no configuration. */
  readonly folder: string | null;
  /** The working directory. */
  readonly directory: string;
  readonly prompt: string;
  /** The session to continue; null begins a new one. */
  readonly session: string | null;
  /** The id of the session that it begins; null: the program chooses it. */
  readonly newSession: string | null;
  /** Whether it branches off from the session, which then does not change. */
  readonly fork: boolean;
  /** The tokens that the session had used before, as its program counts them; null if unknown. */
  readonly sessionTokens: TokenCounts | null;
  /** The purpose of the call: the path of a step, or the state. */
  readonly step: string;
  /** Called when the service has surely answered; it may be called several times. */
  readonly hears?: () => void;
  /** An empty folder outside of the working directory, in which the agent may leave files. */
  readonly out: string;
  readonly guards: Guards;
  /** The schema of the answer; null if any answer is accepted. */
  readonly schema: AnswerSchema | null;
  /** Servers of tools by name, for models that use them. */
  readonly servers?: McpServers;
  /** Conversations of the run, for adapters that keep them themselves; null: the run stores nothing. */
  readonly conversations?: Conversations | null;
  /** Writes a private file that is kept until the run ends, and returns its path. */
  file(text: string, extension?: string): string;
  /**
   * The number of this call among the calls of the run with the same `key`, from 0. A call that is repeated after a
   * crash keeps its number.
   */
  callNumber(key: string): number;
}

/** Conversations by their sessions, with secrets replaced. */
export interface Conversations {
  read(session: string): string | null;
  write(session: string, text: string): void;
}

/** A JSON object that a program printed on a separate line. */
export type JsonLine = Readonly<Record<string, unknown>>;

/** A folder in which the program of an adapter keeps sessions and credentials, with the settings in it. */
export interface ProgramFolder {
  /** The variable that moves it. */
  readonly variable?: string;
  /** Where it is below the home directory without the variable. */
  readonly path: string;
  /** Its name below that. */
  readonly name?: string;
  readonly isFile?: true;
  /** What the program reads and runs in later calls: an agent must not write there. */
  readonly settings?: readonly string[];
  /** Those of the settings that the program makes itself. */
  readonly makes?: readonly string[];
}

/** Where the program keeps its credentials: a folder of the user, which a variable may move, or a key in a variable. */
interface Credentials {
  readonly folder: string;
  readonly folderVariable?: string;
  /** The folder below the one that the variable names. */
  readonly below?: string;
  readonly keys: readonly string[];
}

export interface Adapter {
  readonly name: string;
  /** The program to look up on PATH; null if the configuration decides. */
  readonly program: string | null;
  /** The command to start, which gets the prompt on standard input, or the reason why there is none. */
  command(call: AgentCall): PreparedCommand | Promise<PreparedCommand>;
  /** Reads one line of output. */
  decodeLine(line: JsonLine, tally: AgentTally): void;
  /** Reads one line of standard error, for programs that report facts only there. */
  decodeErrorLine?(line: string, tally: AgentTally): void;
  /** The prompt in a form that the program reads entirely as text. If absent, the prompt is unchanged. */
  asText?(prompt: string): string;
  /** Every prompt reaches its model as a text: none is a command of the program, and none attaches a file. */
  readonly takesText: boolean;
  /** What the program can do with a session, apart from continuing it in the same directory. */
  readonly sessions: {
    /** Branch off without changing the session. */
    readonly fork: boolean;
    /** Find it from another directory. */
    readonly elsewhere: boolean;
    /** Begin with an id that we choose. */
    readonly chosen?: true;
  };
  /** Actions that the program cannot be prevented from, by the permission that the agent lacks. */
  leaks(allowed: Allowed, args: readonly string[]): Leaks;
  /** What a user should know about these permissions and the own settings of the program; null: nothing. */
  remark?(allowed: Allowed): string | null;
  /** The first version with the flags for its permissions; absent if older versions refuse to start with them. */
  readonly allowSince?: string;
  /** Where the program keeps its sessions and credentials, so that a confined one can. */
  readonly folders?: readonly ProgramFolder[];
  /** Absent: nothing is known of them. */
  readonly credentials?: Credentials;
  /** Flags in the `args` of an agent that may permit more than `allow`, and beginnings of such arguments. */
  readonly loosens: readonly string[];
  /** Whether errors of the program may be those of a service, see `unavailable.ts`. */
  readonly service: boolean;
  /**
   * Whether its output always reports the end of a call. Without that report the call failed, whatever its exit code.
   */
  readonly reportsEnd: boolean;
}

/**
 * Adds a line break before a prompt that begins with `/`, because the program looks for its commands at the very
 * beginning.
 */
export function withoutCommand(prompt: string): string {
  return prompt.startsWith('/') ? `\n${prompt}` : prompt;
}

/** Adds a backslash before every `@` that could name a file, because the program would attach the file. */
export function withoutMentions(prompt: string): string {
  return prompt.replace(/(?<!\\)@(?=[^\s@])/g, '\\@');
}

/** The flag for the id of a new session. The configuration may name a session itself, or turn sessions off. */
export function sessionFlag({ newSession, configuration: { args = [] } }: AgentCall): string[] {
  return newSession === null ? [] : flag(args, ['--session-id', ...OTHER_SESSIONS], newSession);
}
const OTHER_SESSIONS = ['--resume', '-r', '--continue', '-c', '--no-session-persistence', '--session-file'] as const;

/** `stored`: a file that is to say how many of the program's conversations have been stored; it waits for that. */
export type PreparedCommand = (ProgramCommand & { readonly stored?: string }) | { readonly reason: string };

/**
 * A flag with its value, left out if the arguments of the configuration already contain it, because programs refuse
 * duplicates. `spellings` begins with the name to use; the others are names of the same or a related setting.
 */
export function flag(
  args: readonly string[],
  spellings: readonly [string, ...string[]],
  ...value: readonly string[]
): string[] {
  const given = args.some((arg) => spellings.some((name) => arg === name || arg.startsWith(`${name}=`)));
  return given ? [] : [spellings[0], ...value];
}
