/**
 * Expressions and templates of a Machine: resolved, plain JSON. A name is a list of places to look, in the
 * order of the language's scopes; the first place that holds a value wins.
 */

/** A JSON value: what variables, inputs and results hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Where a value lives at run time. Slots index arrays; names are kept only for messages. */
export type SlotRef =
  | { readonly in: 'local'; readonly slot: number }
  /** Entry values of the state that is active. */
  | { readonly in: 'entry'; readonly slot: number }
  | { readonly in: 'tracked'; readonly slot: number }
  | { readonly in: 'input'; readonly slot: number };

/**
 * A key of the run's flat state. `level` counts the scopes from the outside: 0 is the machine, and every EACH, group
 * and workflow that is entered has one more. Absent: `path` is absolute.
 */
export interface StepKey {
  readonly level?: number;
  readonly path: string;
  readonly field: string;
}

export type Expr =
  | { readonly op: 'const'; readonly value: Json }
  /** `places` may be empty (a name that is never bound, allowed in EMIT): evaluating it is `unbound`. */
  | {
      readonly op: 'read';
      readonly name: string;
      readonly places: readonly SlotRef[];
      /** The line that binds a local which some path leaves unbound, for the message. */
      readonly boundAt?: number;
    }
  /** What a step wrote. `text` is the key as the program has it. */
  | { readonly op: 'step-key'; readonly key: StepKey; readonly text: string }
  /**
   * What the step at hand knows of its last failed attempt: `error`, `diff`, `attempt`, `gate.<name>…`, `prev.<key>`; empty
   * on the first one. While its gates run, they read `diff` and `gate.…` of the attempt they judge.
   */
  | { readonly op: 'retry-key'; readonly field: string }
  /** A total of the whole run, in the older dialect of workflow files: `cost`, `duration`, … */
  | { readonly op: 'run-total'; readonly field: string }
  /** Data that need not be there: a kind, then steps into objects and lists. */
  | { readonly op: 'dagger'; readonly path: readonly [string, ...string[]] }
  /** `any` is the first that is there, `all` the last one once all are. */
  | { readonly op: 'any' | 'all'; readonly of: readonly Expr[] }
  | { readonly op: 'field'; readonly of: Expr; readonly name: string }
  | { readonly op: 'index'; readonly of: Expr; readonly index: Expr }
  | { readonly op: 'maybe'; readonly of: Expr }
  | { readonly op: 'list'; readonly items: readonly Expr[] }
  | { readonly op: 'object'; readonly entries: readonly (readonly [string, Expr])[] }
  | { readonly op: 'call'; readonly name: string; readonly args: readonly Expr[] }
  /** A quoted text with interpolations; a lone one keeps its type. */
  | { readonly op: 'template'; readonly template: Template }
  | { readonly op: 'negate' | 'not'; readonly of: Expr }
  | {
      readonly op: 'arithmetic';
      readonly operator: '+' | '-' | '*' | '/' | '%';
      readonly left: Expr;
      readonly right: Expr;
    }
  | { readonly op: 'and' | 'or'; readonly left: Expr; readonly right: Expr }
  | { readonly op: 'compare'; readonly operator: Comparison; readonly left: Expr; readonly right: Expr }
  | {
      readonly op: 'test';
      readonly test: 'empty' | 'null' | 'exists' | 'valid-json';
      readonly negated: boolean;
      readonly of: Expr;
    };

export type Comparison =
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'contains'
  | 'not-contains'
  | 'in'
  | 'not-in'
  | 'matches'
  | 'starts-with'
  | 'ends-with';

/** How `{x:json}` and the like write a value. */
export type Filter = 'json' | 'int' | 'path' | 'file';

/** One interpolation. `source` is how it was written, braces included: `{x.y:json}`. */
export interface Hole {
  readonly value: Expr;
  readonly filter?: Filter;
  readonly source: string;
}

/** Text and interpolations in order. A template of one hole and nothing else keeps the value's type. */
export type Template = readonly (string | Hole)[];

/** How an interpolation in shell text is quoted into the script: `check/shell/` decides, `shell-values.ts` writes. */
export type ShellContext = 'word' | 'double' | 'single' | 'ansi' | 'heredoc';

/** A value in shell text: everything that writing it into the script needs. */
export interface ShellInsertion {
  /** As the program has it, braces included: `{x.y:json}`. */
  readonly source: string;
  readonly filter?: Filter;
  readonly context: ShellContext;
  /** `{list*}`: one word an element. */
  readonly list?: true;
  /** The value becomes an argument of an external program, so the kernel's limit of 128 KiB holds. */
  readonly argument?: true;
  /** Which word it is part of (values of one word share an id), and the bytes of that word without values. */
  readonly word?: { readonly id: number; readonly bytes: number };
  /** `raw({x})`: the value is spliced as shell source, on purpose. */
  readonly raw?: true;
}

export interface ShellHole extends Hole, ShellInsertion {}

/** Shell source with the positions of values. No byte of a value is ever put into the strings. */
export interface ShellText {
  readonly parts: readonly (string | ShellInsertion)[];
  /** As written, for people and for the journal. */
  readonly source: string;
}

export interface ShellTemplate extends ShellText {
  readonly parts: readonly (string | ShellHole)[];
}
