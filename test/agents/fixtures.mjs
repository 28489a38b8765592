/**
 * Makes fixtures of recorded streams: `node test/agents/fixtures.mjs FOLDER`, where `npm run test:agents -- --record=FOLDER`
 * left them. Each becomes `PROGRAM/CASE-N.ndjson`, what the program printed, and `PROGRAM/CASE-N.json`, how it ended and what
 * statedsl read in it while the program ran. Paths of this machine are replaced. Read what changed: it is the expectation.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [from] = process.argv.slice(2);
if (from === undefined) throw new Error('which folder?');
const target = join(dirname(dirname(fileURLToPath(import.meta.url))), 'fixtures', 'agents');

/** Cases whose streams differ from those of other cases. A stream that was stopped in the middle is no fixture. */
const CASES = new Set([
  'answer',
  'tool-shell',
  'tool-edit',
  'schema',
  'schema-prose-first',
  'session-retry',
  'session-fork',
  'denied-shell',
  'denied-edit',
  'usage-limit-in-the-middle',
  'overload-then-an-answer',
  'connection-drops-then-an-answer',
  'unauthorized',
  'no-such-model',
  'prompt-help',
]);

const redacted = (text, folder) =>
  text
    .replaceAll(`${folder}/project`, '/project')
    .replaceAll(`${folder}/home`, '/home/user')
    .replace(/\/[^\s"'\\]*\/statedsl-[^/\s"'\\]+\/\d+-(\w+)/g, '/$1')
    .replaceAll(folder, '/elsewhere')
    .replace(/\/tmp\/(?!statedsl)[\w.-]+(?=\/)/g, '/tmp')
    .replace(/\/[^\s"'\\]*\/statedsl-tests\/agents-[^/]+\/node_modules/g, '/programs');

/** What a replay has to find again. Times and messages with times in them differ from run to run. */
function expectedOf({ stdout, tokens, session_tokens, session_id, turns, cost, is_error, denied, guard, unavailable }) {
  return {
    answer: stdout?.text ?? '',
    is_error,
    cost,
    tokens,
    session_tokens,
    turns,
    session_id,
    denied,
    guard: guard?.name,
    unavailable: unavailable?.cause,
  };
}

rmSync(target, { recursive: true, force: true });
for (const program of readdirSync(from)) {
  mkdirSync(join(target, program), { recursive: true });
  for (const file of readdirSync(join(from, program)).filter((name) => name.endsWith('.json'))) {
    const name = file.slice(0, -'.json'.length);
    if (!CASES.has(name)) continue;
    const { folder, calls } = JSON.parse(readFileSync(join(from, program, file), 'utf8'));
    for (const [at, call] of calls.entries()) {
      const part = (what) => readFileSync(join(from, program, `${name}.${at}`, what), 'utf8');
      if (!existsSync(join(from, program, `${name}.${at}`, 'exit'))) continue;
      // A session that goes on, and one that branches off the first.
      const before = at === 0 ? undefined : calls[name === 'session-fork' ? 0 : at - 1];
      const facts = {
        exit: Number(part('exit')),
        stderr: redacted(part('stderr'), folder),
        session: before?.session_id,
        session_tokens: before?.session_tokens,
        schema: name.startsWith('schema') || undefined,
        expected: expectedOf(call),
      };
      writeFileSync(join(target, program, `${name}-${at}.ndjson`), redacted(part('stdout'), folder));
      writeFileSync(
        join(target, program, `${name}-${at}.json`),
        `${redacted(JSON.stringify(facts, null, 2), folder)}\n`,
      );
    }
  }
}
