/** Resolves the values in shell text of DO, CHECK and gates, and maps offsets to the file. */
import type { Expr, Template } from '../../../machine/expression.js';
import type { Strictness } from '../../../machine/machine.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import { unsafePosition } from '../../source/catalogue/shell.js';
import {
  nearVariable,
  shellVariable,
  shellVariableOrEnvironment,
  wordOfTest,
} from '../../source/catalogue/shell-variables.js';
import type { Option, ShellText } from '../../syntax/ast.js';
import type { Template as TextTemplate } from '../../syntax/expression-nodes.js';
import { scanInterpolation } from '../../syntax/tree/interpolation.js';
import { isCodeVariable } from '../shell/code-names.js';
import type { CompiledShellText } from '../shell/text.js';
import { lintEmbeddedInShell } from './calls/lower-reference.js';
import { lowerHole, lowerTemplate } from './lower-expression.js';
import type { StateLowering } from './state-lowering.js';

/** The offsets of values in the line for people. The line may be shortened, so it may contain only the first ones. */
export function holesIn(
  text: string,
  parts: readonly (string | { readonly source: string })[],
): { holes?: [number, number][] } {
  const holes: [number, number][] = [];
  let from = 0;
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const at = text.indexOf(part.source, from);
    if (at < 0) break;
    from = at + part.source.length;
    holes.push([at, from]);
  }
  return holes.length === 0 ? {} : { holes };
}

interface ShellTextSettings {
  readonly shell: 'bash' | 'sh' | 'default';
  readonly strict?: Strictness;
  readonly env?: ReturnType<typeof lowerEnvironment> | undefined;
}

/** Resolves the values in shell text and reports its mistakes. */
export function lowerShellText(
  l: StateLowering,
  shell: ShellText,
  { shell: wanted, strict, env }: ShellTextSettings = { shell: 'default', strict: 'script' },
): CompiledShellText {
  const dialect = wanted === 'default' ? l.settings.shell : wanted;
  const at = offsetMap(shell);
  const numbers = new Set<number>();
  const compiled = l.settings.shellTexts.compile(shell.text, {
    shell: dialect,
    wrapsPipes: strict !== undefined && dialect === 'bash',
    strict: l.settings.strict,
    ...omitUndefined({ given: heldEnvironment(env) }),
    isValue: (name) => l.scope.has(name),
    interpolation: (from) => {
      const found = scanInterpolation(shell.text, from, shell.span.file, at, true);
      if (found === null) return null;
      const hole = lowerHole(found.interpolation, l, 'shell', true);
      if (isNumber(l, hole.value)) numbers.add(from);
      return { end: found.end, hole, list: found.interpolation.list };
    },
  });
  for (const { start, end, make } of compiled.findings) {
    const finding = make({ file: shell.span.file, start: at(start), end: at(end) });
    if (finding.code !== 'may-be-read-as-option' || !numbers.has(start)) l.diagnostics.push(finding);
  }
  lintEmbeddedInShell(shell, at, l.diagnostics);
  reportShellVariables(l, shell, compiled, { at, env });
  return compiled;
}

/** Whether a value is a number of an input, which programs do not read as an option, like one with `:int`. */
function isNumber(l: StateLowering, value: Expr): boolean {
  if (value.op !== 'read' || value.places.length !== 1 || value.places[0]?.in !== 'input') return false;
  const input = l.shared.unit.inputs.get(value.name);
  return input?.type === 'number' || (input?.type === undefined && input?.value?.kind === 'number');
}

/** The variables of `env.*` options that contain a value. */
function heldEnvironment(env: ShellTextSettings['env']): ReadonlyMap<string, string> | undefined {
  const held = (env ?? []).flatMap(({ name, value }): [string, string][] => {
    const hole = value.find((part) => typeof part !== 'string' && part.filter !== 'int');
    return hole === undefined || typeof hole === 'string' ? [] : [[name, hole.source]];
  });
  return held.length === 0 ? undefined : new Map(held);
}

/** Maps offsets in the text for the shell to offsets in the file. */
export function offsetMap(shell: ShellText): (offset: number) => number {
  const { lines } = shell;
  return (offset) => {
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle] as { at: number }).at <= offset) low = middle;
      else high = middle - 1;
    }
    const line = lines[low];
    return line === undefined ? shell.span.start + offset : line.source + (offset - line.at);
  };
}

interface TextOffsets {
  /** Maps offsets of the shell text to offsets of the file. */
  readonly at: (offset: number) => number;
  /** Variables that the instruction itself sets in the environment. */
  readonly env: readonly { readonly name: string }[] | undefined;
}

/**
 * Reports `$name` if `name` is a value of the program. Values are not shell variables, so the shell would insert
 * nothing, and `rm -rf build/$dir` would remove `build/`.
 */
function reportShellVariables(
  l: StateLowering,
  shell: ShellText,
  { variables }: CompiledShellText,
  { at, env }: TextOffsets,
): void {
  for (const { name, start, end, whole, zone, literal } of variables) {
    if (env?.some((one) => one.name === name) === true) continue;
    const span = { file: shell.span.file, start: at(start), end: at(end - 1) + 1 };
    if (!l.scope.has(name)) {
      if (literal === true) continue;
      const near = name.length > 2 && l.settings.lookups.environment?.(name) === false ? l.scope.near(name) : undefined;
      if (near !== undefined) l.diagnostics.push(nearVariable(span, { written: shell.text.slice(start, end), near }));
      continue;
    }
    // In arithmetic only a number is safe, and inside `${…}` no value is.
    const written = shell.text.slice(start, end);
    const interpolation = zone === 'arithmetic' ? `{${name}:int}` : `{${name}}`;
    const value = whole && zone !== 'parameter' ? interpolation : /\[[@*]\]$/.test(written) ? `{${name}*}` : null;
    const fix = value === interpolation ? { span, text: value } : undefined;
    if (literal === true) {
      l.diagnostics.push(wordOfTest(span, { name, value: interpolation, fix }));
      continue;
    }
    const facts = { name, written: written + (whole ? '' : '…}'), value, fix };
    const mayBeThere = /^[A-Z_][A-Z0-9_]*$/.test(name) && l.settings.lookups.environment?.(name) !== false;
    l.diagnostics.push((mayBeThere ? shellVariableOrEnvironment : shellVariable)(span, facts));
  }
}

const PREFIX = 'env.';

/** Lowers the `env.*` options of an instruction, and checks that the names are valid and that no value becomes code. */
export function lowerEnvironment(
  l: StateLowering,
  options: ReadonlyMap<string, Option>,
): { name: string; value: Template }[] {
  const variables: { name: string; value: Template }[] = [];
  for (const [key, { key: written, value }] of options) {
    if (!key.startsWith(PREFIX) || value === undefined) continue;
    const name = key.slice(PREFIX.length);
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      const why = 'does not name a variable: use letters, digits and `_`, and do not begin with a digit';
      l.diagnostics.push(say.badOption(written.span, { name: key, why, help: 'write `env.NAME=…`' }));
      continue;
    }
    if (isCodeVariable(name)) refuseValues(l, name, value);
    variables.push({ name, value: lowerTemplate(value, l) });
  }
  return variables;
}

/** The value of such a variable is executed or chooses what is executed, so it must be written in the program. */
function refuseValues(l: StateLowering, name: string, { parts, raw, span }: TextTemplate): void {
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const source = raw.slice(part.span.start - span.start, part.span.end - span.start);
    l.diagnostics.push(unsafePosition(part.span, { position: 'special-variable', source, command: name }));
  }
}
