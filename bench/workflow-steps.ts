/**
 * The cost of a workflow without its agents: five steps, each with an agent that changes a file and a gate, in a git
 * worktree, against the same agents and gates in a row. Git is most of the difference, so its processes are counted,
 * by a stand-in on PATH, in a run that is not timed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Row } from './row.js';
import { cli, inScratch, type Scratch } from './scratch.js';
import { milliseconds, spawned, takeTurns } from './timing.js';

const STEPS = 5;
const ROUNDS = 7;

/** One step: a model that thinks for no time at all. */
const step = (index: number): string => `  - name: s${index}
    type: code
    prompt: "Write file ${index}."
    agent: quick
    gate: [{ bash: "test -e file-${index}" }]
`;

const AGENT = `read -r prompt; number=\${prompt#* file }; echo "$prompt" > "file-\${number%.}"
echo '{"type":"result","result":"done","session_id":"s","total_cost_usd":0.01,"num_turns":1}'
`;

function project({ path, write }: Scratch): void {
  const numbers = Array.from({ length: STEPS }, (_, index) => index + 1);
  write('flow.yaml', `name: flow\nsteps:\n${numbers.map(step).join('')}`);
  write('agent.sh', AGENT);
  write('statedsl.config.yaml', 'agents: { quick: { adapter: command, run: [sh, ./agent.sh] } }\n');
  write(
    'alone.sh',
    numbers.map((n) => `echo "Write file ${n}." | sh ./agent.sh; bash -c 'test -e file-${n}'; rm file-${n}\n`).join(''),
  );
  const git = (...args: string[]) => execFileSync('git', args, { cwd: path, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-qm', 'start');
}

/** Git processes that one run starts. */
function gitProcesses({ path, write }: Scratch): number {
  const real = execFileSync('bash', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(join(path, '.git/stand-in'));
  const log = join(path, '.git/stand-in/calls');
  chmodSync(write('.git/stand-in/git', `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`), 0o755);
  const PATH = [join(path, '.git/stand-in'), process.env.PATH].join(delimiter);
  execFileSync(process.execPath, [cli, 'run', '--quiet', 'flow.yaml'], {
    cwd: path,
    env: { ...process.env, PATH },
    stdio: 'ignore',
  });
  return readFileSync(log, 'utf8').split('\n').length - 1;
}

export const workflowSteps: Row = {
  name: `${STEPS}-step workflow`,
  measure: () =>
    inScratch(async (scratch) => {
      const { path } = scratch;
      project(scratch);
      const [alone, ours, inPlace] = (await takeTurns(ROUNDS, [
        () => spawned('bash', ['alone.sh'], path),
        () => {
          spawned(process.execPath, [cli, 'run', '--quiet', 'flow.yaml'], path);
        },
        () => {
          spawned(process.execPath, [cli, 'run', '--quiet', 'flow.yaml', '--worktree=off'], path);
          for (let index = 1; index <= STEPS; index++) rmSync(join(path, `file-${index}`));
        },
      ])) as [number, number, number];
      const against = `of its agents and gates in a row, ${milliseconds(alone)}`;
      const count = gitProcesses(scratch);
      return [
        {
          what: `${STEPS}-step workflow in a worktree / agents alone`,
          sides: `${milliseconds(ours)} ${against}`,
          ratio: ours / alone,
        },
        {
          what: `${STEPS}-step workflow in place / agents alone`,
          sides: `${milliseconds(inPlace)} ${against}`,
          ratio: inPlace / alone,
        },
        {
          what: `git processes of the ${STEPS}-step workflow`,
          sides: `${(count / STEPS).toFixed(1)} a step`,
          ratio: count,
          unit: 'processes',
        },
      ];
    }),
};
