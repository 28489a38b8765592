/**
 * The text of a prompt. As in any text, a value is inserted once and never scanned again. In addition, a line with nothing
 * but placeholders without a value disappears, so that the prompt of a first attempt has no gaps.
 */
import type { Hole, Template } from '../../machine/expression.js';
import type { Thread } from '../run-state/thread.js';
import { render } from '../values/json.js';
import { limitedText } from '../values/operators.js';
import { compileTemplate } from '../values/template.js';

type Piece = { readonly literal: string } | { readonly value: (thread: Thread) => string };

export function compilePrompt(template: Template): (thread: Thread) => string {
  const pieces: Piece[] = template.map((part) => {
    if (typeof part === 'string') return { literal: part };
    const { value } = compileTemplate([part satisfies Hole]);
    return { value: (t) => render(value(t)) };
  });
  return (t) => limitedText(assemble(pieces, t));
}

/** The values of the attempt before that a prompt shows, wherever in it: `error`, `diff`. */
export function retryFieldsOf(template: Template): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      const { op, field } = value as { readonly op?: unknown; readonly field?: unknown };
      if (op === 'retry-key' && typeof field === 'string') found.add(field);
      Object.values(value).forEach(visit);
    }
  };
  visit(template);
  return found;
}

function assemble(pieces: readonly Piece[], thread: Thread): string {
  let text = '';
  let line = '';
  /** Whether the line has only spaces and empty values, with at least one value. */
  let holes = 0;
  let filled = false;
  for (const piece of pieces) {
    if ('value' in piece) {
      const value = piece.value(thread);
      holes++;
      if (value !== '') filled = true;
      line += value;
      continue;
    }
    let from = 0;
    for (let end = piece.literal.indexOf('\n'); end >= 0; end = piece.literal.indexOf('\n', from)) {
      line += piece.literal.slice(from, end);
      if (filled || holes === 0 || line.trim() !== '') text += `${line}\n`;
      line = '';
      holes = 0;
      filled = false;
      from = end + 1;
    }
    line += piece.literal.slice(from);
  }
  if (filled || holes === 0 || line.trim() !== '') return text + line;
  // The last line is removed together with the line end before it.
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}
