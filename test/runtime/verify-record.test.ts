/** Whatever somebody changes in a record is told, and what crashes and resumes leave is never called changed. */
import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, chmodSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { auditOf } from '../../src/app/folder/audit-run.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { recordDelivery, resume } from '../../src/runtime/run/again/resume-run.js';
import { journalLine } from '../../src/runtime/store/journal-line.js';
import { signerFrom } from '../../src/runtime/store/record-heads.js';
import { openStoredRun } from '../../src/runtime/store/stored-run.js';
import { type RecordCheck, type VerifiedRecord, verifyRecord } from '../../src/runtime/verify-record.js';
import { amount, tries } from '../amount.js';
import { randomNumbers, seed } from '../random.js';
import { copied, type KeptRun, keptRun } from './kept-run.js';

function draw(from: number) {
  const next = randomNumbers(from);
  for (let at = 0; at < 5; at++) next();
  return (most: number): number => Math.floor(next() * most);
}

const text = (rounds: number, computed: number) => `LIMIT: transitions=100000
INPUT: who = "Ada"
STATE: COUNT
  TRACK: n
  IF: n >= ${computed} → GOTO: WORK
  INCREMENT: n
  GOTO: COUNT
STATE: WORK
  TRACK: m
  IF: m >= ${rounds} → GOTO: LAST
  INCREMENT: m
  CHECK: out = step {m}
  GOTO: WORK
STATE: LAST
  ASK user: "Go?" → go choices=yes,no
  DO: y = step last
  RETURN: {who} {go}
`;

const commands = {
  step: ([word = '']: readonly string[]) =>
    word === '2' ? 'x'.repeat(70_000) : `did ${word} ${'y'.repeat(Number(word) * 40 || 5)}`,
};

const answer = { kind: 'answer', name: 'go', value: 'yes', by: 'ada', reason: 'because' } as const;

function verify({ dir, report }: KeptRun, options: RecordCheck = {}): VerifiedRecord {
  return verifyRecord(dir, openStoredRun(dir, report.run_id), options);
}

const goOn = (one: KeptRun) => resume(one.report.run_id, { dir: one.dir, commands, env: {} });

/** A run that was answered and has returned. */
async function wholeRun(below: (most: number) => number): Promise<KeptRun> {
  const one = await keptRun(text(1 + below(12), below(3) === 0 ? 600 : below(20)), commands);
  expect(one.report.status).toBe('suspended');
  expect(verify(one)).toMatchObject({ status: 'unbroken', notes: [], problems: [] });
  await recordDelivery(one.report.run_id, answer, { dir: one.dir });
  expect(verify(one)).toMatchObject({ status: 'unbroken', notes: [], problems: [] });
  expect((await goOn(one)).status).toBe('returned');
  return one;
}

/** As a process leaves it that was killed: no head, no line in the index, and perhaps a torn line. */
function killed(one: KeptRun, at: number): void {
  for (const name of ['heads.ndjson', 'checkpoint.json', 'checkpoints'])
    rmSync(join(one.path, name), { recursive: true, force: true });
  rmSync(join(one.dir, 'runs/index.ndjson'), { force: true });
  truncateSync(join(one.path, 'journal.ndjson'), at);
}

test('a record is unbroken after crashes at any byte, and after resumes, of any number', async () => {
  const below = draw(seed);
  for (let round = 0; round < tries(2, 300); round++) {
    const one = await wholeRun(below);
    for (let crash = 0; crash < 3; crash++) {
      const { size } = { size: readFileSync(join(one.path, 'journal.ndjson')).length };
      killed(one, below(size + 1));
      const found = verify(one);
      expect(found, `seed ${seed}, round ${round}`).toMatchObject({ status: 'unbroken', problems: [] });
      if (found.events > 0) expect(found.notes.at(-1)).toMatch(/^no process has left the run orderly/);
      const report = await goOn(one);
      expect(verify(one)).toMatchObject({ status: 'unbroken', problems: [], notes: [] });
      if (report.status === 'returned') continue;
      await recordDelivery(one.report.run_id, answer, { dir: one.dir });
      await goOn(one);
      expect(verify(one)).toMatchObject({ status: 'unbroken', problems: [], notes: [] });
    }
  }
});

test('a run that was killed when its end was written is left orderly by whoever resumes it', async () => {
  const one = await wholeRun(draw(1));
  const { length } = readFileSync(join(one.path, 'journal.ndjson'));
  // The last byte is the end of the last line.
  for (const at of [length, length - 1]) {
    killed(one, at);
    const { events, notes } = verify(one);
    expect(notes).toStrictEqual([expect.stringMatching(/^no process has left the run orderly/)]);
    expect((await goOn(one)).status).toBe('returned');
    expect(verify(one)).toMatchObject({ status: 'unbroken', events, notes: [] });
    expect(readFileSync(join(one.path, 'journal.ndjson'))).toHaveLength(length);
  }
});

/** A line with the checksum that fits it, as somebody writes it who knows the format. */
function signedLine(line: string): string {
  const body = line.replace(/,"crc":"[0-9a-f]{8}"\}$/, '');
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}`;
}

type Tampering = (one: KeptRun, below: (most: number) => number) => void;

function changeLines(change: (lines: string[], below: (most: number) => number) => void): Tampering {
  return ({ path }, below) => {
    const journal = join(path, 'journal.ndjson');
    const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1);
    change(lines, below);
    const numbered = lines.map((line, at) => signedLine(line.replace(/^\{"seq":\d+/, `{"seq":${at + 1}`)));
    writeFileSync(journal, `${numbered.join('\n')}\n`);
  };
}

function flipIn(name: (one: KeptRun) => string): Tampering {
  return (one, below) => {
    const file = join(one.path, name(one));
    const bytes = readFileSync(file);
    const at = below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << below(8));
    writeFileSync(file, bytes);
  };
}

const tamperings: Readonly<Record<string, Tampering>> = {
  'a changed byte of the journal': flipIn(() => 'journal.ndjson'),
  'a changed byte of run.json': flipIn(() => 'run.json'),
  'a changed byte of machine.json': flipIn(() => 'machine.json'),
  'a changed byte of the heads': flipIn(() => 'heads.ndjson'),
  'a changed byte of an artifact': flipIn(({ path }) =>
    join('artifacts', readdirSync(join(path, 'artifacts'))[0] as string),
  ),
  'a removed artifact': ({ path }) => {
    const folder = join(path, 'artifacts');
    rmSync(join(folder, readdirSync(folder).sort()[0] as string), { force: true });
  },
  'a removed line': changeLines((lines, below) => lines.splice(below(lines.length), 1)),
  'removed lines': changeLines((lines, below) => lines.splice(below(lines.length - 1), 2)),
  'a line twice': changeLines((lines, below) => {
    const at = below(lines.length);
    lines.splice(at, 0, lines[at] as string);
  }),
  'lines in another order': changeLines((lines, below) => {
    const at = below(lines.length - 1);
    lines.splice(at, 2, lines[at + 1] as string, lines[at] as string);
  }),
  'a changed value': changeLines((lines, below) => {
    const at = below(lines.length);
    lines[at] = (lines[at] as string).replace(/"ts":"2/, '"ts":"1');
  }),
  'a line without its hash': changeLines((lines, below) => {
    const hashed = lines.flatMap((line, at) => (line.includes(',"chain":') ? [at] : []));
    const at = hashed[below(hashed.length)] ?? 0;
    lines[at] = (lines[at] as string).replace(/,"chain":"[\w-]{43}"|"version":"/, '');
  }),
  'an added line': changeLines((lines) => lines.push((lines.at(-1) as string).replace(/,"chain":"[\w-]{43}"/, ''))),
  'added bytes': ({ path }, below) =>
    appendFileSync(
      join(path, 'journal.ndjson'),
      Buffer.from(Array.from({ length: 1 + below(60) }, () => 1 + below(255))),
    ),
  'a missing end': ({ path }, below) => {
    const journal = join(path, 'journal.ndjson');
    // Only the line end of the last line may be missing.
    truncateSync(journal, below(readFileSync(journal).length - 1));
  },
  'no word of the chain': ({ path }) => {
    const file = join(path, 'run.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/,\s+"chain": "sha256"/, ''));
  },
};

test.each(Object.keys(tamperings))('%s is told', async (name) => {
  const below = draw(seed + name.length);
  for (let round = 0; round < tries(2, 40); round++) {
    const one = await wholeRun(below);
    if (name.includes('artifact') && readdirSync(join(one.path, 'artifacts')).length === 0) continue;
    for (let time = 0; time < amount(3, 6); time++) {
      const other = copied(one);
      tamperings[name]?.(other, below);
      let found: Pick<VerifiedRecord, 'status' | 'notes'>;
      try {
        found = verify(other);
      } catch (cause) {
        // `run.json` may not be readable any more.
        expect((cause as Error).name).toMatch(/RunRefused|StoreError/);
        continue;
      }
      const isToldAsTorn = name === 'added bytes' && found.notes.some((note) => note.includes('incomplete'));
      if (!isToldAsTorn)
        expect(found.status, `seed ${seed}, round ${round}.${time}: ${JSON.stringify(found)}`).toBe('broken');
    }
  }
});

test('which event was changed is told', async () => {
  const one = await wholeRun(draw(1));
  changeLines((lines) => {
    const at = lines.findIndex((line) => line.includes('"type":"answered"'));
    lines[at] = (lines[at] as string).replace('"because"', '"because!"');
  })(one, () => 0);
  const { problems, status } = verify(one);
  expect(status).toBe('broken');
  expect(problems[0]?.message).toMatch(
    /^(?:event \d+|one of the events \d+ to \d+) was changed: the hash in event \d+ does not fit/,
  );
});

test('a read-only folder can be verified', async () => {
  const one = await wholeRun(draw(2));
  chmodSync(one.path, 0o500);
  expect(verify(one).status).toBe('unbroken');
  chmodSync(one.path, 0o700);
});

test('a record of a version without hashes is not chained', async () => {
  const one = await wholeRun(draw(3));
  tamperings['no word of the chain']?.(one, () => 0);
  changeLines((lines) => {
    for (const [at, line] of lines.entries()) lines[at] = line.replace(/,"chain":"[\w-]{43}"/, '');
  })(one, () => 0);
  expect(verify(one)).toMatchObject({ status: 'not-chained', head: null, problems: [] });
});

test('a signature covers the end and the answers, and no other key can give it', async () => {
  const keys = ['a', 'b'].map(() => generateKeyPairSync('ed25519'));
  const pem = keys.map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const key = keys.map(({ publicKey }) => publicKey.export({ type: 'spki', format: 'pem' }) as string);
  const signer = signerFrom({ KEY: pem[0] }, 'KEY', null);
  const one = await keptRun(text(2, 3), commands, { signer });
  await recordDelivery(one.report.run_id, answer, { dir: one.dir, signer });
  expect(verify(one, { key: key[0] })).toMatchObject({ status: 'unbroken', signed: { checked: true } });
  await resume(one.report.run_id, { dir: one.dir, commands, env: {}, signer });
  const { status, signed, events } = verify(one, { key: key[0] });
  expect([status, signed?.seq]).toEqual(['unbroken', events]);
  expect(verify(one, { key: key[1] }).status).toBe('not-signed');
  const heads = join(one.path, 'heads.ndjson');
  const written = readFileSync(heads, 'utf8');
  writeFileSync(heads, written.replaceAll(/"signature":"./g, '"signature":"!'));
  expect(verify(one, { key: key[0] }).status).not.toBe('unbroken');
  writeFileSync(heads, written.replaceAll(/,"key".*"(?=\})/g, ''));
  expect(verify(one).status).toBe('not-signed');
});

test('an end that a killed process could not sign any more is signed by the next one', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const signer = signerFrom({ KEY: pem }, 'KEY', null);
  const one = await keptRun('DO: step\nRETURN: 1\n', commands, { signer });
  expect(verify(one, { key }).status).toBe('unbroken');
  rmSync(join(one.path, 'heads.ndjson'));
  rmSync(join(one.dir, 'runs/index.ndjson'));
  expect(verify(one, { key }).status).toBe('not-signed');
  await resume(one.report.run_id, { dir: one.dir, commands, env: {}, signer });
  expect(verify(one, { key })).toMatchObject({ status: 'unbroken', signed: { checked: true } });
});

test('an audit has the decisions with their persons and reasons, and its last entry is about the chain', async () => {
  const one = await wholeRun(draw(4));
  const entries = auditOf(one.dir, openStoredRun(one.dir, one.report.run_id));
  expect(entries[0]).toMatchObject({ entry: 'run', inputs: { who: 'Ada' } });
  expect(entries.find(({ entry }) => entry === 'decision')).toMatchObject({
    by: 'ada',
    reason: 'because',
    value: 'yes',
  });
  expect(entries.at(-1)).toMatchObject({ entry: 'chain', status: 'unbroken', head: verify(one).head });
  const schema = JSON.parse(readFileSync(new URL('../../grammar/audit.schema.json', import.meta.url), 'utf8'));
  const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  for (const entry of entries) expect(fits(entry), JSON.stringify([entry, fits.errors])).toBe(true);
  expect(entries.at(-2)).toMatchObject({ entry: 'end', status: 'returned', hash: verify(one).head?.hash });
});

test('an audit has what was changed in a debugger, what was not really started, and that a run was skipped', async () => {
  const one = await wholeRun(draw(5));
  const journal = join(one.path, 'journal.ndjson');
  const request = { type: 'effect_requested', kind: 'shell', tool: 'a', text: 'a', state: 'WORK', line: 1, attempt: 1 };
  const settled = { type: 'effect_settled', attempt: 1 };
  const outcome = { kind: 'exited', exit: 0, stdout: { text: 'x', bytes: 1 }, stderr: '', duration_ms: 1 };
  const changed = {
    type: 'variable_changed',
    name: 'n',
    value: 3,
    in: 'local',
    slot: 0,
    thread: '',
    pc: 0,
    moment: '',
  };
  const events = [
    { ...request, effect: '90' },
    { ...settled, effect: '90', outcome: { ...outcome, memo: one.report.run_id } },
    { ...request, effect: '91' },
    { ...settled, effect: '91', outcome: { ...outcome, by: 'debugger' } },
    { ...changed, by: 'debugger' },
    { type: 'run_skipped', key: 'k', run_id: one.report.run_id },
  ] as unknown as RunEvent[];
  const count = readFileSync(journal, 'utf8').split('\n').length - 1;
  const lines = events.map((event, at) => `${journalLine(event, count + at + 1, '2030-01-01T00:00:00.000Z')}\n`);
  appendFileSync(journal, lines.join(''));
  const entries = auditOf(one.dir, openStoredRun(one.dir, one.report.run_id)).slice(-5);
  const schema = JSON.parse(readFileSync(new URL('../../grammar/audit.schema.json', import.meta.url), 'utf8'));
  const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  for (const entry of entries) expect(fits(entry), JSON.stringify([entry, fits.errors])).toBe(true);
  expect(entries).toMatchObject([
    { entry: 'command', remembered_from: one.report.run_id },
    { entry: 'command', given_by: 'debugger' },
    { entry: 'decision', kind: 'change', name: 'n', value: 3, by: 'debugger' },
    { entry: 'end', status: 'skipped' },
    { entry: 'chain' },
  ]);
});
