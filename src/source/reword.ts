/**
 * Words diagnostics as their files are spelled. A diagnostic is made with the words for text and keeps the facts that they
 * were made of; the same facts give the words for a workflow file.
 */
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { Diagnostic, Repair } from './diagnostic.js';
import type { SourceFile, SourceSet } from './source-file.js';
import { yamlSpelling } from './spelling.js';

/** The same diagnostics; those in YAML files quote YAML. */
export function inSpellingOfFiles(diagnostics: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  if (!sources.some(isYaml)) return diagnostics;
  return diagnostics.map((diagnostic) => {
    const source = sources[diagnostic.span.file];
    return source !== undefined && isYaml(source) ? inYaml(diagnostic, source) : diagnostic;
  });
}

function isYaml({ name }: SourceFile): boolean {
  return /\.ya?ml$/i.test(name);
}

function inYaml(diagnostic: Diagnostic, source: SourceFile): Diagnostic {
  const { code, severity, span, origin } = diagnostic;
  const {
    repair,
    labels: _labels,
    fix: _fix,
    ...words
  } = origin?.words(origin.facts, yamlSpelling(source)) ?? diagnostic;
  // Other places stay the ones of the diagnostic: it may have been moved since its facts were found.
  const made = {
    code,
    severity,
    span,
    ...words,
    ...omitUndefined({ labels: diagnostic.labels, fix: diagnostic.fix, origin }),
  };
  return repair !== undefined && fitsYaml(repair) ? { ...made, repair } : made;
}

/** A word is replaced alike in both spellings; lines and signs that a repair adds belong to text, unless it says otherwise. */
function fitsYaml(repair: Repair): boolean {
  return 'replace' in repair || repair.anySpelling === true;
}
