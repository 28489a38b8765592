/**
 * The data of a plan. Containers that nothing else refers to are changed in place, so that ten thousand results in one
 * object do not copy it ten thousand times. A container that was read is copied before a change, so a value that was read
 * never changes.
 */
import type { Json } from '../../machine/expression.js';
import type { OutputMethod } from '../../machine/plan.js';
import { unreachable } from '../../prelude/unreachable.js';
import { define, SourceNumber } from './value.js';

/**
 * What an exploration does with values that are not known yet, where data is read below them and written into them. A run
 * has none.
 */
export interface UnknownData {
  readonly isUnknown: (value: Json) => boolean;
  /** The part of an unknown value; undefined if it has none. */
  readonly partOf: (of: Json, segment: string) => Json | undefined;
  /** The elements if the value is a list, the value if it is known by now; otherwise it stays as it is. */
  readonly open: (value: Json) => Json;
  readonly isObject: (value: Json) => boolean;
  readonly isFalse: (value: Json) => boolean;
  readonly isNumber: (value: Json) => boolean;
  /** An unknown object with one more member. */
  readonly withMember: (of: Json, name: string, value: Json) => Json;
  /** The members of two objects, of which at least one is not known. */
  readonly join: (old: Json, value: Json, method: 'merge' | 'assign') => Json;
}

const INDEX = /^(?:0|[1-9]\d*)$/;

type OpenMembers = { [key: string]: Json };

export class DataTree {
  /** Containers that were made here and not read. The same holds for all containers above them. */
  private readonly owned = new WeakSet<object>();

  constructor(
    private root: Json,
    private readonly unknown: UnknownData | null = null,
  ) {}

  /** The value at the path, which never changes from now on; undefined if there is none. */
  read(path: readonly string[]): Json | undefined {
    const value = this.peek(path);
    if (value !== undefined) this.share(value);
    return value;
  }

  has(path: readonly string[]): boolean {
    return this.peek(path) !== undefined;
  }

  /** Why the value cannot be written there, as a clause, or null. */
  refusal(path: readonly string[], value: Json, method: OutputMethod | null): string | null {
    let at: Json | undefined = this.root;
    for (let depth = 0; depth < path.length && at !== undefined; depth++) {
      const segment = path[depth] as string;
      const outerPath = (): string => path.slice(0, depth).join('.');
      at = this.open(at);
      if (!this.isContainer(at)) return `\`${outerPath()}\` is not an object or a list`;
      if (Array.isArray(at) && !(INDEX.test(segment) && Number(segment) <= at.length))
        return `\`${outerPath()}\` is a list of ${at.length}, and \`${segment}\` is not an index of it`;
      // The value at the end of the path matters only if something is added to it.
      if (depth < path.length - 1 || method === 'push' || method === 'concat') at = this.memberOf(at, segment);
    }
    if (method === 'push' && at !== undefined && !Array.isArray(this.open(at))) return '`push` needs a list';
    if (method !== 'concat') return null;
    const added = this.open(value);
    const joins = at === undefined ? added : this.open(at);
    const fits = Array.isArray(joins) ? Array.isArray(added) : this.isText(joins) && this.isText(added);
    return fits ? null : '`concat` needs two lists or two texts';
  }

  /** Writes a value that `refusal` does not refuse. What is missing on the way becomes objects. */
  write(path: readonly string[], value: Json, method: OutputMethod | null): void {
    this.root = this.takeOwned(this.root);
    let at = this.root as OpenMembers;
    for (let depth = 0; depth < path.length; depth++) {
      const segment = path[depth] as string;
      const last = depth === path.length - 1;
      if (last && (method === null || method === 'set')) return define(at, segment, value);
      const old = this.openMember(at, segment);
      if (!last && this.isUnknown(old))
        return define(at, segment, this.writeInside(old, path.slice(depth + 1), value, method));
      const fresh = last ? this.combine(old, value, method) : this.takeOwned(old);
      if (fresh !== old) define(at, segment, fresh);
      at = fresh as OpenMembers;
    }
  }

  private peek(path: readonly string[]): Json | undefined {
    let at: Json | undefined = this.root;
    for (const segment of path) at = this.memberOf(at, segment);
    return at;
  }

  private isUnknown(value: Json | undefined): value is Json {
    return this.unknown !== null && value !== undefined && this.unknown.isUnknown(value);
  }

  private memberOf(at: Json | undefined, segment: string): Json | undefined {
    return this.isUnknown(at) ? this.unknown?.partOf(at, segment) : memberOf(at, segment);
  }

  private open(value: Json): Json {
    return this.unknown === null ? value : this.unknown.open(value);
  }

  private openMember(at: Json, segment: string): Json | undefined {
    const member = this.memberOf(at, segment);
    return member === undefined ? undefined : this.open(member);
  }

  private isContainer(value: Json): value is OpenMembers | Json[] {
    return isContainer(value) || (this.isUnknown(value) && this.isObject(value));
  }

  private isObject(value: Json | undefined): value is OpenMembers {
    return this.isUnknown(value) ? this.unknown?.isObject(value) === true : isObject(value);
  }

  /** A list is opened before, so an unknown value that is left and is not an object is taken for a text. */
  private isText(value: Json): boolean {
    return typeof value === 'string' && !(this.isUnknown(value) && this.isObject(value));
  }

  /** An unknown object in which something is written. */
  private writeInside(
    of: Json,
    [segment = '', ...rest]: readonly string[],
    value: Json,
    method: OutputMethod | null,
  ): Json {
    const old = this.memberOf(of, segment);
    const inner = new DataTree(old === undefined ? {} : { part: old }, this.unknown);
    inner.write(['part', ...rest], value, method);
    return this.unknown?.withMember(of, segment, inner.read(['part']) as Json) ?? of;
  }

  private share(value: Json): void {
    if (!isContainer(value) || !this.owned.delete(value)) return;
    for (const part of Object.values(value)) this.share(part);
  }

  /** The container if it may be changed, otherwise a copy. */
  private takeOwned(value: Json | undefined): Json {
    if (isContainer(value) && this.owned.has(value)) return value;
    const copy = Array.isArray(value) ? [...value] : copyOf(value as OpenMembers | undefined);
    this.owned.add(copy);
    return copy;
  }

  private combine(old: Json | undefined, value: Json, method: OutputMethod | null): Json {
    switch (method) {
      case null:
      case 'set':
        return value;
      case 'merge':
        return this.merge(old, value);
      case 'assign':
        if (!this.isObject(old) || !this.isObject(value)) return value;
        return this.isUnknown(old) || this.isUnknown(value)
          ? (this.unknown?.join(old, value, 'assign') ?? value)
          : assign(old, value);
      case 'push': {
        const list = this.takeOwned(old ?? []) as Json[];
        list.push(value);
        return list;
      }
      case 'concat':
        if (old === undefined) return value;
        return Array.isArray(old) ? [...old, ...(this.open(value) as Json[])] : `${String(old)}${String(value)}`;
      default:
        return unreachable(method);
    }
  }

  /** Merges objects recursively and replaces everything else. The depth of values is limited. */
  private merge(old: Json | undefined, value: Json): Json {
    if (!this.isObject(old) || !this.isObject(value)) return value;
    if (this.isUnknown(old) || this.isUnknown(value)) return this.unknown?.join(old, value, 'merge') ?? value;
    const copy = copyOf(old);
    for (const key of Object.keys(value)) define(copy, key, this.merge(memberOf(old, key), value[key] as Json));
    return copy;
  }
}

function memberOf(at: Json | undefined, segment: string): Json | undefined {
  if (!isContainer(at)) return undefined;
  if (Array.isArray(at)) return INDEX.test(segment) ? at[Number(segment)] : undefined;
  const value = at[segment];
  // What an object inherits is not data, and can be recognized without a second lookup of the name.
  return typeof value === 'function' || (value as unknown) === Object.prototype ? undefined : value;
}

function assign(old: OpenMembers, value: OpenMembers): Json {
  const copy = copyOf(old);
  for (const key of Object.keys(value)) define(copy, key, value[key] as Json);
  return copy;
}

function isObject(value: Json | undefined): value is OpenMembers {
  return isContainer(value) && !Array.isArray(value);
}

/** A number that keeps how it was written is an object only here. */
function isContainer(value: Json | undefined): value is OpenMembers | Json[] {
  return typeof value === 'object' && value !== null && !((value as unknown) instanceof SourceNumber);
}

function copyOf(object: OpenMembers | undefined): OpenMembers {
  return { ...object };
}
