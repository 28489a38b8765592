/** Lints about scripts: changes that are lost when the shell ends, and failures in pipes that `sh` ignores. */
import type { Strictness } from '../../../machine/machine.js';
import { scriptMessages as say } from '../../source/catalogue/scripts.js';
import type { CommandNode } from '../../syntax/ast.js';
import type { StateLowering } from '../lower/state-lowering.js';
import type { CompiledShellText, ShellCommand } from '../shell/text.js';

interface ScriptOffsets {
  /** Maps offsets of the shell text to offsets of the file. */
  readonly at: (offset: number) => number;
  /** The index of that file. */
  readonly file: number;
  readonly common: { readonly shell: 'bash' | 'sh' | 'default'; readonly strict?: Strictness };
}

export function lintScript(
  l: StateLowering,
  i: CommandNode,
  compiled: CompiledShellText,
  { at, file, common }: ScriptOffsets,
): void {
  const shell = common.shell === 'default' ? l.settings.shell : common.shell;
  const piped = compiled.commands.find(({ pipedInto, depth }) => pipedInto && depth === 0);
  const nameSpan = ({ nameStart, nameEnd }: ShellCommand) => ({
    file,
    start: at(nameStart),
    end: at(nameEnd - 1) + 1,
  });
  if (shell === 'sh' && common.strict !== undefined && piped !== undefined)
    l.diagnostics.push(say.pipeInSh(nameSpan(piped), {}));
  if (i.kind !== 'do' || i.bind !== undefined) return;
  const lost = lostIn(compiled);
  if (lost !== null) {
    l.diagnostics.push(say.lostInShell({ file, start: at(lost.start), end: at(lost.end - 1) + 1 }, lost));
  }
}

interface LostSetting {
  readonly what: string;
  readonly kind: 'directory' | 'variable' | 'settings';
  /** The directory or the assignment, if it contains no value. */
  readonly value: string | null;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The first command of a script that only changes its own shell. */
function lostIn({ commands, assignments }: CompiledShellText): LostSetting | null {
  let first: LostSetting | null = null;
  for (const { name, text, start, end } of assignments) {
    const one: LostSetting = { what: `${name}=…`, kind: 'variable', value: text, name, start, end };
    if (first === null || start < first.start) first = one;
  }
  for (const command of commands) {
    if (command.depth > 0) continue;
    const one = lostBy(command);
    if (one === null) return null;
    if (first === null || one.start < first.start) first = one;
  }
  return first;
}

function lostBy({ name, words, nameStart: start, nameEnd: end }: ShellCommand): LostSetting | null {
  const operand = words[1]?.text ?? null;
  switch (name) {
    case 'cd':
    case 'pushd':
      return { what: name, kind: 'directory', value: operand, name: '', start, end };
    case 'export': {
      const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(operand ?? '');
      return { what: name, kind: 'variable', value: match?.[2] ?? null, name: match?.[1] ?? 'NAME', start, end };
    }
    case 'source':
    case '.':
    case 'set':
    case 'shopt':
      return { what: name, kind: 'settings', value: null, name: '', start, end };
    default:
      return null;
  }
}
