/**
 * The grammar as EBNF (ISO 14977), printed from the parser, so that the published grammar cannot differ from the one
 * that is used. Parts that only the parser accepts as missing (`may`) are printed as required, and skipped tokens are
 * left out. The result is the language and not the larger set of texts that can be parsed.
 */
import {
  Alternation,
  type Alternative,
  type IProduction,
  NonTerminal,
  Option,
  Repetition,
  RepetitionMandatory,
  type Rule,
  Terminal,
} from 'chevrotain';
import { textGates } from '../steps/section-words.js';
import { bareVerbs, wordsOfTokens } from '../tokens/verbs.js';
import { firstForgivenIndex, validatedRules } from './rule-recorder.js';

/** The printed names of rules that differ from their names in the parser. */
const ruleNames: Readonly<Record<string, string>> = {
  forEach: 'for-each',
  inputLine: 'input',
  toolLine: 'tool-declaration',
  keyLine: 'key-declaration',
  titleLine: 'title',
  imported: 'import',
  ret: 'return',
  said: 'text-action',
  args: 'arguments',
  arg: 'argument',
  conditional: 'if',
  contextSection: 'context-section',
  contextEntry: 'context-entry',
  promptSection: 'prompt-section',
  promptText: 'prompt-text',
  sessionSection: 'session-section',
  agentSection: 'agent-section',
  workflowSection: 'workflow-section',
  gateSection: 'gate-section',
  retrySection: 'retry-section',
  retryEntry: 'retry-entry',
  retryPart: 'retry-part',
  eachSection: 'each-section',
  toolCall: 'tool-call',
  callArgs: 'call-arguments',
  callArg: 'call-argument',
};

/** Terminals that are words or signs, but for verbs and sections with a colon. */
const literals: Readonly<Record<string, string>> = {
  Do: '"DO" , [ ":" ]',
  Check: '"CHECK" , [ ":" ]',
  Else: '"ELSE"',
  OnError: '"ON ERROR" , [ name ] , ":"',
  Return: '"RETURN" , [ ":" ]',
  Undo: '"UNDO" , [ ":" ]',
  PromptColon: '":"',
  Ask: '"ASK user:"',
  Each: '"EACH"',
  Call: '"CALL" , [ ":" ]',
  Plan: '"PLAN" , [ ":" ]',
  CallOptionsClose: '"]"',
  DoForEach: '"FOR EACH"',
  Arrow: 'arrow',
  BranchArrow: 'arrow',
  PlainArrow: 'arrow',
  NextAction: '","',
  Bullet: '"- "',
  GateExpression: '( "coverage" | "expr" )',
  GateCall: '"validate"',
  GateText: `( ${textGates.map((word) => `"${word}"`).join(' | ')} )`,
  ContextCall: '"workflow=" , word',
  ContextKey: '( "file" | "bash" )',
  RetryNumber: '( "ATTEMPT" | "EXIT" )',
  RetryGate: '"NOT"',
  RetryCall: '"VALIDATE"',
  RetryPrompt: '"PROMPT"',
  RetryValue: '( "AGENT" | "SESSION" | "WORKTREE" )',
  RetryArrow: 'arrow',
  NextGate: '","',
  NextContext: '","',
  NextRetry: '","',
  As: '"as"',
  Bar: '"|"',
  OptionsOpen: '"["',
  OptionsClose: '"]"',
  HeaderColon: '":"',
  Pipe: '"|"',
  ArgvOpen: '"["',
  ReturnWith: '"with"',
  With: '"with"',
  By: '"by"',
  Signal: '"signal"',
  InParallel: '"in PARALLEL"',
  LoopOptions: '"["',
  Redirect: '">"',
  And: '"AND"',
  Or: '"OR"',
  Not: '"NOT"',
  Assign: '"="',
  PlusAssign: '"+="',
  Question: '"?"',
  Comma: '","',
  Colon: '":"',
  PassOpen: '"("',
  LParen: '"("',
  RParen: '")"',
  LBracket: '"["',
  RBracket: '"]"',
  LBrace: '"{"',
  RBrace: '"}"',
  Indent: 'indent',
  Dedent: 'dedent',
  Newline: 'newline',
};

/** Terminals that are described in words: their printed names and descriptions. */
const described: Readonly<Record<string, readonly [string, string]>> = {
  Word: ['name', 'a letter or "_", then letters, digits and "_"; the name of a machine also "-"'],
  Name: ['name', ''],
  OptionKey: ['name', ''],
  EventWord: ['name', ''],
  Braced: [
    'braced',
    '"{", a name, path, call or data reference, optionally ":" and a filter, or an expression with operators, "}"',
  ],
  BracedTarget: ['braced', ''],
  Number: ['number', 'digits, optionally "." and digits, optionally an exponent'],
  Quoted: ['quoted', 'text in double quotes, with escapes, or in single quotes, without; braces in it are values'],
  DataReference: ['data-reference', '"†", a name, then ".name", "[digits]" and "[quoted]"'],
  References: ['references', 'data references joined by "||" or "&&", as in output; only in what CALL and PLAN pass'],
  OutputPath: [
    'output',
    'data references joined by "||" (also "<|>") or "&&" (also "*>"), with parentheses between the two',
  ],
  Field: ['field', '".", a name'],
  Test: ['test', '"is" ["not"] ("empty" | "null" | "valid JSON"), or "exists"'],
  Relation: ['relation', '["not"] ("contains" | "in"), "matches", "starts with" or "ends with"'],
  Compare: ['comparison', '"==", "!=", "<", "<=", ">" or ">="'],
  Sum: ['sign', '"+" or "-"'],
  Product: ['product', '"*", "/" or "%"'],
  Assigned: ['value', '"=", text up to a space; quotes and braces may contain spaces'],
  Note: [
    'note',
    'a parenthesis at the end of a line; only "(starts at N)", "(quorum=N)", "(… in PARALLEL …)" and those of INPUT mean something',
  ],
  BracketNote: ['bracket-note', 'text in brackets after the name of a state'],
  Bind: ['bind', 'a name, a space, "="'],
  CallBind: ['bind', ''],
  ToolName: ['tool', 'the name of a tool'],
  CalledText: ['quoted', ''],
  Capture: ['capture', 'a name, "=", before "$(…)" that ends the command'],
  ParallelHead: ['parallel-head', 'any words, "in PARALLEL"'],
  AgentCall: ['agent-call', '"Task(", the name of an agent, ")"'],
  Shell: ['shell', 'the rest of the line; in an action list up to a comma that a verb follows'],
  ShellBlock: ['shell-block', 'the lines below that are indented deeper'],
  Target: ['target', 'a file name; quotes and braces may contain spaces'],
  SaidText: [
    'said-text',
    'a quoted text, or the rest of the line up to "with", a name and "="; in an action list up to a comma',
  ],
  Text: ['text', 'the rest of the line; in an action list up to a comma'],
  WaitDuration: ['duration', 'a number and "ms", "s", "m", "h" or "d"; or braces instead of either'],
  Members: ['members', '"All", optionally a number and what the members are, "complete"'],
  StepName: ['step-name', 'text without spaces, ".", "/" and signs'],
  GateName: ['gate-name', '"compile", "test", "lint", "tests_found" or the name of a gate of the configuration'],
  AgentName: ['word', 'text without spaces, commas and quotes; braces in it are values'],
  CallName: ['word', ''],
  PlainWord: ['word', ''],
  Label: ['word', ''],
  DashedWord: ['dashed-word', 'a name that continues with "-" and letters, as in "claude-opus"'],
  TextBlock: ['text-block', 'the lines below that are indented deeper; braces in them are values'],
  PromptBlock: ['text-block', ''],
  Timeout: ['timeout', '"OR timeout=", a duration'],
  Every: ['every', '"every=", a duration, optionally in brackets'],
};

/** Tokens that exist only for messages about missing or wrong parts. */
const mistakes: ReadonlySet<string> = new Set([
  ...['MissingArrow', 'Prose', 'Inline', 'UnquotedPath', 'UnquotedText', 'TripleQuoted', 'MissingComma'],
]);

const introduction = `(* The grammar of statedsl, printed from its parser.

   A line is ended by a line feed that no backslash precedes. An indent is a line that is indented deeper than
   the line above; a dedent is where the lines of a block end. Blank lines do not count. A comment is a line that
   begins with "#", or, outside shell text, quotes and brackets, two spaces, "#" and what follows on the line.

   In an action list verbs do not need a colon. Operators bind in this order, the loosest first: OR, AND, NOT, a single
   comparison, relation or test, "+" and "-", "*", "/" and "%", a sign, and what follows an operand.

   "{ x }-" is one x or more. *)
`;

/** The whole grammar as text. */
export function printGrammar(): string {
  const rules = Object.values(validatedRules());
  const first = rules.findIndex((rule) => rule.name === 'program');
  const printed = [...rules.slice(first), ...rules.slice(0, first)]
    .filter((rule) => rule.name !== 'rest')
    .map((rule) => `${nameOf(rule)} =\n${wrap(withoutParentheses(sequence(rule.definition)))} ;`);
  return `${[introduction, ...printed, terminals()].join('\n')}\n`;
}

function nameOf(rule: Rule): string {
  return ruleNames[rule.name] ?? rule.name;
}

function terminals(): string {
  const seen = new Set<string>();
  const lines = ['', '(* Terminals. *)', '', 'arrow = "→" | "->" ;'];
  for (const [name, text] of Object.values(described)) {
    if (text === '' || seen.has(name)) continue;
    seen.add(name);
    lines.push(`${name} = ? ${text} ? ;`);
  }
  return lines.join('\n');
}

// ---- productions ------------------------------------------------------------------------------------

function sequence(list: readonly IProduction[]): string {
  return list
    .map(production)
    .filter((text) => text !== '')
    .join(' , ');
}

function production(it: IProduction): string {
  if (it instanceof Terminal) return terminal(it);
  if (it instanceof NonTerminal)
    return it.nonTerminalName === 'rest' ? '' : (ruleNames[it.nonTerminalName] ?? it.nonTerminalName);
  if (it instanceof Option) {
    const inner = sequence(it.definition);
    return inner === '' || it.idx >= firstForgivenIndex ? inner : `[ ${withoutParentheses(inner)} ]`;
  }
  if (it instanceof Repetition) return repetition(sequence(it.definition));
  if (it instanceof RepetitionMandatory) return `${repetition(sequence(it.definition))}-`;
  if (it instanceof Alternation) return alternation(it);
  return '';
}

function terminal(it: Terminal): string {
  const { name } = it.terminalType;
  // Between operands, `=` is parsed as a misspelt `==`.
  if (mistakes.has(name) || (name === 'Assign' && it.label === 'part')) return '';
  return literals[name] ?? described[name]?.[0] ?? verbText(name) ?? name;
}

function verbText(name: string): string | null {
  const word = wordsOfTokens.get(name);
  if (word === undefined) return null;
  return bareVerbs.some((verb) => verb === word) ? `"${word}"` : `"${word}:"`;
}

function repetition(inner: string): string {
  return inner === '' ? '' : `{ ${withoutParentheses(inner)} }`;
}

/** Alternatives come in parentheses; within braces and brackets they need none. */
function withoutParentheses(text: string): string {
  return /^\( (?:(?!\( | \)).)* \)$/.test(text) ? text.slice(2, -2) : text;
}

function alternation(it: Alternation): string {
  const alternatives = new Set(it.definition.map((alternative) => sequence((alternative as Alternative).definition)));
  alternatives.delete('');
  const list = [...alternatives];
  return list.length === 1 ? (list[0] as string) : `( ${list.join(' | ')} )`;
}

// ---- lines ------------------------------------------------------------------------------------------

const widest = 100;

/** Breaks a rule at its commas and bars. */
function wrap(text: string): string {
  const lines: string[] = [];
  let line = '   ';
  for (const word of text.split(/ (?=[,|] )/)) {
    if (line.length + word.length > widest) {
      lines.push(line.trimEnd());
      line = '    ';
    }
    line += ` ${word}`;
  }
  lines.push(line.trimEnd());
  return lines.join('\n');
}
