/**
 * A world that gives what a cassette recorded, in virtual time and in the recorded order. What the run asks for must be
 * what it asked for then: the first difference is a problem, and the caller ends the run.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectKind, Outcome, Output } from '../../interpreter/events/event.js';
import { fromRecord, render } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { EffectContext, Effects, PerformedRequest } from '../effect-context.js';
import { endAsRecorded, numberedId, pretendedWorld, virtualClock } from '../pretended-world.js';
import { INLINE_BYTES } from '../process/output.js';
import type { AskHandler } from '../run/drive-options.js';
import { makeFolder, writeOwn } from '../store/own-file.js';
import type { VirtualTime } from '../virtual-time.js';
import { askedOf, askedPerson, fingerprintOf, hiddenRun, mapTexts } from './asked.js';
import { type Asked, type Cassette, type CassetteRecord, isStrict, largeFileOf } from './cassette.js';
import { describeDrift } from './drift.js';
import { isRecorded } from './recorder.js';

/** The path of an effect: numbers in threads, with the branch of a fork after each but the last, such as `2.1.4`. */
class RequestLocations {
  /** Numbers by sort and thread. */
  private readonly numbers = new Map<string, Map<string, number>>();

  /** Requests of one thread must come in their order. */
  locationOf(kind: EffectKind, path: string): string {
    const parts = path.split('.');
    let thread = isStrict(kind) ? '' : kind;
    for (let at = 0; at < parts.length; at += 2) {
      const known = this.numbers.get(thread) ?? new Map<string, number>();
      this.numbers.set(thread, known);
      const part = parts[at] as string;
      const number = known.get(part) ?? known.size + 1;
      known.set(part, number);
      thread += ` ${[number, ...parts.slice(at + 1, at + 2)].join('.')}`;
    }
    return thread;
  }
}

/** The order of requests in their threads. */
function comparePaths(one: string, other: string): number {
  const [ours, theirs] = [one.split('.').map(Number), other.split('.').map(Number)];
  for (let at = 0; at < Math.min(ours.length, theirs.length); at++) {
    const difference = (ours[at] as number) - (theirs[at] as number);
    if (difference !== 0) return difference;
  }
  return ours.length - theirs.length;
}

export interface CassetteProblem {
  readonly message: string;
  readonly help?: string;
  /** Lines of what was recorded and of what is asked for. */
  readonly difference?: readonly string[];
}

export interface CassetteUse {
  /** `fingerprint`: records may come in another order. */
  readonly match: 'path' | 'fingerprint';
  /** `warn`: the recorded outcome is used although something else is asked for. */
  readonly drift: 'fail' | 'warn';
}

interface CassetteWorldOptions extends CassetteUse {
  readonly cassette: Cassette;
  /** Begins when the recorded run began. */
  readonly time: VirtualTime;
  /** Reads schemas. */
  readonly host: Effects;
  readonly advice: CassetteAdvice;
  /** Whether the run continues where the recorded one was suspended, because something else answers it. */
  readonly continues: boolean;
  /** Performs what the cassette does not have; null: that is a problem. */
  readonly others: Effects | null;
  /** Notes the outcome of a request: its record, or null where `others` gave it. */
  readonly onUse?: (
    record: CassetteRecord | null,
    request: PerformedRequest,
    context: EffectContext,
    outcome: Outcome | null,
  ) => void;
  readonly onProblem: (problem: CassetteProblem) => void;
}

/** What a person can do about a difference. */
export interface CassetteAdvice {
  /** When something is missing or not used. */
  readonly missing: string;
  /** When something else is asked for. */
  readonly drift: string;
}

const RECORD = 'record it again with `statedsl run … --record`';
const UPDATE = 'call only what is different with `statedsl test --update-cassettes`';
export const TEST_ADVICE: CassetteAdvice = {
  missing: `${RECORD}, or ${UPDATE}`,
  drift: `${RECORD}, ${UPDATE}, or accept it with \`drift=warn\``,
};
/** How many unused records are named. */
const MOST_UNUSED = 5;
/** Kinds that share their locations. */
const STRICT_KINDS: readonly EffectKind[] = ['shell', 'argv', 'function', 'agent', 'tool', 'worktree'];

export class CassetteWorld implements Effects {
  readonly warnings: CassetteProblem[] = [];
  private readonly unused: Set<CassetteRecord>;
  private readonly byLocation = new Map<string, CassetteRecord[]>();
  private readonly locations = new RequestLocations();
  private readonly byFingerprint = new Map<string, CassetteRecord[]>();
  private hasProblem = false;
  private readonly world: Effects;

  constructor(private readonly options: CassetteWorldOptions) {
    const { time } = options;
    const perform: Effects['perform'] = (request, context) =>
      isRecorded(request) ? this.performOther(request, context) : options.host.perform(request, context);
    this.world = pretendedWorld({
      recall: (request, context) => this.giveRecorded(request, context),
      clock: { ...virtualClock(time, () => this.isAtEnd), read: () => Math.floor(time.now) },
      chance: { uuid: () => numberedId(0), random: () => 0.5 },
      answer: perform,
      others: { perform },
    });
    const { records } = options.cassette;
    this.unused = new Set(records);
    const locations = new RequestLocations();
    // A question is found by its name.
    const asked = records.filter(({ at, kind }) => at !== null && kind !== 'ask');
    for (const record of asked.sort((one, other) => comparePaths(one.at as string, other.at as string))) {
      const { kind, attempt, waits } = record;
      push(this.byLocation, keyOf(kind, locations.locationOf(kind, record.at as string), attempt, waits), record);
    }
    for (const record of records) {
      push(this.byFingerprint, record.fingerprint, record);
    }
    this.scheduleDeliveries();
    if (options.cassette.isSuspended && !options.continues) options.time.rest();
  }

  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome> {
    return this.world.perform(request, context);
  }

  private giveRecorded(request: PerformedRequest, context: EffectContext): Promise<Outcome> | null {
    if (!isRecorded(request)) return null;
    const asked = askedOf(request, context, (text) => context.resources.outputs.redactor?.text(text) ?? text);
    const found = this.find(request, asked);
    return found === null ? null : this.give(found, request, context);
  }

  /** Gives recorded answers of people, at their time. Without one, a question stays open. */
  readonly ask: AskHandler = async (question, signal) => {
    const asked = askedPerson(question, (text) => text);
    const named = [...this.unused].filter(({ kind, text }) => kind === 'ask' && text === asked.text);
    const fingerprint = fingerprintOf(asked);
    const record = named.find((one) => one.fingerprint === fingerprint) ?? named[0];
    if (record === undefined) return null;
    if (record.fingerprint !== fingerprint && !this.allowDrift(record, asked)) return null;
    this.use(record);
    await this.options.time.sleep(this.endOf(record), signal);
    const { outcome } = record;
    return signal.aborted || outcome.kind !== 'answered'
      ? null
      : render(fromRecord(outcome.value, outcome.printed) as Value);
  };

  /** Marks the record of a request as used that something else answers. */
  skip({ kind, effect, attempt }: Pick<PerformedRequest, 'kind' | 'effect' | 'attempt'>): void {
    const record = this.at(kind, effect, attempt, 0);
    if (record !== undefined) this.use(record);
  }

  /** Marks the answer to a question as used that something else answers. */
  skipQuestion(name: string): void {
    const record = [...this.unused].find(({ kind, text }) => kind === 'ask' && text === name);
    if (record !== undefined) this.use(record);
  }

  /** The outcome at the place of a request, whatever was asked for there; null: there is none. */
  outcomeAt(request: PerformedRequest, context: EffectContext): Outcome | null {
    const { kind, effect, attempt } = request;
    const record = this.at(kind, effect, attempt, 0);
    if (record === undefined) return null;
    this.use(record);
    const { outcome } = record;
    return outcome.kind === 'stopped' || outcome.kind === 'answered' ? null : this.restore(outcome, request, context);
  }

  /** Records that the run did not ask for. After a problem that is no news. */
  listUnused(): CassetteProblem[] {
    if (this.hasProblem) return [];
    const { file } = this.options.cassette;
    const left = [...this.unused].filter(({ kind, outcome }) => isStrict(kind) && outcome.kind !== 'stopped');
    const named = left.slice(0, MOST_UNUSED).map((record) => `${nameOf(record)} (${file}:${record.fileLine})`);
    if (left.length > named.length) named.push(`${left.length - named.length} more`);
    const difference = named.map((name) => `- ${name}`);
    const count = left.length === 1 ? 'one record' : `${left.length} records`;
    const message = `the run did not ask for ${count} of \`${file}\``;
    return left.length === 0 ? [] : [{ message, difference, help: this.options.advice.missing }];
  }

  /** Milliseconds since the start of the run. */
  get elapsedMs(): number {
    return this.options.time.now - this.options.cassette.startedMs;
  }

  /** Whether the recorded run was suspended here, so that a timer without a record had not ended. */
  private get isAtEnd(): boolean {
    const { cassette, continues } = this.options;
    if (!cassette.isSuspended || continues) return false;
    return ![...this.unused].some(({ kind, outcome }) => isStrict(kind) && outcome.kind !== 'stopped');
  }

  private find(request: PerformedRequest, asked: Asked): CassetteRecord | null {
    const fingerprint = fingerprintOf(asked);
    if (this.options.match === 'fingerprint' && isStrict(request.kind))
      return this.byFingerprint.get(fingerprint)?.find((one) => this.unused.has(one)) ?? null;
    const waits = request.kind === 'agent' ? (request.waits ?? 0) : 0;
    const record = this.at(request.kind, request.effect, request.attempt, waits);
    const other = record ?? this.atOtherKind(request, waits);
    if (other === undefined) return null;
    if (record !== undefined && record.fingerprint === fingerprint) return record;
    if (!isStrict(request.kind)) return record ?? null;
    if (this.options.others !== null) return null;
    return this.allowDrift(other, asked) && record !== undefined ? record : null;
  }

  /** The first unused record at the place of a request. */
  private at(kind: EffectKind, effect: string, attempt: number, waits: number): CassetteRecord | undefined {
    const key = keyOf(kind, this.locations.locationOf(kind, effect), attempt, waits);
    return this.byLocation.get(key)?.find((one) => this.unused.has(one));
  }

  /** Another kind of effect at the same location. */
  private atOtherKind({ effect, attempt, kind }: PerformedRequest, waits: number): CassetteRecord | undefined {
    if (!isStrict(kind)) return undefined;
    const location = this.locations.locationOf(kind, effect);
    for (const other of STRICT_KINDS) {
      const found = this.byLocation.get(keyOf(other, location, attempt, waits))?.find((one) => this.unused.has(one));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** False: the difference is a problem. */
  private allowDrift(record: CassetteRecord, asked: Asked): boolean {
    const { cassette, drift } = this.options;
    const difference = describeDrift(record, asked);
    const message = `${nameOf(record)} is not what was recorded (line ${record.fileLine} of \`${cassette.file}\`)`;
    const problem = { message, difference, help: this.options.advice.drift };
    if (drift === 'warn') this.warnings.push(problem);
    else this.report(problem);
    return drift === 'warn';
  }

  private report(problem: CassetteProblem): void {
    if (!this.hasProblem) this.options.onProblem(problem);
    this.hasProblem = true;
  }

  private performOther(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome> {
    const { others, cassette, onUse } = this.options;
    if (others !== null) {
      const note = (outcome: Outcome): Outcome => {
        onUse?.(null, request, context, outcome);
        return outcome;
      };
      const outcome = others.perform(request, context);
      return outcome instanceof Promise ? outcome.then(note) : note(outcome);
    }
    const location = 'line' in request ? ` (state ${request.state}, line ${request.line})` : '';
    const what = 'text' in request ? `\`${request.text}\`` : `the request of kind \`${request.kind}\``;
    const message = cassette.isComplete
      ? `\`${cassette.file}\` has no record of ${what}${location}`
      : `the recording of \`${cassette.file}\` ends before ${what}${location}`;
    const asked = askedOf(request, context, (text) => context.resources.outputs.redactor?.text(text) ?? text);
    const same = this.byFingerprint.get(fingerprintOf(asked))?.find((one) => this.unused.has(one));
    const { missing } = this.options.advice;
    const { run, file } = cassette;
    const resuming = `resume the recorded run: \`statedsl resume ${run} --record ${file}\``;
    const help = cassette.isComplete || run === undefined ? missing : `${resuming}, or ${missing}`;
    const difference =
      same === undefined
        ? []
        : [
            `- line ${same.fileLine} has it: \`at: "${same.at}"\`, \`attempt: ${same.attempt}\`, \`waits: ${same.waits}\``,
          ];
    this.report({ message, help, ...(difference.length === 0 ? {} : { difference }) });
    return { kind: 'not-started', reason: 'the cassette has no outcome for it' };
  }

  private give(record: CassetteRecord, request: PerformedRequest, context: EffectContext): Promise<Outcome> {
    this.use(record);
    const { outcome } = record;
    const { time, onUse } = this.options;
    if (outcome.kind === 'answered') throw new Error('only people answer');
    const isStopped = outcome.kind === 'stopped';
    if (isStopped) onUse?.(record, request, context, null);
    const end = { outcome: isStopped ? null : outcome, endedAt: this.endOf(record) };
    return endAsRecorded(end, time, context.stop).then((ended) => {
      if (isStopped) return ended;
      onUse?.(record, request, context, ended);
      return this.restore(ended, request, context);
    });
  }

  private endOf({ endedMs }: CassetteRecord): number {
    return this.options.cassette.startedMs + endedMs;
  }

  private use(record: CassetteRecord): void {
    this.unused.delete(record);
  }

  private restore(outcome: Outcome, request: PerformedRequest, context: EffectContext): Outcome {
    const { artifacts } = context.resources.outputs;
    const run = hiddenRun({ ...context, artifacts }, request.effect);
    const restored = mapTexts(outcome as unknown as Json, (text) => run.restore(text)) as unknown as Outcome;
    return 'stdout' in restored ? { ...restored, stdout: this.restoreOutput(restored.stdout, artifacts) } : restored;
  }

  private restoreOutput(output: Output, artifacts: string | null): Output {
    const name = largeFileOf(output);
    if (name === null)
      return output.text === undefined || output.lossy === true
        ? output
        : { ...output, bytes: Buffer.byteLength(output.text) };
    const content = this.options.cassette.large(name);
    const text = content.toString('utf8');
    if (content.length <= INLINE_BYTES) return { text, bytes: content.length };
    const artifact = createHash('sha256').update(content).digest('hex');
    if (artifacts !== null) {
      makeFolder(artifacts);
      const path = join(artifacts, artifact);
      if (!existsSync(path)) writeOwn(path, content);
    }
    return { text, artifact, tail: content.subarray(-4096).toString('utf8'), bytes: content.length };
  }

  /** Signals and approvals come by themselves. */
  private scheduleDeliveries(): void {
    const { time, cassette } = this.options;
    for (const { kind, text: name, outcome, endedMs } of cassette.records) {
      if (outcome.kind !== 'answered' || (kind !== 'signal' && kind !== 'approval')) continue;
      const { by } = outcome;
      const value = fromRecord(outcome.value, outcome.printed);
      const delivery =
        kind === 'signal'
          ? ({ kind, name, payload: value, by } as const)
          : ({ kind: 'answer', name, value, by } as const);
      time.deliverAt(cassette.startedMs + endedMs, delivery);
    }
  }
}

function keyOf(kind: EffectKind, location: string, attempt: number, waits: number): string {
  return `${kind} ${location} ${attempt} ${waits}`;
}

function nameOf({ kind, text, state, line }: CassetteRecord): string {
  const location = state === null ? '' : ` (state ${state}, line ${line})`;
  return kind === 'ask' ? `the question \`${text}\`` : `\`${text === '' ? kind : text}\`${location}`;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
