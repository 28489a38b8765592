/**
 * Checks a flow that an agent has just written. Its input is the event of the agent program; with exit code 2 the agent
 * program shows what stands on standard error to the agent, which then mends it. Other files are left alone.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const INVALID = 2;
/** More findings follow from the first ones. */
const MOST = 10;

/** The path of the file that was written; null if it is not a flow. */
function writtenFlow() {
  try {
    const { tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
    const path = input?.file_path;
    return typeof path === 'string' && /\.(?:dsl|statedsl)$/.test(path) ? path : null;
  } catch {
    return null;
  }
}

/** A finding as one line. */
function lineOf({ file, line, column, severity, code, message, help }) {
  const location = line === undefined ? '' : `${file ?? ''}:${line}:${column}: `;
  return `${location}${severity}[${code}]: ${message}${help === undefined ? '' : ` (${help})`}`;
}

function main() {
  const path = writtenFlow();
  if (path === null) return 0;
  const { status, stdout, error } = spawnSync('statedsl', ['check', '--json', '--', path], { encoding: 'utf8' });
  // Without the program there is nothing to check with, and the file is not to blame.
  if (error !== undefined || status !== INVALID) return 0;
  let findings = [];
  try {
    findings = JSON.parse(stdout).diagnostics.filter(({ severity }) => severity === 'error');
  } catch {
    return 0;
  }
  const lines = findings.slice(0, MOST).map(lineOf);
  const left = findings.length > MOST ? [`and ${findings.length - MOST} more`] : [];
  console.error(['`statedsl check` refuses this flow. Mend every finding:', ...lines, ...left].join('\n'));
  return INVALID;
}

process.exitCode = main();
