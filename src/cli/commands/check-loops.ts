/** Replaces the warning `unbounded-cycle`, which only looks at the text, by what a short exploration finds. */
import { confirmedLoops, type LoopsFound } from '../../lab/foresight/confirmed-loops.js';
import { DEFAULTS } from '../../lab/foresight/explore-options.js';
import type { Compilation } from '../../language/check/compile.js';
import { flowMessages as say } from '../../language/source/catalogue/flow.js';
import { type Diagnostic, hasErrors, positionAt, type SourceFile } from '../../language/source/diagnostic.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';

/** A loop that repeats without end becomes `endless`; a cycle that certainly ends has no warning; others keep theirs. */
export function withConfirmedLoops(compilation: Compilation): Compilation {
  const { diagnostics, machines, sources } = compilation;
  if (hasErrors(diagnostics)) return compilation;
  const explored = new Map<Machine, LoopsFound>();
  const judged = diagnostics.flatMap((diagnostic): readonly Diagnostic[] => {
    if (diagnostic.code !== 'unbounded-cycle') return [diagnostic];
    const { span, fixes, notes = [] } = diagnostic;
    const source = sources[span.file] as SourceFile;
    const { line } = positionAt(source, span.start);
    const owners = machines.flatMap((machine) =>
      statesAt(machine, source.name, line).map((state) => ({ machine, state })),
    );
    const [owner, another] = owners;
    if (owner === undefined || another !== undefined) return [diagnostic];
    const { machine, state } = owner;
    const found = explored.get(machine) ?? confirmedLoops(machine, DEFAULTS);
    explored.set(machine, found);
    const loop = found.loops.find(({ states = [] }) => states.includes(state));
    if (loop !== undefined)
      return [
        {
          ...say.endless(span, { what: loop.message, program: sources[0]?.name ?? '', why: notes.slice(0, -1) }),
          ...omitUndefined({ fixes }),
        },
      ];
    return found.isComplete && !found.repeated.has(state) ? [] : [diagnostic];
  });
  return { ...compilation, diagnostics: judged };
}

function statesAt({ states, files, name }: Machine, file: string, line: number): string[] {
  return states.flatMap((state) =>
    state.code.some(({ origin }) => origin.line === line && (files[origin.file] ?? name) === file) ? [state.name] : [],
  );
}
