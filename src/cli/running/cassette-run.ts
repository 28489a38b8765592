/** `run --record` and `run --cassette`: a run whose outcomes are written to a file, or come from one. */
import { resolve } from 'node:path';
import { namedBoundary } from '../../app/project/read-program.js';
import { problemDiagnostics } from '../../app/project/settings.js';
import { sourceFile } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { writeAgentOutput } from '../../runtime/agents/perform.js';
import type { Cassette } from '../../runtime/cassette/cassette.js';
import { type CassetteAdvice, type CassetteProblem, CassetteWorld } from '../../runtime/cassette/cassette-world.js';
import { readCassette } from '../../runtime/cassette/read-cassette.js';
import { type CassetteRecorder, createRecorder, whyNoRecording } from '../../runtime/cassette/recorder.js';
import type { Effects } from '../../runtime/effect-context.js';
import { hostEffects } from '../../runtime/effects.js';
import { createRedactor } from '../../runtime/redact.js';
import { type RunOptions, secretsOf } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { Stopper } from '../../runtime/stop-signal.js';
import { VirtualTime } from '../../runtime/virtual-time.js';
import { escapeControls } from '../../views/drawing/visible-text.js';
import { commandLineHost, whyNamedRefused } from '../files/command-line-host.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { reportInvalid, withoutSecrets } from '../terminal/report-diagnostics.js';
import { stderr } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import type { RunFlags } from './run-flags.js';

const RECORD = 'record it again with `--record FILE --overwrite`';
const ADVICE: CassetteAdvice = {
  missing: RECORD,
  drift: `${RECORD}, or accept it with \`--cassette-drift warn\``,
};

export interface TapedRun {
  readonly options: Partial<RunOptions>;
  /** What the run uses in addition to its options. */
  readonly wrap: (options: RunOptions) => Partial<RunOptions>;
  /** After the run: completes the cassette or reports what is different. `code`: of the run. */
  readonly finish: (report: RunReport | null, code: ExitCode) => Promise<ExitCode>;
}

/** Everything that can be wrong with a cassette is reported here, before anything runs. */
export async function prepareTaped(
  machine: Machine,
  flags: RunFlags,
  options: RunOptions,
): Promise<TapedRun | { readonly code: ExitCode }> {
  const redactor = createRedactor(secretsOf(machine, options));
  if (flags.record !== undefined) {
    const file = resolve(flags.record);
    const boundary = namedBoundary(commandLineHost());
    const why = whyNoRecording(file, flags.overwrite === true, boundary);
    if (why !== null)
      return {
        code: await usageError(
          `cannot record to \`${flags.record}\`: ${why}`,
          why === 'it exists' ? 'add `--overwrite` to replace it' : 'choose another file',
        ),
      };
    const overwrite = flags.overwrite === true;
    const time = options.time ?? null;
    return recordedRun(
      await createRecorder({ file, program: machine.name, redactor, time, overwrite, boundary }),
      flags,
    );
  }
  const name = flags.cassette ?? '';
  const refused = whyNamedRefused(name);
  if (refused !== null) return { code: await usageError(`cannot read \`${name}\`: ${refused}`) };
  const read = await readCassette(resolve(name), name, redactor);
  if ('cassette' in read) return playedRun(read.cassette, flags);
  const { diagnostics, sources } = problemDiagnostics(commandLineHost(), 'cassette', read.problems);
  // A message quotes the line that it is about.
  const shown = sources.map(({ name, text }) => sourceFile(name, redactor?.mask(text) ?? text));
  return reportInvalid(withoutSecrets(diagnostics, redactor), shown, flags);
}

function recordedRun(recorder: CassetteRecorder, flags: RunFlags): TapedRun {
  return {
    options: {},
    wrap: (options) => ({
      effects: recorder.wrap(options.effects ?? hostEffects(hostOptions(options))),
      onStart: (started) => {
        recorder.begins(started.runId);
        options.onStart?.(started);
      },
      onEvent: (event, position, whole) => {
        recorder.note(whole ?? event);
        options.onEvent?.(event, position, whole);
      },
    }),
    async finish(report, code) {
      const problem = recorder.finish(report?.status ?? 'interrupted');
      if (problem === null) {
        if (flags.quiet !== true && recorder.count > 0) stderr.write(`recorded to ${flags.record}\n`);
        return code;
      }
      const wrong = await usageError(`cannot record to \`${flags.record}\`: ${problem.message}`);
      return problem.isSecret || code === EXIT.returned ? wrong : code;
    },
  };
}

function hostOptions({ env, commands, agents, mcp, readable }: RunOptions) {
  return { env, commands, mcp, readable, agents: { agents: {}, folder: null, instead: {}, ...agents } };
}

function playedRun(cassette: Cassette, flags: RunFlags): TapedRun {
  const problems: CassetteProblem[] = [];
  const stopping = new Stopper();
  const stop = (problem: CassetteProblem): void => {
    problems.push(problem);
    stopping.abort('what the run asks for is not in the cassette');
  };
  const time = new VirtualTime(cassette.startedMs, () =>
    stop({ message: 'the run waits for something that had no outcome in the recorded run' }),
  );
  const world = new CassetteWorld({
    cassette,
    match: flags.cassetteMatch ?? 'path',
    drift: flags.cassetteDrift ?? 'fail',
    time,
    host: hostEffects(),
    advice: ADVICE,
    continues: false,
    others: null,
    onProblem: stop,
  });
  return {
    options: {
      effects: writingAnswers(world),
      time,
      ...(flags.suspendAfter === undefined ? { suspendAfterMs: null } : {}),
      ...omitUndefined({ worktreeBase: cassette.worktree ?? undefined }),
    },
    wrap: ({ signal }) => {
      signal?.addEventListener('abort', () => stopping.abort(signal.reason));
      return { ask: world.ask, signal: stopping.signal };
    },
    async finish(report, code) {
      if (report !== null && report.status !== 'interrupted') problems.push(...world.listUnused());
      for (const problem of world.warnings) await print('warning', problem);
      for (const problem of problems) await print('error', problem);
      return problems.length > 0 ? EXIT.failed : code;
    },
  };
}

/** An agent may have to leave its answer in a file, which a person expects to find after the run. */
function writingAnswers(world: Effects): Effects {
  return {
    async perform(request, context) {
      const outcome = await world.perform(request, context);
      if (request.kind !== 'agent' || request.output === null) return outcome;
      return writeAgentOutput(request.output, outcome, request.directory ?? context.cwd);
    },
  };
}

async function print(
  severity: 'error' | 'warning',
  { message, difference = [], help }: CassetteProblem,
): Promise<void> {
  const paint = await stderr.paint();
  stderr.write(`${paint[severity](severity)}${paint.strong(`: ${escapeControls(message)}`)}\n`);
  for (const line of difference) stderr.write(`  ${escapeControls(line)}\n`);
  if (help !== undefined) stderr.write(`  = ${paint.strong('help:')} ${escapeControls(help)}\n`);
}
