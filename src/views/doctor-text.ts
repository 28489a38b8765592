/** The findings of `statedsl doctor` as text. */
import { alignedLines, type Cell } from './drawing/columns.js';
import type { Paint } from './drawing/paint.js';
import { escapeControls, visibleLine } from './drawing/visible-text.js';

/** A program that statedsl needs; null if it is not installed or does not print its version. */
export interface FoundProgram {
  readonly name: string;
  readonly path: string | null;
  readonly version: string | null;
}

/** The program that confines agents; `problem`: why there is none, or null. */
export interface FoundSandboxProgram extends Omit<FoundProgram, 'name'> {
  /** Null: the system has none. */
  readonly name: string | null;
  readonly problem: string | null;
}

/** What an agent answered when it was asked. */
export interface ProbedAgent {
  readonly answer: string | null;
  /** US dollars; null is unknown. */
  readonly cost: number | null;
  readonly problem: string | null;
}

export interface FoundAgent {
  readonly name: string;
  readonly adapter: string;
  readonly model: string | null;
  /** What it may do; null if the configuration does not say so. */
  readonly allow: readonly string[] | null;
  /** `off`, `worktree` or `strict`. */
  readonly sandbox: string;
  /** What its program cannot be kept from, though it is not in `allow`. */
  readonly not_prevented: readonly { readonly permission: string; readonly reason: string }[];
  /** What to know about `allow` and the own settings of its program. */
  readonly remark?: string;
  /** The command line without the prompt; null if it is unknown. */
  readonly argv: readonly string[] | null;
  readonly probe?: ProbedAgent;
  /** The reason why the agent cannot be called, or null. */
  readonly problem: string | null;
}

export interface DoctorFindings {
  readonly status: 'ready' | 'missing';
  readonly version: string;
  readonly node: string;
  /** The path of the configuration file. */
  readonly configuration: string | null;
  readonly programs: readonly FoundProgram[];
  readonly sandbox: FoundSandboxProgram;
  readonly adapters: readonly (FoundProgram & { readonly adapter: string })[];
  readonly agents: readonly FoundAgent[];
}

export function drawFindings(found: DoctorFindings, paint: Paint): string {
  const { version, node, configuration, programs, sandbox, adapters, agents } = found;
  const sections = [
    ['', [`statedsl ${version}, Node.js ${node}`, ...programLines(programs, paint)]],
    ['sandbox of agents', sandboxLines(sandbox, paint)],
    ['agent programs', programLines(adapters, paint)],
    [
      configuration === null ? 'configured agents' : `agents of ${configuration}`,
      configuration === null ? ['none, because there is no statedsl.config.yaml'] : agentLines(agents, paint),
    ],
  ] as const;
  return sections
    .map(([title, lines]) => [...(title === '' ? [] : ['', paint.strong(title)]), ...lines].join('\n'))
    .join('\n')
    .concat('\n');
}

/** The words `yes` and `no` also work without colors and for screen readers. */
function mark(good: boolean, paint: Paint): Cell {
  return good ? { text: 'yes', paint: paint.success } : { text: 'no', paint: paint.warning };
}

function programLines(programs: readonly FoundProgram[], paint: Paint): string[] {
  return rows(
    programs.map(({ name, path, version }) => [
      mark(path !== null, paint),
      name,
      version ?? '',
      { text: path ?? 'not installed', paint: paint.faint },
    ]),
  );
}

function sandboxLines({ name, path, version, problem }: FoundSandboxProgram, paint: Paint): string[] {
  const where = problem === null ? (path ?? '') : visibleLine(problem);
  return rows([[mark(problem === null, paint), name ?? '', version ?? '', { text: where, paint: paint.faint }]]);
}

function agentLines(agents: readonly FoundAgent[], paint: Paint): string[] {
  if (agents.length === 0) return ['none'];
  return rows(
    agents.flatMap(({ name, adapter, argv, problem, not_prevented, remark }) => [
      [
        mark(problem === null, paint),
        escapeControls(name),
        adapter,
        problem === null
          ? { text: visibleLine(argv?.map(word).join(' ') ?? ''), paint: paint.faint }
          : { text: visibleLine(problem), paint: paint.error },
      ],
      ...not_prevented.map(({ permission, reason }) => [
        '',
        '',
        '',
        { text: visibleLine(`not kept from ${permission}: ${reason}`), paint: paint.warning },
      ]),
      ...(remark === undefined ? [] : [['', '', '', { text: visibleLine(remark), paint: paint.warning }]]),
    ]),
  );
}

function rows(cells: readonly (readonly Cell[])[]): string[] {
  const head = ['', '', '', ''].map((title) => ({ title }));
  return alignedLines(head, cells)
    .slice(1)
    .map((line) => `  ${line}`);
}

/** Quoted for a shell if necessary. */
function word(text: string): string {
  return /^[\w@%+=:,./$-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
