/** The commands `output`, `list` and `init`. */
import { type Command, Option } from 'commander';
import { addOn } from './engine-commands.js';
import { duration, listenAddress, wholeNumber } from './option-values.js';

export function addOutput(program: Command, store: () => Option, onExit: (code: number) => void): void {
  addOn(program.command('output'))
    .description('print the output of the commands and agents of a run')
    .argument('[run]', 'the id of the run or the beginning of it (default: the latest run)')
    .argument(
      '[what]',
      'only the output of this state, step, line or effect (`line:3` is a line, `effect:3` an effect)',
    )
    .option('--stderr', 'print their standard error instead of their standard output')
    .option('--follow', 'continue as long as the run is running')
    .option('--raw', 'keep control sequences, and print the full output of agent programs')
    .addOption(store())
    .addOption(new Option('--cwd <directory>', 'ignored: this starts no command').hideHelp())
    .action(async (run: string | undefined, what: string | undefined, options) =>
      onExit(await (await import('../commands/output.js')).outputCommand(run, what, options)),
    );
}

export function addList(program: Command, onExit: (code: number) => void): void {
  program
    .command('list')
    .description('list the programs, workflows, plans and patterns here with their purpose and inputs')
    .argument('[directory]', 'where to look (default: the current directory)')
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print no hints')
    .action(async (folder: string | undefined, options) =>
      onExit(await (await import('../commands/list.js')).listCommand(folder, options)),
    );
}

export function addInit(program: Command, onExit: (code: number) => void): void {
  program
    .command('init')
    .description('write a first flow, its configuration and a test, without overwriting anything')
    .argument('[template]', 'flow or workflow (default: flow)')
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print only errors')
    .action(async (template: string | undefined, options) =>
      onExit(await (await import('../commands/init/init.js')).initCommand(template, options)),
    );
}

export function addUi(program: Command, store: () => Option, onExit: (code: number) => void): void {
  program
    .command('ui')
    .description('open the page with the runs in the browser')
    .argument('[run]', 'show this run: its id or the beginning of it (default: the list of all runs)')
    .addOption(store())
    .option(
      '--programs <directory>',
      'the directory of the programs that may be started (default: the current directory)',
    )
    .option('--no-open', 'only print the address')
    .option('--read-only', 'only show runs: start and change nothing')
    .option('--json', 'print the address as one JSON object')
    .option('--quiet', 'print only errors')
    .action(async (run: string | undefined, options) =>
      onExit(await (await import('../commands/ui.js')).uiCommand(run, options)),
    );
}

export function addServe(program: Command, store: () => Option, onExit: (code: number) => void): void {
  program
    .command('serve')
    .description('serve the runs of a directory over HTTP: start, follow, answer and report them')
    .addOption(
      new Option('--listen <address>', 'where to listen')
        .default({ host: '127.0.0.1', port: 7700 }, '127.0.0.1:7700')
        .argParser(listenAddress),
    )
    .addOption(store())
    .option(
      '--programs <directory>',
      'the directory of the programs that may be started (default: the current directory)',
    )
    .option('--token-file <file>', 'the file with the token of clients (default: a new token for each start)')
    .option('--read-only', 'only show runs: start and change nothing')
    .option('--allow-text', 'also start programs that a request brings as text')
    .option('--user-header <name>', 'the header in which a proxy that authenticates users names them')
    .option('--runs <n>', 'how many runs are executed at the same time', wholeNumber)
    .option('--jobs <n>', 'how many commands all runs together may execute at the same time', wholeNumber)
    .addOption(
      new Option('--grace <duration>', 'how long to wait for runs when the service stops')
        .default(30_000, '30s')
        .argParser(duration),
    )
    .option('--json', 'print the address as one JSON object')
    .option('--quiet', 'print only errors')
    .addOption(new Option('--execute <run>').hideHelp())
    .action(async (options) => onExit(await (await import('../commands/serve.js')).serveCommand(options)));
}
