/** The resolved steps by line, for `check --explain`, in the same words as in a dry run. */
import { lineText, type SourceSet, type Span } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import type { Explanation } from '../diagnostics/fixes.js';
import { describeState } from '../instruction.js';
import { referenceWords } from './references.js';

/** What was chosen where a text could mean several things, and what the steps are, by location. */
export function explainAll(
  all: readonly Explanation[],
  machines: readonly Machine[],
  sources: SourceSet,
): Explanation[] {
  const explanations = all.filter(({ isChoice }) => isChoice !== false);
  const steps = machines.flatMap((machine) => explainSteps(machine, sources));
  if (steps.length === 0) return withoutRepeats(explanations);
  const position = ({ span }: Explanation): number[] => [span.file, span.start];
  return withoutRepeats([...explanations, ...steps]).sort((a, b) => {
    const [[fileA = 0, startA = 0], [fileB = 0, startB = 0]] = [position(a), position(b)];
    return fileA - fileB || startA - startB;
  });
}

/** An explanation that is the same at each use of a pattern appears once, at the line of the pattern. */
function withoutRepeats(list: readonly Explanation[]): Explanation[] {
  const known = new Set<string>();
  return list.filter(({ span, text }) => {
    const key = `${span.file}:${span.start}:${span.end}:${text}`;
    return !known.has(key) && known.add(key) !== undefined;
  });
}

function explainSteps(machine: Machine, sources: SourceSet): Explanation[] {
  return machine.states.flatMap((state) =>
    describeState(state, machine).flatMap(({ instruction, lines, reads, position }) => {
      if (position.path === null && instruction.op !== 'tasks') return [];
      const { origin } = instruction;
      const span = lineSpan(machine.files[origin.file] ?? '', origin.line, sources);
      if (span === null) return [];
      const step = position.path === null ? '' : `step \`${position.path}\`: `;
      const read = reads.map((one) => `reads ${referenceWords(one)}`);
      return [...lines, ...read].map((text) => ({ span, text: step + text }));
    }),
  );
}

/** The text of the line. */
function lineSpan(name: string, line: number, sources: SourceSet): Span | null {
  const file = sources.findIndex((source) => source.name === name);
  const source = sources[file];
  const start = source?.lineStarts[line - 1];
  if (source === undefined || start === undefined) return null;
  const text = lineText(source, line);
  const lead = text.length - text.trimStart().length;
  return { file, start: start + lead, end: start + text.trimEnd().length };
}
