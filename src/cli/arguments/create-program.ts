/**
 * The command line as data: the commands, their arguments and options, and the form of their values. Each command is
 * loaded when it is called, so that starting `run` does not pay for `graph`.
 */
import { Argument, Command } from 'commander';
import { VERSION } from '../../runtime/version.js';
import { stderr, stdout } from '../terminal/streams.js';
import { visibleError } from '../terminal/usage-error.js';
import { addEngine, addWorker } from './engine-commands.js';
import { addOutsideOption } from './outside-option.js';
import { addPlan } from './plan-commands.js';
import { addCheck, addConvert, addDisassemble, addFormat, addGraph, addInit, addList } from './program-commands.js';
import { addApply, addDeliver, addReplay, addResume, addRun } from './run-commands.js';
import { addServe, addUi } from './service-commands.js';
import { addGc, addOutput, addReport, addRuns, addShow } from './store-commands.js';
import { addTest } from './test-commands.js';
import { addVerify } from './verify-commands.js';

/** A hint for people who give a program as the command. */
function runHint(error: string): string {
  const file = /^error: unknown command '(.+\.(?:dsl|md|ya?ml|json))'\n$/i.exec(error)?.[1];
  return file === undefined ? '' : `(To run it: statedsl run ${file})\n`;
}

/** Calls `onExit` with the exit code of the command. */
export function createProgram(onExit: (code: number) => void): Command {
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
      outputError: (text, write) => write(visibleError(text) + runHint(visibleError(text))),
    })
    .helpCommand('help [command]', 'show the options of a command');
  addRun(program, onExit);
  addResume(program, onExit);
  addReplay(program, onExit);
  addDeliver(program, onExit);
  addApply(program, onExit);
  addRuns(program, onExit);
  addShow(program, onExit);
  addReport(program, onExit);
  addGc(program, onExit);
  addCheck(program, onExit);
  addFormat(program, onExit);
  addTest(program, onExit);
  addVerify(program, onExit);
  addConvert(program, onExit);
  addGraph(program, onExit);
  addDisassemble(program, onExit);
  addList(program, onExit);
  addInit(program, onExit);
  addOutput(program, onExit);
  addPlan(program, onExit);
  addEngine(program, onExit);
  addWorker(program, onExit);
  addUi(program, onExit);
  addServe(program, onExit);
  program
    .command('doctor')
    .description('show which agent programs are installed and how each configured agent is called')
    .option('--json', 'print one JSON object')
    .action(async (options) => onExit(await (await import('../commands/doctor.js')).doctorCommand(options)));
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
  addOutsideOption(program);
  return program;
}
