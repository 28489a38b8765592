/** Resolves the values in shell text of DO, CHECK and gates, and maps offsets to the file. */
import type { Strictness } from '../../machine/machine.js';
import type { ShellText } from '../../syntax/ast.js';
import { scanInterpolation } from '../../syntax/tree/interpolation.js';
import { reportShellVariables } from '../lints/shell-variables.js';
import type { CompiledShellText } from '../shell/text.js';
import { lintEmbeddedInShell } from './calls/embedded-reference.js';
import type { lowerEnvironment } from './environment.js';
import { lowerHole } from './expression.js';
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
  const compiled = l.settings.shellTexts.compile(shell.text, {
    shell: dialect,
    wrapsPipes: strict !== undefined && dialect === 'bash',
    strict: l.settings.strict,
    isValue: (name) => l.scope.has(name),
    interpolation: (from) => {
      const found = scanInterpolation(shell.text, from, shell.span.file, at, true);
      if (found === null) return null;
      return { end: found.end, hole: lowerHole(found.interpolation, l, 'shell', true), list: found.interpolation.list };
    },
  });
  for (const finding of compiled.findings)
    l.diagnostics.push(finding.make({ file: shell.span.file, start: at(finding.start), end: at(finding.end) }));
  lintEmbeddedInShell(shell, at, l.diagnostics);
  reportShellVariables(l, shell, compiled, { at, env });
  return compiled;
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
