/** What a person decides instead of the world: effects that wait, changes of variables, and commands in the console. */
import { newestRecords } from '../../app/project/stored-record.js';
import type { Outcome } from '../../interpreter/events/event.js';
import { applyChange, changeAt } from '../../interpreter/record/change.js';
import type { Thread } from '../../interpreter/run-state/thread.js';
import { readJson } from '../../interpreter/values/json.js';
import { excess, type Value } from '../../interpreter/values/value.js';
import { ERROR_KINDS } from '../../machine/error-kinds.js';
import type { Json } from '../../machine/expression.js';
import { outputOf, valueOutcome } from '../../runtime/pretended-world.js';
import { ascii } from '../../views/graph/graph-text.js';
import { graphOf } from '../../views/graph/machine-graph.js';
import type { DebugFrame } from '../debug/debug-frames.js';
import type { Changeable } from '../debug/debug-scopes.js';
import {
  AdapterRefusal,
  type Handlers,
  numberIn,
  type Reply,
  type RequestArguments,
  textIn,
} from './adapter-protocol.js';
import type { HeldEffect } from './debugged-run.js';
import type { Debuggee } from './debuggee.js';
import { effectMode } from './launch-values.js';

/** The frames that a client was shown, with their values. */
interface ShownFrames {
  frameOf(id: number | undefined): DebugFrame;
  valueOf(text: string, frame: DebugFrame): Value;
  present(value: Value, thread: Thread): object;
  changeable(reference: number, name: string): { readonly at: Changeable; readonly thread: Thread } | null;
  changeableIn(frame: DebugFrame, name: string): Changeable | null;
}

export function deciding(debuggee: Debuggee, inspection: ShownFrames): Handlers {
  const setVariable = (given: RequestArguments) => {
    const name = textIn(given, 'name') ?? '';
    const found = inspection.changeable(numberIn(given, 'variablesReference') ?? 0, name);
    if (found === null)
      throw new AdapterRefusal(`\`${name}\` is fixed: only locals, tracked variables and loop variables change`);
    return change(debuggee, inspection, { name, text: textIn(given, 'value') ?? '', ...found });
  };
  return {
    setVariable,
    setExpression: (given) => {
      const name = (textIn(given, 'expression') ?? '').trim();
      const frame = inspection.frameOf(numberIn(given, 'frameId'));
      const at = inspection.changeableIn(frame, name);
      if (at === null)
        throw new AdapterRefusal(`\`${name}\` is fixed: only locals, tracked variables and loop variables change`);
      return change(debuggee, inspection, {
        name,
        text: textIn(given, 'value') ?? '',
        at,
        thread: frame.standing.thread,
      });
    },
    restartFrame: (given) => {
      const { kind, level, standing } = inspection.frameOf(numberIn(given, 'frameId') ?? -1);
      if (kind === 'step' || kind === 'call')
        throw new AdapterRefusal('a state, a pattern or a workflow begins again: choose its frame', true);
      debuggee.refuseElsewhere();
      return {
        after: () => {
          debuggee.time.standAtBeginning(standing.thread, level);
          return debuggee.branchOff(null);
        },
      };
    },
    'statedsl/effect': (given) => {
      const held = heldEffect(debuggee);
      const action = textIn(given, 'action') ?? '';
      return { after: decide(debuggee, held, action, given) };
    },
  };
}

/** What a line of the console that begins with a colon does. */
export async function consoleCommand(
  debuggee: Debuggee,
  text: string,
): Promise<{ result: string; after?: Reply['after'] }> {
  const [, command = '', rest = ''] = /^:(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  switch (command) {
    case 'goto': {
      const seq = Number(rest);
      if (!/^\d+$/.test(rest)) throw new AdapterRefusal('`:goto` needs the number of an event, as in `:goto 12`');
      return { result: `goes to event ${seq}`, after: () => debuggee.time.goToEvent(seq) };
    }
    case 'graph':
      return { result: ascii([graphOf(debuggee.still.run.linked.machine)]) };
    case 'effects': {
      const open = [...debuggee.still.run.pending.values()].map(
        ({ effect, kind, attempt }) => `${effect} ${kind} attempt ${attempt}`,
      );
      return { result: open.length === 0 ? 'no effect is under way' : open.join('\n') };
    }
    case 'stop': {
      const mode = effectMode(rest);
      debuggee.setEffectMode(mode);
      return { result: `stops before effects: ${mode}` };
    }
    case 'run':
    case 'last':
      return { result: '', after: decide(debuggee, heldEffect(debuggee), command, {}) };
    case 'answer': {
      const read = readJson(rest);
      const value = read.ok ? read.value : rest;
      return { result: '', after: decide(debuggee, heldEffect(debuggee), 'answer', { value }) };
    }
    case 'fail':
      return { result: '', after: decide(debuggee, heldEffect(debuggee), 'fail', rest === '' ? {} : { kind: rest }) };
    default:
      throw new AdapterRefusal(
        `\`:${command}\` is not a command: write :goto, :graph, :effects, :run, :answer, :fail, :last or :stop`,
      );
  }
}

/** `SET: x = …` in the console. */
export function consoleAssignment(text: string): { readonly name: string; readonly value: string } | null {
  const found = /^SET:?\s+([\p{L}_][\p{L}\p{N}_]*)\s*=\s*([\s\S]+)$/u.exec(text);
  return found === null ? null : { name: found[1] as string, value: found[2] as string };
}

function heldEffect(debuggee: Debuggee): HeldEffect {
  const held = debuggee.past === null ? debuggee.live?.heldEffects[0] : undefined;
  if (held === undefined) throw new AdapterRefusal('no effect waits for you: set `stopBeforeEffects` first');
  return held;
}

function decide(debuggee: Debuggee, held: HeldEffect, action: string, given: RequestArguments): () => void {
  const { request } = held;
  const give = (outcome: Outcome): (() => void) => {
    const own = { ...outcome, by: 'debugger' } as Outcome;
    return () => debuggee.afterDecision(() => held.give(own));
  };
  switch (action) {
    case 'run':
      return () => debuggee.afterDecision(() => held.run());
    case 'answer':
      return give(answerOf(request.kind, given.value as Json | undefined, numberIn(given, 'exitCode') ?? 0));
    case 'fail': {
      const kind = textIn(given, 'kind') ?? 'tool_failure';
      if (!ERROR_KINDS.includes(kind))
        throw new AdapterRefusal(`\`${kind}\` is not a kind of failure: ${ERROR_KINDS.join(', ')}`);
      return give({ kind: 'failed', message: 'a person made it fail', error_type: kind });
    }
    case 'last':
      return give(lastOutcome(debuggee, request));
    default:
      throw new AdapterRefusal(`\`${action}\` is not one of run, answer, fail, last`);
  }
}

function answerOf(kind: string, value: Json | undefined, exitCode: number): Outcome {
  if (value === undefined) throw new AdapterRefusal('an answer needs `value`: a text, or JSON');
  if (kind === 'function' || kind === 'tool') return valueOutcome(value, kind === 'tool');
  return outputOf(typeof value === 'string' ? value : JSON.stringify(value), exitCode);
}

/** How the same instruction ended in the newest other run of the program. */
function lastOutcome(debuggee: Debuggee, request: HeldEffect['request']): Outcome {
  const { directory, runId } = debuggee;
  const text = 'text' in request ? request.text : '';
  const { name } = debuggee.still.run.linked.machine;
  for (const record of newestRecords([directory])) {
    if (record.id === runId || record.machineName !== name) continue;
    let found: Outcome | null = null;
    let same: Outcome | null = null;
    const asked = new Set<string>();
    record.visit(({ event }) => {
      if (event.type === 'effect_requested' && event.text === text && event.kind === request.kind)
        asked.add(event.effect);
      if (event.type === 'effect_settled' && event.stopped !== true && asked.has(event.effect)) {
        found = event.outcome;
        if (event.effect === request.effect) same = event.outcome;
      }
    });
    const outcome = (same ?? found) as Outcome | null;
    if (outcome === null) continue;
    if ('stdout' in outcome && outcome.stdout.artifact !== undefined && outcome.stdout.text === undefined)
      throw new AdapterRefusal('the answer of the last run is too large to be given again');
    return outcome;
  }
  throw new AdapterRefusal(`no earlier run of \`${name}\` has an answer of this line`);
}

interface Change {
  readonly name: string;
  readonly text: string;
  readonly at: { readonly in: 'local' | 'tracked'; readonly slot: number };
  readonly thread: Thread;
}

function change(debuggee: Debuggee, inspection: ShownFrames, { name, text, at, thread }: Change) {
  const { stop, isPast } = debuggee.still;
  const value = inspection.valueOf(text, inspection.frameOf(undefined));
  refuseValue(value);
  const pc = thread === stop.thread ? stop.pc : thread.pc;
  if (thread !== stop.thread) throw new AdapterRefusal('only variables of the thread that stopped change');
  const body = inspection.present(value, thread);
  const made = changeAt(thread, pc, { name, in: at.in, slot: at.slot }, value, 'debugger');
  if (isPast) {
    debuggee.refuseElsewhere();
    return { body, after: () => debuggee.branchOff(made) };
  }
  if (debuggee.live?.moment == null)
    throw new AdapterRefusal('a variable changes only before an instruction: step to one');
  applyChange(thread, made);
  return { body };
}

function refuseValue(value: Value): void {
  const why = excess(value);
  if (why !== null)
    throw new AdapterRefusal(why === 'deep' ? 'the value is nested too deeply' : 'the value is too large');
}
