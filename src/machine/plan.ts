/**
 * A compiled plan: plain JSON in which every reference is a path, every output is a list of arms, and every call has a
 * position in the order. The scheduler runs it and views draw it; neither reads the document again.
 *
 * The meaning of a plan is defined by running its calls one after the other, in the order of their `rank`. Running them
 * in parallel does not change the outcome, so statuses, arguments and the final state do not depend on timing.
 */
import { unreachable } from '../prelude/unreachable.js';
import type { Json } from './expression.js';

/** The kind and then segments. In a plan with instances it begins with `instance`, the id and the kind. */
export type PlanPath = readonly [string, ...string[]];

export interface Plan {
  readonly version: 1;
  readonly calls: readonly PlanCall[];
  /** The indexes of calls in the deciding order: a call comes after the calls that produce its values. */
  readonly order: readonly number[];
  /** The initial data, by kind. */
  readonly given: { readonly [kind: string]: Json };
  /** The JSON text of initial data with a number that JavaScript would print differently, such as `1.10`. */
  readonly printed?: readonly { readonly path: PlanPath; readonly text: string }[];
  /** The inputs from messages for single instances; null without instances. */
  readonly targeted: { readonly [instance: string]: { readonly [name: string]: Json } } | null;
  readonly output: Parameter | null;
  readonly mode: 'eager' | 'lazy';
  /** The number of calls at the same time; null leaves it to the run. */
  readonly max: number | null;
  readonly tools: { readonly [name: string]: ToolBinding };
  /** The paths of approvals, in the order of the calls that read them. */
  readonly gates: readonly PlanPath[];
  /** The required inputs. Each entry is one path, or several of which one is enough. */
  readonly signature: readonly (readonly PlanPath[])[];
}

export interface PlanCall {
  /** Its index among the calls of all instances, and the index of its call in the document. */
  readonly index: number;
  readonly source: number;
  /** The name of the tool; for `_delegate` the path of the plan; null if the call contains its value. */
  readonly tool: string | null;
  readonly delegate: string | null;
  readonly instance: string | null;
  /** The line of the document on which it begins, from 1; 0 if unknown. */
  readonly line: number;
  /** Its position in the order: `order[rank]` is this call's index. */
  readonly rank: number;
  readonly parameters: Parameter & { readonly op: 'object' };
  /** The value that is written instead of a result. No tool is called then. */
  readonly inline: Parameter | null;
  /** The alternatives. Each lists the paths that are written in one step. Empty if the result is not kept. */
  readonly arms: readonly (readonly PlanPath[])[];
  readonly method: OutputMethod | null;
  readonly remarks: { readonly [name: string]: Json };
}

export type OutputMethod = 'set' | 'merge' | 'push' | 'concat' | 'assign';

export type Parameter =
  /** `printed` is the JSON text of a value with a number that JavaScript would print differently. */
  | { readonly op: 'literal'; readonly value: Json; readonly printed?: string }
  | { readonly op: 'read'; readonly of: Read }
  | { readonly op: 'list'; readonly items: readonly Parameter[] }
  | { readonly op: 'object'; readonly entries: readonly (readonly [string, Parameter])[] };

/** `any` is the first one that exists; `all` is the last one, once all exist. */
export type Read =
  | {
      readonly op: 'path';
      readonly path: PlanPath;
      /** It is an approval: calls that read it wait until it exists. */
      readonly gate: boolean;
    }
  | { readonly op: 'any' | 'all'; readonly of: readonly Read[] };

export interface ToolBinding {
  readonly calls: ToolTarget;
  /** Paths by exit code. */
  readonly outcomes: { readonly [code: string]: PlanPath } | null;
  /** The arm of a failure that `outcomes` does not name. Without `outcomes`, the last of several is the default. */
  readonly failure: 'last' | 'none' | PlanPath | null;
  readonly timeoutMs: number | null;
  readonly idempotent: boolean | null;
  /** The tool receives the answer to an approval, including `false`, which denies the calls of all other tools. */
  readonly gate?: 'value';
  /** A JSON Schema of the call: parameters, `_outputPath` and `_output`. */
  readonly schema: Json | null;
}

/**
 * The target of a tool: a program, an exported JavaScript function, an agent, a plan, or a tool of an MCP server. What is
 * `near` is a file of the project: its path is absolute where the program was compiled, and on an engine relative to the
 * directory of the run.
 */
export type ToolProgram =
  /** `near`: the indexes of words that the tools file has as relative paths. */
  | { readonly kind: 'run'; readonly argv: readonly string[]; readonly near?: readonly number[] }
  | { readonly kind: 'module'; readonly file: string; readonly name: string; readonly near?: true }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string };

export type ToolTarget =
  | ToolProgram
  | { readonly kind: 'agent'; readonly agent: string; readonly prompt: string }
  /** In a machine `file` is the name of one of its plans. */
  | { readonly kind: 'plan'; readonly file: string; readonly each: string | null };

/** All paths that a value may read, in the written order. */
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
