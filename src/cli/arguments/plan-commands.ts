/** The commands of plans: `plan check`, `plan graph`, `plan simulate` and `plan approve`. */
import { type Command, Option } from 'commander';
import { unusedStoreOption } from './store-option.js';

export function addPlan(program: Command, onExit: (code: number) => void): void {
  const plan = program.command('plan').description('inspect a plan before it runs');
  addPlanOptions(plan.command('check').description('report the errors and warnings of a plan, and its required inputs'))
    .option('--strict', 'treat warnings as errors')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options) =>
      onExit(await (await import('../commands/check.js')).checkCommand([file], options)),
    );
  addPlanOptions(plan.command('graph').description('draw the calls of a plan and the data that connects them'))
    .addOption(
      new Option('--format <format>', 'the output format').choices(['mermaid', 'dot', 'svg']).default('mermaid'),
    )
    .action(async (file: string, options) =>
      onExit(await (await import('../commands/plan/plan-graph.js')).planGraphCommand(file, options)),
    );
  addPlanOptions(plan.command('simulate').description('show which calls run for every combination of outcomes'))
    .option('--json', 'print one JSON object')
    .action(async (file: string, options) =>
      onExit(await (await import('../commands/plan/plan-simulate.js')).planSimulateCommand(file, options)),
    );
  addPlanOptions(
    plan.command('approve').description('print the hash of a plan and its tools, which `run --approved` takes'),
  )
    .option('--json', 'print one JSON object')
    .action(async (file: string, options) =>
      onExit(await (await import('../commands/plan/plan-approve.js')).planApproveCommand(file, options)),
    );
}

/** The options of all commands that inspect a plan. */
function addPlanOptions(command: Command): Command {
  return command
    .argument('<file>', 'a plan, or - for standard input')
    .option('--tools <file>', 'its tools (default: tools.yaml next to the plan, then in the current directory)')
    .option('--state <file>', 'its initial state, a file with a JSON object')
    .option('--quiet', 'print only errors and the result')
    .addOption(unusedStoreOption())
    .addOption(new Option('--cwd <directory>', 'ignored: this runs nothing').hideHelp());
}
