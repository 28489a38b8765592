/** The commands that list, show and remove stored runs. */
import type { Command } from 'commander';
import { addOn, addTypedOn } from './engine-commands.js';
import { wholeNumber, wholeOrNone } from './flag-values.js';
import { RUN, storeOption, unusedDirectoryOption } from './store-option.js';

export function addRuns(program: Command, onExit: (code: number) => void): void {
  addOn(addStoreOptions(program.command('runs').description('list the stored runs, newest first')))
    .option('--last <n>', 'list only this many', wholeNumber)
    .option('--key <text>', 'list only the runs with this key')
    .action(async (options) => onExit(await (await import('../commands/runs.js')).runsCommand(options)));
}

export function addSchedules(program: Command, onExit: (code: number) => void): void {
  addOn(
    addStoreOptions(
      program
        .command('schedules')
        .description('list the schedules of the configuration, with their next times and last outcomes'),
    ),
  ).action(async (options) => onExit(await (await import('../commands/schedules.js')).schedulesCommand(options)));
}

export function addNotify(program: Command, onExit: (code: number) => void): void {
  addOn(
    program
      .command('notify')
      .description('send the notices about runs that no receiver has taken yet')
      .addOption(storeOption()),
  )
    .requiredOption('--flush', 'send them now')
    .option('--json', 'print one JSON object about the result')
    .option('--quiet', 'print only errors')
    .action(async (options) => onExit(await (await import('../commands/notify.js')).notifyCommand(options)));
}

export function addShow(program: Command, onExit: (code: number) => void): void {
  addOn(addStoreOptions(program.command('show').description('show the current or an earlier state of a run')))
    .argument('[run]', `${RUN} (default: the latest run)`)
    .option('--at <seq>', 'show the run as it was after the event with this number', wholeNumber)
    .option('--follow', 'show the events of the run until it ends or waits')
    .action(async (name: string | undefined, options) =>
      onExit(await (await import('../commands/show.js')).showCommand(name, options)),
    );
}

export function addDiff(program: Command, onExit: (code: number) => void): void {
  addOn(addStoreOptions(program.command('diff').description('compare two runs, or two ranges of a run')))
    .argument('<left>', 'the id of a run or the beginning of it; with @12, @5-12, @STATE or @STATE#2 only these events')
    .argument('<right>', 'the other run, or another range of the same one')
    .action(async (left: string, right: string, options) =>
      onExit(await (await import('../commands/diff.js')).diffCommand(left, right, options)),
    );
}

export function addReport(program: Command, onExit: (code: number) => void): void {
  addOn(addStoreOptions(program.command('report').description('show how much time and money a run took, and where')))
    .argument('[run]', `${RUN} (default: the latest run)`)
    .option('--last <n>', 'report on this many of the newest runs together', wholeNumber)
    .option('--detail <name>', 'show every attempt of one step, state or tool')
    .option('--summary', 'print a run as Markdown: its result, states, cost and graph, for the summary of a CI job')
    .option('--html <file>', 'write the run as a page that opens without a network (`-`: to the output)')
    .action(async (name: string | undefined, options) =>
      onExit(await (await import('../commands/report.js')).reportCommand(name, options)),
    );
}

export function addVerifyRecord(program: Command, onExit: (code: number) => void): void {
  const command = program.command('verify-record').description('prove that the record of a run is as it was written');
  addOn(addStoreOptions(command))
    .argument('[run]', `${RUN} (default: the latest run)`)
    .option('--key <file>', 'the public key with which the record must be signed')
    .action(async (name: string | undefined, options) =>
      onExit(await (await import('../commands/verify-record.js')).verifyRecordCommand(name, options)),
    );
}

export function addOutput(program: Command, onExit: (code: number) => void): void {
  addOn(program.command('output'))
    .description('print the output of the commands and agents of a run')
    .argument('[run]', `${RUN} (default: the latest run)`)
    .argument(
      '[what]',
      'only the output of this state, step, line or effect (`line:3` is a line, `effect:3` an effect)',
    )
    .option('--stderr', 'print their standard error instead of their standard output')
    .option('--follow', 'continue as long as the run is running')
    .option('--raw', 'keep control sequences, and print the full output of agent programs')
    .addOption(storeOption())
    .addOption(unusedDirectoryOption())
    .action(async (run: string | undefined, what: string | undefined, options) =>
      onExit(await (await import('../commands/output.js')).outputCommand(run, what, options)),
    );
}

export function addExport(program: Command, onExit: (code: number) => void): void {
  const command = program.command('export').description('print or send runs and programs in the form of other tools');
  addOn(addStoreOptions(command.command('otel').description('send the spans of runs to a receiver of OpenTelemetry')))
    .argument('[runs...]', 'the ids of the runs or the beginnings of them (default: the latest run)')
    .action(async (names: readonly string[], options) =>
      onExit(await (await import('../commands/export-spans.js')).exportSpans(names, options)),
    );
  addOn(command.command('audit'))
    .description('print who did what in a run, as lines of JSON')
    .argument('[run]', `${RUN} (default: the latest run)`)
    .option('--key <file>', 'the public key with which the record must be signed')
    .addOption(storeOption())
    .addOption(unusedDirectoryOption())
    .action(async (name: string | undefined, options) =>
      onExit(await (await import('../commands/verify-record.js')).exportAudit(name, options)),
    );
  addForms(command, onExit);
}

const FORMS = {
  mermaid: 'the states of a program as a diagram of Mermaid',
  xstate: 'the states of a program as the JSON of XState',
  'github-actions': 'a program of commands as a workflow of GitHub Actions',
};

function addForms(command: Command, onExit: (code: number) => void): void {
  for (const [form, description] of Object.entries(FORMS))
    command
      .command(form)
      .description(`print ${description}`)
      .argument('<file>', 'a `.dsl`, `.md` or workflow file, or - for standard input')
      .option('--machine <name>', 'the machine to export (default: the only one)')
      .option('--tools <file>', 'the tools of CALL and PLAN (default: tools.yaml next to the program)')
      .action(async (file: string, options) =>
        onExit(await (await import('../commands/export-program.js')).exportProgram(form, file, options)),
      );
}

export function addGc(program: Command, onExit: (code: number) => void): void {
  addTypedOn(addStoreOptions(program.command('gc').description('remove old runs')))
    .requiredOption('--keep-last <n>', 'how many of the newest runs to keep', wholeOrNone)
    .option('--all', 'also remove runs that have not ended, and runs with changes that were not applied')
    .option('--archive', 'with --on: copy each run into the directory before it is removed from the engine')
    .option('--dry-run', 'show what would be removed without removing it')
    .action(async (options) => onExit(await (await import('../commands/gc.js')).gcCommand(options)));
}

/** The options of all commands that read stored runs. Scripts may pass `--cwd` to all commands; these ignore it. */
function addStoreOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print no hints')
    .addOption(storeOption())
    .addOption(unusedDirectoryOption());
}
