/** The requests that move a run. */
import type { Thread } from '../../interpreter/run-state/thread.js';
import { standingOf, threadsOf } from '../debug/debug-frames.js';
import { type Motion, positionOf } from '../debug/watch.js';
import { AdapterRefusal, type Handlers, numberIn, type RequestArguments, textIn } from './adapter-protocol.js';
import type { Debuggee } from './debuggee.js';
import { effectMode } from './launch-values.js';
import type { PastLocation } from './past-run.js';

type StepKind = 'next' | 'in' | 'out';

export function moving(debuggee: Debuggee): Handlers {
  const targets = new Map<number, PastLocation>();
  const step = (kind: StepKind) => (given: RequestArguments) => {
    const motion = motionOf(debuggee, kind, given);
    return { after: () => debuggee.forward(motion) };
  };
  return {
    continue: () => {
      void debuggee.still;
      return { body: { allThreadsContinued: true }, after: () => debuggee.forward({ kind: 'run' }) };
    },
    next: step('next'),
    stepIn: step('in'),
    stepOut: step('out'),
    stepInTargets: () => ({ body: { targets: branchTargets(debuggee) } }),
    pause: () => ({ after: () => debuggee.pause() }),
    stepBack: () => {
      void debuggee.still;
      return { after: () => debuggee.time.stepBack() };
    },
    reverseContinue: () => {
      void debuggee.still;
      return { after: () => debuggee.time.reverseContinue() };
    },
    gotoTargets: (given) => {
      const { files } = debuggee;
      const source = (given.source ?? {}) as { readonly path?: string; readonly sourceReference?: number };
      const name =
        source.path === undefined ? files?.nameOfReference(source.sourceReference ?? 0) : files?.nameOf(source.path);
      if (name === undefined) throw new AdapterRefusal('this file is not a part of the program that runs');
      const line = numberIn(given, 'line') ?? 1;
      const found = debuggee.time.executionsOf(name, line);
      return {
        body: {
          targets: found.map(({ place, seq, text }, at) => {
            const id = targets.size + 1;
            targets.set(id, place);
            const label = `execution ${at + 1} of ${found.length}${text === '' ? '' : `, branch ${text}`}, after event ${seq}`;
            return { id, label, line };
          }),
        },
      };
    },
    goto: (given) => {
      const location = targets.get(numberIn(given, 'targetId') ?? 0);
      if (location === undefined) throw new AdapterRefusal('there is no such target');
      return { after: () => debuggee.time.standAt(location, 'goto') };
    },
    'statedsl/goto': (given) => {
      const seq = numberIn(given, 'seq');
      if (seq === undefined) throw new AdapterRefusal('`seq` is the number of an event');
      if (debuggee.runId === null) throw new AdapterRefusal('the run has not begun');
      return { after: () => debuggee.time.goToEvent(seq) };
    },
    'statedsl/stopBeforeEffects': (given) => {
      const mode = effectMode(textIn(given, 'mode') ?? '');
      debuggee.setEffectMode(mode);
      return { body: { mode } };
    },
    terminate: () => ({ after: () => debuggee.terminate() }),
    cancel: () => ({}),
    disconnect: ({ terminateDebuggee: terminates }) => ({
      after: () => debuggee.disconnect(typeof terminates === 'boolean' ? terminates : undefined),
    }),
  };
}

function motionOf(debuggee: Debuggee, kind: StepKind, given: RequestArguments): Motion {
  const { program, run, stop } = debuggee.still;
  const target = numberIn(given, 'targetId');
  const thread = target === undefined ? threadOf(debuggee, numberIn(given, 'threadId')) : threadOf(debuggee, target);
  const standing = thread === stop.thread ? stop : standingOf(program, thread);
  const from = positionOf(thread, standing.pc, standing.depth);
  // A branch that was chosen stops at its next action, whichever that is.
  if (target !== undefined && thread !== stop.thread) return { kind: 'in', from: { ...from, visit: run.statesTotal } };
  return { kind: textIn(given, 'granularity') === 'instruction' && kind !== 'out' ? 'instruction' : kind, from };
}

export function threadOf(debuggee: Debuggee, id: number | undefined): Thread {
  const { run, stop } = debuggee.still;
  if (id === undefined) return stop.thread;
  const found = threadsOf(run).find(({ path }) => debuggee.threadId(path) === id);
  if (found !== undefined) return found;
  if (debuggee.threadId(stop.thread.path) === id) return stop.thread;
  throw new AdapterRefusal('this thread has ended');
}

/** Branches that are open, to step into. */
function branchTargets(debuggee: Debuggee): object[] {
  const { run, program } = debuggee.still;
  return threadsOf(run).map((thread) => ({
    id: debuggee.threadId(thread.path),
    label: thread.path === '' ? 'the run' : `branch ${thread.path}`,
    line: program.whereAt(thread.pc).line,
  }));
}
