/**
 * Lowers the calls of the document to calls of the machine: references become paths, `_outputPath` becomes arms, and each
 * call is repeated for each instance. Reports the mistakes that concern one call alone.
 */
import type { Json } from '../../../machine/expression.js';
import type { OutputMethod, Parameter, PlanCall, PlanPath, Read, ToolBinding } from '../../../machine/plan.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { printPath, type ReferenceExpr, readReference } from '../../../prelude/reference.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { CallNode, ParameterNode, PlanTree, TextNode } from '../../syntax/plan-tree.js';
import type { Given } from './given.js';
import { define, jsonOf, printedOf } from './given.js';

const METHODS: readonly string[] = ['set', 'merge', 'push', 'concat', 'assign'];
const READ_ONLY = new Set(['input', 'track']);
const MAX_CALLS = 100_000;
const MAX_ARMS = 256;

/** A call with its source locations, before its rank and line are known. */
export interface LoweredCall extends Omit<PlanCall, 'rank' | 'line'> {
  readonly node: CallNode;
  /** Its name in messages. */
  readonly title: string;
  readonly binding: ToolBinding | null;
  readonly reads: readonly LocatedRead[];
  readonly outputSpan: Span;
}

export interface LocatedRead {
  readonly path: PlanPath;
  readonly isApproval: boolean;
  readonly span: Span;
  /** For each enclosing `||`, the reads of the other alternatives. */
  readonly alternatives: readonly (readonly LocatedRead[])[];
}

export interface Lowering {
  readonly calls: readonly LoweredCall[];
  readonly output: Parameter | null;
  readonly outputReads: readonly LocatedRead[];
}

interface LoweringContext {
  readonly given: Given;
  readonly tools: ReadonlyMap<string, ToolBinding>;
  /** The name of the tools file; null if there is none. */
  readonly toolsName: string | null;
  readonly diagnostics: Diagnostic[];
}

export function lowerPlan(plan: PlanTree, around: LoweringContext): Lowering {
  const { instances } = around.given;
  const ids = instances.length === 0 ? [null] : instances;
  const calls: LoweredCall[] = [];
  plan.calls.forEach((node, source) => {
    const only = node.instance?.value;
    if (only !== undefined && !instances.includes(only)) {
      const wanted = 'an instance that a message in `context` names';
      around.diagnostics.push(words.shape((node.instance as TextNode).span, { what: '`_instance`', wanted }));
    }
    for (const id of ids) {
      if (only !== undefined && id !== null && id !== only) continue;
      if (calls.length < MAX_CALLS) calls.push(new CallLowering(around, id).lowerCall(node, calls.length, source));
    }
  });
  if (calls.length === MAX_CALLS) {
    const wanted = `fewer than ${MAX_CALLS} with all instances`;
    around.diagnostics.push(words.shape(plan.root.span, { what: 'the number of calls', wanted }));
  }
  return { calls, ...lowerOutput(plan, around) };
}

/** Each instance has its own output. */
function lowerOutput(plan: PlanTree, around: LoweringContext): Pick<Lowering, 'output' | 'outputReads'> {
  const node = plan.output;
  if (node === null) return { output: null, outputReads: [] };
  const { instances } = around.given;
  if (instances.length === 0) {
    const lowering = new CallLowering(around, null);
    return { output: lowering.parameter(node), outputReads: lowering.reads };
  }
  const each = instances.map((id) => ({ id, lowering: new CallLowering(around, id) }));
  const entries = each.map(({ id, lowering }) => [id, lowering.parameter(node)] as const);
  return { output: { op: 'object', entries }, outputReads: each.flatMap(({ lowering }) => lowering.reads) };
}

class CallLowering {
  readonly reads: LocatedRead[] = [];

  constructor(
    private readonly around: LoweringContext,
    private readonly instance: string | null,
  ) {}

  lowerCall(node: CallNode, index: number, source: number): LoweredCall {
    const tool = node.tool?.value ?? null;
    const binding = this.binding(node);
    const entries = node.parameters.map(
      ({ member, value }) => [member.key, this.parameter(value)] as readonly [string, Parameter],
    );
    const remarks: { [name: string]: Json } = {};
    for (const { key, value } of node.remarks) define(remarks, key, jsonOf(value));
    return {
      node,
      index,
      source,
      title: `call ${source + 1}${tool === null ? '' : ` (\`${tool}\`)`}`,
      tool,
      delegate: node.delegate?.value ?? null,
      instance: this.instance,
      parameters: { op: 'object', entries },
      inline: node.inline === null ? null : this.parameter(node.inline),
      arms: this.arms(node, binding),
      method: this.method(node),
      remarks,
      binding,
      reads: this.reads,
      outputSpan: node.output?.node.span ?? node.tool?.span ?? node.node.span,
    };
  }

  parameter(node: ParameterNode): Parameter {
    switch (node.kind) {
      case 'literal':
        return {
          op: 'literal',
          value: jsonOf(node.node, true),
          ...omitUndefined({ printed: node.printed ?? printedOf(node.node) }),
        };
      case 'expression':
        return { op: 'read', of: this.lowerRead(node.expr, node.node) };
      case 'list':
        return { op: 'list', items: node.items.map((item) => this.parameter(item)) };
      case 'object':
        return { op: 'object', entries: node.entries.map(({ member, value }) => [member.key, this.parameter(value)]) };
      default:
        return unreachable(node);
    }
  }

  private lowerRead(expr: ReferenceExpr, node: TextNode): Read {
    if (expr.kind !== 'reference') {
      const lowerPart = (part: ReferenceExpr): Read => this.lowerRead(part, node);
      return expr.kind === 'any' ? this.readAny(expr.of, lowerPart) : { op: 'all', of: expr.of.map(lowerPart) };
    }
    const path = this.path(expr, node);
    const isApproval = expr.path[0] === 'state' && expr.path[1] === 'approvals' && expr.path.length > 2;
    this.reads.push({ path, isApproval, span: node.part(expr.start, expr.end), alternatives: [] });
    return { op: 'path', path, gate: isApproval };
  }

  /** Adds to each read what the other alternatives read. */
  private readAny(parts: readonly ReferenceExpr[], read: (part: ReferenceExpr) => Read): Read {
    let at = this.reads.length;
    const groups: LocatedRead[][] = [];
    const of = parts.map((part) => {
      const from = this.reads.length;
      const made = read(part);
      groups.push(this.reads.slice(from));
      return made;
    });
    groups.forEach((group, own) => {
      const others = groups.filter((_, other) => other !== own);
      for (const read of group) this.reads[at++] = { ...read, alternatives: [...read.alternatives, ...others] };
    });
    return { op: 'any', of };
  }

  private path(expr: ReferenceExpr & { kind: 'reference' }, node: TextNode): PlanPath {
    const [kind] = expr.path;
    const { kinds, instances } = this.around.given;
    if (!kinds.has(kind)) {
      const facts = { name: kind, near: nearest(kind, kinds), known: [...kinds] };
      this.around.diagnostics.push(words.unknownKind(node.part(expr.start + 1, expr.start + 1 + kind.length), facts));
    }
    const own = this.instance !== null && instances.length > 0 && (kind === 'input' || kind === 'state');
    return own ? ['instance', this.instance as string, ...expr.path] : expr.path;
  }

  private arms(node: CallNode, binding: ToolBinding | null): PlanPath[][] {
    const { output } = node;
    if (output !== null) return output.expr === null ? [] : this.alternatives(output.expr, output.node);
    // A tool whose schema names one output path always writes there.
    const fixed = node.inline === null ? fixedOutput(binding?.schema) : null;
    const reference = fixed === null ? null : readReference(fixed);
    if (!reference?.ok) return [];
    const { span } = node.tool ?? node.node;
    return this.alternatives(reference.expr, { kind: 'text', span, value: fixed ?? '', part: () => span });
  }

  /** A call takes one alternative as a whole, so `&&` of alternatives becomes alternatives of `&&`. */
  private alternatives(expr: ReferenceExpr, node: TextNode): PlanPath[][] {
    if (expr.kind === 'reference') return [[this.outputPath(expr, node)]];
    const parts = expr.of.map((part) => this.alternatives(part, node));
    if (expr.kind === 'any') return parts.flat();
    return parts.reduce((left, right) => {
      if (left.length * right.length <= MAX_ARMS)
        return left.flatMap((before) => right.map((after) => removeDuplicates([...before, ...after])));
      const facts = { problem: `this output path has more than ${MAX_ARMS} alternatives`, help: 'split the call' };
      this.around.diagnostics.push(words.refSyntax(node.span, facts));
      return left;
    });
  }

  private outputPath(expr: ReferenceExpr & { kind: 'reference' }, node: TextNode): PlanPath {
    const [kind] = expr.path;
    const span = node.part(expr.start, expr.end);
    if (READ_ONLY.has(kind))
      this.around.diagnostics.push(words.writeReadonly(span, { path: `†${printPath(expr.path)}`, kind }));
    else if (expr.path.length === 1 && this.around.given.kinds.has(kind))
      this.around.diagnostics.push(words.writeRoot(span, { kind }));
    return this.path(expr, node);
  }

  private method({ method }: CallNode): OutputMethod | null {
    if (method === null) return null;
    if (METHODS.includes(method.value)) return method.value as OutputMethod;
    const wanted = `\`${METHODS.join('`, `')}\``;
    this.around.diagnostics.push(
      words.shape(method.span, {
        what: '`_outputMethod`',
        wanted: `one of ${wanted}`,
        help: 'write `"_outputMethod": "push"` for a list, `"merge"` for an object, or `"set"` to replace the value',
      }),
    );
    return null;
  }

  private binding({ tool, delegate, inline }: CallNode): ToolBinding | null {
    if (delegate !== null) {
      const calls = { kind: 'plan', file: delegate.value, each: null } as const;
      return { calls, outcomes: null, failure: null, timeoutMs: null, idempotent: null, schema: null };
    }
    if (tool === null) return null;
    const { tools, toolsName, diagnostics } = this.around;
    const binding = tools.get(tool.value);
    if (binding === undefined && inline === null) {
      const facts = { name: tool.value, near: nearest(tool.value, tools.keys()), tools: toolsName };
      diagnostics.push(words.unknownTool(tool.span, facts));
    }
    return binding ?? null;
  }
}

function removeDuplicates(paths: readonly PlanPath[]): PlanPath[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

// ---- schemas of tools: the output path, and the fields of the result --------------------------------

export type Schema = { [key: string]: Json };

/** `_output` and `_outputPath` may be inside `properties` or next to it. */
export function memberSchema(schema: Schema, name: string): Json | undefined {
  const { properties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** The output path, if the schema allows only one. */
function fixedOutput(schema: Json | null | undefined): string | null {
  const output = isJsonObject(schema) ? memberSchema(schema as Schema, '_outputPath') : undefined;
  return isJsonObject(output) && typeof output.const === 'string' ? output.const : null;
}

/** Keywords that combine schemas. Such schemas are not analysed: they count as allowing everything. */
const COMBINED = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

/** Whether no value of the schema has the field. */
export interface NoField {
  readonly segment: string;
  /** The fields that values can have; null if they have no fields. */
  readonly known: readonly string[] | null;
}

export function impossibleField(schema: Json | undefined, segments: readonly string[]): NoField | null {
  let at = schema;
  for (const segment of segments) {
    if (!isJsonObject(at) || COMBINED.some((word) => Object.hasOwn(at as Schema, word))) return null;
    const inner = schemaBelow(at, segment);
    if (inner === undefined || (typeof inner === 'object' && 'known' in inner)) return inner ?? null;
    at = inner.schema;
  }
  return null;
}

function schemaBelow(schema: Schema, segment: string): { readonly schema: Json } | NoField | undefined {
  const types = schemaTypes(schema);
  const isIndex = /^(?:0|[1-9]\d*)$/.test(segment);
  const mayBeList = types === null || types.has('array');
  if (types !== null && !types.has('object') && !(mayBeList && isIndex)) return { segment: segment, known: null };
  if (isIndex && mayBeList)
    return schema.items === undefined || types?.has('object') !== false ? undefined : { schema: schema.items };
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  if (Object.hasOwn(properties, segment)) return { schema: properties[segment] as Json };
  const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
  return isClosed && schema.patternProperties === undefined
    ? { segment: segment, known: Object.keys(properties) }
    : undefined;
}

/** The types that the schema names, or null if it names none. */
export function schemaTypes(schema: Json): Set<string> | null {
  if (!isJsonObject(schema)) return null;
  const { type } = schema;
  if (typeof type === 'string') return new Set([type]);
  return Array.isArray(type) && type.every((one) => typeof one === 'string') ? new Set(type as string[]) : null;
}
