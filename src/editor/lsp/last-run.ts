/**
 * What the last run of a program knew: the values of its names, what its commands took, how its steps ended. The run is
 * executed again from its record, as for a debugger, so nothing is performed. Secrets are replaced.
 */
import { dirname, join } from 'node:path';
import { newestRecords, type StoredRecord } from '../../app/project/stored-record.js';
import { link, type Run } from '../../interpreter/run.js';
import type { Slot, Thread } from '../../interpreter/run-state/thread.js';
import { printJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { Redactor } from '../../runtime/redact.js';
import type { JournalRecord } from '../../runtime/store/journal-line.js';
import { debugLink } from '../debug/debug-link.js';
import type { LastFacts, LineFacts } from '../ide/last-facts.js';

const STORE = '.statedsl';
/** How many of the newest runs are looked at for one of the program. */
const MOST_RUNS = 20;
/** Longer records are not executed again while somebody edits. */
const MOST_BYTES = 8_000_000;
const MOST_INSTRUCTIONS = 200_000;

interface Known {
  readonly journal: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly facts: LastFacts | null;
}

/** The last runs of programs, kept until a record changes. */
export class LastRuns {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly folder: string,
    private readonly environment: Readonly<Record<string, string | undefined>>,
  ) {}

  /** Null: the program never ran here, or its record cannot be read. `path` is absolute. */
  of(path: string): LastFacts | null {
    try {
      return this.find(path);
    } catch {
      // A record that is damaged, or being written: there is nothing to say.
      return null;
    }
  }

  /** What was found last, or is found now if nobody has looked yet. */
  knownOf(path: string): LastFacts | null {
    const known = this.known.get(path);
    if (known !== undefined) return known.facts;
    const facts = this.of(path);
    if (!this.known.has(path)) this.known.set(path, { journal: '', size: 0, mtimeMs: 0, facts });
    return facts;
  }

  private find(path: string): LastFacts | null {
    const record = this.newest(path);
    if (record === null) return null;
    const { journal, size, mtimeMs } = record.version;
    const before = this.known.get(path);
    if (before?.journal === journal && before.size === size && before.mtimeMs === mtimeMs) return before.facts;
    const facts = size > MOST_BYTES ? null : factsOf(record, this.environment);
    this.known.set(path, { journal, size, mtimeMs, facts });
    return facts;
  }

  private newest(path: string): StoredRecord | null {
    const stores = new Set([join(dirname(path), STORE), join(this.folder, STORE)]);
    for (const record of newestRecords(stores, MOST_RUNS)) if (record.program === path) return record;
    return null;
  }
}

/** How a step ended, in words. */
const ENDS = { pass: 'passed', fail: 'failed', fatal: 'failed', running: 'did not end' } as const;

/** Effects that a line did not ask for. */
const SAMPLES: ReadonlySet<string> = new Set(['clock', 'uuid', 'random']);

class Enough extends Error {}

function factsOf(record: StoredRecord, env: Readonly<Record<string, string | undefined>>): LastFacts {
  const start = record.start(env);
  const records = record.read();
  const seen = new Map<string, Value>();
  let count = 0;
  const look = (thread: Thread): boolean => {
    if (++count > MOST_INSTRUCTIONS) throw new Enough();
    const state = thread.run.linked.machine.states[thread.state];
    if (state !== undefined) {
      addAll(seen, state.name, state.locals, thread.locals);
      addAll(seen, state.name, state.entry, thread.entry);
    }
    return false;
  };
  const follower = record.follow(start, records, (machine) =>
    debugLink(link(machine), {
      ...{ positions: null, failing: null, failures: new Map(), before: look },
      ...{ atFailure: () => undefined, leave: () => undefined },
    }),
  );
  try {
    if (records.every((record) => follower.take(record))) follower.finish();
  } catch (thrown) {
    if (!(thrown instanceof Enough)) throw thrown;
  }
  return new FactsOfRun(record, follower.replay.run, seen, start.redactor, records);
}

function addAll(seen: Map<string, Value>, state: string, names: readonly string[], slots: readonly Slot[]): void {
  for (const [slot, name] of names.entries()) {
    const value = slots[slot];
    // Variables of loops and parameters have slots with names of their own.
    if (value !== undefined) seen.set(`${state} ${name.replace(/^\$(?:each:)?/, '')}`, value);
  }
}

class FactsOfRun implements LastFacts {
  private lineFacts: ReadonlyMap<number, LineFacts> | null = null;

  constructor(
    private readonly record: StoredRecord,
    private readonly run: Run,
    /** By state and name. */
    private readonly seen: ReadonlyMap<string, Value>,
    private readonly redactor: Redactor | null,
    private readonly records: readonly JournalRecord[],
  ) {}

  get id(): string {
    return this.record.id;
  }

  get startedAt(): string {
    return this.record.startedAt;
  }

  values(name: string, state: string | null): readonly Json[] {
    return this.find(name, state).map((value) => this.withoutSecrets(value));
  }

  private withoutSecrets(value: Value): Json {
    const plain = JSON.parse(printJson(value)) as Json;
    return this.redactor === null ? plain : this.redactor.value(plain);
  }

  private find(name: string, state: string | null): readonly Value[] {
    const { run } = this;
    if (name.startsWith('†')) {
      const value = run.main.data.read(name.slice(1).match(/[^.[\]"]+/g) ?? []);
      return value === undefined ? [] : [value as Value];
    }
    const own = state === null ? undefined : this.seen.get(`${state} ${name}`);
    if (own !== undefined) return [own];
    const { machine } = run.linked;
    const input = machine.inputs.findIndex((one) => one.name === name);
    if (input >= 0) {
      const value = run.main.inputs[input];
      return value === undefined ? [] : [machine.inputs[input]?.secret === true ? '***' : value];
    }
    const tracked = run.main.tracked[machine.tracked.indexOf(name)];
    if (tracked !== undefined) return [tracked];
    const key = [...run.steps.keys].findLast(([path]) => path === name || path.endsWith(`/${name}`));
    if (key !== undefined) return [key[1]];
    return state === null ? [...this.seen].flatMap(([of, value]) => (of.endsWith(` ${name}`) ? [value] : [])) : [];
  }

  step(name: string): string | null {
    const found = [...this.run.steps.records].findLast(([path]) => path === name || path.endsWith(`/${name}`));
    if (found === undefined) return null;
    const [, { status, attempt }] = found;
    return `${ENDS[status]} in attempt ${attempt}`;
  }

  line(line: number): LineFacts | null {
    this.lineFacts ??= this.readLines();
    return this.lineFacts.get(line) ?? null;
  }

  private readLines(): ReadonlyMap<number, LineFacts> {
    const lines = new Map<string, number>();
    const found = new Map<number, LineFacts>();
    for (const { event } of this.records) {
      if (event.type === 'effect_requested' && !('file' in event) && !SAMPLES.has(event.kind))
        lines.set(event.effect, event.line);
      if (event.type !== 'effect_settled') continue;
      const line = lines.get(event.effect);
      const { outcome } = event;
      if (line === undefined) continue;
      const ms = 'duration_ms' in outcome ? (outcome.duration_ms ?? 0) : 0;
      const cost = 'cost' in outcome && typeof outcome.cost === 'number' ? outcome.cost : 0;
      const before = found.get(line);
      const sums = { ms: ms + (before?.ms ?? 0), cost: cost + (before?.cost ?? 0), times: 1 + (before?.times ?? 0) };
      found.set(line, sums);
    }
    return found;
  }
}
