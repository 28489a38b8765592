/** The commands `output`, `list` and `init`. */
import { type Command, Option } from 'commander';

export function addOutput(program: Command, store: () => Option, onExit: (code: number) => void): void {
  program
    .command('output')
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
      onExit(await (await import('./output.js')).outputCommand(run, what, options)),
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
      onExit(await (await import('./list.js')).listCommand(folder, options)),
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
      onExit(await (await import('./init/init.js')).initCommand(template, options)),
    );
}
