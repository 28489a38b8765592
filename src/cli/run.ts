/** `statedsl run`: from a file and flags to a finished run, and from its report to an exit code. */
import { closeSync, openSync, readSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, extname, join, relative, resolve } from 'node:path';
import { parseDuration } from '../machine/duration.js';
import type { Limits } from '../machine/machine.js';
import type { AgentSettings } from '../runtime/agents/perform.js';
import type { AskHandler } from '../runtime/drive-options.js';
import type { Effects } from '../runtime/effects.js';
import { journalLine } from '../runtime/journal-line.js';
import type { RunReport } from '../runtime/report.js';
import { type RunOptions, run } from '../runtime/run.js';
import type { Paint } from '../views/paint.js';
import { announceStart, detach, isDetached } from './detach.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { type Interruption, onInterruption } from './interruption.js';
import { type Prepared, prepareRun } from './prepare-run.js';
import { gathered, type Progress, showProgress, silent } from './progress.js';
import { closingLines, exitCodeOf, returnedText } from './report-run.js';
import type { RunFlags } from './run-flags.js';
import { stderr, stdout } from './streams.js';
import { usageError } from './usage.js';

const STORE = '.statedsl';
/** Where nobody is watching, a longer wait gives the process back. */
const SUSPEND_UNATTENDED_MS = 10_000;
/** Enough of an artifact for the lines that are shown of it. */
const HEAD_BYTES = 8192;

export async function runCommand(file: string, flags: RunFlags): Promise<ExitCode> {
  if (flags.json && flags.events)
    return usageError('`--json` and `--events` both want standard output', 'choose one of them');
  if (flags.detach && flags.events)
    return usageError('`--events` shows a run while it happens, which `--detach` does not wait for');
  if (flags.detach && !flags.dryRun) return detach(flags.json === true, file === '-');
  const background = isDetached();
  const prepared = await prepareRun(file, flags);
  if ('code' in prepared) return prepared.code;
  if ('nothing' in prepared) return nothingToRun(prepared.nothing, flags);
  if (flags.dryRun) return dryRun(prepared, flags);
  return start(prepared, flags, background);
}

async function start(prepared: Prepared, flags: RunFlags, background: boolean): Promise<ExitCode> {
  let folder: string | null = null;
  const runDirectory = (): string | null => (folder === null ? null : relative(process.cwd(), folder) || folder);
  const head = (artifact: string): string | null =>
    folder === null ? null : headOf(join(folder, 'artifacts', artifact));
  const paint = await stderr.paint();
  const shown = !flags.quiet && !background;
  const asks = canAsk() && !background;
  const progress = shown ? await showProgress({ stream: stderr, paint, runDirectory, head, asks }) : silent;
  const kill = new AbortController();
  const interruption = onInterruption(
    (reason) => progress.line(paint.warning(`stopping (${reason}); once more to stop at once`)),
    () => kill.abort(),
  );
  // Like any program whose reader goes away: it ends, and says nothing about it.
  stdout.onBroken(() => {
    progress.end();
    interruption.interrupt('nobody reads the output any more');
  });
  const listening = listeners(progress, flags, shown);
  const report = await run(prepared.machine, {
    ...(await runOptions(prepared, flags, background)),
    ...listening.options,
    ...(asks ? { ask: asking(progress, interruption) } : {}),
    signal: interruption.signal,
    kill: kill.signal,
    onStart: (started) => {
      folder = started.folder;
      if (background) announceStart({ runId: started.runId, machine: prepared.machine.name });
    },
  });
  interruption.release();
  listening.flush();
  // A run that found no place to be kept in never was: there is nothing to close or to name.
  if (folder !== null) for (const line of closingLines(report, storeFlags(flags), paint)) progress.line(line);
  progress.end();
  // In the background only a run that never was has to be told here: it has no journal that could.
  if (!background || folder === null) await printReport(report, prepared, flags, paint);
  return exitCodeOf(report);
}

/** Where the run is kept, unless the next command finds it by itself. */
function storeFlags({ dir }: RunFlags): string[] {
  return dir === undefined || dir === process.env.STATEDSL_DIR ? [] : ['--dir', dir];
}

interface Listeners {
  readonly options: Pick<RunOptions, 'onEvent'>;
  readonly flush: () => void;
}

/** Nobody is called for events that nobody sees: then a run needs no record of them in memory. */
function listeners(progress: Progress, flags: RunFlags, shown: boolean): Listeners {
  if (!flags.events)
    return { options: shown ? { onEvent: (event) => progress.event(event) } : {}, flush: () => undefined };
  const lines = gathered((text) => stdout.write(text));
  return {
    options: {
      onEvent: (event, { seq, time }) => {
        lines.add(`${journalLine(event, seq, time)}\n`);
        progress.event(event);
      },
    },
    flush: lines.flush,
  };
}

async function runOptions(prepared: Prepared, flags: RunFlags, background: boolean): Promise<RunOptions> {
  const { configuration, mock, start: first } = prepared;
  const jobs = flags.jobs ?? configuration.defaults.jobs;
  const agents = { agents: configuration.agents, folder: configuration.folder, instead: flags.agent ?? {} };
  return {
    inputs: Object.fromEntries(prepared.inputs),
    dir: resolve(flags.dir ?? STORE),
    cwd: prepared.cwd,
    agents,
    limits: flagLimits(flags),
    effectTimeoutMs: flags.effectTimeout ?? null,
    suspendAfterMs: suspendAfter(flags, configuration.defaults.suspend_after, background),
    autoEvents: flags.autoEvents ?? false,
    secrets: configuration.secrets,
    sources: prepared.sources.filter(({ name }) => prepared.machine.files.includes(name)),
    // Looking up a name takes longer than a small run, and only an answer needs it.
    ...(canAsk() ? { person: personName() } : {}),
    ...(jobs === undefined ? {} : { jobs }),
    ...(first === null ? {} : { start: first }),
    ...(mock === null ? {} : { effects: await mocked(mock, agents) }),
  };
}

async function mocked(mock: NonNullable<Prepared['mock']>, agents: AgentSettings): Promise<Effects> {
  const [{ mockEffects }, { hostEffects }] = await Promise.all([
    import('../runtime/mock.js'),
    import('../runtime/effects.js'),
  ]);
  return mockEffects(mock, hostEffects({ agents }));
}

/** Limits that flags set; those of the program stay where a flag says nothing. */
function flagLimits(flags: RunFlags): Limits {
  return {
    ...(flags.maxTransitions === undefined ? {} : { transitions: flags.maxTransitions }),
    ...(flags.timeout === undefined ? {} : { timeMs: flags.timeout }),
    ...(flags.maxCost === undefined ? {} : { cost: flags.maxCost }),
    ...(flags.maxTokens === undefined ? {} : { tokens: flags.maxTokens }),
  };
}

/** A person at a terminal can wait; a machine's time is given back. */
function suspendAfter(flags: RunFlags, configured: string | undefined, background: boolean): number | null {
  if (flags.suspendAfter === 'never') return null;
  const chosen = flags.suspendAfter ?? (configured === undefined ? null : parseDuration(configured));
  if (chosen !== null) return chosen;
  const unattended = background || (process.env.CI !== undefined && !['', '0', 'false'].includes(process.env.CI));
  return unattended && !stderr.terminal ? SUSPEND_UNATTENDED_MS : null;
}

function asking(progress: Progress, interruption: Interruption): AskHandler {
  return async (question, signal) => {
    progress.pause();
    const { askOnTerminal } = await import('./ask.js');
    const reply = await askOnTerminal(question, signal);
    if (reply === 'interrupted') interruption.interrupt('SIGINT');
    return typeof reply === 'string' ? null : reply.answer;
  };
}

/** A person can be asked only where both ends of the conversation are a terminal. */
function canAsk(): boolean {
  return process.stdin.isTTY === true && stderr.terminal;
}

async function printReport(report: RunReport, { sources }: Prepared, flags: RunFlags, paint: Paint): Promise<void> {
  if (report.error !== null) {
    const { failureText } = await import('./failure-text.js');
    stderr.write(failureText(report.error, sources, paint));
  }
  if (flags.json) stdout.write(`${JSON.stringify(report)}\n`);
  else if (!flags.events) stdout.write(returnedText(report, stdout.terminal));
}

async function dryRun({ machine, inputs, start: first }: Prepared, flags: RunFlags): Promise<ExitCode> {
  const { drawDryRun, dryRunJson } = await import('../views/dry-run.js');
  const limits = { ...machine.limits, ...flagLimits(flags), effectTimeoutMs: flags.effectTimeout ?? null };
  const start = first?.state ?? machine.states[machine.initial]?.name ?? '';
  const dry = { machine, inputs, limits, start };
  stdout.write(flags.json ? `${JSON.stringify(dryRunJson(dry))}\n` : drawDryRun(dry, await stdout.paint()));
  return EXIT.returned;
}

/** A file of comments or declarations: there is no run, and so nothing is kept. */
function nothingToRun(name: string, flags: RunFlags): ExitCode {
  const report = {
    run_id: null,
    status: 'returned',
    machine: name === '<stdin>' ? 'stdin' : basename(name, extname(name)),
    state: null,
    states: [],
    returned: null,
    tracked: {},
    error: null,
    waiting: [],
    cost: 0,
    tokens: { in: 0, out: 0, cache_read: 0, cache_write: 0 },
    duration_ms: 0,
    effects: 0,
  };
  if (flags.json) stdout.write(`${JSON.stringify(report)}\n`);
  return EXIT.returned;
}

function headOf(path: string): string | null {
  let fd: number | null = null;
  try {
    fd = openSync(path, 'r');
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, HEAD_BYTES, 0));
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function personName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER ?? 'user';
  }
}
