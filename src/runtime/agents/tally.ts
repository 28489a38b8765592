/**
 * What is known of an agent call so far, gathered line by line while it runs. Programs differ in what they tell and
 * when: some count for themselves and say so at the end, of others the turns are counted here.
 */
import type { TokenCounts } from '../../interpreter/events/event.js';

/** More of an error than this says nothing new, and is looked at with regular expressions. */
const LONGEST_ERROR = 4000;

/** Sessions are named in argv later on: there a leading `-` would make an option of the name, and NUL cannot stand at all. */
const LONGEST_SESSION = 1000;

function canBeArgument(session: string): boolean {
  if (session === '' || session.length > LONGEST_SESSION || session.startsWith('-')) return false;
  return [...session].every((character) => character >= ' ');
}

export class AgentTally {
  /** US dollars; null while nobody told. */
  cost: number | null = null;
  tokens: TokenCounts | null = null;
  private session: string | null = null;
  /** The program's own count, which wins over ours at the end. */
  reportedTurns: number | null = null;
  /** What it says failed; null: nothing. */
  error: string | null = null;
  /** A guard of its own that the program says it stopped for. */
  ownGuard: 'max_turns' | 'max_cost' | null = null;
  /** When the program says that it can be used again; milliseconds since the epoch. */
  resetMs: number | null = null;
  /** Lines that were understood. */
  lines = 0;
  /** It told its final answer itself; before, what it said last is the answer. */
  private final: string | null = null;
  private said = '';
  private counted = 0;
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

  /** Told with every line by some; null tells nothing. */
  worksIn(session: string | null): void {
    if (session !== null && canBeArgument(session)) this.session = session;
  }

  get turns(): number | null {
    return this.reportedTurns ?? (this.counted > 0 ? this.counted : null);
  }

  /** The answer, or the best there is of one. */
  get answer(): string {
    return this.final ?? this.said;
  }

  /** Whether it told its final answer, or that it has none. */
  get finished(): boolean {
    return this.final !== null || this.error !== null;
  }

  /** The model begins to speak or act, unless it is in the middle of that. */
  beginTurn(): void {
    if (this.inTurn) return;
    this.inTurn = true;
    this.fresh = true;
    this.counted++;
  }

  /** What comes next is another turn. */
  endTurn(): void {
    this.inTurn = false;
  }

  /** A turn that has a name. One message may be told in several pieces. */
  turnOf(message: string | null): void {
    if (message === null || !this.messages.has(message)) this.counted++;
    if (message !== null) this.messages.add(message);
  }

  /** A whole text, which replaces what was said before. */
  says(text: string): void {
    this.said = text;
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

  fails(text: string): void {
    this.error = text.slice(0, LONGEST_ERROR);
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
