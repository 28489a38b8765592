/**
 * Runs the command lines of a `-- session --` section as a person would type them, in a folder that holds the case's
 * files. What they print stands below each; an exit code other than 0 is a last line of its own.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Case, filesOf, programOf, sectionText } from './case-file.js';
import { placeFiles } from './run-case.js';

const cli = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'dist/cli.js');

function commandLines(the: Case): string[] {
  const lines = (sectionText(the, 'session') ?? '').split('\n');
  return lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
}

/** stdout and stderr as they come, and how it ended. */
function typed(line: string, folder: string): Promise<string> {
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env;
  const path = [join(folder, '.bin'), env.PATH].join(delimiter);
  const child = spawn('bash', ['-c', `exec 2>&1; ${line}`], { cwd: join(folder, 'here'), env: { ...env, PATH: path } });
  child.stdin.end();
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const text = Buffer.concat(chunks)
        .toString('utf8')
        .replace(/([^\n])$/, '$1\n');
      resolve(code === 0 ? text : `${text}exit ${code ?? 'by a signal'}\n`);
    });
  });
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
    let session = '';
    for (const line of commandLines(the)) session += `$ ${line}\n${steady(await typed(line, folder), folder)}`;
    return session;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
