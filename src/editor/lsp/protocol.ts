/** Answers in the form of the protocol: ranges in lines and columns, kinds as numbers. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  DiagnosticSeverity,
  DiagnosticTag,
  InsertTextFormat,
  type Range,
  type Diagnostic as SentDiagnostic,
  SymbolKind,
  type TextEdit,
} from 'vscode-languageserver-protocol';
import { shippedFolder } from '../../app/project/find-workflow.js';
import {
  type Diagnostic,
  type Edit,
  type Fix,
  positionAt,
  type SourceFile,
  type Span,
} from '../../language/source/diagnostic.js';
import type { Completion } from '../ide/completion.js';

export function rangeOf(source: SourceFile, { start, end }: Pick<Span, 'start' | 'end'>): Range {
  return { start: pointOf(source, start), end: pointOf(source, end) };
}

function pointOf(source: SourceFile, offset: number) {
  const { line, column } = positionAt(source, offset);
  return { line: line - 1, character: column - 1 };
}

export function offsetOf(
  source: SourceFile,
  { line, character }: { readonly line: number; readonly character: number },
): number {
  if (line < 0) return 0;
  const start = source.lineStarts[line];
  if (start === undefined) return source.text.length;
  const next = source.lineStarts[line + 1];
  // A position behind the end of a line is the end of the line.
  const end = next === undefined ? source.text.length : next - (source.text[next - 2] === '\r' ? 2 : 1);
  return Math.min(start + Math.max(0, character), Math.max(start, end));
}

const SEVERITIES = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
} as const;

const UNNECESSARY = /^(?:unused-|unreachable|never-)/;

export type UriOf = (file: number) => string | null;

/** The page of the manual about the codes of messages. */
const docs = shippedFolder('docs');
const reference = docs === null ? null : pathToFileURL(join(docs, 'messages.md')).href;

export function sentDiagnostic(diagnostic: Diagnostic, sources: readonly SourceFile[], uriOf: UriOf): SentDiagnostic {
  const source = sources[diagnostic.span.file] as SourceFile;
  const { code, severity, message, help, labels = [] } = diagnostic;
  const related = labels.flatMap(({ span, text }) => {
    const uri = uriOf(span.file);
    const other = sources[span.file];
    return uri === null || other === undefined
      ? []
      : [{ location: { uri, range: rangeOf(other, span) }, message: text }];
  });
  const { fixes = [] } = diagnostic;
  return {
    range: rangeOf(source, diagnostic.span),
    severity: SEVERITIES[severity],
    code,
    ...(reference === null ? {} : { codeDescription: { href: `${reference}#${code}` } }),
    source: 'statedsl',
    message: help === undefined ? message : `${message}\nhelp: ${help}`,
    ...(related.length > 0 ? { relatedInformation: related } : {}),
    ...(UNNECESSARY.test(code) ? { tags: [DiagnosticTag.Unnecessary] } : {}),
    ...(fixes.length > 0 ? { data: { fixes: fixes.map((fix) => sentFix(fix, sources)) } } : {}),
  };
}

function sentFix({ title, edits, preferred }: Fix, sources: readonly SourceFile[]) {
  return {
    title,
    preferred,
    edits: textEdits(
      edits.filter(({ span }) => span.file === 0),
      sources,
    ),
  };
}

export function textEdits(edits: readonly Edit[], sources: readonly SourceFile[]): TextEdit[] {
  return edits.flatMap(({ span, text }) => {
    const source = sources[span.file];
    return source === undefined ? [] : [{ range: rangeOf(source, span), newText: text }];
  });
}

export const SYMBOL_KINDS: Readonly<Record<string, SymbolKind>> = {
  machine: SymbolKind.Namespace,
  state: SymbolKind.Class,
  pattern: SymbolKind.Function,
  input: SymbolKind.Constant,
  tracked: SymbolKind.Variable,
  step: SymbolKind.Method,
  handler: SymbolKind.Event,
  import: SymbolKind.Module,
  workflow: SymbolKind.Module,
  file: SymbolKind.File,
};

const COMPLETION_KINDS: Readonly<Partial<Record<Completion['kind'], CompletionItemKind>>> = {
  machine: CompletionItemKind.Module,
  state: CompletionItemKind.Class,
  pattern: CompletionItemKind.Function,
  parameter: CompletionItemKind.Variable,
  input: CompletionItemKind.Constant,
  tracked: CompletionItemKind.Variable,
  local: CompletionItemKind.Variable,
  loop: CompletionItemKind.Variable,
  entry: CompletionItemKind.Property,
  fact: CompletionItemKind.Property,
  function: CompletionItemKind.Function,
  verb: CompletionItemKind.Keyword,
  option: CompletionItemKind.Property,
  step: CompletionItemKind.Module,
  'step-key': CompletionItemKind.Field,
  field: CompletionItemKind.Field,
  agent: CompletionItemKind.Interface,
  tool: CompletionItemKind.Function,
  import: CompletionItemKind.File,
  plan: CompletionItemKind.File,
  workflow: CompletionItemKind.Module,
};

/** The places of a line to fill, as the protocol writes them. */
function snippetOf(text: string): string {
  let count = 0;
  return text
    .replace(/[\\$}]/g, '\\$&')
    .replace(/<([^>]+)>/g, (_, word: string) => ['$', '{', ++count, ':', word, '}'].join(''));
}

function beforeGap(text: string): string {
  const gap = text.indexOf('<');
  return gap < 0 ? text : text.slice(0, gap);
}

export function completionItem(one: Completion, source: SourceFile, hasSnippets: boolean): CompletionItem {
  const text = one.insert ?? one.label;
  const isSnippet = one.snippet === true && hasSnippets;
  return {
    label: one.label,
    kind: COMPLETION_KINDS[one.kind] ?? CompletionItemKind.Text,
    sortText: `${one.rank}${one.label}`,
    ...(one.detail === undefined ? {} : { detail: one.detail }),
    ...(isSnippet ? { insertTextFormat: InsertTextFormat.Snippet } : {}),
    textEdit: {
      range: rangeOf(source, one.replace),
      newText: one.snippet !== true ? text : isSnippet ? snippetOf(text) : beforeGap(text),
    },
  };
}

export function quickFixes(uri: string, version: number | null, diagnostics: readonly SentDiagnostic[]): CodeAction[] {
  return diagnostics.flatMap((diagnostic) => {
    const { fixes = [] } = (diagnostic.data ?? {}) as {
      fixes?: { title: string; preferred: boolean; edits: TextEdit[] }[];
    };
    return fixes.map(
      (fix): CodeAction => ({
        title: fix.title,
        kind: CodeActionKind.QuickFix,
        diagnostics: [diagnostic],
        ...(fix.preferred ? { isPreferred: true } : {}),
        edit: { documentChanges: [{ textDocument: { uri, version }, edits: fix.edits }] },
      }),
    );
  });
}
