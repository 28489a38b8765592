/** Programs that are tools of their own, because they say `TOOL: yes`: their inputs are the arguments. */
import type { Json } from '../machine/expression.js';
import type { Door } from './door.js';
import { cutText, type ShortMembers } from './short-answer.js';
import type { RunArguments } from './tool-calls.js';
import { RUN_OPTIONS, TOOLS, type ToolDefinition } from './tool-definitions.js';

type Listing = Extract<Awaited<ReturnType<Door['folder']['list']>>, { ok: true }>['value'];
type ListedProgram = Listing['programs'][number];

/** Each tool costs its tokens in every conversation, and a long list makes the choice worse. */
const MOST = 10;
const LONGEST_NAME = 60;
const LONGEST_DESCRIPTION = 300;

interface ProgramTool extends ToolDefinition {
  readonly path: string;
  readonly inputs: readonly string[];
}

/** In the order of their paths. A folder that cannot be read has none. */
export async function programTools(door: Door): Promise<readonly ProgramTool[]> {
  if (door.isReadOnly) return [];
  const found = await door.folder.list();
  if (!found.ok) return [];
  const { programs, workflows } = found.value;
  const listed = [...programs, ...workflows].filter(({ tool, errors }) => tool === true && errors === 0);
  listed.sort((one, other) => (one.path < other.path ? -1 : 1));
  const names = new Set(TOOLS.map(({ name }) => name));
  return listed.slice(0, MOST).map((program) => toolOf(program, names));
}

function toolOf(program: ListedProgram, names: Set<string>): ProgramTool {
  const { path, comment, inputs } = program;
  const stem = program.name ?? path.replace(/^.*\//, '').replace(/\.[^.]+$/, '');
  const base = `run_${stem.replace(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, LONGEST_NAME);
  let name = base;
  for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
  names.add(name);
  const own = Object.fromEntries(inputs.map((input) => [input.name, schemaOf(input)]));
  return {
    name,
    path,
    inputs: inputs.map((input) => input.name),
    title: `Run ${stem}`,
    description: cutText(`${comment ?? `Runs the flow ${path}.`} Answers as \`run\` does.`, LONGEST_DESCRIPTION),
    inputSchema: {
      type: 'object',
      properties: { ...RUN_OPTIONS, ...own },
      required: inputs.filter(({ required }) => required).map((input) => input.name),
      additionalProperties: false,
    },
    outputSchema: runTool.outputSchema,
    annotations: runTool.annotations,
  };
}

const runTool = TOOLS.find(({ name }) => name === 'run') as ToolDefinition;

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  list: 'array',
  object: 'object',
};

function schemaOf({ type, default: standard, choices }: ListedProgram['inputs'][number]): ShortMembers {
  const known = type === null ? undefined : TYPES[type];
  return {
    ...(known === undefined ? {} : { type: known }),
    ...(choices === null ? {} : { enum: [...choices] }),
    ...(standard === null ? {} : { description: `default: ${cutText(standard, 80)}` }),
  };
}

/** The arguments of `run` that a call of it means. */
export function runArguments({ path, inputs }: ProgramTool, given: ShortMembers): RunArguments {
  const isInput = ([name]: [string, Json]): boolean => inputs.includes(name);
  const entries = Object.entries(given);
  const options = Object.fromEntries(entries.filter((entry) => !isInput(entry)));
  return { ...(options as RunArguments), file: path, inputs: Object.fromEntries(entries.filter(isInput)) };
}

/** How often the folder is looked at. Milliseconds. */
const LOOK_MS = 2000;
/** Looking takes at most so much of the time. */
const SHARE = 0.05;

/** Calls `notify` when the tools of the folder are others than before; returns what ends it. */
export function watchPrograms(door: Door, notify: () => void): () => void {
  let known: string | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;
  const look = async (): Promise<void> => {
    const begun = performance.now();
    const now = JSON.stringify(await programTools(door));
    if (isOver) return;
    if (known !== null && known !== now) notify();
    known = now;
    timer = setTimeout(look, Math.max(LOOK_MS, (performance.now() - begun) / SHARE)).unref();
  };
  timer = setTimeout(look, 0).unref();
  return () => {
    isOver = true;
    if (timer !== null) clearTimeout(timer);
  };
}
