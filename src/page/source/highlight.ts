/**
 * Colors for the text of programs, by the grammar that editors use. It is loaded when a source is shown for the first time.
 * Colors are variables, so that they follow the theme of the system.
 */
import { codeToTokensBase, createCssVariablesTheme, createShikiPrimitive } from '@shikijs/core';
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import grammar from '../../../grammar/statedsl.tmLanguage.json' with { type: 'json' };
import { DATA_GRAMMARS, type Language } from './data-grammars.js';

/** A part of a line that has one color; null: the color of text. */
export interface ColoredText {
  readonly text: string;
  /** The name of a variable of the style, such as `--code-token-keyword`. */
  readonly color: string | null;
}

const THEME = createCssVariablesTheme({ name: 'page', variablePrefix: '--code-' });

const highlighter = createShikiPrimitive({
  langs: [{ ...grammar, name: 'statedsl' } as never, ...(DATA_GRAMMARS as never[])],
  themes: [THEME],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

/** The lines of a program. A line that takes longer than the limit, in milliseconds, keeps one color; 0: there is none. */
export function highlightProgram(text: string, lang: Language, limitMs = 50): ColoredText[][] {
  const lines = codeToTokensBase(highlighter, text, { lang, theme: 'page', tokenizeTimeLimit: limitMs });
  return lines.map((line) =>
    line.map(({ content, color }) => ({
      text: content,
      color: color === undefined || color === 'var(--code-foreground)' ? null : color.slice('var('.length, -1),
    })),
  );
}
