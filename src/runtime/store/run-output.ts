/**
 * What the commands and agents of a run printed, from its record: small outputs are in the journal, others in
 * artifacts. Outputs are passed on in pieces, because a run may have printed more than fits into memory.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectKind, Outcome, Output, RunEvent } from '../../interpreter/events/event.js';
import { WORK_EFFECTS } from '../../interpreter/events/status-after.js';
import { unreachable } from '../../prelude/unreachable.js';
import { artifactsFolder, isArtifactName } from './artifacts.js';
import { openToRead } from './own-file.js';
import { type JournalPosition, readJournal } from './read-journal.js';
import { StoreError } from './store-error.js';

/** A command or an agent call whose output is on record. */
export interface Printer {
  readonly effect: string;
  readonly kind: EffectKind;
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly step: string | null;
}

export interface PrintedOutcome {
  readonly printer: Printer;
  readonly outcome: Outcome;
}

const CHUNK_BYTES = 64 * 1024;
/** About the most that the journal itself holds of one outcome, in bytes. */
const INLINE_BYTES = 128 * 1024;
const BATCH_BYTES = 16 * 1024 * 1024;
/** Reads a journal from where the last call stopped, and remembers which effects were requested before. */
export class OutputRecord {
  readonly printers = new Map<string, Printer>();
  readonly states = new Set<string>();
  private position: JournalPosition = { seq: 0, offset: 0 };

  /** `folder`: the folder of the run. */
  constructor(private readonly folder: string) {}

  /**
   * What ended since the last call, in the order of the record, limited to what fits into memory. Empty if there is
   * nothing more. Throws a `StoreError`.
   */
  next(): PrintedOutcome[] {
    const printed: PrintedOutcome[] = [];
    let bytes = 0;
    const end = readJournal(
      join(this.folder, 'journal.ndjson'),
      ({ event }) => {
        // The next call reads a refused event again.
        if (bytes > BATCH_BYTES) return false;
        const one = this.take(event);
        if (one === null) return true;
        bytes += INLINE_BYTES;
        printed.push(one);
        return true;
      },
      this.position,
    );
    this.position = { seq: end.seq, offset: end.offset };
    return printed;
  }

  private take(event: RunEvent): PrintedOutcome | null {
    if (event.type === 'state_entered') this.states.add(event.state);
    else if (event.type === 'effect_requested' && WORK_EFFECTS.has(event.kind)) {
      const { effect, kind, text, state, line, step = null } = event;
      this.printers.set(effect, { effect, kind, text, state, line, step });
    } else if (event.type === 'effect_settled') {
      const printer = this.printers.get(event.effect);
      if (printer !== undefined) return { printer, outcome: event.outcome };
    }
    return null;
  }
}

/** Which stream; for an agent also whether everything that its program printed or only its answer. */
export interface Wanted {
  readonly stderr: boolean;
  readonly raw: boolean;
}

/** The bytes of one outcome, in pieces, without the first `from`. Throws a `StoreError` for an artifact that cannot be read. */
export function* bytesOf(folder: string, outcome: Outcome, wanted: Wanted, from = 0): Generator<Uint8Array> {
  const printed = printedBy(outcome, wanted);
  if (typeof printed === 'string') yield* ofArtifact(folder, printed, from);
  else if (printed !== null && printed.length > from) yield printed.subarray(from);
}

/** How many bytes that are, without reading them. Throws a `StoreError` for an artifact that cannot be read. */
export function sizeOf(folder: string, outcome: Outcome, wanted: Wanted): number {
  const printed = printedBy(outcome, wanted);
  if (typeof printed !== 'string') return printed?.length ?? 0;
  const fd = openArtifact(folder, printed);
  try {
    return fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
}

/** The bytes, or the name of an artifact with them. */
function printedBy(outcome: Outcome, wanted: Wanted): Buffer | string | null {
  switch (outcome.kind) {
    case 'exited':
    case 'timed-out':
      if (wanted.stderr) return outcome.stderr_artifact ?? Buffer.from(outcome.stderr);
      return outputOf((wanted.raw ? outcome.transcript : undefined) ?? outcome.stdout);
    case 'value': {
      const { value, printed } = outcome;
      if (wanted.stderr || value === null) return null;
      return Buffer.from(`${printed ?? (typeof value === 'string' ? value : JSON.stringify(value))}\n`);
    }
    case 'not-started':
    case 'changed':
    case 'failed':
      return null;
    default:
      return unreachable(outcome);
  }
}

function outputOf({ text, base64, artifact }: Output): Buffer | string | null {
  if (artifact !== undefined) return artifact;
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return text === undefined ? null : Buffer.from(text);
}

function openArtifact(folder: string, name: string): number {
  const path = join(artifactsFolder(folder), name);
  if (!isArtifactName(name)) throw new StoreError(`\`${path}\` is not read: an artifact cannot have such a name`);
  return openToRead(path);
}

function* ofArtifact(folder: string, name: string, from: number): Generator<Uint8Array> {
  const fd = openArtifact(folder, name);
  try {
    for (let at = from; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, at);
      if (count === 0) return;
      at += count;
      yield chunk.subarray(0, count);
    }
  } finally {
    closeSync(fd);
  }
}
