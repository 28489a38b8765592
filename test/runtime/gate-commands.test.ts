import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gateCommands } from '../../src/runtime/configuration/gate-commands.js';
import { noConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { output } from '../harness/process.js';

type Given = Partial<Pick<typeof noConfiguration, 'gates' | 'defaults'>>;

/** What the gates of a project with these files are, by name. */
function found(files: Readonly<Record<string, string>>, given: Given = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gates-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const gate = gateCommands({ ...noConfiguration, ...given }, folder);
  return (name: string): string | null => {
    const one = gate(name);
    return one === null || 'refused' in one ? null : one.command;
  };
}

function all(files: Readonly<Record<string, string>>): (string | null)[] {
  const gate = found(files);
  return ['compile', 'test', 'lint', 'coverage'].map(gate);
}

const scripts = (given: object, more: object = {}): Record<string, string> => ({
  'package.json': JSON.stringify({ scripts: given, ...more }),
});

test('nothing is found where nothing is', () => {
  expect(all({})).toEqual([null, null, null, null]);
});

test('scripts of a package, by its package manager', () => {
  const some = { build: 'tsc', test: 'vitest', lint: 'biome' };
  expect(all(scripts(some))).toEqual(['npm run build', 'npm run test', 'npm run lint', 'npm run test']);
  expect(found({ ...scripts(some), 'pnpm-lock.yaml': '' })('test')).toBe('pnpm run test');
  expect(found({ ...scripts(some, { packageManager: 'yarn@4.1.0' }), 'pnpm-lock.yaml': '' })('test')).toBe(
    'yarn run test',
  );
});

test('a package without tests has none, whatever was written for it when it was made', () => {
  expect(found(scripts({ test: 'echo "Error: no test specified" && exit 1' }))('test')).toBeNull();
});

test('a package file that cannot be read, or holds something else, says nothing', () => {
  for (const text of ['{', '[]', 'null', '{"scripts": 3}', '{"scripts": {"test": 3}}'])
    expect(all({ 'package.json': text })).toEqual([null, null, null, null]);
});

test('targets of a Makefile', () => {
  const text = 'CC := gcc\nbuild test: main.o\n\tcc: main\n.PHONY: lint\nlint:: x\n# compile: no\n';
  expect(all({ Makefile: text })).toEqual(['make build', 'make test', 'make lint', 'make test']);
  expect(found({ Makefile: 'build:\ncompile:\n' })('compile')).toBe('make compile');
  expect(found({ Makefile: 'test := 3\nlint=4\n' })('test')).toBeNull();
});

test('the first that knows a command wins, and the others fill in', () => {
  const gate = found({ ...scripts({ test: 'vitest' }), Makefile: 'build:\ntest:\n', 'go.mod': 'module m' });
  expect(['compile', 'test', 'lint'].map(gate)).toEqual(['make build', 'npm run test', 'go vet ./...']);
});

test('Go, Rust and Python', () => {
  expect(all({ 'go.mod': 'module m' })).toEqual(['go build ./...', 'go test ./...', 'go vet ./...', 'go test ./...']);
  expect(all({ 'Cargo.toml': '' })).toEqual(['cargo build', 'cargo test', 'cargo clippy', 'cargo test']);
  expect(found({ 'pyproject.toml': '[tool.ruff]\n' })('lint')).toBe('ruff check .');
  expect(found({ 'pyproject.toml': '' })('lint')).toBeNull();
  expect(found({ 'pyproject.toml': '' })('test')).toBe('python3 -m pytest');
});

test('the configuration wins, has names of its own and limits', () => {
  const given: Given = {
    gates: { test: 'make check', slow: { run: './slow.sh', timeout: '1h' }, coverage: { run: 'cover' } },
    defaults: { gate_timeout: '90s' },
  };
  const gate = gateCommands({ ...noConfiguration, ...given }, '/');
  expect(gate('test')).toEqual({ command: 'make check', timeoutMs: 90_000 });
  expect(gate('tests_found')).toEqual({ command: 'make check', timeoutMs: 90_000 });
  expect(gate('slow')).toEqual({ command: './slow.sh', timeoutMs: 3_600_000 });
  expect(gate('coverage')).toEqual({ command: 'cover', timeoutMs: 90_000 });
  expect(gate('unknown')).toBeNull();
  expect(gate('constructor')).toBeNull();
  expect(gateCommands(noConfiguration, '/')('toString')).toBeNull();
});

test('a pipe instead of a file gives no commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gates-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  output('mkfifo', [join(folder, 'package.json')]);
  expect(gateCommands(noConfiguration, folder)('test')).toBeNull();
});

test('a file that everyone can write is not used, and the next one that has a command is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gates-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string, mode: number): void => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  };
  write('package.json', JSON.stringify({ scripts: { test: 'x', lint: 'x' } }), 0o666);
  write('Makefile', 'test:\nbuild:\n', 0o644);
  const lint = { refused: '`package.json` is not used, because everyone can write to it' };
  const gates = () => ['compile', 'test', 'lint'].map(gateCommands(noConfiguration, folder));
  expect(gates()).toMatchObject([{ command: 'make build' }, { command: 'make test' }, lint]);
  write('package.json', JSON.stringify({ scripts: { lint: 'x' } }), 0o644);
  write('pnpm-lock.yaml', '', 0o666);
  expect(gates()).toMatchObject([{ command: 'make build' }, { command: 'make test' }, { command: 'npm run lint' }]);
  chmodSync(folder, 0o777);
  const refused = expect.stringContaining('everyone can write to its folder');
  expect(gates()).toEqual([{ refused }, { refused }, { refused }]);
  const given = { ...noConfiguration, gates: { test: 'make check' } };
  expect(gateCommands(given, folder)('coverage')).toMatchObject({ command: 'make check' });
});
