/** Compiles, binds and runs shell text as a run would, in an empty directory. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShellValue } from '../../src/interpreter/request.js';
import { type CompiledShellText, compileShellText } from '../../src/language/check/shell/text.js';
import type { Diagnostic } from '../../src/language/source/diagnostic.js';
import { bindShellText, SCRIPT_ARGUMENT_BYTES } from '../../src/runtime/process/shell-values.js';
import { runProgram } from '../harness/process.js';
import { interpolationsOf } from './interpolations.js';

export type Shell = 'bash' | 'sh';

export function compiled(text: string, options: { shell?: Shell; strict?: boolean } = {}): CompiledShellText {
  const { shell = 'bash', strict = false } = options;
  return compileShellText(text, {
    shell,
    strict,
    interpolation: interpolationsOf(text),
    isValue: () => false,
    wrapsPipes: shell === 'bash',
  });
}

/** The findings as `code «text to blame»`, warnings in parentheses. */
export function findings(text: string, options: { shell?: Shell; strict?: boolean } = {}): string[] {
  return compiled(text, options).findings.map(({ start, end, make }) => {
    const { code, severity } = make({ file: 0, start, end });
    const line = `${code} «${text.slice(start, end)}»`;
    return severity === 'warning' ? `(${line})` : line;
  });
}

export function diagnosticsOf(text: string): Diagnostic[] {
  return compiled(text).findings.map(({ start, end, make }) => make({ file: 0, start, end }));
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  /** A value was executed. */
  readonly canary: boolean;
}

/** Runs text with values by the name in the braces; throws when a value is refused. */
export async function runText(
  text: string,
  value: (name: string) => ShellValue,
  options: { shell?: Shell; env?: Record<string, string> } = {},
): Promise<Ran> {
  const { shell = 'bash', env = {} } = options;
  const { template } = compiled(text, { shell });
  const values = template.parts.flatMap((part) =>
    typeof part === 'string' ? [] : [value(part.value.op === 'read' ? part.value.name : '')],
  );
  const directory = mkdtempSync(join(tmpdir(), 'statedsl-shell-'));
  let files = 0;
  const scratchFile = (content: string): string => {
    const path = join(directory, `.value-${files++}`);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  try {
    const bound = bindShellText(template, values, { shell, scratchFile });
    if (!bound.ok) throw new Error(`${bound.errorType}: ${bound.message}`);
    const { script } = bound;
    const program = Buffer.byteLength(script) > SCRIPT_ARGUMENT_BYTES ? [scratchFile(script)] : ['-c', script];
    const argv = shell === 'bash' ? ['bash', '--norc', '--noprofile', ...program] : ['sh', ...program];
    const [executable = '', ...args] = argv;
    const ended = await runProgram(executable, args, {
      cwd: directory,
      env: { PATH: process.env.PATH ?? '', ...env, ...bound.env },
    });
    return { ...ended, canary: existsSync(join(directory, 'CANARY')) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
