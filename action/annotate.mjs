/**
 * What the steps of the action say to GitHub. `annotate.mjs FILE` prints annotations for what `check --json` found;
 * `annotate.mjs --outputs FILE OUTPUT` writes the outputs for what `run --json` printed, and prints the id of the run.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';

const KINDS = { error: 'error', warning: 'warning' };

/** A line feed would end the command, and a colon or a comma the property. */
const escapeText = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text) => escapeText(String(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');

function annotation({ severity, code, message, help, file, line, column, end_line, end_column }) {
  const place = { file, line, col: column, endLine: end_line, endColumn: end_column, title: code };
  const properties = Object.entries(place)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(value)}`);
  const text = help === undefined ? message : `${message}\nhelp: ${help}`;
  return `::${KINDS[severity] ?? 'notice'} ${properties.join(',')}::${escapeText(text)}`;
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

const [first, file, output] = process.argv.slice(2);
if (first === '--outputs') {
  const { run_id = '', status = '', returned = null, diagnostics = [] } = read(file);
  for (const one of diagnostics) process.stderr.write(`${annotation(one)}\n`);
  const end = `end-${randomUUID()}`;
  const values = { 'run-id': run_id ?? '', status, returned: JSON.stringify(returned) };
  for (const [name, value] of Object.entries(values)) appendFileSync(output, `${name}<<${end}\n${value}\n${end}\n`);
  process.stdout.write(run_id ?? '');
} else {
  for (const one of read(first).diagnostics ?? []) process.stdout.write(`${annotation(one)}\n`);
}
