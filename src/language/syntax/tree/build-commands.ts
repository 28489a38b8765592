/** Builds the work of DO and CHECK: shell text, argument lists and agent calls, with bindings and pipes. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import {
  badName,
  missingPart,
  parallelWithoutBullets,
  twoPrompts,
  unclosedBracket,
} from '../../source/catalogue/syntax.js';
import type { CommandNode, Instruction, Option, Performed, ShellText } from '../ast.js';
import type { Expression, Name, Template } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import {
  child,
  endOf,
  type ParseContext,
  report,
  reportMissing,
  span,
  spanOf,
  token,
  tokenSpan,
} from '../grammar/cst.js';
import { boundName, verbName } from '../names.js';
import { isSubstitution } from '../tokens/command-patterns.js';
import type { Token } from '../tokens/token.js';
import { blockText } from './block-text.js';
import { ofLiterals, parseExpressionText } from './build-expression.js';
import { buildArguments, headerOptions, textTemplate } from './build-options.js';
import { blockTemplate, quotedTemplate } from './interpolation.js';
import { buildItems } from './operand.js';
import { lintQuotedBlock, tripledTemplate } from './triple-quotes.js';

type CommandStyle = 'verb' | 'bullet' | 'bare';

/** The instruction of a `command` node that is neither PARALLEL nor FOR EACH. */
export function buildCommand(context: ParseContext, node: SyntaxNode, inList: boolean): Instruction {
  const verbToken = (token(node, 'Do') ?? token(node, 'Check')) as Token;
  const options = headerOptions(context, node, verbToken, inList);
  const verb = verbName(context, verbToken);
  const performed = child(node, 'performed');
  const where = spanOf(context, node);
  if (performed === undefined) {
    const example = token(node, 'Do') === undefined ? 'CHECK: git status --porcelain=v2' : 'DO: npm test';
    reportMissing(context, missingPart(verb.span, { what: 'a command', after: `${verb.text}:`, example }));
    return { kind: 'broken', verb, span: where };
  }
  const check = token(node, 'Do') === undefined;
  const built = buildPerformed(context, performed, { verb, options, check, style: 'verb' }, where);
  reportParallel(context, built);
  return built;
}

const IN_PARALLEL = /^(.*?)(?<=\s)in[ \t]+PARALLEL(?:[ \t]*(?:\[[^\]]*\]|\([^)]*\)))*[ \t]*:?[ \t]*$/;

/** `DO: echo "x" in PARALLEL` would pass the words to the command. */
function reportParallel(context: ParseContext, { performed }: CommandNode): void {
  if (performed.kind !== 'shell' || performed.shell.block) return;
  const { text, span: where } = performed.shell;
  if (!text.includes('PARALLEL')) return;
  const command = IN_PARALLEL.exec(text)?.[1]?.trimEnd();
  if (command === undefined || /^[^'"]*(['"])(?:(?!\1).)*$/.test(command)) return;
  report(context, parallelWithoutBullets(where, { command }));
}

interface Header {
  readonly verb: Name;
  readonly options: readonly Option[];
  readonly check: boolean;
  readonly style: CommandStyle;
}

export function buildPerformed(
  context: ParseContext,
  node: SyntaxNode,
  header: Header,
  where: Instruction['span'],
): CommandNode {
  const binding = child(node, 'binding');
  const bound = binding === undefined ? undefined : (token(binding, 'Bind') ?? token(binding, 'Capture'));
  const bind = bound === undefined ? undefined : boundName(context, bound, 'a value');
  const { performed, capture } = performedOf(context, node, bind !== undefined);
  const { verb, options } = header;
  const shared = { verb, options, piped: token(node, 'Pipe') !== undefined, performed, span: where };
  const named = bind === undefined ? shared : { ...shared, bind };
  if (header.check) return { kind: 'check', ...named, capture };
  const expression = bind === undefined || capture ? undefined : asExpression(context, performed, shared.piped);
  return { kind: 'do', ...named, style: header.style, ...omitUndefined({ expression }) };
}

/** Two adjacent words without an operator between them: a command. Parsing it as an expression is unnecessary. */
const plainCommand =
  /^(?!NOT\b)[\w./-]+[ \t]+(?!(?:AND|OR|NOT|is|in|not|contains|matches|starts|ends|exists|and|or)\b)[\w.~$"']/;

/**
 * A call with arguments, a list, or an object: no shell accepts these, so mistakes in them are mistakes in an
 * expression.
 */
const onlyExpression = /^(?:(?!(?:raw|if|while|until|time|case)\()[A-Za-z_]\w*\((?![ \t]*\))|\[[^\s[]|\{["'])/;

function asExpression(context: ParseContext, performed: Performed, piped: boolean): Expression | undefined {
  if (performed.kind === 'argv') return undefined;
  if (performed.kind !== 'shell' || piped || performed.shell.block) return undefined;
  const { start, end } = performed.shell.span;
  const text = context.text.slice(start - context.base, end - context.base);
  if (plainCommand.test(text)) return undefined;
  const { expression, diagnostics, complete } = parseExpressionText(text, start, context.file);
  if (complete && diagnostics.every(({ code }) => ofLiterals.has(code))) {
    for (const diagnostic of diagnostics) report(context, diagnostic);
    return expression;
  }
  const [first] = diagnostics;
  if (!onlyExpression.test(text) || first === undefined) return undefined;
  report(context, first);
  return { kind: 'broken', span: expression.span };
}

// ---- what is performed ------------------------------------------------------------------------------

function performedOf(
  context: ParseContext,
  node: SyntaxNode,
  bound: boolean,
): { performed: Performed; capture: boolean } {
  const task = child(node, 'task');
  const shell = task === undefined ? undefined : token(task, 'Shell');
  const block = task === undefined ? undefined : token(task, 'ShellBlock');
  const agent = task === undefined ? undefined : child(task, 'agent');
  const argv = task === undefined ? undefined : child(task, 'argv');
  if (shell !== undefined) {
    const capture = bound && isSubstitution(shell.image);
    return {
      performed: {
        kind: 'shell',
        shell: capture ? substitution(context, shell) : lineText(context, shell.image, shell.startOffset),
      },
      capture,
    };
  }
  if (block !== undefined)
    return { performed: { kind: 'shell', shell: blockText(context, block, 'DO:', true) }, capture: false };
  if (agent !== undefined) return { performed: buildAgent(context, agent), capture: false };
  if (argv !== undefined) return { performed: buildArgv(context, argv), capture: false };
  const where = spanOf(context, node);
  reportMissing(
    context,
    missingPart(where, {
      what: 'a command',
      after: context.text.slice(where.start - context.base, where.end - context.base),
    }),
  );
  return { performed: { kind: 'shell', shell: lineText(context, '', where.end - context.base) }, capture: false };
}

/** The command inside `$(…)`. */
function substitution(context: ParseContext, shell: Token): ShellText {
  const inner = shell.image.slice(2, -1);
  const leading = inner.length - inner.trimStart().length;
  return lineText(context, inner.trim(), shell.startOffset + 2 + leading);
}

/** One logical line: as written, with LF line ends. */
function lineText(context: ParseContext, image: string, start: number): ShellText {
  const text = image.replaceAll('\r\n', '\n');
  const lines: { at: number; source: number }[] = [{ at: 0, source: context.base + start }];
  for (
    let raw = image.indexOf('\n'), at = text.indexOf('\n');
    raw >= 0;
    raw = image.indexOf('\n', raw + 1), at = text.indexOf('\n', at + 1)
  )
    lines.push({ at: at + 1, source: context.base + start + raw + 1 });
  return { text, lines, block: false, span: span(context, start, start + image.length) };
}

const agentNames = /^[A-Za-z0-9_:./-]+$/;

function buildAgent(context: ParseContext, node: SyntaxNode): Performed {
  const call = token(node, 'AgentCall') as Token;
  const text = /\(([^()]*)\)/.exec(call.image)?.[1]?.trim() ?? '';
  const start = call.startOffset + call.image.indexOf(text, call.image.indexOf('(') + 1);
  const agent: Name = {
    text,
    span: text === '' ? tokenSpan(context, call) : span(context, start, start + text.length),
  };
  if (text !== '' && !agentNames.test(text)) {
    const unquoted = text.replace(/^(["'])(.*)\1$/, '$2');
    const isValue = /^\$?\{.*\}$/.test(text);
    const help =
      'an agent is named in the program: choose between calls with `IF: … → DO: Task(a) "…"`, or write a STEP';
    const suggestion = agentNames.test(unquoted)
      ? { suggestion: unquoted }
      : isValue
        ? { help: `${help} with \`AGENT: ${text.replace(/^\$/, '')}\`` }
        : {};
    reportMissing(context, badName(agent.span, { name: text, what: 'an agent', dash: true, ...suggestion }));
  }
  const output = redirect(context, node);
  const args = buildArguments(context, child(node, 'args'));
  const prompt = promptOf(context, node);
  return {
    kind: 'agent',
    agent,
    args,
    ...omitUndefined({
      prompt,
      unread: prompt === undefined && args.length === 0 && child(node, 'args') !== undefined ? true : undefined,
      output,
    }),
    span: spanOf(context, node),
  };
}

/** The prompt in quotes, or the lines below. */
function promptOf(context: ParseContext, node: SyntaxNode): Template | undefined {
  const quoted = token(node, 'Quoted');
  const block = token(node, 'PromptBlock');
  const tripled = token(node, 'TripleQuoted');
  const first = quoted ?? tripled;
  if (block !== undefined && first !== undefined) report(context, twoPrompts(tokenSpan(context, first), {}));
  if (quoted !== undefined) return quotedTemplate(context, quoted.image, quoted.startOffset);
  if (block !== undefined) {
    lintQuotedBlock(context, block);
    return blockTemplate(context, blockText(context, block, 'Task(…):', false));
  }
  if (tripled === undefined) return undefined;
  const colon = token(node, 'PromptColon')?.startOffset;
  const oneLineFrom = colon === undefined ? tripled.startOffset : child(node, 'args') === undefined ? colon : null;
  const isAlone = token(node, 'Redirect') === undefined;
  return tripledTemplate(context, tripled, { colon, end: endOf(node), oneLineFrom, isAlone });
}

function redirect(context: ParseContext, node: SyntaxNode): Template | undefined {
  const redirected = token(node, 'Redirect');
  if (redirected === undefined) return undefined;
  const target = token(node, 'Target');
  if (target !== undefined) return textTemplate(context, target.image, target.startOffset);
  reportMissing(
    context,
    missingPart(tokenSpan(context, redirected), { what: 'a file name', after: '>', example: '> plan.md' }),
  );
  return undefined;
}

function buildArgv(context: ParseContext, node: SyntaxNode): Performed {
  const open = token(node, 'ArgvOpen') as Token;
  const items = child(node, 'items');
  const where = spanOf(context, node);
  if (token(node, 'RBracket') === undefined)
    reportMissing(context, unclosedBracket(tokenSpan(context, open), { open: '[', close: ']' }));
  const list: Expression = { kind: 'list', items: items === undefined ? [] : buildItems(context, items), span: where };
  return { kind: 'argv', list, span: where };
}
