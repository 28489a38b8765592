/**
 * The command line as data: the commands, their arguments and options, and the form of their values. Each command is
 * loaded when it is called, so that starting `run` does not pay for `graph`.
 */
import { Argument, Command } from 'commander';
import { VERSION } from '../../runtime/version.js';
import { stderr, stdout } from '../terminal/streams.js';
import { visibleError } from '../terminal/usage-error.js';
import { addEngine, addOn, addWorker } from './engine-commands.js';
import { refuseIdleFlags } from './flag-combinations.js';
import { hintFor } from './foreign-words.js';
import { addExplain, addGuide, addSkill } from './guide-commands.js';
import { addOutsideOption } from './outside-option.js';
import { addPlan } from './plan-commands.js';
import { addCheck, addConvert, addDisassemble, addFormat, addGraph, addInit, addList } from './program-commands.js';
import {
  addAnswer,
  addApply,
  addCancel,
  addReplay,
  addResume,
  addRollback,
  addRun,
  addSignal,
} from './run-commands.js';
import { addDebugAdapter, addLanguageServer, addMcp, addServe, addUi } from './service-commands.js';
import {
  addDiff,
  addExport,
  addGc,
  addNotify,
  addOutput,
  addReport,
  addRuns,
  addSchedules,
  addShow,
  addVerifyRecord,
} from './store-commands.js';
import { storeOption } from './store-option.js';
import { addTest, addTrial } from './test-commands.js';
import { addVerify } from './verify-commands.js';

/** An error of the parser with what to write instead, for people who write what they know from other tools. */
function withHint(error: string, words: readonly string[]): string {
  const [first = ''] = error.split('\n');
  const file = /^error: unknown command '(.+\.(?:dsl|statedsl|md|ya?ml|json))'$/i.exec(first)?.[1];
  if (file !== undefined && words[0] === file) return `${error}(To run it: statedsl run ${file})\n`;
  const hint = hintFor(
    first,
    createProgram(() => {}),
    words,
  );
  return hint === null ? error : `${first}\n  = help: ${hint}\n`;
}

/** What the help begins with: a first reader learns most from a program. */
const EXAMPLE = `# hello.dsl
INPUT: name = "world"
STATE: GREET
  DO: greeting = echo "Hello, {name}!"
  RETURN: {greeting}

  statedsl run hello.dsl -i name=Ada
  statedsl guide                        the language on one page

`;

/** What adds each command, in the order of the help. A command line that names one needs no other. */
const COMMANDS = new Map<string, (program: Command, onExit: (code: number) => void) => void>(
  Object.entries({
    guide: addGuide,
    run: addRun,
    resume: addResume,
    replay: addReplay,
    answer: addAnswer,
    signal: addSignal,
    rollback: addRollback,
    cancel: addCancel,
    apply: addApply,
    runs: addRuns,
    schedules: addSchedules,
    notify: addNotify,
    show: addShow,
    diff: addDiff,
    report: addReport,
    'verify-record': addVerifyRecord,
    gc: addGc,
    check: addCheck,
    explain: addExplain,
    fmt: addFormat,
    test: addTest,
    trial: addTrial,
    verify: addVerify,
    convert: addConvert,
    graph: addGraph,
    export: addExport,
    disassemble: addDisassemble,
    list: addList,
    init: addInit,
    skill: addSkill,
    output: addOutput,
    plan: addPlan,
    engine: addEngine,
    worker: addWorker,
    ui: addUi,
    serve: addServe,
    mcp: addMcp,
    lsp: addLanguageServer,
    dap: addDebugAdapter,
    doctor: addSetup,
    limits: addSetup,
    completion: addSetup,
  }),
);

/** Calls `onExit` with the exit code of the command. `words` are the words of the command line, for hints. */
export function createProgram(onExit: (code: number) => void, words: readonly string[] = []): Command {
  const program = new Command('statedsl')
    .description(
      'Runs state machines of commands and agents, written as text. Runs survive crashes and can be resumed.',
    )
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      stdout.write(`${VERSION}\n`);
      throw Object.assign(new Error('version'), { code: 'commander.version', exitCode: 0 });
    })
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(withHint(visibleError(text), words)),
    })
    .helpCommand('help [command]', 'show the options of a command')
    .hook('preAction', (_, called) => refuseIdleFlags(called));
  program.addHelpText('before', EXAMPLE);
  const named = COMMANDS.get(words[0] ?? '');
  for (const add of named === undefined ? new Set(COMMANDS.values()) : [named]) add(program, onExit);
  addOutsideOption(program);
  return program;
}

function addSetup(program: Command, onExit: (code: number) => void): void {
  program
    .command('doctor')
    .description('show which agent programs are installed and how each configured agent is called')
    .option('--json', 'print one JSON object')
    .option('--probe', 'also ask each configured agent a question of one word, which costs a short call each')
    .action(async (options) => onExit(await (await import('../commands/doctor.js')).doctorCommand(options)));
  addOn(
    program
      .command('limits')
      .description(
        'list the accounts of agents that have reached a limit, and what programs have spent of their budgets',
      )
      .option('--clear <account>', 'let the calls of this account begin again (`all`: of every account)')
      .option('--json', 'print one JSON object')
      .addOption(storeOption()),
    'the address of an engine whose workers share limits; `none`: those of this machine, whatever the configuration says',
  ).action(async (options) => onExit(await (await import('../commands/limits.js')).limitsCommand(options)));
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) =>
      onExit(
        await (await import('../commands/completion.js')).completionCommand(
          shell,
          createProgram(() => {}),
        ),
      ),
    );
}
