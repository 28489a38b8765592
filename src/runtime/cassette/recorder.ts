/**
 * Records what the world gives to a run. The file grows with each outcome, so that a run whose process dies has a cassette
 * up to there; at the end the file is replaced by a complete one.
 */
import { rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Effects, PerformedRequest } from '../effect-context.js';
import type { Boundary } from '../readable-file.js';
import type { Redactor } from '../redact.js';
import type { RunReport } from '../run/run-report.js';
import { entryAt } from '../store/own-file.js';
import { reasonOf } from '../store/store-error.js';
import type { VirtualTime } from '../virtual-time.js';
import { beginFile, extendFile, whyUnwritable, writeWhole } from '../written-file.js';
import { type CassetteHeader, type CassetteRecord, isStrict } from './cassette.js';
import { CassetteText, largeFolderOf } from './cassette-text.js';
import { keepLarge, makeRecord, SentRecords } from './make-record.js';

interface RecorderOptions {
  /** Absolute. */
  readonly file: string;
  readonly program: string;
  readonly redactor: Redactor | null;
  /** The clock of the run; null: real time. */
  readonly time: VirtualTime | null;
  /** Replaces an existing file. */
  readonly overwrite: boolean;
  readonly boundary: Boundary;
}

/** Why nothing can be recorded in a file; null: it can. */
export function whyNoRecording(file: string, overwrite: boolean, boundary: Boundary): string | null {
  const why = whyUnwritable(file, boundary);
  return why ?? (entryAt(file) !== null && !overwrite ? 'it exists' : null);
}

/** Loads what recording needs. */
export async function createRecorder(options: RecorderOptions): Promise<CassetteRecorder> {
  const { default: yaml } = await import('yaml');
  return new CassetteRecorder(options, new CassetteText(yaml.stringify));
}

export class CassetteRecorder {
  private readonly begun: number;
  private readonly startedMs: number;
  private header: CassetteHeader | null = null;
  private readonly records: string[] = [];
  private last = 0;
  /** The first reason why the file is not a cassette. */
  private problem: string | null = null;
  private holdsSecret = false;
  private readonly sent = new SentRecords();
  private runId: string | undefined;

  constructor(
    private readonly options: RecorderOptions,
    private readonly text: CassetteText,
  ) {
    const { time } = options;
    this.startedMs = time?.now ?? Date.now();
    this.begun = time === null ? performance.now() : time.now;
  }

  get count(): number {
    return this.records.length;
  }

  /** Tells which run it is, before its first event. */
  begins(runId: string): void {
    this.runId = runId;
  }

  /** Effects whose outcomes are recorded. */
  wrap(effects: Effects): Effects {
    return {
      ...effects,
      perform: (request, context) => {
        const outcome = effects.perform(request, context);
        if (!isRecorded(request)) return outcome;
        if (!(outcome instanceof Promise)) {
          this.add(makeRecord(request, context, outcome, this.now()));
          return outcome;
        }
        return outcome.then((ended) => {
          const isStopped = context.stop.aborted;
          if (!isStopped || isStrict(request.kind))
            this.add(makeRecord(request, context, isStopped ? null : ended, this.now()));
          return ended;
        });
      },
    };
  }

  /** Takes the events of the run: they say how it began, and what people and other programs sent to it. */
  note(event: RunEvent): void {
    switch (event.type) {
      case 'run_started':
        this.header = {
          program: this.options.program,
          run: this.runId,
          startedMs: this.startedMs,
          inputs: event.inputs,
          printedInputs: event.printed,
          worktree: event.worktree?.base ?? null,
          isComplete: false,
          isSuspended: false,
        };
        this.begin();
        return;
      default: {
        const record = this.sent.take(event, () => this.now());
        if (record !== null) this.add(record);
      }
    }
  }

  /** Completes the file. Returns why that is not possible. */
  finish(status: RunReport['status']): { readonly message: string; readonly isSecret: boolean } | null {
    const { file, boundary } = this.options;
    if (this.header === null) return null;
    if (this.holdsSecret) {
      rmSync(file, { force: true });
      return { message: 'the cassette would hold the text of a secret', isSecret: true };
    }
    const isComplete = status !== 'interrupted';
    const header = this.text.header({ ...this.header, isComplete, isSuspended: status === 'suspended' });
    if (this.problem !== null) return { message: this.problem, isSecret: false };
    const message = writeWhole(file, header + this.records.join('') + CassetteText.end, boundary);
    return message === null ? null : { message, isSecret: false };
  }

  private begin(): void {
    const { file } = this.options;
    this.attempt(() => {
      rmSync(largeFolderOf(file), { recursive: true, force: true });
      const header = this.text.header(this.header as CassetteHeader);
      this.writeLarge();
      beginFile(file, header);
    });
  }

  private add(record: CassetteRecord): void {
    const { file, redactor } = this.options;
    const text = this.text.record(record);
    if (redactor !== null && redactor.text(text) !== text) this.holdsSecret = true;
    if (this.holdsSecret) return;
    this.records.push(text);
    this.attempt(() => {
      this.writeLarge();
      extendFile(file, text);
    });
  }

  private writeLarge(): void {
    const { file, boundary } = this.options;
    const why = keepLarge(largeFolderOf(file), this.text.large, boundary);
    if (why !== null) throw new Error(why);
    for (const name of this.text.large.keys()) this.text.large.set(name, null);
  }

  /** The run continues if the cassette cannot be written. */
  private attempt(write: () => void): void {
    try {
      write();
    } catch (cause) {
      this.problem ??= reasonOf(cause);
    }
  }

  /** Milliseconds since the start; no two are equal, so that the order of outcomes is known. */
  private now(): number {
    const { time } = this.options;
    const now = (time === null ? performance.now() : time.now) - this.begun;
    this.last = Math.max(Math.round(now * 1000) / 1000, Math.round((this.last + 0.001) * 1000) / 1000);
    return this.last;
  }
}

/** Files of the program are read again, and the rest of such a request happens in the interpreter. */
export function isRecorded(request: PerformedRequest): boolean {
  return request.kind !== 'schema' && !(request.kind === 'tool' && request.calls.kind === 'plan');
}
