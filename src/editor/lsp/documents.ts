/**
 * The open documents of an editor and what is known of each: its kind, its newest text, and its analysis. Look-ups on disk are
 * remembered until a file is opened, saved or changes: typing reads nothing.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { compileUnless } from '../../app/project/compile-program.js';
import { shippedFolder } from '../../app/project/find-workflow.js';
import { checkToolsFile, loadPlan } from '../../app/project/load-plan.js';
import { isMarkdown, isPlan, isTestFile, isWorkflow, mayHaveWorktree } from '../../app/project/preparation.js';
import { diskFiles, type ProjectHost, pathOf, shortName, withOpenTexts } from '../../app/project/project-host.js';
import { agentLookup, gateLookup, loadSettings, type Settings, toolLookup } from '../../app/project/settings.js';
import { type Surroundings, surroundingsOf } from '../../app/project/surroundings.js';
import { matcher } from '../../interpreter/steps/glob.js';
import { loadSuite } from '../../lab/testing/load-suite.js';
import type { Compilation } from '../../language/check/compile.js';
import { type Diagnostic, type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { noConfiguration } from '../../runtime/configuration/load-configuration.js';
import type { LastFacts } from '../ide/last-facts.js';
import { type OpenProgram, openProgram } from '../ide/open-program.js';
import { type ClientSettings, defaultSettings } from './client-settings.js';
import { DescribedNames } from './described-names.js';
import { LastRuns } from './last-run.js';

type DocumentKind = 'program' | 'markdown' | 'workflow' | 'tests' | 'plan' | 'tools' | 'configuration' | 'other';

/** What is known of one version of a document. */
export interface Analysis {
  readonly version: number;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceSet;
  /** Null for what has no names, such as a plan. */
  readonly program: OpenProgram | null;
}

export interface OpenDocument {
  readonly uri: string;
  /** `other` until another file says what it is. */
  kind: DocumentKind;
  /** Null for a text that is no file. */
  readonly path: string | null;
  /** As `check` calls it. */
  readonly name: string;
  text: TextDocument;
  analysis: Analysis | null;
  /** The analysis under way. */
  pending: Promise<void> | null;
  /** How often something else than the text has changed. */
  renewals: number;
  /** What the disk said; null after something may have changed. */
  known: Promise<Known> | null;
}

interface Known {
  readonly settings: Settings;
  readonly surroundings: Surroundings;
  /** What other files say about the names in it. */
  readonly described: DescribedNames;
}

/** Other characters at the beginning of a line count as text of the line. */
const BYTE_ORDER_MARK = '\uFEFF';

export class Documents {
  private readonly open = new Map<string, OpenDocument>();
  readonly host: ProjectHost;
  settings: ClientSettings = defaultSettings;
  private readonly lastRuns: LastRuns;

  constructor(
    readonly folder: string,
    readonly options: { readonly isTrusted: boolean; readonly environment: ProjectHost['environment'] },
  ) {
    const files = withOpenTexts(diskFiles, (path) => this.openText(path));
    this.host = { folder, files, allowOutside: false, environment: options.environment };
    this.lastRuns = new LastRuns(folder, options.environment);
  }

  all(): OpenDocument[] {
    return [...this.open.values()];
  }

  get(uri: string): OpenDocument | undefined {
    return this.open.get(uri);
  }

  add(uri: string, language: string, version: number, text: string): OpenDocument {
    const path = filePath(uri);
    const document = this.newDocument(path, this.kindOf(path, language, text), {
      uri,
      text: TextDocument.create(uri, language, version, text),
    });
    this.open.set(uri, document);
    this.forget();
    return document;
  }

  /** A file of the workspace that no editor has open. */
  closedDocument(uri: string, path: string, text: string): OpenDocument {
    return this.newDocument(path, 'program', { uri, text: TextDocument.create(uri, 'statedsl', 0, text) });
  }

  private newDocument(
    path: string | null,
    kind: DocumentKind,
    { uri, text }: Pick<OpenDocument, 'uri' | 'text'>,
  ): OpenDocument {
    const name = path === null ? 'untitled.dsl' : shortName(this.host, path);
    return { uri, path, name, kind, text, analysis: null, pending: null, renewals: 0, known: null };
  }

  remove(uri: string): void {
    this.open.delete(uri);
    this.forget();
  }

  /** A file may have changed: what the disk said is asked again. */
  forget(): void {
    for (const document of this.open.values()) document.known = null;
  }

  /** The open documents that use a file. */
  usersOf(path: string): OpenDocument[] {
    return this.all().filter(
      ({ analysis, path: own }) =>
        own !== path &&
        analysis?.sources.some((source, at) => at > 0 && pathOf(this.host, source.name) === path) === true,
    );
  }

  private kindOf(path: string | null, language: string, text: string): DocumentKind {
    if (path === null)
      return language === 'markdown' ? 'markdown' : language === 'statedsl' || language === '' ? 'program' : 'other';
    const name = basename(path);
    if (isTestFile(name)) return 'tests';
    if (/\.(?:dsl|statedsl)$/.test(name)) return 'program';
    if (isMarkdown(name)) return 'markdown';
    if (/\.plan\.json$/.test(name) || (name === 'plan.json' && isPlan(name))) return 'plan';
    if (name === 'statedsl.config.yaml') return 'configuration';
    if (name === 'tools.yaml') return 'tools';
    if (!isWorkflow(name)) return 'other';
    const isSet = this.settings.workflowFiles.some((pattern) => matcher(pattern)(shortName(this.host, path)));
    return isSet || this.isInWorkflows(path) || /^#.*\$schema[=:]\s*\S*workflow\.schema\.json/m.test(text)
      ? 'workflow'
      : 'other';
  }

  /** Whether a folder above the file is one of workflows. */
  private isInWorkflows(path: string): boolean {
    for (let folder = dirname(path); folder.length > 1 && folder !== this.folder; folder = dirname(folder))
      if (basename(folder) === 'workflows') return true;
    return false;
  }

  /** Open documents whose kind other files decide: folders of the configuration, plans that are named. */
  listUndecided(): OpenDocument[] {
    return this.all().filter(({ kind, path }) => kind === 'other' && path !== null && /\.(?:json|ya?ml)$/.test(path));
  }

  /** What other files say that a document is. */
  private async decide(document: OpenDocument): Promise<void> {
    const { path } = document;
    if (document.kind !== 'other' || path === null) return;
    if (isWorkflow(path)) {
      const { folder, workflows } = (await this.settingsOf(document)).configuration;
      const isIn = (one: string): boolean => path.startsWith(`${resolve(folder ?? this.folder, one)}/`);
      if (workflows.some(isIn)) document.kind = 'workflow';
    } else if (isPlan(path) && (await this.isNamedPlan(path))) document.kind = 'plan';
  }

  /** Whether an open program or the tools file next to it names a plan. */
  private async isNamedPlan(path: string): Promise<boolean> {
    for (const other of this.all()) {
      const { program } = other.analysis ?? {};
      const folder = other.path === null ? this.folder : dirname(other.path);
      const isNamed = program?.index.symbols.some(
        ({ kind, name }) => kind === 'plan' && resolve(folder, name) === path,
      );
      if (isNamed === true) return true;
    }
    const described = new DescribedNames(this.host, shortName(this.host, path), null, () => true);
    return [...described.tools.values()].some(({ plan }) => plan === path);
  }

  private openText(path: string): string | undefined {
    for (const document of this.open.values()) if (document.path === path) return textOf(document);
    return undefined;
  }

  /** The analysis of the newest text. That of an older one is given up. */
  async current(document: OpenDocument): Promise<Analysis> {
    while (document.analysis?.version !== document.text.version) {
      document.pending ??= this.analyse(document).finally(() => {
        document.pending = null;
      });
      await document.pending;
    }
    return document.analysis;
  }

  /** Forgets the analysis, because something else than the text has changed. */
  renew(document: OpenDocument): void {
    document.known = null;
    document.renewals++;
    if (document.analysis !== null) document.analysis = { ...document.analysis, version: Number.NaN };
  }

  private async analyse(document: OpenDocument): Promise<void> {
    const { renewals } = document;
    const { version } = document.text;
    const isOld = (): boolean => document.text.version !== version || document.renewals !== renewals;
    await this.decide(document);
    // A program may begin with the mark: where it stays, columns of the first line are those of the client.
    const text = document.kind === 'program' ? document.text.getText() : textOf(document);
    const read = await this.read(document, text, isOld);
    if (read !== null && !isOld()) document.analysis = { version, text, ...read };
  }

  /** Null: the text has become old meanwhile. */
  private async read(
    document: OpenDocument,
    text: string,
    isOld: () => boolean,
  ): Promise<Omit<Analysis, 'version' | 'text'> | null> {
    const { name, kind } = document;
    const nothing = { diagnostics: [], sources: [sourceFile(name, text)], program: null };
    switch (kind) {
      case 'other':
        return nothing;
      case 'tests': {
        const loaded = await loadSuite(this.host, name, this.folder);
        return 'missing' in loaded ? nothing : withoutProgram(loaded);
      }
      case 'plan': {
        const loaded = await this.loadedPlan(document);
        return loaded.kind === 'missing' ? nothing : withoutProgram(loaded);
      }
      case 'tools': {
        const { settings } = await this.knownOf(document, text);
        const loaded = checkToolsFile(this.host, name, this.toolsOf(settings));
        return loaded.kind === 'missing' ? nothing : withoutProgram(loaded);
      }
      case 'configuration': {
        const { diagnostics, warnings, sources } = await loadSettings(this.host, name);
        return { diagnostics: [...diagnostics, ...warnings], sources, program: null };
      }
      default: {
        const compilation = await this.compile(document, text, new Map(), lookingUp(isOld));
        if (compilation === null) return null;
        const { program, diagnostics, sources } = compilation;
        // Markdown without a program is not checked.
        const isProse =
          kind === 'markdown' &&
          program?.items.length === 0 &&
          diagnostics.every(({ code }) => code === 'nothing-to-run');
        if (isProse) return nothing;
        const { settings } = await this.knownOf(document, text);
        return {
          diagnostics: settings.diagnostics.length > 0 ? [] : diagnostics,
          sources,
          program: openProgram(compilation),
        };
      }
    }
  }

  /** The plan of a document with its tools. */
  async loadedPlan(document: OpenDocument): Promise<ReturnType<typeof loadPlan>> {
    const { settings } = await this.knownOf(document, textOf(document));
    return loadPlan(this.host, document.name, {}, this.toolsOf(settings));
  }

  /** In a workspace that is not trusted, the configuration is not read: every name counts as that of an agent, gate or server. */
  private toolsOf({ configuration }: Settings): Partial<ReturnType<typeof toolLookup>> {
    return this.options.isTrusted ? toolLookup(this.host, configuration, { cwd: this.folder }) : {};
  }

  /** Compiles a text as if it were that of the document, with other texts of its imports. */
  async compileAs(
    document: OpenDocument,
    text: string,
    others: ReadonlyMap<string, string> = new Map(),
  ): Promise<Compilation> {
    return (await this.compile(document, text, others, () => false)) as Compilation;
  }

  private async compile(
    document: OpenDocument,
    text: string,
    others: ReadonlyMap<string, string>,
    isObsolete: () => boolean | Promise<boolean>,
  ): Promise<Compilation | null> {
    const { settings, surroundings } = await this.knownOf(document, text);
    const { load } = surroundings;
    const changed: Surroundings =
      others.size === 0
        ? surroundings
        : {
            ...surroundings,
            load: (path, from) => {
              const found = load(path, from);
              const other =
                found !== null && typeof found === 'object' && 'text' in found ? others.get(found.name) : undefined;
              return other === undefined || found === null || typeof found === 'string' || 'error' in found
                ? found
                : { ...found, text: other };
            },
          };
    const previous = others.size === 0 ? (document.analysis?.program?.compilation ?? null) : null;
    const compiled = await compileUnless(
      isObsolete,
      changed,
      this.host,
      { name: document.name, text },
      {
        index: true,
        previous,
        calls: this.toolsOf(settings),
      },
    );
    return compiled?.compilation ?? null;
  }

  settingsOf(document: OpenDocument): Promise<Settings> {
    return this.knownOf(document, textOf(document)).then(({ settings }) => settings);
  }

  describedOf(document: OpenDocument): Promise<DescribedNames> {
    return this.knownOf(document, textOf(document)).then(({ described }) => described);
  }

  /** What its last run knew; null: it never ran here. */
  lastRunOf({ path }: OpenDocument): LastFacts | null {
    return path === null || !this.options.isTrusted ? null : this.lastRuns.of(path);
  }

  /** The same, as it was found last: typing reads nothing. */
  knownLastRunOf({ path }: OpenDocument): LastFacts | null {
    return path === null || !this.options.isTrusted ? null : this.lastRuns.knownOf(path);
  }

  private knownOf(document: OpenDocument, text: string): Promise<Known> {
    document.known ??= this.lookUp(document, text);
    return document.known;
  }

  private async lookUp({ name, path }: OpenDocument, text: string): Promise<Known> {
    const settings: Settings = this.options.isTrusted
      ? await loadSettings(this.host, path === null ? '-' : name)
      : { configuration: noConfiguration, diagnostics: [], sources: [], warnings: [] };
    const { configuration } = settings;
    const worktree = mayHaveWorktree(this.folder);
    const surroundings = surroundingsOf(
      this.host,
      { name, text: `${text}\nvalidate` },
      {
        cwd: this.folder,
        configuration,
        lookups: {
          ...(this.options.isTrusted
            ? { agents: agentLookup(configuration, {}), ...gateLookup(configuration, this.folder) }
            : {}),
          ...omitUndefined({ worktree }),
        },
      },
    );
    const remembered = remembering(surroundings);
    const { onPath } = remembered.lookups;
    const described = new DescribedNames(this.host, name, settings, (program) => onPath?.(program) !== false);
    return { settings, surroundings: remembered, described };
  }

  /** Where a file of a compilation is; null for a text that is no file. */
  uriOf(document: OpenDocument, sources: SourceSet, file: number): string | null {
    if (file === 0) return document.uri;
    const name = sources[file]?.name;
    if (name === undefined || name.startsWith('<')) return null;
    const shipped = name.startsWith('std/') ? shippedFolder('patterns') : null;
    const path = shipped === null ? pathOf(this.host, name) : withEnding(`${shipped}/${name.slice('std/'.length)}`);
    const isOpen = this.all().find((one) => one.path === path);
    return isOpen?.uri ?? pathToFileURL(path).href;
  }
}

function withoutProgram({ diagnostics, sources }: Pick<Analysis, 'diagnostics' | 'sources'>) {
  return { diagnostics, sources, program: null };
}

function withEnding(path: string): string {
  return existsSync(path) ? path : `${path}.dsl`;
}

export function filePath(uri: string): string | null {
  if (!uri.startsWith('file:')) return null;
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

export function textOf({ text }: OpenDocument): string {
  const all = text.getText();
  return all.startsWith(BYTE_ORDER_MARK) ? all.slice(1) : all;
}

/** How long an analysis may take before messages that came meanwhile are read, in milliseconds. */
const SLICE_MS = 25;

/** Asks now and then, after the messages that came meanwhile were read. */
function lookingUp(isOld: () => boolean): () => boolean | Promise<boolean> {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < SLICE_MS) return false;
    return unread().then(() => {
      begun = performance.now();
      return isOld();
    });
  };
}

/** Waits until the messages that are there have been read. */
export async function unread(): Promise<void> {
  // What is asked while messages are read is done before the next ones are.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Each question is asked once. */
function remembering(surroundings: Surroundings): Surroundings {
  const { load, workflow, lookups } = surroundings;
  return {
    ...surroundings,
    load: rememberingBoth(load),
    ...omitUndefined({ workflow: workflow === undefined ? undefined : rememberingBoth(workflow) }),
    lookups: {
      ...lookups,
      ...omitUndefined({
        onPath: lookups.onPath === undefined ? undefined : rememberingOne(lookups.onPath),
        fileExists: lookups.fileExists === undefined ? undefined : rememberingOne(lookups.fileExists),
        fileRefused: lookups.fileRefused === undefined ? undefined : rememberingOne(lookups.fileRefused),
      }),
    },
  };
}

function rememberingOne<Value>(ask: (name: string) => Value): (name: string) => Value {
  const answers = new Map<string, Value>();
  return (name) => {
    if (!answers.has(name)) answers.set(name, ask(name));
    return answers.get(name) as Value;
  };
}

function rememberingBoth<Value>(ask: (name: string, from: string) => Value): (name: string, from: string) => Value {
  const answers = new Map<string, Value>();
  return (name, from) => {
    const key = `${from}\0${name}`;
    if (!answers.has(key)) answers.set(key, ask(name, from));
    return answers.get(key) as Value;
  };
}
