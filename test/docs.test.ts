/**
 * What the documents show is true: every program in them compiles, or shows the message its fence names, and every
 * command line of README gives what stands below it.
 *
 * A fence says more after its language: `error=code` or `warning=code` for a program that must show that message,
 * `fragment` for lines that stand in a state, `workflow` for YAML that is a workflow file, `ignore` for a picture of
 * something that is no program.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { compile } from '../src/check/compile.js';
import { parseFile } from '../src/frontends/parse-file.js';
import { callSupport } from '../src/project/call-support.js';
import { drawDiagnostics } from '../src/views/diagnostics/diagnostic.js';
import { memoryHost } from './project/memory-host.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const DOCUMENTS = ['README.md', 'grammar/reference.md'];
/** Words that are no programs anywhere, so that what is said about missing ones can be shown. */
const MISSING = new Set(['Summarise', 'frobnicate']);

/** The tools and plans that the programs in the documents call. */
const SHOWN = memoryHost((name) => {
  const tools = ['verify', 'greet', 'build', 'report'].map((tool) => `${tool}: { run: ["./${tool}.sh"] }\n`);
  const calls = [{ _tool: 'report', subject: '†input.subject', _outputPath: '†state.summary' }];
  return name.endsWith('tools.yaml') ? tools.join('') : JSON.stringify({ calls });
});

interface Fence {
  readonly title: string;
  readonly language: string;
  readonly info: readonly string[];
  readonly text: string;
}

function fences(document: string): Fence[] {
  const found: Fence[] = [];
  const lines = readFileSync(join(root, document), 'utf8').split('\n');
  for (let at = 0; at < lines.length; at++) {
    const open = /^(`{3,}|~{3,})\s*(\S*)\s*(.*)$/.exec(lines[at] as string);
    if (open === null) continue;
    const [, mark, language, info] = open as unknown as [string, string, string, string];
    const start = at + 1;
    while (at + 1 < lines.length && lines[at + 1] !== mark) at++;
    at++;
    const text = `${lines.slice(start, at).join('\n')}\n`;
    found.push({ title: `${document}:${start}`, language, info: info.split(/\s+/).filter(Boolean), text });
  }
  return found;
}

const programs = DOCUMENTS.flatMap(fences).filter(
  ({ language, info }) => (language === 'dsl' || info.includes('workflow')) && !info.includes('ignore'),
);

/** Workflows that the documents call: one of an example, or a shipped one. */
function workflow(name: string) {
  const paths = ['examples/implement-spec/workflows', 'workflows'].map((folder) => `${folder}/${name}.yaml`);
  const path = paths.find((one) => existsSync(join(root, one)));
  return path === undefined ? { tried: paths } : { name: path, text: readFileSync(join(root, path), 'utf8') };
}

describe('programs in the documents', () => {
  test.each(programs)('$title', ({ title, language, info, text }) => {
    const load = (path: string) =>
      path.startsWith('std/')
        ? { name: path, text: readFileSync(join(root, 'patterns', `${path.slice(4)}.dsl`), 'utf8') }
        : null;
    const calls = () => callSupport(SHOWN, title, {});
    const onPath = (command: string) => !MISSING.has(command);
    const name = language === 'yaml' ? `${title}.yaml` : title;
    const { diagnostics, sources } = compile(text, {
      name,
      parse: parseFile,
      load,
      workflow,
      lookups: { onPath },
      calls,
    });
    const wanted = info
      .filter((word) => /^(error|warning)=/.test(word))
      .map((word) => word.replace('=', '[').concat(']'));
    const drawn = drawDiagnostics(diagnostics, sources);
    const shown = diagnostics.map(({ severity, code }) => `${severity}[${code}]`);
    if (wanted.length > 0)
      expect(
        wanted.filter((one) => !shown.includes(one)),
        drawn,
      ).toEqual([]);
    expect(
      shown.filter((one) => one.startsWith('error') && !wanted.includes(one)),
      drawn,
    ).toEqual([]);
  });
});

/** `$ statedsl …` lines of a block, each with the output that stands below it. */
function sessions({ text }: Fence): { command: string; output: string }[] {
  const blocks = text.split(/^(?=\$ )/m).filter((block) => block.startsWith('$ '));
  return blocks.map((block) => {
    const end = block.indexOf('\n');
    return { command: block.slice(2, end), output: block.slice(end + 1).trimEnd() };
  });
}

/** The program among the words of a command line. */
const STATEDSL = /(?<=^|&& |; |KILL 2 )(?:npx )?statedsl /g;
const scratch = mkdtempSync(join(tmpdir(), 'statedsl-docs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const shown = fences('README.md')
  .filter(({ language, info }) => ['sh', 'console'].includes(language) && !info.includes('ignore'))
  .flatMap((fence) => sessions(fence).map((session) => ({ title: fence.title, ...session })))
  .filter(({ command }) => command.search(STATEDSL) >= 0);

describe('command lines in README', () => {
  test.each(shown)('$title $command', ({ command, output }) => {
    const line = command.replaceAll(STATEDSL, `"${process.execPath}" "${join(root, 'dist/cli.js')}" `);
    const env = { ...process.env, NO_COLOR: '1', TMPDIR: scratch };
    const ran = spawnSync('bash', ['-c', `{ ${line}; } 2>&1`], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(steady(ran.stdout)).toBe(steady(output));
  });
});

/** Durations, run ids and processes differ from run to run, and so do the people who resume one. */
function steady(text: string): string {
  return text
    .trimEnd()
    .replace(/^.*: line \d+: +\d+ Killed.*$/gm, 'Killed')
    .replace(/^resumed by .*$/gm, 'resumed by PERSON')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'RUN')
    .replace(/\b\d+(\.\d+)?\s?(ms|s)\b/g, 'TIME');
}
