/**
 * The command line as data: which commands there are, what they take, and what values look like. Each command is
 * loaded when it is called, so that starting `run` does not pay for `graph`.
 */
import { readFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import { addInit, addList, addOutput } from './look-commands.js';
import {
  bytes,
  collect,
  collectPairs,
  dollars,
  duration,
  durationOrNever,
  onOff,
  tokens,
  whole,
  wholeOrNone,
} from './option-values.js';
import { addOutsideOption } from './outside-option.js';
import { visibleError } from './usage.js';

/** Who begins with the name of a program wants to run it. */
function fileAsCommand(error: string): string {
  const file = /^error: unknown command '(.+\.(?:dsl|md|ya?ml|json))'\n$/i.exec(error)?.[1];
  return file === undefined ? '' : `(It is run with: statedsl run ${file})\n`;
}

/** Calls back with the exit code of the command that ran. */
export function createProgram(done: (code: number) => void): Command {
  const program = new Command('statedsl')
    .description('Runs the state machines people write in prose for agents and commands.')
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      process.stdout.write(`${version()}\n`);
      throw Object.assign(new Error('version'), { code: 'commander.version', exitCode: 0 });
    })
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(visibleError(text) + fileAsCommand(visibleError(text))) })
    .helpCommand('help [command]', 'show how a command is used');
  addRun(program, done);
  addResume(program, done);
  addReplay(program, done);
  addTell(program, done);
  addApply(program, done);
  addRuns(program, done);
  addShow(program, done);
  addReport(program, done);
  addGc(program, done);
  addCheck(program, done);
  addFormat(program, done);
  addConvert(program, done);
  addGraph(program, done);
  addList(program, done);
  addInit(program, done);
  addOutput(program, () => fromEnvironment('--dir <directory>', 'where runs are kept (default: .statedsl)'), done);
  addPlan(program, done);
  program
    .command('doctor')
    .description('tell which agent programs are installed, and how each configured agent is called')
    .option('--json', 'print one JSON object')
    .action(async (options) => done(await (await import('./doctor.js')).doctorCommand(options)));
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>', 'the shell it is for').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) =>
      done(
        await (await import('./completion.js')).completionCommand(
          shell,
          createProgram(() => {}),
        ),
      ),
    );
  addOutsideOption(program);
  return program;
}

/** Read when it is asked for. The bundle and the sources lie at different depths. */
export function version(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (name === 'statedsl') return version;
    } catch {}
  }
  return 'unknown';
}

function addRun(program: Command, done: (code: number) => void): void {
  program
    .command('run')
    .description('run a program')
    .argument('<file>', 'a `.dsl` or `.md` file, a plan (`.json`), or - for standard input')
    .option(
      '-i, --input <name=value>',
      'give an input a text, name:=JSON a value, name=@file the text of a file (repeatable)',
      collect,
    )
    .option('--input-file <file>', 'inputs as a JSON or YAML object')
    .option('--machine <name>', 'the machine to run (default: the first)')
    .option('--start <state>', 'the state to start in, as "STATE" or "STATE with x=1"')
    .option('--json', 'print one JSON object about the run')
    .option('--events', 'print the journal while it is written')
    .option('--quiet', 'print errors and the returned value only')
    .option('--verbose', 'show instructions also as they are written, without their values')
    .option('--dry-run', 'show what would run, and start nothing')
    .addOption(fromEnvironment('--dir <directory>', 'where runs are kept (default: .statedsl)'))
    .option('--cwd <directory>', 'where commands run (default: here)')
    .addOption(
      fromEnvironment(
        '--worktree [on|off]',
        'work in a git worktree (default: for workflow files in a repository)',
        onOff,
      ),
    )
    .addOption(fromEnvironment('--jobs <n>', 'how many commands run at once', whole))
    .addOption(fromEnvironment('--max-transitions <n>', 'limit of state changes (default: 100000)', whole))
    .addOption(fromEnvironment('--timeout <duration>', 'limit of the whole run, such as 30m', duration))
    .addOption(fromEnvironment('--effect-timeout <duration>', 'limit of each command and agent call', duration))
    .addOption(fromEnvironment('--max-cost <usd>', 'limit of what agents cost', dollars))
    .addOption(fromEnvironment('--max-tokens <n>', 'limit of tokens, such as 2M', tokens))
    .addOption(fromEnvironment('--max-journal <size>', 'limit of the record of the run (default: 1GiB)', bytes))
    .addOption(
      fromEnvironment('--max-output <size>', 'limit of what commands and agents print (default: 256MiB)', bytes),
    )
    .option('--agent <name=config>', 'use another configured agent for a name (repeatable)', collectPairs)
    .option('--mock <file>', 'take results of commands and agents from a file')
    .option('--detach', 'go on in the background and print the run')
    .option('--auto-events', 'emit STATE_ENTRY and PHASE_TRANSITION for every state')
    .addOption(
      fromEnvironment(
        '--suspend-after <duration>',
        'suspend the run when it has to wait longer, or never',
        durationOrNever,
      ),
    )
    .option('--resume', 'go on with the latest unfinished run of this program')
    .option('--again', 'with --resume: go back to before a failure that was handled')
    .option('--replay', 'compare the latest run of this program with what the program does now')
    .option('--from <point>', 'with --replay: execute a new run from here')
    .option('--tools <file>', 'the tools of a plan, or of CALL and PLAN (default: tools.yaml beside it)')
    .option('--state <file>', 'the state a plan begins with, a JSON object')
    .option('--approved <hash>', 'run the plan only if it is the one that was approved')
    .addOption(inDoubt())
    .action(async (file: string, options) => done(await (await import('./run.js')).runCommand(file, options)));
}

function addResume(program: Command, done: (code: number) => void): void {
  goingOn(program.command('resume').description('go on with a run that stopped'))
    .argument('[run]', 'its id or the beginning of it (default: the latest unfinished run)')
    .option('--from-file <file>', 'go on in an edited program')
    .option('--again', 'go back to before a failure that ON ERROR or ERROR has handled')
    .option('--detach', 'go on in the background and print the run')
    .action(async (run: string | undefined, options) =>
      done(await (await import('./resume.js')).resumeCommand(run, options)),
    );
}

function addReplay(program: Command, done: (code: number) => void): void {
  goingOn(program.command('replay').description('compare a run with its program, or do it again from a point'))
    .argument('<run>', 'its id or the beginning of it')
    .option('--from <point>', 'execute a new run from here: the number of an event, STATE, STATE#2, or a step')
    .option(
      '--failed',
      'do again the members of a PARALLEL or FOR EACH that failed, in a new run that takes over the others',
    )
    .option('--from-file <file>', 'compare the run with an edited program')
    .action(async (run: string, options) => done(await (await import('./replay.js')).replayCommand(run, options)));
}

function addTell(program: Command, done: (code: number) => void): void {
  goingOn(program.command('answer').description('answer questions of a run, and go on with it'))
    .argument('<run>', 'its id or the beginning of it')
    .argument('<answers...>', 'as name=value')
    .option('--no-resume', 'record the answer only')
    .action(async (run: string, answers: string[], options) =>
      done(await (await import('./tell.js')).answerCommand(run, answers, options)),
    );
  goingOn(program.command('signal').description('send a signal to a run, and go on with it'))
    .argument('<run>', 'its id or the beginning of it')
    .argument('<name>', 'the signal')
    .argument('[payload]', 'JSON, or text')
    .option('--no-resume', 'record the signal only')
    .action(async (run: string, name: string, payload: string | undefined, options) =>
      done(await (await import('./tell.js')).signalCommand(run, name, payload, options)),
    );
  goingOn(program.command('rollback').description('take back what a run did that failed or was cancelled'))
    .argument('<run>', 'its id or the beginning of it')
    .action(async (run: string, options) => done(await (await import('./rollback.js')).rollbackCommand(run, options)));
  program
    .command('cancel')
    .description('end a run for good')
    .argument('<run>', 'its id or the beginning of it')
    .option('--json', 'print one JSON object about the run')
    .option('--quiet', 'print errors only')
    .addOption(fromEnvironment('--dir <directory>', 'where runs are kept (default: .statedsl)'))
    .action(async (run: string, options) => done(await (await import('./tell.js')).cancelCommand(run, options)));
}

function addApply(program: Command, done: (code: number) => void): void {
  program
    .command('apply')
    .description('merge what a run did in its worktree into the current branch')
    .argument('[run]', 'its id or the beginning of it (default: the latest that returned)')
    .option('--json', 'print one JSON object about it')
    .option('--quiet', 'print errors only')
    .addOption(fromEnvironment('--dir <directory>', 'where runs are kept (default: .statedsl)'))
    .option('--cwd <directory>', 'the checkout to merge into (default: the one here)')
    .action(async (run: string | undefined, options) =>
      done(await (await import('./apply.js')).applyCommand(run, options)),
    );
}

/** What every command takes that goes on with a run. */
function goingOn(command: Command): Command {
  return command
    .option('-i, --input <name=value>', 'give a secret input again (repeatable)', collect)
    .option('--json', 'print one JSON object about the run')
    .option('--events', 'print the journal while it is written')
    .option('--quiet', 'print errors and the returned value only')
    .option('--verbose', 'show instructions also as they are written, without their values')
    .addOption(fromEnvironment('--dir <directory>', 'where runs are kept (default: .statedsl)'))
    .option('--cwd <directory>', 'where commands run (default: where they ran before)')
    .addOption(fromEnvironment('--max-transitions <n>', 'another limit of state changes', whole))
    .addOption(fromEnvironment('--timeout <duration>', 'another limit of the whole run', duration))
    .addOption(fromEnvironment('--max-cost <usd>', 'another limit of what agents cost', dollars))
    .addOption(fromEnvironment('--max-tokens <n>', 'another limit of tokens', tokens))
    .addOption(fromEnvironment('--max-journal <size>', 'another limit of the record of the run', bytes))
    .addOption(fromEnvironment('--max-output <size>', 'another limit of what commands and agents print', bytes))
    .option('--agent <name=config>', 'use another configured agent for a name (repeatable)', collectPairs)
    .option('--mock <file>', 'take results of commands and agents from a file')
    .addOption(inDoubt())
    .addOption(
      fromEnvironment(
        '--suspend-after <duration>',
        'suspend the run when it has to wait longer, or never',
        durationOrNever,
      ),
    );
}

function inDoubt(): Option {
  const choices = ['retry', 'skip', 'fail'];
  return new Option('--in-doubt <decision>', 'what to do with a `once` effect that may have run').choices(choices);
}

function addRuns(program: Command, done: (code: number) => void): void {
  looking(program.command('runs').description('list the runs that are kept, newest first'))
    .option('--last <n>', 'only the newest', whole)
    .action(async (options) => done(await (await import('./runs.js')).runsCommand(options)));
}

function addShow(program: Command, done: (code: number) => void): void {
  looking(program.command('show').description('show where a run stands, or stood at an earlier point'))
    .argument('[run]', 'its id or the beginning of it (default: the latest run)')
    .option('--at <seq>', 'the event to show it after, by its number', whole)
    .action(async (name: string | undefined, options) =>
      done(await (await import('./show.js')).showCommand(name, options)),
    );
}

function addReport(program: Command, done: (code: number) => void): void {
  looking(program.command('report').description('tell where the time and money of runs went'))
    .argument('[run]', 'its id or the beginning of it (default: the latest run)')
    .option('--last <n>', 'report on the newest runs together', whole)
    .option('--detail <name>', 'everything about one step, state or tool, try by try')
    .action(async (name: string | undefined, options) =>
      done(await (await import('./report.js')).reportCommand(name, options)),
    );
}

function addGc(program: Command, done: (code: number) => void): void {
  looking(program.command('gc').description('remove old runs'))
    .requiredOption('--keep-last <n>', 'how many of the newest runs stay', wholeOrNone)
    .option('--all', 'also remove runs that could be resumed')
    .option('--dry-run', 'show what would be removed, and remove nothing')
    .action(async (options) => done(await (await import('./gc.js')).gcCommand(options)));
}

/** What every command takes that reads what is kept. Scripts may pass `--cwd` to all commands; here nothing is run in it. */
function looking(command: Command): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print errors and what is asked for, and no hints')
    .addOption(fromEnvironment('--dir <directory>', 'where runs are kept (default: .statedsl)'))
    .addOption(new Option('--cwd <directory>', 'no command is run, so this changes nothing').hideHelp());
}

function addCheck(program: Command, done: (code: number) => void): void {
  program
    .command('check')
    .description('report what is wrong with programs, and run nothing')
    .argument('<files...>', '`.dsl` or `.md` files, plans (`.json`), or - for standard input')
    .option('--explain', 'also say what was chosen where the program leaves a choice')
    .option('--json', 'print one JSON object')
    .option('--strict', 'treat warnings as errors')
    .option('--quiet', 'print errors only')
    .option('--fix', 'first make the fixes that leave nothing to decide')
    .option('--cwd <directory>', 'where commands would run (default: here)')
    .addOption(unusedStore())
    .option('--tools <file>', 'the tools of a plan, or of CALL and PLAN (default: tools.yaml beside it)')
    .option('--state <file>', 'the state a plan begins with, a JSON object')
    .option('--mock <file>', 'count the agents that this file answers for as configured')
    .action(async (files: string[], options) => done(await (await import('./check.js')).checkCommand(files, options)));
}

function addFormat(program: Command, done: (code: number) => void): void {
  program
    .command('fmt')
    .description('format programs in place')
    .argument('<files...>', '`.dsl` or `.md` files, or - to read standard input and write standard output')
    .option('--check', 'change nothing; print the files that would change and exit with 1')
    .action(async (files: string[], options) => done(await (await import('./fmt.js')).formatCommand(files, options)));
}

function addConvert(program: Command, done: (code: number) => void): void {
  program
    .command('convert')
    .description('print a workflow file as a program, or a program of steps as a workflow file')
    .argument('<file>', 'a `.yaml` file, or a `.dsl` file that holds steps and nothing else')
    .action(async (file: string) => done(await (await import('./convert.js')).convertCommand(file)));
}

function addGraph(program: Command, done: (code: number) => void): void {
  const formats = ['mermaid', 'dot', 'svg', 'ascii'];
  program
    .command('graph')
    .description('draw the states of a program')
    .argument('<file>', 'a `.dsl` or `.md` file, a plan (`.json`), or - for standard input')
    .addOption(new Option('--format <format>', 'how it is drawn').choices(formats).default('mermaid'))
    .option('--machine <name>', 'the machine to draw (default: all)')
    .action(async (file: string, options) => done(await (await import('./graph.js')).graphCommand(file, options)));
}

function addPlan(program: Command, done: (code: number) => void): void {
  const plan = program.command('plan').description('look at a plan before it runs');
  onPlan(plan.command('check').description('report what is wrong with a plan, and what it has to be given'))
    .option('--strict', 'treat warnings as errors')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options) =>
      done(await (await import('./plan/plan-check.js')).planCheckCommand(file, options)),
    );
  onPlan(plan.command('graph').description('draw the calls of a plan and the paths between them'))
    .addOption(new Option('--format <format>', 'how it is drawn').choices(['mermaid', 'dot', 'svg']).default('mermaid'))
    .action(async (file: string, options) =>
      done(await (await import('./plan/plan-graph.js')).planGraphCommand(file, options)),
    );
  onPlan(plan.command('simulate').description('show what runs for every combination of outcomes'))
    .option('--json', 'print one JSON object')
    .action(async (file: string, options) =>
      done(await (await import('./plan/plan-simulate.js')).planSimulateCommand(file, options)),
    );
  onPlan(plan.command('approve').description('print the hash of a plan with its tools'))
    .option('--json', 'print one JSON object')
    .action(async (file: string, options) =>
      done(await (await import('./plan/plan-approve.js')).planApproveCommand(file, options)),
    );
}

/** What every command takes that looks at a plan. */
function onPlan(command: Command): Command {
  return command
    .argument('<file>', 'a plan, or - for standard input')
    .option('--tools <file>', 'its tools (default: tools.yaml beside it, then here)')
    .option('--state <file>', 'the state it begins with, a JSON object')
    .option('--quiet', 'print errors and what is asked for')
    .addOption(unusedStore())
    .addOption(new Option('--cwd <directory>', 'nothing is run, so this changes nothing').hideHelp());
}

/** Scripts may pass `--dir` to all commands; where nothing is run, nothing is kept. */
function unusedStore(): Option {
  return new Option('--dir <directory>', 'no run is made, so this changes nothing').hideHelp();
}

/** An option that a variable can set too: `--max-cost` and `STATEDSL_MAX_COST`. The flag wins, and an empty variable is none. */
function fromEnvironment(flags: string, description: string, parse?: (value: string) => unknown): Option {
  const option = new Option(flags, description);
  if (parse !== undefined) option.argParser(parse);
  const name = `STATEDSL_${option.attributeName().replace(/[A-Z]/g, '_$&').toUpperCase()}`;
  return process.env[name] === '' ? option : option.env(name);
}
