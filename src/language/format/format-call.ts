/** Prints CALL and PLAN: references keep their spelling; operators and parentheses are normalized. */
import type { Instruction, OutputPath } from '../syntax/ast.js';
import type { ReferenceGroup } from '../syntax/expression-nodes.js';
import { bracketOptions, withText } from './format-parts.js';
import { colonFollows, gap, type SourceText, slice } from './source-text.js';

export function callHead(i: Extract<Instruction, { kind: 'call' }>, source: SourceText, inList: boolean): string {
  const { called, bind, bindAfter, args, output } = i;
  const colon = inList && !colonFollows(source, i.verb.span.end) ? '' : ':';
  const verb = `${called.kind === 'plan' ? 'PLAN' : 'CALL'}${bracketOptions(i.options)}${colon}`;
  const bound = bind === undefined || bindAfter ? '' : `${bind.text} = `;
  const given = withText(args, called.span.end, source);
  const end = args[args.length - 1]?.span.end ?? called.span.end;
  const result = output ?? (bindAfter ? bind : undefined);
  if (result === undefined) return `${verb} ${bound}${slice(source, called.span)}${given}`;
  const target = output === undefined ? (bind?.text ?? '') : outputText(output, source);
  return `${verb} ${bound}${slice(source, called.span)}${given}${gap(source, end, result.span.start)}→ ${target}`;
}

/** Text that cannot be parsed stays as it is. */
function outputText({ paths, span }: OutputPath, source: SourceText): string {
  if (paths === null) return slice(source, span);
  return paths.kind === 'data-reference' ? slice(source, paths.span) : referencesText(paths, source);
}

/** `†state.a || (†state.b && †state.c)`. */
export function referencesText({ operator, of }: ReferenceGroup, source: SourceText): string {
  const sign = operator === 'any' ? '||' : '&&';
  return of
    .map((part, at) => {
      const text = part.kind === 'data-reference' ? slice(source, part.span) : `(${referencesText(part, source)})`;
      const before = of[at - 1];
      return before === undefined ? text : `${gap(source, before.span.end, part.span.start)}${sign} ${text}`;
    })
    .join('');
}
