/**
 * Numbers the calls to scripted agents in each run. The numbers are stored with the run, so that a resumed run continues in
 * the script, and a call that is repeated after a crash gets the same answer again.
 */
import { readFileSync, renameSync } from 'node:fs';
import { writeOwn } from '../store/own-file.js';
import { storeError } from '../store/store-error.js';

export interface CallLog {
  /** `call` identifies the call in its run. `file` stores the numbers of the run; null stores nothing. */
  number(key: string, of: { readonly runId: string; readonly call: string }, file: string | null): number;
}

type CallNumbers = Record<string, string[]>;

export function createCallLog(): CallLog {
  /** Of runs that store nothing. */
  const unstored = new Map<string, CallNumbers>();
  return {
    number(key, { runId, call }, file) {
      const calls = file === null ? (unstored.get(runId) ?? {}) : readCalls(file);
      const known = Object.hasOwn(calls, key) ? (calls[key] as string[]) : [];
      const at = known.indexOf(call);
      if (at >= 0) return at;
      calls[key] = [...known, call];
      if (file === null) unstored.set(runId, calls);
      else writeCalls(file, calls);
      return known.length;
    },
  };
}

function readCalls(file: string): CallNumbers {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CallNumbers;
  } catch {
    // No call was made before.
    return {};
  }
}

function writeCalls(file: string, calls: CallNumbers): void {
  try {
    writeOwn(`${file}.new`, JSON.stringify(calls));
    renameSync(`${file}.new`, file);
  } catch (cause) {
    throw storeError('write', file, cause);
  }
}
