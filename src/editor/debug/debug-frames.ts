/** The stack of a thread: patterns and workflows, steps with their attempts, and the state. */
import { callsAround, type OpenCall } from '../../interpreter/plan/open-calls.js';
import type { StepFrame } from '../../interpreter/run-state/frame.js';
import type { Run } from '../../interpreter/run-state/run-memory.js';
import type { Thread } from '../../interpreter/run-state/thread.js';
import type { DebugProgram, Where } from './debug-program.js';

/** Where a thread stands. */
export interface Standing {
  readonly thread: Thread;
  readonly pc: number;
  /** In how many patterns the action is that comes next. */
  readonly depth: number;
  /** The key of the call of a plan that is next; absent: it is no call of a plan. */
  readonly call?: string | undefined;
}

export interface DebugFrame {
  readonly name: string;
  readonly where: Where;
  readonly standing: Standing;
  /** In how many patterns and workflows it is. */
  readonly level: number;
  readonly kind: 'state' | 'pattern' | 'workflow' | 'step' | 'call';
  /** For a step. */
  readonly step: StepFrame | null;
  /** For a call of a plan. */
  readonly openCall?: OpenCall;
}

export function standingOf(program: DebugProgram, thread: Thread): Standing {
  return { thread, pc: thread.pc, depth: program.locationAt(thread.pc)?.calls.length ?? 0 };
}

/** The threads of a run that have not ended, the run itself first. */
export function threadsOf(run: Run): Thread[] {
  const all = [run.main];
  for (const thread of all)
    for (const { members } of thread.forks)
      for (const member of members)
        if (member.thread !== null && member.thread.status !== 'done') all.push(member.thread);
  return all;
}

/** Innermost first. */
export function framesOf(program: DebugProgram, standing: Standing): DebugFrame[] {
  const { thread, pc, depth } = standing;
  const calls = program.locationAt(pc)?.calls.slice(0, depth) ?? [];
  const state = thread.run.linked.machine.states[thread.state]?.name ?? '';
  const entry = program.entriesAt(pc).find((one) => one.depth === depth);
  const here = entry?.where ?? program.whereAt(pc);
  const steps = thread.frames.flatMap((frame) =>
    frame.kind === 'step' ? [{ frame, ...beginOf(program, frame, pc) }] : [],
  );
  const { call: key } = standing;
  const open = thread.plan === null || key === undefined ? [] : callsAround(thread.plan, key);
  const frames = open.map((openCall): DebugFrame => {
    const { title, plan, line } = openCall;
    const at = {
      file: program.fileOfPlan(plan),
      line: Math.max(1, line),
      column: 1,
      endLine: Math.max(1, line),
      endColumn: 1,
    };
    return { name: title.replaceAll('`', ''), where: at, standing, level: depth, kind: 'call', step: null, openCall };
  });
  for (let level = depth; level >= 0; level--) {
    const inner = calls[level];
    let where = inner === undefined ? here : program.whereOf(inner.span);
    const isInnermost = level === depth;
    for (const { frame, begin, depth: at } of steps.toReversed()) {
      if (Math.min(at, depth) !== level) continue;
      const name = `STEP ${frame.path} · attempt ${frame.attempt} · ${frame.phase}`;
      frames.push({ name, where, standing, level, kind: 'step', step: frame });
      if (begin !== null) where = begin;
    }
    const call = calls[level - 1];
    const name = call === undefined ? state : shortName(call.name);
    frames.push({ name, where, standing, level, kind: call?.kind ?? 'state', step: null });
    if (isInnermost && frames.length === 0) throw new Error('a thread has no frame');
  }
  return frames;
}

/** A workflow is called by its file. */
function shortName(name: string): string {
  return name.includes('/') ? name.slice(name.lastIndexOf('/') + 1) : name;
}

/** The line where a step begins, and in how many patterns that is. */
function beginOf(program: DebugProgram, { path }: StepFrame, pc: number): { begin: Where | null; depth: number } {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const first = program.linked.starts[program.stateAt(pc)] as number;
  for (let at = pc; at >= first; at--) {
    const instruction = program.instructionAt(at);
    if (instruction?.op !== 'step-begin' || instruction.plan.name !== name) continue;
    return { begin: program.whereAt(at), depth: program.locationAt(at)?.calls.length ?? 0 };
  }
  return { begin: null, depth: 0 };
}
