/** What a file is, by the end of its name: a workflow file, a plan, a document, or else the language itself. */

/** The end of its name distinguishes a workflow file from a program. */
export function isWorkflow(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** The end of its name distinguishes a plan from a program. */
export function isPlan(name: string): boolean {
  return /\.json$/i.test(name);
}

/** Standard input has no name that could say so. */
export function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}
