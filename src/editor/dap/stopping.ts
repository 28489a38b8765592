/** The requests that say where a run stops. */

import type { Thread } from '../../interpreter/run-state/thread.js';
import type { Value } from '../../interpreter/values/value.js';
import { ERROR_KINDS } from '../../machine/error-kinds.js';
import { readReference } from '../../prelude/reference.js';
import type { Breakpoint, DataBreakpoint, FailureFilter } from '../debug/watch.js';
import { type Handlers, listIn, numberIn, textIn } from './adapter-protocol.js';
import {
  locationsIn,
  type ResolvedBreakpoint,
  resolveFunction,
  resolveLine,
  resolvePlanLine,
  type SetBreakpoint,
  type WantedFunction,
  type WantedLine,
} from './breakpoints.js';
import type { Debuggee } from './debuggee.js';

/** A file as a request names it. */
interface NamedSource {
  readonly path?: string;
  readonly name?: string;
  readonly sourceReference?: number;
}

interface KnownLine {
  readonly id: number;
  readonly wanted: WantedLine;
  readonly source: NamedSource;
}

const FILTERS: readonly { readonly filter: string; readonly label: string }[] = [
  { filter: 'any', label: 'Any failure' },
  { filter: 'unhandled', label: 'Failures that nothing handles' },
  { filter: 'gate_failed', label: 'A gate failed' },
  { filter: 'attempt_failed', label: 'An attempt of a step failed' },
  { filter: 'fell_off', label: 'A state that ends without GOTO or RETURN' },
  { filter: 'limit', label: 'A limit was reached' },
  ...ERROR_KINDS.map((kind) => ({ filter: `kind:${kind}`, label: `Failure ${kind}` })),
];

/** What `initialize` says about failures. */
export const exceptionFilters = FILTERS.map((one) => ({
  ...one,
  default: one.filter === 'unhandled',
  supportsCondition: true,
  conditionDescription: 'kinds of failures, such as `tool_failure, timeout`',
}));

export function stopping(debuggee: Debuggee): Handlers {
  const known = new Lines(debuggee);
  return {
    setBreakpoints: (given) => {
      const source = (given.source ?? {}) as NamedSource;
      return { body: { breakpoints: known.setLines(source, listIn<WantedLine>(given, 'breakpoints')) } };
    },
    setFunctionBreakpoints: (given) => ({
      body: { breakpoints: known.setFunctions(listIn<WantedFunction>(given, 'breakpoints')) },
    }),
    setExceptionBreakpoints: (given) => {
      const options = listIn<{ filterId: string; condition?: string }>(given, 'filterOptions');
      const all: FailureFilter[] = [
        ...listIn<string>(given, 'filters').map((id) => ({ id, condition: null })),
        ...options.map(({ filterId, condition }) => ({ id: filterId, condition: condition ?? null })),
      ];
      const breakpoints = all.map(({ id }) =>
        FILTERS.some(({ filter }) => filter === id)
          ? { verified: true }
          : { verified: false, message: `there is no filter \`${id}\`` },
      );
      debuggee.wanted.failures = all.filter((_, at) => breakpoints[at]?.verified);
      debuggee.updateWanted();
      return { body: { breakpoints } };
    },
    dataBreakpointInfo: (given) => ({ body: describeData(debuggee, textIn(given, 'name') ?? '') }),
    setDataBreakpoints: (given) => {
      const asked = listIn<{ dataId: string }>(given, 'breakpoints');
      const made = asked.map(({ dataId }) => watchData(debuggee, dataId, known.nextId()));
      debuggee.wanted.data = made.filter((one) => one !== null);
      debuggee.updateWanted();
      return {
        body: {
          breakpoints: made.map((one, at) =>
            one === null
              ? { verified: false, message: `\`${asked[at]?.dataId}\` cannot be watched` }
              : { verified: true, id: one.id },
          ),
        },
      };
    },
    breakpointLocations: (given) => {
      const line = numberIn(given, 'line') ?? 1;
      const { program } = debuggee;
      const name = known.nameOf((given.source ?? {}) as NamedSource);
      if (program === null || name === undefined) return { body: { breakpoints: [] } };
      const found = locationsIn(program, name, line, numberIn(given, 'endLine') ?? line);
      return {
        body: {
          breakpoints: found.map(({ line: at, column, endLine, endColumn }) => ({
            line: at,
            column,
            endLine,
            endColumn,
          })),
        },
      };
    },
  };
}

/** Breakpoints on lines and names. Those that were set before the program is known are found once it is. */
class Lines {
  private lines: KnownLine[] = [];
  private functions: { readonly id: number; readonly wanted: WantedFunction }[] = [];
  private readonly made = new Map<number, Breakpoint | null>();
  private lastId = 0;

  constructor(private readonly debuggee: Debuggee) {
    debuggee.onProgram = () => this.resolveAgain();
  }

  nextId(): number {
    this.lastId++;
    return this.lastId;
  }

  nameOf({ path, sourceReference, name }: NamedSource): string | undefined {
    const { files } = this.debuggee;
    if (files === null) return undefined;
    if (path !== undefined) {
      const found = files.nameOf(path);
      if (found !== undefined) return found;
    }
    if (sourceReference !== undefined && sourceReference > 0) return files.nameOfReference(sourceReference);
    return path === undefined && name !== undefined && files.textOf(name) !== null ? name : undefined;
  }

  setLines(source: NamedSource, wanted: readonly WantedLine[]): object[] {
    const isSame = (one: NamedSource): boolean =>
      source.path === undefined ? one.sourceReference === source.sourceReference : one.path === source.path;
    const before = this.lines.filter((one) => isSame(one.source));
    const now = wanted.map((one): KnownLine => {
      const old = before.find((line) => JSON.stringify(line.wanted) === JSON.stringify(one));
      return { id: old?.id ?? this.nextId(), wanted: one, source };
    });
    this.lines = [...this.lines.filter((one) => !isSame(one.source)), ...now];
    const set = now.map((one) => this.resolve(one));
    this.publish();
    return set;
  }

  setFunctions(wanted: readonly WantedFunction[]): object[] {
    this.functions = wanted.map((one) => ({ id: this.nextId(), wanted: one }));
    const set = this.functions.map((one) => this.resolveName(one));
    this.publish();
    return set;
  }

  private resolve({ id, wanted, source }: KnownLine): object {
    const { program, files } = this.debuggee;
    if (program === null || files === null)
      return this.keep({
        set: { id, verified: false, line: wanted.line, message: 'nothing was launched yet' },
        breakpoint: null,
      });
    const name = this.nameOf(source);
    if (name === undefined) {
      const message = 'this file is not a part of the program that runs';
      return this.keep({ set: { id, verified: false, line: wanted.line, message }, breakpoint: null });
    }
    const at = { wanted, id };
    const set = this.keep(resolvePlanLine(program, name, at) ?? resolveLine(program, files, name, at));
    return { ...set, source };
  }

  private resolveName({ id, wanted }: { readonly id: number; readonly wanted: WantedFunction }): object {
    const { program } = this.debuggee;
    if (program === null)
      return this.keep({ set: { id, verified: false, message: 'nothing was launched yet' }, breakpoint: null });
    return this.keep(resolveFunction(program, wanted, id));
  }

  private keep({ set, breakpoint }: ResolvedBreakpoint): SetBreakpoint {
    this.made.set(set.id, breakpoint);
    return set;
  }

  private publish(): void {
    const ids = [...this.lines, ...this.functions].map(({ id }) => id);
    this.debuggee.wanted.breakpoints = ids.flatMap((id) => this.made.get(id) ?? []);
    this.debuggee.updateWanted();
  }

  private resolveAgain(): void {
    const changed = [
      ...this.lines.map((one) => this.resolve(one)),
      ...this.functions.map((one) => this.resolveName(one)),
    ];
    this.publish();
    for (const breakpoint of changed) this.debuggee.options.send('breakpoint', { reason: 'changed', breakpoint });
  }
}

/** Values that can be watched: tracked variables, † paths and keys of steps. */
function describeData(debuggee: Debuggee, name: string): object {
  const machine = debuggee.program?.linked.machine;
  if (machine?.tracked.includes(name))
    return { dataId: `tracked:${name}`, description: `tracked \`${name}\``, accessTypes: ['write'], canPersist: true };
  if (name.startsWith('†') && pathIn(name) !== null)
    return { dataId: name, description: name, accessTypes: ['write'], canPersist: true };
  const steps = new Set(
    machine?.states.flatMap(({ code }) => code.flatMap((one) => (one.op === 'step-begin' ? [one.plan.name] : []))) ??
      [],
  );
  const at = name.lastIndexOf('.');
  if (at > 0 && steps.has(name.slice(name.lastIndexOf('/') + 1, at)))
    return { dataId: `key:${name}`, description: `the key \`${name}\``, accessTypes: ['write'], canPersist: true };
  return { dataId: null, description: `\`${name}\` is not a tracked variable, a † path or a key of a step` };
}

function pathIn(text: string): readonly string[] | null {
  const found = readReference(text);
  return found.ok && found.expr.kind === 'reference' ? found.expr.path : null;
}

function watchData(debuggee: Debuggee, dataId: string, id: number): DataBreakpoint | null {
  const machine = debuggee.program?.linked.machine;
  if (dataId.startsWith('tracked:')) {
    const name = dataId.slice('tracked:'.length);
    const slot = machine?.tracked.indexOf(name) ?? -1;
    return slot < 0 ? null : { id, name, read: ({ tracked }: Thread) => tracked[slot] };
  }
  if (dataId.startsWith('key:')) {
    const name = dataId.slice('key:'.length);
    return { id, name, read: ({ run }: Thread) => run.steps.keys.get(name) };
  }
  const path = dataId.startsWith('†') ? pathIn(dataId) : null;
  return path === null ? null : { id, name: dataId, read: ({ data }: Thread) => data.read(path) as Value | undefined };
}
