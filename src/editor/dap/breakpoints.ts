/** Breakpoints as a client sets them, and what becomes of them in the program that runs. */

import type { Thread } from '../../interpreter/run-state/thread.js';
import { nearest } from '../../prelude/nearest.js';
import type { ActionEntry, DebugProgram } from '../debug/debug-program.js';
import { textOf } from '../debug/debug-scopes.js';
import { type Compiled, compileExpression, compileHitCount, compileMessage, evaluate } from '../debug/expressions.js';
import type { Breakpoint } from '../debug/watch.js';
import type { SourceFiles } from './source-files.js';

export interface WantedLine {
  readonly line: number;
  readonly column?: number;
  readonly condition?: string;
  readonly hitCondition?: string;
  readonly logMessage?: string;
}

export interface WantedFunction {
  readonly name: string;
  readonly condition?: string;
  readonly hitCondition?: string;
}

/** As the protocol has it. */
export interface SetBreakpoint {
  readonly id: number;
  readonly verified: boolean;
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly message?: string;
}

export type ResolvedBreakpoint = { readonly set: SetBreakpoint; readonly breakpoint: Breakpoint | null };

/** A line breakpoint of a file of the program. */
export function resolveLine(
  program: DebugProgram,
  files: SourceFiles,
  name: string,
  { wanted, id }: { readonly wanted: WantedLine; readonly id: number },
): ResolvedBreakpoint {
  const text = files.textOf(name) ?? '';
  const line = lineThatRuns(files.otherText(name), text, wanted.line);
  const inFile = program.entries.filter(({ where }) => where.file === name);
  const found = entriesFrom(inFile, text, line, wanted.column);
  const [first] = found;
  if (first === undefined) return unverifiedBreakpoint(id, wanted.line, whyNot(program, text, line));
  if (found.every((entry) => !isReachable(program, entry)))
    return unverifiedBreakpoint(id, wanted.line, 'this state is never reached');
  const { where } = first;
  const resolved = compileTerm(program, found, 'breakpoint', { ...wanted, id });
  const set = { id, line: where.line, column: where.column, endLine: where.endLine };
  if ('problem' in resolved) return { set: { ...set, verified: false, message: resolved.problem }, breakpoint: null };
  return { set: { ...set, verified: true }, breakpoint: resolved };
}

/** A line breakpoint of the file of a plan stops before the call around it, or the next one, begins. */
export function resolvePlanLine(
  program: DebugProgram,
  name: string,
  { wanted, id }: { readonly wanted: WantedLine; readonly id: number },
): ResolvedBreakpoint | null {
  const { plans = {} } = program.linked.machine;
  const plan = Object.entries(plans).find(([key]) => program.fileOfPlan(key) === name)?.[1];
  if (plan === undefined) return null;
  const lines = [...new Set(plan.calls.map(({ line }) => line).filter((line) => line > 0))].sort((a, b) => a - b);
  const line = lines.findLast((one) => one <= wanted.line) ?? lines[0];
  if (line === undefined) return unverifiedBreakpoint(id, wanted.line, 'the plan has no call');
  const hasTerm = [wanted.condition, wanted.hitCondition, wanted.logMessage].some((text) => (text ?? '').trim() !== '');
  if (hasTerm) return unverifiedBreakpoint(id, wanted.line, 'a call of a plan stops always: it has no condition');
  const breakpoint: Breakpoint = {
    ...{ id, kind: 'breakpoint', entries: [], isHit: null, condition: null, message: null },
    planCall: { file: name, line },
  };
  return { set: { id, verified: true, line }, breakpoint };
}

/** States, patterns and steps by name. */
export function resolveFunction(program: DebugProgram, wanted: WantedFunction, id: number): ResolvedBreakpoint {
  const { linked, entries } = program;
  const { name } = wanted;
  const { states } = linked.machine;
  const names = new Set(states.map((state) => state.name));
  const found: ActionEntry[] = [];
  states.forEach((state, at) => {
    const start = linked.starts[at] as number;
    const inState = entries.filter(({ pc }) => pc >= start && pc < start + state.code.length);
    if (state.name === name) found.push(...inState.slice(0, 1));
    const begun = new Set<unknown>();
    for (const entry of inState) {
      const call = entry.calls.at(-1);
      if (call !== undefined) names.add(call.name);
      if (call?.name === name && !begun.has(call)) found.push(entry);
      if (call !== undefined) begun.add(call);
      const instruction = program.instructionAt(entry.pc);
      if (instruction?.op !== 'step-begin') continue;
      names.add(instruction.plan.name);
      if (instruction.plan.name === name) found.push(entry);
    }
  });
  if (found.length === 0) {
    const near = nearest(name, names);
    const help = near === undefined ? '' : `; did you mean \`${near}\`?`;
    return unverifiedBreakpoint(id, undefined, `no state, used pattern or step is called \`${name}\`${help}`);
  }
  const resolved = compileTerm(program, found, 'function breakpoint', { ...wanted, id });
  const line = found[0]?.where.line ?? 1;
  if ('problem' in resolved) return unverifiedBreakpoint(id, line, resolved.problem);
  return { set: { id, verified: true, line }, breakpoint: resolved };
}

/** Where breakpoints can be set. */
export function locationsIn(program: DebugProgram, name: string, from: number, to: number): ActionEntry['where'][] {
  const known = new Map<string, ActionEntry['where']>();
  for (const { where } of program.entries)
    if (where.file === name && where.line >= from && where.line <= to)
      known.set(`${where.line}:${where.column}`, where);
  return [...known.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

function unverifiedBreakpoint(id: number, line: number | undefined, message: string): ResolvedBreakpoint {
  return { set: { id, verified: false, message, ...(line === undefined ? {} : { line }) }, breakpoint: null };
}

interface Details {
  readonly id: number;
  readonly condition?: string;
  readonly hitCondition?: string;
  readonly logMessage?: string;
}

function compileTerm(
  program: DebugProgram,
  entries: readonly ActionEntry[],
  kind: Breakpoint['kind'],
  { id, condition, hitCondition, logMessage }: Details,
): Breakpoint | { readonly problem: string } {
  const { machine } = program.linked;
  const has = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';
  const conditions = new Map<number, Compiled>();
  const messages = new Map<number, (thread: Thread) => string>();
  for (const entry of entries) {
    const [place, state] = [locationOf(program, entry), program.stateAt(entry.pc)];
    if (has(condition)) {
      const made = compileExpression(condition, place, machine, state);
      if ('problem' in made) return made;
      conditions.set(entry.id, made);
    }
    if (has(logMessage)) {
      const made = compileMessage(logMessage, place, machine, state);
      if ('problem' in made) return made;
      messages.set(entry.id, made.print);
    }
  }
  const isHit = has(hitCondition) ? compileHitCount(hitCondition) : null;
  if (isHit !== null && 'problem' in isHit) return isHit;
  return {
    ...{ id, kind, entries, isHit },
    condition:
      conditions.size === 0 ? null : (thread, { id: at }) => holds(conditions.get(at), thread, condition ?? ''),
    message: messages.size === 0 ? null : (thread, { id: at }) => messages.get(at)?.(thread) ?? '',
  };
}

function holds(made: Compiled | undefined, thread: Thread, text: string): boolean | { readonly problem: string } {
  if (made === undefined) return true;
  const result = evaluate(made, thread);
  if ('problem' in result) return { problem: `the condition \`${text}\` failed: ${result.problem}` };
  if (typeof result.value === 'boolean') return result.value;
  return { problem: `the condition \`${text}\` is neither true nor false, but ${textOf(result.value)}` };
}

/** A USE sees the names around it, and not those of its pattern. */
function locationOf(program: DebugProgram, entry: ActionEntry) {
  const location = program.locationAt(entry.pc);
  if (location === null || location.calls.length === entry.depth) return location;
  for (let pc = entry.pc - 1; pc >= 0 && program.stateAt(pc) === program.stateAt(entry.pc); pc--) {
    const before = program.locationAt(pc);
    if (before?.calls.length === entry.depth) return before;
  }
  return location;
}

/** The actions of a line, or those of the next line with some in the same block. */
function entriesFrom(
  entries: readonly ActionEntry[],
  text: string,
  line: number,
  column: number | undefined,
): ActionEntry[] {
  const at = (wanted: number): ActionEntry[] => entries.filter(({ where }) => where.line === wanted);
  const here = at(line);
  if (here.length > 0) {
    if (column === undefined) return sameColumn(here, Math.min(...here.map(({ where }) => where.column)));
    const columns = [...new Set(here.map(({ where }) => where.column))].sort((a, b) => a - b);
    return sameColumn(here, columns.findLast((one) => one <= column) ?? (columns[0] as number));
  }
  const lines = text.split('\n');
  const isHead = /^\S/.test(lines[line - 1] ?? '') && !/^#/.test(lines[line - 1] ?? '');
  const indentation = isHead ? 0 : indentOf(lines[line - 1] ?? '');
  for (let next = line + 1; next <= lines.length; next++) {
    const written = lines[next - 1] ?? '';
    if (isBlank(written)) continue;
    if (indentOf(written) === 0 && /^\S/.test(written)) return entriesAtTop(at(next), lines, line);
    if (!isHead && !isBlank(lines[line - 1] ?? '') && indentOf(written) < indentation) return [];
    const found = at(next);
    if (found.length > 0) return sameColumn(found, Math.min(...found.map(({ where }) => where.column)));
  }
  return [];
}

/** In a script, actions are not indented. */
function entriesAtTop(found: readonly ActionEntry[], lines: readonly string[], line: number): ActionEntry[] {
  const isNested = /^\s/.test(lines[line - 1] ?? '');
  return isNested ? [] : found.filter(({ where }) => where.column === 1);
}

function sameColumn(entries: readonly ActionEntry[], column: number): ActionEntry[] {
  return entries.filter(({ where }) => where.column === column);
}

function isBlank(line: string): boolean {
  return /^\s*(?:#.*)?$/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function whyNot(program: DebugProgram, text: string, line: number): string {
  const lines = text.split('\n');
  const written = lines[line - 1];
  if (written === undefined) return `the file has ${lines.length} lines`;
  const above = lines.slice(0, line).toReversed();
  const machine = /^MACHINE:?\s+([^\s{]+)/.exec(above.find((one) => /^MACHINE\b/.test(one)) ?? '')?.[1];
  if (machine !== undefined && machine.replace(/^"|"$/g, '') !== program.linked.machine.name)
    return `this line belongs to another machine, \`${machine}\``;
  if (/^\s*#/.test(written)) return 'a comment';
  if (written.trim() === '') return 'an empty line with no action below it in its block';
  const pattern = /^PATTERN:?\s+([\p{L}\p{N}_.-]+)/u.exec(
    above.find((one) => /^\S/.test(one) && !/^#/.test(one)) ?? '',
  )?.[1];
  if (pattern !== undefined) return `the pattern \`${pattern}\` is never used`;
  return 'no action stands here, nor below it in the same block';
}

/** Lines follow the text that runs. */
function lineThatRuns(onDisk: string | null, running: string, line: number): number {
  if (onDisk === null) return line;
  const wanted = onDisk.split('\n')[line - 1]?.trim();
  if (wanted === undefined || wanted === '') return line;
  const found = running.split('\n').flatMap((one, at) => (one.trim() === wanted ? [at + 1] : []));
  return found.sort((a, b) => Math.abs(a - line) - Math.abs(b - line))[0] ?? line;
}

const reachable = new WeakMap<DebugProgram, ReadonlySet<number>>();

function isReachable(program: DebugProgram, { pc }: ActionEntry): boolean {
  let states = reachable.get(program);
  if (states === undefined) {
    states = reachableStates(program);
    reachable.set(program, states);
  }
  return states.has(program.stateAt(pc));
}

function reachableStates({ linked: { machine } }: DebugProgram): ReadonlySet<number> {
  const found = new Set([machine.initial, ...(machine.error === null ? [] : [machine.error])]);
  for (const state of found)
    for (const instruction of machine.states[state]?.code ?? []) {
      if (instruction.op === 'goto') found.add(instruction.state);
      if (instruction.op === 'goto-dynamic') return new Set(machine.states.keys());
    }
  return found;
}
