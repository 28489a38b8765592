/** `run --on`: the program is checked here, and workers of an engine execute it. */
import { EngineFailure } from '../../engine/client.js';
import type { Submission } from '../../engine/messages.js';
import { LABEL_PATIENCE_MS, type Placement } from '../../engine/routes.js';
import { parseDuration } from '../../machine/duration.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EngineConfiguration } from '../../runtime/configuration/configuration.js';
import { createRedactor } from '../../runtime/redact.js';
import { headerOf } from '../../runtime/run/header.js';
import { newRunId } from '../../runtime/run/run-id.js';
import { fixedOptions, type RunOptions, secretsOf } from '../../runtime/run/run-options.js';
import type { Prepared } from '../preparation/preparation.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage.js';
import { personName } from './drive-on-command-line.js';
import { clientOf, type EngineFlags, engineAccess, failuresAsErrors } from './engine-flags.js';
import { type FollowedRun, followOnCommandLine } from './follow-on-engine.js';
import { repeatedFlags } from './repeated-flags.js';
import type { RunFlags } from './run-flags.js';

/** The largest program that an engine gets, in characters of JSON. */
const MOST_PROGRAM = 4 * 1024 * 1024;
/** In a machine as JSON: an instruction, or a tool of a plan. */
const FUNCTION = /"(?:op|kind)":"function"/;
/** How long the engine and its workers may be starting. Milliseconds. */
const FIRST_PATIENCE_MS = 5000;
const PAUSE_MS = 250;
/** What the record has instead of the value of a secret input. */
const HIDDEN = '***';

type OnFlags = RunFlags & EngineFlags;

export async function startOnEngine(
  { machine, sources, inputs, variables, functions, configuration }: Prepared,
  flags: OnFlags,
  options: RunOptions,
): Promise<ExitCode> {
  const secrets = machine.inputs.filter((one) => one.secret === true && inputs.has(one.name)).map(({ name }) => name);
  const [secret] = secrets;
  if (secret !== undefined && (engineAccess().key ?? '') === '')
    return usageError(
      `the input \`${secret}\` is secret, and an engine stores the inputs of its runs`,
      `name a variable that the workers have: \`-i ${secret}=@env:NAME\`, or set \`STATEDSL_ENGINE_KEY\` here and there`,
    );
  const json = JSON.stringify(machine);
  const { length } = json;
  if (length > MOST_PROGRAM)
    return usageError(
      `the compiled program has ${length} characters of JSON, and an engine gets at most 4 MiB`,
      'read large texts from files while the program runs',
    );
  const redactor = createRedactor(secretsOf(machine, options));
  const startedAt = new Date().toISOString();
  const made = { runId: newRunId(), startedAt, redactor, fixed: fixedOptions(machine, options) };
  const header = headerOf(machine, options, made);
  const hidden = [...secrets, ...Object.keys(variables)];
  const submission: Submission = {
    header: { ...header, inputs: { ...header.inputs, ...Object.fromEntries(hidden.map((name) => [name, HIDDEN])) } },
    ...omitUndefined({
      functions: FUNCTION.test(json) ? functions : undefined,
      variables: Object.keys(variables).length === 0 ? undefined : variables,
      secretInputs:
        secrets.length === 0 ? undefined : Object.fromEntries(secrets.map((name) => [name, inputs.get(name) ?? null])),
    }),
    inDoubt: flags.inDoubt ?? 'fail',
    by: personName(),
    ...placementOf(configuration.engine ?? {}, flags),
  };
  return failuresAsErrors(async () => {
    await submit(submission, flags);
    const { runId } = made;
    const missing = waitingFor(submission, flags);
    if (!flags.detach) return followSubmitted({ runId, machine, sources, flags, from: 1, missing });
    const started = { run_id: runId, machine: machine.name, status: 'running' };
    stdout.write(flags.json ? `${JSON.stringify(started)}\n` : `${runId}\n`);
    return EXIT.returned;
  });
}

/** Which workers the run needs. */
function placementOf({ routes, patience, home }: EngineConfiguration, flags: OnFlags) {
  const patienceMs = patience === undefined ? null : parseDuration(patience);
  const placement: Placement = { routes: routes ?? {}, patienceMs: patienceMs ?? LABEL_PATIENCE_MS };
  return omitUndefined({ placement: routes === undefined ? undefined : placement, home: flags.home ?? home });
}

/** The run is on record, so a failure here is not one of the command line. */
async function followSubmitted(followed: FollowedRun): Promise<ExitCode> {
  const { runId, flags } = followed;
  try {
    return await followOnCommandLine(followed);
  } catch (cause) {
    if (!(cause instanceof EngineFailure)) throw cause;
    const words = ['statedsl show', runId, '--follow', ...repeatedFlags(flags)];
    await usageError(cause.message, `run \`${runId}\` is on record; follow it with: \`${words.join(' ')}\``);
    return EXIT.failed;
  }
}

function waitingFor({ home }: Pick<Submission, 'home'>, { on }: OnFlags): string {
  return `waiting for a worker of ${on}${home === undefined ? '' : ` with the home ${home}`}`;
}

/** Rejects with an `EngineFailure`. */
async function submit(submission: Submission, flags: OnFlags): Promise<void> {
  const client = clientOf(flags, FIRST_PATIENCE_MS);
  const waiting = setTimeout(() => {
    if (!flags.quiet) stderr.write(`${waitingFor({}, flags)}\n`);
  }, FIRST_PATIENCE_MS).unref();
  try {
    for (const end = Date.now() + FIRST_PATIENCE_MS; ; ) {
      try {
        return await client.submit(submission);
      } catch (cause) {
        // The first worker may be about to register.
        if (!(cause instanceof EngineFailure) || cause.kind !== 'no-service' || Date.now() > end) throw cause;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  } finally {
    clearTimeout(waiting);
  }
}
