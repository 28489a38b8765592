/** `verify --write-tests`: a test file with a TEST for each confirmed trace. */
import { readFileSync, rmSync } from 'node:fs';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import type { Trace } from '../../lab/foresight/exploration.js';
import type { Verification } from '../../lab/foresight/verify-machine.js';
import { draftOf, type TestDraft, type TestStart } from '../../lab/testing/draft-tests.js';
import { writeTests } from '../../lab/testing/write-tests.js';
import { quoteText } from '../../language/format/print-expression.js';
import { entryAt, makeFolder } from '../../runtime/store/own-file.js';
import { commandLineHost, writeNamed } from '../files/command-line-host.js';
import { whyNotWritable } from '../files/replace-file.js';
import { stderr } from '../terminal/streams.js';

interface TestedProgram {
  /** The file of the program. */
  readonly program: string;
  /** Whether its file has other machines. */
  readonly isOneOfSeveral: boolean;
}

const COMMENT = '# Written by `statedsl verify --write-tests`, which writes it again.\n';

/** False: a file cannot be written, and it was printed. */
export async function writeTestsOf(
  folder: string,
  { program, isOneOfSeveral }: TestedProgram,
  verification: Verification,
  /** The files of this command, to which the new one is added. */
  files: Set<string>,
): Promise<boolean> {
  const { name } = verification.machine;
  const stem = basename(program, extname(program));
  const ending = program.endsWith('.statedsl') ? 'statedsl' : 'dsl';
  const file = freeName(join(folder, `${stem}${isOneOfSeveral ? `.${name}` : ''}`), ending, files);
  files.add(file);
  const refused = entryAt(folder) === null ? null : whyNotWritable(file);
  if (refused !== null) {
    stderr.write(`error: cannot write \`${file}\`: ${refused}\n`);
    return false;
  }
  const path = relative(resolve(folder), resolve(program)).split(sep).join('/');
  const start = startOf(verification);
  const drafts: TestDraft[] = [];
  const left: string[] = [];
  for (const [at, { title, trace }] of tracesOf(verification).entries()) {
    const named = `t${at + 1} ${title}`;
    const draft = draftOf(named, trace, start);
    if (draft === null) left.push(named);
    else drafts.push(draft);
  }
  const head = `TESTS: ${quoteText(path.startsWith('.') ? path : `./${path}`)}${isOneOfSeveral ? ` machine=${name}` : ''}`;
  const written = await writeTests({ file, head, comment: COMMENT, host: commandLineHost(), drafts });
  left.push(...written.left);
  if (left.length > 0) stderr.write(`no test was written for what a test cannot repeat: ${left.join(', ')}\n`);
  if (written.count === 0) return removeStale(file);
  const problem = write(folder, file, written.text);
  stderr.write(
    problem === null
      ? `wrote ${written.count} ${written.count === 1 ? 'test' : 'tests'} to ${file}\n`
      : `error: cannot write \`${file}\`: ${problem}\n`,
  );
  return problem === null;
}

/** Programs in different folders may have the same name. */
function freeName(beginning: string, ending: string, files: ReadonlySet<string>): string {
  let name = `${beginning}.verified.test.${ending}`;
  for (let number = 2; files.has(name); number++) name = `${beginning}.${number}.verified.test.${ending}`;
  return name;
}

/** Removes what an earlier command wrote here: its tests may fail now. */
function removeStale(file: string): boolean {
  try {
    if (!isOwn(file)) return true;
    rmSync(file);
    stderr.write(`removed ${file}, which would have no test\n`);
    return true;
  } catch (cause) {
    stderr.write(`error: cannot remove \`${file}\`: ${(cause as Error).message}\n`);
    return false;
  }
}

function isOwn(file: string): boolean {
  return entryAt(file)?.isFile() === true && readFileSync(file, 'utf8').startsWith(COMMENT);
}

/** Why it cannot be written; null: it is. A file that someone else wrote stays. */
function write(folder: string, file: string, text: string): string | null {
  try {
    if (entryAt(file)?.isFile() && !isOwn(file)) return 'it exists, and this command did not write it';
    if (entryAt(folder) === null) makeFolder(folder);
    return writeNamed(file, text);
  } catch (cause) {
    return (cause as Error).message;
  }
}

function startOf({ machine, options: { start } }: Verification): TestStart | null {
  if (start === undefined) return null;
  return { state: machine.states[start.state]?.name ?? '', with: start.with };
}

/** Confirmed traces, with what they show. */
function tracesOf({ ends, defects, properties }: Verification): { readonly title: string; readonly trace: Trace }[] {
  const all = [
    ...ends.map(({ status, state, error, trace }) => ({
      title: `${status}${error === null ? '' : ` ${error}`} in ${state}`,
      trace,
    })),
    ...defects.map(({ kind, line, trace }) => ({ title: `${kind} on line ${line}`, trace })),
    ...properties.flatMap(({ name, rules }) =>
      rules.map(({ verdict, trace }) => ({ title: `${name.replaceAll(/\s+/g, ' ')} is ${verdict}`, trace })),
    ),
  ];
  return all.flatMap(({ title, trace }) => (trace?.isConfirmed === true ? [{ title, trace }] : []));
}
