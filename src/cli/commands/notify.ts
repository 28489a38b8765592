/** `statedsl notify --flush`: sends the notices that wait on disk. */
import { refuse } from '../../app/result.js';
import { loadConfiguration } from '../../runtime/configuration/load-configuration.js';
import { sendNotices } from '../../runtime/notifications/send-notices.js';
import { countOf } from '../../views/drawing/amounts.js';
import { refusalsAsErrors, reportRefusal, type StoreFlags, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

interface NotifyFlags extends StoreFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Receivers that do not answer in this time keep their notices for later. Milliseconds. */
const SENDING_MS = 8000;

export function notifyCommand(flags: NotifyFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const { configuration, problems } = await loadConfiguration(process.cwd());
    const [problem] = problems;
    if (problem !== undefined)
      return reportRefusal(refuse('wrong-use', problem.message, problem.help ?? 'correct the configuration').refusal);
    if (configuration.notify === undefined)
      return reportRefusal(
        refuse('wrong-use', 'the configuration has no `notify`', 'name the receivers in statedsl.config.yaml').refusal,
      );
    const sent = await sendNotices(storeOf(flags), {
      configuration,
      folder: process.cwd(),
      mostMs: SENDING_MS,
      isAll: true,
    });
    if (flags.json) stdout.write(`${JSON.stringify(sent)}\n`);
    else for (const one of sent.problems) stderr.write(`${one}\n`);
    if (!flags.json && !flags.quiet)
      stderr.write(sent.left === 0 ? 'no notice is left\n' : `${countOf(sent.left, 'notice')} left for later\n`);
    return sent.problems.length === 0 ? EXIT.returned : EXIT.failed;
  });
}
