/**
 * One program in one case: a home, a project under git, a configuration, and the model that answers. What statedsl prints and
 * records is given back to the case; processes that are left at the end are ended, and count as a failure.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa, execaSync } from 'execa';
import { homeFor } from './homes.mjs';
import { startModel } from './model.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Another build may be tried. */
const CLI = process.env.STATEDSL_CLI ?? join(root, 'dist', 'cli.js');
const MARK = 'STATEDSL_AGENT_TEST';
const MOMENT_MS = 5000;

function git(project, ...words) {
  execaSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...words], { cwd: project });
}

/** Processes of this case that still run, by the variable that all of them inherit. */
export function processesOf(mark) {
  const found = [];
  for (const pid of process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${MARK}=${mark}`)) continue;
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      if (words !== '') found.push({ pid: Number(pid), words });
    } catch {
      // It ended meanwhile, or belongs to somebody else.
    }
  }
  return found;
}

function endProcesses(mark) {
  for (const { pid } of processesOf(mark))
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
}

const readJson = (text) => JSON.parse(text);
const linesOf = (text) => text.split('\n').filter((line) => line !== '');

/** Processes that still run after a while: what ends because its program has ended needs a moment for it. */
async function processesLeft(mark) {
  const until = Date.now() + MOMENT_MS;
  for (;;) {
    const left = processesOf(mark);
    if (left.length === 0 || Date.now() > until) return left;
    await setTimeout(50);
  }
}

/** The newest run of a project: its state, its events, and what it says of each call of an agent. */
function recordOf(project) {
  const runs = join(project, '.statedsl', 'runs');
  const names = readdirSync(runs).filter((name) => !name.endsWith('.ndjson'));
  const folder = join(runs, names.sort().at(-1) ?? '');
  const events = linesOf(readFileSync(join(folder, 'journal.ndjson'), 'utf8')).map(readJson);
  const state = readJson(readFileSync(join(folder, 'state.json'), 'utf8'));
  const agents = new Set(events.filter(({ kind }) => kind === 'agent').map(({ effect }) => effect));
  const calls = events.filter(({ type, effect }) => type === 'effect_settled' && agents.has(effect));
  return { folder, events, state, calls: calls.map(({ outcome }) => outcome) };
}

/** `record` names the files that recording programs write to. */
export async function openStage(program, { programs, limitMs, endsProcesses, record = null }) {
  const folder = mkdtempSync(join(tmpdir(), `statedsl-agents-${program}-`));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  const mark = folder.slice(-6);
  mkdirSync(project);
  // Beside the home: a program may refuse to have its own in a folder for temporary files.
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const running = new Set();
  const models = [];
  let url = null;

  const write = (path, text) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  const stage = {
    program,
    project,
    requests: [],
    /** Whether the program itself has the tools of `statedsl mcp`. */
    hasServer: false,
    write,
    read: (path) => {
      try {
        return readFileSync(join(project, path), 'utf8');
      } catch {
        return null;
      }
    },
    commit() {
      git(project, 'add', '--all');
      git(project, 'commit', '--quiet', '--message', 'begin');
    },
    /** The agent `it` is the program; `more` are members of its configuration, or those of each program by its name. */
    configure(more = {}) {
      write('statedsl.config.yaml', JSON.stringify({ agents: { it: { adapter: program, ...more } } }));
    },
    /** Starts the model with a script; what it was asked is in `requests`. */
    async model(script, port) {
      const model = await startModel(script, port);
      models.push(model);
      url = model.url;
      stage.requests = model.requests;
      return model;
    },
    useUrl(text) {
      url = text;
    },
    /** Starts statedsl; `words` are its arguments. */
    start(words, env = {}) {
      return stage.launch(process.execPath, [CLI, ...words], env);
    },
    /** Starts the program itself, with the plugin, and statedsl on its PATH. */
    startProgram(words) {
      const bin = join(folder, 'bin');
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, 'statedsl'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, { mode: 0o755 });
      return stage.launch(join(programs, program), words, { PATH: `${bin}:${programs}:${process.env.PATH}` });
    },
    plugin: join(root, 'plugin'),
    launch(file, words, env) {
      const child = execa(file, words, {
        cwd: project,
        extendEnv: false,
        env: {
          PATH: `${programs}:${process.env.PATH}`,
          LANG: 'C.UTF-8',
          TERM: 'dumb',
          TMPDIR: temporary,
          ...homeFor(program, home, url, { endsProcesses, server: stage.hasServer }),
          [MARK]: mark,
          ...(record === null ? {} : { STATEDSL_RECORD: record }),
          ...env,
        },
        stdin: 'ignore',
        reject: false,
        stripFinalNewline: false,
        timeout: limitMs,
        killSignal: 'SIGKILL',
      });
      running.add(child);
      let log = '';
      child.stderr.on('data', (piece) => (log += piece));
      const ended = child.then(({ exitCode, signal, stdout, stderr }) => {
        running.delete(child);
        return { code: exitCode ?? null, signal: signal ?? null, stdout, log: stderr };
      });
      return { child, ended, log: () => log };
    },
    /** Runs statedsl to its end; gives its exit code, log, summary, and what is on record. */
    async statedsl(words, env) {
      const { code, signal, stdout, log } = await stage.start([...words, '--json', '--log'], env).ended;
      stage.log = log;
      if (signal !== null) throw new Error(`statedsl did not end:\n${log}`);
      const summary = stdout.trim() === '' ? null : readJson(stdout);
      const result = { code, log, summary, ...recordOf(project) };
      if (record !== null) writeFileSync(`${record}.json`, JSON.stringify({ folder, calls: result.calls }));
      return result;
    },
    /** Runs a flow; its text is a script of steps. */
    run(flow, words = [], env = {}) {
      write('flow.dsl', flow);
      stage.commit();
      return stage.statedsl(['run', 'flow.dsl', ...words], env);
    },
    record: () => recordOf(project),
    left: () => processesOf(mark),
    async close({ keep = false } = {}) {
      for (const child of running) child.kill('SIGKILL');
      const left = await processesLeft(mark);
      endProcesses(mark);
      for (const model of models) await model.close();
      if (keep) console.log(`  kept: ${folder}`);
      else rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      return left;
    },
  };
  git(project, 'init', '--quiet');
  write('.gitignore', '.statedsl/\n');
  stage.configure();
  return stage;
}
