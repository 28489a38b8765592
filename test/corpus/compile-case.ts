/**
 * Compiles a case's program with the case's files and options, in memory. A check never depends on what is
 * installed here: only the programs named below, and those a case names, are on its PATH.
 */
import { posix } from 'node:path';
import { parse } from 'yaml';
import { callSupport } from '../../src/app/project/link-plans.js';
import { agentLookup } from '../../src/app/project/settings.js';
import type { CallSupport } from '../../src/language/check/callables.js';
import { type Compilation, type CompileOptions, compile } from '../../src/language/check/compile.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import { positionAt } from '../../src/language/source/diagnostic.js';
import { noConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { drawDiagnostics } from '../../src/views/diagnostics/draw-diagnostic.js';
import { memoryHost } from '../project/memory-host.js';
import type { Case } from './case-file.js';
import { filesOf, optionsOf, programOf } from './case-file.js';

const USUAL = new Set(
  'awk base64 bash cat chmod cp curl cut date dirname env false find git grep head jq ls mkdir mv node npm npx od printenv printf python3 rm sed seq sh sleep sort tail tar tee test touch tr true uniq wc xargs'.split(
    ' ',
  ),
);

export function compileOptions(the: Case): CompileOptions {
  const files = filesOf(the);
  const options = optionsOf(the);
  const { name } = programOf(the);
  const workflows = [...files.keys()].some((path) => path.startsWith('workflows/'));
  const configuration = files.get('statedsl.config.yaml');
  const agents = configuration === undefined ? {} : (parse(configuration).agents ?? {});
  return {
    name,
    explain: true,
    ...(workflows || !name.endsWith('.dsl') ? { parse: parseFile } : {}),
    commands: Object.keys(options.commands ?? {}),
    ...(options.machine === undefined ? {} : { machine: options.machine }),
    ...(options.strict === undefined ? {} : { strict: options.strict }),
    lookups: {
      ...(configuration === undefined ? {} : { agents: agentLookup({ ...noConfiguration, agents }, {}) }),
      ...(options.worktree === undefined ? {} : { worktree: options.worktree }),
      gate: (name) => gateOf(configuration, name),
      fileExists: (path) => files.has(posix.normalize(path)),
      onPath: (command) =>
        command.includes('/')
          ? files.has(posix.normalize(command))
          : USUAL.has(command) || (options.path ?? []).includes(command),
    },
    workflow: (name) => workflowOf(name, files),
    calls: () => supportOf(the, name, files),
    load: (path, from) => {
      const found = posix.normalize(posix.join(posix.dirname(from), path));
      const text = files.get(found);
      return text === undefined ? null : { name: found, text };
    },
  };
}

/** The files of a case are its project. */
export function workflowOf(name: string, files: ReadonlyMap<string, string>) {
  const tried = [`workflows/${name}.yaml`, `workflows/${name}.dsl`];
  const found = tried.find((path) => files.has(path));
  return found === undefined ? { tried } : { name: found, text: files.get(found) ?? '' };
}

/** The command that the configuration names for a gate. */
function gateOf(configuration: string | undefined, name: string): { command: string; timeoutMs: number } | null {
  const command = configuration === undefined ? undefined : parse(configuration).gates?.[name];
  return typeof command === 'string' ? { command, timeoutMs: 60_000 } : null;
}

const supports = new WeakMap<Case, CallSupport>();

/** One for all the programs that are made of a case. */
function supportOf(the: Case, name: string, files: ReadonlyMap<string, string>): CallSupport {
  const known =
    supports.get(the) ??
    callSupport(
      memoryHost((path) => files.get(path)),
      name,
      {},
    );
  supports.set(the, known);
  return known;
}

export function compileCase(the: Case): Compilation {
  return compile(programOf(the).text, compileOptions(the));
}

/** The messages of a compilation as `statedsl check` draws them, without colours. */
export function drawnDiagnostics(compilation: Compilation): string {
  return drawDiagnostics(compilation.diagnostics, compilation.sources);
}

/** What `check --explain` knows about parts of the program, one line each. */
export function explained(compilation: Compilation): string {
  return compilation.explanations
    .map(({ span, text }) => {
      const file = compilation.sources[span.file];
      if (file === undefined) throw new Error(`an explanation names file ${span.file}, which is none`);
      const { line, column } = positionAt(file, span.start);
      return `${line}:${column} ${text}\n`;
    })
    .join('');
}
