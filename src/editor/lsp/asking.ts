/** What all answers need: the newest analysis of a document, locations of the protocol, and the programs of the workspace. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Location, Position } from 'vscode-languageserver-protocol';
import { compileProgram } from '../../app/project/compile-program.js';
import { shortName } from '../../app/project/project-host.js';
import type { SourceFile, Span } from '../../language/source/diagnostic.js';
import { type OpenProgram, openProgram } from '../ide/open-program.js';
import type { Analysis, Documents, OpenDocument } from './documents.js';
import { offsetOf, rangeOf } from './protocol.js';

export interface TextParams {
  readonly textDocument: { readonly uri: string };
}

export type PositionParams = TextParams & { readonly position: Position };

interface ClientTraits {
  readonly hasSnippets: boolean;
  readonly hasOutline: boolean;
  readonly hasVersions: boolean;
  readonly hasMarkdown: boolean;
  /** Its edits may create files. */
  readonly createsFiles: boolean;
  /** It asks for the edits of an action when it is chosen. */
  readonly resolvesActions: boolean;
}

export interface AskedDocument {
  readonly document: OpenDocument;
  readonly analysis: Analysis;
  readonly program: OpenProgram;
  readonly source: SourceFile;
}

/** A program of the workspace, open or not. */
export interface WorkspaceProgram {
  readonly document: OpenDocument;
  readonly program: OpenProgram;
  readonly uri: string;
  readonly uriOf: (file: number) => string | null;
}

/** How many files of a workspace are read on request. */
const MOST_FILES = 2_000;

export class Asking {
  /** The programs of the workspace that are not open, by path; null until somebody asks. */
  private files: Map<string, OpenProgram | null> | null = null;

  constructor(
    protected readonly documents: Documents,
    protected readonly client: ClientTraits,
  ) {}

  forgetFiles(): void {
    this.files = null;
  }

  /** Null if the document is not ours, or has no names. */
  protected async ask({ textDocument: { uri } }: TextParams): Promise<AskedDocument | null> {
    const document = this.documents.get(uri);
    if (document === undefined) return null;
    const analysis = await this.documents.current(document);
    const { program } = analysis;
    return program === null ? null : { document, analysis, program, source: program.source };
  }

  protected async at<Result>(
    params: PositionParams,
    answer: (asked: AskedDocument, offset: number) => Result | Promise<Result>,
  ): Promise<Result | null> {
    const asked = await this.ask(params);
    return asked === null ? null : answer(asked, offsetOf(asked.source, params.position));
  }

  protected locations({ document, program }: AskedDocument, spans: readonly Span[]): Location[] {
    const { sources } = program.compilation;
    return spans.flatMap((span) => {
      const uri = this.documents.uriOf(document, sources, span.file);
      const source = sources[span.file];
      return uri === null || source === undefined ? [] : [{ uri, range: rangeOf(source, span) }];
    });
  }

  /** The programs of the workspace: open ones as they are now, the others from the disk. */
  protected async programs(): Promise<WorkspaceProgram[]> {
    const all: WorkspaceProgram[] = [];
    const paths = new Set<string>();
    for (const document of this.documents.all()) {
      const { program } = await this.documents.current(document);
      if (document.path !== null) paths.add(document.path);
      if (program === null) continue;
      const { sources } = program.compilation;
      const { uri } = document;
      all.push({ document, program, uri, uriOf: (file) => this.documents.uriOf(document, sources, file) });
    }
    this.files ??= new Map(findPrograms(this.documents.folder).map((path) => [path, null]));
    const { host } = this.documents;
    for (const [path, known] of this.files) {
      if (paths.has(path)) continue;
      let program = known;
      if (program === null) {
        const read = host.files.read(path, 1_000_000);
        if (read.kind === 'unreadable') continue;
        const name = shortName(host, path);
        const compilation = await compileProgram(
          host,
          { name, text: Buffer.from(read.bytes).toString('utf8') },
          { cwd: this.documents.folder, index: true },
        );
        program = openProgram(compilation);
        if (program === null) continue;
        this.files.set(path, program);
      }
      const uri = pathToFileURL(path).href;
      const document = this.documents.closedDocument(uri, path, program.source.text);
      const { sources } = program.compilation;
      all.push({ document, program, uri, uriOf: (file) => this.documents.uriOf(document, sources, file) });
    }
    return all;
  }
}

/** The programs below a folder, without what tools keep there. */
function findPrograms(folder: string): string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined && found.length < MOST_FILES; next = folders.shift()) {
    let entries: import('node:fs').Dirent[];
    try {
      entries = readdirSync(next, { withFileTypes: true });
    } catch {
      continue;
    }
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(next, entry.name);
      if (entry.isDirectory() && folders.length < MOST_FILES) folders.push(path);
      else if (
        entry.isFile() &&
        /\.(?:dsl|statedsl)$/.test(entry.name) &&
        !/\.test\.\w+$/.test(entry.name) &&
        found.length < MOST_FILES
      )
        found.push(path);
    }
  }
  return found;
}
