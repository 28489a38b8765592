/**
 * Proves that nothing in the record of a run was changed, removed or moved since it was written, or says what was. It reads
 * the bytes themselves and trusts nothing that follows from them; it changes no file and needs no lock.
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../interpreter/events/event.js';
import { endsRun, isDelivery } from '../interpreter/events/status-after.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { sha256Hex } from './sha256.js';
import { artifactsFolder } from './store/artifacts.js';
import {
  chainIn,
  isCount,
  isPlainEntry,
  type JournalRecord,
  MOST_UNHASHED,
  readLineBytes,
} from './store/journal-line.js';
import { artifactsOf } from './store/large-values.js';
import { openToRead, readOwn } from './store/own-file.js';
import { CHUNK_BYTES } from './store/read-journal.js';
import { HEADS, mustBeSigned, readHeads, type StoredHead, signatureCheck } from './store/record-heads.js';
import type { RecordHead } from './store/run-header.js';
import { errorCode, storeError } from './store/store-error.js';
import { machineFile, type RunAbout, readIndex, type StoredRun } from './store/stored-run.js';

/** What `statedsl verify-record --json` prints. */
export interface VerifiedRecord {
  readonly run_id: string;
  /**
   * `unbroken`: nothing was changed, removed or moved. `broken`: something was. `not-signed`: it is unbroken, but the key that
   * should have signed it has not. `not-chained`: the record has no hashes, so nothing is known.
   */
  readonly status: 'unbroken' | 'broken' | 'not-signed' | 'not-chained';
  /** The result in one sentence. */
  readonly words: string;
  /** How many events there are. */
  readonly events: number;
  /** The end of the record: its last event, and the hash of everything until then. Null: it has no hashes or no events. */
  readonly head: RecordHead | null;
  /** What the record is signed with, and the last event that a signature covers; null: with nothing. */
  readonly signed: { readonly key: string; readonly seq: number; readonly checked: boolean } | null;
  /** What is wrong, in the order in which it is noticed; the first of many. */
  readonly problems: readonly RecordProblem[];
  /** What cannot be known, or looks odd without being wrong. */
  readonly notes: readonly string[];
}

/** What shows that a record is not as it was written. */
export interface RecordProblem {
  /** The number of the event at which it is noticed; absent: it concerns no event. */
  readonly seq?: number;
  readonly message: string;
}

const MOST_PROBLEMS = 20;
const NEWLINE = 10;
/** A line without its end may still be the beginning of an event. */
const BEGINNING = /^\{("(s(e(q(":?)?)?)?)?)?$/;

/** What a record may continue with after the end of a run: with what people do to it. */
const AFTER_END: ReadonlySet<RunEvent['type']> = new Set(['run_resumed', 'rollback_started', 'run_cancelled']);

export interface RecordCheck {
  /** The public key, as PEM, with which the record must be signed. */
  readonly key?: string | undefined;
  /** Is given each event that can be read, with the hash of everything until then. */
  readonly take?: (record: JournalRecord, hash: () => string) => void;
}

/** Throws a `StoreError` if files cannot be read, and a `RunRefused` for a wrong key. */
export function verifyRecord(
  directory: string,
  { about, path, journal }: StoredRun,
  options: RecordCheck = {},
): VerifiedRecord {
  const check = options.key === undefined ? null : signatureCheck(options.key);
  // Before the journal, which a process may be writing: what a head says is in the journal by then.
  const heads = readHeads(path);
  const index = readIndex(directory).get(about.run_id)?.head;
  const start = readOwn(join(path, 'run.json'));
  const verified = new RecordVerification(about, start, heads, index);
  verified.file(journal, options.take);
  verified.files(path);
  if (about.chain !== undefined) verified.signatures(check);
  return verified.result(check !== null);
}

class RecordVerification {
  private readonly problems: RecordProblem[] = [];
  private readonly notes: string[] = [];
  private readonly isChained: boolean;
  /** The artifacts that events cannot be read without. */
  private readonly needed = new Set<string>();
  private seq = 0;
  /** Of the bytes that the next hash is of. */
  private unhashed: Hash;
  private unhashedBytes: number;
  /** The first event in them; 0: they begin with `run.json`. */
  private from = 0;
  private hashes = 0;
  /** The events that a signature must cover: the last one, with its type. */
  private toSign: { readonly seq: number; readonly type: string } | null = null;
  private readonly artifacts = new Set<string>();
  private readonly digests = new Set<string>();
  /** The events at which heads have other hashes. */
  private readonly otherAt: number[] = [];
  private hasEnded = false;
  private readonly headAt = new Map<number, RecordHead[]>();
  /** Only signatures are missing. */
  private wasWhole = false;
  private signed: VerifiedRecord['signed'] = null;
  private cut = 0;

  constructor(
    private readonly about: RunAbout,
    start: Uint8Array,
    private readonly heads: readonly (StoredHead | null)[],
    index: RecordHead | undefined,
  ) {
    this.isChained = about.chain !== undefined;
    this.unhashed = createHash('sha256').update(start);
    this.unhashedBytes = start.length;
    this.digests.add(about.digest);
    this.refer(start.toString());
    const broken = heads.indexOf(null);
    if (broken >= 0) this.report(`line ${broken + 1} of \`${HEADS}\` is not a head of a record`);
    for (const head of [...heads, index ?? null]) {
      if (head === null) continue;
      const same = this.headAt.get(head.seq) ?? [];
      if (!same.some(({ hash }) => hash === head.hash)) this.headAt.set(head.seq, [...same, head]);
    }
  }

  /** The journal: its lines, and what follows the last one. */
  file(path: string, take: RecordCheck['take']): void {
    const fd = openToRead(path);
    let held = Buffer.alloc(0);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    try {
      for (;;) {
        const count = readSync(fd, chunk, 0, chunk.length, null);
        if (count === 0) break;
        const bytes = Buffer.concat([held, chunk.subarray(0, count)]);
        let start = 0;
        for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
          this.line(bytes, start, at, take);
          start = at + 1;
        }
        held = Buffer.from(bytes.subarray(start));
      }
    } catch (cause) {
      throw storeError('read', path, cause);
    } finally {
      closeSync(fd);
    }
    if (held.length > 0) this.rest(held, take);
    for (const seq of this.otherAt)
      this.report(`the events up to ${seq} are not those that were on record when a process left the run there`, seq);
    for (const [seq] of [...this.headAt]
      .filter(([at]) => at > this.seq)
      .sort(([a], [b]) => b - a)
      .slice(0, 1)) {
      this.cut = seq;
      const missing = seq === this.seq + 1 ? `event ${seq} is` : `events ${this.seq + 1} to ${seq} are`;
      this.report(`${missing} missing at the end: the record had ${seq} events when a process left it`, this.seq + 1);
    }
  }

  private line(bytes: Buffer, start: number, end: number, take: RecordCheck['take']): void {
    const record = readLineBytes(bytes, start, end);
    const expected = this.seq + 1;
    if (record === null) {
      this.report(`event ${expected} was changed: its line does not fit its checksum`, expected);
      this.add(bytes.subarray(start, end + 1));
      this.seq = expected;
      return;
    }
    const { seq, event } = record;
    if (seq !== expected) this.report(outOfOrder(expected, seq), expected);
    this.seq = seq;
    if (this.isChained) this.checkHash(chainIn(bytes, start, end), seq, event);
    else if (chainIn(bytes, start, end) !== null && this.hashes++ === 0)
      this.report('`run.json` was changed: it does not say that the record is chained, and its lines are', seq);
    this.add(bytes.subarray(start, end + 1));
    this.refer(bytes.toString('latin1', start, end));
    for (const name of artifactsOf(event)) this.needed.add(name);
    if ('digest' in event && typeof event.digest === 'string') this.digests.add(event.digest);
    if (this.hasEnded && !AFTER_END.has(event.type) && !isDelivery(event))
      this.report(`event ${seq} (\`${event.type}\`) follows the end of the run`, seq);
    this.hasEnded = endsRun(event);
    if (mustBeSigned(event)) this.toSign = { seq, type: event.type };
    const hash = (): string => this.unhashed.copy().digest('base64url');
    take?.(record, hash);
    const isOther = this.isChained && (this.headAt.get(seq) ?? []).some((head) => head.hash !== hash());
    if (isOther) this.otherAt.push(seq);
  }

  private checkHash(hash: string | null, seq: number, event: RunEvent): void {
    if (hash === null) {
      const most = isPlainEntry(event) || isCount(event) ? MOST_UNHASHED.computed : MOST_UNHASHED.other;
      if (this.unhashedBytes >= most) this.report(`event ${seq} has no hash of the events before it`, seq);
      return;
    }
    this.hashes++;
    const expected = this.unhashed.digest('base64url');
    if (hash !== expected) this.report(`${this.wordsFor(seq)}: the hash in event ${seq} does not fit`, seq);
    this.unhashed = createHash('sha256');
    this.unhashedBytes = 0;
    this.from = seq;
  }

  /** What the bytes are that do not fit a hash. */
  private wordsFor(seq: number): string {
    if (this.from === 0)
      return seq === 1 ? '`run.json` was changed' : `\`run.json\` or an event before ${seq} was changed`;
    return seq - 1 === this.from
      ? `event ${this.from} was changed`
      : `one of the events ${this.from} to ${seq - 1} was changed`;
  }

  private add(bytes: Uint8Array): void {
    this.unhashed.update(bytes);
    this.unhashedBytes += bytes.length;
  }

  private refer(text: string): void {
    for (const [, name] of text.matchAll(/"(?:\$artifact|artifact|stderr_artifact)":\s*"([0-9a-f]{64})"/g))
      this.artifacts.add(name as string);
  }

  /** What follows the last line end: a line that lost it, or one that was being written. */
  private rest(bytes: Buffer, take: RecordCheck['take']): void {
    const record = readLineBytes(bytes, 0, bytes.length);
    if (record !== null && record.seq === this.seq + 1) {
      this.line(Buffer.concat([bytes, Buffer.from('\n')]), 0, bytes.length, take);
      return;
    }
    const next = this.seq + 1;
    const begin = `{"seq":${next},"ts":"`;
    const text = bytes.toString('latin1');
    const isBeginning = text.startsWith(begin) || begin.startsWith(text) || bytes.every((byte) => byte === 0);
    const isComplete = /,"crc":"[0-9a-f]{8}"\}/.test(text);
    if (isBeginning && !isComplete)
      this.notes.push(
        `event ${next} is incomplete (${bytes.length} bytes): a process died while it wrote it, and resume removes it`,
      );
    else if (BEGINNING.test(text)) this.notes.push(`event ${next} is incomplete (${bytes.length} bytes)`);
    else this.report(`the last ${bytes.length} bytes are not the beginning of event ${next}`, next);
  }

  /** What lines refer to: artifacts and machines. */
  files(path: string): void {
    const folder = artifactsFolder(path);
    for (const name of this.artifacts) {
      const file = join(folder, name);
      // A value of the program may look like a reference.
      if (!existsSync(file) && this.isChained && this.needed.has(name))
        this.report(`the artifact \`${name}\` is missing`);
      else if (!existsSync(file)) this.notes.push(`the artifact ${name.slice(0, 12)}… is not there`);
      else if (digestOfFile(file) !== name) this.report(`the artifact \`${name}\` was changed`);
    }
    for (const digest of this.digests) {
      const file = machineFile(this.about, digest);
      try {
        const text = readOwn(join(path, file)).toString('utf8');
        if (sha256Hex(text.trimEnd()) !== digest) this.report(`\`${file}\` was changed`);
      } catch (cause) {
        if (errorCode(cause) !== 'ENOENT') throw storeError('read', join(path, file), cause);
        if (digest === this.about.digest) this.report(`\`${file}\` is missing`);
      }
    }
  }

  /** What is wrong with signatures is wrong with an unbroken record. */
  signatures(check: ReturnType<typeof signatureCheck> | null): void {
    const wanted = check?.key ?? this.about.signed_by;
    let until = 0;
    for (const head of this.heads) {
      if (head?.signature === undefined || head.key !== wanted) continue;
      if (check !== null && !check.isSigned(this.about.run_id, head)) {
        this.report(`the signature of the events up to ${head.seq} is wrong`, head.seq);
        continue;
      }
      if (head.seq <= this.seq) until = Math.max(until, head.seq);
    }
    if (until > 0 && wanted !== undefined) this.signed = { key: wanted, seq: until, checked: check !== null };
    if (wanted === undefined) return;
    const { toSign } = this;
    this.wasWhole = this.problems.length === 0;
    const by = check === null ? `the key ${wanted}, although \`run.json\` names it` : 'this key';
    if (toSign !== null && toSign.seq > until)
      this.report(`event ${toSign.seq} (\`${toSign.type}\`) is not signed with ${by}`, toSign.seq);
    else if (check !== null && until === 0) this.report('nothing is signed with this key');
  }

  private report(message: string, seq?: number): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(omitUndefined({ seq, message }));
  }

  result(hasKey: boolean): VerifiedRecord {
    const { problems, notes, seq, signed } = this;
    const head = this.isChained && seq > 0 ? { seq, hash: this.unhashed.copy().digest('base64url') } : null;
    const isKnown = this.cut > 0 || this.headAt.has(seq);
    if (this.isChained && seq > 0 && !isKnown)
      notes.push(
        this.headAt.size === 0
          ? `no process has left the run orderly, so whether events after ${seq} were cut off is not known`
          : `no process has left the run orderly since event ${Math.max(...this.headAt.keys())}, so whether events after ${seq} were cut off is not known`,
      );
    const fine = this.isChained ? 'unbroken' : 'not-chained';
    const status = problems.length === 0 ? fine : this.wasWhole ? 'not-signed' : 'broken';
    const about = { run_id: this.about.run_id, status, words: this.words(status, hasKey) } as const;
    return { ...about, events: seq, head, signed, problems, notes };
  }

  private words(status: VerifiedRecord['status'], hasKey: boolean): string {
    const { signed, seq } = this;
    if (status === 'broken') return 'broken: the record is not as it was written';
    if (status === 'not-signed') return 'unbroken, but not signed as it should be';
    if (status === 'not-chained')
      return this.about.settings.engine === undefined
        ? 'not chained: it was recorded without hashes, so nothing shows whether it was changed'
        : 'not chained: this is a copy, and its record is that of the engine';
    if (signed === null) return 'unbroken, not signed: anyone who can write to the folder can rewrite it';
    const until = signed.seq === seq ? '' : ` up to event ${signed.seq}`;
    const by = hasKey ? `signed${until} with this key` : `signed${until} with the key ${signed.key}`;
    return hasKey ? `unbroken, ${by}` : `unbroken, ${by}: check the signature with \`--key FILE\``;
  }
}

function outOfOrder(expected: number, seq: number): string {
  if (seq < expected) return `event ${seq} follows event ${expected - 1}`;
  return seq === expected + 1
    ? `event ${expected} is missing before event ${seq}`
    : `events ${expected} to ${seq - 1} are missing before event ${seq}`;
}

function digestOfFile(path: string): string {
  try {
    return createHash('sha256').update(readOwn(path)).digest('hex');
  } catch (cause) {
    throw storeError('read', path, cause);
  }
}
