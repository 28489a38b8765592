/** The command `verify`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { collect, duration, wholeNumber, wholeOrNone } from './flag-values.js';

const REDUCTIONS = ['one-order', 'dead-values', 'slicing', 'saturation'];

function names(given: string, before: readonly string[] = []): string[] {
  const found = given.split(',').map((name) => name.trim());
  if (found.includes('')) throw new InvalidArgumentError('Write names, separated by commas.');
  return [...before, ...found];
}

export function addVerify(program: Command, onExit: (code: number) => void): void {
  program
    .command('verify')
    .description('explore everything that programs can do, without starting anything')
    .argument('<files...>', 'programs, documents and workflow files, or test files (`.test.dsl`) with properties')
    .option('--machine <name>', 'the machine of a file with several')
    .option('--start <state>', 'the first state, with its entry values: "STATE with a=1"')
    .option('-i, --input <name=value>', 'fix an input (repeatable)', collect)
    .option('--free <names>', 'inputs that may have any value, although they have a default', names)
    .option('--no-failures', 'leave out failures of effects')
    .option('--len <n>', 'the longest list of unknown length that is explored', wholeOrNone, 2)
    .option('--max-configurations <n>', 'stop after so many configurations', wholeNumber, 200_000)
    .option('--seconds <n>', 'stop after so much time of the processor', wholeNumber, 60)
    .option('--timeout <duration>', 'stop after so much time, for all programs together: 30s, 10m', duration)
    .addOption(
      new Option('--no-reduction <name>', 'explore without a reduction (repeatable)').argParser(
        (given, before: unknown) => {
          if (!REDUCTIONS.includes(given))
            throw new InvalidArgumentError(`The reductions are ${REDUCTIONS.join(', ')}.`);
          return [...(Array.isArray(before) ? (before as string[]) : []), given];
        },
      ),
    )
    .option('--never <moment>', 'what must not happen: "event X UNLESS state Y" (repeatable)', collect)
    .option('--after <moments>', 'what must follow before the end: "state X → state Y" (repeatable)', collect)
    .option('--assume <condition>', 'what is true of the inputs of all runs: "rounds > 0" (repeatable)', collect)
    .option('--property <name>', 'only this property of the test files (repeatable)', collect)
    .option('--strict', 'warnings count, too')
    .option('--traces', 'print also the run that shows each end, defect and verdict, and the next step')
    .option('--bounds', 'print all bounds, also if there are many')
    .option('--write-tests <folder>', 'write a TEST for each confirmed trace')
    .option('--tools <file>', 'the tools of CALL')
    .addOption(
      new Option('--graph <form>', 'print the graph of the programs, with what runs reach')
        .choices(['svg', 'mermaid'])
        .conflicts('json'),
    )
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print only defects and properties that do not hold')
    .action(async (files: string[], options) =>
      onExit(await (await import('../commands/verify.js')).verifyCommand(files, options)),
    );
}
