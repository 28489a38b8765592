/**
 * The command line as data: the commands, their arguments and options, and the form of their values. Each command is
 * loaded when it is called, so that starting `run` does not pay for `graph`.
 */
import { Argument, Command, Option } from 'commander';
import { VERSION } from '../../runtime/version.js';
import { stderr, stdout } from '../terminal/streams.js';
import { visibleError } from '../terminal/usage.js';
import { addEngine, addOn, addWorker } from './engine-commands.js';
import { environmentOption } from './environment-option.js';
import { addInit, addList, addOutput, addServe, addUi } from './look-commands.js';
import {
  bytes,
  collect,
  collectPairs,
  dollars,
  duration,
  durationOrNever,
  onOff,
  tokens,
  wholeNumber,
  wholeOrNone,
} from './option-values.js';
import { addOutsideOption } from './outside-option.js';
import { addPlan, unusedStoreOption } from './plan-commands.js';
import { addCassetteOptions, addTest } from './test-commands.js';
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
  addOutput(
    program,
    () => environmentOption('--dir <directory>', 'the directory in which runs are stored (default: .statedsl)'),
    onExit,
  );
  addPlan(program, onExit);
  addEngine(program, onExit);
  addWorker(program, onExit);
  for (const add of [addUi, addServe])
    add(
      program,
      () => environmentOption('--dir <directory>', 'the directory in which runs are stored (default: .statedsl)'),
      onExit,
    );
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

function addRun(program: Command, onExit: (code: number) => void): void {
  addOn(addCassetteOptions(program.command('run')))
    .description('run a program')
    .argument('<file>', 'a `.dsl`, `.md` or workflow file, a plan (`.json`), or - for standard input')
    .option(
      '-i, --input <name=value>',
      'set an input: name=text, name:=JSON, or name=@file for the text of a file (repeatable)',
      collect,
    )
    .option('--input-file <file>', 'read inputs from a JSON or YAML file')
    .option('--machine <name>', 'the machine to run (default: the first)')
    .option('--start <state>', 'the state to start in, as "STATE" or "STATE with x=1"')
    .option('--json', 'print one JSON object about the run')
    .option('--events', 'print the events of the journal as they are written')
    .option('--quiet', 'print only errors and the returned value')
    .option('--verbose', 'also show each instruction as it is written in the program')
    .option('--dry-run', 'show what would run without running it')
    .addOption(environmentOption('--dir <directory>', 'the directory in which runs are stored (default: .statedsl)'))
    .option('--cwd <directory>', 'the working directory of commands (default: the current directory)')
    .addOption(
      environmentOption(
        '--worktree [on|off]',
        'work in a git worktree (default: for workflow files in a repository)',
        onOff,
      ),
    )
    .addOption(environmentOption('--jobs <n>', 'how many commands may run at the same time', wholeNumber))
    .addOption(environmentOption('--max-transitions <n>', 'limit for state changes (default: 100000)', wholeNumber))
    .addOption(environmentOption('--timeout <duration>', 'time limit for the whole run, such as 30m', duration))
    .addOption(
      environmentOption('--effect-timeout <duration>', 'time limit for each command and each agent call', duration),
    )
    .addOption(environmentOption('--max-cost <usd>', 'limit for the cost of agents', dollars))
    .addOption(environmentOption('--max-tokens <n>', 'limit for the tokens of agents, such as 2M', tokens))
    .addOption(environmentOption('--max-journal <size>', 'limit for the size of the journal (default: 1GiB)', bytes))
    .addOption(
      environmentOption('--max-output <size>', 'limit for the output of commands and agents (default: 256MiB)', bytes),
    )
    .option('--agent <name=agent>', 'use another configured agent for this name (repeatable)', collectPairs)
    .option('--mock <file>', 'take the results of commands, agents and people from a file, in virtual time')
    .option('--real-time', 'with --mock: waits and time limits take their time')
    .option('--detach', 'continue in the background and print the run')
    .option('--auto-events', 'emit the events STATE_ENTRY and PHASE_TRANSITION for every state')
    .addOption(
      environmentOption(
        '--suspend-after <duration>',
        'suspend the run when it waits longer than this; `never` keeps waiting',
        durationOrNever,
      ),
    )
    .option('--resume', 'resume the latest unfinished run of this program')
    .option('--again', 'with --resume: go back to the point before a handled failure')
    .option('--replay', 'compare the latest run of this program with the program as it is now')
    .option('--from <point>', 'with --replay: start a new run from this point')
    .option('--tools <file>', 'the tools of a plan, or of CALL and PLAN (default: tools.yaml next to the file)')
    .option('--state <file>', 'the initial state of a plan, a file with a JSON object')
    .option('--approved <hash>', 'run the plan only if its hash is this one (see `plan approve`)')
    .addOption(inDoubtOption())
    .action(async (file: string, options) =>
      onExit(await (await import('../commands/run.js')).runCommand(file, options)),
    );
}

function addResume(program: Command, onExit: (code: number) => void): void {
  addOn(addResumeOptions(program.command('resume').description('resume a run that stopped')))
    .argument('[run]', 'the id of the run or the beginning of it (default: the latest unfinished run)')
    .option('--from-file <file>', 'resume the run in this edited program')
    .option('--again', 'go back to the point before a failure that ON ERROR or ERROR handled')
    .option('--detach', 'continue in the background and print the run')
    .action(async (run: string | undefined, options) =>
      onExit(await (await import('../commands/resume.js')).resumeCommand(run, options)),
    );
}

function addReplay(program: Command, onExit: (code: number) => void): void {
  addOn(
    addResumeOptions(
      program.command('replay').description('compare a run with its program, or start a new run from a point of it'),
    ),
  )
    .argument('<run>', 'the id of the run or the beginning of it')
    .option('--from <point>', 'start a new run from here: the number of an event, STATE, STATE#2, or a step')
    .option(
      '--failed',
      'start a new run that repeats the failed members of a PARALLEL or FOR EACH and keeps the results of the others',
    )
    .option('--from-file <file>', 'compare the run with this edited program')
    .action(async (run: string, options) =>
      onExit(await (await import('../commands/replay.js')).replayCommand(run, options)),
    );
}

function addDeliver(program: Command, onExit: (code: number) => void): void {
  addOn(addResumeOptions(program.command('answer').description('answer the questions of a run and resume it')))
    .argument('<run>', 'the id of the run or the beginning of it')
    .argument('<answers...>', 'the answers, as name=value')
    .option('--no-resume', 'only record the answer')
    .action(async (run: string, answers: string[], options) =>
      onExit(await (await import('../commands/deliver.js')).answerCommand(run, answers, options)),
    );
  addOn(addResumeOptions(program.command('signal').description('send a signal to a run and resume it')))
    .argument('<run>', 'the id of the run or the beginning of it')
    .argument('<name>', 'the name of the signal')
    .argument('[payload]', 'its payload: JSON or text')
    .option('--no-resume', 'only record the signal')
    .action(async (run: string, name: string, payload: string | undefined, options) =>
      onExit(await (await import('../commands/deliver.js')).signalCommand(run, name, payload, options)),
    );
  addResumeOptions(program.command('rollback').description('undo what a failed or cancelled run did'))
    .argument('<run>', 'the id of the run or the beginning of it')
    .action(async (run: string, options) =>
      onExit(await (await import('../commands/rollback.js')).rollbackCommand(run, options)),
    );
  addOn(program.command('cancel'))
    .description('end a run, so that it cannot be resumed')
    .argument('<run>', 'the id of the run or the beginning of it')
    .option('--json', 'print one JSON object about the run')
    .option('--quiet', 'print only errors')
    .addOption(environmentOption('--dir <directory>', 'the directory in which runs are stored (default: .statedsl)'))
    .action(async (run: string, options) =>
      onExit(await (await import('../commands/deliver.js')).cancelCommand(run, options)),
    );
}

function addApply(program: Command, onExit: (code: number) => void): void {
  program
    .command('apply')
    .description('merge the changes in the worktree of a run into the current branch')
    .argument('[run]', 'the id of the run or the beginning of it (default: the latest that returned)')
    .option('--json', 'print one JSON object about the result')
    .option('--quiet', 'print only errors')
    .addOption(environmentOption('--dir <directory>', 'the directory in which runs are stored (default: .statedsl)'))
    .option('--cwd <directory>', 'the checkout to merge into (default: the current directory)')
    .action(async (run: string | undefined, options) =>
      onExit(await (await import('../commands/apply.js')).applyCommand(run, options)),
    );
}

/** The options of all commands that resume a run. */
function addResumeOptions(command: Command): Command {
  return command
    .option('-i, --input <name=value>', 'pass a secret input again (repeatable)', collect)
    .option('--json', 'print one JSON object about the run')
    .option('--events', 'print the events of the journal as they are written')
    .option('--quiet', 'print only errors and the returned value')
    .option('--verbose', 'also show each instruction as it is written in the program')
    .addOption(environmentOption('--dir <directory>', 'the directory in which runs are stored (default: .statedsl)'))
    .option('--cwd <directory>', 'the working directory of commands (default: the same as before)')
    .addOption(environmentOption('--max-transitions <n>', 'new limit for state changes', wholeNumber))
    .addOption(environmentOption('--timeout <duration>', 'new time limit for the whole run', duration))
    .addOption(environmentOption('--max-cost <usd>', 'new limit for the cost of agents', dollars))
    .addOption(environmentOption('--max-tokens <n>', 'new limit for the tokens of agents', tokens))
    .addOption(environmentOption('--max-journal <size>', 'new limit for the size of the journal', bytes))
    .addOption(environmentOption('--max-output <size>', 'new limit for the output of commands and agents', bytes))
    .option('--agent <name=agent>', 'use another configured agent for this name (repeatable)', collectPairs)
    .option('--mock <file>', 'take the results of commands, agents and people from a file, in virtual time')
    .option('--real-time', 'with --mock: waits and time limits take their time')
    .addOption(inDoubtOption())
    .addOption(
      environmentOption(
        '--suspend-after <duration>',
        'suspend the run when it waits longer than this; `never` keeps waiting',
        durationOrNever,
      ),
    );
}

function inDoubtOption(): Option {
  const choices = ['retry', 'skip', 'fail'];
  return new Option('--in-doubt <decision>', 'what to do with a `once` effect that may already have run').choices(
    choices,
  );
}

function addRuns(program: Command, onExit: (code: number) => void): void {
  addOn(addStoreOptions(program.command('runs').description('list the stored runs, newest first')))
    .option('--last <n>', 'list only this many', wholeNumber)
    .action(async (options) => onExit(await (await import('../commands/runs.js')).runsCommand(options)));
}

function addShow(program: Command, onExit: (code: number) => void): void {
  addOn(addStoreOptions(program.command('show').description('show the current or an earlier state of a run')))
    .argument('[run]', 'the id of the run or the beginning of it (default: the latest run)')
    .option('--at <seq>', 'show the run as it was after the event with this number', wholeNumber)
    .option('--follow', 'with --on: show the events of the run until it ends')
    .action(async (name: string | undefined, options) =>
      onExit(await (await import('../commands/show.js')).showCommand(name, options)),
    );
}

function addReport(program: Command, onExit: (code: number) => void): void {
  addOn(addStoreOptions(program.command('report').description('show how much time and money a run took, and where')))
    .argument('[run]', 'the id of the run or the beginning of it (default: the latest run)')
    .option('--last <n>', 'report on this many of the newest runs together', wholeNumber)
    .option('--detail <name>', 'show every attempt of one step, state or tool')
    .option('--html <file>', 'write the run as a page that opens without a network (`-`: to the output)')
    .action(async (name: string | undefined, options) =>
      onExit(await (await import('../commands/report.js')).reportCommand(name, options)),
    );
}

function addGc(program: Command, onExit: (code: number) => void): void {
  addOn(addStoreOptions(program.command('gc').description('remove old runs')))
    .requiredOption('--keep-last <n>', 'how many of the newest runs to keep', wholeOrNone)
    .option('--all', 'also remove runs that can still be resumed or applied')
    .option('--dry-run', 'show what would be removed without removing it')
    .action(async (options) => onExit(await (await import('../commands/gc.js')).gcCommand(options)));
}

/** The options of all commands that read stored runs. Scripts may pass `--cwd` to all commands; these ignore it. */
function addStoreOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print no hints')
    .addOption(environmentOption('--dir <directory>', 'the directory in which runs are stored (default: .statedsl)'))
    .addOption(new Option('--cwd <directory>', 'ignored: this starts no command').hideHelp());
}

function addCheck(program: Command, onExit: (code: number) => void): void {
  program
    .command('check')
    .description('report the errors and warnings of programs without running them')
    .argument('<files...>', '`.dsl`, `.md` or workflow files, plans (`.json`), or - for standard input')
    .option('--explain', 'also show how each instruction is understood')
    .option('--json', 'print one JSON object')
    .option('--strict', 'treat warnings as errors')
    .option('--quiet', 'print only errors')
    .option('--bounds', 'also print how often everything is called at most (explores the programs)')
    .option('--fix', 'first apply the fixes that need no decision')
    .option('--cwd <directory>', 'the directory in which commands would run (default: the current directory)')
    .addOption(unusedStoreOption())
    .option('--tools <file>', 'the tools of a plan, or of CALL and PLAN (default: tools.yaml next to the file)')
    .option('--state <file>', 'the initial state of a plan, a file with a JSON object')
    .option('--mock <file>', 'treat the agents in this file as configured')
    .action(async (files: string[], options) =>
      onExit(await (await import('../commands/check.js')).checkCommand(files, options)),
    );
}

function addFormat(program: Command, onExit: (code: number) => void): void {
  program
    .command('fmt')
    .description('format programs in place')
    .argument('<files...>', '`.dsl` or `.md` files, or - to format standard input')
    .option('--check', 'only print the files that would change, and exit with 1 if there are any')
    .action(async (files: string[], options) =>
      onExit(await (await import('../commands/fmt.js')).formatCommand(files, options)),
    );
}

function addConvert(program: Command, onExit: (code: number) => void): void {
  program
    .command('convert')
    .description('print a workflow file as a program, or a program of steps as a workflow file')
    .argument('<file>', 'a workflow file, or a `.dsl` file that contains only steps')
    .action(async (file: string) => onExit(await (await import('../commands/convert.js')).convertCommand(file)));
}

function addDisassemble(program: Command, onExit: (code: number) => void): void {
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

function addGraph(program: Command, onExit: (code: number) => void): void {
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
