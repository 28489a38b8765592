/** The commands that explain the language: to people, and to agents that write flows. */
import { type Command, Option } from 'commander';

export const SKILL_PROGRAMS = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot'] as const;

export function addGuide(program: Command, onExit: (code: number) => void): void {
  program
    .command('guide')
    .description('print the language on one page, from which a flow can be written')
    .argument('[part]', 'agents, failures, parallel, plans, runs or tests: more about this')
    .action(async (part: string | undefined) =>
      onExit(await (await import('../commands/guide.js')).guideCommand(part)),
    );
}

export function addExplain(program: Command, onExit: (code: number) => void): void {
  program
    .command('explain')
    .description('print what a code of `check` means, with a wrong and a right example')
    .argument('<code>', 'a code, as in `error[unknown-name]`')
    .action(async (code: string) => onExit(await (await import('../commands/explain.js')).explainCommand(code)));
}

export function addSkill(program: Command, onExit: (code: number) => void): void {
  const skill = program.command('skill').description('teach coding agents to write flows');
  skill
    .command('install')
    .description('copy the guide to where a coding agent looks for skills')
    .addOption(
      new Option('--for <program>', 'only for this program (default: all that are installed)').choices(SKILL_PROGRAMS),
    )
    .option('--project', 'for the current directory, not for all projects of this user')
    .option('--remove', 'remove what was installed, and nothing else')
    .option('--json', 'print one JSON object')
    .action(async (options) => onExit(await (await import('../commands/skill.js')).skillCommand(options)));
}
