/** What a file is, by the end of its name: a workflow file, a plan, a document, or else the language itself. */

/** A workflow file is told from a program by the end of its name. */
export function isWorkflow(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** A plan is told from a program by the end of its name. */
export function isPlan(name: string): boolean {
  return /\.json$/i.test(name);
}

/** Standard input has no name that could say so. */
export function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}
