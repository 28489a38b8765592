/**
 * `statedsl answer`, `signal` and `cancel`: deliver answers, signals and cancellations to a run. A delivery is recorded
 * first. Then the run is resumed, unless another process is driving it and receives the delivery.
 */

import type { Json } from '../machine/expression.js';
import { passToProcess } from '../project/pass-to-process.js';
import { loadSettings } from '../project/settings.js';
import { programOf } from '../project/stored-program.js';
import { recordDelivery } from '../runtime/run/again/resume.js';
import type { ResumeOptions } from '../runtime/run/again/resume-options.js';
import { cancelStored } from '../runtime/run/cancel.js';
import type { Delivery } from '../runtime/store/inbox.js';
import { RunRefused } from '../runtime/store/run-refused.js';
import { requireOwnStore } from '../runtime/store/store-ownership.js';
import { findRunId, openStoredRun, storedMachine } from '../runtime/store/stored-run.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { commandLineHost } from './host.js';
import { type ResumeFlags, secretInputs } from './preparation/prepare-resume.js';
import { resumeRun } from './resume.js';
import { flagProblem, personName } from './running/drive-on-command-line.js';
import { undoLines } from './running/report-run.js';
import { refusalsAsErrors, storeOf } from './stored-runs.js';
import { stderr, stdout } from './streams.js';

interface DeliverFlags extends ResumeFlags {
  /** False for `--no-resume`: record only. */
  readonly resume?: boolean;
}

export async function answerCommand(name: string, answers: readonly string[], flags: DeliverFlags): Promise<ExitCode> {
  return deliverCommand(name, flags, () =>
    answers.map((answer) => {
      const equals = answer.indexOf('=');
      if (equals < 1)
        throw new RunRefused('wrong-use', `\`${answer}\` is not an answer`, 'write an answer as name=value');
      return { kind: 'answer', name: answer.slice(0, equals), value: answer.slice(equals + 1), by: personName() };
    }),
  );
}

export async function signalCommand(
  name: string,
  signal: string,
  payload: string | undefined,
  flags: DeliverFlags,
): Promise<ExitCode> {
  return deliverCommand(name, flags, () => {
    if (!/^[A-Za-z_]\w*$/.test(signal))
      throw new RunRefused('wrong-use', `\`${signal}\` cannot be the name of a signal`, 'use letters, digits and `_`');
    return [{ kind: 'signal', name: signal, payload: jsonOf(payload), by: personName() }];
  });
}

export async function cancelCommand(
  name: string,
  flags: Pick<DeliverFlags, 'dir' | 'json' | 'quiet'>,
): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const id = findRunId(storeOf(flags), name);
    const undo = await cancelStored(storeOf(flags), id, personName());
    const left = undo.length === 0 ? {} : { undo };
    if (flags.json)
      stdout.write(`${JSON.stringify({ run_id: id, status: 'failed', error: { kind: 'cancelled' }, ...left })}\n`);
    else if (!flags.quiet)
      stderr.write(
        [
          `cancelled  run ${id}`,
          ...undoLines({ run_id: id, ...left }, flags.dir === undefined ? [] : ['--dir', flags.dir]),
          '',
        ].join('\n'),
      );
    return EXIT.returned;
  });
}

async function deliverCommand(name: string, flags: DeliverFlags, read: () => Delivery[]): Promise<ExitCode> {
  const wrong = await flagProblem(flags);
  if (wrong !== null) return wrong;
  return refusalsAsErrors(async () => {
    const store = storeOf(flags);
    const id = findRunId(store, name);
    await requireOwnStore(store, id);
    const deliveries = read();
    try {
      if (flags.resume !== false) return await resumeRun(id, flags, deliveries);
      await recordDelivery(id, deliveries, await recordingOptions(id, flags));
    } catch (cause) {
      if (!(cause instanceof RunRefused) || cause.kind !== 'held') throw cause;
      passToProcess(id, deliveries, await recordingOptions(id, flags));
      if (!flags.quiet) stderr.write(`passed on to the process of run ${id}\n`);
      return EXIT.returned;
    }
    if (!flags.quiet) stderr.write(`recorded  run ${id}\n  resume with: statedsl resume ${id}\n`);
    return EXIT.returned;
  });
}

type RecordingOptions = Pick<ResumeOptions, 'inputs' | 'secrets'> & { readonly dir: string };

/** The options that recording a delivery needs: where the run is stored, and what is secret. */
async function recordingOptions(id: string, flags: DeliverFlags): Promise<RecordingOptions> {
  const stored = openStoredRun(storeOf(flags), id);
  const machine = storedMachine(stored, stored.about.digest);
  const { configuration } = await loadSettings(commandLineHost(), programOf(stored) ?? '-');
  const { values } = secretInputs(machine, flags, []);
  return { dir: storeOf(flags), inputs: values, secrets: configuration.secrets };
}

/** Parses JSON. Any other text is the value itself. */
function jsonOf(text: string | undefined): Json {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
