/** The call that is being written: a function, a pattern, a state or a tool, with what it can be given. */
import { lineText, positionAt } from '../../language/source/diagnostic.js';
import { entryValuesOf, type KnownNames, parametersOf } from './completion.js';
import { parametersOfTool } from './described-values.js';
import type { OpenProgram } from './open-program.js';
import { machineAt } from './outline.js';
import { FUNCTIONS } from './reference-words.js';

export interface CallSignature {
  readonly label: string;
  readonly parameters: readonly string[];
  readonly active: number;
  readonly text: string;
}

/** The function, pattern or state whose values are being written. */
export function signatureAt(program: OpenProgram, offset: number, known: KnownNames = {}): CallSignature | null {
  const { source } = program;
  const { line, column } = positionAt(source, offset);
  const before = lineText(source, line).slice(0, column - 1);
  const call = openCall(before);
  if (call !== null && Object.hasOwn(FUNCTIONS, call.name)) {
    const [parameters, text] = FUNCTIONS[call.name] as (typeof FUNCTIONS)[string];
    return { label: `${call.name}(${parameters.join(', ')})`, parameters, active: call.argument, text };
  }
  const passed = /\b(GOTO|USE|CALL)(?:\s*\[[^\]]*\])?:?\s+(?:[A-Za-z_]\w*\s*=\s*)?([\w.-]+)\s+with\s(.*)$/.exec(before);
  if (passed === null) return null;
  const [, verb, name = '', list = ''] = passed;
  const ofTool = verb === 'CALL' ? parametersOfTool(known.schemaOf?.(name) ?? null) : [];
  const parameters =
    verb === 'CALL'
      ? ofTool.map((one) => one.name)
      : verb === 'USE'
        ? parametersOf(program, name)
        : entryValuesOf(program, machineAt(program, offset), name);
  if (parameters.length === 0) return null;
  const written = /([A-Za-z_]\w*)\s*=[^,]*$/.exec(list)?.[1];
  const active = written === undefined ? list.split(',').length - 1 : parameters.indexOf(written);
  const symbol = program.index.symbols.find(
    (one) => one.kind === (verb === 'USE' ? 'pattern' : 'state') && one.name === name,
  );
  return {
    label: `${verb} ${name} with ${parameters.join(', ')}`,
    parameters,
    active: Math.max(0, active),
    text:
      verb === 'CALL'
        ? ofTool.flatMap(({ name: own, says }) => (says === null ? [] : [`\`${own}\`: ${says}`])).join('\n')
        : (symbol?.doc ?? ''),
  };
}

/** The innermost function whose bracket is open. */
function openCall(before: string): { name: string; argument: number } | null {
  let depth = 0;
  let argument = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    const c = before[at];
    if (c === ')' || c === ']') depth++;
    else if (c === ',' && depth === 0) argument++;
    else if (c === '(' && depth === 0) {
      const name = /([A-Za-z_]\w*)$/.exec(before.slice(0, at))?.[1];
      return name === undefined ? null : { name, argument };
    } else if (c === '(' || c === '[') depth--;
  }
  return null;
}
