/** Lowers the `env.*` options of an instruction, and checks that the names are valid and that no value becomes code. */
import type { Template } from '../../machine/expression.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import { unsafePosition } from '../../source/catalogue/shell.js';
import type { Option } from '../../syntax/ast.js';
import type { Template as TextTemplate } from '../../syntax/expression.js';
import { isCodeVariable } from '../shell/code-names.js';
import { lowerTemplate } from './expression.js';
import type { StateLowering } from './state-lowering.js';

const PREFIX = 'env.';

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
