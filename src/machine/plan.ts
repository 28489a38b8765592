/**
 * A compiled plan: plain JSON in which every reference is a path, every output a list of arms and every call has its
 * place in the order. The scheduler runs it and views draw it; neither reads the document again.
 *
 * A plan means what its calls would do one after the other in the order of their `rank`. Running them at once changes
 * nothing of the outcome, and that is how statuses, arguments and the final state do not depend on timing.
 */
import { unreachable } from '../prelude/unreachable.js';
import type { Json } from './expression.js';

/** The kind first, then steps; in a plan of instances it begins `instance`, the id, the kind. */
export type PlanPath = readonly [string, ...string[]];

export interface Plan {
  readonly version: 1;
  readonly calls: readonly PlanCall[];
  /** Indexes of calls in the order that decides: a call comes behind those whose results it reads. */
  readonly order: readonly number[];
  /** What is there before anything runs, by kind. */
  readonly given: { readonly [kind: string]: Json };
  /** Inputs that messages mean for one instance each; null without instances. */
  readonly targeted: { readonly [instance: string]: { readonly [name: string]: Json } } | null;
  readonly output: Parameter | null;
  readonly mode: 'eager' | 'lazy';
  /** How many calls run at once; null leaves it to who runs the plan. */
  readonly max: number | null;
  readonly tools: { readonly [name: string]: ToolBinding };
  /** Paths that a person opens, in the order of the calls that read them. */
  readonly gates: readonly PlanPath[];
  /** What has to be given: each entry is one path, or several of which one is enough. */
  readonly signature: readonly (readonly PlanPath[])[];
}

export interface PlanCall {
  /** Its place among all calls of all instances, and the place in the document of the call it comes from. */
  readonly index: number;
  readonly source: number;
  /** The name of the tool; for `_delegate` the path of the plan, and for a value that is written in the call null. */
  readonly tool: string | null;
  readonly delegate: string | null;
  readonly instance: string | null;
  /** The line of the document that it begins in, from 1; 0 where nobody knows. */
  readonly line: number;
  /** The place in the order: `order[rank]` is this call's index. */
  readonly rank: number;
  readonly parameters: Parameter & { readonly op: 'object' };
  /** Written instead of a result; then nothing is called. */
  readonly inline: Parameter | null;
  /** Alternatives; each lists the paths that are written in one step. Empty when the result is not kept. */
  readonly arms: readonly (readonly PlanPath[])[];
  readonly method: OutputMethod | null;
  readonly remarks: { readonly [name: string]: Json };
}

export type OutputMethod = 'set' | 'merge' | 'push' | 'concat' | 'assign';

export type Parameter =
  | { readonly op: 'literal'; readonly value: Json }
  | { readonly op: 'read'; readonly of: Read }
  | { readonly op: 'list'; readonly items: readonly Parameter[] }
  | { readonly op: 'object'; readonly entries: readonly (readonly [string, Parameter])[] };

/** `any` is the first that is present, `all` the last one's value once all are. */
export type Read =
  | {
      readonly op: 'path';
      readonly path: PlanPath;
      /** A person opens it: while it is absent, what reads it waits. */
      readonly gate: boolean;
    }
  | { readonly op: 'any' | 'all'; readonly of: readonly Read[] };

export interface ToolBinding {
  readonly calls: ToolTarget;
  /** Paths by exit code. */
  readonly outcomes: { readonly [code: string]: PlanPath } | null;
  /** Which arm a failure takes that `outcomes` does not name: the last of several is the rule without `outcomes`. */
  readonly failure: 'last' | 'none' | PlanPath | null;
  readonly timeoutMs: number | null;
  readonly idempotent: boolean | null;
  /** The tool takes the answer of a gate itself, also a `false`, which denies the calls of all others. */
  readonly gate?: 'value';
  /** A JSON Schema of the call: parameters, `_outputPath` and `_output`. */
  readonly schema: Json | null;
}

/** What is started for a call of a tool: a program, an exported JavaScript function, or a tool of an MCP server. */
export type ToolProgram =
  | { readonly kind: 'run'; readonly argv: readonly string[] }
  | { readonly kind: 'module'; readonly file: string; readonly name: string }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string };

export type ToolTarget =
  | ToolProgram
  | { readonly kind: 'agent'; readonly agent: string; readonly prompt: string }
  /** In a machine `file` is the name of one of its plans. */
  | { readonly kind: 'plan'; readonly file: string; readonly each: string | null };

/** Every path that a value may read, in the order in which it is written. */
export function pathsOf(parameter: Parameter, onPath: (read: Read & { op: 'path' }) => void): void {
  switch (parameter.op) {
    case 'literal':
      return;
    case 'read':
      return readPaths(parameter.of, onPath);
    case 'list':
      for (const item of parameter.items) pathsOf(item, onPath);
      return;
    case 'object':
      for (const [, value] of parameter.entries) pathsOf(value, onPath);
      return;
    default:
      return unreachable(parameter);
  }
}

function readPaths(read: Read, onPath: (read: Read & { op: 'path' }) => void): void {
  if (read.op === 'path') onPath(read);
  else for (const part of read.of) readPaths(part, onPath);
}
