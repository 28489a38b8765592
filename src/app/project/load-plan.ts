/**
 * Loads and compiles a plan by the name of its file: the document, the tools file next to it, the schemas next to that
 * file, and the plans that its calls run. Its approval is a hash of all of them.
 */
import { createHash } from 'node:crypto';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { decode, printJson } from '../../interpreter/values/json.js';
import { deeperThan, isBeyondJson, MAX_DEPTH as MAX_VALUE_DEPTH, type Value } from '../../interpreter/values/value.js';
import { compilePlan, type PlanCompilation } from '../../language/check/plan/compile-plan.js';
import { jsonOf } from '../../language/check/plan/given.js';
import type { InnerPlan, Validate } from '../../language/check/plan/schema-lints.js';
import { readPlanDocument } from '../../language/frontends/plan-document.js';
import { readYamlTree } from '../../language/frontends/yaml-tree.js';
import {
  type Diagnostic,
  positionAt,
  type SourceFile,
  type SourceSet,
  sourceFile,
} from '../../language/source/diagnostic.js';
import { withFixes } from '../../language/source/repair.js';
import type { JsonMember, JsonNode, PlanTree } from '../../language/syntax/plan-tree.js';
import type { Json } from '../../machine/expression.js';
import type { ToolTarget } from '../../machine/plan.js';
import { ambiguityIn } from '../../prelude/ambiguous-json.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Readable } from '../../runtime/readable-file.js';
import { schemaProblem, schemaValidator } from '../../runtime/tools/call-schema.js';
import { type ProjectHost, pathOf, shortName, withOpenTexts } from './project-host.js';
import { type NamedProgram, readableFrom, readProgram } from './read-program.js';

/** The maximum depth of nested plans. */
const MAX_DEPTH = 16;

export interface PlanFlags {
  /** The tools file; by default `tools.yaml` next to the plan, then in the working directory. */
  readonly tools?: string;
  /** A JSON file with the initial state. */
  readonly state?: string;
}

/** Everything apart from flags that the compilation of a plan depends on. */
export interface PlanSurroundings {
  /** All inputs of the run. If absent, missing inputs are listed as the signature instead of reported as errors. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Whether the configuration defines the name. If absent, every name counts as defined. */
  readonly agents?: (name: string) => boolean;
  readonly servers?: (name: string) => boolean;
  /** A clause that says why a tool cannot run on this machine, or null. `folder` is the folder of the tools file. */
  readonly targetProblem?: (target: ToolTarget, folder: string) => string | null;
  /** The paths of a tool that the workers of an engine may not have. If absent, no engine executes the plan. */
  readonly onlyHere?: ((target: ToolTarget, folder: string) => readonly string[]) | undefined;
}

export interface LoadedPlan extends PlanCompilation {
  readonly kind: 'loaded';
  readonly sources: SourceSet;
  /** The parsed document; null if it is not a plan. */
  readonly tree: PlanTree | null;
  readonly toolsPath: string | null;
  /** Absolute; null for standard input. */
  readonly path: string | null;
  /** The plans that its calls run, by their names in the calls and in the tools. */
  readonly inner: { readonly call: ReadonlyMap<string, LoadedPlan>; readonly tool: ReadonlyMap<string, LoadedPlan> };
}

interface MissingPlan {
  readonly kind: 'missing';
  readonly message: string;
}

export type PlanLoadResult = LoadedPlan | MissingPlan;

/** The index of the tools file among the sources. Locations in that file have it. */
const TOOLS = 1;

export function loadPlan(
  host: ProjectHost,
  file: string,
  flags: PlanFlags,
  surroundings: PlanSurroundings = {},
): PlanLoadResult {
  const loader = new PlanLoader(host, flags, surroundings, readableFrom(host, file));
  const loaded = loader.load(file, { outer: [], tools: flags.tools ?? null, isNamed: true });
  if (loaded.kind === 'missing') return loaded;
  return { ...loaded, diagnostics: withFixes(loaded.diagnostics, loaded.sources) };
}

/** The mistakes of a tools file that nothing names yet. */
export function checkToolsFile(host: ProjectHost, file: string, surroundings: PlanSurroundings = {}) {
  const loader = new PlanLoader(host, { tools: file }, surroundings, readableFrom(host, file));
  const none = { kind: 'list', items: [], span: { file: 0, start: 0, end: 0 } } as const;
  const tree: PlanTree = { root: none, calls: [], context: [], output: null, mode: 'eager', max: null };
  return loader.loadTools(tree, file);
}

/** The context of a called plan: the files through which it was called, and the tools of the enclosing plan. */
interface PlanContext {
  readonly outer: readonly string[];
  readonly tools: string | null;
  /** The inputs of this plan, which replace those of the surroundings. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** The command line names this plan, not a program or another plan. */
  readonly isNamed?: true;
}

/** Compiles other texts as if they were that of the file. */
export function editedPlan(host: ProjectHost, file: string, flags: PlanFlags, known: PlanSurroundings = {}) {
  const own = pathOf(host, file);
  return async (edited: string): Promise<Pick<LoadedPlan, 'diagnostics' | 'sources'>> => {
    const files = withOpenTexts(host.files, (path) => (path === own ? edited : undefined));
    const loaded = loadPlan({ ...host, files }, file, flags, known);
    return loaded.kind === 'loaded' ? loaded : { diagnostics: [], sources: [] };
  };
}

export class PlanLoader {
  /** Loaded plans by path: a plan that is called several times is read once. */
  private readonly known = new Map<string, PlanLoadResult>();
  private readonly toolsRead = new Map<string, ReadTools | MissingPlan>();
  private validator: Validate | undefined;
  /** Created for the first schema. */
  private readonly validate: Validate = (schema, value) => {
    this.validator ??= schemaValidator();
    return this.validator(schema, value);
  };

  constructor(
    private readonly host: ProjectHost,
    private readonly flags: PlanFlags,
    private readonly surroundings: PlanSurroundings,
    private readonly readable: Readable = 'all',
  ) {}

  private read(path: string): NamedProgram {
    return readProgram(this.host, path);
  }

  private exists(path: string): boolean {
    return this.host.files.isFile(pathOf(this.host, path));
  }

  /** Reads a file that a program or plan names, if it may. */
  private readonly readNear = (path: string): NamedProgram => readProgram(this.host, path, this.readable);

  load(file: string, context: PlanContext): PlanLoadResult {
    const read = context.isNamed === true ? this.read(file) : this.readNear(file);
    if (read.kind === 'missing') return read;
    if (read.kind === 'broken') return emptyPlan(read.compilation.diagnostics, read.compilation.sources);
    const document = readPlanDocument(read.text, 0);
    const source = sourceFile(read.name, read.text);
    if (document.plan === null) return emptyPlan(document.diagnostics, [source]);
    const tools = this.readTools(this.toolsFor(file, context), TOOLS);
    if (tools !== null && 'kind' in tools) return tools;
    const { diagnostics: found, plan: tree } = document;
    return this.compileText(
      { tree, source, found, lineOf: (offset) => positionAt(source, offset).line },
      tools,
      file,
      context,
    );
  }

  /**
   * Compiles a plan that is part of a program and not a document. `further` are tools in addition to those of the tools
   * file; locations in that file have the index -1.
   */
  loadCall(tree: PlanTree, program: string, tools: string | null, further: readonly JsonMember[]): PlanLoadResult {
    const read = this.readTools(tools, -1);
    if (read !== null && 'kind' in read) return read;
    const all = further.length === 0 ? read : withTools(read, further, program);
    const text = { tree, source: sourceFile(program, ''), found: [], lineOf: () => 0 };
    return this.compileText(text, all, program, { outer: [], tools });
  }

  /** A plan without calls, whose tools are the program. */
  loadTools(tree: PlanTree, file: string): PlanLoadResult {
    const read = this.readTools(file, 0);
    if (read === null || 'kind' in read) return read ?? { kind: 'missing', message: '' };
    const text = { tree, source: sourceFile(file, ''), found: [], lineOf: () => 0 };
    const loaded = this.compileText(text, read, file, { outer: [], tools: file });
    if (loaded.kind === 'missing') return loaded;
    return { ...loaded, diagnostics: withFixes(loaded.diagnostics, [read.source]), sources: [read.source] };
  }

  private compileText(text: PlanText, tools: ReadTools | null, file: string, context: PlanContext): PlanLoadResult {
    const sources = [text.source, ...(tools === null ? [] : [tools.source])];
    const isOuter = context.outer.length === 0;
    const state = !isOuter || this.flags.state === undefined ? null : readState(this.host, this.flags.state);
    if (state !== null && 'kind' in state) return state;
    const root: JsonNode | null = tools?.root ?? null;
    const inner = { call: new Map<string, LoadedPlan>(), tool: new Map<string, LoadedPlan>() };
    const { agents, servers, targetProblem, onlyHere } = this.surroundings;
    const toolsFolder = dirname(pathOf(this.host, tools?.source.name ?? file));
    const inputs = context.inputs ?? this.surroundings.inputs;
    const compilation = compilePlan(text.tree, {
      tools: tools === null || root === null ? null : { name: tools.source.name, root },
      readNextTo: (path) => readNextTo(this.host, tools?.source.name ?? file, path, this.readNear),
      validate: this.validate,
      schemaProblem,
      lineOf: text.lineOf,
      found: [...text.found, ...(tools?.diagnostics ?? [])],
      loadInner: (name, by) =>
        this.open(name, by, { file, toolsPath: tools?.source.name ?? null, context: context, inner }),
      ...omitUndefined({
        agents,
        servers,
        targetProblem:
          targetProblem === undefined || tools === null
            ? undefined
            : (target: ToolTarget) => targetProblem(target, toolsFolder),
        onlyHere:
          onlyHere === undefined || tools === null ? undefined : (target: ToolTarget) => onlyHere(target, toolsFolder),
        state: state?.value,
        printedState: state?.printed,
        inputs: inputs === undefined || !isOuter ? undefined : inputs,
      }),
    });
    // If the tools file cannot be read, every tool is unknown, so these errors say nothing new.
    const useless = tools !== null && root === null ? 'unknown-tool' : null;
    const diagnostics = compilation.diagnostics.filter(({ code }) => code !== useless);
    const path = file === '-' ? null : pathOf(this.host, file);
    const toolsPath = tools?.source.name ?? null;
    return { ...compilation, kind: 'loaded', diagnostics, sources, tree: text.tree, toolsPath, path, inner };
  }

  /** Reads each tools file once, because a program may call tools in many lines. */
  private readTools(path: string | null, index: number): ReadTools | null | MissingPlan {
    if (path === null) return null;
    const key = `${index} ${path}`;
    const known = this.toolsRead.get(key) ?? this.readToolsFile(path, index);
    this.toolsRead.set(key, known);
    return known;
  }

  private readToolsFile(path: string, index: number): ReadTools | MissingPlan {
    const isNamed = path === this.flags.tools;
    const why = isNamed ? null : this.host.files.whyForeign(pathOf(this.host, path));
    if (why !== null) return { kind: 'missing', message: `\`${path}\` is not used: ${why}; name it with \`--tools\`` };
    const read = isNamed ? this.read(path) : this.readNear(path);
    if (read.kind !== 'text') return { kind: 'missing', message: unreadableMessage(path, read) };
    return { source: sourceFile(path, read.text), ...readYamlTree(read.text, index) };
  }

  /** The tools file next to a plan or a program, or else the one in the working directory. */
  findToolsFile(file: string): string | null {
    const adjacent = file === '-' || file === '<stdin>' ? [] : [join(dirname(file), 'tools.yaml')];
    return [...adjacent, 'tools.yaml'].find((path) => this.exists(path)) ?? null;
  }

  private open(
    name: string,
    by: 'call' | 'tool',
    from: {
      readonly file: string;
      readonly toolsPath: string | null;
      readonly context: PlanContext;
      readonly inner: LoadedPlan['inner'];
    },
  ): InnerPlan {
    const own = pathOf(this.host, from.file);
    const folder = dirname(by === 'call' ? own : pathOf(this.host, from.toolsPath ?? from.file));
    const path = resolve(folder, name);
    const way = relative(folder, path);
    if (by === 'call' && (way === '..' || way.startsWith(`..${sep}`)))
      return { problem: 'is outside the directory of this plan', help: 'describe it as a tool with `plan: FILE`' };
    const outer = [...from.context.outer, own];
    if (outer.includes(path))
      return {
        problem: `calls itself: ${[...outer.slice(outer.indexOf(path)), path].map((one) => shortName(this.host, one)).join(' → ')}`,
        help: 'remove one of these calls',
      };
    if (outer.length > MAX_DEPTH)
      return { problem: `is nested in more than ${MAX_DEPTH} plans`, help: 'call it from an outer plan' };
    // Only the check of the depth depends on where a plan is called, so the depth is part of the key.
    const key = `${outer.length} ${path}`;
    const loaded =
      this.known.get(key) ??
      this.load(shortName(this.host, path), { outer, tools: this.flags.tools ?? from.toolsPath });
    this.known.set(key, loaded);
    if (loaded.kind === 'missing') return { problem: `cannot be run: ${loaded.message}`, help: 'name a JSON file' };
    const error = loaded.diagnostics.find(({ severity }) => severity === 'error');
    if (error !== undefined)
      return {
        problem: `has errors: ${error.message}`,
        help: `check it: \`statedsl plan check ${shortName(this.host, path)}\``,
      };
    (from.inner[by] as Map<string, LoadedPlan>).set(name, loaded);
    return loaded;
  }

  /** A nested plan has the tools file of its own folder, or if there is none, that of the enclosing plan. */
  private toolsFor(file: string, { outer, tools }: PlanContext): string | null {
    if (outer.length === 0) return tools ?? this.findToolsFile(file);
    const adjacent = join(dirname(file), 'tools.yaml');
    const same = dirname(pathOf(this.host, file)) === dirname(outer.at(-1) ?? '');
    return this.exists(adjacent) && !(same && tools !== null) ? adjacent : (tools ?? this.findToolsFile(file));
  }
}

function emptyPlan(diagnostics: readonly Diagnostic[], sources: SourceSet): LoadedPlan {
  const inner = { call: new Map(), tool: new Map() };
  const none = { plan: null, signature: [], approvals: [], inputs: [], tree: null, toolsPath: null, path: null, inner };
  return { ...none, kind: 'loaded', diagnostics, sources };
}

interface ReadTools {
  readonly source: SourceFile;
  readonly root: JsonNode | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** A parsed plan, from a document or from a program. */
interface PlanText {
  readonly tree: PlanTree;
  readonly source: SourceFile;
  readonly found: readonly Diagnostic[];
  readonly lineOf: (offset: number) => number;
}

/** The tools of the file, and those that a program defines. */
function withTools(read: ReadTools | null, further: readonly JsonMember[], program: string): ReadTools {
  const [first] = further;
  const root = read?.root ?? null;
  if (read !== null && root?.kind !== 'object') return read;
  const span = root?.span ?? (first as JsonMember).keySpan;
  const members = [...(root?.kind === 'object' ? root.members : []), ...further];
  const tools = read ?? { source: sourceFile(join(dirname(program), 'tools.yaml'), ''), diagnostics: [] };
  return { ...tools, root: { kind: 'object', span, members } };
}

function unreadableMessage(path: string, read: Exclude<NamedProgram, { kind: 'text' }>): string {
  return read.kind === 'missing' ? read.message : `\`${path}\` is not UTF-8 text`;
}

interface GivenState {
  readonly value: Json;
  readonly printed: Readonly<Record<string, string>>;
}

function readState(host: ProjectHost, path: string): GivenState | MissingPlan {
  const read = readProgram(host, path);
  if (read.kind !== 'text') return { kind: 'missing', message: unreadableMessage(path, read) };
  try {
    const value = JSON.parse(read.text) as Json;
    const problem = ambiguityIn(read.text);
    if (problem !== null) return { kind: 'missing', message: `\`${path}\` ${problem}` };
    if (deeperThan(value as Value, MAX_VALUE_DEPTH))
      return { kind: 'missing', message: `\`${path}\` is nested deeper than ${MAX_VALUE_DEPTH} levels` };
    if (isJsonObject(value)) {
      const written = Object.entries(decode(read.text) as Readonly<Record<string, Value>>);
      const texts = written.flatMap(([name, one]) => (isBeyondJson(one) ? [[name, printJson(one)]] : []));
      return { value, printed: Object.fromEntries(texts) as Readonly<Record<string, string>> };
    }
  } catch {
    // Reported below, like JSON that is not an object.
  }
  return { kind: 'missing', message: `\`${path}\` does not contain a JSON object` };
}

function readNextTo(
  host: ProjectHost,
  file: string,
  path: string,
  readFile: (path: string) => NamedProgram,
): { readonly text: string } | { readonly error: string } {
  const read = readFile(resolve(pathOf(host, dirname(file)), path));
  if (read.kind === 'text') return { text: read.text };
  return { error: read.kind === 'missing' ? (read.message.split(': ').at(-1) as string) : 'it is not UTF-8 text' };
}

/**
 * SHA-256 of everything that an approval covers. Inputs are not part of it, because they may differ from run to run.
 */
export function approvalHash(plan: LoadedPlan): string {
  return createHash('sha256')
    .update(canonicalJson(approvedContent(plan, new Map())))
    .digest('hex');
}

/** Whether the plan or a nested plan requires an approval. */
export function needsApproval({ plan, inner }: LoadedPlan): boolean {
  return plan?.mode === 'lazy' || [...inner.call.values(), ...inner.tool.values()].some(needsApproval);
}

/** A nested plan is represented by its own hash, which is computed once, however often the plan is called. */
function approvedContent(loaded: LoadedPlan, known: Map<LoadedPlan, string>): Json {
  const plans: { [file: string]: Json } = {};
  for (const [file, inner] of [...loaded.inner.call, ...loaded.inner.tool]) {
    const hash =
      known.get(inner) ??
      createHash('sha256')
        .update(canonicalJson(approvedContent(inner, known)))
        .digest('hex');
    known.set(inner, hash);
    plans[file] = hash;
  }
  const tools = (loaded.plan?.tools ?? {}) as unknown as Json;
  return { plan: loaded.tree === null ? null : jsonOf(loaded.tree.root), tools, plans };
}

/** JSON with sorted keys and no spaces. */
function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`).join(',')}}`;
}
