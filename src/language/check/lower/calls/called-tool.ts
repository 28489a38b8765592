/**
 * Turns a CALL into a plan of one call, so that tools, schemas and output paths are checked as in plans. The plan
 * contains constants directly. All other values are inputs of the plan, which the program passes at run time.
 */
import type { Json } from '../../../../machine/expression.js';
import type { EntryArgument } from '../../../../machine/machine.js';
import type { OutputMethod } from '../../../../machine/plan.js';
import { omitUndefined } from '../../../../prelude/omit-undefined.js';
import { readReference } from '../../../../prelude/reference.js';
import type { Span } from '../../../source/diagnostic.js';
import type { Argument, OutputPath, ToolCallNode } from '../../../syntax/ast.js';
import type { Name } from '../../../syntax/expression-nodes.js';
import type {
  CallNode,
  JsonMember,
  JsonNode,
  ObjectNode,
  ParameterNode,
  PlanTree,
  TextNode,
} from '../../../syntax/plan-tree.js';

export interface CallParts {
  /** In the order of the arguments of the instruction. */
  readonly args: readonly EntryArgument[];
  readonly output: OutputPath | null;
  readonly method: OutputMethod | null;
}

/** A tool for a PLAN with an output path. The tool runs the plan, and its name is the path of the plan. */
export function toolOfPlan({ text, span }: Name): JsonMember {
  const target = { key: 'plan', keySpan: span, value: textNode(text, span) };
  return { key: text, keySpan: span, value: { ...objectNode(span), members: [target] } };
}

export function planOfOneCall(call: ToolCallNode, tool: Name, { args, output, method }: CallParts): PlanTree {
  const read = output === null ? null : readReference(output.raw);
  const node: CallNode = {
    node: objectNode(call.span),
    tool: textNode(tool.text, tool.span),
    delegate: null,
    instance: null,
    method: method === null ? null : textNode(method, call.verb.span),
    output:
      output === null ? null : { node: textNode(output.raw, output.span), expr: read?.ok === true ? read.expr : null },
    inline: null,
    parameters: args.map((arg) => parameter(arg, call.args.find(({ name }) => name.text === arg.name) as Argument)),
    remarks: [],
  };
  return { root: node.node, calls: [node], context: [], output: null, mode: 'eager', max: null };
}

function parameter({ name, value }: EntryArgument, written: Argument): { member: JsonMember; value: ParameterNode } {
  const where = written.value?.span ?? written.name.span;
  if (value.op === 'const' && !isOpen(value)) {
    const node = jsonNode(value.value, where);
    const printed = omitUndefined({ printed: value.printed });
    return {
      member: { key: name, keySpan: written.name.span, value: node },
      value: { kind: 'literal', node, ...printed },
    };
  }
  const node = textNode('', where);
  const expr = { kind: 'reference', path: ['input', name], start: 0, end: 0 } as const;
  return { member: { key: name, keySpan: written.name.span, value: node }, value: { kind: 'expression', node, expr } };
}

/** The values that only the run knows, which it passes as inputs. */
export function openArguments(args: readonly EntryArgument[]): EntryArgument[] {
  return args.filter(({ value }) => isOpen(value));
}

export function isOpen(value: EntryArgument['value']): boolean {
  return value.op !== 'const' || hasDataReference(value.value);
}

/** In a plan such a text would be a data reference; in a program it is plain text. */
function hasDataReference(value: Json): boolean {
  if (typeof value === 'string') return value.startsWith('†');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasDataReference);
}

function jsonNode(value: Json, span: Span): JsonNode {
  if (typeof value === 'string') return textNode(value, span);
  if (Array.isArray(value)) return { kind: 'list', span, items: value.map((item) => jsonNode(item, span)) };
  if (typeof value !== 'object' || value === null) return { kind: 'scalar', span, value };
  const members = Object.entries(value).map(([key, inner]) => ({ key, keySpan: span, value: jsonNode(inner, span) }));
  return { ...objectNode(span), members };
}

function objectNode(span: Span): ObjectNode {
  return { kind: 'object', span, members: [] };
}

function textNode(value: string, span: Span): TextNode {
  const part = (start: number, end: number): Span => ({ ...span, start: span.start + start, end: span.start + end });
  return { kind: 'text', span, value, part };
}
