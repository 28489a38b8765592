/** What the readers of a workflow file share: where mistakes go, which keys there are, and signs of its dialect. */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import { nearest } from '../../source/suggest.js';
import type { Name } from '../../syntax/ast.js';
import type { YamlMap, YamlMember, YamlNode, YamlScalar } from './yaml/yaml-nodes.js';

export type Dialect = 'current' | 'older';

/** Something that only one dialect has. */
export interface Sign {
  readonly dialect: Dialect;
  /** As it is written: `foreach`, `{task.`. */
  readonly text: string;
  readonly span: Span;
  /** Both dialects could mean it; it counts where nothing else does. */
  readonly weak?: true;
  /** Files that say it have words of the current dialect too, which then show nothing. */
  readonly oldest?: true;
}

export interface ReaderContext {
  readonly file: number;
  readonly diagnostics: Diagnostic[];
  readonly signs: Sign[];
  /** Where the names of steps are that ask for `session: reuse`. */
  readonly reused: Set<number>;
}

/** The next step for a key that is known from elsewhere; it may depend on what the key was given. */
export type Hints = Readonly<Record<string, string | ((value: YamlNode) => string)>>;

/** Members of a mapping by key, each taken once; what is left over at the end is unknown. */
export class Members {
  private readonly left: Map<string, YamlMember>;

  constructor(
    readonly map: YamlMap,
    private readonly context: ReaderContext,
  ) {
    this.left = new Map(map.members.map((member) => [member.key.text, member]));
  }

  has(key: string): boolean {
    return this.left.has(key);
  }

  take(key: string): YamlMember | undefined {
    const member = this.left.get(key);
    this.left.delete(key);
    return member;
  }

  /** The first of several spellings of one key. */
  takeOne(...keys: readonly string[]): YamlMember | undefined {
    for (const key of keys) {
      const member = this.take(key);
      if (member !== undefined) return member;
    }
    return undefined;
  }

  /** The keys that were not taken, in the order in which they are written. */
  rest(): YamlMember[] {
    return [...this.left.values()];
  }

  /** Reports every key that was not taken as unknown. `hints` says more about some of them. */
  reportUnknown(of: string, known: readonly string[], hints: Hints = {}): void {
    for (const { key, value } of this.left.values()) {
      const name = key.text;
      const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
      const help = hint === undefined ? {} : { help: typeof hint === 'string' ? hint : hint(value) };
      const near = nearest(name, known);
      this.context.diagnostics.push(words.unknownKey(key.span, { name, of, near, known, ...help }));
    }
  }
}

/** Reports a value that does not have the shape its key wants. */
export function wrongShape(context: ReaderContext, node: YamlNode, what: string, wanted: string, help?: string): void {
  const span = node.span.start === node.span.end ? node.span : firstLine(node);
  context.diagnostics.push(words.shape(span, { what, wanted, ...omitUndefined({ help }) }));
}

/** A whole mapping is too much to underline: its first key is enough. */
function firstLine(node: YamlNode): Span {
  if (node.kind === 'map' && node.flow === null && node.members[0] !== undefined) return node.members[0].key.span;
  if (node.kind === 'list' && node.items[0] !== undefined) return { ...node.span, end: node.span.start + 1 };
  return node.span;
}

export function isNothing(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** A scalar that says something, or undefined, which is reported. */
export function textOf(context: ReaderContext, { key, value }: YamlMember, wanted = 'a text'): YamlScalar | undefined {
  if (value.kind === 'scalar' && value.value !== null && value.located.text.trim() !== '') return value;
  if (value.kind === 'scalar') wrongShape(context, { ...value, span: key.span }, `\`${key.text}\``, wanted);
  else wrongShape(context, value, `\`${key.text}\``, wanted, 'put a text that begins with `{` or `[` in quotes');
  return undefined;
}

/** A name as it is written. */
export function nameOf(node: YamlScalar): Name {
  return { text: node.located.text.trim(), span: node.span };
}
