/**
 * Completion of commands, options, files and runs in shells: prints the script that a shell loads, and the suggestions
 * that this script asks for. The suggestions come from the description of the command line that also parses it.
 */
import { readdirSync } from 'node:fs';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { type ListedRun, listRuns } from '../../runtime/list-runs.js';
import { localTime } from '../../views/drawing/amounts.js';
import { escapeControls, oneLine } from '../../views/drawing/visible-text.js';
import { storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';

/**
 * Bash also splits words at `=` and passes them as they are typed. The script uses only builtins of bash, because the
 * bash-completion library is missing on many systems.
 */
const BASH = `# bash completion for statedsl
_statedsl() {
  local i n=-1 word line quoted words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((n >= 0)) && [[ ($word == = && \${words[n]} == --*) || \${words[n]} == --*= ]]; then
      words[n]+=$word
    else
      words[++n]=$word
    fi
  done
  word=\${words[n]#[\\"\\']}
  words[n]=\${word//\\\\/}
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :* ]] && continue
    quoted=\${line%%$'\\t'*}
    [[ \${COMP_WORDS[COMP_CWORD]} == [\\"\\']* ]] || printf -v quoted %q "$quoted"
    COMPREPLY+=("$quoted")
  done < <(statedsl complete -- "\${words[@]}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _statedsl statedsl
`;

/** Prints the script for a shell. `program` must be an instance of its own, because completion changes it. */
export async function completionCommand(shell: string, program: Command): Promise<ExitCode> {
  if (shell === 'bash') {
    stdout.write(BASH);
    return EXIT.returned;
  }
  tab(program);
  await program.parseAsync(['complete', shell], { from: 'user' });
  return EXIT.returned;
}

/** Answers a shell that asks how a line continues: `statedsl complete -- words…`. */
export async function completeCommand(argv: string[], program: Command): Promise<ExitCode> {
  const commands = program.commands.map((command) => command);
  const completion = tab(program);
  // Commands that only shells call are not suggested to people.
  completion.commands.delete('complete');
  const word = argv[argv.length - 1] ?? '';
  for (const command of commands) {
    const answers = completion.commands.get(command.name());
    completeFiles(command, answers, word);
    completeRuns(answers, word, argv);
  }
  await program.parseAsync(argv);
  return EXIT.returned;
}

type Completion = ReturnType<typeof tab>;

/** Completes arguments and options whose value is a file or a directory with the existing ones. */
function completeFiles(command: Command, answers: ReturnType<Completion['commands']['get']>, word: string): void {
  for (const argument of answers?.arguments.values() ?? []) {
    if (!argument.name.startsWith('file')) continue;
    argument.handler = (complete) => {
      for (const name of paths(word, isProgram)) complete(name, '');
    };
  }
  const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
  for (const option of command.options) {
    const kind = /<(file|directory)>/.exec(option.flags)?.[1];
    const answer = answers?.options.get(option.long?.slice(2) ?? '');
    if (kind === undefined || answer === undefined) continue;
    answer.handler = (complete) => {
      for (const name of paths(value, () => kind === 'file')) complete(name, '');
    };
  }
}

/** The number of suggested runs: as many as a person may want to look through. */
const MOST_RUNS = 50;

/** Completes an argument that is a run with the newest runs, each with the facts that distinguish it. */
function completeRuns(
  answers: ReturnType<Completion['commands']['get']>,
  word: string,
  words: readonly string[],
): void {
  const argument = answers?.arguments.get('run');
  if (argument === undefined) return;
  argument.handler = (complete) => {
    const runs = runsIn(storeOf({ dir: storeAmong(words) })).filter(({ run_id }) => run_id.startsWith(word));
    for (const { run_id, status, machine, started_at } of runs.slice(0, MOST_RUNS))
      complete(run_id, `${status}, ${oneLine(escapeControls(machine ?? ''))}, ${localTime(started_at)}`);
  };
}

function runsIn(directory: string): ListedRun[] {
  try {
    return listRuns(directory);
  } catch {
    // The script discards error messages, so an unreadable store suggests nothing.
    return [];
  }
}

/** The store that the typed line names with `--dir`, or the environment variable if it names none. */
function storeAmong(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--dir' || word.startsWith('--dir='));
  const given = words[at]?.startsWith('--dir=') ? words[at]?.slice('--dir='.length) : words[at + 1];
  return at >= 0 ? given : process.env.STATEDSL_DIR || undefined;
}

/** Programs, workflow files and plans. */
function isProgram(name: string): boolean {
  return /[^/]\.(dsl|statedsl|md|markdown|ya?ml|json)$/i.test(name);
}

/** Directories and matching files whose path begins with the typed text. */
function paths(word: string, isWanted: (name: string) => boolean): string[] {
  const lead = word.slice(0, word.lastIndexOf('/') + 1);
  const typed = word.slice(lead.length);
  try {
    return readdirSync(lead === '' ? '.' : lead, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || isWanted(entry.name))
      .filter(({ name }) => name.startsWith(typed) && (typed !== '' || !name.startsWith('.')))
      .map((entry) => lead + entry.name + (entry.isDirectory() ? '/' : ''))
      .sort();
  } catch {
    return [];
  }
}
