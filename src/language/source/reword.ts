/**
 * Rewords diagnostics for the spelling of their files. A diagnostic is created with the words for programs and keeps
 * its facts, which also produce the words for a workflow file.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Diagnostic, Repair, SourceFile, SourceSet } from './diagnostic.js';
import { yamlSpelling } from './diagnostic.js';

/** The same diagnostics. Those in YAML files quote YAML. */
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
    correction: _correction,
    ...words
  } = origin?.words(origin.facts, yamlSpelling(source)) ?? diagnostic;
  // Other locations are those of the diagnostic, which may have moved since its facts were recorded.
  const made = {
    code,
    severity,
    span,
    ...words,
    ...omitUndefined({ labels: diagnostic.labels, correction: diagnostic.correction, origin }),
  };
  return repair !== undefined && fitsYaml(repair) ? { ...made, repair } : made;
}

/**
 * Replacing a word is the same in both spellings. Repairs that add lines or signs apply only to programs, unless they
 * are marked otherwise.
 */
function fitsYaml(repair: Repair): boolean {
  return 'replace' in repair || repair.anySpelling === true;
}
