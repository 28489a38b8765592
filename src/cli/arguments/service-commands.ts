/** The commands `ui`, `serve` and `mcp`. */
import { type Command, Option } from 'commander';
import { addOn } from './engine-commands.js';
import { duration, listenAddress, wholeNumber } from './flag-values.js';
import { storeOption } from './store-option.js';

export function addUi(program: Command, onExit: (code: number) => void): void {
  addOn(program.command('ui'))
    .description('open the page with the runs in the browser')
    .argument('[run]', 'show this run: its id or the beginning of it (default: the list of all runs)')
    .addOption(storeOption())
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

export function addServe(program: Command, onExit: (code: number) => void): void {
  addOn(program.command('serve'))
    .description('serve the runs of a directory over HTTP: start, follow, answer and report them')
    .addOption(
      new Option('--listen <address>', 'where to listen')
        .default({ host: '127.0.0.1', port: 7700 }, '127.0.0.1:7700')
        .argParser(listenAddress),
    )
    .addOption(storeOption())
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
    .addOption(new Option('--check').hideHelp())
    .action(async (options) => onExit(await (await import('../commands/serve.js')).serveCommand(options)));
}

export function addMcp(program: Command, onExit: (code: number) => void): void {
  addOn(program.command('mcp'))
    .description('give coding agents the programs and runs of a directory as tools, over the Model Context Protocol')
    .addOption(storeOption())
    .option('--programs <directory>', 'the directory of the programs (default: the current directory)')
    .option('--read-only', 'only check programs and show runs: start and change nothing')
    .option('--agents-may-answer', 'let agents answer questions that are for people')
    .addOption(
      new Option(
        '--http [address]',
        'listen for HTTP instead of using standard input and output (default address: 127.0.0.1:7701)',
      ).argParser(listenAddress),
    )
    .option('--token-file <file>', 'the file with the token of clients over HTTP; other machines need one')
    .option('--json', 'with `--http`: print the address as one JSON object')
    .option('--quiet', 'print only errors')
    .action(async (options) => onExit(await (await import('../commands/mcp.js')).mcpCommand(options)));
}

/** Editors start it. */
export function addLanguageServer(program: Command, onExit: (code: number) => void): void {
  program
    .command('lsp', { hidden: true })
    .description('answer the questions of an editor on standard input and output')
    .option('--stdio', 'use standard input and output, which is the default')
    .option('--log <file>', 'also write what goes wrong to a file')
    .option('--clientProcessId <id>', 'the process of the editor')
    .action(async (options) => onExit(await (await import('../commands/lsp.js')).languageServerCommand(options)));
}

/** The same for debugging. */
export function addDebugAdapter(program: Command, onExit: (code: number) => void): void {
  program
    .command('dap', { hidden: true })
    .description('debug programs for an editor on standard input and output')
    .option('--stdio', 'use standard input and output, which is the default')
    .option('--log <file>', 'also write what goes wrong to a file')
    .action(async (options) => onExit(await (await import('../commands/dap.js')).debugAdapterCommand(options)));
}
