/**
 * The large outputs of effects in this process. An effect writes them into a folder of its run; before its outcome is on
 * record, they are stored on the engine, where clients and other workers find them.
 */
import { Buffer } from 'node:buffer';
import { closeSync, existsSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Output } from '../interpreter/events/event.js';
import { link } from '../interpreter/run.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import type { OutputUse } from '../runtime/process/scratch.js';
import { createRedactor } from '../runtime/redact.js';
import { memoOfSettings } from '../runtime/run/memo-effects.js';
import { interpreterOptions } from '../runtime/run/run-options.js';
import { artifactName } from '../runtime/store/artifacts.js';
import { makeFolder, openToRead, writeOwn } from '../runtime/store/own-file.js';
import type { EngineClient } from './client.js';
import { NO_ROUTES, type Submission } from './messages.js';
import { type SecretInputs, secretsIn } from './secret-inputs.js';
import type { SharedArtifacts } from './shared-artifacts.js';
import type { EffectBounds, TurnProgram } from './turn-host.js';
import { artifactContent, bytesOfArtifact, MOST_ARTIFACT, MOST_VALUE } from './turn-record.js';

export class EffectOutputs {
  private readonly stored = new Set<string>();

  constructor(
    private readonly client: Pick<EngineClient, 'store' | 'artifact'>,
    private readonly runId: string,
    /** The artifacts of the run in this process. */
    private readonly folder: string,
    /** Where all workers have artifacts; null: the engine has them. */
    private readonly shared: SharedArtifacts | null = null,
  ) {}

  /** Fetches what the effect reads and this process does not have. Null: there is nothing to fetch. */
  fetchInput(request: PerformedRequest): Promise<void> | null {
    // Agents have files next to it. Most other effects need no folder, and making it takes as long as a short effect.
    if (request.kind === 'agent') makeFolder(this.folder);
    const name = 'stdin' in request ? request.stdin?.artifact : undefined;
    return name === undefined || existsSync(join(this.folder, name)) ? null : this.fetch(name);
  }

  private async fetch(name: string): Promise<void> {
    makeFolder(this.folder);
    if (this.shared?.copyTo(this.runId, name, join(this.folder, name)) === true) return;
    const content = await this.client.artifact(this.runId, name);
    if (content === null) throw new Error(`the engine does not have the artifact \`${name}\` of run \`${this.runId}\``);
    writeOwn(join(this.folder, name), bytesOfArtifact(content), 'w', false);
  }

  /** The outcome as the engine records it. What it refers to is stored. */
  store(outcome: Outcome): Outcome | Promise<Outcome> {
    if (outcome.kind === 'value') return boundValue(outcome);
    return 'stdout' in outcome && hasFiles(outcome) ? this.storeFiles(outcome) : outcome;
  }

  private async storeFiles(outcome: OutcomeWithOutput): Promise<Outcome> {
    const stdout = boundOutput(await this.storeOutput(outcome.stdout));
    if (outcome.kind === 'changed') return { ...outcome, stdout };
    const { transcript, stderr_artifact } = outcome;
    const other = {
      ...(transcript === undefined ? {} : { transcript: await this.storeOutput(transcript) }),
      ...(stderr_artifact === undefined ? {} : { stderr_artifact: (await this.storeFile(stderr_artifact)).name }),
    };
    return { ...outcome, stdout, ...other };
  }

  private async storeOutput(output: Output): Promise<Output> {
    if (output.artifact === undefined) return output;
    const { name, isCut } = await this.storeFile(output.artifact);
    return isCut ? { ...output, artifact: name, cut: true } : output;
  }

  /** Whether all workers have the file now. A folder that cannot be written must not keep the run from its outcome. */
  private isShared(name: string, path: string): boolean {
    try {
      this.shared?.put(this.runId, name, path);
      return this.shared !== null;
    } catch {
      return false;
    }
  }

  private async storeFile(name: string): Promise<{ readonly name: string; readonly isCut: boolean }> {
    const path = join(this.folder, name);
    if (this.isShared(name, path)) return { name, isCut: false };
    const isCut = statSync(path).size > MOST_ARTIFACT;
    if (!isCut && this.stored.has(name)) return { name, isCut };
    const bytes = beginningOf(path);
    const kept = isCut ? artifactName(bytes) : name;
    if (!this.stored.has(kept)) await this.client.store(this.runId, { name: kept, content: artifactContent(bytes) });
    this.stored.add(kept);
    return { name: kept, isCut };
  }
}

function beginningOf(path: string): Buffer {
  const fd = openToRead(path);
  try {
    const bytes = Buffer.alloc(Math.min(statSync(path).size, MOST_ARTIFACT));
    let read = 0;
    for (let count = -1; count !== 0 && read < bytes.length; read += count)
      count = readSync(fd, bytes, read, bytes.length - read, read);
    return bytes.subarray(0, read);
  } finally {
    closeSync(fd);
  }
}

type OutcomeWithOutput = Extract<Outcome, { stdout: Output }>;

function hasFiles(outcome: OutcomeWithOutput): boolean {
  if (outcome.stdout.artifact !== undefined) return true;
  return outcome.kind !== 'changed' && (outcome.transcript !== undefined || outcome.stderr_artifact !== undefined);
}

function boundOutput(output: Output): Output {
  const { text, ...others } = output;
  if (text === undefined || output.artifact === undefined || JSON.stringify(text).length <= MOST_VALUE) return output;
  return { ...others, unbound: true };
}

function boundValue(outcome: Extract<Outcome, { kind: 'value' }>): Outcome {
  const { length } = JSON.stringify(outcome.value);
  if (length <= MOST_VALUE) return outcome;
  const message = `the value has ${length} characters of JSON, but on an engine a value can have at most 4 MiB`;
  return { kind: 'failed', message, error_type: 'value_too_large' };
}

/**
 * How much the effects of a run print in this process, and what happens when it is too much: all of them are stopped. What is
 * printed beyond the limit is not kept, so it is counted here and not in outcomes.
 */
export class EffectGrowth {
  private readonly running = new Set<EffectBounds>();
  private reported: number;

  constructor(private readonly use: OutputUse) {
    this.reported = use.bytes;
    use.limit = 0;
    use.onExceeded = () => {
      for (const { onExceeded } of this.running) onExceeded();
    };
  }

  /** What the turn has not heard of yet is not part of what the effect may print. */
  begin(effect: EffectBounds): void {
    this.running.add(effect);
    this.use.limit = Math.max(this.use.limit, this.reported + effect.outputLimit);
  }

  /** How many bytes were printed since the last report, by whichever effect: together they are exact. */
  report(): number {
    const printed = this.use.bytes - this.reported;
    this.reported = this.use.bytes;
    return printed;
  }

  end(effect: EffectBounds): void {
    this.running.delete(effect);
  }
}

/** `secretInputs`: what the header does not have. */
export function programOf(submission: Submission, secretInputs: SecretInputs = {}): TurnProgram {
  const { header, inDoubt, placement = NO_ROUTES } = submission;
  const { machine, options, inputs, version } = header;
  const all = { ...inputs, ...secretInputs };
  const interpreter = interpreterOptions(machine, options, { inputs: all, record: true, version });
  const secrets = secretsIn(secretInputs);
  return {
    linked: link(machine),
    options: interpreter,
    inDoubt,
    placement,
    memo: memoOfSettings(header.settings),
    secrets,
    redactor: createRedactor(secrets),
    key: header.key?.name,
    home: submission.home ?? null,
    worktree: submission.worktree ?? null,
  };
}
