/** The commands `engine` and `worker`, and the options of the commands that can use an engine. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { NO_ENGINE } from '../running/configured-engine.js';
import { environmentOption } from './environment-option.js';
import {
  collect,
  collectNames,
  duration,
  engineUrl,
  listenAddress,
  oneName,
  portNumber,
  serverUrl,
  wholeNumber,
} from './flag-values.js';

const ON = [
  '--on <url>',
  'the address of an engine whose runs are used instead of those of a directory; `none`: use the directory, whatever the configuration says',
] as const;

/** Commands without the name of a run. `serve` and `mcp` read the configuration of their programs. */
const OWN_WAY: ReadonlySet<string> = new Set(['run', 'gc', 'serve', 'mcp', 'check']);

/** `--on` and `--namespace`, for a command that can ask an engine instead of a folder. */
export function addOn(command: Command, description: string = ON[1]): Command {
  return addNamespace(command.addOption(environmentOption(ON[0], description, engineUrl)));
}

/** The same for a command that removes runs: what it removes is named where it is called. */
export function addTypedOn(command: Command): Command {
  return addNamespace(command.addOption(new Option(...ON).argParser(engineUrl)));
}

/** The command gets the flags that were typed as `typed`, because those of the environment must not be refused. */
function addNamespace(command: Command): Command {
  return command.addOption(namespaceOption().hideHelp()).hook('preAction', async (_, called) => {
    // What was typed counts. A variable and the configuration name the engine of runs that this folder does not know.
    if (called.getOptionValueSource('on') !== 'cli' && !OWN_WAY.has(called.name())) {
      const { engineFor } = await import('../running/engine-of-run.js');
      const { on, namespace } = called.opts();
      const known = await engineFor(called.args[0], called.getOptionValue('dir'), omitUndefined({ on, namespace }));
      called.setOptionValueWithSource('on', known.on, 'config');
      if (known.namespace !== undefined) called.setOptionValueWithSource('namespace', known.namespace, 'config');
    }
    // These commands decide against an engine before they read their configuration.
    if (called.getOptionValue('on') === NO_ENGINE && !['run', 'serve', 'mcp', 'ui', 'check'].includes(called.name()))
      called.setOptionValueWithSource('on', undefined, 'config');
    const typed = Object.keys(called.opts()).filter((name) => called.getOptionValueSource(name) === 'cli');
    called.setOptionValueWithSource('typed', typed, 'implied');
  });
}

export function addEngine(program: Command, onExit: (code: number) => void): void {
  program
    .command('engine')
    .description('start the server of an engine, which only this machine can reach')
    .option('--dir <directory>', 'where the server stores everything (default: .statedsl/engine)')
    .addOption(portOption('--port <n>', 'the port for clients; 0 is any free one', 8080))
    .addOption(portOption('--admin-port <n>', 'the port for workers', 9070))
    .addOption(portOption('--node-port <n>', 'the port for other servers', 5122))
    .option(
      '--partitions <n>',
      'how many partitions new data have (default: 24); fewer suit a small machine',
      partitions,
    )
    .option('--json', 'print the addresses as one JSON object')
    .option('--quiet', 'print only errors')
    .action(async (options) => onExit(await (await import('../commands/engine.js')).engineCommand(options)));
}

/** The server has at most this many. */
const MOST_PARTITIONS = 65_535;

function partitions(value: string): number {
  const count = wholeNumber(value);
  if (count > MOST_PARTITIONS) throw new InvalidArgumentError(`It must be at most ${MOST_PARTITIONS}.`);
  return count;
}

export function addWorker(program: Command, onExit: (code: number) => void): void {
  program
    .command('worker')
    .description('execute runs of an engine on this machine')
    .addOption(
      new Option('--engine <url>', 'the address of its admin API')
        .default('http://127.0.0.1:9070')
        .argParser(serverUrl),
    )
    .addOption(
      new Option('--listen <address>', 'where to listen')
        .default({ host: '127.0.0.1', port: 9180 }, '127.0.0.1:9180')
        .argParser(listenAddress),
    )
    .option(
      '--advertise <url>',
      'the address by which the engine reaches this worker (default: where it listens)',
      serverUrl,
    )
    .addOption(
      new Option('--status <address>', 'answer /healthz, /readyz and /metrics over plain HTTP there').argParser(
        listenAddress,
      ),
    )
    .option('--label <names>', 'perform effects that need a worker with this label, as a,b (repeatable)', collectNames)
    .option('--home <name>', 'execute the runs that belong to workers with this name (repeatable)', collectNames)
    .option('--cwd <directory>', 'the working directory of commands (default: the current directory)')
    .option('--dir <directory>', 'where the worker records its processes (default: .statedsl/worker)')
    .option('--shared <directory>', 'a directory that all workers have, with a working directory for each run')
    .addOption(environmentOption('--jobs <n>', 'how many commands may run at the same time', wholeNumber))
    .option('--identity-key <key>', 'the public key of an engine that may use this worker (repeatable)', collect)
    .addOption(namespaceOption())
    .addOption(
      new Option('--drain <duration>', 'how long to wait for what runs when the worker stops')
        .default(30_000, '30s')
        .argParser(duration),
    )
    .addOption(
      new Option('--log <format>', '`json`: log each effect and warning as one JSON object').choices(['text', 'json']),
    )
    .option('--json', 'print the addresses as one JSON object')
    .option('--quiet', 'print only errors')
    .action(async (options) => onExit(await (await import('../commands/worker.js')).workerCommand(options)));
}

function portOption(flags: string, description: string, port: number): Option {
  return new Option(flags, description).default(port).argParser(portNumber);
}

function namespaceOption(): Option {
  return environmentOption('--namespace <name>', 'separates runs that share an engine (default: statedsl)', oneName);
}
