/**
 * Small mistakes that a person could make in a plan, one in each mutant: a call, a parameter or a member of the output that
 * is missing, another arm of a result, a reference that has lost an alternative or has the other operator, another number
 * or boolean. Calls have no order that could be wrong.
 */
import { readPlanDocument } from '../../../language/frontends/plan-document.js';
import type { SourceFile, Span } from '../../../language/source/diagnostic.js';
import type { JsonMember, ObjectNode, ParameterNode, TextNode } from '../../../language/syntax/plan-tree.js';
import { memberOf } from '../../../language/syntax/plan-tree.js';
import { type Mutant, oneLine } from './mutants.js';

/** `||` and `&&` between references, with their other spellings. */
const OPERATOR = /\|\||&&|<\|>|\*>/g;
const OTHER: Readonly<Record<string, string>> = { '||': '&&', '&&': '||', '<|>': '*>', '*>': '<|>' };

/** All mutants of a plan, in the order of its text. */
export function planMutantsOf({ text }: SourceFile): Mutant[] {
  const { plan } = readPlanDocument(text, 0);
  if (plan === null) return [];
  const maker = new PlanMutants(text);
  for (const { node, output, inline, parameters } of plan.calls) {
    if (plan.calls.length > 1) maker.leaveOut(node.span, `the call of ${maker.nameOf(node)}`);
    if (output !== null) maker.arms(output.node);
    if (inline !== null) maker.value(inline);
    for (const { member, value } of parameters) {
      maker.member(node, member);
      maker.value(value);
    }
  }
  if (plan.output !== null) maker.output(plan.output);
  return maker.found.sort((a, b) => a.start - b.start);
}

class PlanMutants {
  readonly found: Mutant[] = [];

  constructor(private readonly text: string) {}

  /** What a call is known by. */
  nameOf(node: ObjectNode): string {
    const name = ['_tool', '_delegate', '_outputPath'].flatMap((key) => memberOf(node, key) ?? [])[0];
    return name === undefined ? 'the plan' : `\`${this.part(name.value.span).replace(/^"|"$/g, '')}\``;
  }

  /** A result that goes to another of its arms. */
  arms(node: TextNode): void {
    const [operator, ...more] = operatorsIn(node.value);
    if (operator === undefined || more.length > 0 || OTHER[operator.text] === '||') return;
    const [first, second] = [node.value.slice(0, operator.at).trim(), node.value.slice(operator.end).trim()];
    this.replace(node.part(0, node.value.length), `${second} ${operator.text} ${first}`);
  }

  value(value: ParameterNode): void {
    switch (value.kind) {
      case 'literal':
        if (value.node.kind !== 'scalar' || value.node.value === null) return;
        if (typeof value.node.value === 'boolean') this.replace(value.node.span, String(!value.node.value));
        else if (Number.isSafeInteger(value.node.value)) this.replace(value.node.span, String(value.node.value + 1));
        return;
      case 'expression':
        this.reference(value.node);
        return;
      case 'list':
        for (const one of value.items) this.value(one);
        return;
      case 'object':
        for (const entry of value.entries) this.value(entry.value);
        return;
    }
  }

  output(value: ParameterNode): void {
    if (value.kind === 'object') for (const { member } of value.entries) this.member(value.node, member);
    this.value(value);
  }

  private reference({ value, part }: TextNode): void {
    for (const { at, end, text } of operatorsIn(value)) this.replace(part(at, end), OTHER[text] as string);
    const [only, ...more] = operatorsIn(value);
    if (only === undefined || more.length > 0 || OTHER[only.text] === '||') return;
    this.replace(part(0, value.length), value.slice(0, only.at).trim());
    this.replace(part(0, value.length), value.slice(only.end).trim());
  }

  member(node: ObjectNode, { key, keySpan, value }: JsonMember): void {
    if (node.members.length > 1)
      this.leaveOut({ ...keySpan, end: value.span.end }, `\`${key}\` of ${this.nameOf(node)}`);
  }

  /** With the comma before or after it. */
  leaveOut({ start, end }: Span, what: string): void {
    const { text } = this;
    const before = /,\s*$/.exec(text.slice(0, start));
    const after = /^\s*,\s*/.exec(text.slice(end));
    const from = start - (before === null ? 0 : before[0].length);
    const to = before === null && after !== null ? end + after[0].length : end;
    this.found.push({ start, change: `${what} is left out`, text: text.slice(0, from) + text.slice(to) });
  }

  private replace(span: Span, by: string): void {
    const { text } = this;
    const change = `\`${oneLine(this.part(span))}\` → \`${oneLine(by)}\``;
    this.found.push({ start: span.start, change, text: text.slice(0, span.start) + by + text.slice(span.end) });
  }

  private part({ start, end }: Span): string {
    return this.text.slice(start, end);
  }
}

function operatorsIn(value: string): { readonly at: number; readonly end: number; readonly text: string }[] {
  return [...value.matchAll(OPERATOR)].map(({ index, 0: text }) => ({ at: index, end: index + text.length, text }));
}
