/** Prints diagnostics as text for people, or with `--json` for programs. */
import { readFileSync } from 'node:fs';
import { type Diagnostic, type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { createRedactor, environmentSecrets, type Redactor } from '../../runtime/redact.js';
import type { FindingJson } from '../../views/diagnostics/findings-json.js';
import type { RunFlags } from '../running/run-flags.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { type Stream, stderr, stdout } from './streams.js';

/** Reports diagnostics, with `--json` as JSON. */
export async function reportInvalid(
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
  flags: Pick<RunFlags, 'json' | 'quiet'>,
): Promise<{ code: ExitCode }> {
  await printDiagnostics(diagnostics, sources, flags);
  if (flags.json) {
    const shown = await findingsOf(diagnostics, sources);
    stdout.write(`${JSON.stringify({ status: 'invalid', diagnostics: shown })}\n`);
  }
  return { code: EXIT.usage };
}

/** Diagnostics as `check --json` prints them. */
export async function findingsOf(diagnostics: readonly Diagnostic[], sources: SourceSet): Promise<FindingJson[]> {
  const { findingsJson } = await import('../../views/diagnostics/findings-json.js');
  if (diagnostics.length > 0) references ??= await readReferences();
  return findingsJson(withoutSecrets(diagnostics), sources, (code) => references?.get(code));
}

/** The part of the manual about each code, as `docs/messages.md` links it. */
let references: ReadonlyMap<string, string> | null = null;

async function readReferences(): Promise<ReadonlyMap<string, string>> {
  const { shippedFolder } = await import('../../app/project/find-workflow.js');
  const docs = shippedFolder('docs');
  const page = docs === null ? '' : readFileSync(`${docs}/messages.md`, 'utf8');
  const links = page.matchAll(/^\| \[`(.+?)`\]\((.+?)\)/gm);
  return new Map([...links].map(([, code = '', link = '']) => [code, `docs/${link}`]));
}

export async function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
  flags: Pick<RunFlags, 'quiet'>,
): Promise<void> {
  const shown = flags.quiet ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
  if (shown.length > 0) stderr.write(await drawn(shown, sources));
}

/** Diagnostics as text, in the colors of a stream. */
export async function drawn(
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
  stream: Stream = stderr,
): Promise<string> {
  // Drawing is loaded only when there is something to draw: a program without mistakes starts faster.
  const { drawDiagnostics } = await import('../../views/diagnostics/draw-diagnostic.js');
  const redactor = environmentRedactor();
  const masked = redactor === null ? sources : sources.map(({ name, text }) => sourceFile(name, redactor.mask(text)));
  return drawDiagnostics(withoutSecrets(diagnostics, redactor), masked, await stream.paint());
}

const environmentRedactor = (): Redactor | null => createRedactor(environmentSecrets(process.env, []));

/** A message quotes the text that it is about, and that may hold a secret. */
export function withoutSecrets(diagnostics: readonly Diagnostic[], redactor = environmentRedactor()): Diagnostic[] {
  if (redactor === null) return [...diagnostics];
  const hide = <T extends string | undefined>(text: T): T => (text === undefined ? text : (redactor.text(text) as T));
  return diagnostics.map(({ labels, notes, fixes, ...one }) => ({
    ...one,
    message: hide(one.message),
    ...omitUndefined({
      label: hide(one.label),
      help: hide(one.help),
      notes: notes?.map(hide),
      labels: labels?.map((label) => ({ ...label, text: hide(label.text) })),
      fixes: fixes?.map((fix) => ({
        ...fix,
        title: hide(fix.title),
        edits: fix.edits.map((edit) => ({ ...edit, text: hide(edit.text) })),
      })),
    }),
  }));
}

/** The same for what a command says about a text in another form, such as the edits that it made. */
export function hideSecrets<T>(value: T): T {
  return (environmentRedactor()?.value(value as Json) ?? value) as T;
}

/** With `quiet`, only the diagnostics that make the program invalid. */
export function filterDiagnostics(
  diagnostics: readonly Diagnostic[],
  { quiet, strict }: { readonly quiet?: boolean; readonly strict?: boolean },
): readonly Diagnostic[] {
  if (quiet !== true) return diagnostics;
  return diagnostics.filter(({ severity }) => severity === 'error' || (strict === true && severity === 'warning'));
}
