/** Who may answer what, by the rules of a configuration, and what is recorded of the others. */
import { expect, test } from 'vitest';
import { answersOf, guardAnswers } from '../../src/app/approvers.js';
import type { Delivery } from '../../src/runtime/store/inbox.js';

type Rules = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** `passed`, or the reason; with the names that were recorded as refused. */
async function guard(approvers: Rules | undefined, names: readonly string[], by: string, through = 'http') {
  const recorded: string[] = [];
  const deliveries = answersOf(Object.fromEntries(names.map((name) => [name, true])), { by, through } as never);
  const record = async (refused: readonly Delivery[]): Promise<void> => {
    for (const one of refused) recorded.push(`${one.kind} ${'name' in one ? one.name : ''}`);
  };
  const settings = async () => ({ configuration: { approvers }, diagnostics: [] }) as never;
  try {
    await guardAnswers(deliveries, settings, record);
    return ['passed', ...recorded];
  } catch (cause) {
    const { message, help } = cause as { message: string; help: string };
    return [`${message}: ${help}`, ...recorded];
  }
}

const NONE_MAY = 'the configuration allows no one to';

test('without rules everybody may, and with a list only those in it', async () => {
  expect(await guard(undefined, ['deploy'], 'eve')).toEqual(['passed']);
  expect(await guard(['ann', 'bob'], ['deploy'], 'bob')).toEqual(['passed']);
  expect(await guard(['ann', 'bob'], ['deploy', 'test'], 'eve')).toEqual([
    ...['eve may not answer `deploy`: ask ann or bob', 'refused deploy', 'refused test'],
  ]);
  expect(await guard([], ['deploy'], 'ann')).toEqual([`ann may not answer \`deploy\`: ${NONE_MAY}`, 'refused deploy']);
});

test('a rule of a name counts before that of all others', async () => {
  const rules = { deploy: ['ann'], '*': ['bob'] };
  expect(await guard(rules, ['deploy'], 'ann')).toEqual(['passed']);
  expect(await guard(rules, ['deploy@2'], 'ann')).toEqual(['passed']);
  expect((await guard(rules, ['deploy'], 'bob'))[0]).toBe('bob may not answer `deploy`: ask ann');
  expect(await guard(rules, ['test'], 'bob')).toEqual(['passed']);
  expect((await guard(rules, ['test'], 'ann'))[0]).toBe('ann may not answer `test`: ask bob');
  expect(await guard({ deploy: ['ann'] }, ['test'], 'eve')).toEqual(['passed']);
  expect(await guard(rules, ['toString'], 'bob')).toEqual(['passed']);
});

test('a rule of one call of a plan counts for it alone, and a name without calls may mean any of them', async () => {
  const rules = { '3.go': ['ann'], '4.go': ['ann', 'bob'], go: ['ann', 'bob', 'cay'] };
  expect(await guard(rules, ['4.go'], 'bob')).toEqual(['passed']);
  expect((await guard(rules, ['3.go'], 'bob'))[0]).toBe('bob may not answer `3.go`: ask ann');
  expect(await guard(rules, ['5.go'], 'cay')).toEqual(['passed']);
  expect((await guard(rules, ['go'], 'bob'))[0]).toBe('bob may not answer `go`: ask ann');
  expect(await guard(rules, ['go'], 'ann')).toEqual(['passed']);
  expect(await guard({ '3.2.go': ['ann'] }, ['3.2.go'], 'ann')).toEqual(['passed']);
});

test.each(['http', 'page', 'mcp', 'form'])('the rules count for answers through %s', async (through) => {
  expect((await guard(['ann'], ['deploy'], 'eve', through))[0]).toContain('eve may not answer');
});

test.each(['cli', 'library', 'file'])('whoever owns the folder may answer everything through %s', async (through) => {
  expect(await guard(['ann'], ['deploy'], 'eve', through)).toEqual(['passed']);
});

test('with mistakes in the configuration only those may answer whom it would not stop', async () => {
  const broken = async () => ({ configuration: {}, diagnostics: [{ message: 'no list' }] }) as never;
  const answer = (through: string) => answersOf({ deploy: true }, { by: 'ann', through } as never);
  const record = async (): Promise<void> => expect.unreachable();
  await expect(guardAnswers(answer('http'), broken, record)).rejects.toThrow('has a mistake: no list');
  await expect(guardAnswers(answer('cli'), broken, record)).resolves.toBeUndefined();
  const signal = { kind: 'signal', name: 'GO', payload: null, by: 'eve', through: 'http' } as unknown as Delivery;
  await expect(guardAnswers([signal], broken, record)).resolves.toBeUndefined();
});
