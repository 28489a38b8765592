/** Questions that an editor asks about a program, as texts. The place of the cursor is `<|>` in the program. */

import { isProvedBy, proposedActions } from '../../src/editor/ide/actions.js';
import {
  type CallWay,
  callItemAt,
  incomingCalls,
  linksOf,
  locatedGraph,
  outgoingCalls,
} from '../../src/editor/ide/calls.js';
import { completionsAt } from '../../src/editor/ide/completion.js';
import { hoverAt } from '../../src/editor/ide/hover.js';
import { tokensOf } from '../../src/editor/ide/name-tokens.js';
import {
  definitionsAt,
  highlightsAt,
  implementationsAt,
  type OpenProgram,
  openProgram,
  referencesAt,
} from '../../src/editor/ide/open-program.js';
import { foldsOf, type OutlineNode, outlineOf, selectionsAt } from '../../src/editor/ide/outline.js';
import { HINTS, hintsOf, LENSES, lensesOf } from '../../src/editor/ide/remarks.js';
import { renameAt } from '../../src/editor/ide/rename.js';
import { signatureAt } from '../../src/editor/ide/signatures.js';
import { type Compilation, compile } from '../../src/language/check/compile.js';
import { positionAt, type SourceSet, type Span } from '../../src/language/source/diagnostic.js';
import { applyEdits } from '../../src/language/source/fix-text.js';
import { type Case, programOf } from './case-file.js';
import { compileOptions } from './compile-case.js';

const CURSOR = '<|>';

/** Each section whose name is a question gets its answer. */
export function answers(the: Case): Record<string, string> {
  const written = programOf(the).text;
  const offset = written.indexOf(CURSOR);
  const once = written.replace(CURSOR, '');
  // A second mark is the end of a selection.
  const second = once.indexOf(CURSOR);
  const end = second < 0 ? offset : second;
  const text = once.replace(CURSOR, '');
  const compileText = (changed: string): Compilation => compile(changed, { ...compileOptions(the), index: true });
  const program = openProgram(compileText(text));
  if (program === null) throw new Error('there is no index');
  const actual: Record<string, string> = {};
  for (const { name } of the.sections) {
    const [question = '', ...words] = name.split(' ');
    const ask = Object.hasOwn(QUESTIONS, question) ? QUESTIONS[question] : undefined;
    if (ask === undefined) continue;
    if (offset < 0 && AT_CURSOR.has(question)) throw new Error(`${the.path}: no ${CURSOR} in the program`);
    actual[name] = ask({ program, offset, end, word: words.join(' '), compileText });
  }
  return actual;
}

interface Asked {
  readonly program: OpenProgram;
  readonly offset: number;
  readonly end: number;
  readonly word: string;
  readonly compileText: (text: string) => Compilation;
}

const AT_CURSOR = new Set([
  'actions',
  'hover',
  'definition',
  'implementation',
  'references',
  'highlight',
  'rename',
  'completion',
  'signature',
  'selection',
  'calls',
]);

const QUESTIONS: Readonly<Record<string, (asked: Asked) => string>> = {
  index: ({ program }) => indexText(program.compilation),
  hover: ({ program, offset }) => {
    const found = hoverAt(program, offset);
    return found === null ? 'nothing\n' : `${shown(program, found.span)}\n${found.text}\n`;
  },
  definition: ({ program, offset }) => lines(definitionsAt(program, offset).map((span) => shown(program, span))),
  implementation: ({ program, offset }) =>
    lines(implementationsAt(program, offset).map((span) => shown(program, span))),
  references: ({ program, offset }) => lines(referencesAt(program, offset).map(({ span }) => shown(program, span))),
  highlight: ({ program, offset }) =>
    lines(highlightsAt(program, offset).map(({ span, kind }) => `${shown(program, span)} ${kind}`)),
  rename: ({ program, offset, word, compileText }) => {
    const result = renameAt(program, offset, word, (texts) => compileText(texts.get(0) ?? program.source.text));
    return 'refused' in result ? `refused: ${result.refused}\n` : applyEdits(program.source.text, result.edits);
  },
  completion: ({ program, offset }) =>
    lines(
      completionsAt(program, offset)
        .filter(({ kind }) => kind !== 'function')
        .map(({ label, kind, insert }) => `${kind} ${label}${insert === undefined ? '' : ` inserts ${insert}`}`),
    ),
  signature: ({ program, offset }) => {
    const found = signatureAt(program, offset);
    return found === null ? 'nothing\n' : `${found.label}\nat ${found.parameters[found.active]}\n${found.text}\n`;
  },
  symbols: ({ program }) => {
    const text = (one: OutlineNode, indentation: string): string =>
      `${indentation}${one.kind} ${one.name} ${lineRange(program, one.range)}\n${one.children.map((inner) => text(inner, `${indentation}  `)).join('')}`;
    return outlineOf(program)
      .map((one) => text(one, ''))
      .join('');
  },
  folding: ({ program }) =>
    lines(foldsOf(program).map(({ start, end, kind }) => `${start}-${end}${kind === undefined ? '' : ` ${kind}`}`)),
  selection: ({ program, offset }) =>
    lines(selectionsAt(program, offset).map(({ start, end }) => JSON.stringify(program.source.text.slice(start, end)))),
  tokens: ({ program }) =>
    lines(
      tokensOf(program).map(({ span, type, modifiers }) => `${shown(program, span)} ${[type, ...modifiers].join(' ')}`),
    ),
  hints: ({ program }) =>
    lines(
      hintsOf(program, { choice: { ...HINTS, defaults: true } }).map(
        ({ offset, text }) => `${shown(program, { file: 0, start: offset, end: offset })}${text}`,
      ),
    ),
  lenses: ({ program }) =>
    lines(
      lensesOf(program, { choice: { ...LENSES, runFromHere: true, waysIn: true } }).map(
        ({ span, title }) => `${shown(program, { ...span, end: span.start })}${title}`,
      ),
    ),
  links: ({ program }) =>
    lines(linksOf(program).map(({ span, kind, path }) => `${shown(program, span)} ${kind} ${path}`)),
  calls: ({ program, offset }) => {
    const way = (word: string, { item, ranges }: CallWay): string =>
      `${word} ${item.kind} ${item.name}: ${ranges.map((span) => shown(program, span)).join(', ')}`;
    return callItemAt(program, offset)
      .map((item) =>
        lines([
          `${item.kind} ${item.name} ${lineRange(program, item.range)}`,
          ...incomingCalls(program, item.symbol).map((one) => way('from', one)),
          ...outgoingCalls(program, item).map((one) => way('to', one)),
        ]),
      )
      .join('');
  },
  fixes: ({ program }) =>
    program.compilation.diagnostics
      .flatMap((one) =>
        (one.fixes ?? []).map(
          ({ title, edits, preferred }) =>
            `${one.code}${preferred ? ' (preferred)' : ''}: ${title}\n${applyEdits(program.source.text, edits)}`,
        ),
      )
      .join('\n'),
  actions: ({ program, offset, end, compileText }) =>
    proposedActions(program, { start: offset, end })
      .map((one) => {
        const text = applyEdits(program.source.text, one.edits);
        const isOffered = isProvedBy(program.compilation, compileText(text), one.mends);
        return `${one.kind}: ${one.title}\n${isOffered ? text : 'not offered: it makes an error\n'}`;
      })
      .join('\n'),
  graph: ({ program }) => {
    const graph = locatedGraph(program);
    return graph === null
      ? 'nothing\n'
      : lines([
          ...graph.nodes.map(({ id, kind, range }) => `${kind} ${id} at ${shown(program, range)}`),
          ...graph.edges.map(
            ({ from, to, label, range }) =>
              `${from} to ${to}${label === '' ? '' : ` if ${label}`} at ${shown(program, range)}`,
          ),
        ]);
  },
};

const lines = (list: readonly string[]): string =>
  list.length === 0 ? 'nothing\n' : list.map((one) => `${one}\n`).join('');

function shown({ compilation: { sources } }: OpenProgram, span: Span): string {
  return `${locationText(span, sources)} ${sources[span.file]?.text.slice(span.start, span.end)}`;
}

function lineRange({ source }: OpenProgram, { start, end }: Span): string {
  return `${positionAt(source, start).line}-${positionAt(source, end).line}`;
}

/** A line for each occurrence: its cursor, the name as written, its role, and what it can mean. */
export function indexText({ index, sources }: Compilation): string {
  if (index === null) throw new Error('there is no index');
  const symbolText = (id: number): string => {
    const { kind, name, owner } = index.symbols[id] as (typeof index.symbols)[number];
    return `${kind} ${owner === '' ? '' : `${ownerText(owner, sources)} `}${name}`;
  };
  const line = (span: Span, role: string, symbols: readonly number[]): string => {
    const text = sources[span.file]?.text.slice(span.start, span.end);
    return `${locationText(span, sources)} ${text}: ${role} ${symbols.map(symbolText).join(', else ')}\n`;
  };
  return [
    ...index.occurrences.map(({ span, role, symbols }) => line(span, role, symbols)),
    ...index.targets.map(({ span, symbols }) => line(span, 'leads to', symbols)),
    ...index.symbols
      .filter(({ doc }) => doc !== null)
      .map(({ name, doc }) => `doc of ${name}: ${JSON.stringify(doc)}\n`),
  ].join('');
}

/** Places of steps and loops are offsets. */
function ownerText(owner: string, sources: SourceSet): string {
  const [, file, start] = /^(\d+):(\d+)$/.exec(owner) ?? [];
  return file === undefined
    ? owner
    : `at ${locationText({ file: Number(file), start: Number(start), end: 0 }, sources)}`;
}

function locationText({ file, start }: Span, sources: SourceSet): string {
  const source = sources[file];
  if (source === undefined) throw new Error(`file ${file} does not exist`);
  const { line, column } = positionAt(source, start);
  return `${file === 0 ? '' : `${source.name}:`}${line}:${column}`;
}
