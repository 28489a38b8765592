/**
 * The cassette of a stored run, from its record: the run is rebuilt, and each outcome on record becomes a record of the
 * cassette. So a run can be recorded to its end however many processes executed it, and whether they were killed.
 */
import type { RunEvent } from '../../../interpreter/events/event.js';
import type { EffectRequest } from '../../../interpreter/request.js';
import { fromRecord } from '../../../interpreter/values/json.js';
import type { Json } from '../../../machine/expression.js';
import type { AskingContext } from '../../cassette/asked.js';
import { type CassetteHeader, type CassetteRecord, isStrict } from '../../cassette/cassette.js';
import { makeRecord, SentRecords } from '../../cassette/make-record.js';
import { isRecorded } from '../../cassette/recorder.js';
import type { PerformedRequest } from '../../effect-context.js';
import { artifactsFolder } from '../../store/artifacts.js';
import { RunRefused, reasonOf } from '../../store/store-error.js';
import type { StoredRun } from '../../store/stored-run.js';
import { VIRTUAL_START } from '../../virtual-time.js';
import { directoryIn, knownWorktree } from '../working-directory.js';
import { prepareRecovery } from './prepare-recovery.js';
import { recoverRun } from './recover.js';
import { refuseDifference } from './refuse-resume.js';
import type { ResumeOptions } from './resume-options.js';

export interface CassetteOfRun {
  /** As of a run that was interrupted. */
  readonly header: CassetteHeader;
  readonly records: readonly CassetteRecord[];
  /** Whether a record has the text of a secret, so that it must not be written. */
  readonly holdsSecret: boolean;
}

/** Where the run worked, which is not part of a cassette. */
export async function workingDirectoryOf({ about }: StoredRun, dir: string): Promise<string> {
  const worktrees = await knownWorktree(about.options.worktree, { dir, runId: about.run_id, again: [] });
  return directoryIn(worktrees, about.cwd, undefined);
}

/** Throws a `RunRefused` or a `StoreError` if the record has not all that a cassette needs. */
export function cassetteOfRun(
  stored: StoredRun,
  cwd: string,
  options: Pick<ResumeOptions, 'inputs' | 'env' | 'secrets'>,
): CassetteOfRun {
  const { about, path } = stored;
  const { inputs, redactor } = prepareRecovery(stored, options);
  const { program_dir: programDir } = about.options;
  const outputs = { artifacts: artifactsFolder(path), redactor, originals: new Map<string, string>() };
  const context: AskingContext = { runId: about.run_id, cwd, programDir, resources: { outputs } };
  const isVirtual = about.settings.mock !== undefined && about.settings.real_time !== true;
  const requests = new Map<string, PerformedRequest>();
  const sent = new SentRecords();
  const records: CassetteRecord[] = [];
  let header: CassetteHeader | null = null;
  let last = 0;
  const recordOf = (event: Extract<RunEvent, { type: 'effect_settled' }>, now: () => number): CassetteRecord | null => {
    const request = requests.get(keyOf(event));
    if (request === undefined || !isRecorded(request)) return null;
    const { stopped, outcome } = event;
    if (stopped) return isStrict(request.kind) ? makeRecord(request, context, null, now()) : null;
    const whole =
      outcome.kind === 'value' ? { ...outcome, value: fromRecord(outcome.value, outcome.printed) as Json } : outcome;
    try {
      return makeRecord(request, context, whole, now());
    } catch (cause) {
      throw new RunRefused('unusable', `an output of the run cannot be read: ${reasonOf(cause)}`);
    }
  };
  refuseDifference(
    recoverRun(stored, {
      ...{ inputs, redactor, discarded: null, whole: true },
      observer: {
        request: (request: EffectRequest) => {
          if (request.kind !== 'ask' && request.kind !== 'signal') requests.set(keyOf(request), request);
        },
        event: (event, activeMs) => {
          const why = whyUnplayable(event);
          if (why !== null) throw new RunRefused('wrong-use', why, AGAIN);
          // No two are equal, so that the order of outcomes is known.
          const now = (): number => (last = Math.round(Math.max(activeMs, last + 0.001) * 1000) / 1000);
          if (event.type === 'run_started') {
            const startedMs = isVirtual ? VIRTUAL_START : Date.parse(about.started_at);
            const worktree = event.worktree?.base ?? null;
            const origin = { program: about.machine, run: about.run_id, startedMs, worktree };
            const given = { inputs: event.inputs, printedInputs: event.printed };
            header = { ...origin, ...given, isComplete: false, isSuspended: false };
          }
          const record = event.type === 'effect_settled' ? recordOf(event, now) : sent.take(event, now);
          if (record !== null) records.push(record);
        },
      },
    }),
  );
  if (header === null) throw new RunRefused('unusable', 'the run has not begun', 'start it again');
  const texts = records as unknown as Json;
  const holdsSecret = redactor !== null && JSON.stringify(redactor.value(texts)) !== JSON.stringify(texts);
  return { header, records, holdsSecret };
}

const AGAIN = 'record a new run: `statedsl run FILE --record CASSETTE`';

/** Why a run that begins anew cannot repeat what this one did; null: it can. */
function whyUnplayable(event: RunEvent): string | null {
  switch (event.type) {
    case 'run_resumed':
      if (event.digest !== undefined) return 'the run continued in an edited program, which its cassette cannot repeat';
      return event.granted === undefined ? null : 'a step of the run got one more attempt than its program gives it';
    case 'run_cancelled':
      return 'the run was cancelled, which its cassette cannot repeat';
    case 'rollback_started':
      return 'the run was rolled back, which its cassette cannot repeat';
    default:
      return null;
  }
}

function keyOf({ effect, attempt }: { readonly effect: string; readonly attempt: number }): string {
  return `${effect} ${attempt}`;
}
