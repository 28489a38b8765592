/**
 * Small mistakes that a person could make in a program, one in each mutant: another operator, number or boolean, a gate
 * that always passes, an instruction or an entry of RETRY that is missing, two instructions in the other order, a result
 * that is not returned. A mutant is a change of the text, so that it is compiled like any program.
 */
import type { SourceFile, Span } from '../../../language/source/diagnostic.js';
import type { Block, Instruction, Program } from '../../../language/syntax/ast.js';
import { childBlocks } from '../../../language/syntax/child-blocks.js';
import type { CompareOperator, Expression } from '../../../language/syntax/expression-nodes.js';
import { blocksOf, type GateEntry, type StepParts } from '../../../language/syntax/step-nodes.js';

export interface Mutant {
  /** Where the change is in the text of the program. */
  readonly start: number;
  /** What is changed, for people: `` `<` → `<=` ``. */
  readonly change: string;
  /** The whole text with the change. */
  readonly text: string;
}

/** The operators that stand in for each other. */
const COMPARED: Readonly<Partial<Record<CompareOperator, readonly string[]>>> = {
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
};

const COMPUTED: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '+', '/': '*', '%': '*' };

/** Options whose number decides what happens in a test. */
const COUNTED: ReadonlySet<string> = new Set(['retry', 'quorum']);

/** Instructions whose order can be seen. */
const ORDERED: ReadonlySet<Instruction['kind']> = new Set(['do', 'check', 'call', 'ask', 'emit', 'step', 'use']);

/** What is a limit of time or of agents, which mocks do not obey, or a safety net. */
const SKIPPED: ReadonlySet<string> = new Set(['guards', 'span']);

/** All mutants of a program, in the order of its text. */
export function mutantsOf(program: Program, { name, text }: SourceFile): Mutant[] {
  const maker = new Mutants(program.file, text, /\.ya?ml$/i.test(name));
  for (const item of program.items)
    if (item.kind !== 'limit' && item.kind !== 'key' && item.kind !== 'import') maker.visit(item);
  return maker.found.sort((a, b) => a.start - b.start);
}

type SpannedNode = { readonly kind?: unknown; readonly span?: Span };

class Mutants {
  readonly found: Mutant[] = [];
  /** What runs at the same time has no order. */
  private readonly unordered = new Set<unknown>();

  constructor(
    private readonly file: number,
    private readonly text: string,
    private readonly isYaml: boolean,
  ) {}

  visit(value: unknown): void {
    if (Array.isArray(value)) {
      for (const one of value) this.visit(one);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    this.mutate(value as SpannedNode);
    for (const [name, inner] of Object.entries(value)) if (!SKIPPED.has(name)) this.visit(inner);
  }

  private add(from: number, to: number, by: string, change: string): void {
    this.found.push({ start: from, change, text: this.text.slice(0, from) + by + this.text.slice(to) });
  }

  private replace({ file, start, end }: Span, by: string): void {
    const written = this.text.slice(start, end);
    if (file === this.file && written !== by) this.add(start, end, by, `\`${oneLine(written)}\` → \`${oneLine(by)}\``);
  }

  private mutate(node: SpannedNode): void {
    if (node.span !== undefined && node.span.file !== this.file) return;
    if (typeof node.kind === 'string') this.mutateExpression(node as Expression);
    if ('instructions' in node && Array.isArray(node.instructions)) this.mutateBlock(node as unknown as Block);
    if (node.kind === 'state' || node.kind === 'pattern') return;
    if (node.kind === 'parallel') this.unordered.add((node as Extract<Instruction, { kind: 'parallel' }>).members);
    if (node.kind === 'step') this.mutateStep(node as unknown as StepParts);
    if (node.kind === 'return') this.mutateReturn(node as Extract<Instruction, { kind: 'return' }>);
    if ('key' in node && 'value' in node) this.mutateOption(node as never);
  }

  private mutateExpression(e: Expression): void {
    switch (e.kind) {
      case 'number': {
        const by = Number.isInteger(e.value) ? e.value + 1 : e.value * 2;
        if (Number.isFinite(by) && /^[\d.]+$/.test(this.text.slice(e.span.start, e.span.end)))
          this.replace(e.span, String(by));
        return;
      }
      case 'constant':
        if (typeof e.value === 'boolean' && /^(?:true|false)$/.test(this.text.slice(e.span.start, e.span.end)))
          this.replace(e.span, String(!e.value));
        return;
      case 'compare':
        for (const other of COMPARED[e.operator] ?? []) this.replaceIfWritten(e.operatorSpan, e.operator, other);
        if (COMPARED[e.operator] === undefined) this.negate(e.span);
        return;
      case 'logical': {
        const gap = { ...e.span, start: e.left.span.end, end: e.right.span.start };
        const found = /\b(?:AND|OR|and|or)\b/.exec(this.text.slice(gap.start, gap.end));
        if (found === null) return;
        const start = gap.start + found.index;
        const isUpper = found[0] === found[0].toUpperCase();
        const other = e.operator === 'and' ? 'or' : 'and';
        this.replace({ ...gap, start, end: start + found[0].length }, isUpper ? other.toUpperCase() : other);
        return;
      }
      case 'arithmetic': {
        const from = e.left.span.end;
        const at = this.text.slice(from, e.right.span.start).indexOf(e.operator);
        const other = COMPUTED[e.operator];
        if (at >= 0 && other !== undefined)
          this.replace({ ...e.span, start: from + at, end: from + at + e.operator.length }, other);
        return;
      }
      case 'test':
      case 'not':
        this.negate(e.span);
        return;
      default:
        return;
    }
  }

  private replaceIfWritten(span: Span, operator: string, other: string): void {
    if (this.text.slice(span.start, span.end) === operator) this.replace(span, other);
  }

  private negate(span: Span): void {
    this.replace(span, `NOT (${this.text.slice(span.start, span.end)})`);
  }

  /** `retry=3` and `retry=3/1s`, `quorum=2`. */
  private mutateOption({ key, value }: { key: { text: string }; value?: { raw?: string; span: Span } }): void {
    if (value === undefined || !COUNTED.has(key.text)) return;
    const digits = /^\d+/.exec(this.text.slice(value.span.start, value.span.end))?.[0];
    if (digits === undefined) return;
    this.replace({ ...value.span, end: value.span.start + digits.length }, String(Number(digits) + 1));
  }

  private mutateStep({ gates, retry }: StepParts): void {
    for (const gate of gates) if (!isUnseen(gate)) this.replace(gate.span, this.passing(gate));
    if (this.isYaml) return;
    for (const { conditions, span } of retry?.entries ?? [])
      if (conditions.every(({ kind }) => kind !== 'exit')) this.remove(span.start, span.end, false);
  }

  /** A gate of the same name that always passes. */
  private passing({ label, kind, word, span }: GateEntry): string {
    const name = label?.text ?? (kind === 'command' ? word.text : kind);
    if (!this.isYaml) return `expr true as ${name}`;
    const pairs = `expr: "true", as: ${name}`;
    // The span of a mapping in braces ends before its last one.
    return this.text[span.start] === '{' ? `{ ${pairs}` : `{ ${pairs} }`;
  }

  private mutateReturn({ verb, span }: Extract<Instruction, { kind: 'return' }>): void {
    const end = endOf(span, verb.span.end);
    if (end > verb.span.end && !this.isYaml) this.add(verb.span.end, end, '', 'the result is not returned');
  }

  private mutateBlock(block: Block): void {
    if (this.isYaml) return;
    const { instructions, inline } = block;
    const own = instructions.filter(({ span, kind }) => span.file === this.file && kind !== 'broken');
    for (const [at, one] of own.entries()) {
      const start = startOf(one);
      const end = lastOf(one);
      if (one.kind !== 'proceed' && one.kind !== 'track') this.remove(start, end, instructions.length === 1, inline);
      const next = own[at + 1];
      if (this.unordered.has(block) || next === undefined || !ORDERED.has(one.kind) || !ORDERED.has(next.kind))
        continue;
      this.swap([start, end], [startOf(next), lastOf(next)]);
    }
  }

  /** Leaves out what stands alone on its lines, or in a list of actions. `isOnly`: something has to be there. */
  private remove(start: number, end: number, isOnly: boolean, inline = false): void {
    const { text } = this;
    const change = `\`${oneLine(text.slice(start, end))}\` is left out`;
    if (isOnly || (inline && !/,[ \t]*$/.test(text.slice(0, start)) && !/^[ \t]*,/.test(text.slice(end))))
      return this.add(start, end, 'PROCEED', change);
    const before = /,[ \t]*$/.exec(text.slice(Math.max(0, start - 200), start));
    if (inline && before !== null) return this.add(start - before[0].length, end, '', change);
    const after = /^[ \t]*,[ \t]*/.exec(text.slice(end, end + 200));
    if (inline && after !== null) return this.add(start, end + after[0].length, '', change);
    const line = text.lastIndexOf('\n', start - 1) + 1;
    const next = text.indexOf('\n', end);
    if (!/^[ \t]*(?:-[ \t]+)?$/.test(text.slice(line, start))) return;
    this.found.push({
      start,
      change,
      text: text.slice(0, line) + (next < 0 ? '' : text.slice(next + 1)),
    });
  }

  private swap([start, end]: readonly [number, number], [from, to]: readonly [number, number]): void {
    if (from < end) return;
    const { text } = this;
    const first = text.slice(start, end);
    const second = text.slice(from, to);
    this.add(start, to, second + text.slice(end, from) + first, `\`${oneLine(first)}\` after \`${oneLine(second)}\``);
  }
}

/** Nothing changes files in a test, and the answer of a split has its form anyway. */
function isUnseen(gate: GateEntry): boolean {
  return gate.kind === 'untouched' || (gate.kind === 'schema' && gate.path === undefined);
}

const startOf = ({ verb, span }: Instruction): number => Math.min(verb.span.start, span.start);

/** The end of an instruction with everything below it. */
function lastOf(one: Instruction): number {
  const blocks = one.kind === 'step' ? blocksOf(one) : childBlocks(one);
  return Math.max(
    endOf(one.span, one.verb.span.end),
    ...blocks.flatMap(({ instructions }) => instructions.map(lastOf)),
  );
}

const endOf = (span: Span, atLeast: number): number => Math.max(span.end, atLeast);

/** At most 40 characters on one line. */
export function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length <= 40 ? line : `${line.slice(0, 39)}…`;
}
