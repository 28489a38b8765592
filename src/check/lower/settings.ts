/** What the caller of the compiler decides, and what lowering may ask about the project and the machine. */
import type { Callables } from '../callables.js';
import type { Expansions } from '../expansion.js';
import type { RepeatedTexts } from '../shell/repeated-texts.js';
import type { Workflows } from '../steps/workflows.js';
import type { RepeatedCalls } from './calls/repeated-calls.js';

/** A command that the project names for a gate. */
export interface GateCommand {
  readonly command: string;
  readonly timeoutMs: number;
}

/** Which agents there are. */
export interface AgentLookups {
  /** Whether an agent is configured. */
  readonly isKnown: (name: string) => boolean;
  /** For suggestions: names that mean an agent, and what else a name may begin with. */
  readonly names?: readonly string[];
  readonly adapters?: readonly string[];
  /** The program that an agent needs on PATH, null where none is known; asked only together with `onPath`. */
  readonly program?: (name: string) => string | null;
}

/** Questions about the project and the machine. Nothing is reported about what cannot be asked. */
export interface Lookups {
  /** Whether a program exists. */
  readonly onPath?: (command: string) => boolean;
  /** Whether commands will have a variable of that name in their environment; absent: one in capitals may be there. */
  readonly environment?: (name: string) => boolean;
  /** Whether a file of the project exists. */
  readonly fileExists?: (path: string) => boolean;
  /** False where there is no git repository, so that the changes of a step cannot be seen. */
  readonly worktree?: boolean;
  readonly agents?: AgentLookups;
  /** The command of a gate that has a name, such as `test`; absent: such gates do not pass. */
  readonly gate?: (name: string) => GateCommand | null;
  /** How long the other commands of gates may run; default ten minutes. */
  readonly gateTimeoutMs?: number;
}

/** The same for all machines of a file. */
export interface LoweringSettings {
  /** Names of JavaScript functions bound as commands. */
  readonly commands: ReadonlySet<string>;
  readonly shell: 'bash' | 'sh';
  readonly strict: boolean;
  /** Keep what every line means and every name refers to, for `check --explain`. */
  readonly explain: boolean;
  /** The body of a pattern that nothing uses: names it does not bind may come from its future users. */
  readonly anyNames: boolean;
  readonly lookups: Lookups;
  /** How far patterns were expanded. */
  readonly expansions: Expansions;
  /** Shell text that the program repeats. */
  readonly shellTexts: RepeatedTexts;
  /** The files of workflows that are called. */
  readonly workflows: Workflows;
  /** The tools and plans that CALL and PLAN name. */
  readonly callables: Callables;
  /** CALLs that the program repeats. */
  readonly repeatedCalls: RepeatedCalls;
  /** Agents already reported as unknown or missing: each is reported once. */
  readonly reportedAgents: Set<string>;
}
