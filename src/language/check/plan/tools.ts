/** Reads the tools file: the target of each tool. A tool with a mistake is reported and still counts as declared. */
import { parseDuration } from '../../../machine/duration.js';
import type { Json } from '../../../machine/expression.js';
import type { PlanPath, ToolBinding, ToolTarget } from '../../../machine/plan.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { readReference } from '../../../prelude/reference.js';
import { isForeignTarget, planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { type JsonNode, memberOf, type ObjectNode } from '../../syntax/plan-tree.js';
import { jsonOf } from './given.js';

const TARGETS = ['run', 'module', 'agent', 'plan', 'mcp'];
/** Other words for a target, as configurations of other programs have them. */
const SAME: Readonly<Record<string, string>> = { command: 'run' };
const KEYS = [...TARGETS, 'prompt', 'each', 'outcomes', 'failure', 'timeout', 'schema', 'idempotent', 'gate'];

/** The text of a file next to the tools file, or the reason why it cannot be read. */
export type ReadNextTo = (path: string) => { readonly text: string } | { readonly error: string };

interface Tools {
  readonly bindings: ReadonlyMap<string, ToolBinding>;
  readonly diagnostics: readonly Diagnostic[];
}

interface ToolsOptions {
  readonly readNextTo: ReadNextTo;
  readonly schemaProblem?: (schema: Json) => string | null;
}

const NOTHING: ToolTarget = { kind: 'run', argv: [] };
const UNREADABLE: ToolBinding = {
  calls: NOTHING,
  outcomes: null,
  failure: null,
  timeoutMs: null,
  idempotent: null,
  schema: null,
};

/** Keys that are allowed only together with one target. */
const COMPANIONS = { prompt: 'agent', each: 'plan' } as const;

const toolsByRoot = new WeakMap<JsonNode, Tools>();

/** The result is cached for each tree, because a program needs it for each line that calls a tool. */
export function checkTools(root: JsonNode, options: ToolsOptions): Tools {
  let tools = toolsByRoot.get(root);
  if (tools === undefined) {
    tools = readTools(root, options);
    toolsByRoot.set(root, tools);
  }
  return tools;
}

function readTools(root: JsonNode, options: ToolsOptions): Tools {
  const diagnostics: Diagnostic[] = [];
  const bindings = new Map<string, ToolBinding>();
  if (root.kind !== 'object') {
    // An empty file is null in YAML, and describes no tools.
    if (root.kind !== 'scalar' || root.value !== null)
      diagnostics.push(
        words.toolShape(root.span, {
          what: 'a tools file',
          wanted: 'a map from names to tools',
          help: 'write `name: { run: ["./program"] }` for each tool, without `- ` and `name:`',
        }),
      );
    return { bindings, diagnostics };
  }
  for (const { key, keySpan, value } of root.members) {
    if (value.kind === 'object' && isWrapper(root, key, value)) {
      const help = 'leave out this line, and let the names of the tools begin at the margin';
      diagnostics.push(words.toolShape(keySpan, { what: '`tools`', wanted: 'the name of a tool here', help }));
      return { bindings: new Map(value.members.map(({ key: name }) => [name, UNREADABLE])), diagnostics };
    }
    if (value.kind === 'object') bindings.set(key, new ToolReader(key, value, diagnostics, options).binding());
    else {
      const help = value.kind === 'text' ? `write \`${key}: { run: ${argvOf(value.value)} }\`` : undefined;
      diagnostics.push(
        words.toolShape(keySpan, { what: `the tool \`${key}\``, wanted: 'a map', ...omitUndefined({ help }) }),
      );
      bindings.set(key, UNREADABLE);
    }
  }
  return { bindings, diagnostics };
}

/** Whether all tools are below one key, as in files of other programs. */
function isWrapper(root: ObjectNode, key: string, value: ObjectNode): boolean {
  if (!/^(?:tools|functions|actions)$/i.test(key) || root.members.length > 1) return false;
  const isTool = ({ key: one }: ObjectNode['members'][number]): boolean => KEYS.includes(one) || isForeignTarget(one);
  return !value.members.some(isTool) && value.members.every((member) => member.value.kind === 'object');
}

class ToolReader {
  constructor(
    private readonly name: string,
    private readonly node: ObjectNode,
    private readonly diagnostics: Diagnostic[],
    private readonly options: ToolsOptions,
  ) {}

  binding(): ToolBinding {
    for (const { key, keySpan } of this.node.members) {
      if (KEYS.includes(key) || Object.hasOwn(SAME, key)) continue;
      const facts = { tool: this.name, name: key, near: nearest(key, KEYS), known: KEYS };
      this.diagnostics.push(words.unknownToolKey(keySpan, facts));
    }
    const calls = this.target();
    for (const [key, kind] of Object.entries(COMPANIONS)) {
      const member = memberOf(this.node, key);
      if (member !== undefined && calls !== NOTHING && calls.kind !== kind)
        this.report(member, `\`${key}\``, `next to \`${kind}\`: it has no meaning for \`${calls.kind}\``);
    }
    return {
      calls,
      outcomes: this.outcomes(),
      failure: this.failure(),
      timeoutMs: this.timeout(),
      idempotent: this.flag('idempotent'),
      ...this.gate(),
      schema: this.schema(),
    };
  }

  private gate(): Pick<ToolBinding, 'gate'> {
    const node = memberOf(this.node, 'gate')?.value;
    if (node === undefined) return {};
    if (node.kind === 'text' && node.value === 'value') return { gate: 'value' };
    const help = 'write `gate: value`, or leave it out';
    this.report(node, '`gate`', '`value`, which passes the answer to the tool, even `false`', help);
    return {};
  }

  private target(): ToolTarget {
    const given = this.node.members.filter(({ key }) => TARGETS.includes(key) || Object.hasOwn(SAME, key));
    const [first, second] = given;
    if (first === undefined) {
      if (this.node.members.some(({ key }) => isForeignTarget(key))) return NOTHING;
      this.report(this.node, `the tool \`${this.name}\``, `one of \`${TARGETS.join('`, `')}\``);
      return NOTHING;
    }
    if (second !== undefined)
      this.report(
        second,
        `the tool \`${this.name}\``,
        `one kind of tool, but has both \`${first.key}\` and \`${second.key}\``,
      );
    if (first.key === 'run' || SAME[first.key] === 'run') {
      const argv = jsonOf(first.value);
      if (Array.isArray(argv) && argv.length > 0 && argv.every((word) => typeof word === 'string')) {
        this.checkPlaceholders(first.value, argv as string[]);
        return { kind: 'run', argv: argv as string[] };
      }
      const help = typeof argv === 'string' ? `write \`${first.key}: ${argvOf(argv)}\`` : undefined;
      this.report(first.value, `\`${first.key}\``, 'a list of texts: the program and its arguments', help);
      return NOTHING;
    }
    if (first.key === 'mcp') return this.mcp(first.value);
    const text = this.text(first.key) ?? '';
    switch (first.key) {
      case 'module': {
        const [file, exported] = text.split('#');
        if (file && exported) return { kind: 'module', file, name: exported };
        if (text !== '') this.report(first.value, '`module`', 'a file and a name, as in `./tools.mjs#summarize`');
        return NOTHING;
      }
      case 'agent':
        return { kind: 'agent', agent: text, prompt: this.prompt() };
      default:
        return { kind: 'plan', file: text, each: this.text('each') };
    }
  }

  private mcp(node: JsonNode): ToolTarget {
    const text = node.kind === 'text' ? node.value : null;
    const slash = text?.indexOf('/') ?? -1;
    if (text !== null && slash > 0 && slash < text.length - 1 && !/\s.*\//.test(text))
      return { kind: 'mcp', server: text.slice(0, slash), tool: text.slice(slash + 1) };
    // The program of a server was written where its name is wanted.
    const argv = text !== null && /\s/.test(text) ? argvOf(text) : '["program"]';
    const help =
      text !== null && /^[\w.-]+\/?$/.test(text)
        ? `write \`mcp: ${text.replace('/', '')}/TOOL\``
        : `describe the server in \`statedsl.config.yaml\`, \`mcp: { SERVER: { run: ${argv} } }\`, and write \`mcp: SERVER/TOOL\` here`;
    this.report(node, '`mcp`', 'a server and a tool, as in `files/read`', help);
    return NOTHING;
  }

  /** Programs that have a language of their own know what is in braces. */
  private checkPlaceholders(node: JsonNode, argv: readonly string[]): void {
    if (node.kind !== 'list' || argv.some((word) => /\b(?:jq|g?awk|sed|perl|yq)\b/.test(word))) return;
    const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(argv[0] ?? '') && argv[1] === '-c';
    const found = node.items.flatMap((item) => {
      const name = item.kind === 'text' ? placeholderIn(item.value, isShell) : null;
      return name === null ? [] : [{ item, name }];
    });
    const line = found.length === 1 && !isShell ? `run: ${argvOf(argv.map(wordOf).join(' '))}` : null;
    for (const { item, name } of found)
      this.diagnostics.push(words.foreignPlaceholder(item.span, { text: `{${name}}`, name, line }));
  }

  private prompt(): string {
    const prompt = this.text('prompt');
    if (prompt === null && memberOf(this.node, 'prompt') === undefined)
      this.report(this.node, `\`prompt\` of the agent \`${this.name}\``, 'present, as a text', 'add `prompt: "…"`');
    return prompt ?? '';
  }

  private outcomes(): ToolBinding['outcomes'] {
    const node = memberOf(this.node, 'outcomes')?.value;
    if (node === undefined) return null;
    if (node.kind !== 'object') {
      this.report(node, '`outcomes`', 'a map from exit codes to paths', 'write `outcomes: { "3": "†state.name" }`');
      return null;
    }
    const outcomes: { [code: string]: PlanPath } = {};
    for (const { key, keySpan, value } of node.members) {
      // Exit codes have no leading zeros.
      if (!/^(?:0|[1-9]\d{0,2})$/.test(key) || Number(key) > 255)
        this.report({ span: keySpan }, 'an exit code', 'a whole number up to 255');
      const path = this.path(value, 'an outcome');
      if (path !== null) outcomes[key] = path;
    }
    return outcomes;
  }

  private failure(): ToolBinding['failure'] {
    const node = memberOf(this.node, 'failure')?.value;
    if (node === undefined) return null;
    if (node.kind === 'text' && (node.value === 'last' || node.value === 'none')) return node.value;
    return this.path(node, '`failure`', '`last`, `none` or ');
  }

  private path(node: JsonNode, what: string, others = ''): PlanPath | null {
    const reference = node.kind === 'text' ? readReference(node.value) : null;
    if (reference?.ok && reference.expr.kind === 'reference') return reference.expr.path;
    this.report(node, what, `${others}one path, as in \`†state.user.failed\``);
    return null;
  }

  private timeout(): number | null {
    const node = memberOf(this.node, 'timeout')?.value;
    if (node === undefined) return null;
    const ms = node.kind === 'text' ? parseDuration(node.value) : null;
    if (ms !== null && ms > 0) return ms;
    const amount = /^(\d+)\s*(m?s|m|h|d)?/i.exec(String(jsonOf(node)));
    const help = amount === null ? 'write `timeout: 30s`' : `write \`timeout: ${amount[1]}${amount[2] ?? 's'}\``;
    this.report(node, '`timeout`', 'a duration, as in `30s`', help);
    return null;
  }

  private schema(): Json | null {
    const node = memberOf(this.node, 'schema')?.value;
    if (node === undefined) return null;
    const schema = node.kind === 'text' ? this.schemaFile(node.value, node) : jsonOf(node);
    if (schema === null) return null;
    if (isJsonObject(schema)) {
      const problem = this.options.schemaProblem?.(schema) ?? null;
      if (problem === null) return schema;
      this.report(node, `\`schema\` of the tool \`${this.name}\``, `a JSON Schema: it ${problem}`);
      return null;
    }
    this.report(node, '`schema`', 'a JSON Schema of the call, or the path of a file with one');
    return null;
  }

  private schemaFile(path: string, node: JsonNode): Json | null {
    const read = this.options.readNextTo(path);
    if ('error' in read) {
      this.report(node, '`schema`', `a readable file: cannot read \`${path}\`: ${read.error}`);
      return null;
    }
    try {
      return JSON.parse(read.text) as Json;
    } catch {
      this.report(node, '`schema`', `a JSON file, but \`${path}\` is not JSON`);
      return null;
    }
  }

  private text(name: string): string | null {
    const node = memberOf(this.node, name)?.value;
    if (node === undefined) return null;
    if (node.kind === 'text' && node.value !== '') return node.value;
    this.report(node, `\`${name}\``, 'a text');
    return null;
  }

  private flag(name: string): boolean | null {
    const node = memberOf(this.node, name)?.value;
    if (node === undefined) return null;
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
    this.report(node, `\`${name}\``, '`true` or `false`');
    return null;
  }

  private report(
    at: { readonly span: JsonNode['span'] } | ObjectNode['members'][number],
    what: string,
    wanted: string,
    help?: string,
  ) {
    const facts = { what, wanted, ...omitUndefined({ help }) };
    this.diagnostics.push(words.toolShape('keySpan' in at ? at.keySpan : at.span, facts));
  }
}

const PLACEHOLDER = /\$?\{\{? ?(\w+) ?\}\}?|\$([A-Za-z_]\w*)/;

/** The name of the parameter that a word seems to stand for. In shell text `$x` and `${x}` are variables. */
function placeholderIn(word: string, isShell: boolean): string | null {
  const pattern = isShell ? /(?<!\$)\{(\w+)\}/ : new RegExp(`^(?:--?[\\w-]+=)?(?:${PLACEHOLDER.source})$`);
  const found = pattern.exec(word);
  return found === null ? null : (found[1] ?? found[2] ?? null);
}

/** A word of a command line of Bash, which reads the parameter that it seems to stand for. */
function wordOf(word: string): string {
  const name = placeholderIn(word, false);
  if (name !== null) return `"${word.replace(PLACEHOLDER, `$(jq -r .${name})`)}"`;
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command line as the list that it has to be. */
function argvOf(command: string): string {
  const names = [...command.matchAll(/\{\{? ?(\w+) ?\}\}?/g)];
  const read = names.length === 1 ? command.replace(PLACEHOLDER, '"$(jq -r .$1)"') : command;
  const words = /["'|&;<>$*`(){}\\]/.test(read) ? ['bash', '-c', read] : read.trim().split(/\s+/);
  return `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}
