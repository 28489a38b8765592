/** `statedsl doctor`: what is installed here, and whether the agents of the configuration can be called. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLocator } from '../../app/project/command-finder.js';
import { loadSettings } from '../../app/project/settings.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { describeCall } from '../../runtime/agents/describe.js';
import type { Adapter } from '../../runtime/agents/programs/adapter.js';
import { nameableAdapters } from '../../runtime/agents/programs/adapters.js';
import { leaksOf } from '../../runtime/agents/programs/leaks.js';
import { allowedBy } from '../../runtime/agents/programs/permissions.js';
import { resolveAgent, unknownAgent } from '../../runtime/agents/resolve.js';
import { findSandbox } from '../../runtime/agents/sandbox/sandbox-program.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import { VERSION } from '../../runtime/version.js';
import {
  type DoctorFindings,
  drawFindings,
  type FoundAgent,
  type FoundProgram,
  type FoundSandboxProgram,
  type ProbedAgent,
} from '../../views/doctor-text.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { commandLineHost } from '../files/command-line-host.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { reportInvalid } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';

/** The time limit for printing a version, because some programs hang. */
const VERSION_MS = 5000;
const PIPE_MS = 500;
const LONGEST_VERSION = 60;

type Locate = (command: string) => string | null;

interface DoctorFlags {
  readonly json?: boolean;
  /** Asks each agent a question. */
  readonly probe?: boolean;
}

export async function doctorCommand(flags: DoctorFlags): Promise<ExitCode> {
  const { configuration, diagnostics, sources } = await loadSettings(commandLineHost(), '-');
  if (diagnostics.length > 0) return (await reportInvalid(diagnostics, sources, flags)).code;
  const examined = await examine(configuration, commandLocator(process.cwd(), process.env.PATH));
  const found = flags.probe === true ? await probe(examined, configuration) : examined;
  if (flags.json) stdout.write(`${JSON.stringify(found)}\n`);
  else stdout.write(drawFindings(found, await stdout.paint()));
  return found.status === 'ready' ? EXIT.returned : EXIT.failed;
}

async function examine(configuration: Configuration, locate: Locate): Promise<DoctorFindings> {
  const [programs, sandbox, adapters] = await Promise.all([
    Promise.all(['bash', 'git'].map((name) => examineProgram(name, locate))),
    examineSandbox(),
    Promise.all(
      nameableAdapters.map(async ({ name, program }) => ({
        adapter: name,
        ...(await examineProgram(program ?? name, locate)),
      })),
    ),
  ]);
  const versions = new Map(adapters.map(({ adapter, version }) => [adapter, version]));
  const names = Object.keys(configuration.agents);
  const agents = await Promise.all(names.map((name) => examineAgent(name, configuration, locate, versions)));
  return {
    status: agents.every(({ problem }) => problem === null) ? 'ready' : 'missing',
    version: VERSION,
    node: process.version,
    configuration: configuration.file,
    programs,
    sandbox,
    adapters,
    agents,
  };
}

async function examineSandbox(): Promise<FoundSandboxProgram> {
  const found = await findSandbox(process.env.PATH);
  return 'reason' in found
    ? { name: found.name, path: null, version: null, problem: found.reason }
    : {
        name: found.name,
        path: found.path,
        version: found.name === 'bwrap' ? await versionOf(found.path) : null,
        problem: null,
      };
}

const QUESTION = 'Answer with the single word yes, and do nothing else.';
const PROBE_MS = 120_000;

/** Asks each agent that can be called; says before what that may cost. */
async function probe(found: DoctorFindings, configuration: Configuration): Promise<DoctorFindings> {
  const callable = found.agents.filter(({ problem }) => problem === null);
  const limits = callable.map(({ name }) => {
    const most = configuration.agents[name]?.max_cost;
    return `${name} (${most === undefined ? 'no `max_cost`' : `at most $${most}`})`;
  });
  if (callable.length > 0)
    stderr.write(`asking one question costs the price of a short call each: ${visibleLine(limits.join(', '))}\n`);
  const answers = new Map<string, ProbedAgent>();
  for (const { name } of callable) answers.set(name, await ask(name, configuration));
  const agents = found.agents.map((agent) => {
    const answered = answers.get(agent.name);
    return answered === undefined ? agent : { ...agent, probe: answered, problem: answered.problem };
  });
  return { ...found, agents, status: agents.every(({ problem }) => problem === null) ? 'ready' : 'missing' };
}

/** In an empty folder, so that the agent finds nothing to work on. */
async function ask(name: string, { agents, folder }: Configuration): Promise<ProbedAgent> {
  const { compile } = await import('../../app/library/compile-text.js');
  const { run } = await import('../../app/library/run-machine.js');
  const { machine } = compile(
    `INPUT: prompt\nDO [timeout=${PROBE_MS}ms]: answer = Task(${name}) "{prompt}"\nRETURN: {answer}\n`,
  );
  if (machine === null) throw new Error('the question of the probe is not a program');
  const cwd = mkdtempSync(join(tmpdir(), 'statedsl-probe-'));
  try {
    const settings = { agents, folder, instead: {} };
    const { status, error, returned, cost } = await run(machine, {
      inputs: { prompt: QUESTION },
      agents: settings,
      cwd,
    });
    const answer = typeof returned === 'string' ? returned.trim().slice(0, LONGEST_VERSION) : null;
    return { answer, cost, problem: status === 'returned' ? null : (error?.message ?? `the call was ${status}`) };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function examineProgram(name: string, locate: Locate): Promise<FoundProgram> {
  const path = locate(name);
  return { name, path, version: path === null ? null : await versionOf(path) };
}

async function examineAgent(
  name: string,
  { agents, folder }: Configuration,
  locate: Locate,
  versions: ReadonlyMap<string, string | null>,
): Promise<FoundAgent> {
  const settings = { agents, folder, instead: {} };
  const agent = resolveAgent(name, settings);
  const { adapter, model = null, allow = null, sandbox = 'off' } = agents[name] ?? { adapter: '' };
  const not_prevented = agent === null ? [] : leaksOf(agent.adapter, agent.configuration);
  const allowed = agent === null ? null : allowedBy(agent.configuration);
  const remark = allowed === null ? null : (agent?.adapter.remark?.(allowed) ?? null);
  const facts = {
    name,
    adapter,
    model,
    allow,
    sandbox,
    not_prevented,
    ...omitUndefined({ remark: remark ?? undefined }),
  };
  if (agent === null) return { ...facts, argv: null, problem: unknownAgent(name, settings) };
  const prepared = await describeCall(name, agent, folder);
  if ('reason' in prepared) return { ...facts, argv: null, problem: prepared.reason };
  const confines = sandbox === 'off' ? null : await findSandbox(process.env.PATH);
  if (confines !== null && 'reason' in confines)
    return { ...facts, argv: prepared.argv, problem: `\`sandbox: ${sandbox}\`: ${confines.reason}` };
  const [program = ''] = prepared.argv;
  const problem =
    locate(program) === null
      ? problemWithProgram(program)
      : allow === null
        ? null
        : problemWithVersion(versions.get(adapter) ?? null, agent.adapter);
  return { ...facts, argv: prepared.argv, problem };
}

/** An older version would ignore its limits without a word. */
function problemWithVersion(version: string | null, { allowSince: since }: Adapter): string | null {
  const number = /\d+\.\d+\.\d+/.exec(version ?? '')?.[0];
  if (since === undefined || number === undefined) return null;
  return number.localeCompare(since, 'en', { numeric: true }) < 0
    ? `version ${number} does not know the limits of \`allow\`; ${since} is the first that does`
    : null;
}

function problemWithProgram(program: string): string {
  if (!program.includes('/')) return `the program \`${program}\` is not on PATH`;
  return existsSync(program)
    ? `\`${program}\` cannot be run: permission denied`
    : `the program \`${program}\` does not exist`;
}

/** The first line that the program prints, or null. */
async function versionOf(path: string): Promise<string | null> {
  const { execa } = await import('execa');
  const child = execa(path, ['--version'], { stdin: 'ignore', stderr: 'ignore', timeout: VERSION_MS, reject: false });
  // A child of the program may keep the pipe open forever.
  child.once('exit', () => setTimeout(() => child.stdout.destroy(), PIPE_MS).unref());
  const { exitCode, stdout } = await child;
  const line = exitCode === 0 ? stdout.trim().split('\n', 1)[0] : '';
  return line ? line.slice(0, LONGEST_VERSION) : null;
}
