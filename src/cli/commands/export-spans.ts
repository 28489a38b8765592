/** `statedsl export otel`: the spans of stored runs, sent to a receiver or printed. */
import { spansOfRun } from '../../app/folder/spans-of-run.js';
import { loadSettings } from '../../app/project/settings.js';
import { traceRequest } from '../../runtime/trace/otlp.js';
import { postAll } from '../../runtime/trace/send-spans.js';
import { traceOptions } from '../../runtime/trace/trace-options.js';
import { commandLineHost } from '../files/command-line-host.js';
import { refusalsAsErrors, reportRefusal, runsOf, type StoreFlags, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { reportInvalid } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface SpanFlags extends StoreFlags {
  /** Prints the request instead of sending it. */
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export async function exportSpans(names: readonly string[], flags: SpanFlags): Promise<ExitCode> {
  const { configuration, diagnostics, sources } = await loadSettings(commandLineHost(), '-');
  if (diagnostics.length > 0) return (await reportInvalid(diagnostics, sources, flags)).code;
  const options = traceOptions(process.env, configuration.otel, '');
  const { endpoint = null, prompts = false } = options ?? {};
  if (endpoint === null && flags.json !== true)
    return usageError(
      'no receiver of spans is configured',
      'set OTEL_EXPORTER_OTLP_ENDPOINT, for example to http://localhost:4318, or print them with `--json`',
    );
  return refusalsAsErrors(async () => {
    const runs = await runsOf(flags);
    for (const name of names.length === 0 ? [null] : names) {
      // Of a run on an engine, this makes the copy that is read.
      const found = flags.on === undefined ? await runs.find(name) : await foundCopy(runs, name);
      if (!found.ok) return reportRefusal(found.refusal);
      const { run_id } = found.value;
      const spans = spansOfRun(storeOf(flags), run_id, prompts);
      if (flags.json === true || endpoint === null) {
        const resource = endpoint?.resource ?? { 'service.name': 'statedsl' };
        stdout.write(`${JSON.stringify(traceRequest(spans, resource))}\n`);
        continue;
      }
      const problem = await postAll(endpoint, spans);
      const { origin, pathname } = new URL(endpoint.url);
      if (problem !== null) {
        await usageError(
          `the spans of run \`${run_id}\` were not sent to ${origin}${pathname}: ${problem.message}`,
          'sending them again later is safe: the spans of a run are always the same',
        );
        return EXIT.failed;
      }
      if (flags.quiet !== true) {
        const count = spans.length === 1 ? '1 span' : `${spans.length} spans`;
        stderr.write(`sent ${count} of run ${run_id} to ${origin}${pathname}\n`);
      }
    }
    return EXIT.returned;
  });
}

async function foundCopy(runs: Awaited<ReturnType<typeof runsOf>>, name: string | null) {
  const shown = await runs.inspect(name);
  return shown.ok ? { ok: true as const, value: { run_id: shown.value.run_id } } : shown;
}
