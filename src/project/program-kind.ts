/** The kind of a file, by the ending of its name: a workflow file, a plan, a document, or otherwise a program. */

/** The ending of its name distinguishes a workflow file from a program. */
export function isWorkflow(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** The ending of its name distinguishes a plan from a program. */
export function isPlan(name: string): boolean {
  return /\.json$/i.test(name);
}

/** Tests of a program are in a file of their own. */
export function isTestFile(name: string): boolean {
  return /\.test\.dsl$/i.test(name);
}

/** Standard input has no name, so it is never a document. */
export function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}
