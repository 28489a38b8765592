/** The command `test`, and the options of `run` for cassettes. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { environmentOption } from './environment-option.js';
import { collectPairs, dollars, durationOrNever, onOff, wholeNumber } from './flag-values.js';
import { storeOption } from './store-option.js';

/** A table, or a file to write. */
function addCoverage(given: string, before: readonly string[] = []): string[] {
  if (given !== 'table' && !/^(?:lcov|json|svg):./.test(given))
    throw new InvalidArgumentError('Write `--coverage`, or `--coverage=KIND:FILE` with the kind lcov, json or svg.');
  return [...before, given];
}

function percent(given: string): number {
  const value = Number(given);
  if (given.trim() === '' || !(value >= 0 && value <= 100))
    throw new InvalidArgumentError('Write a number from 0 to 100.');
  return value;
}

/** The options of `run` that write or play a cassette. */
export function addCassetteOptions(command: Command): Command {
  return command
    .option(
      '--record <file>',
      'record the outcomes of commands, agents and questions in a file, a cassette, to run the program again without them',
    )
    .option('--overwrite', 'with --record: replace an existing file')
    .option('--cassette <file>', 'take all outcomes from a cassette, in virtual time; starts nothing')
    .addOption(
      new Option(
        '--cassette-match <how>',
        'how outcomes are found in the cassette: by position in the run, or by content (default: path)',
      ).choices(['path', 'fingerprint']),
    )
    .addOption(
      new Option(
        '--cassette-drift <what>',
        'what happens when the program asks for something else than was recorded (default: fail)',
      ).choices(['fail', 'warn']),
    );
}

const KINDS = ['crash', 'fail', 'late', 'twice'];

function faultKinds(given: string): string[] {
  const kinds = given.split(',').map((kind) => kind.trim());
  if (!kinds.every((kind) => KINDS.includes(kind)))
    throw new InvalidArgumentError('Write `--faults=crash,fail,late,twice`, or some of these.');
  return kinds;
}

function faultPoint(given: string): string {
  if (!/^(?:crash|fail|late|twice)@\d/.test(given)) throw new InvalidArgumentError('Write a point such as `crash@31`.');
  return given;
}

const REPORTERS = ['pretty', 'tap', 'junit', 'json', 'github'];

export function addTest(program: Command, onExit: (code: number) => void): void {
  program
    .command('test')
    .description('run the tests of programs: scripted answers, virtual time, nothing is started')
    .argument('[paths...]', 'test files (`.test.dsl`) and folders (default: the current directory)')
    .option('--filter <text>', 'run only the tests with this text in their name')
    .option('--rerun-failed', 'run only the tests that failed when they last ran; all, if none is on record')
    .option('--jobs <n>', 'how many tests may run at the same time', wholeNumber)
    .option('--bail', 'stop after the first test that fails')
    .option('--watch', 'run the tests again whenever a file changes')
    .option('--update', 'write the snapshots')
    .option('--update-cassettes', 'call what is not as recorded, and write the cassettes')
    .option('--offline', 'start nothing, even if a mock says `for real` (default in CI)')
    .option('--no-offline', 'start what mocks answer `for real`')
    .addOption(new Option('--reporter <name>', 'how results are printed').choices(REPORTERS).default('pretty'))
    .addOption(
      new Option(
        '--coverage [kind:file]',
        'show what the tests execute; `lcov:FILE`, `json:FILE` and `svg:FILE` write it',
      )
        .preset('table')
        .argParser(addCoverage),
    )
    .addOption(
      new Option(
        '--faults [kinds]',
        'run each test again with faults: crash, fail, late, twice (default: the first three)',
      )
        .preset('crash,fail,late')
        .argParser(faultKinds),
    )
    .option('--fault <point>', 'run only this fault and show its log, such as crash@31', faultPoint)
    .option('--coverage-min <percent>', 'fail if less is covered', percent)
    .option('--mutate', 'make small mistakes in the programs, one at a time, and list those that no test notices')
    .option('--min <percent>', 'with --mutate: fail if the tests notice less', percent)
    .option('--suggest', 'write a test for each way that the tests do not go')
    .option('--cwd <directory>', 'the working directory of programs (default: the current directory)')
    .option('--quiet', 'print only failures and the summary')
    .action(async (paths: string[], options) =>
      onExit(await (await import('../commands/test.js')).testCommand(paths, options)),
    );
}

export function addTrial(program: Command, onExit: (code: number) => void): void {
  program
    .command('trial')
    .description('run a program with its real agents over cases, and say how often it passes, and at what price')
    .argument('[file]', 'the program, as `run` takes it')
    .option('--cases <file>', 'a YAML file with the cases: a list of `{name, inputs, expect}`')
    .option('-n, --count <n>', 'how many times each case runs (default: 10)', wholeNumber)
    .option('--jobs <n>', 'how many runs may work at the same time (default: 1)', wholeNumber)
    .option('--budget <usd>', 'what all runs may cost together; nothing begins that may exceed it', (given: string) =>
      dollars(given.replace(/^\$/, '')),
    )
    .option('--against <file>', 'compare with another program, on the same cases')
    .option(
      '--agent <name=agent>',
      'compare with the same program and another agent for this name (repeatable)',
      collectPairs,
    )
    .option('--resume [trial]', 'resume a trial that stopped (default: the latest)')
    .option('--min <percent>', 'fail if fewer runs pass; of two variants, the second counts', percent)
    .option('--machine <name>', 'the machine to run (default: the first)')
    .option('--tools <file>', 'the tools of plans and CALL (default: tools.yaml next to the program)')
    .option('--cwd <directory>', 'the working directory of commands (default: the current directory)')
    .addOption(environmentOption('--worktree [on|off]', 'give each run a git worktree of its own', onOff))
    .option('--suspend-after <duration>', 'park runs that wait longer, or `never` (default: 1m)', durationOrNever)
    .option('--yes', 'start although it may call agents more often, or cost more, than `confirm_above` allows')
    .option('--json', 'print one JSON object')
    .option('--quiet', 'print no line for each run')
    .addOption(storeOption())
    .action(async (file: string | undefined, options) =>
      onExit(await (await import('../commands/trial.js')).trialCommand(file, options)),
    );
}
