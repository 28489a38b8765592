/** Writes files of the cache (`cache.cjs`), and removes old ones. Most starts only read. */
const fs = require('node:fs');
const { dirname, join } = require('node:path');

/** A month: then a file is removed. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
/** Beyond these, the files that were not used for longest are removed: a file for each program that ever ran would add up. */
const MAX_FILES = 200;
const MAX_BYTES = 64 * 1024 * 1024;

/** A line of JSON, and the bytes from a multiple of eight on, since V8 copies others; all of it twice. */
function encode({ key, name }, label, content) {
  const line = JSON.stringify([key, name, label]);
  const padding = ' '.repeat(7 - (Buffer.byteLength(line) % 8));
  const half = Buffer.concat([Buffer.from(`${line}${padding}\n`), content]);
  return Buffer.concat([half, half]);
}

/** With the folder around it, but no further up: Node tries for ever to make all folders of a path below `/proc`. */
function makeFolder(folder) {
  for (const path of [dirname(folder), folder]) {
    try {
      fs.mkdirSync(path, { mode: 0o700 });
    } catch (cause) {
      if (cause.code !== 'EEXIST') throw cause;
    }
  }
}

const ignoreSignal = () => undefined;

/** Stores something for later starts, whole or not at all. Whatever prevents that, the next start is only slower. */
function write(entry, label, content) {
  // Without a handler the signal ends the process when a file grows beyond the limit of its size.
  process.on('SIGXFSZ', ignoreSignal);
  try {
    const bytes = encode(entry, label, content);
    entry.folders.some((folder) => writeInto(folder, entry, bytes));
  } finally {
    process.off('SIGXFSZ', ignoreSignal);
  }
}

/** True if the file is stored; otherwise nothing is left of it. */
function writeInto(folder, { file, isOwnFolder }, bytes) {
  const path = join(folder, file);
  const partial = `${path}.${process.pid}`;
  try {
    makeFolder(folder);
    if (!isOwnFolder(fs.lstatSync(folder))) return false;
    fs.rmSync(partial, { force: true });
    fs.writeFileSync(partial, bytes, { flag: 'wx', mode: 0o600 });
    fs.renameSync(partial, path);
    removeOld(folder);
    return true;
  } catch {
    removeQuietly(partial);
    return false;
  }
}

function removeQuietly(path) {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // There is no such folder, or it cannot be written.
  }
}

/** Programs and versions come and go; what they stored is made again if it is missed. */
function removeOld(folder, now = Date.now()) {
  const files = fs.readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    // Another process may be removing it.
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? [{ path, mtimeMs: stat.mtimeMs, size: stat.size }] : [];
  });
  files.sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const [index, { path, mtimeMs, size }] of files.entries()) {
    bytes += size;
    if (index >= MAX_FILES || bytes > MAX_BYTES || now - mtimeMs > MAX_AGE_MS) fs.rmSync(path, { force: true });
  }
}

module.exports = { write };
