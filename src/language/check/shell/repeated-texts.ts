/**
 * Compiles shell text that occurs several times in a program once, and later only inserts its values. First compares
 * all other lookups of the compilation, so that the result is the same. A text is kept from its second occurrence on,
 * because most texts occur once and would only take memory.
 */
import type { Expr, Hole } from '../../../machine/expression.js';
import type { ShellInterpolation } from './lexing.js';
import type { ShellTextOptions } from './shell-lexer.js';
import { type CompiledShellText, compileShellText } from './text.js';

interface RepeatedText {
  readonly compiled: CompiledShellText;
  /** The interpolations by their offsets, and the answers about names. */
  readonly interpolations: ReadonlyMap<number, ShellInterpolation>;
  readonly names: ReadonlyMap<string, boolean>;
}

export class RepeatedTexts {
  /** By the options that affect lexing, then by the text; null for a text that occurred once. */
  private readonly tables: Map<string, RepeatedText | null>[] = [];

  compile(text: string, options: ShellTextOptions): CompiledShellText {
    if (options.given !== undefined) return compileShellText(text, options);
    const table = this.tableOf(options);
    const known = table.get(text);
    if (known === undefined) {
      table.set(text, null);
      return compileShellText(text, options);
    }
    // Resolving a value reports its mistakes, so each is resolved only once.
    const interpolations = new Map<number, ShellInterpolation>();
    for (const at of known?.interpolations.keys() ?? [])
      interpolations.set(at, options.interpolation(at) as ShellInterpolation);
    if (known !== null && isSame(known, interpolations, options)) return withValues(known, interpolations);
    const names = new Map<string, boolean>();
    const compiled = compileShellText(text, {
      ...options,
      isValue: (name) => {
        const isValue = options.isValue(name);
        names.set(name, isValue);
        return isValue;
      },
      interpolation: (at) => {
        const found = interpolations.get(at) ?? options.interpolation(at);
        if (found !== null) interpolations.set(at, found);
        return found;
      },
    });
    table.set(text, { compiled, interpolations, names });
    return compiled;
  }

  private tableOf({ shell, strict, wrapsPipes }: ShellTextOptions): Map<string, RepeatedText | null> {
    const key = (shell === 'bash' ? 1 : 0) + (strict ? 2 : 0) + (wrapsPipes === true ? 4 : 0);
    this.tables[key] ??= new Map<string, RepeatedText | null>();
    return this.tables[key];
  }
}

/** Whether compiling the text again would give the same result, apart from its values: all but these follows from the text. */
function isSame(
  known: RepeatedText,
  interpolations: ReadonlyMap<number, ShellInterpolation>,
  { isValue }: ShellTextOptions,
): boolean {
  for (const [name, was] of known.names) if (isValue(name) !== was) return false;
  for (const [at, { hole }] of known.interpolations)
    if (interpolations.get(at)?.hole.source !== hole.source) return false;
  return true;
}

function withValues(
  { compiled, interpolations: before }: RepeatedText,
  interpolations: ReadonlyMap<number, ShellInterpolation>,
): CompiledShellText {
  if (before.size === 0) return compiled;
  const values = new Map<Expr, Expr>();
  for (const [at, { hole }] of before)
    values.set(hole.value, (interpolations.get(at) as ShellInterpolation).hole.value);
  const put = <Part extends Hole>(part: string | Part): string | Part =>
    typeof part === 'string' ? part : { ...part, value: values.get(part.value) ?? part.value };
  const { template } = compiled;
  return {
    ...compiled,
    template: { ...template, parts: template.parts.map(put) },
    functionWords: () => compiled.functionWords().map((word) => ({ ...word, template: word.template.map(put) })),
  };
}
