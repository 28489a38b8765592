/**
 * The data that `†` names and a run writes: `state` and `data`, and what plans keep next to them. A path that was written
 * once stays in the list of those that `state.json` shows.
 */
import type { Json } from '../../machine/expression.js';
import type { OutputMethod } from '../../machine/plan.js';
import { printPath } from '../../prelude/reference.js';
import { DataTree, type UnknownData } from '../values/data-tree.js';
import { type Printed, packValue, printedForms, unpackValue } from '../values/json.js';
import { plainByName, type Value } from '../values/value.js';

export type StatePath = readonly [string, ...string[]];

/** What a call or a plan writes: a value at a path, and how. */
export interface DataWrite {
  readonly path: StatePath;
  readonly value: Json;
  readonly method: OutputMethod | null;
}

/** The data and the written paths, as a snapshot has them. */
export interface DataImage {
  readonly root: Json;
  readonly written: readonly StatePath[];
}

export class RunData {
  private tree: DataTree;
  private readonly known = new Map<string, StatePath>();
  private begun = false;

  constructor(
    image: DataImage | null = null,
    private readonly unknown: UnknownData | null = null,
  ) {
    this.tree = new DataTree(image === null ? { state: {}, data: {} } : unpackValue(image.root), unknown);
    this.begun = image !== null;
    for (const path of image?.written ?? []) this.note(path);
  }

  /** Nothing was ever written or given. */
  get isUntouched(): boolean {
    return this.known.size === 0 && !this.begun;
  }

  /** The value at a path, which is frozen from now on; undefined if there is none. */
  read(path: readonly string[]): Json | undefined {
    return this.tree.read(path);
  }

  has(path: readonly string[]): boolean {
    return this.tree.has(path);
  }

  /** Why the value cannot be written there, as a clause, or null. */
  refusal(path: StatePath, value: Json, method: OutputMethod | null): string | null {
    return this.tree.refusal(path, value, method);
  }

  /** Writes a value that `refusal` accepts. */
  write(path: StatePath, value: Json, method: OutputMethod | null): void {
    this.tree.write(path, value, method);
    this.note(path);
  }

  /** Shows a path that did not have to be written because its value was already there. */
  note(path: StatePath): void {
    this.known.set(printPath(path), path);
  }

  /** Replaces everything by the initial data of a plan. */
  begin(root: Json): void {
    this.tree = new DataTree(root, this.unknown);
    this.begun = true;
  }

  /** Values of the written paths by `state.user.name` and the like. */
  get written(): Record<string, Json> {
    return plainByName([...this.known.keys()], this.values);
  }

  /** Those with a number that keeps its form, as JSON text. */
  get printed(): Printed | undefined {
    return printedForms([...this.known.keys()], this.values);
  }

  private get values(): (Value | undefined)[] {
    return [...this.known.values()].map((path) => this.tree.read(path) as Value | undefined);
  }

  get image(): DataImage {
    return { root: packValue(this.tree.read([]) as Json), written: [...this.known.values()] };
  }
}
