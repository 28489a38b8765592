/** `statedsl trial`: runs a program with its real agents over cases, and says how often, at what price and how surely it passes. */
import { openPrograms, openRuns } from '../../app/open-runs.js';
import type { PrepareOptions, RunBounds } from '../../app/programs.js';
import type { PreparedProgram } from '../../app/project/preparation.js';
import { OperationRefused, type Result } from '../../app/result.js';
import { boundsBeforeStart, whyConfirm } from '../../app/run-bounds.js';
import { drawTrial } from '../../lab/trials/draw-trial.js';
import { readCases } from '../../lab/trials/read-cases.js';
import { plannedRuns, runTrial, type TrialEnd, type TrialVariant } from '../../lab/trials/run-trial.js';
import { trialReport } from '../../lab/trials/trial-report.js';
import type { Json } from '../../machine/expression.js';
import { callsAgents } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { newRunId } from '../../runtime/run/header.js';
import { digestOf } from '../../runtime/store/image.js';
import {
  type KeptTrial,
  type KeptVariant,
  keepTrial,
  readSlots,
  readTrial,
  trialFolder,
  trialIds,
} from '../../runtime/store/kept-trials.js';
import { lockRun, ownerText } from '../../runtime/store/run-lock.js';
import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import { dollars, duration } from '../../views/drawing/amounts.js';
import { boundWords } from '../../views/drawing/bound-words.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { isOutsideAllowed } from '../arguments/outside-option.js';
import { readNamedText } from '../files/command-line-host.js';
import { onInterruption, repeatedFlags } from '../running/drive-on-command-line.js';
import { refusalsAsErrors, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics, reportInvalid } from '../terminal/report-diagnostics.js';
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

const USUAL_COUNT = 10;
/** A longer wait parks the runs: usually an agent has reached the limit of its account. Milliseconds. */
const USUAL_WAIT_MS = 60_000;
/** Flags that decide what is compared: a resumed trial keeps them. */
const FIXED = ['cases', 'count', 'against', 'agent', 'machine', 'tools', 'cwd', 'worktree'] as const;

export async function trialCommand(file: string | undefined, flags: TrialFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const directory = storeOf(flags);
    if (flags.resume !== undefined) return resumeTrial(file, flags, directory);
    if (file === undefined) return usageError('there is no program to try', 'name one, or resume a trial: `--resume`');
    if (flags.cases === undefined)
      return usageError('a trial needs cases', 'name a file with them: `--cases cases.yaml`');
    if (flags.against !== undefined && flags.agent !== undefined)
      return usageError(
        '`--against` and `--agent` each name the other variant',
        'leave out one of them: a trial compares two variants',
      );
    const cases = readNamedText(flags.cases);
    if ('reason' in cases) return usageError(`cannot read \`${flags.cases}\`: ${cases.reason}`);
    const { machine, tools, cwd, worktree, count = USUAL_COUNT, against, agent, budget } = flags;
    const preparation = omitUndefined({ machine, tools, cwd, worktree }) as Readonly<Record<string, Json>>;
    const wanted: Omit<KeptVariant, 'digest'>[] = [{ name: file, program: file, agents: {} }];
    if (against !== undefined)
      wanted.push({ name: against === file ? `${against} (2)` : against, program: against, agents: {} });
    if (agent !== undefined) wanted.push({ name: agentsName(file, agent), program: file, agents: agent });
    const kept: KeptTrial = {
      statedsl_trial: 1,
      trial_id: newRunId(),
      folder: process.cwd(),
      started_at: new Date().toISOString(),
      variants: wanted.map((one) => ({ ...one, digest: '' })),
      cases: { name: flags.cases, text: cases.text },
      count,
      budget: budget ?? null,
      preparation,
    };
    return run(kept, flags, directory, true);
  }, flags);
}

const agentsName = (file: string, agents: Readonly<Record<string, string>>): string =>
  `${file} with ${Object.entries(agents)
    .map(([name, other]) => `${name}=${other}`)
    .join(', ')}`;

async function resumeTrial(file: string | undefined, flags: TrialFlags, directory: string): Promise<ExitCode> {
  if (file !== undefined) return usageError('a resumed trial keeps its program', `leave out \`${file}\``);
  const other = FIXED.find((name) => flags[name] !== undefined);
  if (other !== undefined)
    return usageError(`a resumed trial keeps its \`${other}\``, 'leave it out, or begin a new trial');
  const ids = trialIds(directory);
  const name = flags.resume === true ? ids[0] : flags.resume;
  const named = ids.filter((id) => name !== undefined && name !== '' && id.startsWith(name));
  const [id] = named;
  if (id === undefined || named.length > 1) {
    const what =
      name === undefined
        ? 'there is no trial'
        : `${id === undefined ? 'no trial' : 'more than one trial'} begins with \`${name}\``;
    const help = ids.length === 0 ? 'begin one: `statedsl trial FILE --cases FILE`' : `the latest is \`${ids[0]}\``;
    return usageError(`${what} in \`${directory}\``, help);
  }
  const kept = readTrial(directory, id);
  if (kept === null) return usageError(`another version of statedsl began trial \`${id}\``, 'begin a new trial');
  return run(flags.budget === undefined ? kept : { ...kept, budget: flags.budget }, flags, directory, false);
}

async function run(given: KeptTrial, flags: TrialFlags, directory: string, isNew: boolean): Promise<ExitCode> {
  const loaded = await loadVariants(given, flags, directory);
  if ('code' in loaded) return loaded.code;
  const { variants, digests } = loaded;
  const changed = isNew ? -1 : given.variants.findIndex(({ digest }, at) => digest !== digests[at]);
  if (changed >= 0)
    return usageError(
      `\`${given.variants[changed]?.name}\` has changed since the trial began`,
      'begin a new trial, or undo the change: runs of two programs cannot be counted together',
    );
  const kept: KeptTrial = {
    ...given,
    variants: given.variants.map((one, at) => ({ ...one, digest: digests[at] ?? '' })),
  };
  const slots = readSlots(directory, kept.trial_id);
  const open = plannedRuns(kept, variants).filter(({ slot }) => slots.get(slot)?.result == null);
  const refused = await confirm(
    open.map(({ variant, one }) => ({ variant: variants[variant] as TrialVariant, one })),
    kept,
    flags,
  );
  if (refused !== null) return refused;
  await requireOwnStore(directory);
  if (isNew) keepTrial(directory, kept);
  const attempt = lockRun(trialFolder(directory, kept.trial_id));
  if ('owner' in attempt)
    return usageError(
      `trial \`${kept.trial_id}\` is run by ${ownerText(attempt.owner)}`,
      'wait until it ends, or interrupt it',
    );
  try {
    if (!isNew) keepTrial(directory, kept);
    const end = await drive(kept, variants, flags, directory, open.length);
    const report = trialReport({
      directory,
      kept,
      cases: variants[0]?.compiled.cases ?? [],
      slots: readSlots(directory, kept.trial_id),
      end,
    });
    const next = ['statedsl trial', ...repeatedFlags(flags), '--resume', kept.trial_id].join(' ');
    stdout.write(flags.json ? `${JSON.stringify(report)}\n` : drawTrial(report, await stdout.paint(), next));
    if (end.status === 'interrupted') return EXIT.interrupted;
    if (end.status !== 'complete') return EXIT.suspended;
    const rate = report.variants.at(-1)?.rate ?? 0;
    return flags.min !== undefined && rate * 100 < flags.min ? EXIT.failed : EXIT.returned;
  } finally {
    attempt.lock.release();
  }
}

async function loadVariants(
  { variants: named, cases, preparation, folder, budget, trial_id: id, started_at }: KeptTrial,
  flags: TrialFlags,
  directory: string,
): Promise<{ variants: TrialVariant[]; digests: string[] } | { code: ExitCode }> {
  const variants: TrialVariant[] = [];
  for (const { name, program, agents } of named) {
    const trial = budget === null ? {} : { trial: { id, limit: budget, day: started_at.slice(0, 10) } };
    const options = { folder, dir: directory, allowOutside: isOutsideAllowed(), agents, ...trial };
    const prepared = (await openPrograms(options).prepare(program, preparation as PrepareOptions)) as Result<
      PreparedProgram & { readonly warnings: readonly Parameters<typeof printFindings>[0][] }
    >;
    if (!prepared.ok) throw new OperationRefused(prepared.refusal);
    for (const findings of prepared.value.warnings) await printFindings(findings, flags);
    const read = await readCases(cases, prepared.value.machine, named.length > 1 ? name : null);
    if (read.compiled === null) return reportInvalid(read.diagnostics, [...read.sources], flags);
    variants.push({ name, runs: openRuns(options), program: prepared.value, compiled: read.compiled });
  }
  return { variants, digests: variants.map(({ program }) => digestOf(program.machine)) };
}

function printFindings(
  {
    diagnostics,
    sources,
  }: { diagnostics: Parameters<typeof printDiagnostics>[0]; sources: Parameters<typeof printDiagnostics>[1] },
  flags: TrialFlags,
): Promise<void> {
  return printDiagnostics(diagnostics, sources, flags);
}

/** A trial loses at most about as long before its first call as a run does. Milliseconds. */
const COUNTING_MS = 150;

/** Says what the runs call and cost at most. An exit code: somebody has to confirm it first. */
async function confirm(
  open: readonly { variant: TrialVariant; one: { inputs: Readonly<Record<string, Json>> } }[],
  { budget }: KeptTrial,
  flags: TrialFlags,
): Promise<ExitCode | null> {
  const paid = open.filter(({ variant }) => callsAgents(variant.program.machine));
  if (paid.length === 0) return null;
  const bound = await boundOf(paid);
  const limited = budget === null || bound.cost === null ? bound : { ...bound, cost: Math.min(bound.cost, budget) };
  const { confirm_above } = paid[0]?.variant.program.configuration ?? {};
  const asked = limited.cost === null && budget !== null ? { ...limited, cost: budget } : limited;
  const why = flags.yes === true || confirm_above === undefined ? null : whyConfirm(asked, confirm_above);
  if (why !== null) return usageError(`nothing was started: ${why}`, 'add `--yes` to start it');
  const within = budget === null ? '' : `, within a budget of ${dollars(budget)}`;
  if (flags.quiet !== true) stderr.write(`${visibleLine(`${open.length} runs: ${boundWords(limited)}${within}`)}\n`);
  return null;
}

async function boundOf(paid: Parameters<typeof confirm>[0]): Promise<RunBounds> {
  const begun = performance.now();
  const known = new Map<unknown, RunBounds | null>();
  let sum: RunBounds = { calls: 0, cost: 0, agents: [] };
  for (const { variant, one } of paid) {
    let found = known.get(one);
    if (found === undefined) {
      if (performance.now() - begun > COUNTING_MS)
        return { calls: null, cost: null, agents: [], problem: 'not computed' };
      const { machine, configuration, instead } = variant.program;
      found = await boundsBeforeStart(machine, { ...one, configuration, instead });
      known.set(one, found);
    }
    if (found === null) continue;
    if (found.calls === null || found.problem !== undefined) return found;
    const cost = sum.cost === null || found.cost === null ? null : sum.cost + found.cost;
    sum = { ...sum, calls: (sum.calls ?? 0) + found.calls, cost };
  }
  return sum;
}

async function drive(
  kept: KeptTrial,
  variants: readonly TrialVariant[],
  flags: TrialFlags,
  directory: string,
  open: number,
): Promise<TrialEnd> {
  const kill = new (await import('../../runtime/stop-signal.js')).Stopper();
  const paint = await stderr.paint();
  const interruption = onInterruption(
    (reason) => stderr.write(`${paint.warning(`stopping (${reason}); interrupt again to stop at once`)}\n`),
    () => kill.abort(),
  );
  let judged = 0;
  const { suspendAfter } = flags;
  try {
    return await runTrial({
      directory,
      kept,
      variants,
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
          `${judged}/${open}  ${visibleLine(one.name)} ${repetition}/${kept.count}${of} ${verdict} (${duration(time_ms)}${spent})${why}\n`,
        );
      },
    });
  } finally {
    interruption.release();
  }
}
