/** What the server says that it can do. */
import { CodeActionKind, type ServerCapabilities, TextDocumentSyncKind } from 'vscode-languageserver-protocol';
import { TOKEN_MODIFIERS, TOKEN_TYPES } from '../ide/name-tokens.js';

/** `pulls`: whether the client asks for diagnostics. */
export function capabilitiesFor(pulls: boolean): ServerCapabilities {
  return {
    positionEncoding: 'utf-16',
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: { includeText: false } },
    ...(pulls
      ? { diagnosticProvider: { identifier: 'statedsl', interFileDependencies: true, workspaceDiagnostics: true } }
      : {}),
    hoverProvider: true,
    definitionProvider: true,
    declarationProvider: true,
    typeDefinitionProvider: true,
    implementationProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    renameProvider: { prepareProvider: true },
    completionProvider: { triggerCharacters: ['{', ':', '.', '†', '[', '"', '/'], resolveProvider: true },
    signatureHelpProvider: { triggerCharacters: ['(', ',', '='] },
    documentSymbolProvider: true,
    workspaceSymbolProvider: true,
    semanticTokensProvider: {
      legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [...TOKEN_MODIFIERS] },
      full: { delta: true },
      range: true,
    },
    foldingRangeProvider: true,
    selectionRangeProvider: true,
    inlayHintProvider: true,
    codeLensProvider: { resolveProvider: true },
    codeActionProvider: {
      codeActionKinds: [
        CodeActionKind.QuickFix,
        'source.fixAll.statedsl',
        'refactor.extract',
        'refactor.inline',
        'refactor.rewrite',
      ],
      resolveProvider: true,
    },
    documentFormattingProvider: true,
    documentRangeFormattingProvider: true,
    documentLinkProvider: { resolveProvider: true },
    callHierarchyProvider: true,
    executeCommandProvider: { commands: ['statedsl.convert', 'statedsl.explain', 'statedsl.plan.simulate'] },
    workspace: {
      workspaceFolders: { supported: true },
      fileOperations: { willRename: { filters: [{ pattern: { glob: '**/*.{dsl,statedsl,md,json}' } }] } },
    },
  };
}
