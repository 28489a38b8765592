/**
 * From the name of a plan's file to its compilation: the document, the tools beside it, the schemas beside those, and the
 * plans that its calls run. A plan is told from a program by the end of its name.
 */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { compilePlan, type PlanCompilation } from '../check/plan/compile-plan.js';
import type { InnerPlan } from '../check/plan/inner-lints.js';
import { readPlanDocument } from '../frontends/plan-document.js';
import { readYamlTree } from '../frontends/yaml-tree.js';
import type { Json } from '../machine/expression.js';
import { schemaProblem, schemaValidator } from '../runtime/tools/call-schema.js';
import { type Diagnostic, hasErrors } from '../source/diagnostic.js';
import { positionAt, type SourceSet, sourceFile } from '../source/source-file.js';
import type { JsonNode, PlanNode } from '../syntax/plan-tree.js';
import { drawDiagnostics } from '../views/diagnostic.js';
import { type ProgramText, readProgram } from './load-program.js';
import { stderr } from './streams.js';
import { usageError } from './usage.js';

/** Plans in plans. */
const MAX_DEPTH = 16;

export interface PlanFlags {
  /** The file of tools; by default `tools.yaml` beside the plan, then in the working directory. */
  readonly tools?: string;
  /** A file of JSON that is the state to begin with. */
  readonly state?: string;
}

/** What besides flags decides what a plan means. */
export interface PlanSurroundings {
  /** All inputs there will be; without them what is missing is the signature and no error. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Whether the configuration knows the name; without it every name is one. */
  readonly agents?: (name: string) => boolean;
  readonly servers?: (name: string) => boolean;
}

export interface LoadedPlan extends PlanCompilation {
  readonly kind: 'loaded';
  readonly sources: SourceSet;
  /** The document as it was read; null when it is no plan at all. */
  readonly tree: PlanNode | null;
  readonly toolsPath: string | null;
  /** Absolute; null for standard input. */
  readonly path: string | null;
  /** The plans that its calls run, by their names in the calls and in the tools. */
  readonly inner: { readonly call: ReadonlyMap<string, LoadedPlan>; readonly tool: ReadonlyMap<string, LoadedPlan> };
}

export type LoadPlan = LoadedPlan | { readonly kind: 'missing'; readonly message: string };

export function loadPlan(file: string, flags: PlanFlags, surroundings: PlanSurroundings = {}): LoadPlan {
  const loader = new PlanLoader(flags, surroundings);
  return loader.load(file, { outer: [], tools: flags.tools ?? null });
}

/** A plan that a call runs, with the files it was called through and the tools of the plan around it. */
interface Place {
  readonly outer: readonly string[];
  readonly tools: string | null;
}

class PlanLoader {
  /** Plans that were opened, by path: a plan that is called in many places is read once. */
  private readonly known = new Map<string, LoadPlan>();
  private readonly validate = schemaValidator();

  constructor(
    private readonly flags: PlanFlags,
    private readonly surroundings: PlanSurroundings,
  ) {}

  load(file: string, place: Place): LoadPlan {
    const read = readProgram(file);
    if (read.kind === 'missing') return read;
    if (read.kind === 'broken') return nothing(read.compilation.diagnostics, read.compilation.sources);
    const document = readPlanDocument(read.text, 0);
    const source = sourceFile(read.name, read.text);
    const sources = [source];
    if (document.plan === null) return nothing(document.diagnostics, sources);
    const tools = readTools(this.toolsFor(file, place));
    if (tools !== null && 'kind' in tools) return tools;
    if (tools !== null) sources.push(sourceFile(tools.name, tools.text));
    const isOuter = place.outer.length === 0;
    const state = !isOuter || this.flags.state === undefined ? null : readState(this.flags.state);
    if (state !== null && 'kind' in state) return state;
    const root: JsonNode | null = tools?.root ?? null;
    const inner = { call: new Map<string, LoadedPlan>(), tool: new Map<string, LoadedPlan>() };
    const { inputs, agents, servers } = this.surroundings;
    const compilation = compilePlan(document.plan, {
      tools: tools === null || root === null ? null : { name: tools.name, root },
      readBeside: (path) => besides(tools?.name ?? file, path),
      validate: this.validate,
      schemaProblem,
      lineOf: (offset) => positionAt(source, offset).line,
      found: [...document.diagnostics, ...(tools?.diagnostics ?? [])],
      open: (name, by) => this.open(name, by, { file, toolsPath: tools?.name ?? null, place, inner }),
      ...(agents === undefined ? {} : { agents }),
      ...(servers === undefined ? {} : { servers }),
      ...(state === null ? {} : { state: state.value }),
      ...(inputs === undefined || !isOuter ? {} : { inputs }),
    });
    // Without readable tools every tool is unknown, which says nothing.
    const useless = tools !== null && root === null ? 'unknown-tool' : null;
    const diagnostics = compilation.diagnostics.filter(({ code }) => code !== useless);
    const path = file === '-' ? null : resolve(file);
    const toolsPath = tools?.name ?? null;
    return { ...compilation, kind: 'loaded', diagnostics, sources, tree: document.plan, toolsPath, path, inner };
  }

  private open(
    name: string,
    by: 'call' | 'tool',
    from: {
      readonly file: string;
      readonly toolsPath: string | null;
      readonly place: Place;
      readonly inner: LoadedPlan['inner'];
    },
  ): InnerPlan {
    const own = resolve(from.file);
    const folder = dirname(by === 'call' ? own : resolve(from.toolsPath ?? from.file));
    const path = resolve(folder, name);
    const way = relative(folder, path);
    if (by === 'call' && (way === '..' || way.startsWith(`..${sep}`)))
      return { problem: 'lies outside the folder of this plan', help: 'describe it as a tool with `plan: FILE`' };
    const outer = [...from.place.outer, own];
    if (outer.includes(path))
      return {
        problem: `calls itself: ${[...outer.slice(outer.indexOf(path)), path].map(shown).join(' → ')}`,
        help: 'let one of the plans do without the other',
      };
    if (outer.length > MAX_DEPTH)
      return { problem: `is the last of more than ${MAX_DEPTH} plans inside each other`, help: 'call it further out' };
    // Whether a plan lies too deep depends on where it is called, and nothing else does.
    const key = `${outer.length} ${path}`;
    const loaded = this.known.get(key) ?? this.load(shown(path), { outer, tools: this.flags.tools ?? from.toolsPath });
    this.known.set(key, loaded);
    if (loaded.kind === 'missing') return { problem: `cannot be run: ${loaded.message}`, help: 'name a file of JSON' };
    const error = loaded.diagnostics.find(({ severity }) => severity === 'error');
    if (error !== undefined)
      return {
        problem: `has errors: ${error.message}`,
        help: `look at it with \`statedsl plan check ${shown(path)}\``,
      };
    (from.inner[by] as Map<string, LoadedPlan>).set(name, loaded);
    return loaded;
  }

  /** A plan inside has the tools of its own folder; those of the plan around it where it has none. */
  private toolsFor(file: string, { outer, tools }: Place): string | null {
    if (outer.length === 0) return tools ?? toolsBeside(file);
    const beside = join(dirname(file), 'tools.yaml');
    const same = dirname(resolve(file)) === dirname(outer.at(-1) ?? '');
    return existsSync(beside) && !(same && tools !== null) ? beside : (tools ?? toolsBeside(file));
  }
}

function shown(path: string): string {
  const way = relative(process.cwd(), path);
  return way.startsWith('..') ? path : way;
}

/** A plan without errors. Otherwise they are told, and there is null. */
export async function soundPlan(
  file: string,
  flags: PlanFlags,
): Promise<(LoadedPlan & { readonly plan: NonNullable<LoadedPlan['plan']> }) | null> {
  const loaded = loadPlan(file, flags);
  if (loaded.kind === 'missing') {
    await usageError(loaded.message);
    return null;
  }
  const { plan, diagnostics, sources } = loaded;
  if (plan !== null && !hasErrors(diagnostics)) return { ...loaded, plan };
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  stderr.write(drawDiagnostics(errors, sources, await stderr.paint()));
  return null;
}

function nothing(diagnostics: readonly Diagnostic[], sources: SourceSet): LoadedPlan {
  const inner = { call: new Map(), tool: new Map() };
  const none = { plan: null, signature: [], gates: [], inputs: [], tree: null, toolsPath: null, path: null, inner };
  return { ...none, kind: 'loaded', diagnostics, sources };
}

function toolsBeside(file: string): string | null {
  const beside = file === '-' ? [] : [join(dirname(file), 'tools.yaml')];
  return [...beside, 'tools.yaml'].find((path) => existsSync(path)) ?? null;
}

interface ReadTools {
  readonly name: string;
  readonly text: string;
  readonly root: JsonNode | null;
  readonly diagnostics: readonly Diagnostic[];
}

function readTools(path: string | null): ReadTools | null | { readonly kind: 'missing'; readonly message: string } {
  if (path === null) return null;
  const read = readProgram(path);
  if (read.kind !== 'text') return { kind: 'missing', message: unreadable(path, read) };
  return { name: path, text: read.text, ...readYamlTree(read.text, 1) };
}

function unreadable(path: string, read: Exclude<ProgramText, { kind: 'text' }>): string {
  return read.kind === 'missing' ? read.message : `\`${path}\` is not UTF-8 text`;
}

function readState(path: string): { readonly value: Json } | { readonly kind: 'missing'; readonly message: string } {
  const read = readProgram(path);
  if (read.kind !== 'text') return { kind: 'missing', message: unreadable(path, read) };
  try {
    const value = JSON.parse(read.text) as Json;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value };
  } catch {
    // Told below, together with JSON of another kind.
  }
  return { kind: 'missing', message: `\`${path}\` does not hold a JSON object, which a state is` };
}

function besides(file: string, path: string): { readonly text: string } | { readonly error: string } {
  const read = readProgram(resolve(dirname(file), path));
  if (read.kind === 'text') return { text: read.text };
  return { error: read.kind === 'missing' ? (read.message.split(': ').at(-1) as string) : 'it is not UTF-8 text' };
}
