/**
 * Runs the command lines of a `-- session --` section as a person would type them, in a folder that holds the case's
 * files. What each of them prints follows it; an exit code other than 0 is a separate last line.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { commandLine } from '../harness/command-line.js';
import { cli, runProgram } from '../harness/process.js';
import { type Case, filesOf, programOf, sectionText } from './case-file.js';
import { placeFiles } from './run-case.js';

function commandLines(the: Case): string[] {
  const lines = (sectionText(the, 'session') ?? '').split('\n');
  return lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
}

interface Shell {
  readonly folder: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** stdout and stderr as they come, and how it ended. */
async function typed(line: string, shell: Shell): Promise<string> {
  const { text, code } = (await inThisProcess(line, shell)) ?? (await inShell(line, shell));
  const whole = text.replace(/([^\n])$/, '$1\n');
  return code === 0 ? whole : `${whole}exit ${code ?? 'by a signal'}\n`;
}

interface Typed {
  readonly text: string;
  readonly code: number | null;
}

/** One command of statedsl, which may follow other commands of the shell and have its output filtered by some. */
const ONE_COMMAND =
  /^(?<before>(?:.*(?:;|&&) )?)statedsl(?<args>(?: (?:[^|;&<>()$`]|\$\w+|\$\([^()]*\))*)?)(?<errors> 2>&1| 2> ?\/dev\/null)?(?: \| (?<filter>.*))?$/;

/** What reads standard input, starts itself again or has no working directory. */
const NEEDS_PROCESS = /--detach|--format svg|(?:^| )-(?: |$)|\brmdir\b|\bexport\b/;

/**
 * The shell does everything but the command itself, which it hands over with its working directory and its expanded
 * words. Null if the line is more than that.
 */
async function inThisProcess(line: string, shell: Shell): Promise<Typed | null> {
  const { before = '', args = '', errors, filter } = ONE_COMMAND.exec(line)?.groups ?? {};
  const around = `${before}${args}${filter ?? ''}`;
  if (!ONE_COMMAND.test(line) || NEEDS_PROCESS.test(line) || /(?<![.\w/])statedsl /.test(around)) return null;
  const handed = await handOver(before, args, shell);
  if ('code' in handed) return handed;
  const { cwd, words, printed } = handed;
  const { code, stdout, stderr, output } = await commandLine(words, { cwd, env: shell.env });
  if (filter === undefined) return { text: printed + (errors?.includes('null') ? stdout : output), code };
  const filtered = await inShell(`cd '${cwd}'; ${filter}`, shell, errors === ' 2>&1' ? output : stdout);
  return { text: printed + (errors === undefined ? stderr : '') + filtered.text, code: filtered.code };
}

interface HandedOver {
  readonly cwd: string;
  readonly words: readonly string[];
  /** By the commands before. */
  readonly printed: string;
}

/** How the line ended, if it did not come to the command. */
async function handOver(before: string, args: string, shell: Shell): Promise<HandedOver | Typed> {
  const isPlain = before === '' && !/[$"'\\*?[{~#]/.test(args);
  if (isPlain) return { cwd: join(shell.folder, 'here'), words: args.split(' ').filter(Boolean), printed: '' };
  const file = join(shell.folder, 'handed');
  const result = await inShell(
    `statedsl() { printf '%s\\0' "$PWD" "$@" > '${file}'; }; ${before}statedsl${args}`,
    shell,
  );
  if (!existsSync(file)) return result;
  const [cwd = '', ...words] = readFileSync(file, 'utf8').split('\0').slice(0, -1);
  rmSync(file);
  return { cwd, words, printed: result.text };
}

async function inShell(line: string, { folder, env }: Shell, input = ''): Promise<Typed> {
  const { code, stdout } = await runProgram('bash', ['-c', `exec 2>&1; ${line}`], {
    cwd: join(folder, 'here'),
    env,
    input,
  });
  return { text: stdout, code };
}
const user = userInfo().username;

/** Times and ids differ from run to run, the folder from machine to machine. */
function steady(text: string, folder: string): string {
  return text
    .replaceAll(join(folder, 'here'), '$DIR')
    .replaceAll(`by ${user}`, 'by $USER')
    .replaceAll(`(${user})`, '($USER)')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '$RUN')
    .replace(/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+Z)?/g, '$DATE')
    .replace(/\b\d+(\.\d+)? ?(ms|s)\b/g, '$TIME');
}

/** The session as it went. */
export async function sessionOf(the: Case): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'statedsl-session-')));
  try {
    mkdirSync(join(folder, '.bin'));
    symlinkSync(cli, join(folder, '.bin/statedsl'));
    mkdirSync(join(folder, 'here'));
    placeFiles(join(folder, 'here'), filesOf(the));
    if (the.sections.some(({ name }) => name.startsWith('program'))) {
      const { name, text } = programOf(the);
      writeFileSync(join(folder, 'here', name), text);
    }
    // As in the shell of a person, wherever the tests run.
    const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...env } = process.env;
    const path = [join(folder, '.bin'), env.PATH].join(delimiter);
    const shell = { folder, env: { ...env, PATH: path } };
    let session = '';
    for (const line of commandLines(the)) session += `$ ${line}\n${steady(await typed(line, shell), folder)}`;
    return session;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
