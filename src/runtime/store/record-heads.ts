/**
 * `heads.ndjson`: how far the record of a run had come whenever a process left it, so that verifying the record notices
 * that its end was cut off. With a key, each head is signed, and there is one more after each answer of a person.
 */
import { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunEvent } from '../../interpreter/events/event.js';
import { openOwn, readOwn } from './own-file.js';
import type { RecordHead } from './run-header.js';
import { errorCode, RunRefused, reasonOf, storeError } from './store-error.js';

/** Signs heads of records. */
export interface RecordSigner {
  /** Says which key it is: SHA-256 of the public key. */
  readonly key: string;
  /** Base64. */
  sign(text: string): string;
}

/** A line of the file. */
export interface StoredHead extends RecordHead {
  /** Which key signed it. */
  readonly key?: string;
  /** Ed25519, in Base64, of `signedText`. */
  readonly signature?: string;
}

/** What a signature is of. */
function signedText(runId: string, { seq, hash }: RecordHead): string {
  return `statedsl record\n${runId}\n${seq}\n${hash}\n`;
}

/** Decisions of people and ends, which a signature must cover if there is a key. */
export function mustBeSigned({ type }: RunEvent): boolean {
  switch (type) {
    case 'answered':
    case 'answer_refused':
    case 'run_cancelled':
    case 'run_returned':
    case 'run_failed':
    case 'run_skipped':
      return true;
    default:
      return false;
  }
}

/**
 * The signer with the key in the environment variable `name`: a private key as PEM, or the path of a file with one, which starts
 * at `folder`. Throws a `RunRefused`.
 */
export function signerFrom(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  folder: string | null,
): RecordSigner {
  const value = env[name];
  const help = 'make one: `openssl genpkey -algorithm ed25519 -out record.key`';
  if (value === undefined || value.trim() === '')
    throw new RunRefused(
      'wrong-use',
      `\`${name}\`, the key that signs records (\`signing_key_env\`), is not set`,
      help,
    );
  const isText = value.includes('-----BEGIN');
  const where = isText ? `\`${name}\`` : `the file \`${value}\` of \`${name}\``;
  try {
    const text = isText ? value.replaceAll('\\n', '\n') : readFileSync(resolve(folder ?? '.', value), 'utf8');
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
    return {
      key: keyName(createPublicKey(key)),
      sign: (signed) => sign(null, Buffer.from(signed), key).toString('base64'),
    };
  } catch (cause) {
    if (!isText && ['ENOENT', 'EACCES', 'EISDIR'].includes(errorCode(cause)))
      throw new RunRefused(
        'wrong-use',
        `${where} cannot be read: ${reasonOf(cause)}`,
        'name a file with a private key',
      );
    throw new RunRefused('wrong-use', `${where} is not a private key of Ed25519 in PEM`, help);
  }
}

/** What tells keys apart: SHA-256 of the public key. */
function keyName(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

/** Tells whether a head has a signature of this key. `pem`: the public key, or the private one. Throws a `RunRefused`. */
export function signatureCheck(pem: string): {
  readonly key: string;
  isSigned(runId: string, head: StoredHead): boolean;
} {
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key');
  } catch {
    throw new RunRefused(
      'wrong-use',
      'the key is not a public key of Ed25519 in PEM',
      'make it from the private key: `openssl pkey -in record.key -pubout`',
    );
  }
  return {
    key: keyName(key),
    isSigned: (runId, head) =>
      head.signature !== undefined &&
      verify(null, Buffer.from(signedText(runId, head)), key, Buffer.from(head.signature, 'base64')),
  };
}

export const HEADS = 'heads.ndjson';

/** Adds a head, whole or not at all. `folder`: that of the run. Throws a `StoreError`. */
export function appendHead(folder: string, runId: string, head: RecordHead, signer: RecordSigner | null): void {
  const path = join(folder, HEADS);
  const signed: StoredHead =
    signer === null ? head : { ...head, key: signer.key, signature: signer.sign(signedText(runId, head)) };
  const line = `${JSON.stringify(signed)}\n`;
  try {
    const fd = openOwn(path, 'a');
    try {
      const { size } = fstatSync(fd);
      try {
        if (writeSync(fd, line) < line.length) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
      } catch (cause) {
        ftruncateSync(fd, size);
        throw cause;
      }
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

/** The lines of the file; null for one that is not a head. */
export function readHeads(folder: string): (StoredHead | null)[] {
  let bytes: Buffer;
  try {
    bytes = readOwn(join(folder, HEADS));
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return [];
    throw storeError('read', join(folder, HEADS), cause);
  }
  const lines = bytes.toString('utf8').split('\n');
  return (lines.at(-1) === '' ? lines.slice(0, -1) : lines).map(headOf);
}

function headOf(line: string): StoredHead | null {
  try {
    const head = JSON.parse(line) as StoredHead;
    return Number.isInteger(head.seq) && typeof head.hash === 'string' && JSON.stringify(head) === line ? head : null;
  } catch {
    return null;
  }
}
