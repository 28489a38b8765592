/**
 * Runs the command lines of a `-- session --` section as a person would type them, in a folder that holds the case's
 * files. What each of them prints follows it; an exit code other than 0 is a separate last line. The line `later 1h` lets
 * an hour pass at once.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { commandLine } from '../harness/command-line.js';
import { cli, start } from '../harness/process.js';
import { type Case, filesOf, programOf, sectionText } from './case-file.js';
import { writeFiles } from './run-case.js';

function commandLines(the: Case): string[] {
  const lines = (sectionText(the, 'session') ?? '').split('\n');
  return lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
}

interface Shell {
  readonly folder: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** How much time has passed without waiting for it. */
  laterMs: number;
}

/** A line that lets this time pass for all commands that need no process. */
const LATER = /^later (\d+)h$/;

/** stdout and stderr as they come, and how it ended. */
async function typed(line: string, shell: Shell): Promise<string> {
  const hours = LATER.exec(line)?.[1];
  if (hours !== undefined) {
    shell.laterMs += Number(hours) * 3_600_000;
    return '';
  }
  const { text, code } = PLAIN.test(line) ? await direct(line, shell) : await inShell(line, shell);
  const whole = text.replace(/([^\n])$/, '$1\n');
  return code === 0 ? whole : `${whole}exit ${code ?? 'by a signal'}\n`;
}

interface Typed {
  readonly text: string;
  readonly code: number | null;
}

/** A command that needs no shell. */
const PLAIN = /^statedsl(?: [^|;&<>()$`"'\\*?[\]{}~#\s]+)*$/;

/**
 * Lines whose commands need processes: one reads standard input or has a variable of its own, starts itself again, has no
 * working directory, or runs at the same time as another.
 */
const NEEDS_PROCESS =
  /--detach|--format svg|(?:^| )-(?: |$)|\brmdir\b|\bexport\b|\w=\S* statedsl|\| ?statedsl|(?<![&>])&(?![&>\d])|<\(/;

async function direct(line: string, shell: Shell): Promise<Typed> {
  if (NEEDS_PROCESS.test(line)) return inShell(line, shell);
  const [, ...words] = line.split(' ');
  const { folder, env, laterMs } = shell;
  const { code, output } = await commandLine(words, { cwd: join(folder, 'here'), env, laterMs });
  return { text: output.map(({ text }) => text).join(''), code };
}

async function inShell(line: string, shell: Shell): Promise<Typed> {
  const { folder, env } = shell;
  const isHandedOver = /\bstatedsl /.test(line) && !NEEDS_PROCESS.test(line);
  const script = `exec 2>&1\n${isHandedOver ? handOver(folder) : ''}${line}`;
  const child = start('bash', ['-c', script], { cwd: join(folder, 'here'), env, talks: isHandedOver });
  child.talk?.on('data', () => void answerCall(child.talk as Duplex, shell));
  const { code, stdout } = await child.end;
  return { text: stdout, code };
}

/**
 * Replaces the program by a function that hands its words to this process, and then prints what this process reports.
 * Programs that the shell starts still find the program itself.
 */
function handOver(folder: string): string {
  return `statedsl() {
  printf '%s\\0' "$PWD" "$@" > '${folder}/words'
  echo >&3
  read -r _ <&3
  . '${folder}/answer'
}
`;
}

async function answerCall(talk: Duplex, { folder, env, laterMs }: Shell): Promise<void> {
  const [cwd = '', ...words] = readFileSync(join(folder, 'words'), 'utf8').split('\0').slice(0, -1);
  const { code, output } = await commandLine(words, { cwd, env, laterMs });
  const lines = output.map(
    ({ isError, text }) => `printf %s '${text.replaceAll("'", "'\\''")}'${isError ? ' >&2' : ''}`,
  );
  writeFileSync(join(folder, 'answer'), [...lines, `return ${code}`, ''].join('\n'));
  talk.write('\n');
}

const user = userInfo().username;
const today = (): string => new Date().toISOString().slice(0, 10);
const firstDay = today();

/** Times, today and ids differ from run to run, the folder from machine to machine. How wide a column of times is follows them. */
function steady(text: string, folder: string): string {
  return text
    .replaceAll(join(folder, 'here'), '$DIR')
    .replaceAll(`by ${user}`, 'by $USER')
    .replaceAll(`(${user})`, '($USER)')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '$RUN')
    .replace(/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+Z)?/g, '$DATE')
    .replaceAll(firstDay, '$TODAY')
    .replaceAll(today(), '$TODAY')
    .replace(/\b\d+(\.\d+)? ?(ms|s)\b/g, '$TIME')
    .replace(/ {3,}(?=(?:\$?TIME|MEDIAN|MAX)(?:$| {2,}(?:\$TIME|MEDIAN|MAX)))/gm, '  ');
}

/** The session as it went. */
export async function sessionOf(the: Case): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'statedsl-session-')));
  try {
    mkdirSync(join(folder, '.bin'));
    symlinkSync(cli, join(folder, '.bin/statedsl'));
    mkdirSync(join(folder, 'here'));
    writeFiles(join(folder, 'here'), filesOf(the));
    if (the.sections.some(({ name }) => name.startsWith('program'))) {
      const { name, text } = programOf(the);
      writeFileSync(join(folder, 'here', name), text);
    }
    // As in the shell of a person, wherever the tests run.
    const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...env } = process.env;
    const path = [join(folder, '.bin'), env.PATH].join(delimiter);
    const shell = { folder, env: { ...env, PATH: path, XDG_STATE_HOME: join(folder, '.state') }, laterMs: 0 };
    let session = '';
    for (const line of commandLines(the)) session += `$ ${line}\n${steady(await typed(line, shell), folder)}`;
    return session;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
