/** A program that was compiled before is compiled again exactly if something differs that its compilation depends on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compileProgram } from '../../src/app/project/compile-program.js';
import { compileOnce } from '../../src/app/project/prepare.js';
import type { Cache } from '../../src/prelude/launcher.js';
import { digestOf } from '../../src/runtime/store/image.js';
import { memoryHost } from './memory-host.js';

function memoryCache(): Cache & { readonly written: () => number } {
  const stored = new Map<string, { label: string; content: Buffer }>();
  let written = 0;
  return {
    read: (name) => stored.get(name) ?? null,
    write(name, label, content) {
      written++;
      stored.set(name, { label, content: Buffer.from(content) });
    },
    written: () => written,
  };
}

/** The compiler asks about everything here: an import, a file, an agent, a gate, a repository. */
const PROGRAM = `IMPORT: "more.dsl"
INPUT: who = "a"
STATE: FIRST
  DO: ./tool {who}
  USE: greet
  STEP: build
    AGENT: someone
    PROMPT:
      do it
    GATE:
      test
  RETURN: {who}
`;

interface World {
  readonly name?: string;
  readonly text?: string;
  readonly imported?: string;
  readonly environment?: Record<string, string>;
  readonly cwd?: string;
  readonly machine?: string;
  readonly agents?: readonly string[];
  readonly worktree?: boolean;
  readonly gate?: string;
}

/** Compiles with and without the cache: both must give the same. The cache was used if it was not written. */
async function isCompiledAgain(cache: ReturnType<typeof memoryCache>, world: World): Promise<boolean> {
  const { text = PROGRAM, name = 'main.dsl', imported = 'PATTERN: greet\n  EMIT: "hello"\n', environment = {} } = world;
  const { agents = ['someone'], worktree = true, gate = 'npm test', machine, cwd = '/nowhere' } = world;
  const host = { ...memoryHost((file) => (file === 'more.dsl' ? imported : undefined)), environment };
  const options = {
    cwd,
    ...(machine === undefined ? {} : { machine }),
    lookups: {
      worktree,
      gate: () => ({ command: gate, timeoutMs: 1000 }),
      agents: { isKnown: (agent: string) => agents.includes(agent), names: agents, program: () => null },
    },
  };
  const before = cache.written();
  const once = await compileOnce(cache, host, { name, text }, options);
  const plain = await compileProgram(host, { name, text }, options);
  expect(once).toMatchObject({ machine: plain.machine, declared: plain.declared, sources: plain.sources });
  expect(once.diagnostics).toEqual(plain.diagnostics);
  if (once.machine !== null && plain.machine !== null)
    expect(digestOf(once.machine)).toBe(digestOf(structuredClone(plain.machine)));
  return cache.written() !== before;
}

test('the same program in the same world is compiled once', async () => {
  const cache = memoryCache();
  expect(await isCompiledAgain(cache, {})).toBe(true);
  expect(await isCompiledAgain(cache, {})).toBe(false);
});

function withTool(): World {
  const cwd = mkdtempSync(join(tmpdir(), 'statedsl-once-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  return { cwd };
}

const changes: Record<string, () => World> = {
  'the text': () => ({ text: `${PROGRAM}# more\n` }),
  'an imported file': () => ({ imported: 'PATTERN: greet\n  EMIT: "good evening"\n' }),
  'a program that exists now': withTool,
  'the agents': () => ({ agents: ['someone', 'other'] }),
  'the command of a gate': () => ({ gate: 'make test' }),
  'whether there is a repository': () => ({ worktree: false }),
  'another program': () => ({ name: 'other.dsl' }),
};

test.each(Object.entries(changes))('it is compiled again after a change of %s', async (_, change) => {
  const cache = memoryCache();
  const world = change();
  await isCompiledAgain(cache, {});
  expect(await isCompiledAgain(cache, world)).toBe(true);
  expect(await isCompiledAgain(cache, world)).toBe(false);
});

test('it is compiled again after a variable was removed', async () => {
  const cache = memoryCache();
  const text = 'INPUT: HOST_NAME = "a"\nDO: echo $HOST_NAME\n';
  const environment = { HOST_NAME: 'b' };
  expect(await isCompiledAgain(cache, { text, environment })).toBe(true);
  expect(await isCompiledAgain(cache, { text, environment })).toBe(false);
  // Now it is an error; comparing with a compilation without cache shows that.
  expect(await isCompiledAgain(cache, { text })).toBe(false);
});

test('what has errors, and standard input, is not kept', async () => {
  const cache = memoryCache();
  expect(await isCompiledAgain(cache, { agents: [] })).toBe(false);
  expect(await isCompiledAgain(cache, { machine: 'missing' })).toBe(false);
  expect(await isCompiledAgain(cache, { name: '<stdin>' })).toBe(false);
});
