/**
 * A new run that begins elsewhere, at a point of an old one: what another process needs for it. Nothing is executed here and
 * nothing is written.
 */
import { Buffer } from 'node:buffer';
import type { RunEvent } from '../../../interpreter/events/event.js';
import { type Artifacts, artifactName, artifactsFolder, folderArtifacts } from '../../store/artifacts.js';
import { type Image, imageOf } from '../../store/image.js';
import { LineBuffer } from '../../store/journal-line.js';
import { LargeValues } from '../../store/large-values.js';
import { RunRefused } from '../../store/store-error.js';
import type { StoredRun } from '../../store/stored-run.js';
import type { WorktreeCommits } from '../working-directory.js';
import { copyLines, filesAt, worktreeEvents } from './files-at.js';
import { type ReplayStarting, startOf } from './replay-start.js';
import type { ResumeOptions } from './resume-options.js';
import { decideResume } from './resume-options.js';
import { recoverRecorded } from './resume-run.js';

/** Lines that follow each other. */
interface CopiedLines {
  /** Each with its line end. */
  readonly bytes: Buffer;
  /** The number of the first one. */
  readonly first: number;
  readonly count: number;
}

export interface ReplayElsewhere {
  /** The number of the last event that is taken over. */
  readonly seq: number;
  /** The lines up to there. */
  readonly parts: readonly CopiedLines[];
  /** What these lines refer to. */
  readonly artifacts: Artifacts;
  readonly image: Image;
  /** The commits from which its worktrees start; null: it has none. */
  readonly worktrees: WorktreeCommits | null;
  /** The first new events: `run_resumed`, and what follows from it. */
  readonly events: readonly RunEvent[];
}

/** `id`: of the new run. `partBytes`: about how much a part of the lines has. Throws a `RunRefused` or a `StoreError`. */
export function replayElsewhere(
  stored: StoredRun,
  id: string,
  { partBytes, ...options }: ReplayStarting & { readonly partBytes: number },
): ReplayElsewhere {
  const { from, recovered, redactor, run, edited, events } = startOf(stored, id, options);
  if (edited !== null)
    throw new RunRefused(
      'wrong-use',
      'a run is replayed elsewhere only in its own program',
      `execute it here: \`statedsl replay ${stored.about.run_id} --from POINT --from-file FILE --on none\``,
    );
  const artifacts = new CopiedArtifacts(folderArtifacts(artifactsFolder(stored.path)));
  const buffer = new LineBuffer();
  const parts: CopiedLines[] = [];
  let first = 1;
  const takePart = (next: number): void => {
    if (next > first) parts.push({ bytes: Buffer.from(buffer.take()), first, count: next - first });
    first = next;
  };
  copyLines(stored, { id, from, redactor, large: new LargeValues(artifacts) }, (event, seq, time) => {
    buffer.add(event, seq, time);
    if (buffer.length >= partBytes) takePart(seq + 1);
  });
  takePart(from);
  const files = stored.about.options.worktree === undefined ? null : filesAt(stored, from, recovered);
  const [resumed, ...rest] = events;
  const asked = options.from === 'failed' ? from : options.from;
  const all = [resumed, ...worktreeEvents(files, asked, from, run), ...rest, ...run.takeEvents()];
  // The restored run repeats them.
  run.takeRequests();
  const image = imageOf(run, { activeMs: recovered.activeMs });
  return { seq: from - 1, parts, artifacts, image, worktrees: files?.worktrees ?? null, events: all };
}

/** The artifacts of the old run, and those that its lines need in addition. */
class CopiedArtifacts implements Artifacts {
  private readonly added = new Map<string, Buffer>();

  constructor(private readonly old: Artifacts) {}

  sizeOf(name: string): number | null {
    return this.added.get(name)?.length ?? this.old.sizeOf(name);
  }

  get(name: string): Buffer {
    return this.added.get(name) ?? this.old.get(name);
  }

  put(content: string): string {
    const name = artifactName(content);
    if (this.sizeOf(name) === null) this.added.set(name, Buffer.from(content));
    return name;
  }
}

/**
 * A run that is resumed elsewhere: what another process needs to continue it from before its failure. Nothing is
 * executed here and nothing is written.
 */
export interface Resumption {
  /** The number of the last event on record. */
  readonly seq: number;
  readonly image: Image;
  /** The first new events: `run_resumed`, and what follows from it. */
  readonly events: readonly RunEvent[];
}

/** Rejects with a `RunRefused` or a `StoreError`. */
export async function resumptionOf(stored: StoredRun, options: ResumeOptions): Promise<Resumption> {
  const recorded = recoverRecorded(stored, options);
  const { end, activeMs, replay } = recorded.recovered;
  if (replay.run.result?.status === 'returned')
    throw new RunRefused('over', `run \`${stored.about.run_id}\` has already returned`);
  const { run, events, edited } = await decideResume(stored, recorded, options);
  if (edited !== null) throw new RunRefused('wrong-use', 'a run is resumed elsewhere only in its own program');
  const all = [...events, ...run.takeEvents()];
  // The restored run repeats them.
  run.takeRequests();
  return { seq: end.seq, image: imageOf(run, { activeMs }), events: all };
}
