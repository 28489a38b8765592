/** The rooms of `src/` as data: what lives in each, what it may import, and the circles of imports that remain. ARCHITECTURE.md prints it. */

export interface Room {
  /** One or two sentences for the table in ARCHITECTURE.md. */
  readonly holds: string;
  /** Other rooms that its files may import. */
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  /** Whether it may use the modules that come with Node. */
  readonly node: boolean;
}

export const ROOMS: Readonly<Record<string, Room>> = {
  prelude: {
    holds:
      'what every room needs and TypeScript does not bring: `unreachable`, which ends a `switch`, and `omitUndefined`, the one way to leave out members; all other rooms may import it',
    rooms: [],
    packages: [],
    node: false,
  },
  source: {
    holds:
      'source file (offset ↔ line), Diagnostic, the catalogue of every code and its words, nearest-name suggestions, repairs; `foreign/`: how lines of other languages are written here',
    rooms: [],
    packages: [],
    node: false,
  },
  syntax: {
    holds:
      '`parse.ts`, and the tree (`ast.ts`, `step.ts` in both spellings, `plan-tree.ts`); `tokens/`: tokens, lexer modes, layout; `grammar/`: the Chevrotain parser and nothing else; `tree/`: CST → AST, templates and interpolations; `steps/` reads STEP and its sections',
    rooms: ['source'],
    packages: ['chevrotain'],
    node: false,
  },
  frontends: {
    holds:
      'other spellings of a program: regions of a Markdown document, the JSON of a plan, the YAML of its tools; `workflow/` reads workflow files, and prints them',
    rooms: ['source', 'syntax'],
    packages: ['yaml', 'mdast-util-from-markdown'],
    node: false,
  },
  machine: {
    holds: 'Machine: plain JSON, states of flat instructions, every name resolved to a slot',
    rooms: ['source'],
    packages: [],
    node: false,
  },
  check: {
    holds:
      'declarations and names; `compile.ts` is the pipeline on one screen; `lints/`, `graph/`: states and ways between them; `lower/` makes the code, `shell/` reads shell text; `steps/` resolves names and keys of steps and writes their instructions; `plan/` checks and compiles plans',
    rooms: ['source', 'syntax', 'machine'],
    packages: [],
    node: false,
  },
  interpreter: {
    holds:
      'the run: `run.ts` starts it and advances it, `settle.ts` takes what the world answers; `run-state/`: everything a run, its threads, forks and steps remember, without a client; `control/`: transfers, failures, joins, semaphores, budgets; `instructions/`: what each instruction does, linked by `link.ts`; `values/`: expressions and what they compute; `events/`; `record/`: snapshot, replay, migration; `agents/`: answers; `steps/`: attempts, gates, retries, keys; `undo/`: what UNDO registers and ROLLBACK performs; `plan/` runs a plan as one instruction, `plan/scheduler/` schedules its calls',
    rooms: ['machine'],
    packages: [],
    node: false,
  },
  runtime: {
    holds:
      'effects, redaction, mocks; `run/`: drive (the only loop that awaits) and how runs begin and end, `run/again/`: how they are resumed and replayed; `process/`: commands and what they print; `store/`: what is on disk; `tools/`: what calls of plans call; `agents/`: one call, `agents/programs/`: what is particular to each; `worktree/`, with `git/` and `apply/`; `configuration/`',
    rooms: ['machine', 'interpreter'],
    packages: ['yaml', 'ajv', 'uuid', '@modelcontextprotocol/sdk'],
    node: true,
  },
  project: {
    holds:
      'finds and reads what a project holds: programs and what they import, workflows, plans and their tools, the configuration; knows no command line, prints nothing and ends no process',
    rooms: ['source', 'syntax', 'frontends', 'machine', 'check', 'interpreter', 'runtime'],
    packages: [],
    node: true,
  },
  format: { holds: 'AST and comments → text', rooms: ['source', 'syntax'], packages: [], node: false },
  views: {
    holds:
      '`diagnostics/` as pictures, the `log/` of a run, its `report/`, the `graph/` of a program or plan, dry run, explanations, `steps/`; `drawing/`: colours, columns, words for amounts',
    rooms: ['source', 'machine', 'interpreter'],
    packages: ['chalk', 'string-width'],
    node: false,
  },
  cli: {
    holds:
      'one file a command, those about plans in `plan/`, what `init` writes in `init/`; `reading/`: from arguments to something that can run; `running/`: what all commands share that execute a run; the only room that reads argv, prints and exits',
    rooms: [
      'source',
      'syntax',
      'frontends',
      'machine',
      'check',
      'interpreter',
      'runtime',
      'project',
      'format',
      'views',
    ],
    packages: ['commander', '@bomb.sh/tab', '@viz-js/viz', 'log-update'],
    node: true,
  },
};
