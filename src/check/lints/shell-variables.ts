/**
 * Reports `$name` if `name` is a value of the program. Values are not shell variables, so the shell would insert
 * nothing, and `rm -rf build/$dir` would remove `build/`.
 */
import { nearVariable, shellVariable, shellVariableOrEnvironment } from '../../source/catalogue/shell-variables.js';
import type { ShellText } from '../../syntax/ast.js';
import type { StateLowering } from '../lower/state-lowering.js';
import type { CompiledShellText } from '../shell/text.js';

interface Where {
  /** Maps offsets of the shell text to offsets of the file. */
  readonly at: (offset: number) => number;
  /** Variables that the instruction itself sets in the environment. */
  readonly env: readonly { readonly name: string }[] | undefined;
}

export function reportShellVariables(
  l: StateLowering,
  shell: ShellText,
  { variables }: CompiledShellText,
  { at, env }: Where,
): void {
  for (const { name, start, end, whole, zone } of variables) {
    if (env?.some((one) => one.name === name) === true) continue;
    const span = { file: shell.span.file, start: at(start), end: at(end - 1) + 1 };
    if (!l.scope.has(name)) {
      const near = name.length > 2 && l.settings.lookups.environment?.(name) === false ? l.scope.near(name) : undefined;
      if (near !== undefined) l.diagnostics.push(nearVariable(span, { written: shell.text.slice(start, end), near }));
      continue;
    }
    // In arithmetic only a number is safe, and inside `${…}` no value is.
    const written = shell.text.slice(start, end);
    const interpolation = zone === 'arithmetic' ? `{${name}:int}` : `{${name}}`;
    const value = whole && zone !== 'parameter' ? interpolation : /\[[@*]\]$/.test(written) ? `{${name}*}` : null;
    const fix = value === interpolation ? { span, text: value } : undefined;
    const facts = { name, written: written + (whole ? '' : '…}'), value, fix };
    const mayBeThere = /^[A-Z_][A-Z0-9_]*$/.test(name) && l.settings.lookups.environment?.(name) !== false;
    l.diagnostics.push((mayBeThere ? shellVariableOrEnvironment : shellVariable)(span, facts));
  }
}
