/**
 * Executes the `example.mjs` of each folder, one after the other and with the folder as the working directory. What an
 * example printed ends with a null byte; then follows why it failed, if it did, and another null byte. One process for all
 * examples reads the library once, which takes many times longer than an example does.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

for (const folder of process.argv.slice(2)) {
  process.chdir(folder);
  let failure = '';
  try {
    await import(pathToFileURL(join(folder, 'example.mjs')).href);
  } catch (cause) {
    failure = cause?.stack ?? String(cause);
    process.exitCode = 1;
  }
  process.stdout.write(`\0${failure}\0`);
}
