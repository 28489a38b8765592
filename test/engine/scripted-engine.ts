/**
 * An engine in memory, for tests of what runs on it: state of objects, messages, and handlers that are executed again after
 * a cut. A test decides which entry of a turn ends next, and where a turn is cut off.
 */

import {
  EngineRefusal,
  type Entry,
  type HandlerTarget,
  type ObjectContext,
  type PerformContext,
  type SharedContext,
  type TurnContext,
} from '../../src/engine/engine-context.js';
import type { HomeTurn, PerformedEffect, RoutedEffect, Turned, TurnStart } from '../../src/engine/messages.js';
import { noticeHandlers, noticeReaders } from '../../src/engine/notice-object.js';
import { passToHome, performRouted } from '../../src/engine/restate-services.js';
import { keyHandlers } from '../../src/engine/run-key.js';
import { runHandlers } from '../../src/engine/run-object.js';
import { readerHandlers } from '../../src/engine/run-readers.js';
import { scheduleHandlers, scheduleReaders } from '../../src/engine/schedule-object.js';
import { runListHandlers, runListReaders, serviceNames } from '../../src/engine/services.js';
import { sharedHandlers, sharedReaders } from '../../src/engine/shared-object.js';
import { executeTurn } from '../../src/engine/turn.js';
import type { TurnHost } from '../../src/engine/turn-host.js';

/** An entry of a turn that has not ended. */
export interface OpenEntry {
  readonly index: number;
  readonly kind: 'run' | 'sleep' | 'awakeable';
  /** The name that the turn gave it; of an awakeable its id. */
  readonly name: string;
  /** How long it lasts, if it is a sleep; otherwise 0. */
  readonly ms: number;
}

/** What the test decides. */
export interface World {
  /** Which of the entries that a turn waits for ends next. Messages to objects may be delivered first. */
  next(open: readonly OpenEntry[], engine: ScriptedEngine): Promise<OpenEntry>;
  /** An entry has ended, and that is on record. */
  ended(entry: OpenEntry): void;
  readonly now: number;
}

/** Where the next attempt to execute a turn is cut off. */
export interface Cut {
  /** So many operations are recorded first. */
  readonly after: number;
  /** Whether the action of an entry is executed whose result is then not recorded. */
  readonly during: boolean;
}

interface Command {
  readonly kind: OpenEntry['kind'] | 'send' | 'now';
  readonly name: string;
  readonly ms: number;
  value?: unknown;
  isOver: boolean;
}

/** What the engine has on record of one turn. */
interface TurnJournal {
  readonly commands: Command[];
  /** Entries in the order in which they ended. */
  readonly ends: number[];
  operations: number;
}

interface Message {
  readonly to: HandlerTarget;
  readonly message: unknown;
  readonly delayMs: number;
}

const copy = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

/** The entry of a handler that is never executed again. */
function plainEntry<T>(value: Promise<T>): Entry<T> {
  return Object.assign(value, {
    map: <U>(change: (value: T | undefined, failure: unknown) => U) =>
      plainEntry(
        value.then(
          (done) => change(done, undefined),
          (failure) => change(undefined, failure),
        ),
      ),
  });
}

class CutOff extends Error {}

/** 32 MiB, less a quarter for encryption. */
const MOST_MESSAGE = 24 * 1024 * 1024;

export const SERVICES = serviceNames('test');

export class ScriptedEngine {
  readonly delayed: Message[] = [];
  readonly resolved = new Map<string, unknown>();
  /** Operations that turns recorded, over all of them. */
  operations = 0;
  /** How often a turn was executed again. */
  cuts = 0;
  readonly turns: Turned[] = [];
  /** The services that executed turns and routed effects, in order. */
  readonly called: string[] = [];
  /** The services of calls that turns have cancelled, in order. */
  readonly cancelled: string[] = [];
  /** Ends calls of routed effects from outside: before or after they are performed. */
  endsCalls: 'before' | 'after' | null = null;
  private readonly state = new Map<string, Map<string, unknown>>();
  private readonly queue: Message[] = [];
  /** Whose programs its workers execute. */
  readonly submitters = ['ann', 'tester'];
  private readonly writers = {
    ...runHandlers(SERVICES, { environment: { NAME: 'geheim' }, submitters: this.submitters, functions: null }),
    ...runListHandlers(SERVICES),
    ...keyHandlers(SERVICES),
    ...scheduleHandlers(),
    ...noticeHandlers(),
    ...sharedHandlers(SERVICES),
  };
  private readonly handlers = {
    ...this.writers,
    ...readerHandlers(SERVICES),
    ...runListReaders(),
    ...scheduleReaders(),
    ...noticeReaders(),
    ...sharedReaders(),
  };
  private nextId = 1;

  /** `afterCut`: the host of the process that executes a turn again. */
  constructor(
    private readonly world: World,
    private host: TurnHost,
    private cut: Cut | null = null,
    private readonly afterCut: () => TurnHost = () => host,
  ) {}

  /** Calls a handler of the object of a run. */
  async call<T>(key: string, handler: keyof ScriptedEngine['handlers'], message: unknown): Promise<T> {
    const state = this.state.get(key) ?? new Map<string, unknown>();
    const changed = new Map(state);
    const sent: Message[] = [];
    const resolved: [string, unknown][] = [];
    const context: ObjectContext & SharedContext = {
      key,
      now: async () => this.world.now,
      user: null,
      get: async <V>(name: string) => (copy(changed.get(name)) as V | undefined) ?? null,
      names: async () => [...changed.keys()],
      set: (name, value) => void changed.set(name, copy(value)),
      clear: (name) => void changed.delete(name),
      clearAll: () => changed.clear(),
      // A reader that waits has sent its message before it ends.
      send: (to, sentMessage, delayMs = 0) =>
        handler === 'events'
          ? this.post([{ to, message: copy(sentMessage), delayMs }])
          : void sent.push({ to, message: copy(sentMessage), delayMs }),
      resolveAwakeable: (id, value) => void resolved.push([id, copy(value)]),
      awakeable: <V>() => {
        const id = `reader ${this.nextId++}`;
        return { id, entry: this.readerEntry<V>(id) };
      },
    };
    const result = (this.handlers[handler] as (context: unknown, message: unknown) => Promise<T>)(
      context,
      copy(message),
    );
    const value = await result;
    // Readers run at the same time as others and change nothing.
    if (handler in this.writers) this.state.set(key, changed);
    for (const [id, one] of resolved) this.resolved.set(id, one);
    this.post(sent);
    return copy(value);
  }

  /** All that turns have sent and objects have stored, as one text. */
  stored(): string {
    return JSON.stringify([this.turns, [...this.state.values()].map((state) => [...state])]);
  }

  /** Delivers messages until there are none but delayed ones. */
  async deliverAll(): Promise<void> {
    for (let message = this.queue.shift(); message !== undefined; message = this.queue.shift()) {
      const { to } = message;
      if (to.key === undefined) {
        this.called.push(to.service);
        await this.execute(
          to.handler === 'passToHome' ? passToHome : executeTurn,
          message.message as TurnStart & HomeTurn,
        );
      } else await this.call(to.key, to.handler as keyof ScriptedEngine['handlers'], message.message);
    }
  }

  /** Delivers messages to objects, while a turn is executed. Those to the handler `later` stay on their way. */
  async deliverToObjects(later?: string): Promise<void> {
    const waiting = this.queue.filter(({ to }) => to.handler !== later);
    this.queue.splice(0, this.queue.length, ...this.queue.filter(({ to }) => to.handler === later));
    for (const { to, message } of waiting)
      await this.call(to.key as string, to.handler as keyof ScriptedEngine['handlers'], message);
  }

  /** Delivers delayed messages now. */
  async deliverDelayed(): Promise<void> {
    this.queue.push(...this.delayed.splice(0));
    await this.deliverAll();
  }

  private post(sent: readonly Message[]): void {
    for (const message of sent) (message.delayMs > 0 ? this.delayed : this.queue).push(message);
  }

  private readerEntry<T>(id: string): Entry<T> {
    const value = (async () => {
      while (!this.resolved.has(id)) await new Promise((resolve) => setImmediate(resolve));
      return this.resolved.get(id) as T;
    })();
    return Object.assign(value, { map: () => this.readerEntry<never>(id) });
  }

  private async execute<T>(
    handle: (context: TurnContext, message: T, host: TurnHost) => Promise<void>,
    message: T,
  ): Promise<void> {
    const journal: TurnJournal = { commands: [], ends: [], operations: 0 };
    for (;;) {
      const attempt = new Attempt(journal, this.world, this, this.cut);
      try {
        await handle(attempt, copy(message), this.host);
        this.operations += journal.operations;
        if (this.cut !== null) this.cut = { ...this.cut, after: this.cut.after - journal.operations };
        return;
      } catch (cause) {
        if (!(cause instanceof CutOff)) throw cause;
        this.cut = null;
        this.cuts++;
        attempt.breakOff();
        this.host = this.afterCut();
      }
    }
  }

  /** A message that a turn has sent. */
  accept(to: HandlerTarget, message: unknown, delayMs: number): void {
    // A real engine would repeat the attempt for ever.
    if (JSON.stringify(message).length > MOST_MESSAGE) throw new Error(`a message to ${to.handler} is too large`);
    if (to.handler === 'turned') this.turns.push(copy(message) as Turned);
    this.post([{ to, message: copy(message), delayMs }]);
  }

  /** Performs an effect of a label. */
  performRouted(routed: RoutedEffect): Promise<PerformedEffect> {
    const refuse = (): never => {
      throw new Error('a routed effect only performs');
    };
    const run = <T, U>(_: string, action: () => Promise<T>, read = (value: T) => value as unknown as U): Entry<U> =>
      plainEntry(Promise.resolve().then(action).then(read));
    const context: PerformContext = {
      run,
      sleep: refuse,
      race: refuse,
      call: refuse,
      attemptOver: new AbortController().signal,
      invocation: 'inv_routed',
    };
    return performRouted(context, routed, this.host);
  }

  newAwakeable(): string {
    return `turn ${this.nextId++}`;
  }
}

/** One attempt to execute a turn. */
class Attempt implements TurnContext {
  private at = 0;
  private readonly over = new AbortController();
  private readonly actions = new Map<number, () => Promise<unknown>>();
  readonly attemptOver = this.over.signal;
  readonly invocation = 'inv_turn';

  constructor(
    private readonly journal: TurnJournal,
    private readonly world: World,
    private readonly engine: ScriptedEngine,
    private readonly cut: Cut | null,
  ) {}

  breakOff(): void {
    this.over.abort();
  }

  async begin<T>(action: (now: number) => Promise<T>): Promise<T> {
    const isKnown = this.at < this.journal.commands.length;
    const command = this.journal.commands[this.command('now', '')] as Command;
    if (!isKnown || command.value === undefined) command.value = copy(await action(this.world.now));
    return copy(command.value) as T;
  }

  send(to: HandlerTarget, message: unknown, delayMs = 0): void {
    this.sync('send', `${to.service}/${to.handler} ${JSON.stringify(message)}`, () =>
      this.engine.accept(to, message, delayMs),
    );
  }

  run<T, U>(name: string, action: () => Promise<T>, read = (value: T) => value as unknown as U): Entry<U> {
    const index = this.command('run', name);
    this.actions.set(index, action);
    return this.entry(index, (value) => read(value as T));
  }

  /** The handler that is called is executed when the world chooses its end. No other process performs it. */
  call<T>(to: HandlerTarget, name: string, message: unknown): { readonly entry: Entry<T>; cancel(): Promise<void> } {
    const index = this.command('run', `${to.service} ${name}`);
    const cancelled = new AbortController();
    this.actions.set(index, async () => {
      if (cancelled.signal.aborted) return { failed: 'cancelled' };
      this.engine.called.push(to.service);
      const { endsCalls } = this.engine;
      const performed = endsCalls === 'before' ? null : await this.engine.performRouted(copy(message) as RoutedEffect);
      return endsCalls === null ? performed : { failed: 'killed' };
    });
    const cancel = async (): Promise<void> => {
      this.engine.cancelled.push(to.service);
      cancelled.abort();
    };
    return { entry: new CallEntry<T>(this, index, (value) => value as T), cancel };
  }

  sleep(ms: number, name: string): Entry<undefined> {
    return this.entry(this.command('sleep', name, ms), () => undefined);
  }

  awakeable<T, U>(read = (value: T) => value as unknown as U): { readonly id: string; readonly entry: Entry<U> } {
    const known = this.journal.commands[this.at];
    const id = known?.kind === 'awakeable' ? known.name : this.engine.newAwakeable();
    return { id, entry: this.entry(this.command('awakeable', id), (value) => read(value as T)) };
  }

  async race<T>(entries: readonly Entry<T>[]): Promise<T> {
    const awaited = entries as readonly ScriptedEntry<T>[];
    for (;;) {
      for (const index of this.journal.ends) {
        const entry = awaited.find((one) => one.index === index);
        if (entry !== undefined) return entry.change(copy(this.journal.commands[index]?.value));
      }
      await this.endOne(awaited.map(({ index }) => index));
    }
  }

  private async endOne(indexes: readonly number[]): Promise<void> {
    const open = indexes.map((index): OpenEntry => {
      const { kind, name, ms } = this.journal.commands[index] as Command;
      return { index, kind: kind as OpenEntry['kind'], name, ms };
    });
    const chosen = open.length === 1 && open[0]?.kind === 'run' ? open[0] : await this.world.next(open, this.engine);
    const command = this.journal.commands[chosen.index] as Command;
    if (this.cut?.during !== true) this.cutBefore();
    if (chosen.kind === 'awakeable') command.value = this.engine.resolved.get(chosen.name);
    const action = this.actions.get(chosen.index);
    const value = chosen.kind === 'run' && action !== undefined ? await action() : command.value;
    this.cutBefore();
    this.journal.operations++;
    command.value = copy(value);
    command.isOver = true;
    this.journal.ends.push(chosen.index);
    this.world.ended(chosen);
  }

  private entry<T>(index: number, change: (value: unknown) => T): Entry<T> {
    return new ScriptedEntry(this, index, change);
  }

  private command(kind: Command['kind'], name: string, ms = 0): number {
    const index = this.at++;
    const known = this.journal.commands[index];
    if (known !== undefined) {
      if (known.kind === kind && known.name === name) return index;
      throw new Error(`entry ${index} is \`${known.kind} ${known.name}\` on record, and \`${kind} ${name}\` now`);
    }
    this.cutBefore();
    this.journal.operations++;
    this.journal.commands.push({ kind, name, ms, isOver: false });
    return index;
  }

  /** Something that has a result at once. */
  private sync(kind: Command['kind'], name: string, action: () => unknown): unknown {
    const isKnown = this.at < this.journal.commands.length;
    const command = this.journal.commands[this.command(kind, name)] as Command;
    if (!isKnown) command.value = action();
    return command.value;
  }

  private cutBefore(): void {
    if (this.cut !== null && this.journal.operations >= this.cut.after) throw new CutOff();
  }
}

class ScriptedEntry<T> implements Entry<T> {
  constructor(
    protected readonly attempt: Attempt,
    readonly index: number,
    readonly change: (value: unknown) => T,
  ) {}

  // biome-ignore lint/suspicious/noThenProperty: a handler awaits entries
  then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((cause: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.attempt.race<T>([this]).then(done, failed);
  }

  map<U>(change: (value: T | undefined, failure: unknown) => U): Entry<U> {
    return new ScriptedEntry(this.attempt, this.index, (value) => change(this.change(value), undefined));
  }
}

/** A call can fail. */
class CallEntry<T> extends ScriptedEntry<T> {
  override map<U>(change: (value: T | undefined, failure: unknown) => U): Entry<U> {
    return new ScriptedEntry(this.attempt, this.index, (value) => {
      const { failed } = value as { readonly failed?: string };
      return failed === undefined ? change(value as T, undefined) : change(undefined, new Error(failed));
    });
  }
}

export { EngineRefusal };
