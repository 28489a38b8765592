/** A project in a git repository, with an agent that does what its prompt says: every line of it is a command. */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { git as gitIn } from '../harness/process.js';
import { type ProjectFolder, projectFolder, type Result } from './statedsl.js';

export interface Project extends ProjectFolder {
  git(...args: string[]): string;
  /** All that a person may notice of their repository. */
  look(): Record<string, string>;
  /** The worktree of the latest run, or a file in it. */
  worktree(name?: string): string;
}

const AGENT = `#!/bin/bash
prompt=$(cat)
eval "$prompt" >&2
echo '{"type":"result","result":"done","session_id":"s","total_cost_usd":0.01,"num_turns":1}'
`;

const CONFIGURATION = `agents:
  coder: { adapter: command, run: ["./agent.sh"] }
`;

/** With one commit of these files. Hooks fail, signing is wanted and git knows no name. */
export function project(files: Readonly<Record<string, string>>): Project {
  const one = projectFolder({ 'agent.sh': AGENT, 'statedsl.config.yaml': CONFIGURATION, ...files });
  chmodSync(join(one.folder, 'agent.sh'), 0o755);
  const git = (...args: string[]): string => gitIn(one.folder, ...args);
  git('init', '-q', '-b', 'main');
  git('add', '--all');
  git('commit', '-q', '-m', 'begin');
  const settings = '[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n[user]\n\tuseConfigOnly = true\n';
  appendFileSync(join(one.folder, '.git/config'), settings);
  for (const hook of ['pre-commit', 'post-checkout', 'post-commit', 'reference-transaction']) {
    writeFileSync(join(one.folder, '.git/hooks', hook), '#!/bin/sh\nexit 1\n');
    chmodSync(join(one.folder, '.git/hooks', hook), 0o755);
  }
  const bytes = (name: string): string => readFileSync(join(one.folder, '.git', name)).toString('base64');
  return {
    ...one,
    git,
    look: () => ({
      head: bytes('HEAD'),
      index: bytes('index'),
      config: bytes('config'),
      exclude: bytes('info/exclude'),
      branches: git('for-each-ref').replace(/^.*refs\/heads\/statedsl\/.*\n/gm, ''),
      status: git('--no-optional-locks', 'status', '--porcelain'),
      files: readdirSync(one.folder)
        .filter((name) => name !== '.statedsl')
        .sort()
        .join(' '),
    }),
    worktree(name = '') {
      const folder = join(one.folder, '.statedsl/worktrees');
      const latest = readdirSync(folder)
        .filter((entry) => !entry.includes('--') && !entry.startsWith('.') && !entry.endsWith('.json'))
        .sort()
        .pop();
      return join(folder, latest ?? '', name);
    },
  };
}

/** A workflow file of steps that do what they say, one after the other. */
export function workflow(...steps: readonly (readonly [name: string, commands: string, more?: string])[]): string {
  const lines = steps.map(
    ([name, commands, more = '']) =>
      `  - name: ${name}\n    type: code\n    get: { prompt: ${JSON.stringify(commands)} }\n    run: { agent: coder }\n${more}`,
  );
  return `steps:\n${lines.join('')}`;
}

export const reportOf = ({ stdout, stderr }: Result) => {
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
};

/** A git that kills its caller once: before its call with this number, or right after it. */
export function deadlyGit(one: ProjectFolder, number: number, when: 'before' | 'after'): Record<string, string> {
  const folder = join(one.folder, '.statedsl', 'deadly');
  mkdirSync(folder, { recursive: true });
  const real = (process.env.PATH ?? '').split(':').find((path) => existsSync(join(path, 'git')));
  const count = join(folder, 'count');
  const kill = `if [ $(wc -c < '${count}') = ${number} ]; then kill -9 $PPID; fi`;
  const text = `#!/bin/sh\nprintf x >> '${count}'\n${when === 'before' ? kill : ''}\n'${real}/git' "$@"\ncode=$?\n${when === 'after' ? kill : ''}\nexit $code\n`;
  writeFileSync(join(folder, 'git'), text);
  chmodSync(join(folder, 'git'), 0o755);
  return { PATH: `${folder}:${process.env.PATH}` };
}
