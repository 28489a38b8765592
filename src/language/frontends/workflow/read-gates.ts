/** Reads `gate:`: words, and mappings with one check each. */
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import { looksLikeCommand } from '../../source/foreign/gate-lines.js';
import type { GateCheck, GateEntry } from '../../syntax/step-nodes.js';
import {
  callOf,
  conditionOf,
  isNothing,
  itemsOf,
  Members,
  nameOf,
  numberOf,
  partOf,
  type ReaderContext,
  reportOneOf,
  shellOf,
  spanOf,
  templateOf,
  textOf,
  wrongShape,
} from './values.js';
import type { YamlMap, YamlMember, YamlNode } from './yaml/yaml-nodes.js';

const ALONE = ['compile', 'test', 'lint', 'tests_found', 'schema'];
const VALUED = ['coverage', 'schema', 'touched', 'untouched', 'bash', 'expr', 'validate'];
const KNOWN = [...new Set([...ALONE, ...VALUED, 'as', 'with'])];

export function gatesOf(context: ReaderContext, { value }: YamlMember): GateEntry[] {
  if (isNothing(value)) return [];
  return itemsOf(value).flatMap((item) => gateOf(context, item) ?? []);
}

function gateOf(context: ReaderContext, node: YamlNode): GateEntry | undefined {
  if (node.kind === 'map') return mappedGate(context, node);
  if (node.kind === 'list' || node.value === null || node.located.text.trim() === '') {
    wrongShape(context, node, 'a gate', 'a word, or a mapping such as `bash: make check`');
    return undefined;
  }
  const word = nameOf(node);
  if (/^[A-Za-z_][\w-]*$/.test(word.text) && (!VALUED.includes(word.text) || word.text === 'schema'))
    return { ...(word.text === 'schema' ? { kind: 'schema' } : { kind: 'command' }), word, span: node.span };
  // `"touched: *_test.go"` is a mapping that was written in quotes.
  const whole = partOf(node);
  if (whole !== null && VALUED.includes(whole.key.text))
    return mappedGate(context, { kind: 'map', span: node.span, members: [whole], flow: null });
  const first = /^[A-Za-z_]+/.exec(word.text)?.[0] ?? '';
  const rest = word.text.slice(first.length).replace(/^[ \t:=]+/, '');
  const help = VALUED.includes(first)
    ? `write \`- ${first}: ${rest || '…'}\``
    : helpForLine(word.text.trim().replace(/\s+/g, ' '));
  wrongShape(context, node, 'a gate that is one word', 'the name of a check', help);
  return undefined;
}

/** What a gate of several words was meant to be. */
function helpForLine(text: string): string {
  if (/^\{?[A-Za-z_][\w.]*\}?\s*(?:==|!=|[<>]=?)\s*[^\s=]/.test(text))
    return `write a condition as \`- expr: ${text}\` below \`gate:\``;
  if (/^[A-Za-z][a-z]*(?:\s+[a-z]+)+\.?$/.test(text) && !looksLikeCommand(text))
    return 'write a command that finds it out, as in `- { bash: make test, as: unit }`';
  return `write a command as \`- bash: ${text}\` below \`gate:\``;
}

function mappedGate(context: ReaderContext, map: YamlMap): GateEntry | undefined {
  const members = new Members(map, context);
  const label = members.take('as');
  const given = members.take('with');
  const checks = [...ALONE, ...VALUED].flatMap((key) => members.take(key) ?? []);
  const adjacent = checks.some(({ key }) => key.text === 'validate') ? members.rest() : [];
  const others = adjacent.length > 0 ? [] : members.rest();
  const [own] = others;
  // A gate of the configuration can have any name. With `as` it is written `{ unit: , as: u }`.
  if (checks.length === 0 && others.length === 1 && own !== undefined && isNothing(own.value)) checks.push(own);
  else reportUnknown(context, others);
  const [member] = checks;
  if (member === undefined) {
    if (others.length === 0)
      context.diagnostics.push(
        words.missingKey(map.members[0]?.key.span ?? map.span, { key: 'bash', of: 'a gate', example: '- bash: make' }),
      );
    return undefined;
  }
  reportOneOf(context, checks, 'this gate');
  const check = checkOf(context, member, given, adjacent);
  if (check === undefined) return undefined;
  if (given !== undefined && check.kind !== 'validate')
    wrongShape(context, { ...given.value, span: given.key.span }, '`with`', 'next to `validate`');
  const as = label === undefined ? undefined : textOf(context, label, 'a name');
  const last = map.members.at(-1) ?? member;
  const span = { ...map.span, start: map.span.start, end: spanOf(last).end };
  return { ...check, word: member.key, ...omitUndefined({ label: as === undefined ? undefined : nameOf(as) }), span };
}

/** `schema: plan` and `schema: review` name the default forms of these answers. */
function isOfType(value: YamlNode): boolean {
  return value.kind === 'scalar' && ['plan', 'review'].includes(value.located.text.trim());
}

/** What other tools call the keys of a gate. */
const OF_OTHER_TOOLS = [
  { key: 'bash', names: /^(?:run|cmd|command|shell|sh|script|exec|execute|program)$/i },
  { key: 'as', names: /^(?:name|id|label|title)$/i },
  { key: 'expr', names: /^(?:if|when|condition|assert|check|expression|expect)$/i },
] as const;

function reportUnknown(context: ReaderContext, members: readonly YamlMember[]): void {
  for (const { key, value } of members) {
    const own = OF_OTHER_TOOLS.find(({ names }) => names.test(key.text))?.key;
    const text = value.kind === 'scalar' ? value.located.text.trim() : '';
    const near = nearest(key.text, KNOWN);
    const isFile = /^(?:file_?)?exists?$|^file$/i.test(key.text);
    const help =
      own !== undefined
        ? `write \`${own}: ${text || '…'}\``
        : /^time_?(?:out|limit)$/i.test(key.text)
          ? `write it into the command, as in \`bash: timeout ${text || '5m'} make test\``
          : near === undefined && /^[^\d]/.test(text)
            ? namedCommand(isFile ? `test -e ${text}` : text, isFile ? 'exists' : key.text)
            : undefined;
    const facts = { name: key.text, of: 'a gate', near, known: KNOWN, ...omitUndefined({ help }) };
    context.diagnostics.push(words.unknownKey(key.span, facts));
  }
}

/** A command and its name in one line of YAML. */
function namedCommand(command: string, name: string): string {
  const value = /[,{}#:"'[\]]/.test(command) ? JSON.stringify(command) : command;
  return `name a command with \`as\`: \`- { bash: ${value}, as: ${name} }\``;
}

function checkOf(
  context: ReaderContext,
  member: YamlMember,
  given: YamlMember | undefined,
  adjacent: readonly YamlMember[],
): GateCheck | undefined {
  const { key, value } = member;
  switch (key.text) {
    case 'coverage':
      if (value.kind === 'scalar' && !isNothing(value)) return { kind: 'coverage', least: numberOf(context, value) };
      wrongShape(context, { ...value, span: key.span }, '`coverage`', 'a percentage');
      return undefined;
    case 'schema': {
      if (isNothing(value) || isOfType(value)) return { kind: 'schema' };
      const path = templateOf(context, member);
      return path === undefined ? undefined : { kind: 'schema', path };
    }
    case 'touched':
    case 'untouched': {
      const globs = itemsOf(value)
        .map((item) => templateOf(context, { key, value: item }))
        .filter((glob) => glob !== undefined);
      return globs.length === 0 ? undefined : { kind: key.text, globs };
    }
    case 'bash': {
      const text = textOf(context, member, 'a command');
      return text === undefined ? undefined : { kind: 'bash', shell: shellOf(text) };
    }
    case 'expr': {
      const text = textOf(context, member, 'a condition');
      return text === undefined ? undefined : { kind: 'expr', condition: conditionOf(context, text) };
    }
    case 'validate': {
      const call = callOf(context, ...callMembers(member, given), adjacent);
      return call === undefined ? undefined : { kind: 'validate', call };
    }
    default:
      if (isNothing(value) || (value.kind === 'scalar' && value.value === true)) return { kind: 'command' };
      wrongShape(
        context,
        value,
        `\`${key.text}\``,
        'a single word',
        value.kind === 'scalar' ? namedCommand(value.located.text.trim(), key.text) : 'write a command as `- bash: …`',
      );
      return undefined;
  }
}

/** `validate: { workflow: name, with: … }` as well as `validate: name` with `with` next to it. */
export function callMembers(
  member: YamlMember,
  given: YamlMember | undefined,
): readonly [name: YamlMember, given: YamlMember | undefined] {
  const { value } = member;
  if (value.kind !== 'map') return [member, given];
  const named = value.members.find(({ key }) => key.text === 'workflow' || key.text === 'name');
  const inner = value.members.find(({ key }) => key.text === 'with');
  return named === undefined ? [member, given] : [named, given ?? inner];
}
