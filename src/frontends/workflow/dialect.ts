/** Decides the dialect of a file by forms that only one of the two dialects has. */
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import { readNames } from './inputs.js';
import type { Dialect, ReaderContext, Sign } from './reader-context.js';

/** The first names of keys that exist only in one dialect. */
const ROOTS: Readonly<Record<string, Dialect>> = {
  steps: 'older',
  item: 'older',
  run: 'older',
  task: 'current',
  gate: 'current',
  prev: 'current',
};

/**
 * Forms of both dialects are a mistake, and the message shows both locations. A file without such forms is in the
 * current dialect.
 */
export function dialectOf(context: ReaderContext, items: readonly unknown[], inputs: ReadonlySet<string>): Dialect {
  const oldest = context.signs.some((sign) => sign.oldest === true);
  const tasks = oldest || context.signs.some(({ text }) => text === 'foreach');
  const signs: Sign[] = context.signs.filter(({ text }) => !oldest || text !== 'type');
  readNames(items, ({ name, alone, span }) => {
    const dialect = Object.hasOwn(ROOTS, name) && !alone && !inputs.has(name) ? ROOTS[name] : undefined;
    // Below `foreach` a task has both names.
    if (dialect !== undefined && !(tasks && name === 'task')) signs.push({ dialect, text: `{${name}.`, span });
  });
  const first = (dialect: Dialect, weak: boolean): Sign | undefined =>
    signs
      .filter((sign) => sign.dialect === dialect && (weak || sign.weak !== true))
      .sort((a, b) => a.span.start - b.span.start)[0];
  const older = first('older', false);
  const current = first('current', false);
  if (older !== undefined && current !== undefined) {
    const [before, after] = older.span.start < current.span.start ? [older, current] : [current, older];
    const label = {
      span: before.span,
      text: `this belongs to the ${before.dialect === 'older' ? 'older' : 'current'} one`,
    };
    context.diagnostics.push(words.dialects(after.span, { older: older.text, current: current.text, first: label }));
  }
  if (older !== undefined) return 'older';
  return current === undefined && first('older', true) !== undefined ? 'older' : 'current';
}
