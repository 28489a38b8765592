/**
 * Expressions and templates of a Machine: resolved, plain JSON. A name is a list of slots in the order of the
 * language's scopes; the first slot with a value wins.
 */

/** A JSON value, the content of variables, inputs and results. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

/** The slot of a value at run time. Slots are indexes of arrays; names are kept only for messages. */
export type SlotRef =
  | { readonly in: 'local'; readonly slot: number }
  /** Entry values of the active state. */
  | { readonly in: 'entry'; readonly slot: number }
  | { readonly in: 'tracked'; readonly slot: number }
  | { readonly in: 'input'; readonly slot: number };

/**
 * A key of the run's flat state. `level` counts the scopes from the outside: 0 is the machine, and every entered EACH,
 * group and workflow adds one. If it is absent, `path` is absolute.
 */
export interface StepKey {
  readonly level?: number;
  readonly path: string;
  readonly field: string;
}

export type Expr =
  /** `printed` is the JSON text of a value with a number that JavaScript would print differently, such as `1.10`. */
  | { readonly op: 'const'; readonly value: Json; readonly printed?: string }
  /** `places` may be empty for a name that is never bound, which EMIT allows. Evaluating it is `unbound`. */
  | {
      readonly op: 'read';
      readonly name: string;
      readonly places: readonly SlotRef[];
      /** The line that binds a local on some paths only, for the message. */
      readonly boundAt?: number;
    }
  /** A result of a step. `text` is the key as written in the program. */
  | { readonly op: 'step-key'; readonly key: StepKey; readonly text: string }
  /**
   * A value of the last failed attempt of the current step: `error`, `diff`, `attempt`, `gate.<name>…`, `prev.<key>`;
   * empty in the first attempt. While its gates run, they read `diff` and `gate.…` of the attempt they judge.
   */
  | { readonly op: 'retry-key'; readonly field: string }
  /** A total of the whole run, in the older dialect of workflow files: `cost`, `duration`, … */
  | { readonly op: 'run-total'; readonly field: string }
  /** A data reference, which need not exist: a kind, then segments into objects and lists. */
  | { readonly op: 'dagger'; readonly path: readonly [string, ...string[]] }
  /** `any` is the first one that exists; `all` is the last one, once all exist. */
  | { readonly op: 'any' | 'all'; readonly of: readonly Expr[] }
  | { readonly op: 'field'; readonly of: Expr; readonly name: string }
  | { readonly op: 'index'; readonly of: Expr; readonly index: Expr }
  | { readonly op: 'maybe'; readonly of: Expr }
  | { readonly op: 'list'; readonly items: readonly Expr[] }
  | { readonly op: 'object'; readonly entries: readonly (readonly [string, Expr])[] }
  | { readonly op: 'call'; readonly name: string; readonly args: readonly Expr[] }
  /** A quoted text with interpolations. A single interpolation keeps its type. */
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

/** The filter of an interpolation, such as `{x:json}`. */
export type Filter = 'json' | 'int' | 'path' | 'file';

/** One interpolation. `source` is the written form with braces: `{x.y:json}`. */
export interface Hole {
  readonly value: Expr;
  readonly filter?: Filter;
  readonly source: string;
}

/** Text and interpolations in order. A template that consists of a single hole keeps the value's type. */
export type Template = readonly (string | Hole)[];

/** How an interpolation in shell text is quoted into the script: `check/shell/` decides, `shell-values.ts` writes. */
export type ShellContext = 'word' | 'double' | 'single' | 'ansi' | 'heredoc';

/** A value in shell text, with everything that is needed to write it into the script. */
export interface ShellInsertion {
  /** The written form with braces: `{x.y:json}`. */
  readonly source: string;
  readonly filter?: Filter;
  readonly context: ShellContext;
  /** `{list*}`: one word for each element. */
  readonly list?: true;
  /** The value becomes an argument of an external program, so the kernel's limit of 128 KiB applies. */
  readonly argument?: true;
  /** The word that contains it (values of one word share an id), and the bytes of that word without values. */
  readonly word?: { readonly id: number; readonly bytes: number };
  /** `raw({x})`: the value is deliberately inserted as shell source. */
  readonly raw?: true;
}

export interface ShellHole extends Hole, ShellInsertion {}

/** Shell source with the positions of values. No byte of a value is ever put into the strings. */
export interface ShellText {
  readonly parts: readonly (string | ShellInsertion)[];
  /** As written, for people and for the journal. */
  readonly source: string;
  /** Its pipes, if it is a script that fails when a member of one does. */
  readonly pipes?: readonly ShellPipe[];
}

/** A pipe in shell text: its line, and the program of each member, or null for a member that is not one program. */
export interface ShellPipe {
  readonly line: number;
  readonly members: readonly (string | null)[];
}

export interface ShellTemplate extends ShellText {
  readonly parts: readonly (string | ShellHole)[];
}
