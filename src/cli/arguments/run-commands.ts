/** The commands that start, continue and end runs, and merge what they changed. */
import { type Command, Option } from 'commander';
import { addOn } from './engine-commands.js';
import { environmentOption } from './environment-option.js';
import {
  bytes,
  collect,
  collectPairs,
  dollars,
  duration,
  durationOrNever,
  oneName,
  onOff,
  tokens,
  wholeNumber,
} from './flag-values.js';
import { RUN, storeOption } from './store-option.js';
import { addCassetteOptions } from './test-commands.js';

export function addRun(program: Command, onExit: (code: number) => void): void {
  const command = addOn(addCassetteOptions(program.command('run')))
    .description('run a program')
    .argument('<file>', 'a `.dsl`, `.md` or workflow file, a plan (`.json`), or - for standard input')
    .option(
      '-i, --input <name=value>',
      'set an input: name=text, name:=JSON, or name=@file for the text of a file (repeatable)',
      collect,
    )
    .option('--name <text>', 'what to call the run in lists (default: the TITLE of the program, or the inputs)')
    .option('--input-file <file>', 'read inputs from a JSON or YAML file')
    .option('--machine <name>', 'the machine to run (default: the first)')
    .option('--start <state>', 'the state to start in, as "STATE" or "STATE with x=1"');
  addPrinting(command)
    .option('--dry-run', 'show what would run without running it')
    .option('--yes', 'start it although it may call agents more often, or cost more, than `confirm_above` allows')
    .addOption(storeOption())
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
    .option('--fresh', 'take nothing from the memo: do again what is marked with `memo`, and remember it')
    .option(
      '--only <name>',
      'only this state or step: what comes before it must be in the memo, and the run stops after it',
    )
    .addOption(environmentOption('--memo-max-age <duration>', 'use no remembered outcome that is older', duration))
    .option('--mock <file>', 'take the results of commands, agents and people from a file, in virtual time')
    .option('--real-time', 'with --mock: use the real clock instead of virtual time')
    .option('--key <text>', 'runs with the same key are executed one at a time (default: the KEY of the program)')
    .addOption(
      new Option('--on-busy <what>', 'what happens if another run has the key (default: wait)').choices([
        'wait',
        'skip',
        'cancel',
      ]),
    )
    .addOption(
      new Option('--key-while <period>', 'hold the key only so long (default: until the run ends)').choices([
        'running',
      ]),
    )
    .option('--detach', 'continue in the background and print the run')
    .option('--auto-events', 'emit the events STATE_ENTRY and PHASE_TRANSITION for every state')
    .addOption(suspendOption())
    .option('--resume', 'resume the latest unfinished run of this program')
    .option('--again', 'with --resume: go back to the point before a handled failure')
    .option('--replay', 'compare the latest run of this program with the program as it is now')
    .option('--from <point>', 'with --replay: start a new run from this point')
    .option('--tools <file>', 'the tools of a plan, or of CALL and PLAN (default: tools.yaml next to the file)')
    .option('--state <file>', 'the initial state of a plan, a file with a JSON object')
    .option('--approved <hash>', 'run the plan only if its hash is this one (see `plan approve`)')
    .addOption(inDoubtOption())
    .option('--home <name>', 'with --on: only workers with this name execute the run', oneName)
    .action(async (file: string, options) =>
      onExit(await (await import('../commands/run.js')).runCommand(file, options)),
    );
}

export function addResume(program: Command, onExit: (code: number) => void): void {
  addOn(addRecording(addResumeOptions(program.command('resume').description('resume a run that stopped'))))
    .argument('[run]', `${RUN} (default: the latest unfinished run)`)
    .option('--from-file <file>', 'resume the run in this edited program')
    .option('--again', 'go back to before a handled failure, or repeat what the edited program does again')
    .option('--yes', 'resume it although it may call agents more often, or cost more, than `confirm_above` allows')
    .option('--detach', 'continue in the background and print the run')
    .action(async (run: string | undefined, options) =>
      onExit(await (await import('../commands/resume.js')).resumeCommand(run, options)),
    );
}

export function addReplay(program: Command, onExit: (code: number) => void): void {
  addOn(
    addRecording(
      addResumeOptions(
        program.command('replay').description('compare a run with its program, or start a new run from a point of it'),
      ),
    ),
  )
    .argument('[run]', `${RUN} (default: the newest of this directory)`)
    .option('--from <point>', 'start a new run from here: the number of an event, STATE, STATE#2, or a step')
    .option(
      '--failed',
      'start a new run that repeats the failed members of a PARALLEL or FOR EACH and keeps the results of the others',
    )
    .option('--from-file <file>', 'compare the run with this edited program')
    .option('--yes', 'start it although it may call agents more often, or cost more, than `confirm_above` allows')
    .action(async (run: string | undefined, options) =>
      onExit(await (await import('../commands/replay.js')).replayCommand(run, options)),
    );
}

export function addAnswer(program: Command, onExit: (code: number) => void): void {
  addOn(
    addRecording(
      addResumeOptions(program.command('answer').description('answer the questions of a run and resume it')),
    ),
  )
    .argument('<run>', `${RUN}; without it, the one that waits for the answer`)
    .argument('[answers...]', 'the answers, as name=value')
    .option('--reason <text>', 'why you answer so, for the record')
    .option('--no-resume', 'only record the answer')
    .action(async (run: string, answers: string[], options) =>
      onExit(await (await import('../commands/deliver.js')).answerCommand(run, answers, options)),
    );
}

export function addSignal(program: Command, onExit: (code: number) => void): void {
  addOn(addRecording(addResumeOptions(program.command('signal').description('send a signal to a run and resume it'))))
    .argument('<run>', `${RUN}; without it, the one that waits for the signal`)
    .argument('[name]', 'the name of the signal')
    .argument('[payload]', 'its payload: JSON or text')
    .option('--no-resume', 'only record the signal')
    .action(async (run: string, name: string | undefined, payload: string | undefined, options) =>
      onExit(
        await (await import('../commands/deliver.js')).signalCommand(
          [run, name, payload].filter((word) => word !== undefined),
          options,
        ),
      ),
    );
}

export function addRollback(program: Command, onExit: (code: number) => void): void {
  addResumeOptions(program.command('rollback').description('undo what a failed or cancelled run did'))
    .argument('<run>', RUN)
    .action(async (run: string, options) =>
      onExit(await (await import('../commands/resume.js')).rollbackCommand(run, options)),
    );
}

export function addCancel(program: Command, onExit: (code: number) => void): void {
  addOn(program.command('cancel'))
    .description('end a run, so that it cannot be resumed')
    .argument('<run>', RUN)
    .option('--json', 'print one JSON object about the run')
    .option('--quiet', 'print only errors')
    .addOption(storeOption())
    .action(async (run: string, options) =>
      onExit(await (await import('../commands/deliver.js')).cancelCommand(run, options)),
    );
}

export function addApply(program: Command, onExit: (code: number) => void): void {
  addOn(program.command('apply'))
    .description('merge the changes in the worktree of a run into the current branch')
    .argument('[run]', `${RUN} (default: the latest that returned)`)
    .option('--json', 'print one JSON object about the result')
    .option('--quiet', 'print only errors')
    .addOption(storeOption())
    .option('--cwd <directory>', 'the checkout to merge into (default: the current directory)')
    .action(async (run: string | undefined, options) =>
      onExit(await (await import('../commands/apply.js')).applyCommand(run, options)),
    );
}

/** The options of all commands that resume a run. */
function addResumeOptions(command: Command): Command {
  return addPrinting(command.option('-i, --input <name=value>', 'pass a secret input again (repeatable)', collect))
    .addOption(storeOption())
    .option('--cwd <directory>', 'the working directory of commands (default: the same as before)')
    .addOption(environmentOption('--max-transitions <n>', 'new limit for state changes', wholeNumber))
    .addOption(environmentOption('--timeout <duration>', 'new time limit for the whole run', duration))
    .addOption(environmentOption('--max-cost <usd>', 'new limit for the cost of agents', dollars))
    .addOption(environmentOption('--max-tokens <n>', 'new limit for the tokens of agents', tokens))
    .addOption(environmentOption('--max-journal <size>', 'new limit for the size of the journal', bytes))
    .addOption(environmentOption('--max-output <size>', 'new limit for the output of commands and agents', bytes))
    .option('--agent <name=agent>', 'use another configured agent for this name (repeatable)', collectPairs)
    .option('--mock <file>', 'take the results of commands, agents and people from a file, in virtual time')
    .option('--real-time', 'with --mock: use the real clock instead of virtual time')
    .addOption(inDoubtOption())
    .addOption(suspendOption());
}

/** What is printed of a run while it is executed, and after it. */
function addPrinting(command: Command): Command {
  return command
    .option('--json', 'print one JSON object about the run')
    .option('--log', 'with --json: also show the log, which otherwise only a terminal gets')
    .option('--events', 'print the events of the journal as they are written')
    .option('--quiet', 'print only errors and the returned value')
    .option('--verbose', 'also show each instruction as it is written in the program');
}

/** The options of commands after which a cassette has all that a run got since its beginning. */
function addRecording(command: Command): Command {
  return command
    .option('--record <file>', 'write a cassette of the whole run, or continue the one that `run --record` began')
    .option('--overwrite', 'with --record: replace any other file');
}

function inDoubtOption(): Option {
  const choices = ['retry', 'skip', 'fail'];
  return new Option('--in-doubt <decision>', 'what to do with a `once` effect that may already have run').choices(
    choices,
  );
}

function suspendOption(): Option {
  return environmentOption(
    '--suspend-after <duration>',
    'suspend the run when it waits longer than this; `never` keeps waiting',
    durationOrNever,
  );
}
