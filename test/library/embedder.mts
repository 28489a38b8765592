/**
 * A program that embeds statedsl, as its users write one: it releases a service, asks a person, survives a failure, and
 * checks what people wrote. `test/library.test.ts` executes it; `.ci/run` compiles it strictly against the packed types.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CommandFunction,
  compile,
  type DiagnosticJson,
  diagnosticsToJson,
  formatDiagnostics,
  OperationRefused,
  openPrograms,
  openRuns,
  type Programs,
  type RunEvent,
  type RunReport,
  type Runs,
  run,
  unwrap,
} from 'statedsl';

const RELEASE = `# Releases one service.
INPUT: service

STATE: BUILD
  TRACK: deployed = []
  CHECK: build = build {service}
  ASK user: "Deploy {build.version}?" → answer choices=yes,no
  IF: answer == "no" → GOTO: STOPPED
  GOTO: DEPLOY with build={build}

STATE: DEPLOY
  FOR EACH: region in build.regions
    DO: deploy {service} {build.version} {region}
    SET: deployed = deployed + [region]
  RETURN: {deployed}

STATE: STOPPED
  RETURN: stopped
`;

/** Whatever happens in the world: here a region that cannot be reached at first. */
function commands(calls: string[]): Record<string, CommandFunction> {
  let isReachable = false;
  return {
    build: ([service]) => ({ version: `${service}-1.4.0`, regions: ['eu', 'us'] }),
    deploy: async (args, { signal, effectId }) => {
      signal.throwIfAborted();
      calls.push(args.slice(1).join(' '));
      if (args[2] === 'us' && !isReachable) {
        isReachable = true;
        throw new Error(`no connection (${effectId.length > 0 ? 'with an id' : 'without one'})`);
      }
    },
  };
}

async function compileText(): Promise<void> {
  const { machine, diagnostics } = compile('INPUT: n (number)\nTRACK: double = n * 2\nRETURN: {double}\n', { name: 'double.dsl' });
  if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const events: RunEvent['type'][] = [];
  const report = await run(machine, { inputs: { n: 21 }, onEvent: ({ type }) => events.push(type) });
  console.log('compiled:', machine.name, report.returned, events.length > 0);
}

async function checkWhatPeopleWrote(programs: Programs): Promise<void> {
  const text = 'STATE: BUILD\n  GOTO: DEPLOI\nSTATE: DEPLOY\n  RETURN: 1\n';
  const broken = unwrap(await programs.check({ text, name: 'a.dsl' }));
  const errors: readonly DiagnosticJson[] = diagnosticsToJson(broken).filter(({ severity }) => severity === 'error');
  for (const { code, file, line, help } of errors) console.log('broken:', code, `${file}:${line}`, help);
  console.log(formatDiagnostics(broken).split('\n').slice(0, 2).join('\n'));
  const prepared = await programs.prepare({ text });
  if (!prepared.ok) console.log('refused:', prepared.refusal.message, prepared.refusal.findings?.diagnostics.length);
}

async function release(programs: Programs, runs: Runs): Promise<RunReport> {
  const prepared = unwrap(await programs.prepare('release.dsl', { inputs: { service: 'shop' } }));
  const asked = await unwrap(await runs.start(prepared)).report;
  const [question] = asked.waiting;
  console.log(asked.status, question?.question, question?.choices);
  const { run_id } = asked;
  unwrap(await runs.answer(run_id, { answer: 'yes' }, { by: 'ada' }));
  const failed = await unwrap(await runs.resume(run_id)).report;
  console.log(failed.status, failed.error?.kind, failed.error?.line, failed.tracked.deployed);
  // The world works again: only what failed is done again.
  return unwrap(await runs.resume(run_id)).report;
}

const folder = mkdtempSync(join(tmpdir(), 'embedder-'));
try {
  writeFileSync(join(folder, 'release.dsl'), RELEASE);
  await compileText();

  const calls: string[] = [];
  const given = { folder, commands: commands(calls) };
  const [programs, runs] = [openPrograms(given), openRuns(given)];
  await checkWhatPeopleWrote(programs);
  const checked = unwrap(await programs.check('release.dsl'));
  console.log(checked.name, checked.isValid, checked.inputs.map(({ name }) => name));
  console.log(unwrap(await programs.graph(checked)).split('\n').length > 5);
  const { text } = await programs.format('RETURN:   {n}\n');
  console.log(text);

  const done = await release(programs, runs);
  console.log(done.status, done.returned, calls);
  console.log(unwrap(await runs.list()).runs.map(({ status, machine }) => `${machine} ${status}`));
  console.log('again:', (await unwrap(await runs.resume(done.run_id)).report).returned, calls.length);
  try {
    unwrap(await runs.resume('nothing'));
  } catch (cause) {
    if (!(cause instanceof OperationRefused)) throw cause;
    console.log('refused:', cause.refusal.code);
  }
  console.log(readFileSync(join(folder, 'release.dsl'), 'utf8') === RELEASE);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
