/** Runs the built program once and writes the names of the scripts that it loaded. Usage: list-loaded.mjs FILE CLI ARGUMENT… */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [node, , list, cli, ...args] = process.argv;
process.argv = [node, cli, ...args];
let scripts = new Map();
process.on('exit', () => writeFileSync(list, [...scripts.keys()].join('\n')));
({ scripts } = createRequire(import.meta.url)(cli));
