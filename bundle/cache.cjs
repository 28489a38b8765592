/**
 * Files that make the next start shorter, in a folder of this user: code that V8 compiled, and programs that were
 * compiled. Nothing depends on them. V8 believes what it is given and crashes on what it did not write, so a file counts
 * only if this user alone can have written it, under the same key, and if it is undamaged.
 */
const fs = require('node:fs');
const { dirname, join } = require('node:path');

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const user = process.getuid?.();
/** Which scripts these are; empty: nothing is stored. The build puts it in. */
const build = BUILD;

/** How exactly the time of the last use is known. */
const USED_AGAIN_MS = 60 * 60 * 1000;

/**
 * Where files may be: where the user keeps such files, or without such a folder below the one for temporary files. A
 * confined program of this user may be able to write only there, so nothing there is read while there is a home.
 */
function findFolders({ XDG_CACHE_HOME, HOME, TMPDIR }) {
  if (user === undefined || build === '') return [];
  const home = [XDG_CACHE_HOME, HOME && join(HOME, '.cache')].find((path) => path?.startsWith('/'));
  const below = TMPDIR?.startsWith('/') ? TMPDIR : '/tmp';
  return [home !== undefined && isUsable(home) ? join(home, 'statedsl') : join(below, `statedsl-${user}`)];
}

/** Whether there is a folder of ours, or one can be made; two levels are made, see `store.cjs`. */
function isUsable(home) {
  for (const [path, mode] of [
    [join(home, 'statedsl')],
    [home, fs.constants.W_OK],
    [dirname(home), fs.constants.W_OK],
  ]) {
    try {
      const isFolder = fs.lstatSync(path).isDirectory() || fs.statSync(path).isDirectory();
      if (mode !== undefined) fs.accessSync(path, mode);
      return mode === undefined || isFolder;
    } catch (cause) {
      if (cause.code !== 'ENOENT') return false;
    }
  }
  return false;
}

/** Everything that stored code depends on. V8 itself looks neither at the build of Node nor at the text of a script. */
function describeBuild() {
  const { size, mtimeMs } = fs.statSync(process.execPath);
  const { version, arch, execArgv, env } = process;
  return JSON.stringify([build, version, arch, size, mtimeMs, execArgv, env.NODE_OPTIONS ?? '']);
}

const key = describeBuild();
const folders = findFolders(process.env);

/** FNV-1a: two names may share a file, since the file holds its name. */
function shortHash(text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

const isOwn = ({ uid, mode }, forbidden) => uid === user && (mode & forbidden) === 0;

const isOwnFolder = (stat) => stat.isDirectory() && isOwn(stat, 0o077);

const fileName = (name) => shortHash(`${key}\n${name}`);

/** What was stored under this name and this key, a line of text and bytes; null: there is nothing. */
function read(name) {
  for (const folder of folders) {
    let file = null;
    try {
      if (!isOwnFolder(fs.lstatSync(folder))) continue;
      file = fs.openSync(join(folder, fileName(name)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const stat = fs.fstatSync(file);
      const stored = stat.isFile() && isOwn(stat, 0o022) ? decode(name, fs.readFileSync(file)) : null;
      if (stored === null) continue;
      noteUse(file, stat);
      return stored;
    } catch {
      // There is none, or it is not for us.
    } finally {
      if (file !== null) fs.closeSync(file);
    }
  }
  return null;
}

function noteUse(file, { mtimeMs }) {
  const now = new Date();
  if (now - mtimeMs < USED_AGAIN_MS) return;
  try {
    fs.futimesSync(file, now, now);
  } catch {
    // A file that cannot be written is used all the same.
  }
}

/** Comparing the two halves finds each damage, and is quicker than a checksum. */
function decode(name, bytes) {
  const half = bytes.subarray(0, bytes.length >> 1);
  if (half.length === 0 || !half.equals(bytes.subarray(half.length))) return null;
  const end = half.indexOf('\n');
  const [itsKey, itsName, label] = JSON.parse(half.toString('utf8', 0, end));
  return itsKey === key && itsName === name ? { label, content: half.subarray(end + 1) } : null;
}

/** Stores something for later starts, whole or not at all. Whatever prevents that, the next start is only slower. */
function write(name, label, content) {
  let store;
  try {
    store = require('./store.cjs');
  } catch {
    // An update has replaced it.
    return;
  }
  store.write({ folders, key, name, file: fileName(name), isOwnFolder }, label, content);
}

module.exports = { folders, read, write };
