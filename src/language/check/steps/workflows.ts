/** The files of workflows that a program calls. Each is found and parsed once, even if it is called several times. */
import type { Diagnostic } from '../../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../source/diagnostic.js';
import type { Program } from '../../syntax/ast.js';
import type { ParseFile } from '../collect.js';

/** Finds the text of a workflow, or returns the paths that were tried. `from` is the calling file. */
export type FindWorkflow = (
  name: string,
  from: string,
) => { readonly name: string; readonly text: string } | { readonly tried: readonly string[]; readonly near?: string };

type FoundWorkflow =
  | { readonly program: Program; readonly file: string }
  | { readonly tried: readonly string[]; readonly near?: string };

export interface Workflows {
  find(name: string, from: string): FoundWorkflow;
}

export function workflowsOf(
  sources: SourceSet,
  diagnostics: Diagnostic[],
  parse: ParseFile,
  find: FindWorkflow | undefined,
): Workflows {
  const known = new Map<string, FoundWorkflow>();
  return {
    find(name, from) {
      if (find === undefined) return { tried: [] };
      const found = find(name, from);
      if ('tried' in found) return found;
      const before = known.get(found.name);
      if (before !== undefined) return before;
      const index = sources.length;
      const file = sourceFile(found.name, found.text);
      sources.push(file);
      const parsed = parse(file, index);
      diagnostics.push(...parsed.diagnostics);
      const workflow = { program: parsed.program, file: found.name };
      known.set(found.name, workflow);
      return workflow;
    },
  };
}
