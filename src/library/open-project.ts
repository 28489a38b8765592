/**
 * `openProject`: a folder with programs, read and run as the command line does. The work itself is done in `project/`
 * and `runtime/`.
 */
import { basename, extname, resolve } from 'node:path';
import { planMachine } from '../check/plan/plan-machine.js';
import type { Machine as CompiledMachine } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { chooseWorktree, mayHaveWorktree } from '../project/choose-worktree.js';
import { compileProgram } from '../project/compile-program.js';
import { diskFiles, type ProjectHost, pathOf, shortName, withOpenTexts } from '../project/host.js';
import { linkPlans } from '../project/link-plans.js';
import { listPrograms } from '../project/list-programs.js';
import { loadPlan } from '../project/load-plan.js';
import { approvalHash, needsApproval } from '../project/plan-approval.js';
import { type PreparedProgram, programDirOf, runOptionsOf, surroundingOptions } from '../project/prepared-program.js';
import { isPlan, isWorkflow } from '../project/program-kind.js';
import { emptyCompilation, type ProgramText, readNamed } from '../project/read-program.js';
import { loadSettings, type Settings, toolLookup } from '../project/settings.js';
import { listRuns } from '../runtime/list-runs.js';
import { deliverToRun } from '../runtime/run/again/deliver-to-run.js';
import { checkDrift, replay } from '../runtime/run/again/replay-run.js';
import { resume } from '../runtime/run/again/resume.js';
import type { ResumeOptions as StoredResumeOptions } from '../runtime/run/again/resume-options.js';
import { cancelStored } from '../runtime/run/cancel.js';
import type { RunReport } from '../runtime/run/report.js';
import { run } from '../runtime/run/run.js';
import type { RunOptions } from '../runtime/run/run-options.js';
import { DEFAULT_STORE } from '../runtime/store/open-own-run.js';
import { RunRefused } from '../runtime/store/run-refused.js';
import { requireOwnStore } from '../runtime/store/store-ownership.js';
import { findRunId } from '../runtime/store/stored-run.js';
import { type Diagnostic, hasErrors } from '../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../source/source-file.js';
import { graphOf } from '../views/graph/graph.js';
import { ascii, dot, mermaid } from '../views/graph/graph-text.js';
import { planDot, planGraph, planMermaid } from '../views/graph/plan-graph.js';
import type { Findings } from './diagnostics.js';
import { formatText } from './format-text.js';
import {
  type CheckedProgram,
  type CheckOptions,
  firstError,
  type GraphOptions,
  ProgramRefused,
  type Project,
  type ProjectOptions,
  type ProjectResumeOptions,
  type ProjectRunOptions,
} from './project.js';
import { storedOptions } from './stored-options.js';

/**
 * Opens the project in a folder. Like the command line, it looks for the configuration in the folder and then in its
 * parents. Problems with the configuration are in `findings` of the project and of every checked program. Writes
 * nothing and keeps nothing open.
 */
export async function openProject(folder: string, options: ProjectOptions = {}): Promise<Project> {
  const project = new OpenProject(resolve(folder), options);
  await project.open();
  return project;
}

/** The internal parts of a checked program. */
interface Prepared {
  readonly settings: Settings;
  readonly sources: SourceSet;
  readonly machine: CompiledMachine | null;
  /** For a plan: whether it has to be approved before it runs. */
  readonly needsApproval: boolean;
}

const prepared = new WeakMap<CheckedProgram, Prepared>();

class OpenProject implements Project {
  readonly dir: string;
  configurationFile: string | null = null;
  findings: Findings = { diagnostics: [], sources: [] };
  private readonly host: ProjectHost;

  constructor(
    readonly folder: string,
    private readonly options: ProjectOptions,
  ) {
    this.dir = resolve(folder, options.dir ?? DEFAULT_STORE);
    const files = options.openText === undefined ? diskFiles : withOpenTexts(diskFiles, options.openText);
    const environment = options.env ?? process.env;
    this.host = { folder, files, allowOutside: options.allowOutside === true, environment };
  }

  async open(): Promise<void> {
    const { configuration, diagnostics, warnings, sources } = await loadSettings(this.host, '-');
    this.configurationFile = configuration.file;
    this.findings = { diagnostics: [...diagnostics, ...warnings], sources };
  }

  async checkFile(path: string, options: CheckOptions = {}): Promise<CheckedProgram> {
    const settings = await loadSettings(this.host, path);
    if (isPlan(path)) return this.checkPlan(this.host, path, settings, options);
    const read = readNamed(this.host, path, settings.configuration);
    if (read.kind === 'missing') throw new RunRefused('unknown', read.message);
    return this.check(read, settings, options);
  }

  async checkText(text: string, options: CheckOptions & { readonly name?: string } = {}): Promise<CheckedProgram> {
    const { name = '<stdin>', ...rest } = options;
    const settings = await loadSettings(this.host, name === '<stdin>' ? '-' : name);
    if (!isPlan(name)) return this.check({ kind: 'text', name, text }, settings, rest);
    const own = pathOf(this.host, name);
    const files = withOpenTexts(this.host.files, (path) => (path === own ? text : undefined));
    return this.checkPlan({ ...this.host, files }, name, settings, rest);
  }

  programs() {
    return listPrograms(this.folder);
  }

  async format(text: string, name = 'program.dsl') {
    if (isPlan(name) || isWorkflow(name)) return { text, diagnostics: [], sources: [sourceFile(name, text)] };
    return formatText(text, name);
  }

  async graph(program: string | CheckedProgram, { format = 'mermaid', machine: name }: GraphOptions = {}) {
    const checked = await this.checkedProgram(program, {});
    if (!checked.isValid) throw new ProgramRefused(checked, firstError(checked.diagnostics));
    const { machine } = preparedOf(checked);
    const plan = isPlan(checked.name) ? Object.values(machine?.plans ?? {})[0] : undefined;
    if (plan !== undefined) {
      if (format === 'ascii') throw new RunRefused('wrong-use', 'a plan is not drawn in characters');
      return format === 'dot' ? planDot(planGraph(plan)) : planMermaid(planGraph(plan));
    }
    const machines = checked.machines.filter((one) => name === undefined || one.name === name);
    if (machines.length === 0 && name !== undefined)
      throw new RunRefused('wrong-use', `there is no machine \`${name}\` in \`${checked.name}\``);
    const graphs = machines.map((one) => graphOf(one as CompiledMachine));
    return { mermaid, dot, ascii }[format](graphs);
  }

  async run(program: string | CheckedProgram, options: ProjectRunOptions = {}): Promise<RunReport> {
    const { machine: name, tools, state, approved, cwd: given, worktree, ...rest } = options;
    const checked = await this.checkedProgram(
      program,
      omitUndefined({ machine: name, tools, state, inputs: rest.inputs ?? {}, cwd: given }),
    );
    const { machine, settings, sources } = preparedOf(checked);
    if (machine === null) throw new ProgramRefused(checked, firstError(checked.diagnostics));
    refuseUnapproved(checked, approved);
    await requireOwnStore(this.dir);
    const { configuration } = settings;
    const cwd = resolve(this.folder, given ?? '.');
    const choice = await chooseWorktree({
      name: checked.name,
      cwd,
      configuration,
      store: this.dir,
      worktree,
      isDryRun: false,
    });
    if (hasErrors(choice.diagnostics))
      throw new ProgramRefused({ ...choice, sources: [] }, firstError(choice.diagnostics));
    const { repository } = choice;
    const ofProgram = this.optionsFor(checked, cwd, { machine, sources, configuration, repository });
    return run(machine, {
      ...ofProgram,
      ...this.environment(),
      ...(rest as RunOptions),
      // Those of the program, also for callers without types.
      programDir: ofProgram.programDir,
      sources: ofProgram.sources,
      dir: this.dir,
      settings: { here: this.folder, ...rest.settings },
    });
  }

  /** The options of a run that the program and the configuration supply. */
  optionsFor(checked: CheckedProgram, cwd: string, parts: Omit<PreparedProgram, 'programDir' | 'cwd'>) {
    const programDir = programDirOf(this.host, checked.name, cwd);
    const named = { name: checked.name, instead: this.options.agents ?? {} };
    return runOptionsOf(this.host, { ...parts, programDir, cwd }, named);
  }

  async resume(name: string, options: ProjectResumeOptions = {}): Promise<RunReport> {
    const id = await this.ownRun(name);
    return resume(id, { ...(await this.storedOptions(id)), ...(options as StoredResumeOptions), dir: this.dir });
  }

  async replay(name: string, options: Parameters<Project['replay']>[1]): Promise<RunReport> {
    const id = await this.ownRun(name);
    const given = options as StoredResumeOptions & typeof options;
    return replay(id, { ...(await this.storedOptions(id)), ...given, dir: this.dir });
  }

  async checkDrift(name: string, { program }: { readonly program?: CheckedProgram } = {}) {
    const id = await this.ownRun(name);
    const { secrets = [], ...rest } = await this.storedOptions(id);
    const machine = program === undefined ? undefined : (preparedOf(program).machine ?? undefined);
    return checkDrift(id, omitUndefined({ dir: this.dir, secrets, env: rest.env, machine }));
  }

  runs(last?: number) {
    return listRuns(this.dir, last ?? null);
  }

  async deliver(name: string, given: Parameters<Project['deliver']>[1]): Promise<'recorded' | 'passed-on'> {
    const id = await this.ownRun(name);
    const { secrets = [] } = await this.storedOptions(id);
    return deliverToRun(id, 'kind' in given ? [given] : given, { dir: this.dir, secrets });
  }

  async cancel(name: string, by: string): Promise<void> {
    await cancelStored(this.dir, await this.ownRun(name), by);
  }

  private async checkedProgram(program: string | CheckedProgram, options: CheckOptions): Promise<CheckedProgram> {
    return typeof program === 'string' ? this.checkFile(program, options) : program;
  }

  private async check(
    read: Exclude<ProgramText, { kind: 'missing' }>,
    settings: Settings,
    { cwd: given, machine, strict, tools }: CheckOptions,
  ): Promise<CheckedProgram> {
    const { configuration } = settings;
    const cwd = resolve(this.folder, given ?? '.');
    const { commands = {}, agents: instead = {} } = this.options;
    const compiled =
      settings.diagnostics.length > 0
        ? emptyCompilation(settings.diagnostics, settings.sources)
        : read.kind === 'broken'
          ? read.compilation
          : await compileProgram(this.host, read, {
              ...omitUndefined({ machine, strict }),
              ...surroundingOptions(this.host, configuration, { cwd, instead, tools, worktree: mayHaveWorktree(cwd) }),
              commands: Object.keys(commands),
            });
    const { machines, declared, diagnostics, sources } = compiled;
    const name = read.kind === 'text' ? read.name : (sources[0]?.name ?? '<stdin>');
    return rememberPrepared(
      { name, machine: compiled.machine, machines, inputs: declared?.inputs ?? [], diagnostics, sources },
      { settings, sources, machine: compiled.machine, needsApproval: false },
    );
  }

  private checkPlan(host: ProjectHost, path: string, settings: Settings, options: CheckOptions): CheckedProgram {
    const { tools, state, inputs, cwd = '.' } = options;
    const { agents: instead = {} } = this.options;
    const lookup = toolLookup(host, settings.configuration, { agent: instead, cwd: resolve(this.folder, cwd) });
    const flags = omitUndefined({ tools, state });
    const loaded = loadPlan(host, path, flags, lookup);
    if (loaded.kind === 'missing') throw new RunRefused('unknown', loaded.message);
    const complete = inputs === undefined ? loaded : loadPlan(host, path, flags, { ...lookup, inputs });
    const isConfigured = settings.diagnostics.length === 0;
    const { diagnostics } = !isConfigured || complete.kind === 'missing' ? settings : complete;
    const sources = [...(isConfigured ? loaded : settings).sources];
    const isSound = !hasErrors(diagnostics) && loaded.plan !== null;
    const linked = isSound ? linkPlans(host, loaded) : null;
    const names = loaded.inputs ?? Object.keys(inputs ?? {});
    const called = basename(path, extname(path));
    const machine =
      linked === null
        ? null
        : planMachine({ name: called, file: path, plan: linked.name, plans: linked.plans, inputs: names });
    const machines = machine === null ? [] : [machine];
    return rememberPrepared(
      {
        ...{ name: shortName(host, pathOf(host, path)), machine, machines, diagnostics, sources },
        inputs: machine?.inputs ?? [],
        ...omitUndefined({ approvalHash: isSound ? approvalHash(loaded) : undefined }),
      },
      { settings, sources, machine, needsApproval: needsApproval(loaded) },
    );
  }

  private environment(): Pick<RunOptions, 'env' | 'commands'> {
    return omitUndefined({ env: this.options.env, commands: this.options.commands });
  }

  private storedOptions(id: string): Promise<StoredResumeOptions> {
    return storedOptions(this.host, this.dir, id, this.options);
  }

  private async ownRun(name: string): Promise<string> {
    const id = findRunId(this.dir, name);
    await requireOwnStore(this.dir, id);
    return id;
  }
}

/** The options of a run that the program and the configuration supply. The project must come from `openProject`. */
export function suppliedOptions(
  project: Project,
  checked: CheckedProgram,
  parts: Omit<PreparedProgram, 'programDir' | 'cwd'>,
): Partial<RunOptions> {
  return (project as OpenProject).optionsFor(checked, project.folder, parts);
}

function rememberPrepared(program: Omit<CheckedProgram, 'isValid'>, internals: Prepared): CheckedProgram {
  const whole = { ...program, isValid: !hasErrors(program.diagnostics as readonly Diagnostic[]) };
  prepared.set(whole, internals);
  return whole;
}

/** The parts of a program that `checkFile` or `checkText` of a project gave. */
export function preparedOf(program: CheckedProgram): Prepared {
  const found = prepared.get(program);
  if (found === undefined) throw new TypeError('this is not a program that `checkFile` or `checkText` gave');
  return found;
}

/** Refuses a program that must be approved and is not, or that differs from the approved one. */
export function refuseUnapproved(program: CheckedProgram, approved: string | undefined): void {
  const { approvalHash: hash } = program;
  if (approved === undefined) {
    if (!preparedOf(program).needsApproval) return;
    throw new ProgramRefused(program, `\`${program.name}\` needs an approval before it runs: its mode is \`lazy\``);
  }
  if (approved.toLowerCase() === hash) return;
  throw new ProgramRefused(program, `\`${program.name}\` is not the plan that was approved: its hash is ${hash}`);
}
