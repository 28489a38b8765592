/**
 * `statedsl explain`: what a code means, with a wrong and a right example. The examples are those of `docs/codes/`, and what
 * is said about the wrong one is the row of `docs/messages.md` that was printed from it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedFolder } from '../../app/project/find-workflow.js';
import { nearest } from '../../prelude/nearest.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface ExampleFile {
  readonly name: string;
  readonly text: string;
  /** The wrong and the right side have it in common. */
  readonly isShared: boolean;
}

interface ExampleSide {
  readonly files: readonly ExampleFile[];
  /** What shows the code. */
  readonly command: string;
}

export interface CodeExample {
  readonly wrong: ExampleSide;
  readonly right: ExampleSide;
}

/** The names of files whose block does not say one. */
const NAMES: Readonly<Record<string, string>> = {
  dsl: 'flow.dsl',
  json: 'plan.json',
  md: 'flow.md',
  yaml: 'workflow.yaml',
};

/**
 * The examples of a page: below the heading of a code the files that cause it (`wrong`) and those that do not (`right`).
 * Blocks with neither word belong to both, and a block of `sh` is the command line.
 */
export function examplesIn(page: string): Map<string, CodeExample> {
  const found = new Map<string, CodeExample>();
  for (const section of page.split(/^## (?=[a-z][\w-]*$)/m).slice(1)) {
    const end = section.indexOf('\n');
    found.set(section.slice(0, end), { wrong: sideOf(section, 'wrong'), right: sideOf(section, 'right') });
  }
  return found;
}

function sideOf(section: string, side: keyof CodeExample): ExampleSide {
  const other = side === 'wrong' ? 'right' : 'wrong';
  const blocks = [...section.matchAll(/^(`{3,})(\w+) ?(.*)\n([\s\S]*?\n)\1$/gm)].flatMap((match) => {
    const [language = '', info = '', text = ''] = match.slice(2);
    const words = info.split(' ');
    if (words.includes(other)) return [];
    const name = words.find((word) => word.includes('.')) ?? NAMES[language] ?? '';
    return [{ language, name, text, isShared: !words.includes(side) }];
  });
  const files = blocks.filter(({ language }) => language !== 'sh');
  const given = blocks.find(({ language }) => language === 'sh')?.text.trimEnd();
  const usual = Object.values(NAMES);
  const checked =
    files.find(({ name }) => name.endsWith('.test.dsl')) ?? files.find(({ name }) => usual.includes(name));
  return { files, command: given ?? `statedsl check ${checked?.name}` };
}

export async function explainCommand(given: string): Promise<ExitCode> {
  const docs = shippedFolder('docs');
  if (docs === null) return usageError('the folder `docs` of statedsl is missing', 'install statedsl again');
  const pages = readdirSync(join(docs, 'codes')).map((name) => readFileSync(join(docs, 'codes', name), 'utf8'));
  const examples = new Map(pages.flatMap((page) => [...examplesIn(page)]));
  const code = given.replace(/^.*\[(.*)\]:?$/, '$1').toLowerCase();
  const example = examples.get(code);
  if (example !== undefined) {
    stdout.write(explanationOf(code, rowOf(readFileSync(join(docs, 'messages.md'), 'utf8'), code), example));
    return EXIT.returned;
  }
  const kinds = kindsOf(readFileSync(join(docs, 'failures.md'), 'utf8'));
  const kind = code.replaceAll('-', '_');
  const when = kinds.get(kind);
  if (when !== undefined) {
    stdout.write(`\`${kind}\` is a kind of failure of a run\n\nWhen: ${when}\n\nHandle it: ON ERROR ${kind}: → …\n`);
    return EXIT.returned;
  }
  const near = nearest(code, [...examples.keys(), ...kinds.keys()]);
  return usageError(
    `there is no code \`${given}\``,
    near === undefined ? 'codes are in brackets, as in `error[unknown-name]`' : `did you mean \`${near}\`?`,
  );
}

interface ExplainedCode {
  readonly severity: string;
  readonly message: string;
  readonly help: string;
}

/** What `docs/messages.md` says about a code. */
function rowOf(page: string, code: string): ExplainedCode {
  const line = page.split('\n').find((one) => one.startsWith(`| [\`${code}\`]`)) ?? '';
  const [, severity = '', message = '', help = ''] = line
    .split(/(?<!\\)\|/)
    .slice(1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
  return { severity, message, help };
}

/** The kinds of failures in a run, with when each of them happens. */
function kindsOf(page: string): Map<string, string> {
  const rows = /^### Kinds of failures\n([\s\S]*?)^#/m.exec(page)?.[1] ?? '';
  return new Map([...rows.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, kind = '', when = '']) => [kind, when]));
}

function explanationOf(
  code: string,
  { severity, message, help }: ExplainedCode,
  { wrong, right }: CodeExample,
): string {
  const isCommon = wrong.command === right.command;
  const shared = wrong.files.filter(({ isShared }) => isShared);
  const parts = [
    ['Wrong:', ...ownLines(wrong, isCommon)],
    ['Right:', ...ownLines(right, isCommon)],
    ...(shared.length === 0 ? [] : [['Both with:', ...shared.flatMap((file) => fileLines(file, true))]]),
    ...(isCommon && !wrong.command.startsWith('statedsl check flow.') ? [[`Shown by: ${wrong.command}`]] : []),
  ];
  const next = help === '' ? '' : `Next step: ${help}\n`;
  return `${severity}[${code}]: ${message}\n${next}\n${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function ownLines({ files, command }: ExampleSide, isCommon: boolean): string[] {
  const own = files.filter(({ isShared }) => !isShared);
  const isNamed = own.some(({ name }) => !Object.values(NAMES).includes(name)) || own.length > 1;
  return [...(isCommon ? [] : [`  $ ${command}`]), ...own.flatMap((file) => fileLines(file, isNamed))];
}

function fileLines({ name, text }: ExampleFile, isNamed: boolean): string[] {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`.trimEnd());
  return isNamed ? [`  --- ${name}`, ...lines] : lines;
}
