/**
 * Checks calls against the schemas of their tools: literals and initial values with the caller's validator, values of
 * other calls by comparing the types in both schemas.
 */
import type { Json } from '../../../machine/expression.js';
import type { Parameter, PlanPath } from '../../../machine/plan.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { nearest } from '../../../prelude/nearest.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { type Given, valueAt } from './given.js';
import { type LoweredCall, memberSchema, type Schema, schemaTypes } from './lower-calls.js';
import type { PathTree } from './path-tree.js';
import { inputName } from './read-lints.js';

/** A clause that says how a value violates a JSON Schema (`has to be a number`), or null. */
export type Validate = (schema: Json, value: Json) => string | null;

export function lintSchemas(
  calls: readonly LoweredCall[],
  tree: PathTree,
  { given, validate, diagnostics }: { given: Given; validate: Validate; diagnostics: Diagnostic[] },
): void {
  for (const call of calls) {
    const schema = call.binding?.schema;
    if (!isJsonObject(schema)) continue;
    new CallSchema(call, schema as Schema, { calls, tree, given, validate, diagnostics }).check();
  }
}

interface SchemaContext {
  readonly calls: readonly LoweredCall[];
  readonly tree: PathTree;
  readonly given: Given;
  readonly validate: Validate;
  readonly diagnostics: Diagnostic[];
}

class CallSchema {
  private readonly properties: Schema;
  private readonly tool: string;

  constructor(
    private readonly call: LoweredCall,
    private readonly schema: Schema,
    private readonly around: SchemaContext,
  ) {
    this.properties = isJsonObject(schema.properties) ? schema.properties : {};
    this.tool = call.tool ?? '';
  }

  check(): void {
    const names = this.call.parameters.entries.map(([name]) => name);
    const { required, additionalProperties } = this.schema;
    for (const name of Array.isArray(required) ? required : []) {
      if (typeof name !== 'string' || name.startsWith('_') || names.includes(name)) continue;
      this.reportMismatch(
        this.call.node.tool?.span ?? this.call.outputSpan,
        `\`${this.tool}\``,
        `needs the parameter \`${name}\``,
      );
    }
    this.call.parameters.entries.forEach(([name, value], at) => {
      const property = Object.hasOwn(this.properties, name) ? this.properties[name] : undefined;
      const member = this.call.node.parameters[at]?.member;
      if (member === undefined) return;
      if (property !== undefined) this.checkParameter(name, value, property, member.value.span);
      else if (additionalProperties === false) {
        const near = nearest(name, Object.keys(this.properties));
        const meant = near === undefined ? '' : `; did you mean \`${near}\`?`;
        this.reportMismatch(member.keySpan, `\`${name}\``, `is not a parameter of \`${this.tool}\`${meant}`);
      }
    });
    this.checkOutputPath();
  }

  private checkParameter(name: string, value: Parameter, schema: Json, span: LoweredCall['outputSpan']): void {
    const { given, validate } = this.around;
    const known =
      value.op === 'literal'
        ? value.value
        : value.op === 'read' && value.of.op === 'path'
          ? valueAt(given.values, value.of.path)
          : undefined;
    if (known !== undefined) {
      const problem = validate(schema, known);
      if (problem !== null) this.reportMismatch(span, `\`${name}\` of \`${this.tool}\``, problem);
      return;
    }
    if (value.op === 'literal') return;
    const wanted = schemaTypes(schema);
    const found = value.op === 'read' ? this.typesRead(value) : new Set([value.op === 'list' ? 'array' : 'object']);
    if (wanted === null || found === null || [...found].some((type) => accepts(wanted, type))) return;
    this.reportMismatch(span, `\`${name}\` of \`${this.tool}\``, `must be ${orList(wanted)}, not ${orList(found)}`);
  }

  /** The possible types of the read value, or null if a writer does not declare them. */
  private typesRead({ of }: Extract<Parameter, { op: 'read' }>): Set<string> | null {
    if (of.op !== 'path') return null;
    const found = new Set<string>();
    for (const writer of this.around.tree.findOverlapping(of.path)) {
      const { binding, method, inline } = this.around.calls[writer.call] as LoweredCall;
      if (writer.path.length > of.path.length) return new Set(['object']);
      if (method !== null || inline !== null || !isJsonObject(binding?.schema)) return null;
      let schema = memberSchema(binding?.schema as Schema, '_output');
      for (const segment of of.path.slice(writer.path.length)) {
        const properties = isJsonObject(schema) ? schema.properties : undefined;
        schema = isJsonObject(properties) && Object.hasOwn(properties, segment) ? properties[segment] : undefined;
      }
      const types = schema === undefined ? null : schemaTypes(schema);
      if (types === null) return null;
      for (const type of types) found.add(type);
    }
    return found.size === 0 ? null : found;
  }

  private checkOutputPath(): void {
    const schema = memberSchema(this.schema, '_outputPath');
    const { output } = this.call.node;
    if (!isJsonObject(schema)) return;
    if (output === null) {
      const { required } = this.schema;
      // If the schema names a single path, it is filled in.
      if (this.call.arms.length === 0 && Array.isArray(required) && required.includes('_outputPath'))
        this.reportOutputPath(schema, 'its schema requires an `_outputPath`');
      return;
    }
    if (this.around.validate(schema, output.node.value.trim()) === null) return;
    this.reportOutputPath(schema, `its schema allows ${describeAllowed(schema)}`);
  }

  private reportOutputPath(schema: Schema, wanted: string): void {
    const only = typeof schema.const === 'string' ? schema.const : null;
    const { diagnostics } = this.around;
    diagnostics.push(words.outputPathNotAllowed(this.call.outputSpan, { tool: this.tool, wanted, only }));
  }

  private reportMismatch(span: LoweredCall['outputSpan'], what: string, wanted: string): void {
    this.around.diagnostics.push(words.typeMismatch(span, { what, wanted }));
  }
}

/** A `number` may be an integer. */
function accepts(wanted: ReadonlySet<string>, type: string): boolean {
  if (wanted.has(type)) return true;
  return (type === 'integer' && wanted.has('number')) || (type === 'number' && wanted.has('integer'));
}

function orList(types: ReadonlySet<string>): string {
  return [...types].map((type) => `\`${type}\``).join(' or ');
}

function describeAllowed(schema: Schema): string {
  if (typeof schema.const === 'string') return `only \`${schema.const}\``;
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => `\`${String(one)}\``).join(', ');
  return typeof schema.pattern === 'string' ? `what matches \`${schema.pattern}\`` : 'something else';
}

/** The interface of a plan, for the calls that run it. */
export interface PlanInterface {
  /** Each list has the alternatives of one parameter that a call must pass. */
  readonly signature: readonly (readonly PlanPath[])[];
  /** Names of the inputs that calls read, in the order of reading; null if a call reads all of them at once. */
  readonly inputs: readonly string[] | null;
  /** Paths of its tools that the workers of an engine may not have. */
  readonly onlyHere?: readonly string[];
}

export type InnerPlan = { readonly problem: string; readonly help: string } | PlanInterface;

/** `by`: paths in a call are relative to the plan, paths in a tool to the tools file. */
export type OpenPlan = (file: string, by: 'call' | 'tool') => InnerPlan;

export function lintInnerPlans(calls: readonly LoweredCall[], open: OpenPlan, diagnostics: Diagnostic[]): void {
  const seen = new Set<LoweredCall['node']>();
  for (const call of calls) {
    const target = call.binding?.calls;
    // Calls of several instances are one call of the document.
    if (target?.kind !== 'plan' || seen.has(call.node)) continue;
    seen.add(call.node);
    const span = call.node.delegate?.span ?? call.node.tool?.span ?? call.node.node.span;
    const inner = open(target.file, call.delegate === null ? 'tool' : 'call');
    if ('problem' in inner) diagnostics.push(words.innerPlan(span, { plan: target.file, ...inner }));
    else lintParameters(call, target, inner, diagnostics);
  }
}

function lintParameters(
  call: LoweredCall,
  { file, each }: { readonly file: string; readonly each: string | null },
  { signature, inputs }: PlanInterface,
  diagnostics: Diagnostic[],
): void {
  const span = call.node.delegate?.span ?? call.node.tool?.span ?? call.node.node.span;
  const names = new Set(call.parameters.entries.map(([name]) => name));
  if (each !== null) {
    const items = call.parameters.entries.find(([name]) => name === each)?.[1];
    const isOther = items?.op === 'object' || (items?.op === 'literal' && !Array.isArray(items.value));
    const problem = items === undefined ? 'this call does not pass' : isOther ? 'is not a list here' : null;
    if (problem !== null) diagnostics.push(words.eachParameter(span, { plan: file, name: each, problem }));
    names.delete(each);
    for (const name of ['item', 'index']) names.add(name);
  }
  for (const paths of signature) {
    const wanted = paths.map(inputName).filter((name) => name !== undefined);
    if (!wanted.some((name) => names.has(name)))
      diagnostics.push(words.missingInnerInput(span, { plan: file, names: wanted }));
  }
  if (inputs === null) return;
  for (const { member } of call.node.parameters) {
    const { key, keySpan } = member;
    if (key === each || inputs.includes(key)) continue;
    diagnostics.push(words.unreadInput(keySpan, { name: key, near: nearest(key, inputs) }));
  }
}
