/** What the parser reads in every valid program of the corpus and the examples, for other readers of the language. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CompileOptions, compile } from '../../src/language/check/compile.js';
import { interpolationEnd } from '../../src/language/syntax/tokens/interpolation-scan.js';
import { tokenize } from '../../src/language/syntax/tokens/lexer.js';
import { everyVerb, isSection } from '../../src/language/syntax/tokens/verbs.js';
import { CASE_KINDS, casesOf, programOf } from '../corpus/case-file.js';
import { compileOptions } from '../corpus/compile-case.js';

export interface ReadProgram {
  readonly name: string;
  readonly text: string;
  /** `verb 0 4`: what it is, and its offsets in UTF-8. */
  readonly tokens: readonly string[];
}

/** The words of a token that are its verb. */
const words = /^(?:FOR EACH|ON ERROR|ELSE IF|\w+)/;
const texts = new Map([
  ['Quoted', 'string'],
  ['Word', 'name'],
  ['Name', 'name'],
  ['StepName', 'name'],
  ['Bind', 'name'],
  ['CallBind', 'name'],
  ['Capture', 'name'],
]);

function read(name: string, text: string, options: CompileOptions = {}): ReadProgram {
  const bytes = (offset: number) => Buffer.byteLength(text.slice(0, offset));
  const tokens = tokenize(text).tokens.flatMap(({ tokenType, image, startOffset }) => {
    const verb = words.exec(image)?.[0] ?? '';
    const isVerb = (everyVerb as readonly string[]).includes(verb) || isSection(verb);
    const kind =
      texts.get(tokenType.name) ?? (isVerb && tokenType.matcher !== null && verbs.has(tokenType.name) ? 'verb' : null);
    if (kind === null) return [];
    const length =
      kind === 'verb' ? verb.length : kind === 'name' ? image.replace(/[ \t]*=$/, '').length : image.length;
    return [`${kind} ${bytes(startOffset)} ${bytes(startOffset + length)}`];
  });
  // What a text contains is no token of its line.
  const { index } = compile(text, { ...options, index: true });
  const inside = (index?.occurrences ?? [])
    .filter(
      ({ span: { file, start } }) => file === 0 && text[start - 1] === '{' && interpolationEnd(text, start - 1) > 0,
    )
    .filter(({ span: { start, end } }) => /^[A-Za-z_]\w*$/.test(text.slice(start, end)))
    .map(({ span: { start, end } }) => `name ${bytes(start)} ${bytes(end)}`);
  return { name, text, tokens: [...tokens, ...inside] };
}

const verbs: ReadonlySet<string> = new Set([
  ...everyVerb.map((verb) => verb.toLowerCase().replace(/(?:^| )\w/g, (one) => one.trim().toUpperCase())),
  ...['Context', 'Prompt', 'Session', 'Agent', 'Workflow', 'Gate', 'Retry', 'Each', 'DoForEach', 'UndoCall'],
]);

export function validPrograms(root: string): ReadProgram[] {
  const cases = CASE_KINDS.filter((kind) => !['session', 'plans', 'plan-runs', 'ide'].includes(kind)).flatMap((kind) =>
    casesOf(kind).flatMap((the) => {
      if (!the.sections.some((section) => section.name === 'program')) return [];
      const { text } = programOf(the);
      const { diagnostics } = compile(text, compileOptions(the));
      const valid = !diagnostics.some(({ severity }) => severity === 'error');
      return valid ? [read(`${kind}/${the.name}`, text, compileOptions(the))] : [];
    }),
  );
  const files = ['examples', 'patterns'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.dsl') && !name.endsWith('.test.dsl'))
      .map((name) => read(`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8'))),
  );
  return [...cases, ...files];
}
