/**
 * The lines below a STEP, in the order in which the author wrote them: sections, entries of sections, and the step's own
 * instructions. Whether a list is on one line or on several is the author's choice.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { Block, Instruction, Option, StepNode } from '../syntax/ast.js';
import type { Template } from '../syntax/expression-nodes.js';
import type { ContextEntry, EachTask, GateEntry, Override, RetryEntry, WorkflowCall } from '../syntax/step-nodes.js';
import { formatExpression } from './format-expression.js';
import { optionText, withText } from './format-parts.js';
import { gap, lineStart, type SourceText, slice } from './source-text.js';
import { conditionText, contextText, eachText, gateText, type StepSpelling, sessionText } from './step-text.js';

/** The lines below a line. */
export type Row =
  | { readonly kind: 'item'; readonly start: number; readonly item: Instruction }
  | {
      readonly kind: 'line';
      /** Offsets in the source: of the line, and on the last line of the source of `text`. */
      readonly start: number;
      readonly end: number;
      readonly text: () => string;
      readonly rows?: readonly Row[];
      /** Lines that are only indented. */
      readonly verbatim?: string;
    };

/** As the author wrote it. */
function spellingOf(source: SourceText): StepSpelling {
  return {
    expression: (expression) => formatExpression(expression, source),
    word: ({ raw }) => raw,
    text: ({ raw }) => raw,
    shell: ({ span }) => slice(source, span),
    call: (call) => callText(call, source),
  };
}

export function stepRows(i: StepNode, source: SourceText): Row[] {
  const spelling = spellingOf(source);
  const rows: Row[] = [
    ...listRows('CONTEXT', i.context, source, (entry) => contextText(entry, spelling) ?? slice(source, entry.span)),
    ...listRows('GATE', i.gates, source, (gate) => shellBlock(gate) ?? gateText(gate, spelling)),
    ...runRows(i, source),
  ];
  if (i.prompt !== undefined)
    rows.push(promptRow(i.prompt, wordAbove(source, i.prompt.span.start, 'PROMPT', 0), 'PROMPT:'));
  const { session, retry, each } = i;
  if (session !== undefined) {
    const { start, end } = session.span;
    const text = (): string => sessionText(session);
    rows.push({ kind: 'line', start: wordAbove(source, start, 'SESSION', 0), end, text });
  }
  if (retry !== undefined) rows.push(retryRow(retry.entries, retry.span.start, source));
  if (each !== undefined) rows.push(eachRow(each));
  return rows.sort((a, b) => a.start - b.start);
}

function runRows({ run }: StepNode, source: SourceText): Row[] {
  switch (run.kind) {
    case 'agent': {
      const { agent, guards } = run;
      const { start, end } = run.span;
      return [
        { kind: 'line', start, end, text: () => `AGENT: ${agent.raw}${guardsText(guards, agent.span.end, source)}` },
      ];
    }
    case 'workflow': {
      const start = wordAbove(source, run.call.span.start, 'WORKFLOW', 0);
      return [{ kind: 'line', start, end: run.call.span.end, text: () => `WORKFLOW: ${callText(run.call, source)}` }];
    }
    case 'body':
      return itemRows(run.body);
    case 'group':
      return itemRows(run.steps);
    case 'none':
      return [];
    default:
      return unreachable(run);
  }
}

function itemRows({ instructions }: Pick<Block, 'instructions'>): Row[] {
  return instructions.map((item) => ({ kind: 'item', start: item.span.start, item }));
}

function eachRow(each: EachTask): Row {
  const { start, end } = each.span;
  return { kind: 'line', start, end, text: () => eachText(each, optionText), rows: itemRows(each.steps) };
}

function guardsText(guards: readonly Option[], from: number, source: SourceText): string {
  let end = from;
  return guards
    .map((guard, n) => {
      const space = gap(source, end, guard.span.start);
      end = guard.span.end;
      return `${n === 0 ? `${space}with ` : `,${space}`}${optionText(guard)}`;
    })
    .join('');
}

function callText({ name, args }: WorkflowCall, source: SourceText): string {
  return `${name.text}${withText(args, name.span.end, source)}`;
}

// ---- prompts ----------------------------------------------------------------------------------------

/** Text without quotes is on its own lines. */
function isBlock(template: Template): boolean {
  return template.quote === 'none';
}

function promptRow(prompt: Template, start: number, verb: string): Row {
  if (!isBlock(prompt)) return { kind: 'line', start, end: prompt.span.end, text: () => `${verb} ${prompt.raw}` };
  return { kind: 'line', start, end: start, text: () => verb, verbatim: prompt.raw };
}

// ---- lists ------------------------------------------------------------------------------------------

type SectionEntry = ContextEntry | GateEntry;

/** Entries as the author grouped them: in sections, and these in lines. */
function listRows<E extends SectionEntry>(
  word: string,
  entries: readonly E[],
  source: SourceText,
  text: (entry: E) => string,
): Row[] {
  const sections: { readonly start: number; readonly lines: E[][] }[] = [];
  let end = 0;
  for (const entry of entries) {
    const { start } = entry.span;
    const above = wordAbove(source, start, word, end);
    const section = sections[sections.length - 1];
    if (above >= end && isWordAt(source, above, word)) sections.push({ start: above, lines: [[entry]] });
    else if (section === undefined) sections.push({ start, lines: [[entry]] });
    else if (breaksLine(source, end, start)) section.lines.push([entry]);
    else section.lines[section.lines.length - 1]?.push(entry);
    end = entry.span.end;
  }
  return sections.map(({ start, lines }): Row => {
    const first = lines[0] as E[];
    const row = (line: E[]): Row => entriesRow(line, source, text);
    if (breaksLine(source, start, first[0]?.span.start ?? start))
      return { kind: 'line', start, end: start, text: () => `${word}:`, rows: lines.map(row) };
    const line = row(first);
    return { ...line, start, text: () => `${word}: ${line.kind === 'line' ? line.text() : ''}` } as Row;
  });
}

function entriesRow<E extends SectionEntry>(line: readonly E[], source: SourceText, text: (entry: E) => string): Row {
  const { start } = (line[0] as E).span;
  const last = line[line.length - 1] as E;
  const block = line.length === 1 && last.kind === 'bash' && last.shell.block ? last.shell : undefined;
  return {
    kind: 'line',
    start,
    end: block === undefined ? last.span.end : start,
    text: () =>
      line
        .map(
          (entry, n) => (n === 0 ? '' : `,${gap(source, line[n - 1]?.span.end ?? 0, entry.span.start)}`) + text(entry),
        )
        .join(''),
    ...omitUndefined({ verbatim: block?.text }),
  };
}

/** Whether a new line begins between two offsets. A continued line does not count as new. */
function breaksLine(source: SourceText, from: number, to: number): boolean {
  return /(?:^|[^\\ \t\r])[ \t\r]*\n/.test(source.text.slice(from, to));
}

/** Offset of the `word` that begins the line of `at` or one above it, down to `least`; else of `at`'s line. */
function wordAbove(source: SourceText, at: number, word: string, least: number): number {
  for (let start = lineStart(source, at); ; start = lineStart(source, start - 1)) {
    const lead = /^[ \t]*(?:-[ \t]+)?/.exec(source.text.slice(start, start + 400))?.[0] ?? '';
    if (isWordAt(source, start + lead.length, word)) return start + lead.length;
    if (start <= least || start === 0) return at;
  }
}

function isWordAt(source: SourceText, at: number, word: string): boolean {
  return source.text.startsWith(word, at) && !/\w/.test(source.text[at + word.length] ?? '');
}

/** A gate that is spelled as the instruction DO. */
function shellBlock(gate: GateEntry): string | null {
  if (gate.kind !== 'bash' || gate.word.text !== 'DO') return null;
  const label = gate.label === undefined ? '' : ` as ${gate.label.text}`;
  return `${gate.shell.block ? 'DO:' : `DO: ${gate.shell.text}`}${label}`;
}

// ---- retries ----------------------------------------------------------------------------------------

function retryRow(entries: readonly RetryEntry[], start: number, source: SourceText): Row {
  const [first, ...others] = entries.map((entry) => entryRow(entry, source));
  const end = start + 'RETRY'.length;
  if (first?.kind === 'line' && !breaksLine(source, start, first.start)) {
    const rows = [...(first.rows ?? []), ...others];
    return {
      ...first,
      start,
      text: () => `RETRY: ${first.text()}`,
      ...omitUndefined({ rows: rows.length === 0 ? undefined : rows }),
    };
  }
  return { kind: 'line', start, end, text: () => 'RETRY:', rows: first === undefined ? [] : [first, ...others] };
}

function entryRow({ conditions, overrides, span }: RetryEntry, source: SourceText): Row {
  const head = () => conditions.map((condition) => conditionText(condition, spellingOf(source))).join(', ');
  const [first] = overrides;
  const last = overrides[overrides.length - 1];
  const from = conditions[conditions.length - 1]?.span.end ?? span.start;
  if (first === undefined || last === undefined) return { kind: 'line', start: span.start, end: span.end, text: head };
  if (breaksLine(source, from, first.span.start))
    return { kind: 'line', start: span.start, end: from, text: () => `${head()} →`, rows: overrides.map(overrideRow) };
  const arrow = conditions.length === 0 ? '' : ' →';
  const block = isPromptBlock(last) ? { verbatim: last.value.raw } : {};
  return {
    kind: 'line',
    start: span.start,
    end: isPromptBlock(last) ? last.word.span.end : span.end,
    text: () => {
      const texts = overrides.map((override, n) => {
        const before = n === 0 ? from : (overrides[n - 1] as Override).span.end;
        const space = n === 0 && arrow === '' ? '' : gap(source, before, override.span.start);
        return `${n === 0 ? '' : ','}${space}${overrideText(override)}`;
      });
      return `${head()}${arrow}${texts.join('')}`;
    },
    ...block,
  };
}

function isPromptBlock({ name, value }: Override): boolean {
  return name === 'prompt' && isBlock(value);
}

function overrideText(override: Override): string {
  return isPromptBlock(override) ? override.word.text : `${override.word.text} ${override.value.raw}`;
}

function overrideRow(override: Override): Row {
  const { word, value, span } = override;
  if (isPromptBlock(override)) return promptRow(value, span.start, `${word.text}:`);
  return { kind: 'line', start: span.start, end: span.end, text: () => `${word.text}: ${value.raw}` };
}
