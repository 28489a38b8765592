/** An update of statedsl replaces the files of processes that execute it. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram, start } from '../harness/process.js';
import { cli, projectFolder } from './statedsl.js';

/** A copy of the built program in the folder. */
function copyInto(folder: string) {
  const to = join(folder, 'installed');
  mkdirSync(to);
  for (const name of ['cli.js', 'store.cjs', 'package.json', 'code'])
    cpSync(join(dirname(cli), name), join(to, name), { recursive: true });
  return { program: join(to, 'cli.js'), remove: () => rmSync(to, { recursive: true }) };
}

test('a service continues without its files', async () => {
  const { folder, runProcess } = projectFolder({ 'p.dsl': 'ASK user: "Go on?" → ok\nRETURN: {ok}\n' });
  await runProcess(['run', 'p.dsl']);
  const { program, remove } = copyInto(folder);
  const service = start(process.execPath, [program, 'serve', '--listen', '0', '--json'], { cwd: folder });
  const { address } = JSON.parse(
    await new Promise((resolve) => service.stdout.once('data', (data) => resolve(`${data}`))),
  );
  remove();
  const url = new URL(address);
  const headers = { authorization: `Bearer ${url.searchParams.get('token')}` };
  const get = (path: string): Promise<Response> => fetch(`${url.origin}/api/v1${path}`, { headers });
  const { runs } = (await (await get('/runs')).json()) as { readonly runs: readonly { readonly run_id: string }[] };
  const id = runs[0]?.run_id;
  const paths = ['/service', '/programs', '/programs/p.dsl', `/runs/${id}`, `/runs/${id}/program`, `/report?run=${id}`];
  const answers = await Promise.all(paths.map(async (path) => [path, (await get(path)).status]));
  expect(answers).toEqual(paths.map((path) => [path, 200]));
  service.kill('SIGTERM');
  expect((await service.end).code).toBe(0);
});

test('another command ends with what to do, and the run can be resumed', async () => {
  const { folder, runProcess, file } = projectFolder();
  const { program } = copyInto(folder);
  // What executes agents is loaded with the first one, or with the bound that the log shows.
  file('p.dsl', 'DO: rm -rf installed/code\nDO: x = Task(claude) "Say hello."\nRETURN: over\n');
  const ended = await runProgram(process.execPath, [program, 'run', '--quiet', 'p.dsl'], { cwd: folder });
  expect([ended.code, ended.stdout]).toEqual([1, '']);
  expect(ended.stderr).toMatch(
    /error: the files of statedsl were replaced or removed while it ran: there is no `.*cjs`\n {2}= help: start the command again; `statedsl resume` continues a run\n$/,
  );
  const shown = await runProcess(['show', '--json']);
  expect(JSON.parse(shown.stdout).status).toBe('killed');
});
