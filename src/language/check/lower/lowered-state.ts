/**
 * What lowering is given and gives: its settings, and for a state its code and facts for lints, `check --explain` and
 * the next compilation.
 */
import type { State } from '../../../machine/machine.js';
import type { Span } from '../../source/diagnostic.js';
import type { Callables } from '../callables.js';
import type { DebugLocation } from '../code-locations.js';
import type { Expansions } from '../expansion.js';
import type { Mention } from '../program-index.js';
import type { DataUse, TypeUse } from '../scope.js';
import type { RepeatedTexts } from '../shell/repeated-texts.js';
import type { Workflows } from '../steps/workflows.js';
import type { RepeatedCalls } from './calls/repeated-calls.js';

export interface LoweredState {
  readonly state: State;
  /** The first read of each entry value that nothing else in scope can supply. */
  readonly entryReads: ReadonlyMap<string, Span>;
  /** Local slots that some expression reads. */
  readonly readSlots: ReadonlySet<number>;
  /** The source text of each instruction, by pc. */
  readonly spans: readonly Span[];
  /** For debuggers, by pc; empty if nobody wants them. */
  readonly places: readonly DebugLocation[];
  /** How its lines are understood. */
  readonly explanations: readonly LoweredExplanation[];
  /** What its names mean. */
  readonly mentions: readonly Mention[];
  readonly jumps: readonly LoweredJump[];
  readonly checks: readonly LoweredCheck[];
  /** The reads and writes of data references. */
  readonly dataUse: DataUse;
  /** The types that its expressions require. */
  readonly typeUses: readonly TypeUse[];
}

interface LoweredExplanation {
  readonly span: Span;
  readonly text: string;
  /** The text could have been understood otherwise. */
  readonly isChoice: boolean;
}

/** A lowered GOTO. The target is null if only the run knows it. */
export interface LoweredJump {
  readonly target: string | null;
  readonly passes: readonly string[];
  readonly span: Span;
  /** It is unreachable, because it is below a GOTO or RETURN. */
  readonly dead: boolean;
}

/** The binding of a CHECK, for `check-never-read`. */
interface LoweredCheck {
  readonly slot: number;
  readonly name: string;
  readonly span: Span;
}

/** The facts about a state for the lints, collected while it is lowered. */
export class LintFacts {
  readonly explanations: LoweredExplanation[] = [];
  readonly jumps: LoweredJump[] = [];
  readonly checks: LoweredCheck[] = [];

  explain(span: Span, text: string, isChoice = false): void {
    this.explanations.push({ span, text, isChoice });
  }
}

/** A command that the project defines for a gate. */
export interface GateCommand {
  readonly command: string;
  readonly timeoutMs: number;
  readonly idleMs?: number;
}

/** Questions about agents. */
export interface AgentLookups {
  /** Whether an agent is configured. */
  readonly isKnown: (name: string) => boolean;
  /** For suggestions: the names of agents, and the adapters with which a name may begin. */
  readonly names?: readonly string[];
  readonly adapters?: readonly string[];
  /** The program that an agent needs on PATH; null if unknown. Called only together with `onPath`. */
  readonly program?: (name: string) => string | null;
  /** What its program can do; null if unknown. */
  readonly traits?: (name: string) => AgentTraits | null;
}

/** What the program of an agent can do. */
export interface AgentTraits {
  /** The name of its adapter. */
  readonly adapter: string;
  /** Every prompt reaches its model as a text. Otherwise the program may take one for a command, or attach files to it. */
  readonly takesText: boolean;
  readonly sessions: {
    /** It can branch off from a session, which stays as it is. */
    readonly fork: boolean;
    /** It finds a session from another directory. */
    readonly elsewhere: boolean;
  };
}

/** Questions about the project and the computer. If a function is absent, nothing is reported about its subject. */
export interface Lookups {
  /** Whether a program exists. */
  readonly onPath?: (command: string) => boolean;
  /**
   * Whether commands will have a variable of that name in their environment. If absent, a name in capitals may be one.
   */
  readonly environment?: (name: string) => boolean;
  /** Whether a file of the project exists. */
  readonly fileExists?: (path: string) => boolean;
  /** A clause that says why a program must not read a file, relative to the working directory; null if it may. */
  readonly fileRefused?: (path: string) => string | null;
  /** False if there is no git repository, so the changes of a step are unknown. */
  readonly worktree?: boolean;
  readonly agents?: AgentLookups;
  /** The agent of `Task()`. If absent, each has to name one. */
  readonly usualAgent?: string;
  /** The command of a named gate such as `test`, or why the one that was found is not used. If absent, such gates do not pass. */
  readonly gate?: (name: string) => GateCommand | { readonly refused: string } | null;
  /** The time limit of other gate commands, in milliseconds; default ten minutes. */
  readonly gateTimeoutMs?: number;
}

/** Settings that all machines of a file share. */
export interface LoweringSettings {
  /** Names of JavaScript functions bound as commands. */
  readonly commands: ReadonlySet<string>;
  readonly shell: 'bash' | 'sh';
  readonly strict: boolean;
  /** Notes the meanings of lines and names, for the index and `check --explain`. */
  readonly index: boolean;
  /** Notes the place of every instruction, for debuggers. */
  readonly debug: boolean;
  /** The code is the body of an unused pattern: names that it does not bind may come from a later caller. */
  readonly anyNames: boolean;
  readonly lookups: Lookups;
  /** The count of expanded instructions. */
  readonly expansions: Expansions;
  /** The cache of repeated shell text. */
  readonly shellTexts: RepeatedTexts;
  /** The files of called workflows. */
  readonly workflows: Workflows;
  /** The tools and plans that CALL and PLAN name. */
  readonly callables: Callables;
  /** The cache of repeated CALLs. */
  readonly repeatedCalls: RepeatedCalls;
  /** Agents already reported as unknown or missing: each is reported once. */
  readonly reportedAgents: Set<string>;
}
