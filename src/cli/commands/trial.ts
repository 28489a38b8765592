/** `statedsl trial`: runs a program with its real agents over cases, and says how often, at what price and how surely it passes. */
import { unwrap } from '../../app/result.js';
import { drawTrial } from '../../lab/trials/draw-trial.js';
import type { TrialReport } from '../../lab/trials/trial-report.js';
import { type ReadyTrial, Trials } from '../../lab/trials/trials.js';
import type { SourceSet } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { dollars, duration } from '../../views/drawing/amounts.js';
import { boundWords } from '../../views/drawing/bound-words.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { isOutsideAllowed } from '../arguments/outside-option.js';
import { readNamedText } from '../files/command-line-host.js';
import { onInterruption, repeatedFlags } from '../running/drive-on-command-line.js';
import { letIn, refusalsAsErrors, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

export interface TrialFlags {
  readonly cases?: string;
  readonly count?: number;
  readonly jobs?: number;
  /** US dollars. */
  readonly budget?: number;
  readonly against?: string;
  readonly agent?: Readonly<Record<string, string>>;
  /** The trial to resume; true: the latest. */
  readonly resume?: string | true;
  /** Per cent. */
  readonly min?: number;
  readonly machine?: string;
  readonly tools?: string;
  readonly cwd?: string;
  readonly worktree?: boolean;
  /** Milliseconds. */
  readonly suspendAfter?: number | 'never';
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly dir?: string;
  /** The flags that were typed, as attributes. */
  readonly typed?: readonly string[];
}

/** A longer wait parks the runs: usually an agent has reached the limit of its account. Milliseconds. */
const USUAL_WAIT_MS = 60_000;
/** Flags that decide what is compared: a resumed trial keeps them. */
const FIXED = ['cases', 'count', 'against', 'agent', 'machine', 'tools', 'cwd', 'worktree'] as const;

export async function trialCommand(file: string | undefined, flags: TrialFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const trials = new Trials({
      folder: process.cwd(),
      directory: storeOf(flags),
      allowOutside: isOutsideAllowed(),
      onDebugger: letIn,
    });
    const ready =
      flags.resume === undefined ? await begin(trials, file, flags) : await continueTrial(trials, file, flags);
    return typeof ready === 'number' ? ready : run(trials, ready, flags);
  }, flags);
}

async function begin(trials: Trials, file: string | undefined, flags: TrialFlags): Promise<ReadyTrial | ExitCode> {
  if (file === undefined) return usageError('there is no program to try', 'name one, or resume a trial: `--resume`');
  if (flags.cases === undefined)
    return usageError('a trial needs cases', 'name a file with them: `--cases cases.yaml`');
  const cases = readNamedText(flags.cases);
  if ('reason' in cases) return usageError(`cannot read \`${flags.cases}\`: ${cases.reason}`);
  const { machine, tools, cwd, worktree, count, against, agent: agents, budget } = flags;
  const preparation = omitUndefined({ machine, tools, cwd, worktree }) as Readonly<Record<string, Json>>;
  const named = { name: flags.cases, text: cases.text };
  return unwrap(await trials.prepare({ program: file, cases: named, count, against, agents, budget, preparation }));
}

async function continueTrial(
  trials: Trials,
  file: string | undefined,
  flags: TrialFlags,
): Promise<ReadyTrial | ExitCode> {
  if (file !== undefined) return usageError('a resumed trial keeps its program', `leave out \`${file}\``);
  const other = FIXED.find((name) => flags[name] !== undefined);
  if (other !== undefined)
    return usageError(`a resumed trial keeps its \`${other}\``, 'leave it out, or begin a new trial');
  return unwrap(await trials.resume(flags.resume === true ? null : (flags.resume ?? null), flags.budget));
}

async function run(trials: Trials, ready: ReadyTrial, flags: TrialFlags): Promise<ExitCode> {
  const { kept, warnings, bound, unconfirmed, open } = ready;
  for (const { diagnostics, sources } of warnings) await printDiagnostics(diagnostics, sources as SourceSet, flags);
  if (unconfirmed !== null && flags.yes !== true)
    return usageError(`nothing was started: ${unconfirmed}`, 'add `--yes` to start it');
  const within = kept.budget === null ? '' : `, within a budget of ${dollars(kept.budget)}`;
  if (bound !== null && flags.quiet !== true)
    stderr.write(`${visibleLine(`${open.length} runs: ${boundWords(bound)}${within}`)}\n`);
  unwrap(await trials.keep(ready));
  const report = await drive(trials, ready, flags);
  const next = ['statedsl trial', ...repeatedFlags(flags), '--resume', kept.trial_id].join(' ');
  stdout.write(flags.json ? `${JSON.stringify(report)}\n` : drawTrial(report, await stdout.paint(), next));
  if (report.status === 'interrupted') return EXIT.interrupted;
  if (report.status !== 'complete') return EXIT.suspended;
  const rate = report.variants.at(-1)?.rate ?? 0;
  return flags.min !== undefined && rate * 100 < flags.min ? EXIT.failed : EXIT.returned;
}

async function drive(trials: Trials, ready: ReadyTrial, flags: TrialFlags): Promise<TrialReport> {
  const { kept, variants, open } = ready;
  const kill = new (await import('../../runtime/stop-signal.js')).Stopper();
  const paint = await stderr.paint();
  const interruption = onInterruption(
    (reason) => stderr.write(`${paint.warning(`stopping (${reason}); interrupt again to stop at once`)}\n`),
    () => kill.abort(),
  );
  let judged = 0;
  const { suspendAfter } = flags;
  try {
    const result = await trials.execute(ready, {
      jobs: flags.jobs ?? 1,
      signal: interruption.signal,
      kill: kill.signal,
      suspendAfterMs: suspendAfter === 'never' ? null : (suspendAfter ?? USUAL_WAIT_MS),
      onJudged({ one, repetition, variant }, { passed, cost, time_ms, failures: [failure] }) {
        judged++;
        if (flags.quiet === true) return;
        const of = variants.length > 1 ? ` of ${visibleLine(variants[variant]?.name ?? '')}` : '';
        const verdict = passed ? paint.success('passed') : paint.error('failed');
        const why = failure === undefined ? '' : `: EXPECT: ${visibleLine(failure.expect)}`;
        const spent = cost === 0 ? '' : `, ${cost === null ? 'cost unknown' : dollars(cost)}`;
        stderr.write(
          `${judged}/${open.length}  ${visibleLine(one.name)} ${repetition}/${kept.count}${of} ${verdict} (${duration(time_ms)}${spent})${why}\n`,
        );
      },
    });
    return unwrap(result);
  } finally {
    interruption.release();
  }
}
