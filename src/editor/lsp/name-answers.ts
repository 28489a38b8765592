/** The requests about one name: what it means, where it occurs, what can be written there. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Location, Range, TextEdit } from 'vscode-languageserver-protocol';
import { shippedFolder } from '../../app/project/find-workflow.js';
import { type Edit, type Span, sourceFile } from '../../language/source/diagnostic.js';
import { completionsAt, isInBraces, type KnownNames, matchingSymbols } from '../ide/completion.js';
import { valueSourcesAt } from '../ide/described-values.js';
import { hoverAt } from '../ide/hover.js';
import {
  definitionsAt,
  highlightsAt,
  implementationsAt,
  type OpenProgram,
  occurrencesAt,
  referencesAt,
  symbolAt,
} from '../ide/open-program.js';
import { type RenameRefusal, renamableAt, renameAt } from '../ide/rename.js';
import { type SchemaNode, schemaCompletions, schemaHover } from '../ide/schema-positions.js';
import { signatureAt } from '../ide/signatures.js';
import { type AskedDocument, Asking, type PositionParams, type WorkspaceProgram } from './asking.js';
import type { DescribedNames } from './described-names.js';
import { type OpenDocument, textOf } from './documents.js';
import { completionItem, offsetOf, rangeOf, SYMBOL_KINDS, textEdits } from './protocol.js';

/** The schemas that come with statedsl, by the kind of document. */
const SCHEMAS: Readonly<Partial<Record<OpenDocument['kind'], string>>> = {
  configuration: 'config',
  workflow: 'workflow',
  plan: 'plan',
  tools: 'tools',
};

const schemas = new Map<string, SchemaNode | null>();

function schemaOf(kind: OpenDocument['kind']): SchemaNode | null {
  const name = SCHEMAS[kind];
  if (name === undefined) return null;
  let schema = schemas.get(name);
  if (schema === undefined) {
    const folder = shippedFolder('grammar');
    schema = folder === null ? null : JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8'));
    schemas.set(name, schema as SchemaNode | null);
  }
  return schema ?? null;
}

/** How many symbols of the workspace are listed. */
const MOST_SYMBOLS = 200;

export class NameAnswers extends Asking {
  async hover(params: PositionParams) {
    return (await this.hoverName(params)) ?? this.hoverKey(params);
  }

  /** A key of a file that a schema describes. */
  private hoverKey(params: PositionParams) {
    const described = this.describedDocument(params);
    if (described === null) return null;
    const { source, offset, schema } = described;
    const found = schemaHover(source, offset, schema);
    return found === null ? null : this.hoverText(found.text, rangeOf(source, found.span));
  }

  private hoverText(text: string, range: Range) {
    const kind = this.client.hasMarkdown ? ('markdown' as const) : ('plaintext' as const);
    return { contents: { kind, value: kind === 'markdown' ? text.replaceAll('\n', '  \n') : text }, range };
  }

  private describedDocument({ textDocument: { uri }, position }: PositionParams) {
    const document = this.documents.get(uri);
    const schema = document === undefined ? null : schemaOf(document.kind);
    if (document === undefined || schema === null) return null;
    const source = sourceFile(document.path ?? document.name, textOf(document));
    return { document, schema, source, offset: offsetOf(source, position) };
  }

  private hoverName(params: PositionParams) {
    return this.at(params, async ({ document, program, source }, offset) => {
      const described = await this.documents.describedOf(document);
      const found = hoverAt(program, offset, {
        agent: (name) => described.agent(name),
        tool: (name) => described.tool(name),
        last: this.documents.lastRunOf(document),
      });
      return found === null ? null : this.hoverText(found.text, rangeOf(source, found.span));
    });
  }

  definition(params: PositionParams) {
    return this.at(params, async (asked, offset) => {
      const { document, program } = asked;
      const elsewhere = this.describedAt(program, offset, await this.documents.describedOf(document));
      return elsewhere.length > 0 ? elsewhere : this.locations(asked, definitionsAt(program, offset));
    });
  }

  /** Tools, agents and gates are described in other files. */
  private describedAt({ index }: OpenProgram, offset: number, described: DescribedNames): Location[] {
    const symbols = [...new Set(occurrencesAt(index, offset).flatMap((one) => one.symbols))];
    return symbols.flatMap((id): Location[] => {
      const { kind, name } = symbolAt(index, id);
      const location =
        kind === 'tool'
          ? described.tools.get(name)?.location
          : kind === 'agent' || kind === 'gate'
            ? described.configuredAt(kind === 'agent' ? 'agents' : 'gates', name.slice(name.lastIndexOf('.') + 1))
            : null;
      return location == null ? [] : [location];
    });
  }

  /** The schemas of the value of a name. */
  typeDefinition(params: PositionParams) {
    return this.at(params, async ({ document, program }, offset) => {
      const sources = valueSourcesAt(program, offset);
      if (sources.length === 0) return null;
      const described = await this.documents.describedOf(document);
      const found = sources.flatMap((one): Location[] => {
        const at =
          one.kind === 'tool' ? described.tools.get(one.name)?.schemaAt : described.schemaFile(one.path)?.location;
        return at == null ? [] : [at];
      });
      return found.length === 0 ? null : found;
    });
  }

  implementation(params: PositionParams) {
    return this.at(params, (asked, offset) => this.locations(asked, implementationsAt(asked.program, offset)));
  }

  references(params: PositionParams & { readonly context?: { readonly includeDeclaration?: boolean } }) {
    return this.at(params, async (asked, offset) => {
      const { includeDeclaration = true } = params.context ?? {};
      const own = referencesAt(asked.program, offset, { includeDeclaration }).map(({ span }) => span);
      const elsewhere = await this.usesElsewhere(asked, offset);
      const all = [...this.locations(asked, own), ...elsewhere];
      const seen = new Set<string>();
      return all.filter((one) => !seen.has(JSON.stringify(one)) && seen.add(JSON.stringify(one)) !== undefined);
    });
  }

  /** Patterns are used in the files that import them. */
  private async usesElsewhere(asked: AskedDocument, offset: number): Promise<Location[]> {
    const found: Location[] = [];
    for (const { program, uri, spans } of await this.sameElsewhere(asked, offset))
      for (const span of spans) {
        const source = program.compilation.sources[span.file];
        if (source !== undefined) found.push({ uri, range: rangeOf(source, span) });
      }
    return found;
  }

  /** The other programs that know the pattern or parameter at an offset, and where their own files name it. */
  private async sameElsewhere(
    asked: AskedDocument,
    offset: number,
  ): Promise<(WorkspaceProgram & { readonly spans: readonly Span[] })[]> {
    const { program, document } = asked;
    const [id] = occurrencesAt(program.index, offset).flatMap(({ symbols }) => symbols);
    if (id === undefined) return [];
    const { kind, name, owner, declarations } = symbolAt(program.index, id);
    const [declared] = declarations;
    if ((kind !== 'pattern' && kind !== 'parameter') || declared === undefined) return [];
    const uri = this.documents.uriOf(document, program.compilation.sources, declared.file);
    const found: (WorkspaceProgram & { readonly spans: readonly Span[] })[] = [];
    for (const one of await this.programs()) {
      if (one.uri === document.uri) continue;
      const { symbols, occurrences } = one.program.index;
      const same = symbols.findIndex(
        (other) =>
          other.kind === kind &&
          other.name === name &&
          other.owner === owner &&
          other.declarations.some(({ file, start }) => start === declared.start && one.uriOf(file) === uri),
      );
      if (same < 0) continue;
      const own = occurrences.filter(({ span, symbols: ids }) => span.file === 0 && ids.includes(same));
      found.push({ ...one, spans: own.map(({ span }) => span) });
    }
    return found;
  }

  highlight(params: PositionParams) {
    return this.at(params, ({ program, source }, offset) =>
      highlightsAt(program, offset).map(({ span, kind }) => ({
        range: rangeOf(source, span),
        kind: kind === 'write' ? 3 : 2,
      })),
    );
  }

  prepareRename(params: PositionParams) {
    return this.at(params, ({ program, source }, offset): { range: Range; placeholder: string } | RenameRefusal => {
      const found = renamableAt(program, offset);
      return 'refused' in found ? found : { range: rangeOf(source, found.span), placeholder: found.name };
    });
  }

  rename(params: PositionParams & { readonly newName: string }) {
    return this.at(params, async (asked, offset) => {
      const { document, program } = asked;
      const changes = new Map<string, Map<string, TextEdit>>();
      const own = await this.renameIn(document, program, offset, params.newName);
      if ('refused' in own) return own;
      this.addEdits(changes, document, program, own.edits);
      for (const { document: other, program: known, spans } of await this.sameElsewhere(asked, offset)) {
        const [first] = spans;
        if (first === undefined) continue;
        const result = await this.renameIn(other, known, first.start, params.newName);
        if ('refused' in result) return { refused: `${result.refused} (in ${other.name})` };
        this.addEdits(changes, other, known, result.edits);
      }
      const all = [...changes].map(([uri, edits]) => [uri, [...edits.values()]] as const);
      if (!this.client.hasVersions) return { changes: Object.fromEntries(all) };
      return {
        documentChanges: all.map(([uri, edits]) => ({
          textDocument: { uri, version: this.documents.get(uri)?.text.version ?? null },
          edits,
        })),
      };
    });
  }

  /** The edits of one program and of the files that it imports. */
  private async renameIn(document: OpenDocument, program: OpenProgram, offset: number, newName: string) {
    // The texts are compiled twice at most: what to compile is known before the answer is.
    let wanted: ReadonlyMap<number, string> | null = null;
    const attempt = renameAt(program, offset, newName, (texts) => {
      wanted = texts;
      return program.compilation;
    });
    if (wanted === null) return attempt;
    const { sources } = program.compilation;
    const texts: ReadonlyMap<number, string> = wanted;
    const others = new Map(
      [...texts].flatMap(([file, text]) => (file === 0 ? [] : [[sources[file]?.name ?? '', text] as const])),
    );
    const after = await this.documents.compileAs(document, texts.get(0) ?? program.source.text, others);
    return renameAt(program, offset, newName, () => after);
  }

  /** Programs that import the same file all have the edits of that file. */
  private addEdits(
    changes: Map<string, Map<string, TextEdit>>,
    document: OpenDocument,
    { compilation: { sources } }: OpenProgram,
    edits: readonly Edit[],
  ): void {
    for (const file of new Set(edits.map(({ span }) => span.file))) {
      const uri = this.documents.uriOf(document, sources, file);
      if (uri === null) continue;
      const own = changes.get(uri) ?? new Map<string, TextEdit>();
      changes.set(uri, own);
      const ofFile = edits.filter(({ span }) => span.file === file);
      for (const edit of textEdits(ofFile, sources)) own.set(JSON.stringify(edit.range), edit);
    }
  }

  async completion(params: PositionParams) {
    const described = this.describedDocument(params);
    if (described === null) return this.completeName(params);
    const { document, source, offset, schema } = described;
    // Inside braces a workflow file has names of the program.
    if (document.kind === 'workflow' && isInBraces(source, offset)) return this.completeName(params);
    const { agents = [], gates = [], workflows = [] } = await this.knownNames(document);
    const names: Readonly<Record<string, readonly string[]>> = { agent: agents, gate: gates, workflow: workflows };
    const found = schemaCompletions(
      source,
      offset,
      schema,
      (key) => (Object.hasOwn(names, key) ? names[key] : []) ?? [],
    );
    return { isIncomplete: false, items: found.map((one) => completionItem(one, source, this.client.hasSnippets)) };
  }

  private completeName(params: PositionParams) {
    return this.at(params, async ({ document, program, source }, offset) => {
      const known = await this.knownNames(document);
      const items = completionsAt(program, offset, known).map((one) =>
        completionItem(one, source, this.client.hasSnippets),
      );
      return { isIncomplete: false, items };
    });
  }

  private async knownNames(document: OpenDocument): Promise<KnownNames> {
    const { configuration } = await this.documents.settingsOf(document);
    const described = await this.documents.describedOf(document);
    const own = document.path;
    const last = this.documents.knownLastRunOf(document);
    const folder = own === null ? this.documents.folder : dirname(own);
    const here = this.list(folder);
    const shipped = shippedFolder('patterns');
    return {
      agents: Object.keys(configuration.agents),
      gates: [
        'compile',
        'test',
        'lint',
        'tests_found',
        'coverage',
        'schema',
        'touched',
        'untouched',
        'bash',
        'expr',
        'validate',
        ...Object.keys(configuration.gates ?? {}),
      ],
      workflows: this.list(join(this.documents.folder, 'workflows'))
        .filter((name) => /\.ya?ml$/.test(name))
        .map((name) => name.replace(/\.ya?ml$/, '')),
      imports: [
        ...(shipped === null ? [] : this.list(shipped).map((name) => `std/${name.replace(/\.dsl$/, '')}`)),
        ...here
          .filter((name) => /\.(?:dsl|statedsl)$/.test(name) && join(folder, name) !== own)
          .map((name) => `./${name}`),
      ],
      plans: here.filter((name) => name.endsWith('.json')),
      tools: [...described.tools.keys()],
      schemaOf: (tool) => described.tools.get(tool)?.schema ?? null,
      lastValues: (name) => last?.values(name, null) ?? [],
    };
  }

  private readonly listed = new Map<string, readonly string[]>();

  override forgetFiles(): void {
    super.forgetFiles();
    this.listed.clear();
  }

  private list(folder: string): readonly string[] {
    let names = this.listed.get(folder);
    if (names === undefined) {
      names = this.documents.host.files.list(folder);
      this.listed.set(folder, names);
    }
    return names;
  }

  signatureHelp(params: PositionParams) {
    return this.at(params, async ({ document, program }, offset) => {
      const found = signatureAt(program, offset, await this.knownNames(document));
      if (found === null) return null;
      const { label, parameters, active, text } = found;
      return {
        signatures: [{ label, documentation: text, parameters: parameters.map((one) => ({ label: one })) }],
        activeSignature: 0,
        activeParameter: Math.min(active, Math.max(0, parameters.length - 1)),
      };
    });
  }

  async workspaceSymbols({ query }: { readonly query: string }) {
    const found: object[] = [];
    for (const { program, uri } of await this.programs())
      for (const symbol of matchingSymbols(program, query)) {
        const [span] = symbol.declarations;
        if (span === undefined || found.length >= MOST_SYMBOLS) break;
        found.push({
          name: symbol.name,
          kind: SYMBOL_KINDS[symbol.kind] ?? 13,
          location: { uri, range: rangeOf(program.source, span) },
          ...(symbol.owner === '' ? {} : { containerName: symbol.owner }),
        });
      }
    return found;
  }
}
