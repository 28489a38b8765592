/** Commands that look at what there is, or make a beginning: `output`, `list` and `init`. */
import { type Command, Option } from 'commander';

export function addOutput(program: Command, store: () => Option, done: (code: number) => void): void {
  program
    .command('output')
    .description('print what the commands and agents of a run printed')
    .argument('[run]', 'a run, or the beginning of its id (default: the latest)')
    .argument(
      '[what]',
      'a state, a step, a line or an effect: of these only (`line:3` and `effect:3` tell numbers apart)',
    )
    .option('--stderr', 'print what they wrote to standard error')
    .option('--follow', 'go on while the run is executed')
    .option('--raw', 'leave control sequences as they are; of an agent print all that its program printed')
    .addOption(store())
    .addOption(new Option('--cwd <directory>', 'no command is run, so this changes nothing').hideHelp())
    .action(async (run: string | undefined, what: string | undefined, options) =>
      done(await (await import('./output.js')).outputCommand(run, what, options)),
    );
}

export function addList(program: Command, done: (code: number) => void): void {
  program
    .command('list')
    .description('list the programs, workflows and patterns here, with what they are for and their inputs')
    .argument('[folder]', 'where to look (default: here)')
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print no hints')
    .action(async (folder: string | undefined, options) =>
      done(await (await import('./list.js')).listCommand(folder, options)),
    );
}

export function addInit(program: Command, done: (code: number) => void): void {
  program
    .command('init')
    .description('write a first flow with a configuration and a test; nothing is overwritten')
    .argument('[template]', 'flow or workflow (default: flow)')
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print errors only')
    .action(async (template: string | undefined, options) =>
      done(await (await import('./init/init.js')).initCommand(template, options)),
    );
}
