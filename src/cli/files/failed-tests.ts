/** Which tests failed when they were last run in this folder, for `--rerun-failed`. */
import { join, relative, resolve } from 'node:path';
import type { TestResult } from '../../lab/testing/test-world.js';
import { readOwn, writeOwn } from '../../runtime/store/own-file.js';
import { makeStore } from '../../runtime/store/store-ownership.js';

type NamedTest = Pick<TestResult, 'file' | 'name'>;

const STORE = '.statedsl';
const FAILED_TESTS = join(STORE, 'failed-tests.json');

/** Names of files do not depend on how they were given. */
export const keyOf = ({ file, name }: NamedTest): string => `${relative('', resolve(file))}\n${name}`;

/** A row has the name of its test, and more. */
export const isAmong = ({ file, name }: NamedTest, of: string, tests: readonly { readonly name: string }[]): boolean =>
  resolve(file) === resolve(of) && tests.some((test) => name === test.name || name.startsWith(`${test.name}[`));

/** What the last runs of tests in this folder left; none: nothing is on record. */
export function readFailed(): NamedTest[] {
  try {
    const known: unknown = JSON.parse(readOwn(FAILED_TESTS).toString('utf8'));
    const isTest = (one: NamedTest | null): boolean => typeof one?.file === 'string' && typeof one.name === 'string';
    return Array.isArray(known) ? known.filter(isTest) : [];
  } catch {
    return [];
  }
}

/** Keeps what did not run this time. The record is a help, so nothing fails without it. */
export function writeFailed(before: readonly NamedTest[], results: readonly TestResult[]): void {
  const ran = new Set(results.map(keyOf));
  const failed = results.filter(({ status }) => status === 'failed');
  const all = [...before.filter((one) => !ran.has(keyOf(one))), ...failed].map(({ file, name }) => ({
    file: relative('', resolve(file)),
    name,
  }));
  if (all.length === 0 && before.length === 0) return;
  try {
    makeStore(STORE);
    writeOwn(FAILED_TESTS, `${JSON.stringify(all, null, 2)}\n`);
  } catch {
    // The folder may be read-only.
  }
}
