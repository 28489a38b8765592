/**
 * The tools that the configuration lists for a model: its own three, tools of servers that speak the Model Context Protocol,
 * and commands of the `tools.yaml` next to the configuration.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Json } from '../../../machine/expression.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { nearest } from '../../../prelude/nearest.js';
import { readYamlFile } from '../../configuration/yaml-file.js';
import type { McpServers } from '../../tools/mcp-tool.js';

const OWN_TOOLS = ['read_file', 'write_file', 'run'] as const;

/** A tool of a model as its bridge gets it. */
export type ListedTool =
  | { readonly kind: 'own'; readonly name: string }
  /** `tool`: null for all tools of the server. `name`: what the model calls it; null: after the server. */
  | {
      readonly kind: 'server';
      readonly name: string | null;
      readonly server: string;
      readonly tool: string | null;
      readonly program: McpServers[string];
    }
  | {
      readonly kind: 'command';
      readonly name: string;
      readonly argv: readonly string[];
      readonly description: string | null;
      /** A JSON Schema of the parameters; null: any. */
      readonly schema: Json;
      readonly timeout: string | null;
    };

/** Why a tool cannot be used: a clause that can follow a name, and the next step. */
export interface ToolProblem {
  readonly at: number;
  readonly reason: string;
  readonly help: string;
}

const TOOLS_FILE = 'tools.yaml';

interface WrittenTool {
  readonly run?: readonly string[];
  readonly command?: readonly string[];
  readonly mcp?: string;
  readonly description?: string;
  readonly schema?: Json;
  readonly timeout?: string;
}

/** `folder`: that of the configuration; null if there is none. */
export async function listedTools(
  names: readonly string[],
  folder: string | null,
  servers: McpServers,
): Promise<readonly ListedTool[] | ToolProblem> {
  const found: ListedTool[] = [];
  let written: Readonly<Record<string, WrittenTool>> | string | null = null;
  for (const [at, name] of names.entries()) {
    if ((OWN_TOOLS as readonly string[]).includes(name)) {
      found.push({ kind: 'own', name });
      continue;
    }
    let target = name.includes('/') ? name : null;
    if (target === null) {
      written ??= await toolsIn(folder);
      if (typeof written === 'string') return { at, reason: written, help: `mend \`${TOOLS_FILE}\`` };
      const one: WrittenTool | undefined = Object.hasOwn(written, name) ? written[name] : undefined;
      if (one === undefined) {
        const near = nearest(name, [...OWN_TOOLS, ...Object.keys(written)]);
        const help =
          near === undefined
            ? `write ${OWN_TOOLS.map((own) => `\`${own}\``).join(', ')}, \`SERVER/TOOL\` with a server of \`mcp\`, or a name in the \`${TOOLS_FILE}\` next to the configuration`
            : `did you mean \`${near}\`?`;
        return { at, reason: `there is no tool \`${name}\``, help };
      }
      const argv = one.run ?? one.command;
      if (Array.isArray(argv) && argv.length > 0) {
        const schema = await schemaOf(one.schema ?? null, folder ?? '.');
        if (typeof schema === 'string')
          return { at, reason: `the tool \`${name}\` ${schema}`, help: `mend \`${TOOLS_FILE}\`` };
        const words = argv.map((word) =>
          /^\.\.?\//.test(String(word)) ? resolve(folder ?? '.', String(word)) : String(word),
        );
        found.push({
          ...{ kind: 'command', name, argv: words, schema },
          ...{ description: one.description ?? null, timeout: one.timeout ?? null },
        });
        continue;
      }
      if (typeof one.mcp !== 'string')
        return {
          ...{ at, reason: `a model cannot use the tool \`${name}\`` },
          help: `give it \`run\` or \`mcp\` in \`${TOOLS_FILE}\`: plans, modules and agents are tools of plans only`,
        };
      target = one.mcp;
    }
    const slash = target.indexOf('/');
    const server = target.slice(0, slash);
    const tool = target.slice(slash + 1);
    const program = Object.hasOwn(servers, server) ? servers[server] : undefined;
    if (program === undefined) {
      const near = nearest(server, Object.keys(servers));
      const help =
        near === undefined ? `add \`mcp: { ${server}: { run: [PROGRAM] } }\`` : `did you mean \`${near}/${tool}\`?`;
      return { at, reason: `the configuration names no server \`${server}\``, help };
    }
    if (tool === '')
      return { at, reason: `\`${name}\` names no tool`, help: `write \`${server}/*\` for all tools of the server` };
    found.push({
      kind: 'server',
      name: name === target ? null : name,
      server,
      tool: tool === '*' ? null : tool,
      program,
    });
  }
  return found;
}

/** The entries of the file; none without a file. A text: why it cannot be read. */
async function toolsIn(folder: string | null): Promise<Readonly<Record<string, WrittenTool>> | string> {
  const path = folder === null ? null : join(folder, TOOLS_FILE);
  if (path === null || !existsSync(path)) return {};
  const { value, problems } = await readYamlFile(path);
  const [problem] = problems;
  if (problem !== undefined) return problem.message;
  return isJsonObject(value)
    ? (value as unknown as Readonly<Record<string, WrittenTool>>)
    : `\`${path}\` is not a mapping of names to tools`;
}

/** A schema of a call describes its parameters, and two names that say where a result goes. A text: what is wrong. */
async function schemaOf(schema: Json, folder: string): Promise<Json | string> {
  if (typeof schema !== 'string') return schema === null ? null : parametersIn(schema);
  const path = resolve(folder, schema);
  const { value, problems } = await readYamlFile(path);
  const [problem] = problems;
  return problem === undefined
    ? parametersIn(value)
    : `has the schema \`${dirname(schema) === '.' ? schema : path}\`, and ${problem.message}`;
}

function parametersIn(schema: Json): Json {
  if (!isJsonObject(schema)) return null;
  const { properties, required, ...rest } = schema as { readonly [name: string]: Json };
  const isParameter = (name: string): boolean => name !== '_output' && name !== '_outputPath';
  const own = Object.entries((properties ?? {}) as { readonly [name: string]: Json });
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(own.filter(([name]) => isParameter(name))),
    ...(Array.isArray(required) ? { required: required.filter((name) => isParameter(String(name))) } : {}),
  };
}
