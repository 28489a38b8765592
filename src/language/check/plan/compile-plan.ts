/** The pipeline of plans: the trees of a document and of its tools become a Plan and diagnostics. */
import type { Json } from '../../../machine/expression.js';
import type { Plan, PlanCall, PlanPath, ToolBinding, ToolTarget } from '../../../machine/plan.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { nearest } from '../../../prelude/nearest.js';
import { printPath } from '../../../prelude/reference.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Span } from '../../source/diagnostic.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../source/diagnostic.js';
import type { JsonNode, PlanTree } from '../../syntax/plan-tree.js';
import { collectGiven, type Given, valueAt } from './given.js';
import {
  impossibleField,
  type LocatedRead,
  type LoweredCall,
  type Lowering,
  lowerPlan,
  memberSchema,
  type NoField,
  type Schema,
} from './lower-calls.js';
import { findExclusiveCalls, lintOutputs } from './output-lints.js';
import { buildPathTree, type PathTree, type Writer } from './path-tree.js';
import { inputName, isInput, lintReads, lintUnorderedCalls, signatureOf } from './read-lints.js';
import { lintInnerPlans, lintSchemas, type OpenPlan, type PlanInterface, type Validate } from './schema-lints.js';
import { checkTools, type ReadNextTo } from './tools.js';
import { wireCalls } from './wiring.js';

interface PlanOptions {
  /** The tools and the name of their file; null if there is no such file. */
  readonly tools: { readonly name: string; readonly root: JsonNode } | null;
  readonly readNextTo: ReadNextTo;
  readonly validate: Validate;
  /** A clause that says what is wrong with a schema itself, or null. */
  readonly schemaProblem?: (schema: Json) => string | null;
  /** Whether the configuration has the name; if absent, every name is accepted. */
  readonly agents?: (name: string) => boolean;
  readonly servers?: (name: string) => boolean;
  /** A clause that says why a tool cannot run on this machine, or null. If absent, this is not checked. */
  readonly targetProblem?: (target: ToolTarget) => string | null;
  /** The paths of a tool that the workers of an engine may not have. If absent, no engine executes the plan. */
  readonly onlyHere?: (target: ToolTarget) => readonly string[];
  /** Opens a plan that a call runs; if absent, such plans are not checked. */
  readonly loadInner?: OpenPlan;
  /** The line of an offset in the document, from 1. */
  readonly lineOf?: (offset: number) => number;
  /** The diagnostics from parsing the plan and its tools. */
  readonly found: readonly Diagnostic[];
  /** The initial state, instead of that of `context`. */
  readonly state?: Json;
  /** The JSON text of its members with a number that JavaScript would print differently, such as `1.10`. */
  readonly printedState?: Readonly<Record<string, string>>;
  /** All inputs of the run. If absent, missing inputs form the signature and are not an error. */
  readonly inputs?: { readonly [name: string]: Json };
}

/** The interface is complete even if there are errors. */
export interface PlanCompilation extends PlanInterface {
  /** Null if there are errors. */
  readonly plan: Plan | null;
  readonly approvals: readonly PlanPath[];
  readonly diagnostics: readonly Diagnostic[];
}

export function compilePlan(tree: PlanTree, options: PlanOptions): PlanCompilation {
  const { state = null, printedState = {}, inputs = null } = options;
  const tools = options.tools === null ? null : checkTools(options.tools.root, options);
  const bindings = tools?.bindings ?? new Map<string, ToolBinding>();
  const diagnostics: Diagnostic[] = [...options.found, ...(tools?.diagnostics ?? [])];
  const given = collectGiven(tree, { state, printedState, inputs: inputs as Json });
  const toolsName = options.tools?.name ?? null;
  const lowering = lowerPlan(tree, { given, tools: bindings, toolsName, diagnostics });
  const { calls } = lowering;
  const writers = buildPathTree(calls);
  const around = { given, diagnostics };
  const wiring = wireCalls(calls, writers, around);
  const exclusive = findExclusiveCalls(calls, writers, wiring, around);
  lintOutputs(calls, writers, { exclusive, ...around });
  lintReads(lowering, writers, around);
  lintFields(lowering, writers, around);
  lintUnorderedCalls(calls, wiring, diagnostics);
  lintSchemas(calls, writers, { validate: options.validate, ...around });
  lintOutcomes(calls, diagnostics);
  lintTargetNames(calls, options, diagnostics);
  lintMissingTargets(calls, options, diagnostics);
  const onlyHere = lintPathsOfWorkers(calls, options, diagnostics);
  if (options.loadInner !== undefined) lintInnerPlans(calls, options.loadInner, diagnostics);
  const signature = signatureOf(lowering, given);
  const approvals = findApprovals(lowering);
  if (inputs !== null) lintInputs(lowering, { signature, inputs, root: tree.root.span, diagnostics });
  const sorted = sortByLocation(diagnostics);
  const { lineOf = () => 0 } = options;
  const ranked = calls.map((call): PlanCall => {
    const line = lineOf(call.node.node.span.start);
    return toPlanCall(call, wiring.rank[call.index] as number, line);
  });
  const used = new Set(ranked.map(({ tool }) => tool));
  const plan: Plan = {
    version: 1,
    calls: ranked,
    order: wiring.order,
    given: given.values,
    ...(given.printed.length === 0 ? {} : { printed: given.printed }),
    targeted: given.targeted,
    output: lowering.output,
    mode: tree.mode,
    max: tree.max,
    tools: Object.fromEntries([...bindings].filter(([name]) => used.has(name))),
    gates: approvals,
    signature,
  };
  return {
    plan: hasErrors(sorted) ? null : plan,
    signature,
    approvals,
    inputs: inputNames(lowering),
    onlyHere,
    diagnostics: sorted,
  };
}

/** Where what a call reads or writes was not understood, nothing is known about the order of the calls. */
const MISREAD = new Set(['foreign-reference', 'mixed-operators', 'plan-shape', 'ref-syntax', 'unknown-meta']);

/** A call may be unordered with several others, so these messages at one location are not duplicates. */
function sortByLocation(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const isMisread = diagnostics.some(({ code }) => MISREAD.has(code));
  const pairs = isMisread ? [] : diagnostics.filter(({ code }) => code === 'unordered');
  const others = sortDiagnostics(diagnostics.filter(({ code }) => code !== 'unordered'));
  return [...others, ...pairs].sort((a, b) => a.span.file - b.span.file || a.span.start - b.span.start);
}

function toPlanCall(call: LoweredCall, rank: number, line: number): PlanCall {
  const { index, source, tool, delegate, instance, parameters, inline, arms, method, remarks } = call;
  return { index, source, tool, delegate, instance, line, rank, parameters, inline, arms, method, remarks };
}

function findApprovals({ calls }: Lowering): PlanPath[] {
  const paths = calls.flatMap(({ reads }) => reads.filter(({ isApproval }) => isApproval).map(({ path }) => path));
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

/** Each path in `outcomes` or `failure` of a tool must be an output path of every call of the tool. */
function lintOutcomes(calls: readonly LoweredCall[], diagnostics: Diagnostic[]): void {
  for (const { binding, arms, outputSpan, tool, instance } of calls) {
    const { outcomes = null, failure = null } = binding ?? {};
    const named = [
      ...Object.values(outcomes ?? {}),
      ...(failure === null || typeof failure === 'string' ? [] : [failure]),
    ];
    const declared = new Set(arms.flat().map((path) => JSON.stringify(path)));
    for (const path of named) {
      const own = instance !== null && path[0] === 'state' ? ['instance', instance, ...path] : path;
      if (declared.has(JSON.stringify(own))) continue;
      diagnostics.push(words.unknownOutcome(outputSpan, { tool: tool ?? '', path: `†${printPath(path)}`, labels: [] }));
    }
  }
}

/** Reports agents and servers that calls need and the configuration does not define. */
function lintTargetNames(
  calls: readonly LoweredCall[],
  { agents = () => true, servers = () => true }: PlanOptions,
  diagnostics: Diagnostic[],
): void {
  for (const { binding, node, tool } of calls) {
    const target = binding?.calls;
    const span = node.tool?.span ?? node.node.span;
    if (target?.kind === 'agent' && !agents(target.agent))
      diagnostics.push(words.unknownAgent(span, { tool: tool ?? '', name: target.agent }));
    if (target?.kind === 'mcp' && !servers(target.server))
      diagnostics.push(words.unknownServer(span, { tool: tool ?? '', name: target.server }));
  }
}

/** Reports tools that are not on this machine, each once, unless they have mistakes. */
function lintMissingTargets(
  calls: readonly LoweredCall[],
  { targetProblem }: PlanOptions,
  diagnostics: Diagnostic[],
): void {
  if (targetProblem === undefined) return;
  const seen = new Set<string>();
  for (const { binding, node, tool, inline } of calls) {
    if (tool === null || binding === null || inline !== null || seen.has(tool)) continue;
    seen.add(tool);
    const problem = targetProblem(binding.calls);
    if (problem !== null) diagnostics.push(words.toolNotFound(node.tool?.span ?? node.node.span, { tool, problem }));
  }
}

/** Reports tools with paths that workers may not have, each once, and returns these paths. */
function lintPathsOfWorkers(
  calls: readonly LoweredCall[],
  { onlyHere, loadInner }: PlanOptions,
  diagnostics: Diagnostic[],
): string[] {
  if (onlyHere === undefined) return [];
  const found = new Map<string, readonly string[]>();
  for (const { binding, node, tool, delegate, inline } of calls) {
    const name = tool ?? delegate;
    if (name === null || binding === null || inline !== null || found.has(name)) continue;
    const target = binding.calls;
    const inner = target.kind === 'plan' ? loadInner?.(target.file, delegate === null ? 'tool' : 'call') : undefined;
    const paths = inner === undefined ? onlyHere(target) : 'problem' in inner ? [] : (inner.onlyHere ?? []);
    found.set(name, paths);
    const span = node.delegate?.span ?? node.tool?.span ?? node.node.span;
    for (const path of paths) diagnostics.push(words.engineTools(span, { tool: name, path }));
  }
  return [...found.values()].flat();
}

function inputNames({ calls, outputReads }: Lowering): string[] | null {
  const read = [...calls.flatMap(({ reads }) => reads), ...outputReads].filter(({ path }) => isInput(path));
  const names = read.map(({ path }) => inputName(path));
  return names.includes(undefined) ? null : [...new Set(names as string[])];
}

function lintInputs(
  lowering: Lowering,
  facts: {
    readonly signature: readonly (readonly PlanPath[])[];
    readonly inputs: { readonly [name: string]: Json };
    readonly root: Span;
    readonly diagnostics: Diagnostic[];
  },
): void {
  const { signature, inputs, root, diagnostics } = facts;
  const reads = [...lowering.calls.flatMap((call) => call.reads), ...lowering.outputReads];
  for (const paths of signature) {
    const first = paths.find(isInput) as PlanPath;
    const span = reads.find(({ path }) => JSON.stringify(path) === JSON.stringify(first))?.span ?? root;
    diagnostics.push(words.missingInput(span, { path: `†${printPath(first)}`, name: inputName(first) ?? '' }));
  }
  const all = reads.filter(({ path }) => isInput(path)).map(({ path }) => inputName(path));
  const known = new Set(all.filter((name) => name !== undefined));
  if (all.includes(undefined)) return;
  for (const name of Object.keys(inputs)) {
    if (known.has(name)) continue;
    const start = { ...root, end: Math.min(root.end, root.start + 1) };
    diagnostics.push(words.unreadInput(start, { name, near: nearest(name, known) }));
  }
}

/** The fields of the value that a failure writes. */
const OF_FAILURES = new Set(['code', 'message']);

/** Reports reads of fields that no result can have, by the schemas of the tools that write them. */
function lintFields(
  { calls, outputReads }: Lowering,
  tree: PathTree,
  { given, diagnostics }: { readonly given: Given; readonly diagnostics: Diagnostic[] },
): void {
  const reads = [...calls.flatMap((call) => call.reads), ...outputReads];
  for (const read of reads) {
    if (valueAt(given.values, read.path) !== undefined) continue;
    const problem = findMissingField(read, tree.findOverlapping(read.path), calls);
    // Another alternative may have a value.
    if (problem !== null)
      diagnostics.push(read.alternatives.length > 0 ? { ...problem, severity: 'warning' } : problem);
  }
}

/** The field is certainly missing only if every call that may write the value excludes it. */
function findMissingField(
  { path, span }: LocatedRead,
  writers: readonly Writer[],
  calls: readonly LoweredCall[],
): Diagnostic | null {
  let first: { readonly call: LoweredCall; readonly found: NoField; readonly outer: PlanPath } | null = null;
  for (const writer of writers) {
    const call = calls[writer.call] as LoweredCall;
    const segments = path.slice(writer.path.length);
    if (
      writer.path.length >= path.length ||
      (OF_FAILURES.has(segments[0] as string) && mayTakeFailure(call, writer.arm))
    )
      return null;
    const found = call.method !== null || call.inline !== null ? null : impossibleField(resultOf(call), segments);
    if (found === null) return null;
    first ??= { call, found, outer: writer.path };
  }
  if (first === null) return null;
  const { call, found, outer } = first;
  const near = found.known === null ? undefined : nearest(found.segment, found.known);
  return words.noSuchField(span, {
    path: `†${printPath(path)}`,
    tool: call.tool ?? '',
    name: found.segment,
    known: found.known,
    near: near === undefined ? undefined : `†${printPath(replaceSegment(path, outer.length, [found.segment, near]))}`,
  });
}

/** The path with another name for one of its segments. */
function replaceSegment(path: PlanPath, from: number, [wrong, right]: readonly [string, string]): PlanPath {
  const at = path.indexOf(wrong, from);
  return path.map((segment, index) => (index === at ? right : segment)) as unknown as PlanPath;
}

function resultOf({ binding }: LoweredCall) {
  const schema = binding?.schema;
  return isJsonObject(schema) ? memberSchema(schema as Schema, '_output') : undefined;
}

/** Whether a failure can take that arm. */
function mayTakeFailure({ binding, arms }: LoweredCall, arm: number): boolean {
  const { failure = null, outcomes = null } = binding ?? {};
  return failure !== null || outcomes !== null || (arms.length >= 2 && arm === arms.length - 1);
}
