/**
 * Measures the rows and prints them as a table, or as JSON with `--json`. `--check` fails when a bar is missed.
 * Other arguments choose rows by a part of their name.
 */
import { durableEffects } from './durable-effects.js';
import { durablePeers } from './durable-peers.js';
import { row as editor } from './editor.js';
import { engineRow } from './engine.js';
import { foresight } from './foresight.js';
import { growth } from './growth.js';
import { listRuns } from './list-runs.js';
import { members } from './members.js';
import { parseAndCheck } from './parse-and-check.js';
import { planCalls } from './plan-calls.js';
import { pureLoop } from './pure-loop.js';
import { recordChain } from './record-chain.js';
import { resumeRow } from './resume.js';
import { type Measured, passes, type Row } from './row.js';
import { serveUnderLoad } from './serve.js';
import { shellLoop } from './shell-loop.js';
import { start } from './start.js';
import { viewer } from './viewer.js';
import { waitingRuns } from './waiting-runs.js';
import { workflowSteps } from './workflow-steps.js';

const rows: readonly Row[] = [
  start,
  pureLoop,
  shellLoop,
  durableEffects,
  durablePeers,
  recordChain,
  parseAndCheck,
  growth,
  foresight,
  members,
  planCalls,
  waitingRuns,
  listRuns,
  serveUnderLoad,
  viewer,
  editor,
  resumeRow,
  workflowSteps,
  engineRow,
];

function bar({ atMost, atLeast }: Measured): string {
  if (atMost !== undefined) return `≤ ${atMost}`;
  return atLeast !== undefined ? `≥ ${atLeast}` : '';
}

function line(one: Measured): string {
  if (Number.isNaN(one.ratio)) return `${one.what.padEnd(58)} ${one.sides}`;
  const number = one.ratio >= 100 ? one.ratio.toFixed(0) : one.ratio.toFixed(2);
  const value = one.unit === undefined ? `${number} ×` : `${number} ${one.unit}`;
  const verdict = bar(one) === '' ? '' : passes(one) ? 'ok' : 'MISSED';
  const cpu = one.cpuRatio === undefined || Number.isNaN(one.cpuRatio) ? '' : `cpu ${one.cpuRatio.toFixed(2)} ×`;
  return `${one.what.padEnd(58)} ${value.padStart(12)}  ${bar(one).padEnd(8)} ${verdict.padEnd(7)} ${cpu.padEnd(11)} ${one.sides}`;
}

const args = process.argv.slice(2);
const json = args.includes('--json');
const wanted = args.filter((arg) => !arg.startsWith('--'));
const chosen = rows.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
const measured: Measured[] = [];
for (const row of chosen) {
  for (const one of await row.measure()) {
    measured.push(one);
    if (!json) console.log(line(one));
  }
}
if (json)
  console.log(
    JSON.stringify(
      measured.map((one) => ({ ...one, passes: passes(one) })),
      null,
      2,
    ),
  );
if (args.includes('--check') && !measured.every(passes)) process.exitCode = 1;
