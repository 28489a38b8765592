/** `statedsl notify --flush`: sends the notices that wait on disk. */
import { refuse, unwrap } from '../../app/result.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type Configuration, loadConfiguration } from '../../runtime/configuration/load-configuration.js';
import { targetList } from '../../runtime/notifications/notices.js';
import { noticeSender } from '../../runtime/notifications/notifier.js';
import { type SentNotices, sendNotices } from '../../runtime/notifications/send-notices.js';
import { countOf } from '../../views/drawing/amounts.js';
import { engineAccess } from '../running/engine-flags.js';
import { refusalsAsErrors, reportRefusal, type StoreFlags, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

interface NotifyFlags extends StoreFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Receivers that do not answer in this time keep their notices for later. Milliseconds. */
const SENDING_MS = 8000;

/** Those of an engine. Rejects with an `OperationRefused`. */
async function flushEngine(
  { on, namespace }: NotifyFlags & { readonly on: string },
  { notify, folder }: Configuration,
): Promise<SentNotices> {
  const { flushEngineNotices } = await import('../../engine/runs/notices-on-engine.js');
  const engine = { on, ...omitUndefined({ namespace }), ...engineAccess() };
  return unwrap(
    await flushEngineNotices(
      engine,
      { targets: targetList(notify), send: noticeSender(folder ?? process.cwd()) },
      SENDING_MS,
    ),
  );
}

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
    const folder = process.cwd();
    const sent =
      flags.on === undefined
        ? await sendNotices(storeOf(flags), { configuration, folder, mostMs: SENDING_MS, isAll: true })
        : await flushEngine({ ...flags, on: flags.on }, configuration);
    if (flags.json) stdout.write(`${JSON.stringify(sent)}\n`);
    else for (const one of sent.problems) stderr.write(`${one}\n`);
    if (!flags.json && !flags.quiet)
      stderr.write(sent.left === 0 ? 'no notice is left\n' : `${countOf(sent.left, 'notice')} left for later\n`);
    return sent.problems.length === 0 ? EXIT.returned : EXIT.failed;
  });
}
