/**
 * Reads the text of a program by the name of its file, or returns a message. A workflow can also be named without
 * a path. Only some folders may be read.
 */
import { dirname } from 'node:path';
import type { Compilation } from '../../language/check/compile.js';
import { commandLineMessages as words } from '../../language/source/catalogue/command-line.js';
import { type Diagnostic, type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import { type Boundary, isProject, projectOf, type Readable } from '../../runtime/readable-file.js';
import { type WorkflowFolders, workflowPath } from './find-workflow.js';
import { type ProjectHost, pathOf } from './project-host.js';
import { decodeText, MAX_PROGRAM_BYTES, type Text, whyNotRead, withoutByteOrderMark } from './read-text.js';

export type NamedProgram =
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | BrokenProgram
  | MissingProgram;

/** The file exists but does not contain text. The compilation has only that error. */
interface BrokenProgram {
  readonly kind: 'broken';
  readonly compilation: Compilation;
}

interface MissingProgram {
  readonly kind: 'missing';
  /** A clause for a message: `cannot read …`. */
  readonly message: string;
}

/** The text of a program; `-` is standard input. `place`: where it may be, unless a person names it. */
export function readProgram(host: ProjectHost, path: string, boundary: Boundary = namedBoundary(host)): NamedProgram {
  const why = host.files.whyRefused(pathOf(host, path), boundary);
  if (why !== null) return { kind: 'missing', message: `cannot read \`${path}\`: ${why}` };
  const read = host.files.read(pathOf(host, path), MAX_PROGRAM_BYTES);
  if (read.kind === 'unreadable')
    return { kind: 'missing', message: `cannot read \`${path}\`: ${whyNotRead(read, path)}` };
  const name = path === '-' ? '<stdin>' : path;
  const text = decodeText(read.bytes);
  if (text.kind === 'text') return { kind: 'text', name, text: withoutByteOrderMark(text.text) };
  return { kind: 'broken', compilation: brokenFile(name, text) };
}

/** Reads a program by its path, or a workflow by the name that steps use. */
export function readNamed(host: ProjectHost, name: string, configuration: WorkflowFolders): NamedProgram {
  const read = readProgram(host, name);
  const path = read.kind === 'missing' ? workflowPath(host, name, configuration) : null;
  return path === null ? read : readProgram(host, path);
}

function brokenFile(name: string, { byte, nul, shown, at }: Extract<Text, { kind: 'binary' }>): Compilation {
  const span = { file: 0, start: at, end: Math.min(at + 1, shown.length) };
  const diagnostic = nul ? words.nulByte(span, { byte }) : words.invalidUtf8(span, { byte });
  // What has a NUL is hardly a program: it may be the environment of a process, or a key.
  return emptyCompilation([diagnostic], [sourceFile(name, nul ? shown.replace(/[^\r\n]/g, ' ') : shown)]);
}

/** A compilation that failed before the program was read. */
export function emptyCompilation(diagnostics: readonly Diagnostic[], sources: SourceSet): Compilation {
  return {
    machine: null,
    declared: null,
    machines: [],
    diagnostics,
    sources,
    explanations: [],
    lines: [],
    program: null,
    places: null,
    index: null,
  };
}

/** `program` is a path, or `-` or `<stdin>` for a text. */
export function readableFrom(host: ProjectHost, program: string): Readable {
  if (host.allowOutside) return 'all';
  const here = projectOf(host.folder);
  const folder = program === '-' || program === '<stdin>' ? null : dirname(pathOf(host, program));
  const own = folder === null ? [] : [folder === host.folder ? here : projectOf(folder)];
  return [...new Set(isProject(here) || own.length === 0 ? [...own, here] : own)];
}

/** Where a file may be that a person names on the command line. */
export function namedBoundary(host: ProjectHost): Boundary {
  return host.allowOutside ? 'all' : { named: host.folder };
}
