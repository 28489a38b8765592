/** `statedsl list`: the programs here, with their purpose and inputs. */
import {
  type ListedInput,
  type ListedPattern,
  type ListedPlan,
  type ListedProgram,
  listPrograms,
} from '../../app/project/list-programs.js';
import { countOf } from '../../views/drawing/amounts.js';
import type { Paint } from '../../views/drawing/paint.js';
import { cut, escapeControls, oneLine } from '../../views/drawing/visible-text.js';
import { isFolder } from '../files/folder-watch.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface ListFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const LONGEST_COMMENT = 160;

export async function listCommand(folder: string | undefined, flags: ListFlags): Promise<ExitCode> {
  const where = folder ?? '.';
  if (!isFolder(where))
    return usageError(
      `the directory \`${where}\` does not exist`,
      where === 'runs' ? 'list the runs: `statedsl runs`' : 'name a directory, or leave it out to list the current one',
    );
  const found = listPrograms(where);
  if (flags.json) {
    stdout.write(`${JSON.stringify(found)}\n`);
    return EXIT.returned;
  }
  const paint = await stdout.paint();
  const { programs, workflows, plans, patterns } = found;
  const parts = [
    part(
      'programs',
      programs.map((one) => programLines(one, paint)),
      paint,
    ),
    part(
      'workflows',
      workflows.map((one) => programLines(one, paint)),
      paint,
    ),
    part(
      'plans',
      plans.map((one) => planLines(one, paint)),
      paint,
    ),
    part(
      'patterns',
      patterns.map((one) => patternLines(one, paint)),
      paint,
    ),
  ].filter((text) => text !== '');
  stdout.write(parts.join('\n'));
  if (parts.length === 0 && !flags.quiet)
    stderr.write('there is nothing to run here; `statedsl init` writes a first flow\n');
  return EXIT.returned;
}

function part(title: string, entries: readonly string[], paint: Paint): string {
  return entries.length === 0 ? '' : `${paint.strong(title)}\n${entries.join('')}`;
}

const toLine = (text: string): string => oneLine(escapeControls(text));

function programLines({ path, name, comment, inputs, errors }: ListedProgram, paint: Paint): string {
  const called = name === null ? '' : ` (${toLine(name)})`;
  const wrong = errors === 0 ? '' : ` ${paint.error(countOf(errors, 'error'))}`;
  const lines = [`  ${paint.state(toLine(path))}${called}${wrong}`, ...commentLines(comment)];
  if (inputs.length > 0) lines.push(paint.faint(`    inputs: ${inputs.map(inputText).join(', ')}`));
  return `${lines.join('\n')}\n`;
}

function planLines({ path, calls, inputs, errors }: ListedPlan, paint: Paint): string {
  const wrong = errors === 0 ? '' : ` ${paint.error(countOf(errors, 'error'))}`;
  const lines = [`  ${paint.state(toLine(path))} (${countOf(calls, 'call')})${wrong}`];
  if (inputs.length > 0) lines.push(paint.faint(`    inputs: ${inputs.map(toLine).join(', ')}`));
  return `${lines.join('\n')}\n`;
}

function patternLines({ path, name, comment, parameters }: ListedPattern, paint: Paint): string {
  const given = parameters.map((one) => (one.default === null ? one.name : `${one.name}=${toLine(one.default)}`));
  const takes = given.length === 0 ? '' : ` with ${given.join(', ')}`;
  return `${[`  ${paint.state(toLine(name))}${takes} ${paint.faint(toLine(path))}`, ...commentLines(comment)].join('\n')}\n`;
}

function commentLines(comment: string | null): string[] {
  return comment === null ? [] : [`    ${cut(toLine(comment), LONGEST_COMMENT)}`];
}

function inputText({ name, type, required, default: value, choices, secret }: ListedInput): string {
  const notes = [
    ...(type === null || choices !== null ? [] : [type]),
    ...(choices === null ? [] : [`one of ${choices.map(toLine).join(', ')}`]),
    ...(secret ? ['secret'] : []),
    ...(required ? ['required'] : []),
  ];
  return `${name}${value === null ? '' : ` = ${toLine(value)}`}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}
