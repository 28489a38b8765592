/** The run of a session: executed by this process, or executed again from its record; and how it moves through time. */
import { dirname, resolve } from 'node:path';
import type { ContinuedOptions } from '../../app/folder/continued-options.js';
import { replayStored } from '../../app/folder/execute-stored.js';
import { type StartingOptions, startIn } from '../../app/folder/start-in-folder.js';
import { type FolderOptions, hostOf, storeOf } from '../../app/programs.js';
import { type DebuggedProgram, debugPrepared } from '../../app/project/debugged-program.js';
import type { PreparedProgram } from '../../app/project/preparation.js';
import type { ProjectHost } from '../../app/project/project-host.js';
import { openRecord, openRecordIn, type StoredRecord } from '../../app/project/stored-record.js';
import { type Result, resultOf } from '../../app/result.js';
import type { Execution as RunExecution } from '../../app/runs.js';
import type { RunEvent } from '../../interpreter/events/event.js';
import { momentOf, type VariableChanged } from '../../interpreter/record/change.js';
import { link, type Run } from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import { createRedactor, type Redactor } from '../../runtime/redact.js';
import type { AttachableRun } from '../../runtime/run/drive-options.js';
import { type Started, secretsOf } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { Stopper } from '../../runtime/stop-signal.js';
import { drawDiagnostic } from '../../views/diagnostics/draw-diagnostic.js';
import { failureDiagnostic } from '../../views/diagnostics/draw-failure.js';
import { plain } from '../../views/drawing/paint.js';
import { eventLine } from '../../views/log/event-line.js';
import { DebugProgram } from '../debug/debug-program.js';
import type { Motion, Stop, WantedStops } from '../debug/watch.js';
import { AdapterRefusal, type RequestArguments, textIn } from './adapter-protocol.js';
import { type EffectMode, LiveRun } from './debugged-run.js';
import {
  effectMode,
  folderOfRun,
  foldersOf,
  prepareLaunched,
  printedReturn,
  programsOf,
  refusedBy,
  refuseWrongForms,
  secretInputs,
} from './launch-values.js';
import { type PastRecord, PastRun } from './past-run.js';
import { SourceFiles } from './source-files.js';
import { TimeTravel } from './time-travel.js';

export interface DebuggeeOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start. */
  readonly folder: string;
  readonly log: (text: string) => void;
  /** The run that this process executes in any case. */
  readonly live?: AttachableRun | undefined;
  readonly send: (event: string, body?: object) => void;
}

/** The run as it stands now. */
export interface StandingRun {
  readonly run: Run;
  readonly program: DebugProgram;
  readonly stop: Stop;
  /** Whether it is a past place, or a run that is only read. */
  readonly isPast: boolean;
}

const EXIT_CODES = { returned: 0, skipped: 0, failed: 1, suspended: 75, interrupted: 130 } as const;

/** A run that this process executes. */
interface Execution {
  readonly stopper: Stopper;
  readonly killer: Stopper;
  report: Promise<unknown>;
}

export class Debuggee {
  readonly wanted: WantedStops = {
    breakpoints: [],
    data: [],
    failures: [],
    log: (text, where) => this.output('console', `${text}\n`, where),
  };
  program: DebugProgram | null = null;
  files: SourceFiles | null = null;
  live: LiveRun | null = null;
  past: PastRun | null = null;
  redactor: Redactor | null = null;
  runId: string | null = null;
  /** Called when a program is known. */
  onProgram: () => void = () => undefined;
  /** Called whenever what was shown is out of date. */
  onMove: () => void = () => undefined;
  readonly threadIds = new Map<string, number>();
  effectMode: EffectMode = 'none';
  readonly time = new TimeTravel(this);
  private host: ProjectHost;
  private folder: FolderOptions = {};
  private begin: (() => Promise<void>) | null = null;
  private kept: StoredRecord | null = null;
  private inputs: Readonly<Record<string, Json>> = {};
  private execution: Execution | null = null;
  /** The run, if this process executes it in any case. */
  private attached: AttachableRun | null = null;
  /** Runs that this session has left. */
  private readonly left: Promise<unknown>[] = [];
  private debugged: DebuggedProgram | null = null;
  private isOver = false;

  constructor(readonly options: DebuggeeOptions) {
    this.host = hostOf({ folder: options.folder });
  }

  // ---- its beginning ----------------------------------------------------------------------------------

  /** Prepares everything, so that it only has to begin. */
  async launch(given: RequestArguments): Promise<void> {
    this.refuseSecond();
    refuseWrongForms(given);
    const program = textIn(given, 'program');
    this.openFolder(foldersOf(this.options, given, program));
    this.effectMode = effectMode(textIn(given, 'stopBeforeEffects') ?? 'none');
    if (textIn(given, 'run') !== undefined) return this.openRecord(given);
    if (program === undefined) throw new AdapterRefusal('`program` names the file to debug, or `run` a kept run', true);
    const file = resolve(this.options.folder, program);
    const prepared = await prepareLaunched(
      this.host,
      { dir: this.directory, folder: this.options.folder, file },
      given,
    );
    this.take(await debugPrepared(this.host, prepared));
    this.redactor = createRedactor(
      secretsOf(prepared.machine, { inputs: prepared.inputs, env: this.host.environment }),
    );
    this.inputs = prepared.inputs;
    this.begin = () => this.start(prepared, given);
  }

  /** Debugs a run that this process executes already, and would without a debugger. */
  async attach(given: RequestArguments, attachable: AttachableRun): Promise<void> {
    this.refuseSecond();
    const record = openRecordIn(attachable.folder);
    this.openFolder({ dir: dirname(dirname(attachable.folder)), folder: folderOfRun(record, this.options) });
    this.effectMode = effectMode(textIn(given, 'stopBeforeEffects') ?? 'none');
    const { run } = attachable;
    const { machine } = run.linked;
    this.nameRun(record.id);
    this.take(await record.debug(this.host, machine));
    this.inputs = run.inputs;
    this.redactor = createRedactor(secretsOf(machine, { inputs: run.inputs, env: this.host.environment }));
    this.begin = async () => {
      if (run.result !== null) return this.finish(EXIT_CODES[run.result.status]);
      const live = this.newLive({ kind: 'run' });
      live.onEnd = () => this.finishAttached(run);
      this.live = live;
      this.attached = attachable;
      attachable.setHold(live);
      if (given.stopOnEntry === true) live.pause();
    };
  }

  private openFolder(folder: FolderOptions): void {
    this.folder = folder;
    this.host = hostOf(folder);
  }

  private finishAttached({ result }: Run): void {
    this.live = null;
    this.attached = null;
    this.finish(result === null ? EXIT_CODES.interrupted : EXIT_CODES[result.status]);
  }

  /** Looks at a run that is kept. */
  async openRecord(given: RequestArguments): Promise<void> {
    const { directory } = this;
    const found = await resultOf(() => openRecord(directory, textIn(given, 'run') as string));
    if (!found.ok) throw refusedBy(found.refusal);
    const record = found.value;
    this.kept = record;
    this.openFolder({ ...this.folder, dir: directory, folder: folderOfRun(record, this.options) });
    this.nameRun(record.id);
    const known = await resultOf(() => record.start(this.options.environment));
    if (!known.ok) throw refusedBy(known.refusal);
    const { machine, inputs, redactor } = known.value;
    this.take(await record.debug(this.host, machine));
    [this.inputs, this.redactor] = [inputs, redactor];
    this.begin = async () => this.time.openAt(given.at);
  }

  /** Views of the client show the record of the run. */
  private nameRun(run: string): void {
    this.runId = run;
    this.options.send('statedsl/run', { run, dir: this.directory });
  }

  refuseElsewhere(): void {
    const why = 'the run is executed by another process: open it with `launch` to change its past';
    if (this.attached !== null) throw new AdapterRefusal(why, true);
  }

  private refuseSecond(): void {
    if (this.begin !== null) throw new AdapterRefusal('this session has a run already');
  }

  private take(debugged: DebuggedProgram): void {
    this.debugged = debugged;
    this.program = new DebugProgram(link(debugged.machine), debugged.sources, debugged.places);
    this.files = new SourceFiles(this.host, debugged.sources);
    this.onProgram();
    if (debugged.places === null && debugged.machine.plans === undefined)
      this.output('important', 'the texts of this run make another machine now, so only its lines are known\n');
  }

  /** The client has set its breakpoints. */
  async finishConfiguration(): Promise<void> {
    const { begin } = this;
    if (begin === null) throw new AdapterRefusal('nothing was launched');
    await begin();
  }

  private async start(prepared: PreparedProgram, given: RequestArguments): Promise<void> {
    const first: Motion = given.stopOnEntry === true ? { kind: 'pause', reason: 'entry' } : { kind: 'run' };
    const isDebugged = given.noDebug !== true;
    const live = this.newLive(first);
    const jobs = given.jobs;
    const { execution, options } = this.newExecution();
    const starting: StartingOptions = {
      ...options,
      ...(typeof jobs === 'number' ? { jobs } : {}),
      ...(isDebugged ? { hold: live } : {}),
    };
    const { directory } = this;
    this.execution = execution;
    if (isDebugged) this.live = live;
    this.follow(execution, await startIn({ directory, host: this.host, options: this.folder }, prepared, starting));
  }

  private newLive(first: Motion): LiveRun {
    const live = new LiveRun(this.program as DebugProgram, this.wanted, (stop) => this.announce(stop), first);
    live.effectMode = this.effectMode;
    return live;
  }

  private newExecution() {
    const execution: Execution = { stopper: new Stopper(), killer: new Stopper(), report: Promise.resolve() };
    const isOwn = (): boolean => this.execution === execution;
    const options = {
      signal: execution.stopper.signal,
      kill: execution.killer.signal,
      onEvent: (event: RunEvent) => (isOwn() ? this.show(event) : undefined),
      onOutput: (_: string, bytes: Uint8Array, stream: 'stdout' | 'stderr') =>
        isOwn() ? this.output(stream, Buffer.from(bytes).toString('utf8')) : undefined,
      onStart: ({ runId }: Started) => {
        if (isOwn()) this.nameRun(runId);
      },
    };
    return { execution, options };
  }

  private follow(execution: Execution, begun: Result<RunExecution>): void {
    if (!begun.ok) return this.fail(begun.refusal.message);
    execution.report = begun.value.report.then(
      (report) => (this.execution === execution ? this.finishRun(report) : undefined),
      (cause: unknown) => (this.execution === execution ? this.fail(String((cause as Error).stack)) : undefined),
    );
  }

  /**
   * Begins a new run at the past place where this one stands, as `replay` does, and makes a change there, if there is one. The
   * session continues with it, and the old run stays as it is.
   */
  async branchOff(change: VariableChanged | null): Promise<void> {
    const { past, runId, live: old, execution: left } = this;
    const stop = past?.watch.stop;
    if (past == null || stop == null || runId === null) throw new AdapterRefusal('this is not a past place');
    const moment = momentOf(stop.thread, stop.pc);
    const { seqNow } = past;
    const { path } = stop.thread;
    const live = this.newLive({ kind: 'run' });
    live.watch.special = (thread, pc) => {
      if (pc !== stop.pc || thread.path !== path || momentOf(thread, pc) !== moment) return undefined;
      live.watch.special = null;
      return { reason: 'step', depth: stop.depth };
    };
    const { execution, options } = this.newExecution();
    this.execution = execution;
    [this.past, this.live, this.kept] = [null, live, null];
    if (left !== null) {
      this.left.push(left.report);
      left.stopper.abort('the debugger went on with a new run');
      old?.detach();
      await left.report;
    }
    const { directory, host, folder } = this;
    const inputs = secretInputs(this.inputs, this.program);
    const given = { ...options, hold: live, inputs, ...(change === null ? {} : { change }) };
    const begun = await replayStored(
      { directory, host, options: folder },
      runId,
      seqNow + 1,
      given as ContinuedOptions,
    );
    this.follow(execution, begun as Result<RunExecution>);
    if (!begun.ok) return;
    this.output('important', `this is the new run ${begun.value.started.run_id}, which began as a copy of ${runId}\n`);
  }

  setEffectMode(mode: EffectMode): void {
    this.effectMode = mode;
    if (this.live !== null) this.live.effectMode = mode;
  }

  /** A person has decided about the first effect that waits. */
  afterDecision(act: () => void): void {
    this.onMove();
    this.live?.afterDecision(act);
  }

  get directory(): string {
    return storeOf(this.folder);
  }

  private show(event: RunEvent): void {
    const line = eventLine(event, plain);
    if (line !== null) this.output('console', `${line}\n`);
  }

  private finishRun(report: RunReport): void {
    const { returned, error, status } = report;
    this.live = null;
    if (status === 'returned' && returned != null) this.output('stdout', `${printedReturn(report)}\n`);
    if (error !== null) this.output('stderr', `${this.drawFailure(error)}\n`);
    if (status === 'suspended') this.output('important', `the run waits: statedsl resume ${report.run_id}\n`);
    this.finish(EXIT_CODES[status]);
  }

  private fail(message: string): void {
    this.live = null;
    this.output('stderr', `${message}\n`);
    this.finish(EXIT_CODES.failed);
  }

  private finish(exitCode: number): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.send('exited', { exitCode });
    this.options.send('terminated');
  }

  /** A failure as `run` draws it. */
  drawFailure(error: NonNullable<RunReport['error']>): string {
    const sources = this.debugged?.sources ?? [];
    return drawDiagnostic(failureDiagnostic(error, sources), sources);
  }

  // ---- where it stands --------------------------------------------------------------------------------

  get standing(): StandingRun | null {
    const { past, live, program } = this;
    if (past !== null && past.watch.stop !== null)
      return { run: past.run, program: past.program, stop: past.watch.stop, isPast: true };
    if (live?.run == null || live.stop === null || program === null) return null;
    return { run: live.run, program, stop: live.stop, isPast: false };
  }

  /** Throws unless the run stands still. */
  get still(): StandingRun {
    const { standing } = this;
    if (standing === null) throw new AdapterRefusal('the run is executed: pause it first');
    return standing;
  }

  threadId(path: string): number {
    let id = this.threadIds.get(path);
    if (id === undefined) {
      id = this.threadIds.size + 1;
      this.threadIds.set(path, id);
    }
    return id;
  }

  output(category: string, text: string, where?: { readonly file: string; readonly line: number }): void {
    const source =
      where === undefined || this.files === null ? {} : { source: this.files.source(where.file), line: where.line };
    this.options.send('output', { category, output: this.redactor?.text(text) ?? text, ...source });
  }

  announce({ reason, thread, text, hit }: Stop): void {
    this.onMove();
    this.options.send('stopped', {
      reason,
      threadId: this.threadId(thread.path),
      allThreadsStopped: true,
      ...(text === undefined ? {} : { text, description: text }),
      ...(hit.length === 0 ? {} : { hitBreakpointIds: hit }),
    });
  }

  /** Breakpoints have changed. */
  updateWanted(): void {
    this.live?.update();
    this.past?.watch.update();
  }

  // ---- forward ----------------------------------------------------------------------------------------

  forward(motion: Motion): void {
    this.onMove();
    if (this.past !== null) return this.forwardInPast(this.past, motion);
    const { live } = this;
    if (live === null) throw new AdapterRefusal('the run has ended');
    if (live.stop === null) throw new AdapterRefusal('the run is executed already');
    live.continueRun(motion);
  }

  private forwardInPast(past: PastRun, motion: Motion): void {
    past.watch.proceed(motion);
    const isFound = past.forward();
    const { live } = this;
    if (isFound && !past.isNow) return this.announce(past.watch.stop as Stop);
    if (live?.stop != null) {
      this.past = null;
      const { stop } = live;
      if (motion.kind === 'run' && stop.hit.length === 0) return live.proceed(motion);
      return this.announce(motion.kind === 'run' ? stop : { ...stop, reason: 'step' });
    }
    past.watch.stop = past.endingStop('pause', this.endOf(past));
    this.announce(past.watch.stop);
  }

  endOf({ differs, run }: PastRun): string {
    if (differs !== null) return `the program does not make event ${differs} of the record`;
    return run.result === null ? 'the end of the record' : `the end: the run ${run.result.status}`;
  }

  pause(): void {
    if (this.standing !== null) return;
    this.live?.pause();
  }

  // ---- its record -------------------------------------------------------------------------------------

  /** From here on it stops where the client wants. */
  standIn(past: PastRun): void {
    past.watch.wanted = this.wanted;
    past.watch.update();
    this.past = past;
  }

  /** `stops`: whether it stops at breakpoints. */
  newPast(stops: boolean): PastRun {
    const nothing: WantedStops = { breakpoints: [], data: [], failures: [], log: () => undefined };
    return new PastRun(this.recordNow(), stops ? this.wanted : nothing, this.live?.moment ?? null);
  }

  /** What is on disk of the run. */
  recordNow(): PastRecord {
    if (this.runId === null) throw new AdapterRefusal('the run has not begun');
    const source = this.kept ?? openRecord(this.directory, this.runId);
    const { inputs, redactor, debugged, program } = this;
    return { source, records: source.read(), inputs, redactor, programOf: programsOf(debugged, program) };
  }

  // ---- its end ----------------------------------------------------------------------------------------

  /** Interrupts the run, which can be resumed; the second time, its processes are killed. */
  terminate(): void {
    const { execution } = this;
    // As a person at its terminal would.
    if (this.attached !== null) {
      this.detach();
      process.kill(process.pid, 'SIGINT');
    }
    if (execution === null || this.isOver) return this.finish(EXIT_CODES.interrupted);
    if (execution.stopper.signal.aborted) execution.killer.abort('the debugger');
    execution.stopper.abort('the debugger');
  }

  /** The run continues without this session. */
  detach(): void {
    this.live?.detach();
    this.attached?.setHold(null);
    this.attached = null;
  }

  /** The client is done: a run that it started ends, one to which it attached continues. */
  disconnect(terminates: boolean | undefined): void {
    if (terminates ?? this.attached === null) {
      if (this.live !== null) this.terminate();
    } else this.detach();
  }

  async clientLeft(): Promise<void> {
    if (this.attached !== null) this.detach();
    this.execution?.stopper.abort('the debugger left');
    await this.closeDebuggee();
  }

  async closeDebuggee(): Promise<void> {
    await Promise.all([this.execution?.report, ...this.left]);
  }
}
