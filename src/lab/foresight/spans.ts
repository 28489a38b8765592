/**
 * How long what a segment asks for may take: its time limits and waits, as if everything came one after the other. Members of
 * a block with a timeout take no longer than that.
 */
import type { EffectRequest } from '../../interpreter/request.js';
import type { Run } from '../../interpreter/run.js';
import type { Pending } from '../../interpreter/run-state/pending.js';
import type { Thread } from '../../interpreter/run-state/thread.js';
import type { Instruction, State } from '../../machine/machine.js';

export interface TimeSpan {
  /** Infinite: something has no limit. */
  readonly ms: number;
  /** The positions of polling WAITs that begin. */
  readonly waits: readonly number[];
  readonly unlimited: Unlimited | null;
}

export interface Unlimited {
  readonly text: string;
  readonly file: number;
  readonly line: number;
}

/** What a run waits for while no process of it need be there; an agent may be unavailable. */
const SUSPENDING: ReadonlySet<Pending['kind']> = new Set(['ask', 'signal', 'approval', 'timer', 'agent']);

/** What a round of a WAIT may do more than once, or for a time that is not one of a call. */
export const REPEATING: ReadonlySet<Instruction['op']> = new Set([
  'wait-start',
  'sleep',
  'signal',
  'ask',
  'each',
  'fork-each',
  'plan',
  'step-begin',
]);

export const NO_SPAN: TimeSpan = { ms: 0, waits: [], unlimited: null };

interface InstructionLocation {
  readonly state: State;
  readonly instruction: Instruction;
}

export class Spans {
  /** The first position of the polling WAIT around each position in its loop. */
  private readonly around = new Map<number, number>();
  private readonly deadlines = new Map<number, number>();
  /** By WAIT: what a poll may take, by position and attempt. */
  private readonly polls = new Map<number, Map<string, number>>();

  /** The polling WAITs whose rounds may wait, or go around, for a time of their own. */
  private readonly unlimitedWaits = new Set<number>();
  /** Whether a run may be suspended: its time does not pass then. */
  mayBeSuspended = false;

  constructor(private readonly locations: readonly InstructionLocation[]) {
    const open: number[] = [];
    locations.forEach(({ instruction }, pc) => {
      if (REPEATING.has(instruction.op)) for (const start of open) this.unlimitedWaits.add(start);
      if (instruction.op === 'wait-start') open.push(pc);
      const start = instruction.op === 'wait-turn' ? open.pop() : undefined;
      if (start !== undefined) for (let at = start + 1; at <= pc; at++) this.around.set(at, start);
    });
  }

  /** The longest time of the rounds of a WAIT: until its timeout, and a round that begins just before. */
  ofWait(start: number): number {
    if (this.unlimitedWaits.has(start)) return Number.POSITIVE_INFINITY;
    let sum = this.deadlines.get(start) ?? 0;
    for (const ms of this.polls.get(start)?.values() ?? []) sum += ms;
    return sum;
  }

  of(run: Run, requests: readonly EffectRequest[], open: ReadonlySet<string>): TimeSpan {
    let ms = 0;
    const waits: number[] = [];
    let unlimited: Unlimited | null = null;
    for (const [effect, { thread, kind }] of run.pending) {
      if (SUSPENDING.has(kind)) this.mayBeSuspended = true;
      if (kind !== 'approval' || open.has(effect) || this.isInTime(thread)) continue;
      ms = Number.POSITIVE_INFINITY;
      unlimited = { text: 'an approval has no deadline', ...this.originOf(thread) };
    }
    for (const request of requests) {
      const thread = run.pending.get(request.effect)?.thread;
      if (thread === undefined || this.isInTime(thread)) continue;
      if (request.delayMs > 0) this.mayBeSuspended = true;
      const own = this.timeOf(request, thread, requests);
      const wait = this.around.get(thread.pc);
      if (wait !== undefined) this.notePoll(wait, thread, request, own);
      else if (request.kind === 'clock' && this.locations[thread.pc]?.instruction.op === 'wait-start')
        waits.push(thread.pc);
      else ms += own;
      if (own !== Number.POSITIVE_INFINITY || unlimited !== null) continue;
      const what =
        request.kind === 'agent'
          ? `agent \`${request.agent}\` may be unavailable`
          : 'text' in request
            ? `\`${request.text}\` has no timeout`
            : `${nameOf(request)} has no deadline`;
      unlimited = { text: what, ...this.originOf(thread) };
    }
    return ms === 0 && waits.length === 0 && unlimited === null ? NO_SPAN : { ms, waits, unlimited };
  }

  private originOf({ pc }: Thread): Pick<Unlimited, 'file' | 'line'> {
    const { file, line } = this.locations[pc]?.instruction.origin ?? { file: 0, line: 0 };
    return { file, line };
  }

  private notePoll(wait: number, thread: Thread, request: EffectRequest, ms: number): void {
    const start = this.locations[wait]?.instruction;
    const deadline = start?.op === 'wait-start' ? thread.locals[start.deadline] : undefined;
    // The clock of an exploration begins at 0 each time.
    if (typeof deadline === 'number') this.deadlines.set(wait, Math.max(deadline, this.deadlines.get(wait) ?? 0));
    if (request.kind === 'timer') return;
    const polls = this.polls.get(wait) ?? new Map<string, number>();
    const key = `${thread.pc} ${request.attempt}`;
    polls.set(key, Math.max(ms, polls.get(key) ?? 0));
    this.polls.set(wait, polls);
  }

  /** Whether a block with a timeout is around the thread. */
  private isInTime({ member }: Thread): boolean {
    for (let at = member; at !== null; at = at.fork.parent.member)
      if (timeoutOf(this.locations[at.fork.pc]?.instruction)) return true;
    return false;
  }

  private timeOf(request: EffectRequest, thread: Thread, requests: readonly EffectRequest[]): number {
    switch (request.kind) {
      case 'timer':
        return request.ms ?? 0;
      case 'ask':
      case 'signal':
        // Its timer counts.
        return requests.some((one) => one.kind === 'timer' && one.bounds === request.effect)
          ? 0
          : Number.POSITIVE_INFINITY;
      case 'tool':
        if (request.calls.kind === 'plan') return 0;
        return this.pauseOf(request, thread) + (request.timeoutMs ?? Number.POSITIVE_INFINITY);
      case 'shell':
      case 'argv':
      case 'function':
        return this.pauseOf(request, thread) + (request.timeoutMs ?? Number.POSITIVE_INFINITY);
      case 'agent':
        // It is called again later, for as long as it takes.
        return Number.POSITIVE_INFINITY;
      default:
        return 0;
    }
  }

  /** The pause before a retry; the longest one if chance decides it. */
  private pauseOf({ attempt, delayMs }: EffectRequest, { pc }: Thread): number {
    const instruction = this.locations[pc]?.instruction;
    if (attempt <= 1 || instruction === undefined || !('retry' in instruction) || instruction.retry === undefined)
      return delayMs;
    const { retry } = instruction;
    return 'template' in retry ? Number.POSITIVE_INFINITY : Math.max(delayMs, retry.upToMs ?? 0);
  }
}

function timeoutOf(instruction: Instruction | undefined): boolean {
  const isFork = instruction?.op === 'fork' || instruction?.op === 'fork-each';
  return isFork && instruction.detached !== true && (instruction.wait?.timeout ?? null) !== null;
}

function nameOf(request: EffectRequest): string {
  return request.kind === 'ask' || request.kind === 'signal' ? `\`${request.name}\`` : request.kind;
}
