/**
 * Reports comparisons of a whole result with a text, for CHECKs without a written name: their JSON never equals a text.
 */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';

export class WholeResults {
  private readonly bound = new Map<string, Span>();
  private readonly reported = new Set<string>();

  constructor(private readonly diagnostics: Diagnostic[]) {}

  /** Another CHECK binds the name. `isWhole`: it binds the whole output. */
  bind(name: string, span: Span, isWhole: boolean): void {
    if (isWhole) this.bound.set(name, span);
    else this.bound.delete(name);
  }

  /** Called when the name is compared with a text. */
  compare(name: string, span: Span): void {
    const bound = this.bound.get(name);
    if (bound === undefined || this.reported.has(name)) return;
    this.reported.add(name);
    this.diagnostics.push(say.comparesWhole(span, { name, bound: { span: bound, text: `\`${name}\` is bound here` } }));
  }
}
