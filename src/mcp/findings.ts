/** What is wrong with a program or a request, as results of tools. */
import type { Refusal } from '../app/result.js';
import type { Json } from '../machine/expression.js';
import { findingsOf } from '../serve/checking.js';
import type { FindingJson } from '../views/diagnostics/findings-json.js';
import { failedResult, resultOf, type ToolResult } from './run-view.js';
import { cutText, type ShortMembers } from './short-answer.js';

export const MORE_FINDINGS = { findings: 'mend these first, then check again' };

export const refusalResult = ({ message, help, findings, facts = {} }: Refusal): ToolResult =>
  findings === undefined ? failedResult(message, help, { ...facts }) : errorsResult(findingsOf(findings));

export function checkText(fitted: ShortMembers): string {
  const findings = Array.isArray(fitted.findings) ? (fitted.findings as ShortMembers[]) : [];
  const lines = findings.map(findingLine);
  const left = Array.isArray(fitted.left_out) ? (fitted.left_out as string[]).map((one) => `left out: ${one}`) : [];
  return cutText([fitted.valid === true ? 'valid' : 'not valid', ...lines, ...left].join('\n'), 8000);
}

export function errorsResult(findings: readonly FindingJson[]): ToolResult {
  const facts = { valid: false, findings: findings as unknown as ShortMembers[] };
  const result = resultOf(facts, MORE_FINDINGS, (fitted) => `nothing was started: ${checkText(fitted)}`);
  return { ...result, isError: true };
}

/** A finding as a line. */
function findingLine(finding: ShortMembers): string {
  const { file, line, column, severity, code, message, help } = finding as Readonly<Record<string, Json | undefined>>;
  const location =
    line === undefined ? '' : `${file === undefined || file === null ? '' : `${file}:`}${line}:${column} `;
  return `${location}${severity} [${code}] ${message}${help === undefined ? '' : ` (${help})`}`;
}
