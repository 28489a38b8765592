/** What files say about names that programs use: tools in `tools.yaml`, agents and gates in the configuration, schemas. */
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Location } from 'vscode-languageserver-protocol';
import { PlanLoader } from '../../app/project/load-plan.js';
import { type ProjectHost, pathOf } from '../../app/project/project-host.js';
import { readProgram } from '../../app/project/read-program.js';
import type { Settings } from '../../app/project/settings.js';
import { jsonOf } from '../../language/check/plan/given.js';
import { readYamlTree } from '../../language/frontends/yaml-tree.js';
import { lineText, positionAt, type SourceFile, sourceFile } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import { resolveAgent } from '../../runtime/agents/resolve.js';
import { parametersOfTool, resultOfTool } from '../ide/described-values.js';
import { rangeOf } from './protocol.js';

type Node = NonNullable<ReturnType<typeof readYamlTree>['root']>;
type Member = Extract<Node, { kind: 'object' }>['members'][number];

interface ReadFile {
  readonly path: string;
  readonly source: SourceFile;
  readonly root: Node | null;
}

export interface DescribedTool {
  readonly name: string;
  /** Where the tools file describes it. */
  readonly location: Location;
  /** Its line there. */
  readonly text: string;
  readonly schema: Json | null;
  /** Where its schema describes what it returns; null without a schema. */
  readonly schemaAt: Location | null;
  /** The absolute path of the plan that it is; null: it is none. */
  readonly plan: string | null;
}

/** A text for the file that configures agents. */
interface NewAgent {
  readonly uri: string;
  readonly isNewFile: boolean;
  readonly offset: number;
  readonly text: string;
  /** The file as it is. */
  readonly source: SourceFile;
}

/** Files are read when somebody asks, and once: it lives as long as what the disk said is known. */
export class DescribedNames {
  private readonly files = new Map<string, ReadFile | null>();
  private known: ReadonlyMap<string, DescribedTool> | null = null;

  constructor(
    private readonly host: ProjectHost,
    /** As `check` calls it. */
    private readonly program: string,
    /** Null: agents and gates are not asked for. */
    private readonly settings: Settings | null,
    private readonly onPath: (program: string) => boolean,
  ) {}

  private read(path: string): ReadFile | null {
    let found = this.files.get(path);
    if (found === undefined) {
      const read = readProgram(this.host, path);
      found =
        read.kind === 'text'
          ? { path, source: sourceFile(path, read.text), root: readYamlTree(read.text, 0).root }
          : null;
      this.files.set(path, found);
    }
    return found;
  }

  /** Every tool of the tools file of the program, by its name. */
  get tools(): ReadonlyMap<string, DescribedTool> {
    this.known ??= this.readTools();
    return this.known;
  }

  private readTools(): ReadonlyMap<string, DescribedTool> {
    const name = new PlanLoader(this.host, {}, {}).findToolsFile(this.program);
    const file = name === null ? null : this.read(pathOf(this.host, name));
    return new Map(
      file === null ? [] : membersOf(file.root).map((member) => [member.key, this.toolOf(file, member)] as const),
    );
  }

  private toolOf(file: ReadFile, { key, keySpan, value }: Member): DescribedTool {
    const { line } = positionAt(file.source, keySpan.start);
    const written = memberOf(value, 'schema')?.value;
    const plan = memberOf(value, 'plan')?.value;
    const other = written?.kind === 'text' ? this.read(resolve(dirname(file.path), written.value)) : null;
    const [source, root] = written?.kind === 'text' ? [other, other?.root ?? null] : [file, written ?? null];
    const schema = root === null ? null : jsonOf(root);
    return {
      name: key,
      location: locationIn(file, keySpan),
      text: lineText(file.source, line).trim(),
      schema,
      plan: plan?.kind === 'text' ? resolve(dirname(file.path), plan.value) : null,
      schemaAt: source === null || root === null ? null : locationIn(source, resultMember(root)?.keySpan ?? root.span),
    };
  }

  /** The beginning of a schema that a program names. */
  schemaFile(path: string): { readonly location: Location; readonly schema: Json } | null {
    const file =
      this.read(resolve(dirname(pathOf(this.host, this.program)), path)) ?? this.read(pathOf(this.host, path));
    return file?.root == null ? null : { location: locationIn(file, file.root.span), schema: jsonOf(file.root) };
  }

  /** Where the configuration describes an agent or a gate. */
  configuredAt(kind: 'agents' | 'gates', name: string): Location | null {
    const file = this.settings?.configuration.file ?? null;
    const read = file === null ? null : this.read(file);
    const found = memberOf(memberOf(read?.root ?? null, kind)?.value ?? null, name);
    return read === null || found === undefined ? null : locationIn(read, found.keySpan);
  }

  /** What describes a new agent in the configuration, which may not exist yet; null where it is not plain what to write. */
  newAgent(name: string): NewAgent | null {
    const { settings } = this;
    if (settings === null || settings.diagnostics.length > 0) return null;
    const { configuration, warnings } = settings;
    const linesOf = (indent: string): string => `${indent}${name}:\n${indent}  adapter: claude\n`;
    if (configuration.file === null) {
      if (warnings.length > 0) return null;
      const uri = pathToFileURL(join(this.host.folder, 'statedsl.config.yaml')).href;
      return { uri, isNewFile: true, offset: 0, text: `agents:\n${linesOf('  ')}`, source: sourceFile('', '') };
    }
    const read = this.read(configuration.file);
    if (read === null) return null;
    const { source, root } = read;
    const uri = pathToFileURL(read.path).href;
    const agents = memberOf(root, 'agents');
    if (agents === undefined) {
      const line = source.text === '' || source.text.endsWith('\n') ? '' : '\n';
      const text = `${line}agents:\n${linesOf('  ')}`;
      return { uri, isNewFile: false, offset: source.text.length, text, source };
    }
    const [first] = membersOf(agents.value);
    if (first === undefined || source.text[agents.value.span.start] === '{') return null;
    const { line, column } = positionAt(source, first.keySpan.start);
    const offset = source.lineStarts[line - 1] as number;
    return { uri, isNewFile: false, offset, text: linesOf(' '.repeat(column - 1)), source };
  }

  /** What stands behind the name of an agent; null if nothing does. */
  agent(name: string): string | null {
    if (this.settings === null) return null;
    const { agents, folder } = this.settings.configuration;
    const resolved = resolveAgent(name, { agents, folder, instead: {} });
    if (resolved === null) return null;
    const { adapter, configuration } = resolved;
    const program = configuration.run?.[0] ?? adapter.program ?? null;
    const model = configuration.model === undefined ? '' : `, model ${configuration.model}`;
    const installed =
      program === null || program.includes('/')
        ? ''
        : `, \`${program}\` is ${this.onPath(program) ? 'installed' : 'not installed'}`;
    return `adapter ${adapter.name}${model}${installed}`;
  }

  /** What the tools file says about a tool, with its parameters and its result. */
  tool(name: string): string | null {
    const found = this.tools.get(name);
    if (found === undefined) return null;
    const parameters = parametersOfTool(found.schema).map(
      ({ name: own, type, says, isRequired }) =>
        `\`${own}\`${type === null ? '' : `: ${type}`}${isRequired ? '' : ', optional'}${says === null ? '' : ` – ${says}`}`,
    );
    const result = resultOfTool(found.schema);
    const fields = result === undefined ? [] : [`returns \`${shorten(JSON.stringify(result), 200)}\``];
    return [`\`${shorten(found.text, 200)}\``, ...parameters, ...fields].join('\n');
  }
}

export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function locationIn({ path, source }: ReadFile, span: { readonly start: number; readonly end: number }): Location {
  return { uri: pathToFileURL(path).href, range: rangeOf(source, span) };
}

function membersOf(node: Node | null): readonly Member[] {
  return node?.kind === 'object' ? node.members : [];
}

function memberOf(node: Node | null, key: string): Member | undefined {
  return membersOf(node).find((one) => one.key === key);
}

function resultMember(schema: Node): Member | undefined {
  return memberOf(memberOf(schema, 'properties')?.value ?? null, '_output') ?? memberOf(schema, '_output');
}
