/** Runs on an engine, shown as if they were executed here, and what commands do with such a run. */

import type { EngineClient } from '../../engine/client.js';
import { followRun } from '../../engine/follow.js';
import { unknownRun } from '../../engine/mirror.js';
import { copyFromEngine, findOnEngine } from '../../engine/runs/engine-runs.js';
import { type ReplayOnEngine, type ResumeElsewhere, replayOn, resumeOn } from '../../engine/runs/replay-on-engine.js';
import { type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import { emptyReport } from '../../runtime/run/run-report.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { engineProblems } from '../../views/run-state.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr } from '../terminal/streams.js';
import { driveOnCommandLine, personName, repeatedFlags, type ShowFlags } from './drive-on-command-line.js';
import { clientOf, type EngineFlags, engineAccess, failuresAsErrors } from './engine-flags.js';
import { refusalsAsErrors, storeOf } from './stored-runs.js';

/** How long the engine may not answer: before anything is known of a run, and while it is followed. Milliseconds. */
const FIRST_PATIENCE_MS = 5000;
const PATIENCE_MS = 60_000;

type OnFlags = ShowFlags & EngineFlags;

export interface FollowedRun {
  readonly runId: string;
  /** The part of the Machine that supplies its name. */
  readonly machine: Pick<Machine, 'name' | 'workflow'>;
  readonly sources: SourceSet;
  readonly flags: OnFlags;
  /** The number of the first event that is shown. */
  readonly from: number;
  /** What a person reads if no event comes soon. */
  readonly missing?: string;
}

/** Shows a run until it has ended or waits for a person or a signal. Rejects with an `EngineFailure`. */
export function followOnCommandLine({ runId, machine, sources, flags, from, missing }: FollowedRun): Promise<ExitCode> {
  const client = clientOf(flags, PATIENCE_MS);
  return driveOnCommandLine({
    flags,
    background: false,
    program: machine,
    sources: () => sources,
    continues: (id) => [
      `follow it with: statedsl ${['show', id, '--follow', ...repeatedFlags(flags)].join(' ')}`,
      `end it with: statedsl ${['cancel', id, ...repeatedFlags(flags)].join(' ')}`,
    ],
    drive: async ({ onStart, onEvent, ask, person = personName(), signal = null }) => {
      onStart?.({ runId, folder: null });
      const silence = new Silence(client, runId, missing, (line) => {
        if (!flags.quiet) stderr.write(`${line}\n`);
      });
      const onEach: typeof onEvent = (event, position) => {
        silence.noteEvent();
        onEvent?.(event, position);
      };
      try {
        const report = await followRun(client, runId, { onEvent: onEach, ask, person, signal, from });
        return report ?? emptyReport(runId, machine.name, 'interrupted');
      } finally {
        silence.end();
      }
    },
  });
}

/** `show --follow`: shows everything that is on record, then what comes. */
export function followNamed(name: string | null, flags: OnFlags): Promise<ExitCode> {
  return asErrors(async () => {
    const client = clientOf(flags, FIRST_PATIENCE_MS);
    return followKnown(await findOnEngine(client, flags.on ?? '', name), 1, flags);
  });
}

/** Delivers answers or signals, and shows what follows. `shows`: false only delivers. */
export function deliverOnEngine(
  name: string,
  flags: OnFlags,
  { deliveries, shows }: { readonly deliveries: readonly Delivery[]; readonly shows: boolean },
): Promise<ExitCode> {
  return asErrors(async () => {
    const client = clientOf(flags, FIRST_PATIENCE_MS);
    const id = await findOnEngine(client, flags.on ?? '', name);
    const seq = await client.deliver(id, deliveries);
    if (shows) return followKnown(id, seq + 1, flags);
    if (!flags.quiet) stderr.write(`passed on to run ${id}\n`);
    return EXIT.returned;
  });
}

/** `resume`: workers continue a run that has not ended without being asked, so it is only shown. */
export function resumeOnEngine(
  name: string | null,
  flags: OnFlags,
  options: Pick<ResumeElsewhere, 'limits' | 'again'>,
): Promise<ExitCode> {
  return asErrors(async () => {
    const client = clientOf(flags, FIRST_PATIENCE_MS);
    const id = await findOnEngine(client, flags.on ?? '', name);
    const state = await client.status(id);
    const hasLimits = Object.keys(options.limits ?? {}).length > 0;
    if (state?.status !== 'failed' && !hasLimits) return followKnown(id, (state?.seq ?? 0) + 1, flags);
    await copyToStore(id, flags);
    const seq = await resumeOn(client, id, storeOf(flags), { ...options, person: personName() });
    return followKnown(id, seq + 1, flags);
  });
}

/** `replay` from a point: a new run of the engine. */
export function replayOnEngine(name: string, flags: OnFlags, options: Pick<ReplayOnEngine, 'from' | 'limits'>) {
  return asErrors(async () => {
    const id = await copyToStore(name, flags);
    const client = clientOf(flags, FIRST_PATIENCE_MS);
    const { runId, seq } = await replayOn(client, id, storeOf(flags), { ...options, person: personName() });
    return followKnown(runId, seq + 1, flags);
  });
}

async function followKnown(runId: string, from: number, flags: OnFlags): Promise<ExitCode> {
  const about = await clientOf(flags, PATIENCE_MS).about(runId);
  if (about === null) throw unknownRun(runId, flags.on);
  const { machine, sources } = about.header;
  const files = sources.map(({ name, text }) => sourceFile(name, text));
  return followOnCommandLine({ runId, machine, sources: files, flags, from });
}

/** Copies a run into the store, for commands that read it there. Resolves with its id. Rejects with a `RunRefused`. */
export async function copyToStore(name: string | null, flags: OnFlags): Promise<string> {
  const { on = '', namespace } = flags;
  return copyFromEngine(name, {
    on,
    dir: storeOf(flags),
    ...engineAccess(),
    ...(namespace === undefined ? {} : { namespace }),
  });
}

function asErrors(action: () => Promise<ExitCode>): Promise<ExitCode> {
  return failuresAsErrors(() => refusalsAsErrors(action));
}

/** So long nothing comes before the first look. Milliseconds. */
const QUIET_MS = 5000;
/** Between two looks, while nothing comes. */
const AGAIN_MS = 10_000;
/** A turn that has just begun has no worker for a moment. */
const CONFIRM_MS = 3000;

/** A run that is followed and of which nothing comes: a person learns what it waits for. */
export class Silence {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private said = '';
  private hasEnded = false;
  /** The turn that had no worker at the last look. */
  private unreported: number | null = null;

  /** `missing`: what is said if not even the first event comes. */
  constructor(
    private readonly client: Pick<EngineClient, 'whereabouts'>,
    private readonly runId: string,
    private missing: string | undefined,
    private readonly say: (line: string) => void,
  ) {
    this.lookIn(QUIET_MS);
  }

  noteEvent(): void {
    this.missing = undefined;
    this.timer?.refresh();
  }

  end(): void {
    this.hasEnded = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private lookIn(ms: number): void {
    if (!this.hasEnded) this.timer = setTimeout(() => void this.look(), ms).unref();
  }

  private async look(): Promise<void> {
    this.timer = null;
    if (this.missing !== undefined) this.say(this.missing);
    this.missing = undefined;
    // Without a worker nothing answers, and what follows the run says so.
    const facts = await this.client.whereabouts(this.runId).catch(() => null);
    const isUnreported = facts !== null && facts.turn !== null && facts.worker === null && facts.waits.length === 0;
    const isNew = isUnreported && facts.turn !== this.unreported;
    this.unreported = isUnreported ? facts.turn : null;
    if (isNew) return this.lookIn(CONFIRM_MS);
    const text = facts === null ? '' : engineProblems(facts).join('\n');
    if (text !== '' && text !== this.said && !this.hasEnded) this.say(text);
    if (text !== '') this.said = text;
    this.lookIn(AGAIN_MS);
  }
}
