/** `--token-file`: the token of a service, in a file that only its owner can read. */
import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { openOwn } from '../../runtime/store/own-file.js';

type TokenFile = { readonly token: string } | { readonly problem: string; readonly help: string };

const SHORTEST = 16;

export function readTokenFile(path: string): TokenFile {
  let fd: number;
  try {
    fd = openOwn(path, 'r');
  } catch {
    return {
      problem: `cannot read \`${path}\`, or it is not a regular file`,
      help: `make one: \`(umask 077; head -c 24 /dev/urandom | base64 > ${path})\``,
    };
  }
  try {
    if ((fstatSync(fd).mode & 0o077) !== 0)
      return { problem: `other users may read \`${path}\``, help: `keep it to yourself: \`chmod 600 ${path}\`` };
    const token = readFileSync(fd, 'utf8').trim();
    if (!/^[\x21-\x7e]+$/.test(token) || token.length < SHORTEST)
      return {
        problem: `\`${path}\` does not hold a token`,
        help: `write at least ${SHORTEST} letters, digits or signs without spaces, in one line`,
      };
    return { token };
  } finally {
    closeSync(fd);
  }
}
