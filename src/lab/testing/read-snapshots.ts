/** Reads the file of snapshots next to a test file. What is not one is refused before anything runs, and stays as it is. */
import { resolve } from 'node:path';
import type { ProjectHost } from '../../app/project/project-host.js';
import { namedBoundary } from '../../app/project/read-program.js';
import { decodeText, MAX_INPUT_BYTES, readBytes } from '../../app/project/read-text.js';

export type ReadSnapshots = { readonly text: string | null } | { readonly problem: string };

/** The file of snapshots of a test file, absolute. */
export function snapshotPath(host: ProjectHost, testFile: string): string {
  return resolve(host.folder, `${testFile}.snap`);
}

export function readSnapshots(host: ProjectHost, testFile: string): ReadSnapshots {
  const path = snapshotPath(host, testFile);
  const problem = host.files.whyRefused(path, namedBoundary(host));
  if (problem !== null) return { problem };
  const bytes = readBytes(path, MAX_INPUT_BYTES);
  if (bytes.kind === 'unreadable') return bytes.reason === 'no such file' ? { text: null } : { problem: bytes.reason };
  const read = decodeText(bytes.bytes);
  if (read.kind === 'binary') return { problem: 'it is not a text' };
  const text = read.text.replaceAll('\r\n', '\n');
  return /^(?:\s*$|\n*=== )/.test(text)
    ? { text }
    : { problem: 'it does not begin with the name of a test, `=== NAME`' };
}
