/** Values that a schema describes: what a tool returns, and the output of a step whose gate compares it with a schema. */
import { constantText } from '../../language/check/lower/lower-expression.js';
import type { Instruction, StepNode, ToolCallNode } from '../../language/syntax/ast.js';
import { childBlocks, isDeclaration, parsedBody } from '../../language/syntax/child-blocks.js';
import type { Json } from '../../machine/expression.js';
import { type OpenProgram, occurrencesAt, symbolAt } from './open-program.js';

/** Who describes a value: the tool that returns it, or a file. */
export type ValueSource =
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'schema'; readonly path: string };

/** An instruction, and how far its body has moved since it was parsed. */
interface FoundNode<Node> {
  readonly node: Node;
  readonly by: number;
}

/** All instructions of the program itself, with those inside others. */
export function instructionsOf({ tree }: OpenProgram): FoundNode<Instruction>[] {
  const found: FoundNode<Instruction>[] = [];
  const visit = (node: Instruction, by: number): void => {
    found.push({ node, by });
    for (const { instructions } of childBlocks(node)) for (const inner of instructions) visit(inner, by);
  };
  for (const item of tree.items) {
    if (!isDeclaration(item)) visit(item, 0);
    else if (item.kind === 'state' || item.kind === 'pattern') {
      const { body, by } = item.kind === 'state' ? parsedBody(item) : { body: item.body, by: 0 };
      for (const one of body.instructions) visit(one, by);
    }
  }
  return found.filter(({ node }) => node.span.file === 0);
}

/** The schemas and tools that describe the value of the name at an offset. */
export function valueSourcesAt(program: OpenProgram, offset: number): ValueSource[] {
  const { index } = program;
  const symbols = [...new Set(occurrencesAt(index, offset).flatMap((one) => one.symbols))].map((id) =>
    symbolAt(index, id),
  );
  if (symbols.length === 0) return [];
  const all = instructionsOf(program);
  const found = symbols.flatMap(({ kind, name, owner, declarations }): ValueSource[] => {
    if (kind === 'tool') return [{ kind: 'tool', name }];
    if (kind === 'data-reference') return writersOf(all, name);
    if (kind === 'step' || (kind === 'step-key' && /\.?(?:output|agent)$/.test(name))) {
      const heads = kind === 'step' ? declarations.map(({ start }) => start) : [Number(owner.split(':')[1])];
      return all.flatMap(({ node, by }) =>
        node.kind === 'step' && heads.includes(node.name.span.start + by) ? schemasOf(node) : [],
      );
    }
    const starts = new Set(declarations.filter(({ file }) => file === 0).map(({ start }) => start));
    return all.flatMap(({ node, by }) =>
      node.kind === 'call' && node.bind !== undefined && starts.has(node.bind.span.start + by) ? toolOf(node) : [],
    );
  });
  return distinctSources(found);
}

/** The tools that return what a variable of this name holds, or a data reference. */
export function toolsOfValue(program: OpenProgram, name: string): string[] {
  const all = instructionsOf(program);
  const found = name.startsWith('†')
    ? writersOf(all, name)
    : all.flatMap(({ node }) => (node.kind === 'call' && node.bind?.text === name ? toolOf(node) : []));
  return distinctSources(found).flatMap((one) => (one.kind === 'tool' ? [one.name] : []));
}

function distinctSources(all: readonly ValueSource[]): ValueSource[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

function toolOf({ called }: ToolCallNode): ValueSource[] {
  return called.kind === 'tool' ? [{ kind: 'tool', name: called.name.text }] : [];
}

function writersOf(all: readonly FoundNode<Instruction>[], path: string): ValueSource[] {
  return all.flatMap(({ node }) => {
    if (node.kind !== 'call' || node.output === undefined) return [];
    const written = node.output.raw.match(/†[^\s|&<>*]+/g) ?? [];
    return written.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`))
      ? toolOf(node)
      : [];
  });
}

function schemasOf({ gates }: StepNode): ValueSource[] {
  return gates.flatMap((gate): ValueSource[] => {
    const path = gate.kind === 'schema' && gate.path !== undefined ? constantText(gate.path) : null;
    return path === null ? [] : [{ kind: 'schema', path }];
  });
}

/** A file that a step names, where it is written. */
export interface NamedFile {
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

/** The schemas and files of context that steps name. */
export function filesOfSteps(program: OpenProgram): NamedFile[] {
  return instructionsOf(program).flatMap(({ node, by }) => {
    if (node.kind !== 'step') return [];
    const templates = [
      ...node.gates.flatMap((gate) => (gate.kind === 'schema' && gate.path !== undefined ? [gate.path] : [])),
      ...node.context.flatMap((entry) => (entry.kind === 'file' ? [entry.path] : [])),
    ];
    return templates.flatMap((template) => {
      const path = constantText(template);
      const { span, quote } = template;
      const inset = quote === 'none' ? 0 : 1;
      return path === null ? [] : [{ start: span.start + by + inset, end: span.end + by - inset, path }];
    });
  });
}

// ---- schemas --------------------------------------------------------------------------------------------

export interface ToolParameter {
  readonly name: string;
  readonly type: string | null;
  readonly says: string | null;
  readonly isRequired: boolean;
}

type Members = { readonly [name: string]: Json };

function isMembers(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parametersOfTool(schema: Json | null): ToolParameter[] {
  if (!isMembers(schema ?? undefined)) return [];
  const { properties, required } = schema as Members;
  if (!isMembers(properties)) return [];
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).flatMap(([name, one]) => {
    if (name.startsWith('_')) return [];
    const { type, description } = isMembers(one) ? one : ({} as Members);
    const types = [type].flat().filter((text) => typeof text === 'string');
    const says = typeof description === 'string' ? description : null;
    return [{ name, type: types.length === 0 ? null : types.join(' or '), says, isRequired: needed.includes(name) }];
  });
}

/** The schema of what a tool returns. */
export function resultOfTool(schema: Json | null): Json | undefined {
  if (!isMembers(schema ?? undefined)) return undefined;
  const { properties, _output: own } = schema as Members;
  return (isMembers(properties) ? properties._output : undefined) ?? own;
}

/** The fields of the values of a schema; `[]` in the path is an element of a list. */
export function fieldsOfSchema(schema: Json | undefined, path: readonly string[]): string[] {
  if (!isMembers(schema)) return [];
  const [first, ...rest] = path;
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => {
    const all = schema[word];
    return Array.isArray(all) ? all : [];
  });
  const { properties, items } = schema;
  const own =
    first === undefined
      ? Object.keys(isMembers(properties) ? properties : {})
      : fieldsOfSchema(first === '[]' ? items : isMembers(properties) ? properties[first] : undefined, rest);
  return [...new Set([...own, ...inner.flatMap((one) => fieldsOfSchema(one, path))])];
}

/** The fields of a value, along the same path. */
export function fieldsOfValue(value: Json | undefined, path: readonly string[]): string[] {
  const [first, ...rest] = path;
  if (Array.isArray(value))
    return first === '[]' ? [...new Set(value.slice(0, 20).flatMap((one) => fieldsOfValue(one, rest)))] : [];
  if (!isMembers(value)) return [];
  return first === undefined
    ? Object.keys(value)
    : Object.hasOwn(value, first)
      ? fieldsOfValue(value[first] as Json, rest)
      : [];
}
