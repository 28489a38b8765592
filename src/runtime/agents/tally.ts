/**
 * The facts about an agent call so far, collected line by line while it runs. Programs differ in what they report and
 * when: some count turns themselves and report the number at the end; for others the turns are counted here.
 */
import type { DeniedCall, PerformedCall, TokenCounts } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { lastHeard } from '../process/output.js';

/** The maximum length of an error. It is searched with regular expressions. */
const LONGEST_ERROR = 4000;

/** Session names become arguments later, so they must not begin with `-` or contain NUL. */
const LONGEST_SESSION = 1000;

function canBeArgument(session: string): boolean {
  if (session === '' || session.length > LONGEST_SESSION || session.startsWith('-')) return false;
  return [...session].every((character) => character >= ' ');
}

/** Facts that a program reports about an error in addition to its message. */
export interface ErrorFlags {
  /** The HTTP status of the service's answer. */
  readonly status?: number;
  readonly retryable?: boolean;
}

/** The maximum number of recorded denied calls, and of recorded calls. */
const MOST_DENIED = 50;
const MOST_PERFORMED = 1000;
const MOST_TOOLS = 10_000;
const LONGEST_INPUT = 200;

type UsedTool = Required<Pick<DeniedCall, 'tool' | 'input'>>;

export class AgentTally {
  /** The cost in US dollars; null while none was reported. */
  cost: number | null = null;
  tokens: TokenCounts | null = null;
  /** The tokens of the whole session so far, for programs that report only these. */
  sessionTokens: TokenCounts | null = null;
  /** Facts that the program reports about its error in addition to the message. */
  errorFlags: ErrorFlags = {};
  /** The end of what the agent said and did last. */
  private latest = '';
  private readonly toolCalls = new Map<string, UsedTool>();
  /** Calls of tools in their order, of programs that report them on purpose. */
  private readonly performedById = new Map<string, PerformedCall>();
  /** The denied tool calls, by their ids. */
  private readonly deniedById = new Map<string, DeniedCall>();
  /** The reason why the program currently waits to retry its service; null while it works. */
  retrying: string | null = null;
  /** How often it retried its service, and the reason of the last retry. */
  retryCount = 0;
  retryReason = '';
  private retriesSince: number | null = null;
  private retriedBefore = 0;
  private session: string | null = null;
  /** The program's own count of turns, which replaces ours at the end. */
  reportedTurns: number | null = null;
  /** The whole conversation, for programs that do not keep it themselves; null if it was not reported. */
  conversation: readonly unknown[] | null = null;
  /** The error that it reported; null if there is none. */
  error: string | null = null;
  /** It printed an answer and failed only because the answer has the wrong form. */
  wrongForm = false;
  /** The program's own limit at which it reported to have stopped. */
  ownGuard: 'max_turns' | 'max_cost' | null = null;
  /** The reported time at which the program can be used again, in milliseconds since the epoch. */
  resetMs: number | null = null;
  /** The number of recognized lines. */
  lines = 0;
  private hasEnd = false;
  /** Whether it reported its final answer. Until then, the last text is the answer. */
  private final: string | null = null;
  private said = '';
  /** Null until turns can be counted. */
  private counted: number | null = null;
  private inTurn = false;
  /** Whether this turn has no text yet. */
  private fresh = true;
  private readonly messages = new Set<string>();

  /** `show` receives the text of the agent as it arrives, `notice` what a person should know meanwhile. */
  constructor(
    private readonly show: ((text: string) => void) | null = null,
    private readonly notice: ((text: string) => void) | null = null,
  ) {}

  /** Records the reported session. */
  get sessionId(): string | null {
    return this.session;
  }

  /** Records the cost. Some programs report it on every line; null is ignored. */
  worksIn(session: string | null): void {
    if (session !== null && canBeArgument(session)) this.session = session;
  }

  get turns(): number | null {
    return this.reportedTurns ?? this.counted;
  }

  /** The answer, or the best available text. */
  get answer(): string {
    return this.final ?? this.said;
  }

  /** Whether it reported its final answer, or that there is none. */
  get finished(): boolean {
    return this.hasEnd || this.final !== null || this.error !== null;
  }

  /** The program reported its end, or withdraws the report because it continues. */
  ends(hasEnd = true): void {
    this.hasEnd = hasEnd;
  }

  get denied(): readonly DeniedCall[] {
    return [...this.deniedById.values()];
  }

  /** Records a denied tool call. The same call may be reported twice, with more facts the second time. */
  denies(id: string, { tool, input, reason }: DeniedCall): void {
    const before = this.deniedById.get(id);
    if (before === undefined && this.deniedById.size >= MOST_DENIED) return;
    const call = { ...before, ...omitUndefined({ tool, input: input?.slice(0, LONGEST_INPUT), reason }) };
    this.deniedById.set(id, call);
  }

  /** Records a tool call, because its result may name the call only by its id. */
  callsTool(id: string, { tool, input }: UsedTool): void {
    this.hears(`${tool} ${input}`);
    if (this.toolCalls.size < MOST_TOOLS) this.toolCalls.set(id, { tool, input: input.slice(0, LONGEST_INPUT) });
  }

  get performed(): readonly PerformedCall[] {
    return [...this.performedById.values()];
  }

  /** A call that it has just named becomes part of the record. */
  recordsCall(id: string): void {
    const call = this.toolCalls.get(id);
    if (call !== undefined && this.performedById.size < MOST_PERFORMED) this.performedById.set(id, call);
  }

  /** How a recorded call ended. */
  endsCall(id: string, { ms, error }: { readonly ms: number; readonly error?: string | undefined }): void {
    const call = this.performedById.get(id);
    const why = error?.slice(0, LONGEST_INPUT);
    if (call !== undefined) this.performedById.set(id, { ...call, ms, ...omitUndefined({ error: why }) });
  }

  toolCall(id: string): Partial<UsedTool> & Pick<UsedTool, 'tool'> {
    return this.toolCalls.get(id) ?? { tool: 'a tool' };
  }

  /** The program waits for its service and will retry. */
  retries(reason: string): void {
    this.retriesSince ??= performance.now();
    this.retrying = reason;
    this.retryReason = reason;
    this.retryCount++;
    const text = `waits for its service, and tries again: ${reason}`;
    this.hears(text);
    this.show?.(`${text}\n`);
    this.notice?.(text);
  }

  /** The reason of its retries, which it reports separately. */
  explainsRetry(reason: string): void {
    if (this.retrying !== null) this.retrying = reason;
    this.retryReason = reason;
  }

  /** The service answered. */
  works(): void {
    this.retriedBefore = this.retriedMs;
    this.retriesSince = null;
    this.retrying = null;
  }

  /** The milliseconds for which it has waited for its service so far. */
  get retriedMs(): number {
    return this.retriedBefore + (this.retriesSince === null ? 0 : performance.now() - this.retriesSince);
  }

  /** Starts counting turns, even if there was none yet. */
  countsTurns(): void {
    this.counted ??= 0;
  }

  /** The model begins to speak or act, unless it is already doing so. */
  beginTurn(): void {
    if (this.inTurn) return;
    this.inTurn = true;
    this.fresh = true;
    this.counted = (this.counted ?? 0) + 1;
  }

  /** This turn has text. */
  get hasSpoken(): boolean {
    return this.inTurn && !this.fresh;
  }

  /** The last text was not an answer of the model but an error in the middle of one. */
  dropTurn(): void {
    if (this.inTurn && this.counted !== null) this.counted--;
    this.inTurn = false;
  }

  /** The next event begins another turn. */
  endTurn(): void {
    this.inTurn = false;
  }

  /** A turn with an id. One message may arrive in several pieces. */
  turnOf(message: string | null): void {
    if (message === null || !this.messages.has(message)) this.counted = (this.counted ?? 0) + 1;
    if (message !== null) this.messages.add(message);
  }

  /** A whole text, which replaces the previous one. */
  setText(text: string): void {
    this.said = text;
    this.fresh = false;
    this.hears(text);
    this.show?.(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** A piece of text. The first piece of a turn begins a new text. */
  adds(text: string): void {
    this.said = this.fresh ? text : this.said + text;
    this.latest = (this.fresh ? text : this.latest + text).slice(-4 * LONGEST_INPUT);
    this.fresh = false;
    this.show?.(text);
  }

  private hears(text: string): void {
    this.latest = text.slice(-4 * LONGEST_INPUT);
  }

  /** The last that the agent said or did, in one line. */
  get heard(): string {
    return lastHeard(this.latest);
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
