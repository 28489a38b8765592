/** Writes a whole cassette. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import yaml from 'yaml';
import type { CassetteHeader, CassetteRecord } from './cassette.js';
import { CassetteText, largeFolderOf } from './cassette-text.js';

/** Throws the system's error. */
export function writeCassette(file: string, header: CassetteHeader, records: readonly CassetteRecord[]): void {
  const text = new CassetteText(yaml.stringify);
  const whole = text.header(header) + records.map((record) => text.record(record)).join('') + CassetteText.end;
  const folder = largeFolderOf(file);
  if (text.large.size > 0) mkdirSync(folder, { recursive: true });
  for (const [name, content] of text.large) if (content !== null) writeFileSync(join(folder, name), content);
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, whole);
  renameSync(temporary, file);
  for (const name of filesIn(folder)) if (!text.large.has(name)) rmSync(join(folder, name));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
