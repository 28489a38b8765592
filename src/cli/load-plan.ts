/**
 * From the name of a plan's file to its compilation: the document, the tools beside it, the schemas beside those. A
 * plan is told from a program by the end of its name.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { compilePlan, type PlanCompilation } from '../check/plan/compile-plan.js';
import { readPlanDocument } from '../frontends/plan-document.js';
import { readYamlTree } from '../frontends/yaml-tree.js';
import type { Json } from '../machine/expression.js';
import { schemaValidator } from '../runtime/plan-schema.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../source/source-file.js';
import type { JsonNode, PlanNode } from '../syntax/plan-tree.js';
import { drawDiagnostics } from '../views/diagnostic.js';
import { type ProgramText, readProgram } from './load-program.js';
import { stderr } from './streams.js';
import { usageError } from './usage.js';

export interface PlanFlags {
  /** The file of tools; by default `tools.yaml` beside the plan, then in the working directory. */
  readonly tools?: string;
  /** A file of JSON that is the state to begin with. */
  readonly state?: string;
}

export interface LoadedPlan extends PlanCompilation {
  readonly kind: 'loaded';
  readonly sources: SourceSet;
  /** The document as it was read; null when it is no plan at all. */
  readonly tree: PlanNode | null;
  readonly toolsPath: string | null;
}

export type LoadPlan = LoadedPlan | { readonly kind: 'missing'; readonly message: string };

export function loadPlan(file: string, flags: PlanFlags): LoadPlan {
  const read = readProgram(file);
  if (read.kind === 'missing') return read;
  if (read.kind === 'broken') return nothing(read.compilation.diagnostics, read.compilation.sources);
  const document = readPlanDocument(read.text, 0);
  const sources = [sourceFile(read.name, read.text)];
  if (document.plan === null) return nothing(document.diagnostics, sources);
  const tools = readTools(flags.tools ?? toolsBeside(file));
  if (tools !== null && 'kind' in tools) return tools;
  if (tools !== null) sources.push(sourceFile(tools.name, tools.text));
  const state = flags.state === undefined ? null : readState(flags.state);
  if (state !== null && 'kind' in state) return state;
  const root: JsonNode | null = tools?.root ?? null;
  const compilation = compilePlan(document.plan, {
    tools: tools === null || root === null ? null : { name: tools.name, root },
    readBeside: (path) => besides(tools?.name ?? file, path),
    validate: schemaValidator(),
    found: [...document.diagnostics, ...(tools?.diagnostics ?? [])],
    ...(state === null ? {} : { state: state.value }),
  });
  // Without readable tools every tool is unknown, which says nothing.
  const useless = tools !== null && root === null ? 'unknown-tool' : null;
  const diagnostics = compilation.diagnostics.filter(({ code }) => code !== useless);
  const toolsPath = tools?.name ?? null;
  return { ...compilation, kind: 'loaded', diagnostics, sources, tree: document.plan, toolsPath };
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
  if (plan !== null) return { ...loaded, plan };
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  stderr.write(drawDiagnostics(errors, sources, await stderr.paint()));
  return null;
}

function nothing(diagnostics: readonly Diagnostic[], sources: SourceSet): LoadedPlan {
  const none = { plan: null, signature: [], gates: [], tree: null, toolsPath: null };
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
