/** The commands that read, print and draw programs without running them, and those that find and write them. */
import { type Command, Option } from 'commander';
import { addOn } from './engine-commands.js';
import { oneName } from './flag-values.js';
import { unusedStoreOption } from './store-option.js';

export function addCheck(program: Command, onExit: (code: number) => void): void {
  const check = program
    .command('check')
    .description('report the errors and warnings of programs without running them')
    .argument('<files...>', '`.dsl`, `.md` or workflow files, plans (`.json`), or - for standard input')
    .option('--explain', 'also show the names and meanings that were chosen, and what the steps are')
    .option('--json', 'print one JSON object')
    .option('--strict', 'treat warnings as errors')
    .option('--quiet', 'print only errors')
    .option('--bounds', 'also print how many times everything is called at most (explores the programs)')
    .option('--fix', 'first correct errors that can have meant only one thing, and show what was changed')
    .option('--cwd <directory>', 'the directory in which commands would run (default: the current directory)')
    .addOption(unusedStoreOption())
    .option('--tools <file>', 'the tools of a plan, or of CALL and PLAN (default: tools.yaml next to the file)')
    .option('--state <file>', 'the initial state of a plan, a file with a JSON object')
    .option('--mock <file>', 'treat the agents in this file as configured')
    .option('--home <name>', 'with --on: only workers with this name execute the runs', oneName)
    .option('--shared <directory>', 'with --on: the workers have this directory in common');
  addOn(check, 'also report what does not work on an engine').action(async (files: string[], options) =>
    onExit(await (await import('../commands/check.js')).checkCommand(files, options)),
  );
}

export function addFormat(program: Command, onExit: (code: number) => void): void {
  program
    .command('fmt')
    .description('format programs in place')
    .argument('<files...>', '`.dsl` or `.md` files, or - to format standard input')
    .option('--check', 'only print the files that would change, and exit with 1 if there are any')
    .action(async (files: string[], options) =>
      onExit(await (await import('../commands/fmt.js')).formatCommand(files, options)),
    );
}

export function addConvert(program: Command, onExit: (code: number) => void): void {
  program
    .command('convert')
    .description('print a workflow file as a program, or a program of steps as a workflow file')
    .argument('<file>', 'a workflow file, or a `.dsl` file that contains only steps')
    .action(async (file: string) => onExit(await (await import('../commands/convert.js')).convertCommand(file)));
}

export function addDisassemble(program: Command, onExit: (code: number) => void): void {
  program
    .command('disassemble')
    .description('print the instructions of a program')
    .argument('<file>', 'a `.dsl`, `.md` or workflow file, or - for standard input')
    .option('--machine <name>', 'the machine to print (default: all)')
    .option('--tools <file>', 'the tools of CALL and PLAN (default: tools.yaml next to the program)')
    .action(async (file: string, options) =>
      onExit(await (await import('../commands/disassemble.js')).disassembleCommand(file, options)),
    );
}

export function addGraph(program: Command, onExit: (code: number) => void): void {
  const formats = ['mermaid', 'dot', 'svg', 'ascii'];
  program
    .command('graph')
    .description('draw the states of a program')
    .argument('<file>', 'a `.dsl`, `.md` or workflow file, a plan (`.json`), or - for standard input')
    .addOption(new Option('--format <format>', 'the output format').choices(formats).default('mermaid'))
    .option('--machine <name>', 'the machine to draw (default: all)')
    .option('--failures', 'with `--format svg`: draw every transition after a failure, not one mark for all')
    .action(async (file: string, options) =>
      onExit(await (await import('../commands/graph.js')).graphCommand(file, options)),
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
    .argument('[template]', 'flow, workflow, release, agents or tests (default: flow)')
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print only errors')
    .action(async (template: string | undefined, options) =>
      onExit(await (await import('../commands/init/init.js')).initCommand(template, options)),
    );
}
