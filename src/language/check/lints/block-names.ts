/**
 * Names that may have another value than their reader expects: a local that a pattern overwrites, and a local that a loop
 * has from an earlier turn.
 */
import { nameMessages as say } from '../../source/catalogue/declarations.js';
import type { Diagnostic, SourceSet, Span } from '../../source/diagnostic.js';
import type { Block, Instruction } from '../../syntax/ast.js';
import { childBlocks, parsedBody } from '../../syntax/child-blocks.js';
import type { PatternDeclaration, Unit } from '../collect.js';
import { MOST_INSIDE } from '../expansion.js';
import { freeNames } from '../free-names.js';
import { namesBoundIn, namesReadIn } from '../pattern-names.js';

type Patterns = Unit['patterns'];

/** An unnamed CHECK decides by its name itself. */
const UNNAMED: ReadonlyMap<Instruction, string> = new Map();

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
