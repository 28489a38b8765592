/**
 * Reports names that may have another value than their reader expects: a local that a pattern overwrites, and a local that
 * a loop has from an earlier turn.
 */
import { nameMessages as say } from '../../source/catalogue/names.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceSet, Span } from '../../source/source-file.js';
import type { Block, Instruction } from '../../syntax/ast.js';
import { childBlocks } from '../../syntax/child-blocks.js';
import type { Unit } from '../collect.js';
import { namesBoundIn, namesReadIn } from '../pattern-names.js';

type Patterns = Unit['patterns'];

/** An unnamed CHECK decides by its name itself. */
const UNNAMED: ReadonlyMap<Instruction, string> = new Map();

export function lintBlockNames({ machines, patterns }: Unit, sources: SourceSet, diagnostics: Diagnostic[]): void {
  const text = (span: Span): string => sources[span.file]?.text ?? '';
  for (const { states } of machines)
    for (const { body } of states) new BlockNames(patterns, text(body.span), body, diagnostics).lint(body);
}

class BlockNames {
  constructor(
    private readonly patterns: Patterns,
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
    const bound = namesBoundIn(pattern.body, UNNAMED);
    for (const { name } of pattern.parameters) bound.delete(name.text);
    for (const name of bound) {
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

  /** Names that only some turns bind, in an IF, and every turn reads after it. */
  private loop(body: Block): void {
    const before = new Set<string>();
    body.instructions.forEach((branch, at) => {
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
    return namesReadIn({ instructions: [i], inline: true, span: i.span }, this.text).has(name);
  }
}

function ownName(i: Instruction) {
  return i.kind === 'do' || i.kind === 'check' || i.kind === 'call' || i.kind === 'ask' ? i.bind : undefined;
}

const bindsAlways = (i: Instruction, name: string): boolean =>
  ownName(i)?.text === name || (i.kind === 'set' && i.name.text === name);

function isLeaving(i: Instruction | undefined): boolean {
  return i?.kind === 'goto' || i?.kind === 'return' || i?.kind === 'fail';
}

const verbOf = (i: Instruction): Span => ('verb' in i ? i.verb.span : (i as Instruction).span);
