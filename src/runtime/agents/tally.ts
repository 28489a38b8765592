/**
 * What is known of an agent call so far, gathered line by line while it runs. Programs differ in what they report and
 * when: some count for themselves and say so at the end, of others the turns are counted here.
 */
import type { DeniedCall, TokenCounts } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';

/** More of an error than this says nothing new, and is looked at with regular expressions. */
const LONGEST_ERROR = 4000;

/** Sessions are named in argv later on: there a leading `-` would make an option of the name, and NUL cannot stand at all. */
const LONGEST_SESSION = 1000;

function canBeArgument(session: string): boolean {
  if (session === '' || session.length > LONGEST_SESSION || session.startsWith('-')) return false;
  return [...session].every((character) => character >= ' ');
}

/** What a program says about an error besides its words. */
export interface ErrorFlags {
  /** The HTTP status that the service answered with. */
  readonly status?: number;
  readonly retryable?: boolean;
}

/** Denied calls beyond this say nothing new. */
const MOST_DENIED = 50;
const MOST_TOOLS = 10_000;
const LONGEST_INPUT = 200;

type ToolCall = Required<Pick<DeniedCall, 'tool' | 'input'>>;

export class AgentTally {
  /** US dollars; null while none was reported. */
  cost: number | null = null;
  tokens: TokenCounts | null = null;
  /** Tokens of the whole session by now, where the program reports no others. */
  sessionTokens: TokenCounts | null = null;
  /** What the program says about its error besides the words. */
  errorFlags: ErrorFlags = {};
  private readonly toolCalls = new Map<string, ToolCall>();
  /** Tool calls that the program did not allow, by their ids. */
  private readonly deniedById = new Map<string, DeniedCall>();
  /** Why it waits for its service at the moment and will ask it again; null where it works. */
  retrying: string | null = null;
  /** How often it asked its service again, and why the last time. */
  retryCount = 0;
  retryReason = '';
  private retriesSince: number | null = null;
  private retriedBefore = 0;
  private session: string | null = null;
  /** The program's own count, which wins over ours at the end. */
  reportedTurns: number | null = null;
  /** What it says failed; null: nothing. */
  error: string | null = null;
  /** It gave an answer and then failed, only because the answer has the wrong form. */
  wrongForm = false;
  /** A guard of its own that the program says it stopped for. */
  ownGuard: 'max_turns' | 'max_cost' | null = null;
  /** When the program says that it can be used again; milliseconds since the epoch. */
  resetMs: number | null = null;
  /** Lines that were understood. */
  lines = 0;
  private hasEnd = false;
  /** It reported its final answer itself; before, what it said last is the answer. */
  private final: string | null = null;
  private said = '';
  /** Null while nothing was seen that counts turns. */
  private counted: number | null = null;
  private inTurn = false;
  /** Nothing was said in this turn. */
  private fresh = true;
  private readonly messages = new Set<string>();

  /** `show` gets what the agent says while it comes. */
  constructor(private readonly show: ((text: string) => void) | null = null) {}

  /** The session that it says it works in. */
  get sessionId(): string | null {
    return this.session;
  }

  /** Some programs report it with every line; null reports nothing. */
  worksIn(session: string | null): void {
    if (session !== null && canBeArgument(session)) this.session = session;
  }

  get turns(): number | null {
    return this.reportedTurns ?? this.counted;
  }

  /** The answer, or the best there is of one. */
  get answer(): string {
    return this.final ?? this.said;
  }

  /** Whether it reported its final answer, or that it has none. */
  get finished(): boolean {
    return this.hasEnd || this.final !== null || this.error !== null;
  }

  /** The program reported its end, or takes that back because it goes on. */
  ends(hasEnd = true): void {
    this.hasEnd = hasEnd;
  }

  get denied(): readonly DeniedCall[] {
    return [...this.deniedById.values()];
  }

  /** A tool call that the program did not allow; the same call may be reported twice, with more the second time. */
  denies(id: string, { tool, input, reason }: DeniedCall): void {
    const before = this.deniedById.get(id);
    if (before === undefined && this.deniedById.size >= MOST_DENIED) return;
    const call = { ...before, ...omitUndefined({ tool, input: input?.slice(0, LONGEST_INPUT), reason }) };
    this.deniedById.set(id, call);
  }

  /** A tool is called; its result may name the call by its id alone. */
  callsTool(id: string, { tool, input }: ToolCall): void {
    if (this.toolCalls.size < MOST_TOOLS) this.toolCalls.set(id, { tool, input: input.slice(0, LONGEST_INPUT) });
  }

  toolCall(id: string): Partial<ToolCall> & Pick<ToolCall, 'tool'> {
    return this.toolCalls.get(id) ?? { tool: 'a tool' };
  }

  /** The program waits for its service and asks it again. */
  retries(reason: string): void {
    this.retriesSince ??= performance.now();
    this.retrying = reason;
    this.retryReason = reason;
    this.retryCount++;
    this.show?.(`waits for its service, and tries again: ${reason}\n`);
  }

  /** The service answered. */
  works(): void {
    this.retriedBefore = this.retriedMs;
    this.retriesSince = null;
    this.retrying = null;
  }

  /** Milliseconds for which it waited for its service by now. */
  get retriedMs(): number {
    return this.retriedBefore + (this.retriesSince === null ? 0 : performance.now() - this.retriesSince);
  }

  /** Something was seen that counts turns, if only to say that there was none. */
  countsTurns(): void {
    this.counted ??= 0;
  }

  /** The model begins to speak or act, unless it is in the middle of that. */
  beginTurn(): void {
    if (this.inTurn) return;
    this.inTurn = true;
    this.fresh = true;
    this.counted = (this.counted ?? 0) + 1;
  }

  /** Something was said in this turn. */
  get hasSpoken(): boolean {
    return this.inTurn && !this.fresh;
  }

  /** What was said last was no answer of the model, but an error in the middle of one. */
  dropTurn(): void {
    if (this.inTurn && this.counted !== null) this.counted--;
    this.inTurn = false;
  }

  /** What comes next is another turn. */
  endTurn(): void {
    this.inTurn = false;
  }

  /** A turn that has a name. One message may come in several pieces. */
  turnOf(message: string | null): void {
    if (message === null || !this.messages.has(message)) this.counted = (this.counted ?? 0) + 1;
    if (message !== null) this.messages.add(message);
  }

  /** A whole text, which replaces what was said before. */
  setText(text: string): void {
    this.said = text;
    this.fresh = false;
    this.show?.(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** A piece of text; the first of a turn begins a new one. */
  adds(text: string): void {
    this.said = this.fresh ? text : this.said + text;
    this.fresh = false;
    this.show?.(text);
  }

  answers(text: string): void {
    this.final = text;
  }

  fails(text: string, flags: ErrorFlags = {}): void {
    this.error = text.slice(0, LONGEST_ERROR);
    this.errorFlags = flags;
  }

  spends(dollars: number): void {
    this.cost = (this.cost ?? 0) + dollars;
  }

  uses(tokens: TokenCounts): void {
    const before = this.tokens ?? { in: 0, out: 0, cache_read: 0, cache_write: 0 };
    this.tokens = {
      in: before.in + tokens.in,
      out: before.out + tokens.out,
      cache_read: before.cache_read + tokens.cache_read,
      cache_write: before.cache_write + tokens.cache_write,
    };
  }
}
