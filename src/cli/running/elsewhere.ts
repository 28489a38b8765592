/** What is said about a run that something else executes: it continues when a person leaves it, and may wait for a worker. */
import type { FollowOptions } from '../../app/execution-options.js';
import type { Paint } from '../../views/drawing/paint.js';
import { engineProblems } from '../../views/run-state.js';

/** What a person can do with a run that continues after an interruption. */
export function leftAlone(
  id: string,
  { hasBegun, flags, paint }: { readonly hasBegun: boolean; readonly flags: readonly string[]; readonly paint: Paint },
): string[] {
  const why = hasBegun ? 'the run continues' : 'the run may begin when a worker comes';
  const commands = hasBegun ? [`follow it with: statedsl ${['show', id, '--follow', ...flags].join(' ')}`] : [];
  const then = hasBegun ? '' : ' then';
  return [
    `${paint.warning('left alone')}: ${why}  ${paint.faint(`run ${id}`)}`,
    ...[...commands, `end it${then} with: statedsl ${['cancel', id, ...flags].join(' ')}`].map((line) => `  ${line}`),
  ];
}

/** Says why nothing comes of a run, each reason once. */
export function silenceLines(
  missing: (() => string) | undefined,
  say: (line: string) => void,
): NonNullable<FollowOptions['onSilence']> {
  let said = '';
  return (where) => {
    if (where === null) {
      if (missing !== undefined) say(missing());
      return;
    }
    const text = engineProblems(where).join('\n');
    if (text !== '' && text !== said) say(text);
    if (text !== '') said = text;
  };
}
