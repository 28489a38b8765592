/** The program of a submission, as every turn of its run executes it. */
import { link } from '../interpreter/run.js';
import { createRedactor } from '../runtime/redact.js';
import { interpreterOptions } from '../runtime/run/run-options.js';
import type { Submission } from './messages.js';
import { NO_ROUTES } from './messages.js';
import { type SecretInputs, secretsIn } from './secret-inputs.js';
import type { Program } from './turn-host.js';

/** `secretInputs`: what the header does not have. */
export function programOf(submission: Submission, secretInputs: SecretInputs = {}): Program {
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
    secrets,
    redactor: createRedactor(secrets),
    home: submission.home ?? null,
    worktree: submission.worktree ?? null,
  };
}
