/** Refuses flags that have no effect on a run of an engine, because a person who writes one expects that it has. */
import type { ExitCode } from '../terminal/exit-code.js';
import { usageError } from '../terminal/usage-error.js';

/** The flags of the command line itself, not those of environment variables, as attributes of the options. */
export interface TypedFlags {
  readonly typed?: readonly string[];
  readonly on?: string;
}

const WORKER = 'leave it out: the worker decides, with the flags of `statedsl worker`';
const LIMITS = 'leave it out: limits are set when the run is submitted';
const LOCAL = 'leave it out: it is for runs that are executed here';

/** By their attributes, with the next step. A flag of this list that a command does not have is never typed. */
const UNUSED: Readonly<Record<string, string>> = {
  cwd: WORKER,
  jobs: WORKER,
  agent: WORKER,
  suspendAfter: 'leave it out: a run on an engine costs no process while it waits',
  only: LOCAL,
  mock: LOCAL,
  realTime: LOCAL,
  record: LOCAL,
  overwrite: LOCAL,
  cassette: LOCAL,
  cassetteMatch: LOCAL,
  cassetteDrift: LOCAL,
  resume: 'use `statedsl resume RUN --on URL`',
  replay: 'use `statedsl replay RUN --on URL`',
  from: 'use `statedsl replay RUN --from POINT --on URL`',
  again: LOCAL,
};
/** For a run that is on record already. */
const UNUSED_LATER: Readonly<Record<string, string>> = {
  ...UNUSED,
  input: LOCAL,
  fromFile:
    'execute it here from a point: `statedsl replay RUN --from POINT --from-file FILE --on none`, once `statedsl show RUN --on URL` has copied it',
  detach: 'leave it out: workers continue the run without being asked',
  inDoubt: 'leave it out: it is decided when the run is submitted',
  maxTransitions: LIMITS,
  timeout: LIMITS,
  maxCost: LIMITS,
  maxTokens: LIMITS,
  maxJournal: LIMITS,
  maxOutput: LIMITS,
};

/** What `replay` from a point has only for a run that it executes here. */
const HERE = 'execute it here: `--on none`, once `statedsl show RUN --on URL` has copied the run';
const ONLY_HERE = { input: HERE, fromFile: HERE, mock: HERE, realTime: HERE, cwd: HERE, agent: HERE } as const;

/** The same for `resume`, which may change limits and go back before a failure. */
export function unusedOnResume({ typed = [], on }: TypedFlags): Promise<ExitCode | null> {
  const { again: _, ...others } = UNUSED_LATER;
  const unused = Object.fromEntries(Object.entries(others).filter(([, why]) => why !== LIMITS));
  return report({ typed, ...(on === undefined ? {} : { on }) }, unused);
}

/** The same for `replay` from a point, which begins a new run with the settings of the old one. */
export function unusedOnReplay({ typed = [], on }: TypedFlags): Promise<ExitCode | null> {
  const unused = Object.fromEntries(
    Object.entries(UNUSED_LATER).filter(([name, why]) => why !== LIMITS && name !== 'from'),
  );
  return report({ typed, ...(on === undefined ? {} : { on }) }, { ...unused, ...ONLY_HERE });
}

/** Reports a flag of `serve` that has no effect if workers of an engine execute the runs; null if there is none. */
export function unusedOnService(flags: TypedFlags): Promise<ExitCode | null> {
  return report(flags, { runs: WORKER, jobs: WORKER, grace: 'leave it out: the service executes nothing' });
}

/** Reports a flag of `run` that has no effect on an engine; null if there is none. */
export function unusedOnSubmission(flags: TypedFlags): Promise<ExitCode | null> {
  return report(flags, UNUSED);
}

/** Reports a flag that has no effect on a run that an engine has; null if there is none. */
export function unusedOnRun({ typed = [], on }: TypedFlags): Promise<ExitCode | null> {
  // `--no-resume` only delivers.
  return report({ typed: typed.filter((one) => one !== 'resume'), ...(on === undefined ? {} : { on }) }, UNUSED_LATER);
}

async function report(
  { typed = [], on }: TypedFlags,
  unused: Readonly<Record<string, string>>,
): Promise<ExitCode | null> {
  const wrong = typed.find((one) => Object.hasOwn(unused, one));
  if (wrong === undefined) return null;
  const flag = `--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const why = typed.includes('on')
    ? '`--on`'
    : on === undefined
      ? 'a run on an engine'
      : 'an engine, which `STATEDSL_ON` or the configuration names';
  return usageError(`\`${flag}\` cannot be used with ${why}`, unused[wrong]);
}
