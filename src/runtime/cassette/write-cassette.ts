/** Writes a whole cassette. */
import type { Buffer } from 'node:buffer';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import yaml from 'yaml';
import type { Boundary } from '../readable-file.js';
import { entryAt, isOwnFolder } from '../store/own-file.js';
import { whyUnwritable, writeWhole } from '../written-file.js';
import type { CassetteHeader, CassetteRecord } from './cassette.js';
import { CassetteText, largeFolderOf } from './cassette-text.js';

/** Why it cannot be written, as a clause; null: it is. */
export function writeCassette(
  file: string,
  header: CassetteHeader,
  records: readonly CassetteRecord[],
  boundary: Boundary,
): string | null {
  const text = new CassetteText(yaml.stringify);
  const whole = text.header(header) + records.map((record) => text.record(record)).join('') + CassetteText.end;
  const folder = largeFolderOf(file);
  const why =
    whyUnwritable(file, boundary) ?? keepLarge(folder, text.large, boundary) ?? writeWhole(file, whole, boundary);
  if (why !== null || !isOwnFolder(folder)) return why;
  for (const name of readdirSync(folder)) if (!text.large.has(name)) rmSync(join(folder, name));
  return null;
}

/** Writes new files of the folder next to a cassette. Why that is not possible, as a clause; null: they are there. */
export function keepLarge(
  folder: string,
  large: ReadonlyMap<string, Buffer | null>,
  boundary: Boundary,
): string | null {
  for (const [name, content] of large) {
    if (content === null) continue;
    if (entryAt(folder) === null) mkdirSync(folder);
    if (!isOwnFolder(folder)) return `\`${basename(folder)}\` is a link or a file`;
    const why = writeWhole(join(folder, name), content, boundary);
    if (why !== null) return why;
  }
  return null;
}
