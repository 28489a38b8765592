/**
 * The tools of a model: only those that its configuration lists. Files are those below the working directory, also through
 * links, and commands run there.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { jsonSchema, type Tool, tool } from 'ai';
import type { BridgeLine } from '../agents/programs/bridge-stream.js';
import type { ModelTask } from '../agents/programs/model.js';

/** A result of a tool becomes part of every later request. */
const MOST_RESULT = 50_000;
const COMMAND_MS = 10 * 60_000;

const schema = (properties: Readonly<Record<string, string>>) =>
  jsonSchema<Record<string, string>>({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, description]) => [name, { type: 'string', description }]),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  });

/** Null: it is not below the working directory. */
function pathBelow(name: string): string | null {
  const root = realpathSync('.');
  const path = resolve(root, name);
  let existing = path;
  while (!exists(existing)) existing = dirname(existing);
  const real = join(realpathSync(existing), relative(existing, path));
  const way = relative(root, real);
  return way === '..' || way.startsWith('../') ? null : real;
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function cut(text: string): string {
  return text.length <= MOST_RESULT
    ? text
    : `${text.slice(0, MOST_RESULT)}\n[${text.length - MOST_RESULT} characters more]`;
}

export async function modelTools(
  { tools: names }: ModelTask,
  print: (line: BridgeLine) => void,
): Promise<Record<string, Tool>> {
  const deny = (id: string, name: string, input: string): string => {
    const reason = 'it is outside of the working directory';
    print({ type: 'denied', id, name, input, reason });
    return `refused: ${reason}`;
  };
  const known: Readonly<Record<string, Tool>> = {
    read_file: tool({
      description: 'Reads a text file of the working directory.',
      inputSchema: schema({ path: 'The path of the file, relative to the working directory.' }),
      execute: async ({ path = '' }, { toolCallId }) => {
        const file = pathBelow(path);
        return file === null ? deny(toolCallId, 'read_file', path) : cut(readFileSync(file, 'utf8'));
      },
    }),
    write_file: tool({
      description: 'Writes a text file of the working directory, and makes its folders.',
      inputSchema: schema({
        path: 'The path of the file, relative to the working directory.',
        content: 'The whole text.',
      }),
      execute: async ({ path = '', content = '' }, { toolCallId }) => {
        const file = pathBelow(path);
        if (file === null) return deny(toolCallId, 'write_file', path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
        return 'written';
      },
    }),
    run: tool({
      description: 'Runs a command with bash in the working directory. Returns its output and exit code.',
      inputSchema: schema({ command: 'The command.' }),
      execute: ({ command = '' }) => runCommand(command),
    }),
  };
  const wanted = Object.entries(known).filter(([name]) => names.includes(name));
  return Object.fromEntries(wanted);
}

function runCommand(command: string): Promise<string> {
  return new Promise((finish) => {
    const child = spawn('bash', ['-c', command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_MS,
    });
    let output = '';
    const take = (bytes: Buffer): void => {
      if (output.length < 2 * MOST_RESULT) output += bytes.toString('utf8');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (cause) => finish(`cannot start bash: ${cause.message}`));
    child.on('close', (exit, signal) => finish(`${cut(output)}\n[${signal ?? `exit code ${exit}`}]`));
  });
}
