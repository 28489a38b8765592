/** Megabytes per second that the built library compiles in a new process: 100,000 lines, a third of them with shell text. */
import { compile } from 'statedsl';

const STATES = 11_112;
const state = (n) => `STATE: S${n}
  TRACK: n${n % 50}
  DO: echo {n${n % 50}} | grep -v x > out/${n}.txt && test -f out/${n}.txt
  CHECK: r${n} = git log --oneline -n 1 -- src/file${n}.ts
  IF: r${n} contains "fix" AND n${n % 50} < 5 → GOTO: S${n + 1}
  DO: npm run build -- --target=es2022 "--out={r${n}}"
  INCREMENT: n${n % 50}
  GOTO: S${n + 1}

`;
const text = `${Array.from({ length: STATES }, (_, n) => state(n)).join('')}STATE: S${STATES}\n  RETURN\n`;
const begun = performance.now();
const { machine, diagnostics } = compile(text);
const ms = performance.now() - begun;
if (machine === null) throw new Error(diagnostics[0].message);
console.log(text.length / 1000 / ms);
