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

/** In the order of reading: language, run, world, use, doors. A room inside a folder has its own rule. */
export const ROOMS: Readonly<Record<string, Room>> = {
  prelude: {
    holds:
      'what every room needs: `unreachable` ends a `switch`, `omitUndefined` leaves out members, `nearest` finds the name that was meant, `reference` parses and prints data references, and `launcher` is what starts the program; all other rooms may import it',
    rooms: [],
    packages: [],
    node: false,
  },
  'language/source': {
    holds:
      'source files (offset ↔ line), Diagnostic and fixes; `catalogue/`: every code with its words; `foreign/`: how to write lines of other languages',
    rooms: [],
    packages: [],
    node: false,
  },
  'language/syntax': {
    holds:
      'the trees (`ast.ts`, `expression.ts`, `step.ts`, `plan-tree.ts`) and `parse.ts`; `tokens/`: tokens, lexer modes, indentation; `grammar/`: the rules, and what runs them; Chevrotain records and analyzes them for the build; `tree/`: CST → AST, templates and interpolations; `steps/`: STEP and its sections; `tests/`: the lines of test files',
    rooms: ['language/source'],
    packages: ['chevrotain'],
    node: false,
  },
  'language/frontends': {
    holds:
      'other spellings of a program: Markdown documents, plans in JSON, tools in YAML; `workflow/` reads and prints workflow files',
    rooms: ['language/source', 'language/syntax'],
    packages: ['yaml', 'mdast-util-from-markdown'],
    node: false,
  },
  'language/format': {
    holds: 'AST and comments → text',
    rooms: ['language/source', 'language/syntax'],
    packages: [],
    node: false,
  },
  'language/check': {
    holds:
      'from AST to Machine: `compile.ts` is the pipeline on one screen; `graph/`: states and the paths between them; `lints/`: warnings; `lower/`: instructions; `shell/`: shell text; `steps/`: names, keys and instructions of steps; `plan/`: plans',
    rooms: ['language/source', 'language/syntax', 'machine'],
    packages: [],
    node: false,
  },
  machine: {
    holds: 'the Machine: plain JSON with states of flat instructions, in which every name is a slot',
    rooms: [],
    packages: [],
    node: false,
  },
  interpreter: {
    holds:
      'the run: `run.ts` starts and advances it, `settle.ts` applies outcomes, `exchange.ts` does both for the loops that execute runs; `run-state/`: the state of a run, its threads, forks and steps; `control/`: transfers, failures, joins, semaphores, budgets; `instructions/`: one closure for each instruction; `values/`: expressions; `events/`; `record/`: snapshot, replay, migration; `agents/`: answers; `steps/`: attempts, gates, retries, keys; `undo/`; `plan/`: a plan as one instruction, with `plan/engine/` for nested plans and `plan/scheduler/` for the readiness of calls',
    rooms: ['machine'],
    packages: [],
    node: false,
  },
  'runtime/record': {
    holds:
      'the one reader of records: `RunModel` takes event after event, and knows visits, attempts, steps, waits, cost, active time and what a resume took back; `counted-events.ts`: which events a resume took back, for who executes a record again; what shows a run or judges it is a projection of it',
    rooms: ['machine', 'interpreter'],
    packages: [],
    node: false,
  },
  runtime: {
    holds:
      'effects, redaction; `pretended-world.ts`: mocks, scripts and other worlds that start nothing; `cassette/`: recorded worlds; `run/`: `drive`, the only loop that awaits, and the start and end of runs; `run/again/`: resume and replay; `process/`: commands and their output; `store/`: files on disk; `trace/`: spans of a run, and who gets them; `notifications/`: who learns that a run has ended; `tools/`: tools of plans; `agents/`: one agent call, with an adapter for each program in `agents/programs/`; `worktree/`, with `git/` and `apply/`; `configuration/`',
    rooms: ['machine', 'interpreter', 'runtime/record'],
    packages: ['yaml', 'ajv', 'uuid', 'execa', 'croner', '@modelcontextprotocol/client'],
    node: true,
  },
  'runtime/bridges': {
    holds:
      'programs that agents of some adapters are, each built as a script of its own: they speak to the service of a model, or to an agent over a protocol, and print what comes as lines of JSON',
    rooms: ['machine', 'runtime'],
    packages: [
      'ai',
      '@ai-sdk/openai',
      '@ai-sdk/anthropic',
      '@ai-sdk/google',
      '@ai-sdk/openai-compatible',
      '@agentclientprotocol/sdk',
      '@modelcontextprotocol/client',
      'ajv',
    ],
    node: true,
  },
  'app/project': {
    holds:
      'finds and reads the files of a project: programs, imports, workflows, plans, tools, the configuration; it has no command line, prints nothing and ends no process; `prepare.ts`: the one preparation, from a file or text to a program that can run',
    rooms: [
      'language/source',
      'language/syntax',
      'language/frontends',
      'language/check',
      'machine',
      'interpreter',
      'runtime',
    ],
    packages: [],
    node: true,
  },
  'app/library': {
    holds:
      'what `index.ts` exports for machines in memory: `compile`, `run`, effects, journals, runs in parts; without internal types',
    rooms: [
      'language/source',
      'language/syntax',
      'language/frontends',
      'language/format',
      'language/check',
      'machine',
      'interpreter',
      'runtime',
      'app/project',
      'views',
    ],
    packages: [],
    node: false,
  },
  app: {
    holds:
      '`Programs` and `Runs`: all that the command line, the service and programs that embed statedsl do with programs and runs; refusals are values; `folder/`: the runs of a folder on disk',
    rooms: [
      'language/source',
      'machine',
      'interpreter',
      'runtime/record',
      'runtime',
      'app/project',
      'app/library',
      'views',
      'lab/foresight',
    ],
    packages: [],
    node: true,
  },
  views: {
    holds:
      'texts for people: `diagnostics/`, the `log/` of a run, its `report/`, `compare/`: two runs next to each other, the `graph/` of a program or plan, the `picture/` that draws any graph, `export/`: programs in the forms of other tools, the dry run, explanations, `steps/`; `drawing/`: colors, columns, amounts',
    rooms: ['language/source', 'machine', 'interpreter', 'runtime/record'],
    packages: ['yaml', 'chalk', 'elkjs', 'string-width'],
    node: false,
  },
  'lab/foresight': {
    holds:
      'what a program can do: explores all runs of a machine with the interpreter, in which unknown values are decided late; defects, bounds and traces, confirmed by ordinary runs; `unknown/`: what is known of a value, and operations on it; `reductions/`: what need not be told apart',
    rooms: ['machine', 'interpreter'],
    packages: [],
    node: false,
  },
  'lab/testing': {
    holds:
      'tests of programs: reads a test file with its program, runs each test in a world of scripted answers and virtual time, and judges the run; `faults/`: the same runs with crashes, failures and other orders; `mutation/`: the same tests on programs with a mistake; `reporters/`: results as text',
    rooms: [
      'language/source',
      'language/syntax',
      'language/frontends',
      'language/format',
      'language/check',
      'machine',
      'interpreter',
      'runtime/record',
      'runtime',
      'app/project',
      'views',
      'lab/foresight',
    ],
    packages: [],
    node: true,
  },
  'lab/trials': {
    holds:
      'programs tried with their real agents: `trials.ts` has the operations of all doors, `read-cases.ts` reads the cases, `run-trial.ts` executes a run of the store for each, `judge-run.ts` judges it from its record; `statistics.ts`: how sure a rate is, and whether two differ',
    rooms: [
      'language/source',
      'language/syntax',
      'machine',
      'interpreter',
      'runtime/record',
      'runtime',
      'app/project',
      'app',
      'views',
      'lab/testing',
    ],
    packages: [],
    node: false,
  },
  'editor/ide': {
    holds:
      'questions about open programs, as functions on data: what a name means and where it occurs, renames, completion, hovers, outline, highlighting; it knows no protocol, no file and no clock',
    rooms: ['language/source', 'language/syntax', 'language/check', 'machine', 'views'],
    packages: [],
    node: false,
  },
  'editor/lsp': {
    holds:
      'the language server: `language-server.ts` is the protocol, `documents.ts` has the open texts with their analyses, `answers.ts` asks `editor/ide`',
    rooms: [
      'language/source',
      'language/check',
      'language/format',
      'language/frontends',
      'interpreter',
      'runtime',
      'app/project',
      'app/library',
      'views',
      'lab/testing',
      'machine',
      'editor/ide',
      'editor/debug',
    ],
    packages: ['vscode-languageserver-protocol', 'vscode-languageserver-textdocument'],
    node: true,
  },
  'editor/debug': {
    holds:
      'the debugger without a protocol: traps, where a run stops, frames and scopes, expressions; synchronous, and no file is read',
    rooms: ['language/source', 'language/syntax', 'language/check', 'machine', 'interpreter'],
    packages: [],
    node: false,
  },
  'editor/dap': {
    holds:
      'the debug adapter: `debug-adapter.ts` is the connection, `session.ts` has the requests, `debuggee.ts` is the run, which is executed (`live-run.ts`) or executed again from its record (`past-run.ts`)',
    rooms: [
      'language/source',
      'language/check',
      'machine',
      'interpreter',
      'runtime',
      'app/project',
      'app/library',
      'app',
      'views',
      'editor/debug',
    ],
    packages: ['@vscode/debugadapter'],
    node: true,
  },
  cli: {
    holds:
      '`main.ts` is the process, `command-line.ts` runs one command line; `arguments/`: the commands and their options as data; `commands/`: one file per command; `preparation/`: from arguments to a program that can run; `running/`: shared by commands that drive or show a run; `terminal/`: streams, exit codes and errors; `files/`: files that are read and replaced; the only room that reads argv, prints and exits',
    rooms: [
      'language/source',
      'language/syntax',
      'language/frontends',
      'language/format',
      'language/check',
      'machine',
      'interpreter',
      'runtime',
      'app/project',
      'app/library',
      'app',
      'views',
      'lab/foresight',
      'lab/testing',
      'lab/trials',
      'serve',
      'mcp',
      'engine',
      'engine/runs',
      'editor/lsp',
      'editor/dap',
    ],
    packages: ['commander', '@bomb.sh/tab', 'execa', 'log-update', 'vscode-languageserver-protocol'],
    node: true,
  },
  serve: {
    holds:
      'the service: operations on runs over HTTP; `access.ts`: who may use it; `schemas.ts`: what requests may hold; `answer-schemas.ts`: what answers hold; `routes/`; `executions/`: the queue, and processes that execute runs; `scheduler.ts`: what it starts at which times',
    rooms: ['machine', 'interpreter', 'runtime', 'app/library', 'app', 'lab/trials', 'engine/runs'],
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi', 'prom-client'],
    node: true,
  },
  mcp: {
    holds:
      'the door for coding agents, over the Model Context Protocol: `tool-definitions.ts`: the tools as data; `tool-calls.ts`: what each does; `forms.ts`: questions to people; `door.ts`: what they work on; `server.ts` answers one connection',
    rooms: ['machine', 'interpreter', 'runtime', 'app', 'views', 'serve'],
    packages: ['@modelcontextprotocol/server', 'hono', '@hono/node-server', 'zod'],
    node: true,
  },
  page: {
    holds:
      'the page, which runs in a browser: `data/`: where runs come from, over HTTP or from the file itself; `runs/`: the list; `run/`: the screen of a run and what its parts share; `record/`, `timeline/`, `graph/`, `source/`, `output/`: its parts; `acting/`: what a person can do with a run; `timeline/` and `history/` also have models of a run that take event after event; `shell/`: what all screens use; `style/`: looks',
    rooms: ['machine', 'interpreter', 'runtime/record', 'views', 'app'],
    packages: [
      'preact',
      '@preact/signals',
      '@tanstack/virtual-core',
      'uplot',
      'diff2html',
      'elkjs',
      '@shikijs/core',
      '@shikijs/engine-javascript',
      'anser',
    ],
    node: false,
  },
  engine: {
    holds:
      'runs on a durable-execution engine, which remembers them instead of a folder: `turn.ts` executes a run until it waits or ends, `run-object.ts` holds its record and its mail, `shared-object.ts` has the limits and the memo that all runs share, `engine-context.ts` is all that they need of an engine; `restate-services.ts` offers them on Restate, `worker-host.ts` performs effects, `client.ts` reaches a run over HTTP, `mirror.ts` writes it as a folder',
    rooms: ['machine', 'interpreter', 'runtime'],
    packages: ['fflate'],
    node: true,
  },
  'engine/runs': {
    holds:
      'the runs of an engine as `Runs`: they are submitted, followed and continued there, and read as copies in a folder; for a program that embeds statedsl, the client and the services of a worker',
    rooms: ['machine', 'interpreter', 'runtime', 'app/project', 'app/library', 'app', 'engine'],
    packages: [],
    node: true,
  },
};
