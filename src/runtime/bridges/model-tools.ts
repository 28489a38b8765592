/**
 * The tools of a model: only those that its configuration lists. Files are those below the working directory, also through
 * links, and commands run there. Each call is reported, with how it ended.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { jsonSchema, type Tool, type ToolExecutionOptions, tool } from 'ai';
import { parseDuration } from '../../machine/duration.js';
import type { JsonObject } from '../../machine/expression.js';
import type { BridgeLine } from '../agents/programs/bridge-stream.js';
import type { ListedTool } from '../agents/programs/listed-tools.js';

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

/** What a model gets back from a tool. Throws why it failed. */
type Perform = (input: JsonObject, options: ToolExecutionOptions) => string | Promise<string>;

export interface ModelTools {
  readonly tools: Record<string, Tool>;
  /** Ends the servers. */
  close(): Promise<void>;
}

/** Throws why the tools cannot be had. */
export async function modelTools(
  listed: readonly ListedTool[],
  print: (line: BridgeLine) => void,
): Promise<ModelTools> {
  const tools: Record<string, Tool> = {};
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    await Promise.allSettled(closing.map((end) => end()));
  };
  const add = (name: string, description: string, inputSchema: Tool['inputSchema'], perform: Perform): void => {
    if (Object.hasOwn(tools, name)) return;
    const execute = async (input: unknown, options: ToolExecutionOptions): Promise<string> => {
      const begun = performance.now();
      const end = (error?: string): void =>
        print({
          ...{ type: 'tool_end', id: options.toolCallId, ms: Math.round(performance.now() - begun) },
          ...(error === undefined ? {} : { error }),
        });
      try {
        const result = await perform(input as JsonObject, options);
        end();
        return cut(result);
      } catch (cause) {
        const message = cause instanceof Error ? cause.message : String(cause);
        end(message);
        return cut(`failed: ${message}`);
      }
    };
    tools[name] = tool({ description, inputSchema, execute });
  };
  const deny = (id: string, name: string, input: string): never => {
    const reason = 'it is outside of the working directory';
    print({ type: 'denied', id, name, input, reason });
    throw new Error(`refused: ${reason}`);
  };
  const addOwn = (name: string): void => {
    switch (name) {
      case 'read_file':
        return add(
          name,
          'Reads a text file of the working directory.',
          schema({ path: 'The path of the file, relative to the working directory.' }),
          ({ path }, { toolCallId }) =>
            readFileSync(pathBelow(String(path)) ?? deny(toolCallId, name, String(path)), 'utf8'),
        );
      case 'write_file':
        return add(
          name,
          'Writes a text file of the working directory, and makes its folders.',
          schema({ path: 'The path of the file, relative to the working directory.', content: 'The whole text.' }),
          ({ path, content }, { toolCallId }) => {
            const file = pathBelow(String(path)) ?? deny(toolCallId, name, String(path));
            mkdirSync(dirname(file), { recursive: true });
            writeFileSync(file, String(content));
            return 'written';
          },
        );
      default:
        return add(
          'run',
          'Runs a command with bash in the working directory. Returns its output and exit code.',
          schema({ command: 'The command.' }),
          ({ command }, { abortSignal: signal }) => runProgram(['bash', '-c', String(command)], { signal }),
        );
    }
  };
  const servers = new Map<string, Client>();
  const addOfServer = async ({ name: own, server, tool: wanted, program }: Extract<ListedTool, { kind: 'server' }>) => {
    let client = servers.get(server);
    if (client === undefined) {
      const { command, env } = program;
      const spec = { command, cwd: process.cwd(), env: { ...process.env, ...env }, inGroup: true } as const;
      const nothing = (): void => undefined;
      // Most models have none, and the library is large.
      const { openServer } = await import('../tools/mcp-tool.js');
      client = await openServer(
        { ...spec, onStart: nothing, onEnd: nothing },
        { closeAtEnd: (end) => closing.push(end) },
      ).catch((cause) => {
        throw new Error(`cannot start the server \`${server}\`: ${cause instanceof Error ? cause.message : cause}`);
      });
      servers.set(server, client);
    }
    const connected = client;
    const { tools: offered } = await connected.listTools();
    const chosen = wanted === null ? offered : offered.filter(({ name }) => name === wanted);
    if (chosen.length === 0) {
      const has = offered.map(({ name }) => `\`${name}\``).join(', ');
      throw new Error(
        wanted === null
          ? `the server \`${server}\` has no tools`
          : `the server \`${server}\` has no tool \`${wanted}\`${has === '' ? '' : `: it has ${has}`}`,
      );
    }
    const traceparent = process.env.TRACEPARENT;
    for (const { name, description = '', inputSchema } of chosen)
      add(
        nameFor(own ?? `${server}_${name}`),
        description,
        jsonSchema(inputSchema as object),
        async (input, { abortSignal: signal }) => {
          const given = { name, arguments: input, ...(traceparent ? { _meta: { traceparent } } : {}) };
          const result = await connected.callTool(given, { timeout: LONGEST_MS, ...(signal ? { signal } : {}) });
          return textOf(result as ToolAnswer);
        },
      );
  };
  try {
    for (const one of listed) {
      if (one.kind === 'own') addOwn(one.name);
      else if (one.kind === 'server') await addOfServer(one);
      else {
        const { name, argv, description, schema: parameters, timeout } = one;
        const limit = timeout === null ? null : parseDuration(timeout);
        add(
          nameFor(name),
          description ?? `Runs \`${argv.join(' ')}\`.`,
          jsonSchema((parameters ?? ANY) as object),
          (input, { abortSignal: signal }) =>
            runProgram(argv, { signal, stdin: JSON.stringify(input), limit, mustSucceed: true }),
        );
      }
    }
  } catch (cause) {
    await close();
    throw cause;
  }
  return { tools, close };
}

const ANY = { type: 'object', additionalProperties: true };
/** The client library requires a limit. */
const LONGEST_MS = 2 ** 31 - 1;

/** What all services take as the name of a tool. */
function nameFor(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

interface ToolAnswer {
  readonly structuredContent?: unknown;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
}

/** Throws the text of an error. */
function textOf({ structuredContent, content = [], isError }: ToolAnswer): string {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : []));
  const text =
    texts.length > 0
      ? texts.join('\n')
      : structuredContent !== undefined
        ? JSON.stringify(structuredContent)
        : `[${content.map(({ type }) => type).join(', ') || 'nothing'}]`;
  if (isError === true) throw new Error(text === '' ? 'the tool reports an error' : text);
  return text;
}

interface ProgramCall {
  readonly signal: AbortSignal | undefined;
  readonly stdin?: string;
  /** Milliseconds. */
  readonly limit?: number | null;
  /** The result is what it prints; another exit code than 0 is a failure. */
  readonly mustSucceed?: true;
}

function runProgram(argv: readonly string[], options: ProgramCall): Promise<string> {
  const { signal, stdin, limit = null, mustSucceed } = options;
  return new Promise((finish, fail) => {
    const [program = '', ...args] = argv;
    const child = spawn(program, args, {
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: limit ?? COMMAND_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    const taken = { out: '', error: '' };
    const takeAs = (name: keyof typeof taken) => (bytes: Buffer) => {
      if (taken[name].length < 2 * MOST_RESULT) taken[name] += bytes.toString('utf8');
    };
    child.stdout?.on('data', takeAs('out'));
    child.stderr?.on('data', takeAs(mustSucceed === true ? 'error' : 'out'));
    // A program that does not read its input is none of our business.
    child.stdin?.on('error', () => undefined).end(stdin);
    child.on('error', (cause) => fail(new Error(`cannot start \`${program}\`: ${cause.message}`)));
    child.on('close', (exit, ended) => {
      const how = ended === null ? `exit code ${exit}` : limit !== null ? `it took longer than ${limit} ms` : ended;
      if (mustSucceed !== true) finish(`${cut(taken.out)}\n[${how}]`);
      else if (exit === 0) finish(taken.out);
      else fail(new Error(taken.error.trim() === '' ? how : `${how}: ${taken.error.trim()}`));
    });
  });
}
