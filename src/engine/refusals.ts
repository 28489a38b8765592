/** What the object of a run refuses before anything is on record: programs, submitters and answers that do not fit. */
import type { OpenWait } from '../interpreter/run.js';
import { RUN_FORMAT } from '../machine/machine.js';
import { address, checkSendable, checkUntaken } from '../runtime/run/apply-delivery.js';
import { digestOf, type Image, otherFormatOf } from '../runtime/store/image.js';
import type { Delivery } from '../runtime/store/inbox.js';
import { RunRefused } from '../runtime/store/store-error.js';
import { VERSION } from '../runtime/version.js';
import { EngineRefusal } from './engine-context.js';
import type { Head, Mail, Submission } from './messages.js';
import { variableProblem } from './secret-inputs.js';
import type { TurnHost } from './turn-host.js';
import { bytesOf, MOST_MAIL, MOST_VALUE } from './turn-record.js';
import { unpackDelivery } from './value-codec.js';

/** What the worker that accepts a submission requires. */
export type WorkerRules = Pick<TurnHost, 'environment' | 'submitters' | 'functions' | 'remember' | 'shared'>;

/** A machine that is submitted is code. Only one that this version reads, and that is whole, is executed. */
export function refuseUnfit(key: string, { header }: Submission): void {
  const { runId } = header;
  if (runId !== key) throw new EngineRefusal(400, `run \`${runId}\` was submitted as \`${key}\``);
  const problem = machineProblem(header);
  if (problem !== null) throw new EngineRefusal(400, problem);
}

/** Why this version cannot execute the machine of a submission; null: it can. */
export function machineProblem({ runId, machine, digest, version }: Submission['header']): string | null {
  if (machine.version !== RUN_FORMAT)
    return `the program was compiled by statedsl ${version}, which writes format ${machine.version}; this worker reads format ${RUN_FORMAT}`;
  return digestOf(machine) === digest ? null : `the digest of the program of run \`${runId}\` does not match it`;
}

/** An image is of one program, and of one version of statedsl. `about`: null if the run has none. */
export function refuseImage(key: string, about: Submission | null, image: Image): void {
  if (image.digest !== about?.header.digest)
    throw new EngineRefusal(400, `run \`${key}\` is resumed in another program than its own`);
  const format = otherFormatOf(image);
  if (format !== null)
    throw new EngineRefusal(
      400,
      `the image to resume run \`${key}\` from has format ${format}, which the workers, statedsl ${VERSION}, cannot read`,
    );
}

/** Workers with a name may have other variables and other rules. */
export function refuseSubmission(submission: Submission, { environment, submitters, functions }: WorkerRules): void {
  if (submission.home !== undefined) return;
  if (!maySubmit(submission, submitters))
    throw new EngineRefusal(403, `the workers execute no programs of ${submission.by}`);
  if (submission.functions !== undefined && submission.functions !== functions)
    throw new EngineRefusal(400, 'the program needs the functions of another `engine.commands` than the workers have');
  const problem = variableProblem(submission, environment);
  if (problem === null) return;
  const { variable, isMissing, reason } = problem;
  throw new EngineRefusal(
    400,
    isMissing
      ? `no worker has the variable \`${variable}\`, from which a secret input is to be read`
      : `the variable \`${variable}\` of the workers cannot be used: ${reason}`,
  );
}

/**
 * An image is as good as a program. Workers with a name may have other rules, and accept at least who submitted the run.
 * `about`: null if the run has none, which is refused elsewhere.
 */
export function refuseResumer(about: Submission | null, by: string, { submitters }: WorkerRules): void {
  if (about?.home === undefined) {
    if (!maySubmit({ by }, submitters)) throw new EngineRefusal(403, `the workers execute no programs of ${by}`);
  } else if (!maySubmit({ by }, [nameOf(about.by), ...(submitters ?? [])]))
    throw new EngineRefusal(
      403,
      `run \`${about.header.runId}\` belongs to the home \`${about.home}\`, so only ${nameOf(about.by)} can resume it, who submitted it`,
    );
}

/** The engine keeps what was sent to a run until a turn receives it. */
export function refuseLarge({ mail }: Pick<Head, 'mail'>, deliveries: readonly Delivery[]): void {
  const sent = bytesOf(deliveries);
  if (sent > MOST_VALUE) throw new EngineRefusal(400, 'what is sent to a run on an engine can have at most 4 MiB');
  if (bytesOf(mail) + sent > MOST_MAIL)
    throw new EngineRefusal(
      409,
      'the run has not received what was sent before, which has almost 4 MiB; send it later',
    );
}

/**
 * Answers must fit an open question that has none yet, exactly as those to a run on disk. `questions`: null if the run has not
 * said yet what it asks. `mail`: what it may not have received. Returns the deliveries with the ids of their questions.
 */
export function refuseUnexpected(
  questions: readonly OpenWait[] | null,
  deliveries: readonly Delivery[],
  mail: readonly Mail[],
): readonly Delivery[] {
  try {
    checkSendable(deliveries);
    const earlier = mail.flatMap(({ delivery }) => (delivery.kind === 'freed' ? [] : [delivery]));
    if (questions === null) {
      checkUntaken(deliveries, earlier);
      return deliveries;
    }
    const addressed = address(questions, deliveries.map(unpackDelivery), earlier.map(unpackDelivery));
    return deliveries.map((one, at) => {
      const named = addressed[at] as Delivery;
      return 'value' in one && 'value' in named ? { ...named, value: one.value } : one;
    });
  } catch (cause) {
    if (!(cause instanceof RunRefused)) throw cause;
    throw new EngineRefusal(409, cause.help === null ? cause.message : `${cause.message}: ${cause.help}`);
  }
}

const MARK = ' (unverified)';

/** The client's word, marked. */
export function markUnverified(name: string): string {
  return name.endsWith(MARK) ? name : `${name}${MARK}`;
}

/** `submitters`: null allows everybody. Names count as much as the proxy that is in front of the engine. */
export function maySubmit({ by }: Pick<Submission, 'by'>, submitters: readonly string[] | null): boolean {
  return submitters === null || submitters.includes(nameOf(by));
}

/** Without the mark. */
function nameOf(by: string): string {
  return by.endsWith(MARK) ? by.slice(0, -MARK.length) : by;
}
