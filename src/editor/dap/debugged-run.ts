/** A run that is executed under a debugger: it is held between two turns of the loop that drives it. */

import type { Outcome } from '../../interpreter/events/event.js';
import { callsAround } from '../../interpreter/plan/open-calls.js';
import { momentOf } from '../../interpreter/record/change.js';
import type { EffectRequest } from '../../interpreter/request.js';
import type { Run } from '../../interpreter/run.js';
import type { LinkedMachine } from '../../interpreter/run-state/linked-machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Effects } from '../../runtime/effect-context.js';
import type { Hold } from '../../runtime/run/drive-options.js';
import { debugLink } from '../debug/debug-link.js';
import type { DebugProgram } from '../debug/debug-program.js';
import { type Motion, type Stop, type WantedStops, Watch } from '../debug/watch.js';
import type { PresentMoment } from './past-run.js';

/** Which effects are not started before a person says so. */
export type EffectMode = 'none' | 'agents' | 'all';

/** An effect that a person decides about. */
export interface HeldEffect {
  readonly request: Exclude<EffectRequest, { kind: 'ask' | 'signal' }>;
  /** Performs it. */
  readonly run: () => void;
  readonly give: (outcome: Outcome) => void;
  readonly stop: Pick<Stop, 'reason' | 'text' | 'hit' | 'call'>;
}

export class LiveRun implements Hold {
  readonly watch: Watch;
  run: Run | null = null;
  effectMode: EffectMode = 'none';
  /** Effects that wait for a person, oldest first. */
  readonly heldEffects: HeldEffect[] = [];
  /** Told when the process executes nothing of the run any more. */
  onEnd: ((run: Run) => void) | null = null;
  private original: LinkedMachine | null = null;
  private release: (() => void) | null = null;
  private isPaused = false;
  private hasReported = false;
  private isDetached = false;
  /** Whether the run stops before each call of a plan begins. */
  private stepsCalls = false;

  constructor(
    program: DebugProgram,
    private readonly wanted: WantedStops,
    /** Called once for each stop, when everything before it is on disk and was shown. */
    private readonly onStop: (stop: Stop) => void,
    first: Motion,
  ) {
    this.watch = new Watch(program, wanted, false);
    this.watch.motion = first;
  }

  /** Where the run stands; null: it is executed. */
  get stop(): Stop | null {
    return this.watch.stop;
  }

  get isHeld(): boolean {
    return this.release !== null;
  }

  /** The moment at which the run is held, for one that is executed again. */
  get moment(): PresentMoment | null {
    const { stop } = this;
    if (stop === null || this.run === null || this.heldEffects.length > 0 || this.isPaused) return null;
    return { path: stop.thread.path, pc: stop.pc, depth: stop.depth, text: momentOf(stop.thread, stop.pc) };
  }

  begin(run: Run): void {
    this.run = run;
    this.original = run.linked;
    this.watch.noteValues(run.main);
    this.relink();
  }

  whenReleased(run: Run): Promise<void> | null {
    if (this.isDetached) return null;
    if (this.watch.stop === null && run.result !== null) this.stopAtLimit(run);
    const { stop } = this.watch;
    if (stop === null) return null;
    return new Promise((resolve) => {
      this.release = resolve;
      if (!this.hasReported) {
        this.hasReported = true;
        this.onStop(stop);
      }
    });
  }

  end(run: Run): void {
    this.onEnd?.(run);
  }

  /** Continues from where the run stands. */
  proceed(motion: Motion): void {
    this.isPaused = false;
    const wasBlocked = this.watch.stop?.thread.status !== 'ready';
    this.watch.proceed(motion);
    if (wasBlocked) this.watch.forgetLocation();
    this.relink();
    this.releaseHold();
  }

  /** A person has decided about the first effect that waits: the next one is shown, or the run continues as it did. */
  afterDecision(act: () => void): void {
    this.heldEffects.shift();
    act();
    if (this.heldEffects.length === 0) return this.proceed(this.watch.motion);
    this.standAtHeld();
  }

  /** Continues from where the run is; from a call of a plan to another one that is held, if there is any. */
  continueRun(motion: Motion): void {
    const { stop } = this;
    const isAtCall = stop?.call !== undefined && this.heldEffects.length > 0;
    const isInto = stop !== null && this.watch.program.instructionAt(stop.pc)?.op === 'plan' && motion.kind === 'in';
    this.stepsCalls = isInto || (isAtCall && motion.kind !== 'run' && motion.kind !== 'out');
    const wasHeld = isAtCall ? this.heldEffects.splice(0, 1) : this.heldEffects.splice(0);
    for (const held of wasHeld) held.run();
    // Calls that were held for a step alone are not looked at any more.
    if (!this.stepsCalls)
      for (const held of this.heldEffects.filter((one) => one.stop.reason === 'step')) {
        this.heldEffects.splice(this.heldEffects.indexOf(held), 1);
        held.run();
      }
    // Out of a call is out of its plan.
    if (this.heldEffects.length === 0)
      return this.proceed(isAtCall && motion.kind === 'out' ? { ...motion, kind: 'next' } : motion);
    this.standAtHeld();
  }

  private standAtHeld(): void {
    this.watch.stop = null;
    const [first] = this.heldEffects;
    if (first !== undefined) this.standStill(first.stop);
  }

  /** Breakpoints have changed. */
  update(): void {
    this.watch.update();
    if (this.run !== null && !this.isDetached) {
      this.watch.noteValues(this.run.main);
      this.relink();
    }
  }

  /** Stops at the next instruction; at once if all threads wait. */
  pause(): void {
    const { run } = this;
    if (run === null || this.watch.stop !== null) return;
    this.watch.motion = { kind: 'pause', reason: 'pause' };
    this.relink();
    if (run.ready.length > 0) return;
    this.standStill({ reason: 'pause', text: 'the run waits' });
  }

  /** The run continues without a debugger. */
  detach(): void {
    this.isDetached = true;
    for (const held of this.heldEffects.splice(0)) held.run();
    if (this.run !== null && this.original !== null) this.run.relink(this.watch.release(this.original));
    this.releaseHold();
  }

  /** Effects as before, of which some are not performed before a person says so. */
  holding(effects: Effects): Effects {
    return {
      ...effects,
      perform: (request, context) => {
        const stop = this.isDetached ? null : this.stopBefore(request);
        if (stop === null) return effects.perform(request, context);
        return new Promise<Outcome>((resolve, reject) => {
          const held: HeldEffect = {
            request,
            run: () => void Promise.resolve(effects.perform(request, context)).then(resolve, reject),
            give: resolve,
            stop,
          };
          context.stop.addEventListener('abort', () => this.drop(held, resolve), { once: true });
          this.heldEffects.push(held);
          this.standStill(stop);
        });
      },
    };
  }

  /** The call of a plan to which an effect belongs; undefined: it belongs to none. */
  private callOf({ effect }: { readonly effect: string }): string | undefined {
    const pending = this.run?.pending.get(effect);
    return pending?.thread.run.linked.machine.plans === undefined || pending.thread.plan === null
      ? undefined
      : pending.call?.key;
  }

  /** Why the run stops before an effect begins; null: it does not. */
  private stopBefore(request: HeldEffect['request']): HeldEffect['stop'] | null {
    const key = this.callOf(request);
    const call = key === undefined ? {} : { call: key };
    if (this.isHeldKind(request)) {
      const text = `before ${request.kind === 'agent' ? 'an agent' : 'a command'} starts`;
      return { reason: 'pause', text, hit: [], ...call };
    }
    const plan = this.run?.pending.get(request.effect)?.thread.plan ?? null;
    if (key === undefined || plan === null) return null;
    const [at] = callsAround(plan, key);
    const file = this.watch.program.fileOfPlan(at?.plan ?? '');
    const hit = this.wanted.breakpoints.flatMap(({ id, planCall }) =>
      planCall?.file === file && planCall.line === at?.line ? [id] : [],
    );
    if (hit.length > 0) return { reason: 'breakpoint', hit, ...call };
    return this.stepsCalls ? { reason: 'step', hit: [], ...call } : null;
  }

  private isHeldKind({ kind, ...request }: { readonly kind: EffectRequest['kind'] }): boolean {
    if (this.effectMode === 'none') return false;
    if (kind === 'agent') return true;
    if (this.effectMode === 'agents') return false;
    return (kind === 'shell' || kind === 'argv' || kind === 'function' || kind === 'tool') && request !== null;
  }

  private drop(held: HeldEffect, resolve: (outcome: Outcome) => void): void {
    const at = this.heldEffects.indexOf(held);
    if (at >= 0) this.heldEffects.splice(at, 1);
    resolve({ kind: 'failed', message: 'stopped', error_type: 'cancelled' } as Outcome);
  }

  /** Stops although no instruction is next: all threads wait for something. */
  private standStill({
    reason,
    text,
    hit = [],
    call,
  }: Pick<Stop, 'reason' | 'text' | 'call'> & { readonly hit?: Stop['hit'] }): void {
    const { run } = this;
    if (run === null || this.watch.stop !== null) return;
    const held = this.heldEffects[0];
    const thread = (held === undefined ? undefined : run.pending.get(held.request.effect)?.thread) ?? run.main;
    const depth = this.watch.program.locationAt(thread.pc)?.calls.length ?? 0;
    this.isPaused = true;
    this.watch.stop = { reason, thread, pc: thread.pc, depth, hit, ...omitUndefined({ text, call }) };
    this.hasReported = true;
    const { stop } = this.watch;
    queueMicrotask(() => this.onStop(stop));
  }

  /** A limit ends a run at once, so that it can only be looked at afterwards. */
  private stopAtLimit(run: Run): void {
    const error = run.result?.error ?? null;
    if (error === null || !LIMITS.has(error.kind) || !this.wanted.failures.some(({ id }) => id === 'limit')) return;
    if (this.hasReported) return;
    const { main } = run;
    this.watch.stop = { reason: 'exception', thread: main, pc: main.pc, depth: 0, hit: [], text: error.message };
  }

  private relink(): void {
    const { run, original } = this;
    if (run !== null && original !== null)
      run.relink(
        debugLink(
          original,
          this.watch.trap(false, () => undefined),
        ),
      );
  }

  private releaseHold(): void {
    const { release } = this;
    this.release = null;
    this.hasReported = this.run?.result != null;
    release?.();
  }
}

const LIMITS: ReadonlySet<string> = new Set(['limit']);
