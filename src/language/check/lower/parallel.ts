/** Lowers PARALLEL and FOR EACH: branches become separate code after a fork; loops become a head and a jump back. */
import type { Expr, Template } from '../../../machine/expression.js';
import type { Branch, Instruction as Code } from '../../../machine/machine.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import { declarationMessages as declarations } from '../../source/catalogue/declarations.js';
import type { Span } from '../../source/diagnostic.js';
import type { Instruction, Option, UndoNode, WaitNode } from '../../syntax/ast.js';
import type { Name } from '../../syntax/expression-nodes.js';
import { blocksOf } from '../../syntax/step-nodes.js';
import { notWords } from '../../syntax/tokens/command-patterns.js';
import { type BranchUse, lintBranches, lintEachBranch, noteParallelReads } from '../lints/reference-lints.js';
import { constantText, noteValue } from './lower-expression.js';
import type { Noted } from './may-be-missing.js';
import { checkOptions, DEFAULT_LIMIT, durationTemplate, numberOption, type OptionTable } from './options.js';
import type { StateLowering } from './state-lowering.js';
import { lowerUndo } from './undo.js';

type Parallel = Extract<Instruction, { kind: 'parallel' }>;
type ForEach = Extract<Instruction, { kind: 'for-each' }>;

/**
 * Instructions that perform effects. If all branches only call agents, more members run at the same time by default.
 */
const EFFECTS = new Set<Code['op']>(['shell', 'argv', 'function', 'agent']);

const JOIN_OPTIONS: OptionTable = { max: 'number', quorum: 'number', on_failure: 'text', timeout: 'duration' };

/** Lowers a PARALLEL. `wait` is the WAIT for its members that joins it; `detached` is a WAIT for something else. */
export function lowerParallel(l: StateLowering, i: Parallel, wait: WaitNode | null, detached = false): void {
  const options = checkOptions(l, i.options, JOIN_OPTIONS, 'PARALLEL');
  const max = numberOption(l, options.get('max'));
  const quorum = quorumOf(l, wait, options);
  const keep = keepOf(l, options);
  const { undos, members } = membersOf(l, i);
  lintNote(l, i);
  // With a quorum of one, the members race for the name.
  if (quorum === null) lintNames(l, members);
  countMembers(l, i, wait, members.length, quorum);
  const joined = waitOf(l, wait);
  const fork = l.emitter.add({ op: 'jump', to: -1 }, i.span);
  const branches: Branch[] = [];
  const used: BranchUse[] = [];
  const bound = members.map((member) => boundIn(l, [member]));
  const { boundByOthers } = l;
  const first = firstBoundIn(l, i, bound);
  l.forkDepth++;
  members.forEach((member, at) => {
    const own = bound[at] as ReadonlyMap<number, Name>;
    branches.push({ pc: l.emitter.pc, collect: [...own.keys()] });
    // In a later turn of a loop, a condition may find what an earlier turn bound.
    const isGuarded = l.turn !== null && (member.kind === 'if' || member.kind === 'use' || member.kind === 'for-each');
    if (!isGuarded) l.boundByOthers = (slot) => (own.has(slot) ? undefined : (first.get(slot) ?? boundByOthers(slot)));
    const { reads, writes } = l.scope.dataUse;
    const [from, before] = [reads.length, writes.length];
    l.inBranch({ binds: new Set(own.keys()), isTurn: false }, () =>
      lowerLimited(l, [member], options.get('timeout'), () => l.instruction(member)),
    );
    const undo = undos.get(member);
    if (undo !== undefined) lowerUndo(l, undo, member);
    l.boundByOthers = boundByOthers;
    used.push({ from, to: reads.length, writes: writes.slice(before) });
    l.emitter.add({ op: 'branch-end' }, member.span);
  });
  l.forkDepth--;
  lintBranches(used, l.diagnostics);
  noteParallelReads(l.scope.dataUse.reads, used, { ...i.span, end: members.at(-1)?.span.end ?? i.span.end });
  l.emitter.replace(fork, {
    op: 'fork',
    branches,
    names: members.map((member) => nameOf(l, member)),
    own: true,
    ...omitUndefined({ keep: keep ?? undefined }),
    join: l.emitter.pc,
    max,
    agents: onlyAgents(l, fork + 1),
    quorum,
    wait: joined,
    ...omitUndefined({ detached: detached ? true : undefined }),
  });
  l.explain(i.verb.span, `PARALLEL of ${branches.length} members`);
  const mayMiss = quorum !== null || keep !== null || joined !== null || detached;
  for (const own of bound)
    for (const { text, span } of own.values()) {
      if (mayMiss) l.missing.note(text, { span, parts: null });
      else l.missing.bind(text);
    }
  if (!detached) bindMembers(l, i, mayMiss);
  if (wait?.body) l.block(wait.body);
}

/**
 * The slots that members bind, and nothing above the PARALLEL: the other members read them without a value. What is bound
 * above is read as it was.
 */
function firstBoundIn(
  l: StateLowering,
  { members: { span } }: Parallel,
  bound: readonly ReadonlyMap<number, Name>[],
): ReadonlyMap<number, Span> {
  const first = l.shared.symbols.states.get(l.scope.state)?.bound;
  const slots = new Map<number, Span>();
  for (const names of bound)
    for (const [slot, { text }] of names) {
      const at = first?.get(text);
      if (at !== undefined && at.file === span.file && span.start <= at.start && at.end <= span.end)
        slots.set(slot, at);
    }
  return slots;
}

/** Binds what the members have bound, as an object, for `DO: r = in PARALLEL`. */
export function bindMembers(l: StateLowering, i: Parallel, mayMiss: boolean): void {
  const { members } = membersOf(l, i);
  const bound = members.map((member) => boundIn(l, [member]));
  if (i.bind !== undefined)
    members.forEach((member, at) => {
      if (bound[at]?.size === 0) l.diagnostics.push(say.unnamedMember(member.span, { name: i.bind?.text ?? '' }));
    });
  const entries = bound.flatMap((own) => [...own].map(([slot, { text }]): [string, Expr] => [text, l.valueOf(slot)]));
  bindResult(l, i, { op: 'object', entries }, mayMiss ? 'a field' : null);
}

/** Binds the result of a PARALLEL or of a loop, which may also be that of a turn of a loop around it. */
function bindResult(l: StateLowering, i: Parallel | ForEach, value: Expr, mayMiss: Noted['parts']): void {
  if (i.bind === undefined) {
    if (l.result !== null) l.put(l.result, value, i.span);
    return;
  }
  l.scope.declare(i.bind, 'local');
  const slot = l.scope.local(i.bind.text);
  l.put(slot, value, i.span);
  if (mayMiss !== null) l.missing.note(i.bind.text, { span: i.bind.span, parts: mayMiss });
  else l.missing.bind(i.bind.text);
  l.giveResult(slot, i.span);
}

/** Attaches each UNDO to the member above it. */
function membersOf(l: StateLowering, i: Parallel): { members: Instruction[]; undos: Map<Instruction, UndoNode> } {
  const members: Instruction[] = [];
  const undos = new Map<Instruction, UndoNode>();
  for (const one of i.members.instructions) {
    const above = members.at(-1);
    if (one.kind === 'undo' && above !== undefined && !undos.has(above)) undos.set(above, one);
    else if (one.kind === 'undo') lowerUndo(l, one, null);
    else if (one.kind !== 'broken') members.push(one);
  }
  return { members, undos };
}

/**
 * Reports a name that two members bind: only the later of their results would remain. Two questions of one name are told
 * apart by their ids, and may mean that either answer will do.
 */
function lintNames(l: StateLowering, members: readonly Instruction[]): void {
  const names = new Map<string, Name>();
  for (const member of members) {
    const name = 'bind' in member && member.kind !== 'ask' ? member.bind : undefined;
    const first = name === undefined ? undefined : names.get(name.text);
    if (name === undefined) continue;
    if (first === undefined) names.set(name.text, name);
    else
      l.diagnostics.push(
        declarations.duplicate(name.span, {
          what: 'the result',
          name: name.text,
          first: { span: first.span, text: 'another member' },
        }),
      );
  }
}

/** The name of a member in a failure: the name that it binds, or else its line. */
function nameOf(l: StateLowering, member: Instruction): string {
  const binds = member.kind === 'do' || member.kind === 'check' || member.kind === 'call';
  if (binds && member.bind !== undefined) return member.bind.text;
  const text = l.shared.sources[member.span.file]?.text.slice(member.span.start, member.span.end) ?? '';
  const line = (text.trim().split('\n', 1)[0] as string).trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

/** The slot of `failures` if failed members do not fail the block. */
function keepOf(l: StateLowering, options: ReadonlyMap<string, Option>): number | null {
  const option = options.get('on_failure');
  if (option?.value === undefined) return null;
  if (constantText(option.value) === 'keep') {
    l.bindUnwritten('failures', option.span);
    return l.scope.local('failures');
  }
  const help = 'write `on_failure=keep`, or leave it out to let a failed member fail the whole';
  l.diagnostics.push(say.badOption(option.span, { name: 'on_failure', why: 'can only be `keep`', help }));
  return null;
}

function onlyAgents(l: StateLowering, from: number): boolean {
  const effects = l.emitter.code.slice(from).filter((c) => EFFECTS.has(c.op));
  return effects.length > 0 && effects.every((c) => c.op === 'agent');
}

function quorumOf(l: StateLowering, wait: WaitNode | null, options: ReadonlyMap<string, Option>): Expr | null {
  const own = numberOption(l, options.get('quorum'));
  if (wait === null) return own;
  const waitOptions = checkOptions(l, wait.options, { quorum: 'number' }, 'this WAIT');
  const said = wait.for.kind === 'members' ? wait.for.quorum : undefined;
  if (said !== undefined) return { op: 'const', value: said };
  return numberOption(l, waitOptions.get('quorum')) ?? own;
}

function countMembers(
  l: StateLowering,
  i: Parallel,
  wait: WaitNode | null,
  members: number,
  quorum: Expr | null,
): void {
  if (members === 0) return;
  const said = i.note === undefined ? null : countIn(i.note);
  if (said !== null && said !== members && i.note) l.diagnostics.push(say.memberCount(i.note.span, { said, members }));
  if (wait?.for.kind === 'members' && wait.for.count !== undefined && wait.for.count !== members)
    l.diagnostics.push(say.memberCount(wait.for.span, { said: wait.for.count, members }));
  if (quorum?.op === 'const' && typeof quorum.value === 'number' && quorum.value > members) {
    const blamed = wait?.for.kind === 'members' && wait.for.quorum !== undefined ? wait.for.span : i.verb.span;
    l.diagnostics.push(say.quorumTooLarge(blamed, { quorum: quorum.value, members }));
  }
}

/** A note that reads as if the members were the elements of a list: `for all of files in PARALLEL`. */
function lintNote(l: StateLowering, { note }: Parallel): void {
  if (note !== undefined && notWords.test(note.text.replace(/\([^()]*\)/g, ''))) {
    l.diagnostics.push(say.noteNamesList(note.span, {}));
    return;
  }
  const words = note?.text.match(/[A-Za-z_]\w*/g) ?? [];
  const named = words.find(
    (word, at) => l.scope.has(word) && (/s$/i.test(word) || RELATIONS.test(words[at - 1] ?? '')),
  );
  if (note !== undefined && named !== undefined) l.diagnostics.push(say.noteNamesList(note.span, { name: named }));
}

const RELATIONS = /^(?:of|in|over|each|every|all|for|with)$/i;

/** Lowers the only work of a member or turn with the time limit of its PARALLEL. */
function lowerLimited(
  l: StateLowering,
  work: readonly Instruction[],
  timeout: Option | undefined,
  lower: () => void,
): void {
  const [only, ...others] = work;
  const isOne =
    (only?.kind === 'do' || only?.kind === 'check' || only?.kind === 'call') &&
    others.every(({ kind }) => kind === 'undo' || kind === 'set' || kind === 'emit');
  if (timeout !== undefined && !isOne) {
    const help = 'write it at the commands of the member: `DO [timeout=30s]: …`';
    const why = 'limits members that are one DO, CHECK or CALL';
    l.diagnostics.push(say.badOption(timeout.span, { name: 'timeout', why, help }));
  }
  l.limit = isOne ? timeout : undefined;
  lower();
  l.limit = undefined;
}

/** The count people write before `in PARALLEL`: `Launch 4x scouts`, `Start 3 checks`. */
function countIn(note: Name): number | null {
  const match = /(?:^|\s)(\d+)x?(?=\s|$)/.exec(note.text);
  return match === null ? null : Number(match[1]);
}

/** Lowers a FOR EACH. `wait` is the WAIT for its members, if it is parallel and a WAIT follows. */
export function lowerForEach(l: StateLowering, i: ForEach, wait: WaitNode | null = null): void {
  const options = checkOptions(l, i.options, i.parallel ? JOIN_OPTIONS : { on_failure: 'text' }, 'FOR EACH');
  l.scope.declare(i.variable, 'loop', l.locationOfLoop(i.variable.span));
  const list = l.expression(i.list);
  noteValue('FOR EACH', list, i.list.span, l.scope);
  if (i.parallel) lowerParallelEach(l, i, list, options, wait);
  else lowerSequentialEach(l, i, list, keepOf(l, options));
}

function lowerSequentialEach(l: StateLowering, i: ForEach, list: Expr, failures: number | null): void {
  const items = l.scope.hiddenSlot('$items');
  const index = l.scope.hiddenSlot('$index');
  const variable = l.scope.hiddenSlot(`$each:${i.variable.text}`);
  const keep = failures === null ? null : { failures, handling: l.scope.hiddenSlot('$handling') };
  const results = i.bind === undefined ? null : resultsOf(l, i);
  l.emitter.add({ op: 'each', list, items, index, ...omitUndefined({ keep: keep ?? undefined }) }, i.span);
  const head = l.emitter.add({ op: 'next', items, index, variable, exit: -1 }, i.span);
  l.scope.push('loop', l.locationOfLoop(i.variable.span), [[i.variable.text, { slot: variable }]]);
  const from = l.emitter.pc;
  if (results !== null) l.put(results.turn, l.constant(null), i.span);
  const mark = l.inTurn(() =>
    l.givingResults(results === null ? l.result : results.turn, () =>
      l.missing.throughout(i.list, i.variable.text, () => l.block(i.body)),
    ),
  );
  if (mark !== undefined) l.emitter.patch(head, 'mark', mark);
  l.scope.pop();
  const to = l.emitter.pc;
  if (results !== null) {
    const one: Expr = { op: 'list', items: [l.valueOf(results.turn)] };
    const all: Expr = { op: 'arithmetic', operator: '+', left: l.valueOf(results.all), right: one };
    l.put(results.all, all, i.span);
  }
  const back = l.emitter.add({ op: 'jump', to: head }, i.span);
  if (keep !== null) {
    const bound = boundIn(l, i.body.instructions);
    const clear = [...bound.keys(), ...(results === null ? [] : [results.turn])];
    const facts = { items, index, ...keep, clear };
    const frames = l.frames === 0 ? {} : { frames: l.frames };
    // A turn that failed has the result null.
    const [end, pc] = results === null ? [back + 1, head] : [to, to];
    l.handlers.push({ from, to: end, kind: null, pc, names: {}, ...frames, keep: facts });
    for (const { text, span } of bound.values()) l.missing.note(text, { span, parts: null });
  }
  l.emitter.patch(head, 'exit');
  if (results !== null) bindResult(l, i, l.valueOf(results.all), keep === null ? null : 'an element');
}

/** The slots of the list of results and of the result of a turn. */
function resultsOf(l: StateLowering, i: ForEach): { readonly all: number; readonly turn: number } {
  const slots = { all: l.scope.hiddenSlot('$results'), turn: l.scope.hiddenSlot('$result') };
  l.put(slots.all, { op: 'list', items: [] }, i.span);
  return slots;
}

function lowerParallelEach(
  l: StateLowering,
  i: ForEach,
  list: Expr,
  options: ReadonlyMap<string, Option>,
  wait: WaitNode | null,
): void {
  const variable = l.scope.hiddenSlot(`$each:${i.variable.text}`);
  const max = numberOption(l, options.get('max'));
  const quorum = quorumOf(l, wait, options);
  const keep = keepOf(l, options);
  const joined = waitOf(l, wait);
  const fork = l.emitter.add({ op: 'jump', to: -1 }, i.span);
  const body = l.emitter.pc;
  const bound = boundIn(l, i.body.instructions);
  l.scope.push('loop', l.locationOfLoop(i.variable.span), [[i.variable.text, { slot: variable }]]);
  const before = l.scope.dataUse.writes.length;
  const result = i.bind !== undefined || l.result !== null ? l.scope.hiddenSlot('$result') : null;
  l.forkDepth++;
  if (result !== null) l.put(result, l.constant(null), i.span);
  l.inBranch(
    { binds: new Set(bound.keys()), isTurn: true },
    () =>
      lowerLimited(l, i.body.instructions, options.get('timeout'), () =>
        l.missing.throughout(i.list, i.variable.text, () => l.block(i.body)),
      ),
    result,
  );
  l.forkDepth--;
  lintEachBranch(l.scope.dataUse.writes.slice(before), l.diagnostics);
  l.scope.pop();
  l.emitter.add({ op: 'branch-end' }, i.span);
  const mayMiss = quorum !== null || keep !== null || joined !== null;
  for (const { text, span } of bound.values()) {
    if (mayMiss) l.missing.note(text, { span, parts: 'an element' });
    else l.missing.bind(text);
  }
  l.emitter.replace(fork, {
    op: 'fork-each',
    named: true,
    own: true,
    ...omitUndefined({ keep: keep ?? undefined }),
    list,
    variable,
    body,
    collect: [...bound.keys(), ...(result === null ? [] : [result])],
    join: l.emitter.pc,
    max,
    agents: onlyAgents(l, body),
    quorum,
    wait: joined,
  });
  if (result !== null) bindResult(l, i, l.valueOf(result), mayMiss ? 'an element' : null);
  if (wait?.body) l.block(wait.body);
}

function waitOf(l: StateLowering, wait: WaitNode | null) {
  if (wait === null) return null;
  const timeout: Template = wait.timeout === undefined ? DEFAULT_LIMIT : durationTemplate(l, wait.timeout);
  l.bindUnwritten('timed_out', wait.verb.span);
  return { timeout, timedOut: l.scope.local('timed_out') };
}

/** The names that instructions bind, including nested blocks, with their slots. A branch passes them on at its join. */
export function boundIn(l: StateLowering, all: readonly Instruction[]): ReadonlyMap<number, Name> {
  const slots = new Map<number, Name>();
  const add = (name: Name): void => {
    const slot = l.scope.local(name.text);
    if (!slots.has(slot)) slots.set(slot, name);
  };
  const patterns = new Set<string>();
  const visit = (instructions: readonly Instruction[]): void => {
    for (const inner of instructions) {
      if (inner.kind === 'do' || inner.kind === 'check' || inner.kind === 'call') {
        const name = inner.bind?.text ?? l.shared.symbols.resultNames.get(inner);
        if (name !== undefined) add({ text: name, span: inner.bind?.span ?? inner.verb.span });
      } else if (inner.kind === 'ask') add(inner.bind ?? { text: 'answer', span: inner.verb.span });
      else if (inner.kind === 'if') {
        for (const arm of inner.arms) visit(arm.body.instructions);
        if (inner.otherwise) visit(inner.otherwise.body.instructions);
      } else if (inner.kind === 'default' || inner.kind === 'on-error') visit(inner.body.instructions);
      else if (inner.kind === 'for-each' || inner.kind === 'parallel') {
        visit((inner.kind === 'parallel' ? inner.members : inner.body).instructions);
        if (inner.bind !== undefined) add(inner.bind);
      } else if (inner.kind === 'step') for (const block of blocksOf(inner)) visit(block.instructions);
      else if (inner.kind === 'wait') {
        if (inner.for.kind === 'signal') add(inner.for.name);
        if (inner.body) visit(inner.body.instructions);
      } else if (inner.kind === 'use' && !patterns.has(inner.pattern.text)) {
        patterns.add(inner.pattern.text);
        visit(l.shared.unit.patterns.get(inner.pattern.text)?.body.instructions ?? []);
      }
    }
  };
  visit(all);
  return slots;
}
