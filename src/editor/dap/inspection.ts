/** The requests that look at a run that stands still. */
import { basename } from 'node:path';
import { asFailure, factsOf } from '../../interpreter/control/fail.js';
import { errorOf } from '../../interpreter/control/transfer.js';
import type { Thread } from '../../interpreter/run-state/thread.js';
import { decode, printJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import { functionNames } from '../../language/check/lower/lower-expression.js';
import type { Json } from '../../machine/expression.js';
import { type DebugFrame, framesOf, standingOf, threadsOf } from '../debug/debug-frames.js';
import {
  type Changeable,
  type DebugScope,
  innerNames,
  partCount,
  partsOf,
  type ShownVariable,
  scopesOf,
  textOf,
  typeName,
} from '../debug/debug-scopes.js';
import { compileExpression, evaluate } from '../debug/expressions.js';
import {
  AdapterRefusal,
  type Handlers,
  numberIn,
  type Reply,
  type RequestArguments,
  textIn,
} from './adapter-protocol.js';
import type { Debuggee } from './debuggee.js';
import { consoleAssignment, consoleCommand, deciding } from './deciding.js';
import { threadOf } from './moving.js';

/** What a number that the client was given stands for. */
type Shown =
  | { readonly kind: 'scope'; readonly scope: DebugScope; readonly thread: Thread }
  | { readonly kind: 'value'; readonly value: Value; readonly thread: Thread }
  | { readonly kind: 'part'; readonly value: Value; readonly from: number; readonly thread: Thread };

/** How many children a page has. */
const PAGE = 100;

const CONSOLE = [':goto', ':graph', ':effects', ':run', ':answer', ':fail', ':last', ':stop'];

export class RunInspection {
  private readonly frames = new Map<number, DebugFrame>();
  private readonly frameIds = new Map<string, number>();
  private lastFrameId = 0;
  private readonly shown: Shown[] = [];

  constructor(private readonly debuggee: Debuggee) {
    debuggee.onMove = () => {
      this.frames.clear();
      this.frameIds.clear();
      this.shown.length = 0;
    };
  }

  readonly handlers: Handlers = {
    threads: () => this.threads(),
    stackTrace: (given) => this.stackTrace(given),
    scopes: (given) => this.scopes(given),
    variables: (given) => this.variables(given),
    evaluate: (given) => this.evaluate(given),
    completions: (given) => this.completions(given),
    exceptionInfo: () => this.exceptionInfo(),
    source: (given) => this.source(given),
    loadedSources: () => ({ body: { sources: this.debuggee.files?.all ?? [] } }),
    modules: () => this.modules(),
  };

  private threads() {
    const { standing, live } = this.debuggee;
    const run = standing?.run ?? live?.run ?? null;
    const all = run === null ? [] : threadsOf(run);
    const stopped = standing?.stop.thread;
    if (stopped !== undefined && !all.includes(stopped)) all.push(stopped);
    const threads = all.map((thread) => ({ id: this.debuggee.threadId(thread.path), name: threadName(thread) }));
    return { body: { threads: threads.length > 0 ? threads : [{ id: this.debuggee.threadId(''), name: 'run' }] } };
  }

  private stackTrace(given: RequestArguments) {
    const { program, stop } = this.debuggee.still;
    const thread = threadOf(this.debuggee, numberIn(given, 'threadId'));
    const all = framesOf(program, thread === stop.thread ? stop : standingOf(program, thread));
    const from = numberIn(given, 'startFrame') ?? 0;
    const levels = numberIn(given, 'levels') ?? 0;
    const threadId = this.debuggee.threadId(thread.path);
    const stackFrames = all.slice(from, levels > 0 ? from + levels : undefined).map((frame, at) => {
      const id = this.frameId(threadId, from + at);
      this.frames.set(id, frame);
      const { file, line, column, endLine, endColumn } = frame.where;
      const source = this.debuggee.files?.source(file) ?? { name: basename(file) };
      return { id, name: frame.name, source, line, column, endLine, endColumn, canRestart: frame.kind !== 'step' };
    });
    return { body: { stackFrames, totalFrames: all.length } };
  }

  /** The same number for the same frame, until the run moves: a client may ask for a stack in parts, and again. */
  private frameId(threadId: number, level: number): number {
    const key = `${threadId} ${level}`;
    const id = this.frameIds.get(key) ?? ++this.lastFrameId;
    this.frameIds.set(key, id);
    return id;
  }

  /** The frame of a request; without one, the innermost of the thread that stopped. */
  frameOf(id: number | undefined): DebugFrame {
    const { program, stop } = this.debuggee.still;
    const frame = id === undefined ? framesOf(program, stop)[0] : this.frames.get(id);
    if (frame === undefined) throw new AdapterRefusal('this frame is out of date: the run has moved');
    return frame;
  }

  private scopes(given: RequestArguments) {
    const { program } = this.debuggee.still;
    const frame = this.frameOf(numberIn(given, 'frameId'));
    const { thread } = frame.standing;
    const scopes = scopesOf(program, frame, this.effectScope()).map((scope) => {
      const hint = scope.title === 'Locals' ? { presentationHint: 'locals' } : {};
      const variablesReference = this.refer({ kind: 'scope', scope, thread });
      return { name: scope.title, variablesReference, expensive: false, ...hint };
    });
    return { body: { scopes } };
  }

  /** The effect that waits for a person. */
  private effectScope(): DebugScope[] {
    const held = this.debuggee.past === null ? this.debuggee.live?.heldEffects[0] : undefined;
    if (held === undefined) return [];
    const { request } = held;
    return [
      {
        title: 'Effect',
        variables: () =>
          Object.entries(request).flatMap(([name, value]): ShownVariable[] =>
            value === undefined ? [] : [{ name, value: value as unknown as Value, at: null }],
          ),
      },
    ];
  }

  private refer(one: Shown): number {
    return this.shown.push(one);
  }

  private variables(given: RequestArguments) {
    const one = this.shown[(numberIn(given, 'variablesReference') ?? 0) - 1];
    if (one === undefined) throw new AdapterRefusal('these variables are out of date: the run has moved');
    const start = numberIn(given, 'start') ?? 0;
    const count = numberIn(given, 'count') ?? 0;
    return { body: { variables: this.children(one, start, count) } };
  }

  private children(one: Shown, start: number, count: number): object[] {
    const { thread } = one;
    if (one.kind === 'scope') {
      const all = one.scope.variables();
      return all.slice(start, count > 0 ? start + count : undefined).map((variable) => this.show(variable, thread));
    }
    if (one.kind === 'part') return this.parts(one.value, one.from + start, count || PAGE, thread);
    const all = partCount(one.value);
    if (count > 0 || all <= PAGE) return this.parts(one.value, start, count > 0 ? count : PAGE, thread);
    // A client that knows no pages opens them as groups.
    const pages = [];
    for (let from = 0; from < all; from += PAGE) {
      const variablesReference = this.refer({ kind: 'part', value: one.value, from, thread });
      pages.push({ name: `[${from}…${Math.min(all, from + PAGE) - 1}]`, value: '', variablesReference });
    }
    return pages;
  }

  private parts(value: Value, start: number, count: number, thread: Thread): object[] {
    return partsOf(value, start, count).map((part) => this.show({ ...part, at: null }, thread));
  }

  /** A value as the client shows it. */
  private show({ name, value }: ShownVariable, thread: Thread): object {
    return { name, ...this.present(value, thread), evaluateName: name };
  }

  present(given: Value, thread: Thread) {
    const { redactor } = this.debuggee;
    const value = redactor === null ? given : (redactedValue(given, (one) => redactor.value(one)) as Value);
    const count = partCount(value);
    const counted = count === 0 ? {} : Array.isArray(value) ? { indexedVariables: count } : { namedVariables: count };
    return {
      value: textOf(value),
      type: typeName(value),
      variablesReference: count === 0 ? 0 : this.refer({ kind: 'value', value, thread }),
      ...counted,
    };
  }

  private async assign({ name, value }: { readonly name: string; readonly value: string }, given: RequestArguments) {
    const { setExpression } = deciding(this.debuggee, this);
    const reply = await setExpression?.({ ...given, expression: name, value });
    const body = reply?.body as { readonly value: string } | undefined;
    return { ...reply, body: { ...body, result: body?.value ?? '' } };
  }

  private async evaluate(given: RequestArguments): Promise<Reply> {
    const text = (textIn(given, 'expression') ?? '').trim();
    const context = textIn(given, 'context') ?? 'repl';
    const frame = this.frameOf(numberIn(given, 'frameId'));
    if (context === 'hover' && !/^†?[\p{L}_][\p{L}\p{N}_.[\]-]*$/u.test(text))
      throw new AdapterRefusal('only names and paths have a value to show');
    const { thread } = frame.standing;
    if (context === 'repl' && text.startsWith(':')) {
      const { result, after } = await consoleCommand(this.debuggee, text);
      return { body: { result, variablesReference: 0 }, ...(after === undefined ? {} : { after }) };
    }
    const assigned = context === 'repl' ? consoleAssignment(text) : null;
    if (assigned !== null) return this.assign(assigned, given);
    const value = this.valueOf(text, frame);
    const { value: result, ...rest } = this.present(value, thread);
    return { body: { result, ...rest } };
  }

  valueOf(text: string, frame: DebugFrame): Value {
    const { program } = this.debuggee.still;
    const { thread } = frame.standing;
    const { machine } = thread.run.linked;
    const result = evaluate(compileExpression(text, locationIn(program, frame), machine, thread.state), thread);
    if ('problem' in result) throw new AdapterRefusal(result.problem);
    return result.value;
  }

  private completions(given: RequestArguments) {
    const text = (textIn(given, 'text') ?? '').slice(0, (numberIn(given, 'column') ?? 1) - 1);
    const found = /(?::|[\p{L}_†][\p{L}\p{N}_.†-]*)$/u.exec(text)?.[0] ?? '';
    const frame = this.frameOf(numberIn(given, 'frameId'));
    const { program } = this.debuggee.still;
    const names = scopesOf(program, frame, [])
      .filter(({ title }) => title !== 'Run' && title !== 'Step')
      .flatMap(({ variables }) => variables().map(({ name }) => name));
    const inner = innerNames(program, frame).map(({ name }) => name);
    const isCommand = text.startsWith(':');
    const prefix = isCommand ? text : found;
    const words = isCommand
      ? CONSOLE.map((label) => ({ label, type: 'keyword' }))
      : [
          ...[...new Set([...inner, ...names])].map((label) => ({ label, type: 'variable' })),
          ...functionNames.map((label) => ({ label: `${label}()`, text: `${label}(`, type: 'function' })),
        ];
    const targets = words
      .filter(({ label }) => label.startsWith(prefix) && !label.startsWith('$'))
      .map((one) => ({ ...one, start: text.length - prefix.length, length: found.length }));
    return { body: { targets } };
  }

  private exceptionInfo() {
    const { stop } = this.debuggee.still;
    if (stop.reason !== 'exception') throw new AdapterRefusal('the run did not stop at a failure');
    const { thread, failure } = stop;
    const error =
      failure === undefined ? (thread.run.result?.error ?? null) : errorOf(factsOf(thread, asFailure(failure)));
    if (error === null) {
      const description = stop.text ?? '';
      const exceptionId = description.startsWith('attempt') ? 'attempt_failed' : 'gate_failed';
      return {
        body: {
          exceptionId,
          description,
          breakMode: 'always',
          details: { message: description, typeName: exceptionId },
        },
      };
    }
    const drawn = this.debuggee.drawFailure(error);
    const clean = (text: string): string => this.debuggee.redactor?.text(text) ?? text;
    return {
      body: {
        exceptionId: error.kind,
        description: clean(error.message),
        breakMode: 'always',
        details: {
          message: clean(drawn),
          typeName: error.kind,
          fullTypeName: error.kind,
          stackTrace: framesOf(this.debuggee.still.program, stop)
            .map(({ name, where }) => `${name} (${where.file}:${where.line})`)
            .join('\n'),
          facts: this.debuggee.redactor?.value(error as unknown as Json) ?? error,
        },
      },
    };
  }

  private source(given: RequestArguments) {
    const source = (given.source ?? {}) as { readonly path?: string; readonly sourceReference?: number };
    const reference = numberIn(given, 'sourceReference') || source.sourceReference || 0;
    const { files } = this.debuggee;
    const name = source.path === undefined ? undefined : files?.nameOf(source.path);
    const content =
      reference > 0 ? files?.textOfReference(reference) : name === undefined ? undefined : files?.textOf(name);
    if (content === undefined || content === null) throw new AdapterRefusal('this text is not a part of the program');
    return { body: { content, mimeType: 'text/x-statedsl' } };
  }

  private modules() {
    const { program, files } = this.debuggee;
    if (program === null) return { body: { modules: [], totalModules: 0 } };
    const { machine } = program.linked;
    const calls = new Map(
      program.entries.flatMap(({ calls: all }) => all.map((call) => [call.name, call.kind] as const)),
    );
    const path = files?.all[0]?.path;
    const modules = [
      { id: `machine ${machine.name}`, name: machine.name, ...(path === undefined ? {} : { path }) },
      ...[...calls].map(([name, kind]) => ({ id: `${kind} ${name}`, name: basename(name) })),
    ];
    return { body: { modules, totalModules: modules.length } };
  }

  /** Where a variable is stored that a frame sees; null: it cannot be changed, or is not there. */
  changeableIn(frame: DebugFrame, name: string): Changeable | null {
    const { program } = this.debuggee.still;
    for (const { title, variables } of scopesOf(program, frame, [])) {
      if (title === 'Run' || title === 'Step') continue;
      const found = variables().find((variable) => variable.name === name);
      if (found !== undefined) return found.at;
    }
    return null;
  }

  /** The same for a variable of a scope, by the number that the client has for the scope. */
  changeable(reference: number, name: string): { readonly at: Changeable; readonly thread: Thread } | null {
    const one = this.shown[reference - 1];
    if (one?.kind !== 'scope') return null;
    const at = one.scope.variables().find((variable) => variable.name === name)?.at ?? null;
    return at === null ? null : { at, thread: one.thread };
  }
}

/** Numbers keep their digits where nothing is secret. */
function redactedValue(value: Value, clean: (json: Json) => Json): Json {
  const printed = printJson(value);
  const json = clean(value as Json);
  return JSON.stringify(json).includes('***') ? json : (decode(printed) as Json);
}

function threadName(thread: Thread): string {
  const name = thread.path === '' ? 'run' : `branch ${thread.path}`;
  const [pending] = thread.pending;
  if (thread.status === 'joining') return `${name} · waits for its branches`;
  if (pending === undefined) return name;
  const { kind, waiting } = pending;
  const what = kind === 'shell' || kind === 'argv' ? 'a command' : kind === 'agent' ? 'an agent' : kind;
  const called = waiting?.name ?? waiting?.path ?? null;
  return `${name} · waits for ${what}${called === null ? '' : ` ${called}`}`;
}

/** A location in the state of a frame, outside of the patterns that the frame does not see. */
function locationIn(program: Debuggee['program'], { standing, level }: DebugFrame) {
  if (program === null) return null;
  for (let pc = standing.pc; pc >= 0 && program.stateAt(pc) === program.stateAt(standing.pc); pc--) {
    const location = program.locationAt(pc);
    if (location?.calls.length === level) return location;
  }
  const first = program.linked.starts[program.stateAt(standing.pc)] as number;
  const size = program.linked.machine.states[program.stateAt(standing.pc)]?.code.length ?? 0;
  for (let pc = first; pc < first + size; pc++) {
    const location = program.locationAt(pc);
    if (location?.calls.length === level) return location;
  }
  return program.locationAt(standing.pc);
}
