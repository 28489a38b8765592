/**
 * One mistake, one message. Several stages, or several lines, may report consequences of one mistake, and no stage
 * knows the messages of the others. This file removes consequences from the sorted list, using only codes and
 * locations.
 */
import {
  declarationMessages,
  nameMessages,
  nameMessages as say,
  suggestsName,
} from '../../source/catalogue/declarations.js';
import { effectMessages } from '../../source/catalogue/effects.js';
import { flowMessages } from '../../source/catalogue/flow.js';
import { patternMessages } from '../../source/catalogue/patterns.js';
import { notInstructions } from '../../source/catalogue/syntax.js';
import { textMessages } from '../../source/catalogue/texts.js';
import { type Diagnostic, type Label, positionAt, type SourceSet, type Span } from '../../source/diagnostic.js';
import type { Block, Instruction } from '../../syntax/ast.js';
import { childBlocks, parsedBody } from '../../syntax/child-blocks.js';
import type { PatternDeclaration, Unit } from '../collect.js';
import { MOST_INSIDE } from '../expansion.js';
import { freeNames } from '../free-names.js';
import { namesBoundIn, namesReadIn } from '../pattern-names.js';
import { explainForeignLines } from './foreign-mistakes.js';
import { withoutQuotedLines } from './quoted-lines.js';

/** The number of lines from which prose is reported as a whole. */
const FEW_LINES = 3;

/** Leaves out messages that only follow from another one. `list` is sorted by location. */
export function withoutCascades(list: readonly Diagnostic[], sources: SourceSet): Diagnostic[] {
  const read = withoutQuotedLines(list, sources);
  const whole = withoutLintsOfUnread(withoutConsequences(read), sources);
  const own = withoutEmptySteps(withoutBranchesOutside(whole, sources), sources);
  const explained = explainForeignLines(withoutOpenEnds(own, sources), sources);
  const named = withoutNamedAfter(reportNamesOnce(withoutNamesInProse(withoutUnclearFlow(explained), sources)));
  return mergeProse(reportUndeclaredOnce(named), sources);
}

/**
 * A message about the form of a value is useless if the value does not exist or lacks quotes, and so is one about a
 * branch after a misspelt IF, or one of two about an open brace.
 */
function withoutConsequences(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const misspelt = new Set(list.filter((d) => d.code === 'unknown-verb').map(startOf));
  const literals = list.filter((d) => d.code === 'literal-arithmetic');
  const unquoted = new Set(literals.map(startOf));
  const isUnquoted = ({ span }: Diagnostic) =>
    literals.some((one) => one.span.file === span.file && one.span.start <= span.start && span.end <= one.span.end);
  const braces = new Set(list.filter((d) => d.code === 'ambiguous-braces').map(startOf));
  const misread = list.filter((d) => /^(?:unexpected-text|operator-spelling|missing-part|bad-character)$/.test(d.code));
  const isMisread = ({ span }: Diagnostic) =>
    misread.some(
      (one) => one.span.file === span.file && one.span.start >= span.start && one.span.start <= span.end + 1,
    );
  return withoutOptionsOfNothing(
    list.filter((d) => {
      if (d.code === 'wrong-type') return !isMisread(d) && !isUnquoted(d);
      if (d.code === 'unclosed-bracket') return !braces.has(startOf(d));
      if (/^(?:else|default)-without-if$/.test(d.code)) return !misspelt.has(startOf(d));
      return d.code !== 'input-default' || !unquoted.has(startOf(d));
    }),
  );
}

/** What was understood of a line that ends elsewhere, or has other words in it. */
const MISREAD = /^(?:unexpected-text|bad-character|unclosed-quote|operator-spelling|missing-(?:part|colon|arrow))$/;
const OF_VALUES = /^(?:untyped-input|wait-unchanged|missing-entry|undo-unreachable|prompt-missing|taken-as-text)$/;

function withoutLintsOfUnread(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  const lineOf = ({ span }: Diagnostic) => {
    const source = sources[span.file];
    return source === undefined ? '' : `${span.file}:${positionAt(source, span.start).line}`;
  };
  const misread = new Set(list.filter(({ code }) => MISREAD.test(code)).map(lineOf));
  if (misread.size === 0) return list;
  return list.filter((d) => d.severity === 'error' || !OF_VALUES.test(d.code) || !misread.has(lineOf(d)));
}

/** Where instructions lost their indentation, the branches of an IF lost theirs too. */
function withoutBranchesOutside(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  const files = new Set(list.filter((d) => d.code === 'instruction-outside-state').map(({ span }) => span.file));
  if (files.size === 0) return list;
  return list.filter(({ code, span }) => {
    if (!/^(?:missing-part|else-without-if)$/.test(code) || !files.has(span.file)) return true;
    return span.start > 0 && sources[span.file]?.text[span.start - 1] !== '\n';
  });
}

/** If a line could not be parsed, messages about the control flow are unreliable. */
const UNREAD =
  /^(?:unknown-verb|not-an-instruction|unexpected-indentation|indented-declaration|instruction-outside-state|else-without-if|bad-name|missing-part|duplicate)$/;
const FLOW =
  /^(?:falls-off|handler-falls-off|unreachable-state|unreachable-instruction|unbounded-cycle|check-never-read|unchecked-agent)$/;

function withoutUnclearFlow(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const unread = new Set(list.filter(({ code }) => UNREAD.test(code)).map(({ span }) => span.file));
  return unread.size === 0 ? list : list.filter(({ code, span }) => !FLOW.test(code) || !unread.has(span.file));
}

/** A step with its only work under an unknown key has one mistake, not two. */
function withoutEmptySteps(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  if (!list.some(({ code }) => code === 'empty-step')) return list;
  const keys = list.filter(({ code }) => code === 'unknown-key' || code === 'workflow-shape');
  return list.filter((one) => {
    if (one.code !== 'empty-step') return true;
    const text = sources[one.span.file]?.text ?? '';
    const next = /\n[ \t]*- /.exec(text.slice(one.span.end));
    const end = next === null ? text.length : one.span.end + next.index;
    return !keys.some(({ span }) => span.file === one.span.file && span.start > one.span.start && span.start < end);
  });
}

/** A command that ends with an operator is continued by the line below, which has the message. */
function withoutOpenEnds(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  return list.filter(({ code, span }, at) => {
    const next = code === 'missing-part' ? list[at + 1] : undefined;
    if (next === undefined || !/^(?:unexpected-indentation|not-an-instruction)$/.test(next.code)) return true;
    const text = sources[span.file]?.text ?? '';
    const sign = text[span.end - 1];
    return (sign !== '|' && sign !== '&') || text.slice(span.end, next.span.start).trim() !== '';
  });
}

const startOf = ({ span }: Diagnostic) => `${span.file}:${span.start}`;

function withoutOptionsOfNothing(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const unknown = list.filter((d) => d.code === 'unknown-name' || d.code === 'local-out-of-scope');
  if (unknown.length === 0) return list;
  const starts = new Set(unknown.map(startOf));
  return list.filter((d) => d.code !== 'may-be-read-as-option' || !starts.has(`${d.span.file}:${d.span.start + 1}`));
}

/** `IF: all tests green`: the words after the name show that it was never meant as a name. */
function withoutNamesInProse(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  const endsBeforeProse = new Set<string>();
  for (const { code, span } of list) {
    const text = sources[span.file]?.text;
    if (code !== 'unexpected-text' || text === undefined || !/[A-Za-z]/.test(text[span.start] ?? '')) continue;
    let end = span.start;
    while (text[end - 1] === ' ') end--;
    endsBeforeProse.add(`${span.file}:${end}`);
  }
  if (endsBeforeProse.size === 0) return list;
  return list.filter(
    ({ code, span }) => !/^(?:unknown-name|wrong-type)$/.test(code) || !endsBeforeProse.has(`${span.file}:${span.end}`),
  );
}

/**
 * A name that resembles no other is reported once per state, because one declaration corrects all its uses. If a name
 * is suggested, each use has to be corrected.
 */
function reportNamesOnce(list: readonly Diagnostic[]): readonly Diagnostic[] {
  // A missing TRACK explains the name in every state.
  const untracked = new Set(list.flatMap((d) => untrackedName(d) ?? []));
  const errors = new Set(list.filter((d) => d.code === 'unknown-name').map(keyOfName));
  const seen = new Set<string>();
  return list.filter((d) => {
    const facts = unboundName(d);
    const key = keyOfName(d);
    if (facts === null || key === null) return true;
    if (untracked.has(facts.name) || seen.has(key) || (d.severity === 'warning' && errors.has(key))) return false;
    seen.add(key);
    return true;
  });
}

/** `ls → files`, or an instruction outside every state, explains why nothing binds `files`. */
function withoutNamedAfter(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const meant = new Set(
    list.flatMap(
      (d) => textMessages.nameAfter.factsOf(d)?.name ?? declarationMessages.outsideState.factsOf(d)?.names ?? [],
    ),
  );
  if (meant.size === 0) return list;
  return list.filter((d) => !meant.has(unboundName(d)?.name ?? untrackedName(d) ?? ''));
}

/** What a message says is not declared, if it can be said more than once. */
function nameUndeclared(d: Diagnostic): string | null {
  const state = flowMessages.unknownState.factsOf(d);
  if (state !== null) return state.parameter === undefined ? `state ${state.name}` : null;
  const program = effectMessages.commandNotFound.factsOf(d);
  if (program !== null) return program.subtraction === undefined ? `program ${program.word}` : null;
  const pattern = patternMessages.unknownPattern.factsOf(d);
  return pattern === null ? null : `pattern ${pattern.name}`;
}

/**
 * A state or pattern that is not declared is reported once, and so is a program that is not there. The first message lists the
 * other uses, and the names that only the pattern could bind.
 */
function reportUndeclaredOnce(list: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = new Map<string, { at: number; labels: Label[] }>();
  const reported: Diagnostic[] = [];
  let pattern: { file: number; labels: Label[] } | null = null;
  for (const d of list) {
    const key = nameUndeclared(d);
    const cause = key === null ? undefined : first.get(`${d.span.file} ${key}`);
    const name = unboundName(d)?.name;
    if (cause !== undefined) cause.labels.push({ span: d.span, text: 'used here too' });
    else if (name !== undefined && d.severity === 'error' && pattern?.file === d.span.file)
      pattern.labels.push({ span: d.span, text: `\`${name}\` may be bound there` });
    else {
      if (key !== null) {
        const labels: Label[] = [];
        first.set(`${d.span.file} ${key}`, { at: reported.length, labels });
        if (key.startsWith('pattern ')) pattern = { file: d.span.file, labels };
      }
      reported.push(d);
    }
  }
  for (const { at, labels } of first.values()) {
    const d = reported[at] as Diagnostic;
    if (labels.length > 0) reported[at] = { ...d, labels: [...(d.labels ?? []), ...firstOf(labels)] };
  }
  return reported;
}

/** How many other uses a message shows. */
const MOST_USES = 8;

function firstOf(labels: readonly Label[]): readonly Label[] {
  const last = labels[MOST_USES - 1];
  if (last === undefined || labels.length === MOST_USES) return labels;
  const text = `${last.text}, and ${labels.length - MOST_USES} more times below`;
  return [...labels.slice(0, MOST_USES - 1), { ...last, text }];
}

function untrackedName(d: Diagnostic): string | null {
  const facts = nameMessages.notTracked.factsOf(d);
  return facts?.what === 'not bound' ? facts.name : null;
}

/** A name that nothing binds, with its state; null if another name is suggested, and for all other diagnostics. */
function unboundName(d: Diagnostic): { readonly name: string; readonly state: string } | null {
  const word = nameMessages.returnsTheWord.factsOf(d);
  if (word !== null) return { name: word.word, state: word.state };
  const facts = nameMessages.unknownName.factsOf(d) ?? nameMessages.unknownInText.factsOf(d);
  return facts === null || (d.repair !== undefined && suggestsName(facts)) ? null : facts;
}

function keyOfName(d: Diagnostic): string | null {
  const facts = unboundName(d);
  return facts === null ? null : `${facts.name} ${facts.state}`;
}

function mergeProse(list: readonly Diagnostic[], sources: SourceSet): Diagnostic[] {
  const reported: Diagnostic[] = [];
  for (let at = 0; at < list.length; ) {
    let end = at + 1;
    while (end < list.length && continues(list[end - 1] as Diagnostic, list[end] as Diagnostic, sources)) end++;
    const first = list[at] as Diagnostic;
    if (end - at >= FEW_LINES) reported.push(notInstructions(first.span, { lines: end - at }));
    else for (const diagnostic of list.slice(at, end)) reported.push(diagnostic);
    at = end;
  }
  return reported;
}

/** Whether two lines of prose are adjacent, with only spaces, bullets and numbers between them. */
function continues(above: Diagnostic, below: Diagnostic, sources: SourceSet): boolean {
  if (!isProse(above, sources) || !isProse(below, sources) || above.span.file !== below.span.file) return false;
  const text = sources[above.span.file]?.text ?? '';
  const lineEnd = text.indexOf('\n', above.span.end);
  return lineEnd >= 0 && lineEnd < below.span.start && /^[\s*-]*$/.test(text.slice(lineEnd, below.span.start));
}

/** A line without a verb, or with a word such as `Input:` before a colon. A word in capitals was meant as a verb. */
function isProse({ code, span, correction }: Diagnostic, sources: SourceSet): boolean {
  if (code === 'not-an-instruction') return true;
  if (code !== 'unknown-verb' || correction !== undefined) return false;
  const { text } = sources[span.file] ?? { text: '' };
  return /[a-z]/.test(text.slice(span.start, span.end)) && text[span.end] === ':';
}

type Patterns = Unit['patterns'];

/** An unnamed CHECK decides by its name itself. */
const UNNAMED: ReadonlyMap<Instruction, string> = new Map();

/**
 * Reports names that may have another value than their reader expects: a local that a pattern overwrites, and a local that
 * a loop has from an earlier turn.
 */
export function lintBlockNames({ machines, patterns }: Unit, sources: SourceSet, diagnostics: Diagnostic[]): void {
  const text = (span: Span): string => sources[span.file]?.text ?? '';
  const left = new Map<PatternDeclaration, Set<string>>();
  for (const { states } of machines)
    for (const state of states) {
      if (!hasNamesAgain(parsedBody(state).body)) continue;
      const { body } = state;
      new BlockNames(patterns, left, text(body.span), body, diagnostics).lint(body);
    }
}

/** Whether a pattern or an earlier turn of a loop can have bound names. */
function hasNamesAgain({ instructions }: Block): boolean {
  return instructions.some(
    (i) => i.kind === 'use' || (i.kind === 'for-each' && !i.parallel) || childBlocks(i).some(hasNamesAgain),
  );
}

class BlockNames {
  private readonly readBy = new Map<Instruction, ReadonlySet<string>>();

  constructor(
    private readonly patterns: Patterns,
    /** What is known of patterns so far, for all blocks. */
    private readonly left: Map<PatternDeclaration, Set<string>>,
    private readonly text: string,
    private readonly state: Block,
    private readonly diagnostics: Diagnostic[],
  ) {}

  lint(block: Block): void {
    block.instructions.forEach((i, at) => {
      if (i.kind === 'use') this.use(block.instructions, at, i);
      if (i.kind === 'for-each' && !i.parallel) this.loop(i.body);
      for (const inner of childBlocks(i)) this.lint(inner);
    });
  }

  /** The name that an instruction reads next after a USE, and that its pattern has bound anew. */
  private use(list: readonly Instruction[], at: number, use: Extract<Instruction, { kind: 'use' }>): void {
    const pattern = this.patterns.get(use.pattern.text);
    if (pattern === undefined) return;
    for (const name of this.leftBy(pattern)) {
      const binder = list.slice(0, at).findLast((i) => ownName(i)?.text === name);
      if (binder === undefined) continue;
      const next = list.slice(at + 1).find((i) => this.reads(i, name) || ownName(i)?.text === name);
      if (next === undefined || !this.reads(next, name)) continue;
      const labels = [
        { span: (ownName(binder) as { span: Span }).span, text: 'bound here' },
        { span: verbOf(next), text: 'read here' },
      ];
      this.diagnostics.push(say.overwrittenByPattern(use.span, { name, pattern: use.pattern.text, labels }));
    }
  }

  /** The names that a pattern, with those that it uses, binds in the state of its user. */
  private leftBy(pattern: PatternDeclaration, inside = 0): ReadonlySet<string> {
    const known = this.left.get(pattern);
    if (known !== undefined) return known;
    const { parameters, body } = pattern;
    const left = namesBoundIn(body, UNNAMED);
    // A pattern that uses itself is reported elsewhere.
    this.left.set(pattern, left);
    const own = new Set<string>();
    const variables = new Set<string>();
    const visit = ({ instructions }: Block): void => {
      for (const i of instructions) {
        const bound = ownName(i)?.text;
        if (bound !== undefined) own.add(bound);
        if (i.kind === 'for-each') variables.add(i.variable.text);
        const used = i.kind === 'use' ? this.patterns.get(i.pattern.text) : undefined;
        if (used !== undefined && inside < MOST_INSIDE) for (const one of this.leftBy(used, inside + 1)) left.add(one);
        for (const inner of childBlocks(i)) visit(inner);
      }
    };
    visit(body);
    // The variable of a loop is that of its block alone.
    for (const one of variables) if (!own.has(one)) left.delete(one);
    for (const parameter of parameters) left.delete(parameter.name.text);
    return left;
  }

  /** Names that only some turns bind, in an IF, and every turn reads after it, or that an IF reads before a turn binds them. */
  private loop(body: Block): void {
    const before = new Set<string>();
    const all = namesBoundIn(body, UNNAMED);
    body.instructions.forEach((branch, at) => {
      if (branch.kind === 'if') {
        const open = [...all].filter((name) => !before.has(name));
        this.readsEarlier(branch, open, body);
      }
      if (branch.kind === 'if' && body.instructions[at + 1]?.kind !== 'default') {
        for (const name of this.boundInSome(branch)) {
          if (before.has(name)) continue;
          const after = body.instructions.slice(at + 1);
          const next = after.find((i) => this.reads(i, name) || bindsAlways(i, name));
          if (next === undefined || next.kind === 'if' || bindsAlways(next, name) || this.isBoundOutside(name, body))
            continue;
          const labels = [{ span: verbOf(branch), text: 'only some turns bind it' }];
          this.diagnostics.push(say.earlierTurn(verbOf(next), { name, labels }));
        }
      }
      for (const name of namesBoundIn({ ...body, instructions: [branch] }, UNNAMED)) before.add(name);
    });
  }

  /** An arm of an IF reads what this turn has not bound yet, or binds only in another arm. */
  private readsEarlier(branch: Extract<Instruction, { kind: 'if' }>, open: readonly string[], body: Block): void {
    const tested = new Set(branch.arms.flatMap(({ condition }) => freeNames(condition).map(({ name }) => name)));
    for (const name of open) {
      if (tested.has(name)) continue;
      for (const block of childBlocks(branch)) {
        const first = block.instructions.find((i) => this.reads(i, name) || ownName(i)?.text === name);
        if (first === undefined || ownName(first)?.text === name || childBlocks(first).length > 0) continue;
        const binder = firstBinder(body, name);
        if (binder === undefined || this.isBoundOutside(name, body)) continue;
        const labels = [{ span: binder, text: 'bound here' }];
        this.diagnostics.push(say.earlierTurn(verbOf(first), { name, labels }));
      }
    }
  }

  private boundInSome({ arms, otherwise }: Extract<Instruction, { kind: 'if' }>): string[] {
    const blocks = [...arms.map(({ body }) => body), ...(otherwise === undefined ? [] : [otherwise.body])];
    const staying = blocks.filter(({ instructions }) => !isLeaving(instructions.at(-1)));
    const all = staying.map((block) => namesBoundIn(block, UNNAMED));
    const names = new Set(all.flatMap((bound) => [...bound]));
    return [...names].filter((name) => otherwise === undefined || !all.every((bound) => bound.has(name)));
  }

  /** Whether something outside of the loop gives the name a value, so that keeping it over turns is meant. */
  private isBoundOutside(name: string, loop: Block): boolean {
    const visit = (block: Block): boolean =>
      block !== loop &&
      block.instructions.some((i) => {
        if (ownName(i)?.text === name || (i.kind === 'track' && i.name.text === name)) return true;
        if (i.kind === 'use') {
          const pattern = this.patterns.get(i.pattern.text);
          if (pattern !== undefined && namesBoundIn(pattern.body, UNNAMED).has(name)) return true;
        }
        return childBlocks(i).some(visit);
      });
    return visit(this.state);
  }

  private reads(i: Instruction, name: string): boolean {
    let read = this.readBy.get(i);
    if (read === undefined) {
      read = namesReadIn({ instructions: [i], inline: true, span: i.span }, this.text);
      this.readBy.set(i, read);
    }
    return read.has(name);
  }
}

function ownName(i: Instruction) {
  return i.kind === 'do' || i.kind === 'check' || i.kind === 'call' || i.kind === 'ask' ? i.bind : undefined;
}

/** Where the name is bound in a block first. */
function firstBinder({ instructions }: Block, name: string): Span | undefined {
  for (const i of instructions) {
    const own = ownName(i);
    if (own?.text === name) return own.span;
    const inner = childBlocks(i).flatMap((block) => firstBinder(block, name) ?? []);
    if (inner[0] !== undefined) return inner[0];
  }
  return undefined;
}

const bindsAlways = (i: Instruction, name: string): boolean =>
  ownName(i)?.text === name || (i.kind === 'set' && i.name.text === name);

function isLeaving(i: Instruction | undefined): boolean {
  return i?.kind === 'goto' || i?.kind === 'return' || i?.kind === 'fail';
}

const verbOf = (i: Instruction): Span => ('verb' in i ? i.verb.span : (i as Instruction).span);
