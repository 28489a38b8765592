/** Starts a run of a prepared program in a folder of runs. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { FileProblem } from '../../runtime/configuration/yaml-file.js';
import type { MockWorld } from '../../runtime/mock.js';
import { createRedactor, wholeOf } from '../../runtime/redact.js';
import { memoSettings } from '../../runtime/run/memo-effects.js';
import { checkInputs } from '../../runtime/run/run-inputs.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import { keyOfProgram } from '../../runtime/run/run-title.js';
import { type RunOptions, run } from '../../runtime/run/start-run.js';
import type { OnBusy } from '../../runtime/store/run-header.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { mayBeForeign, requireOwnStore } from '../../runtime/store/store-ownership.js';
import { leadsElsewhere } from '../../runtime/store/stored-run.js';
import { traceOptions } from '../../runtime/trace/trace-options.js';
import type { OpenedFolder } from '../programs.js';
import type { PreparedProgram } from '../project/preparation.js';
import { runOptionsOf } from '../project/prepare.js';
import type { ProjectHost } from '../project/project-host.js';
import { signingOf } from '../project/settings.js';
import { type Result, refuse, resultOf, resultWith } from '../result.js';
import type { Execution } from '../runs.js';
import { begin, withNotices } from './begin-execution.js';
import { suspension, withTrial } from './continued-options.js';

/** What only this package gives in addition to the options of the library. */
export interface StartingOptions
  extends Omit<
    RunOptions,
    'dir' | 'journal' | 'key' | 'inputs' | 'printedInputs' | 'cwd' | 'worktree' | 'sources' | 'programDir'
  > {
  /** Instead of the key of the program; null: none. */
  readonly key?: string | null;
  readonly onBusy?: OnBusy;
  readonly keyWhile?: 'running';
  /** With a mock: waits take their time. */
  readonly realTime?: boolean;
  /** How long a wait may be that nobody limits, in milliseconds. */
  readonly otherwiseSuspendAfterMs?: number | null;
  /** Gets all options and gives some instead, such as effects that are recorded. What it throws, the operation rejects with. */
  readonly adapt?: (options: RunOptions) => Promise<Partial<RunOptions>>;
}

interface StartingFolder {
  readonly directory: string;
  readonly host: ProjectHost;
  readonly options: OpenedFolder;
}

/** A run with a mock. */
export interface MockedExecution extends Execution {
  /** Of a run that has ended: the answers that it did not ask for. */
  readonly unusedAnswers?: () => readonly FileProblem[];
}

/** Null: the run has no key. Throws a `RunRefused`. */
export async function keyFor(
  { machine }: Pick<PreparedProgram, 'machine'>,
  { key: given, onBusy, keyWhile }: Pick<StartingOptions, 'key' | 'onBusy' | 'keyWhile'>,
  options: Pick<RunOptions, 'inputs' | 'printedInputs' | 'secrets'>,
): Promise<NonNullable<RunOptions['key']> | null> {
  if (given === undefined && machine.key === undefined && onBusy === undefined && keyWhile === undefined) return null;
  const { checkKey, withoutKey } = await import('../../runtime/store/run-keys.js');
  if (given === undefined && machine.key === undefined) throw withoutKey();
  const name =
    given === undefined ? keyOfProgram(machine, wholeOf(options.inputs ?? {}, options.printedInputs)) : given;
  if (name === null) return null;
  checkKey(name);
  const redactor = createRedactor(secretsOf(machine, options));
  if (redactor !== null && redactor.value(name) !== name)
    throw new RunRefused(
      'wrong-use',
      'the key of the run contains a secret',
      'use another key: lists show the keys of runs',
    );
  return { name, ...omitUndefined({ onBusy, while: keyWhile }) };
}

/** Resolves when the run has begun. A run that begins in a store of somebody else could not be resumed, so it is refused. */
export async function startIn(
  { directory, host, options: opened }: StartingFolder,
  program: PreparedProgram,
  given: StartingOptions,
): Promise<Result<MockedExecution>> {
  if (leadsElsewhere(directory) || mayBeForeign(directory)) {
    const own = await resultOf(() => requireOwnStore(directory));
    if (!own.ok) return own;
  }
  const { machine, mock, configuration } = program;
  const {
    realTime = false,
    suspendAfterMs: _,
    otherwiseSuspendAfterMs: __,
    adapt,
    key: _key,
    onBusy: _onBusy,
    keyWhile: _while,
    ...rest
  } = given;
  const supplied = withTrial(runOptionsOf(host, program), opened);
  const suspendAfterMs = suspension(given, [configuration.defaults.suspend_after]);
  const { traceparent: parent } = given.settings ?? {};
  const trace = traceOptions(
    opened.env ?? process.env,
    configuration.otel,
    ...(typeof parent === 'string' ? [parent] : []),
  );
  const signing = await resultOf(() => signingOf(configuration, opened.env));
  if (!signing.ok) return signing;
  const plain: RunOptions = {
    ...supplied,
    ...omitUndefined({ commands: opened.commands, onDebugger: opened.onDebugger, suspendAfterMs, trace }),
    ...signing.value,
    ...rest,
    // Those of the program, also for callers without types.
    programDir: supplied.programDir,
    sources: supplied.sources,
    settings: {
      ...{ ...supplied.settings, ...given.settings },
      ...memoSettings(given.memo),
      ...omitUndefined({ traceparent: trace?.parent ?? undefined }),
    },
    dir: directory,
  };
  const key = await resultOf(() => keyFor(program, given, plain));
  if (!key.ok) return key;
  let world: MockWorld | null = null;
  let options: RunOptions = key.value === null ? plain : { ...plain, key: key.value };
  if (mock !== null) {
    const { mockedRun } = await import('./mocked-run.js');
    const mocked = await mockedRun(mock, options, { realTime, isBounded: given.suspendAfterMs !== undefined });
    world = mocked.world;
    options = { ...options, ...mocked.options };
  }
  if (adapt !== undefined) options = { ...options, ...(await adapt(options)) };
  const [problem] = checkInputs(machine, options.inputs ?? {}).problems;
  if (problem !== undefined) return refuse('wrong-use', problem.message, problem.help);
  const { onStart: notify, onUnsent } = options;
  const begun = await begin(
    (onStart) =>
      withNotices({ directory, host, ...omitUndefined({ env: opened.env, onUnsent }) }, configuration, () =>
        run(machine, { ...options, onStart }),
      ),
    () => machine.name,
    notify,
  );
  if (!begun.ok || world === null) return begun;
  const { listUnused } = world;
  return resultWith({ ...begun.value, unusedAnswers: () => listUnused(machine) });
}
