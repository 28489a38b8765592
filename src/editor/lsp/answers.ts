/** The requests of the protocol about whole documents, files and calls. Those about one name are in `name-answers.ts`. */
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type CallHierarchyItem,
  type CodeAction,
  type DocumentSymbol,
  FoldingRangeKind,
  InlayHintKind,
  type Position,
  type Range,
  type SelectionRange,
  type Diagnostic as SentDiagnostic,
  type TextEdit,
} from 'vscode-languageserver-protocol';
import { formatText } from '../../app/library/compile-text.js';
import { pathOf } from '../../app/project/project-host.js';
import { hasErrors, type SourceFile, type Span, sourceFile } from '../../language/source/diagnostic.js';
import { applyEdits } from '../../language/source/fix-text.js';
import { isProvedBy, type ProposedAction, proposedActions } from '../ide/actions.js';
import {
  type CallItem,
  type CallWay,
  callItemAt,
  incomingCalls,
  linksOf,
  locatedGraph,
  outgoingCalls,
} from '../ide/calls.js';
import { allFixes, lineEdits } from '../ide/edits.js';
import { TOKEN_MODIFIERS, TOKEN_TYPES, tokensOf } from '../ide/name-tokens.js';
import { definitionsAt, type OpenProgram, symbolAt } from '../ide/open-program.js';
import { foldsOf, type OutlineNode, outlineOf, selectionsAt } from '../ide/outline.js';
import { hintsOf, lensesOf } from '../ide/remarks.js';
import type { AskedDocument, PositionParams, TextParams } from './asking.js';
import { filePath, type OpenDocument, textOf } from './documents.js';
import { NameAnswers } from './name-answers.js';
import { offsetOf, quickFixes, rangeOf, SYMBOL_KINDS, textEdits } from './protocol.js';

export class Answers extends NameAnswers {
  async documentSymbols(params: TextParams) {
    const asked = await this.ask(params);
    if (asked === null) return null;
    const { source, document } = asked;
    const outline = outlineOf(asked.program);
    if (this.client.hasOutline) return outline.map((one) => documentSymbol(one, source));
    const flat = (one: OutlineNode, containerName?: string): object[] => [
      {
        name: one.name,
        kind: SYMBOL_KINDS[one.kind],
        location: { uri: document.uri, range: rangeOf(source, one.range) },
        ...(containerName === undefined ? {} : { containerName }),
      },
      ...one.children.flatMap((inner) => flat(inner, one.name)),
    ];
    return outline.flatMap((one) => flat(one));
  }

  async tokens(params: TextParams & { readonly range?: Range | null }) {
    const asked = await this.ask(params);
    if (asked === null) return null;
    const { program, source } = asked;
    const [from, to] =
      params.range == null ? [] : [offsetOf(source, params.range.start), offsetOf(source, params.range.end)];
    const data: number[] = [];
    let before = { line: 0, character: 0 };
    for (const { span, type, modifiers } of tokensOf(program, from, to)) {
      const { start, end } = rangeOf(source, span);
      if (start.line !== end.line) continue;
      const bits = modifiers.reduce((sum, one) => sum | (1 << TOKEN_MODIFIERS.indexOf(one)), 0);
      const lines = start.line - before.line;
      const letters = lines === 0 ? start.character - before.character : start.character;
      data.push(lines, letters, end.character - start.character, TOKEN_TYPES.indexOf(type), bits);
      before = start;
    }
    const resultId = String(asked.document.text.version);
    if (params.range == null) this.tokensSent.set(params.textDocument.uri, { resultId, data });
    return { resultId, data };
  }

  /** What was sent last, by document. */
  private readonly tokensSent = new Map<string, { readonly resultId: string; readonly data: readonly number[] }>();

  /** The one part that differs from what the client has; everything, if it has something else. */
  async tokenChanges(params: TextParams & { readonly previousResultId: string }) {
    const before = this.tokensSent.get(params.textDocument.uri);
    const now = await this.tokens({ textDocument: params.textDocument });
    if (now === null || before === undefined || before.resultId !== params.previousResultId) return now;
    const [old, data] = [before.data, now.data];
    const most = Math.min(old.length, data.length);
    let start = 0;
    while (start < most && old[start] === data[start]) start++;
    let same = 0;
    while (same < most - start && old[old.length - 1 - same] === data[data.length - 1 - same]) same++;
    const deleteCount = old.length - same - start;
    const changed = data.slice(start, data.length - same);
    const edits = deleteCount === 0 && changed.length === 0 ? [] : [{ start, deleteCount, data: changed }];
    return { resultId: now.resultId, edits };
  }

  /** A document was closed. */
  forgetTokens(uri: string): void {
    this.tokensSent.delete(uri);
  }

  async folding(params: TextParams) {
    const asked = await this.ask(params);
    const kinds = {
      comment: FoldingRangeKind.Comment,
      imports: FoldingRangeKind.Imports,
      region: FoldingRangeKind.Region,
    };
    return asked === null
      ? null
      : foldsOf(asked.program).map(({ start, end, kind }) => ({
          startLine: start - 1,
          endLine: end - 1,
          ...(kind === undefined ? {} : { kind: kinds[kind] }),
        }));
  }

  async selections(params: TextParams & { readonly positions: readonly Position[] }) {
    const asked = await this.ask(params);
    if (asked === null) return null;
    return params.positions.map((position): SelectionRange => {
      const spans = selectionsAt(asked.program, offsetOf(asked.source, position));
      return spans.reduceRight<SelectionRange | null>(
        (parent, span) => ({ range: rangeOf(asked.source, span), ...(parent === null ? {} : { parent }) }),
        null,
      ) as SelectionRange;
    });
  }

  async hints(params: TextParams & { readonly range: Range }) {
    const asked = await this.ask(params);
    if (asked === null) return null;
    const { program, source, document } = asked;
    const choice = this.documents.settings.inlayHints;
    const last = choice.lastRun ? this.documents.lastRunOf(document) : null;
    const [from, to] = [offsetOf(source, params.range.start), offsetOf(source, params.range.end)];
    return hintsOf(program, { from, to, choice, last }).map(({ offset, text }) => ({
      position: rangeOf(source, { start: offset, end: offset }).start,
      label: text.trim(),
      kind: InlayHintKind.Type,
      paddingLeft: true,
    }));
  }

  async lenses(params: TextParams) {
    const asked = await this.ask(params);
    if (asked === null) return null;
    const { source, document } = asked;
    const { codeLens } = this.documents.settings;
    // Where nothing is executed, nothing offers to.
    const choice = this.documents.options.isTrusted
      ? codeLens
      : { ...codeLens, run: false, debug: false, runFromHere: false };
    const last = choice.stepOutcome ? this.documents.lastRunOf(document) : null;
    return lensesOf(asked.program, { choice, last }).map(({ span, title, command, machine, state }) => ({
      range: rangeOf(source, span),
      command: {
        title,
        command,
        arguments: [
          {
            uri: document.uri,
            ...(machine === undefined ? {} : { machine }),
            ...(state === undefined ? {} : { state }),
          },
        ],
      },
    }));
  }

  async actions(
    params: TextParams & {
      readonly range: Range;
      readonly context: {
        readonly diagnostics: readonly SentDiagnostic[];
        readonly only?: readonly string[];
        readonly triggerKind?: number;
      };
    },
  ): Promise<CodeAction[] | null> {
    const document = this.documents.get(params.textDocument.uri);
    if (document === undefined) return null;
    const { diagnostics, only } = params.context;
    const isAsked = (kind: string): boolean =>
      only === undefined || only.some((one) => kind === one || kind.startsWith(`${one}.`));
    const actions = isAsked('quickfix')
      ? [
          ...quickFixes(document.uri, document.text.version, diagnostics),
          ...(await this.newAgents(document, params.range)),
        ]
      : [];
    actions.push(...(await this.proposals(document, params.range, isAsked, params.context.triggerKind === 2)));
    if (!isAsked('source.fixAll.statedsl')) return actions;
    const { diagnostics: all, sources } = await this.documents.current(document);
    const edits = textEdits(allFixes(all), sources);
    if (edits.length === 0) return actions;
    const textDocument = { uri: document.uri, version: document.text.version };
    return [
      ...actions,
      {
        title: 'Correct all errors that can have meant only one thing',
        kind: 'source.fixAll.statedsl',
        edit: { documentChanges: [{ textDocument, edits }] },
      },
    ];
  }

  /** Changes besides fixes. Where the client asks for edits later, they are made and proved then. */
  private async proposals(
    document: OpenDocument,
    range: Range,
    isAsked: (kind: string) => boolean,
    isAutomatic: boolean,
  ): Promise<CodeAction[]> {
    const { program } = await this.documents.current(document);
    if (program === null || document.kind !== 'program') return [];
    const { version } = document.text;
    const [start, end] = [offsetOf(program.source, range.start), offsetOf(program.source, range.end)];
    const found: CodeAction[] = [];
    for (const one of proposedActions(program, { start, end })) {
      if (!isAsked(one.kind)) continue;
      const { title, kind } = one;
      if (this.client.resolvesActions) {
        found.push({ title, kind, data: { uri: document.uri, version, range, title } });
        continue;
      }
      // Each costs a compilation: too much for a look at every move of the cursor.
      if (isAutomatic && kind !== 'quickfix') continue;
      const edit = await this.provedEdit(document, program, one);
      if (edit !== null) found.push({ title, kind, edit });
    }
    return found;
  }

  /** Agents that programs name and the configuration does not describe. */
  private async newAgents(document: OpenDocument, range: Range): Promise<CodeAction[]> {
    const { diagnostics, sources } = await this.documents.current(document);
    const [source] = sources;
    if (source === undefined) return [];
    const [start, end] = [offsetOf(source, range.start), offsetOf(source, range.end)];
    const unknown = diagnostics.filter(
      ({ code, span }) => code === 'unknown-agent' && span.file === 0 && span.start <= end && span.end >= start,
    );
    const described = unknown.length === 0 ? null : await this.documents.describedOf(document);
    return unknown.flatMap(({ span }): CodeAction[] => {
      const name = source.text.slice(span.start, span.end).trim();
      const added = /^[A-Za-z][\w-]*$/.test(name) ? (described?.newAgent(name) ?? null) : null;
      if (added === null || (added.isNewFile && !this.client.createsFiles)) return [];
      const { uri, text, offset } = added;
      const edits = [{ range: rangeOf(added.source, { start: offset, end: offset }), newText: text }];
      const changed = { textDocument: { uri, version: null }, edits };
      const documentChanges = added.isNewFile ? [{ kind: 'create' as const, uri }, changed] : [changed];
      return [
        { title: `Describe the agent ${name} in the configuration`, kind: 'quickfix', edit: { documentChanges } },
      ];
    });
  }

  private async provedEdit(document: OpenDocument, program: OpenProgram, action: ProposedAction) {
    const { edits, mends } = action;
    const after = await this.documents.compileAs(document, applyEdits(program.source.text, edits));
    if (!isProvedBy(program.compilation, after, mends)) return null;
    const textDocument = { uri: document.uri, version: document.text.version };
    return { documentChanges: [{ textDocument, edits: textEdits(edits, program.compilation.sources) }] };
  }

  async resolveAction(action: CodeAction) {
    const { uri, version, range, title } = (action.data ?? {}) as {
      uri?: string;
      version?: number;
      range?: Range;
      title?: string;
    };
    const document = uri === undefined ? undefined : this.documents.get(uri);
    if (document === undefined || range === undefined) return action;
    if (document.text.version !== version) return { refused: 'the text has changed since' };
    const { program } = await this.documents.current(document);
    if (program === null) return action;
    const [start, end] = [offsetOf(program.source, range.start), offsetOf(program.source, range.end)];
    const proposed = proposedActions(program, { start, end }).find((one) => one.title === title);
    const edit = proposed === undefined ? null : await this.provedEdit(document, program, proposed);
    return edit === null ? { refused: 'this change would make an error in the program' } : { ...action, edit };
  }

  async formatting(params: TextParams & { readonly range?: Range }): Promise<TextEdit[] | null> {
    const document = this.documents.get(params.textDocument.uri);
    if (document === undefined || !['program', 'markdown', 'tests'].includes(document.kind)) return null;
    const text = textOf(document);
    const { text: after } = await formatText(text, document.name, document.analysis?.program?.compilation ?? null);
    if (after === null) return null;
    const source = sourceFile(document.name, text);
    const edits = textEdits(lineEdits(text, after), [source]);
    const { range } = params;
    return range === undefined
      ? edits
      : edits.filter(({ range: { start, end } }) => end.line >= range.start.line && start.line <= range.end.line);
  }

  async links(params: TextParams) {
    const asked = await this.ask(params);
    if (asked === null) return null;
    return linksOf(asked.program).map(({ span, kind, path }) => ({
      range: rangeOf(asked.source, span),
      data: { uri: asked.document.uri, kind, path },
    }));
  }

  async resolveLink(link: { readonly data?: { readonly uri: string; readonly kind: string; readonly path: string } }) {
    const { data } = link;
    const document = data === undefined ? undefined : this.documents.get(data.uri);
    if (data === undefined || document === undefined) return link;
    const program = (await this.documents.current(document)).program;
    const { host } = this.documents;
    const folder = document.path === null ? host.folder : dirname(document.path);
    const [span] = program === null ? [] : definitionsAt(program, offsetAt(program, data.path));
    const known =
      program === null || span === undefined
        ? null
        : this.documents.uriOf(document, program.compilation.sources, span.file);
    const target = known ?? (await this.linkTarget(document, data, folder));
    return target === undefined ? link : { ...link, target };
  }

  private async linkTarget(
    document: OpenDocument,
    { kind, path }: { readonly kind: string; readonly path: string },
    folder: string,
  ): Promise<string | undefined> {
    if (kind === 'plan') return pathToFileURL(join(folder, path)).href;
    const described = await this.documents.describedOf(document);
    const at = kind === 'tool' ? described.tools.get(path)?.location : undefined;
    // A line is all that the address of a file can say.
    if (at !== undefined) return `${at.uri}#L${at.range.start.line + 1}`;
    return kind === 'file' ? pathToFileURL(join(this.documents.folder, path)).href : undefined;
  }

  prepareCalls(params: PositionParams) {
    return this.at(params, (asked, offset) =>
      callItemAt(asked.program, offset).flatMap((one) => this.callItem(asked, one) ?? []),
    );
  }

  private callItem({ document, program }: AskedDocument, item: CallItem): CallHierarchyItem | null {
    const { sources } = program.compilation;
    const uri = this.documents.uriOf(document, sources, item.selection.file);
    const source = sources[item.selection.file];
    if (uri === null || source === undefined) return null;
    return {
      name: item.name,
      kind: SYMBOL_KINDS[item.kind] as CallHierarchyItem['kind'],
      uri,
      range: rangeOf(source, item.range),
      selectionRange: rangeOf(source, item.selection),
      data: { uri: document.uri, item },
    };
  }

  private async calls(item: CallHierarchyItem, find: (program: OpenProgram, item: CallItem) => CallWay[]) {
    const { uri = item.uri } = (item.data ?? {}) as { uri?: string };
    const asked = await this.ask({ textDocument: { uri } });
    if (asked === null) return null;
    // The text may have changed since the item was made.
    const [own] = callItemAt(asked.program, offsetOf(asked.source, item.selectionRange.start));
    const kept = ((item.data ?? {}) as { item?: CallItem }).item;
    const named = own?.name === item.name ? own : kept;
    if (named === undefined) return [];
    return find(asked.program, named).flatMap(({ item: other, ranges }) => {
      const shown = this.callItem(asked, other);
      return shown === null ? [] : [{ shown, ranges: ranges.map((range) => rangeOf(asked.source, range)) }];
    });
  }

  async incoming({ item }: { readonly item: CallHierarchyItem }) {
    const found = await this.calls(item, (program, { symbol }) => incomingCalls(program, symbol));
    return found?.map(({ shown, ranges }) => ({ from: shown, fromRanges: ranges })) ?? null;
  }

  async outgoing({ item }: { readonly item: CallHierarchyItem }) {
    const found = await this.calls(item, outgoingCalls);
    return found?.map(({ shown, ranges }) => ({ to: shown, fromRanges: ranges })) ?? null;
  }

  /** Open programs that name a file which gets another name. */
  async willRenameFiles({
    files,
  }: {
    readonly files: readonly { readonly oldUri: string; readonly newUri: string }[];
  }) {
    const changes: Record<string, TextEdit[]> = {};
    for (const { oldUri, newUri } of files) {
      const [from, to] = [filePath(oldUri), filePath(newUri)];
      if (from === null || to === null) continue;
      for (const { program, uri } of await this.programs()) {
        const own = filePath(uri);
        if (own === null) continue;
        for (const { span, kind, path } of linksOf(program)) {
          if (
            kind === 'workflow' ||
            kind === 'tool' ||
            kind === 'file' ||
            pathOf({ ...this.documents.host, folder: dirname(own) }, path) !== from
          )
            continue;
          const name = relative(dirname(own), to);
          const edit = {
            range: rangeOf(program.source, span),
            newText: path.startsWith('.') && !name.startsWith('.') ? `./${name}` : name,
          };
          changes[uri] = [...(changes[uri] ?? []), edit];
        }
      }
    }
    return Object.keys(changes).length === 0 ? null : { changes };
  }

  async graph(params: TextParams & { readonly machine?: string }) {
    const asked = await this.ask(params);
    const graph = asked === null ? null : locatedGraph(asked.program, params.machine);
    if (asked === null || graph === null) return null;
    const withRange = <Item extends { readonly range: Span }>(one: Item) => ({
      ...one,
      range: rangeOf(asked.source, one.range),
    });
    return { nodes: graph.nodes.map(withRange), edges: graph.edges.map(withRange) };
  }

  /** What may become of a plan, as `statedsl plan simulate` says it. */
  private async simulatePlanOf(document: OpenDocument) {
    if (document.kind !== 'plan') return { refused: 'the document is not a plan' };
    const loaded = await this.documents.loadedPlan(document);
    if (loaded.kind === 'missing' || loaded.plan === null || hasErrors(loaded.diagnostics))
      return { refused: 'the document has errors' };
    const { simulatePlan } = await import('../../interpreter/plan/simulate-plan.js');
    const { planCasesText } = await import('../../views/graph/plan-cases.js');
    return { text: planCasesText(loaded.plan, simulatePlan(loaded.plan)) };
  }

  async execute({
    command,
    arguments: args = [],
  }: {
    readonly command: string;
    readonly arguments?: readonly unknown[];
  }) {
    const [first, ...more] = args as { uri?: unknown }[];
    const unknown = Object.keys(first ?? {}).filter((key) => key !== 'uri');
    if (typeof first?.uri !== 'string' || more.length > 0 || unknown.length > 0)
      return { refused: `\`${command}\` takes one argument: {uri}` };
    const document = this.documents.get(first.uri);
    if (document === undefined) return { refused: 'the document is not open' };
    if (command === 'statedsl.plan.simulate') return this.simulatePlanOf(document);
    const { program } = await this.documents.current(document);
    if (command === 'statedsl.explain')
      return {
        text: (program?.compilation.explanations ?? [])
          .map(({ span, text }) => `${lineOf(program as OpenProgram, span)}: ${text}\n`)
          .join(''),
      };
    if (command !== 'statedsl.convert') return { refused: `there is no command \`${command}\`` };
    if (program === null || hasErrors(program.compilation.diagnostics)) return { refused: 'the document has errors' };
    if (document.kind === 'workflow') {
      const { printProgram } = await import('../../language/format/print-program.js');
      const text = printProgram(program.tree, program.source);
      return text === null ? { refused: 'it has no form as a program' } : { text };
    }
    const { printWorkflow } = await import('../../language/frontends/workflow/print/print-workflow.js');
    const { text, diagnostics } = printWorkflow(program.tree, program.source);
    return text === null ? { refused: diagnostics[0]?.message ?? 'it has no form as a workflow file' } : { text };
  }
}

function lineOf({ source }: OpenProgram, { start }: Span): number {
  return rangeOf(source, { start, end: start }).start.line + 1;
}

function offsetAt({ index }: OpenProgram, path: string): number {
  return (
    index.occurrences.find(
      ({ span, symbols }) => span.file === 0 && symbolAt(index, symbols[0] as number).name === path,
    )?.span.start ?? 0
  );
}

function documentSymbol(one: OutlineNode, source: SourceFile): DocumentSymbol {
  return {
    name: one.name === '' ? '?' : one.name,
    kind: SYMBOL_KINDS[one.kind] as DocumentSymbol['kind'],
    ...(one.detail === '' ? {} : { detail: one.detail }),
    range: rangeOf(source, one.range),
    selectionRange: rangeOf(source, one.selection),
    children: one.children.map((inner) => documentSymbol(inner, source)),
  };
}
