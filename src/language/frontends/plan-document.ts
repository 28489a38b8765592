/**
 * Builds the tree of a plan from its JSON: finds calls, parameters and messages, and parses their references. Reports
 * each mistake at its location in the document and continues.
 */
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type ReferenceExpr, readReference, stringRole } from '../../prelude/reference.js';
import { unreachable } from '../../prelude/unreachable.js';
import { planMessages as words } from '../source/catalogue/plan.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type {
  CallNode,
  JsonMember,
  JsonNode,
  MessageNode,
  ObjectNode,
  ParameterNode,
  PlanTree,
  TextNode,
} from '../syntax/plan-tree.js';
import { memberOf } from '../syntax/plan-tree.js';
import { readJsonTree } from './json-tree.js';

const MEMBERS = ['calls', 'context', 'output', 'mode', 'max'];
const REMARKS = ['_reasoningForCall', '_why', '_call', '_date', '_scopes', '_activity'];
const META = ['_tool', '_outputPath', '_output', '_outputMethod', '_instance', '_delegate', ...REMARKS];
/** Every call has at least one of these members, and a plan has none. */
const CALLED = ['_tool', '_delegate', '_output'];
const DATA_MESSAGE = ['type', 'kind', 'data'];
/**
 * Reserved kinds: references could not distinguish them from others. Instances of a plan keep their data below the
 * first.
 */
const NO_KINDS = new Set(['instance', '__proto__', 'constructor', 'prototype']);
const KIND = /^[\p{L}\p{M}\p{N}_$-]+$/u;
/** A whole text that is a reference elsewhere: `{a.b}`, `{{ a }}`, `$a`, `${a}`, `$.a`, `${{ a }}`, and with a similar sign. */
const FOREIGN = /^(?:\$?\{{1,2}\s*|\$\.?|[‡✝]\s?)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*)(?:\s*\}{1,2})?$/;
const ROOT = /^(?:inputs?|state|steps|nodes|outputs?|env|vars|context)\./;

/** The path in a text that is a reference elsewhere, also if it is only a name. */
function foreignPath(text: string, isBare: boolean): string | null {
  const path = FOREIGN.exec(text)?.[1] ?? (isBare && /^[A-Za-z_][\w.]*$/.test(text) ? text : undefined);
  return path?.replace(ROOT, '') ?? null;
}

const UNSUPPORTED = new Set(['_when', '_imports', '_module', '_uid']);

interface ParsedPlan {
  readonly plan: PlanTree | null;
  readonly diagnostics: readonly Diagnostic[];
}

export function readPlanDocument(text: string, file: number): ParsedPlan {
  const { root, diagnostics } = readJsonTree(text, file);
  if (root === null) return { plan: null, diagnostics };
  const reader = new DocumentReader([...diagnostics]);
  return { plan: reader.plan(root), diagnostics: reader.diagnostics };
}

const FOREIGN_TOOL = /^_?(?:tool|tool_?name|name|function|func|fn|action|call|use|uses|op|operation|run)$/i;
const MESSAGE = 'write messages as `{"type": "input", "name": "value"}`';

class DocumentReader {
  constructor(readonly diagnostics: Diagnostic[]) {}

  plan(root: JsonNode): PlanTree {
    const none = { root, calls: [], context: [], output: null, mode: 'eager', max: null } as const;
    if (root.kind === 'list') return { ...none, calls: this.calls(root) };
    if (root.kind !== 'object') {
      this.shape(root, 'a plan', 'an object or a list');
      return none;
    }
    if (CALLED.some((name) => memberOf(root, name) !== undefined)) return { ...none, calls: [this.call(root)] };
    for (const { key, keySpan } of root.members)
      if (!MEMBERS.includes(key))
        this.diagnostics.push(words.unknownMember(keySpan, { name: key, near: nearest(key, MEMBERS), known: MEMBERS }));
    const calls = memberOf(root, 'calls');
    // Another word for it is reported already.
    if (
      calls === undefined &&
      !root.members.some(({ key }) => /^(?:steps|tasks|nodes|jobs|actions|tools|plan)$/.test(key))
    )
      this.shape(root, '`calls` of a plan', 'a list of calls');
    const output = memberOf(root, 'output');
    return {
      root,
      calls: calls === undefined ? [] : this.calls(calls.value),
      context: this.context(memberOf(root, 'context')?.value),
      output: output === undefined ? null : this.output(output.value),
      mode: this.mode(memberOf(root, 'mode')?.value),
      max: this.max(memberOf(root, 'max')?.value),
    };
  }

  /** A name alone is a text, which is never meant. */
  private output(node: JsonNode): ParameterNode {
    return node.kind === 'text' ? this.text(node, true) : this.parameter(node);
  }

  private calls(node: JsonNode): CallNode[] {
    if (node.kind !== 'list') {
      this.shape(node, '`calls` of a plan', 'a list');
      return [];
    }
    return node.items.flatMap((item) => {
      if (item.kind === 'object') return [this.call(item)];
      this.shape(item, 'a call', 'an object');
      return [];
    });
  }

  private call(node: ObjectNode): CallNode {
    const parameters: { member: JsonMember; value: ParameterNode }[] = [];
    const remarks: JsonMember[] = [];
    const isNamed = CALLED.some((name) => memberOf(node, name) !== undefined);
    // Another word for `_tool`.
    const called = isNamed
      ? undefined
      : node.members.find(({ key, value }) => FOREIGN_TOOL.test(key) && value.kind === 'text');
    for (const member of node.members) {
      const { key, keySpan } = member;
      if (!key.startsWith('_')) parameters.push({ member, value: this.parameter(member.value) });
      else if (REMARKS.includes(key)) remarks.push(member);
      else if (UNSUPPORTED.has(key)) this.diagnostics.push(words.unsupportedMeta(keySpan, { name: key }));
      else if (!META.includes(key) && member !== called)
        this.diagnostics.push(words.unknownMeta(keySpan, { name: key, near: nearest(key, META), known: META }));
    }
    const inline = memberOf(node, '_output');
    const tool = this.textMember(node, '_tool');
    const delegate = this.textMember(node, '_delegate');
    // A `_tool` that is not a text is already reported.
    if (!isNamed) {
      const help =
        called?.value.kind === 'text' ? `write \`"_tool": ${JSON.stringify(called.value.value)}\`` : undefined;
      this.shape(called?.value ?? node, 'a call without `_output`', 'a call of a tool, named by `_tool`', help);
    }
    if (inline !== undefined && delegate !== null)
      this.shape(
        inline.value,
        '`_output` of a call with `_delegate`',
        'left out, because a call either runs a plan or writes a value',
      );
    const method = memberOf(node, '_outputMethod');
    if (method !== undefined && memberOf(node, '_outputPath') === undefined)
      this.shape(
        method.value,
        '`_outputMethod`',
        'next to an `_outputPath`, because it says how to write the result there',
      );
    return {
      node,
      tool,
      delegate,
      instance: this.textMember(node, '_instance'),
      method: this.textMember(node, '_outputMethod'),
      output: this.outputPath(this.textMember(node, '_outputPath')),
      inline: inline === undefined ? null : this.parameter(inline.value),
      parameters,
      remarks,
    };
  }

  private textMember(node: ObjectNode, name: string): TextNode | null {
    const member = memberOf(node, name);
    if (member === undefined) return null;
    if (member.value.kind === 'text' && member.value.value !== '') return member.value;
    const help =
      name === '_outputPath' && member.value.kind === 'list'
        ? 'write `"†state.a || †state.b"` or `"†state.a && †state.b"`'
        : undefined;
    const wanted = member.value.kind === 'text' ? 'a text that is not empty' : 'a text';
    this.shape(
      member.value,
      `\`${name}\``,
      wanted,
      help ?? `write \`"${name}": "${name === '_outputPath' ? '†state.name' : '…'}"\``,
    );
    return null;
  }

  private outputPath(node: TextNode | null): CallNode['output'] {
    if (node === null) return null;
    const path = foreignPath(node.value, true);
    if (path !== null) {
      this.diagnostics.push(
        words.refSyntax(node.span, {
          problem: 'the path of a result begins with `†state.`',
          help: `write \`"†state.${path}"\``,
        }),
      );
      return { node, expr: null };
    }
    const escaped = stringRole(node.value) === 'escaped';
    return { node, expr: this.expression(node, escaped ? 'a result cannot be written to a text' : null) };
  }

  private parameter(node: JsonNode): ParameterNode {
    switch (node.kind) {
      case 'scalar':
        return { kind: 'literal', node };
      case 'text':
        return this.text(node);
      case 'list': {
        const items = node.items.map((item) => this.parameter(item));
        return items.every(isLiteral) ? { kind: 'literal', node } : { kind: 'list', node, items };
      }
      case 'object': {
        const entries = node.members.map((member) => ({ member, value: this.parameter(member.value) }));
        return entries.every(({ value }) => isLiteral(value))
          ? { kind: 'literal', node }
          : { kind: 'object', node, entries };
      }
      default:
        return unreachable(node);
    }
  }

  private text(node: TextNode, isOutput = false): ParameterNode {
    const role = stringRole(node.value);
    if (role === 'embedded') {
      const at = node.value.indexOf('†');
      this.diagnostics.push(words.embeddedReference(node.part(at, at + 1), {}));
    }
    const path = role === 'text' ? foreignPath(node.value, isOutput) : null;
    if (path !== null) this.diagnostics.push(words.foreignReference(node.span, { text: node.value, path }));
    const expr = role === 'expression' ? this.expression(node, null) : null;
    return expr === null ? { kind: 'literal', node } : { kind: 'expression', node, expr };
  }

  private expression(node: TextNode, refused: string | null): ReferenceExpr | null {
    const reference = readReference(node.value);
    if (reference.ok) return reference.expr;
    const { problem } = reference;
    const word = problem.kind === 'mixed' ? words.mixedOperators : words.refSyntax;
    const span = node.value === '' ? node.span : node.part(problem.start, problem.end);
    this.diagnostics.push(word(span, { problem: refused ?? problem.message, help: problem.help }));
    return null;
  }

  private context(node: JsonNode | undefined): MessageNode[] {
    if (node === undefined) return [];
    if (node.kind !== 'list') {
      this.shape(node, '`context`', 'a list of messages', MESSAGE);
      return [];
    }
    return node.items.flatMap((item) => {
      const message = item.kind === 'object' ? this.message(item) : null;
      if (item.kind !== 'object') this.shape(item, 'a message', 'an object', MESSAGE);
      return message === null ? [] : [message];
    });
  }

  private message(node: ObjectNode): MessageNode | null {
    const type = this.textMember(node, 'type');
    const instance = this.textMember(node, '_instance')?.value ?? null;
    switch (type?.value) {
      case 'input':
      case 'state':
      case 'track': {
        const fields = node.members.filter(({ key }) => key !== 'type' && !key.startsWith('_'));
        return { node, kind: type.value, instance, fields };
      }
      case 'data': {
        const data = memberOf(node, 'data')?.value;
        if (data?.kind !== 'object') {
          this.shape(data ?? node, '`data` of a data message', 'an object');
          return null;
        }
        return { node, kind: this.kind(node), instance, fields: data.members };
      }
      default:
        this.shape(type ?? node, '`type` of a message', '`input`, `state`, `track` or `data`', MESSAGE);
        return null;
    }
  }

  /** The kind of a data message; reports superfluous members. */
  private kind(node: ObjectNode): string {
    for (const { key, keySpan } of node.members)
      if (!DATA_MESSAGE.includes(key) && !key.startsWith('_'))
        this.diagnostics.push(
          words.unknownMessageMember(keySpan, { name: key, near: nearest(key, DATA_MESSAGE), known: DATA_MESSAGE }),
        );
    const kind = this.textMember(node, 'kind');
    if (kind === null) return 'data';
    if (KIND.test(kind.value) && !NO_KINDS.has(kind.value)) return kind.value;
    this.shape(
      kind,
      '`kind`',
      'a name as in `†name.field` that is not a kind of the language or a property of JavaScript objects',
    );
    return 'data';
  }

  private mode(node: JsonNode | undefined): PlanTree['mode'] {
    if (node === undefined) return 'eager';
    if (node.kind === 'text' && (node.value === 'eager' || node.value === 'lazy')) return node.value;
    this.shape(node, '`mode`', '`eager` or `lazy`', 'write `"mode": "eager"`, or leave it out');
    return 'eager';
  }

  private max(node: JsonNode | undefined): number | null {
    if (node === undefined) return null;
    if (node.kind === 'scalar' && Number.isSafeInteger(node.value) && Number(node.value) >= 1)
      return Number(node.value);
    const given = Number(node.kind === 'text' ? node.value : Number.NaN);
    const help = `write \`"max": ${given >= 1 ? Math.ceil(given) : 1}\``;
    this.shape(node, '`max`', 'a whole number of at least 1', help);
    return null;
  }

  private shape(node: JsonNode, what: string, wanted: string, help?: string): void {
    this.diagnostics.push(words.shape(node.span, { what, wanted, ...omitUndefined({ help }) }));
  }
}

/** Escapes differ from literals of the document, because they lose a `†`. They are still plain values. */
function isLiteral(value: ParameterNode): boolean {
  return value.kind === 'literal';
}
