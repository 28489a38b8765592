/**
 * The tokens. Boundaries (line ends, indentation, and arrows and commas that separate actions) have their own types and
 * occur nowhere else. Everything inside an instruction is an `Inline`, so that the parser can skip unexpected tokens
 * and continue at the next boundary.
 */
import * as called from './call-patterns.js';
import * as command from './command-patterns.js';
import * as line from './line-patterns.js';
import { fast, letters, type Matcher, matchOnly, matchTo, none, scan, starting, TokenType } from './token.js';
import * as value from './value-patterns.js';
import { actionVerbs, bareVerbs, branchVerbs, type TextVerb, textVerbs, tokenNameOf, type Verb } from './verbs.js';

/** Any token inside one instruction. */
export const Inline = new TokenType('Inline', null, null, null, null);

export function boundary(name: string, matcher: Matcher | null, mode: string | null = null): TokenType {
  return new TokenType(name, matcher, mode, null, null);
}

export function inline(name: string, matcher: Matcher, mode: string | null = null): TokenType {
  return new TokenType(name, matcher, mode, Inline, null);
}

function hidden(name: string, matcher: Matcher, what: 'blank' | 'comment'): TokenType {
  return new TokenType(name, matcher, null, null, what);
}

const ofVerbs = new Map<Verb, TokenType>();

function verb(text: Verb, mode: string): TokenType {
  const token = boundary(tokenNameOf(text), line.verbPattern(text), mode);
  ofVerbs.set(text, token);
  return token;
}

// A push enters a mode, and the next push leaves it. A line end always leads back to `line`, so modes are never popped.

// ---- spaces, comments, boundaries -------------------------------------------------------------------

export const Gap = hidden('Gap', fast(' \t\r\n\uFEFF', /[ \t\r\n\uFEFF]+/), 'blank');
export const Blank = hidden('Blank', fast(' \t\r', /[ \t]+|\r(?!\n)/), 'blank');
export const Join = hidden('Join', fast('\\', /\\[ \t]*(?:\r?\n|$)/), 'blank');
export const LineComment = hidden('LineComment', fast('#', /#[^\n]*/), 'comment');
export const EndComment = hidden('EndComment', line.endComment, 'comment');

/** A comment in the position of the command: `DO:  # why`. The command follows below. */
export const HeadComment = hidden('HeadComment', matchOnly(startsPerformed, line.endComment), 'comment');

export const Newline = boundary('Newline', line.newline, 'line');
export const Indent = boundary('Indent', null);
export const Dedent = boundary('Dedent', null);
export const Arrow = boundary('Arrow', line.arrow, 'actions');
export const MissingArrow = boundary('MissingArrow', line.missingArrow, 'actions');
/** What a value can end with. */
const valueEnds: ReadonlySet<string> = new Set(
  'Name Number Unit Quoted Braced RBracket RParen RBrace Question Field DataReference DashedWord'.split(' '),
);
export const MissingComma = inline(
  'MissingComma',
  matchOnly((last) => last !== undefined && valueEnds.has(last.tokenType.name), line.missingComma),
);
export const NextAction = boundary('NextAction', line.nextAction, 'actions');
export const Prose = boundary('Prose', line.prose);

// ---- verbs ------------------------------------------------------------------------------------------

export const Machine = verb('MACHINE', 'named');
export const Title = verb('TITLE', 'text');
export const Input = verb('INPUT', 'named');
export const Limit = verb('LIMIT', 'options');
export const Tool = verb('TOOL', 'named');
export const Key = verb('KEY', 'text');
export const Import = verb('IMPORT', 'imported');
export const Pattern = verb('PATTERN', 'named');
export const State = verb('STATE', 'named');
export const Do = verb('DO', 'performed');
export const Check = verb('CHECK', 'performed');
export const Emit = verb('EMIT', 'emit');
export const If = verb('IF', 'expression');
export const ElseIf = verb('ELSE IF', 'expression');
export const Else = verb('ELSE', 'actions');
export const Default = verb('DEFAULT', 'actions');
export const OnError = verb('ON ERROR', 'actions');
export const Goto = verb('GOTO', 'named');
export const Use = verb('USE', 'named');
export const Return = verb('RETURN', 'text');
export const Wait = verb('WAIT', 'expression');
export const Track = verb('TRACK', 'named');
export const Increment = verb('INCREMENT', 'named');
export const SetVerb = verb('SET', 'named');
export const Ask = verb('ASK', 'ask');
export const ForEach = verb('FOR EACH', 'named');
export const Step = verb('STEP', 'stepName');
export const Call = verb('CALL', 'called');
export const Plan = verb('PLAN', 'called');
export const Undo = verb('UNDO', 'performed');
export const bareTokens = bareVerbs.map((one) => verb(one, 'expression'));
export const textTokens = Object.keys(textVerbs).map((one) => verb(one as TextVerb, 'said'));

export const tokenOf = (verb: Verb): TokenType => ofVerbs.get(verb) as TokenType;

/** The tokens that begin an action, or a branch of one. */
export const actionTokens = [...actionVerbs, ...branchVerbs].map(tokenOf);

const branches: ReadonlySet<TokenType> = new Set([Else, Default, OnError]);
export const BranchArrow = boundary(
  'BranchArrow',
  matchOnly((last) => last !== undefined && branches.has(last.tokenType), line.branchArrow),
);

// ---- what DO and CHECK perform ----------------------------------------------------------------------

export const Bullet = boundary(
  'Bullet',
  matchOnly((last) => last?.tokenType.name !== 'Bullet', fast('-', /-(?=[ \t]+\S)/)),
  'line',
);
/** Not after `x =`, where a bracket begins a list. */
export const OptionsOpen = inline(
  'OptionsOpen',
  matchOnly((last) => last?.tokenType !== Bind, command.optionsOpen),
  'options',
);
export const OptionsClose = inline(
  'OptionsClose',
  matchOnly(() => scan.header, fast(']', /\]/)),
  'performed',
);
export const HeaderColon = inline(
  'HeaderColon',
  matchOnly((last) => last?.tokenType === OptionsClose || last?.tokenType === CallOptionsClose, fast(':', /:/)),
);
/** `DO: FOR EACH …`. */
const exactLoop = line.verbPattern('FOR EACH');
export const DoForEach = inline(
  'DoForEach',
  matchOnly(
    (last) => scan.verb === 'DO' && last?.tokenType !== Pipe && startsPerformed(last),
    starting(letters, (text, at, before) => {
      const end = command.loopAfterDo(text, at, before);
      return end === none ? exactLoop(text, at, before) : end;
    }),
  ),
  'named',
);
/** `UNDO: CALL …`. */
export const UndoCall = new TokenType(
  'UndoCall',
  matchOnly((last) => scan.verb === 'UNDO' && startsPerformed(last), line.verbPattern('CALL')),
  'called',
  Call,
  null,
);
export const Pipe = inline('Pipe', matchOnly(startsPerformed, fast('|', /\|(?!\|)/)), 'performed');
export const Bind = inline(
  'Bind',
  matchOnly((last) => last?.tokenType.name !== 'Bind' && startsPerformed(last), command.binding),
  'performed',
);
export const Capture = inline('Capture', matchOnly(startsPerformed, command.capture), 'performed');
export const ParallelHead = inline('ParallelHead', matchOnly(startsPerformed, command.parallelHead), 'options');
export const AgentCall = inline('AgentCall', matchOnly(startsPerformed, command.agent), 'expression');
/** The colon of `Task(agent) with x:` with its prompt on the lines below. */
export const PromptColon = inline(
  'PromptColon',
  matchOnly(() => scan.verb === 'TASK' && scan.depth === 0, command.promptColon),
);
export const PromptBlock = inline(
  'PromptBlock',
  matchOnly(
    (last) => last?.tokenType === PromptColon,
    starting('\r\n', (text, at) => command.linesBelow(text, at)),
  ),
);
const BEFORE_PROMPT: ReadonlySet<string> = new Set(['AgentCall', 'PromptColon', 'Prompt', 'RetryPrompt']);
const tripleQuoted = fast(`"'`, command.tripled);
/** A text between three quotes, as other languages write one of several lines. */
export const TripleQuoted = inline(
  'TripleQuoted',
  matchOnly((last) => last !== undefined && BEFORE_PROMPT.has(last.tokenType.name), tripleQuoted),
);
export const ArgvOpen = inline('ArgvOpen', matchOnly(startsPerformed, command.argvOpen), 'expression');
export const ShellBlock = inline('ShellBlock', matchOnly(startsPerformed, command.shellBlock));
export const Shell = inline('Shell', command.shellText, 'performed');

/** At the start of a command: only the verb, a bullet, a pipe or a binding comes first. */
function startsPerformed(last: { tokenType: TokenType } | undefined): boolean {
  if (last === undefined) return true;
  const type = last.tokenType;
  return (
    type === Newline ||
    type === Do ||
    type === Check ||
    type === Undo ||
    type === HeaderColon ||
    type === OptionsClose ||
    type === Bullet ||
    type === Pipe ||
    type === Bind
  );
}

// ---- what CALL and PLAN call ------------------------------------------------------------------------

export const CallOptionsClose = inline(
  'CallOptionsClose',
  matchOnly(() => scan.header && called.isCall(), fast(']', /\]/)),
  'called',
);
export const CallBind = inline('CallBind', matchOnly(startsCalled, called.bind));
export const ToolName = inline('ToolName', matchOnly(namesCalled, called.toolName), 'expression');
export const CalledText = inline('CalledText', matchOnly(namesCalled, value.quoted), 'expression');
/** Several joined references: the first that exists, or the last one, once all exist. */
export const References = inline('References', called.references);
export const OutputPath = inline(
  'OutputPath',
  matchOnly((last) => last?.tokenType === PlainArrow, called.outputPath),
);

/** Only the verb and its options come first. */
function startsCalled(last: { tokenType: TokenType } | undefined): boolean {
  const type = last?.tokenType;
  return type === Call || type === Plan || type === UndoCall || type === HeaderColon || type === CallOptionsClose;
}

function namesCalled(last: { tokenType: TokenType } | undefined): boolean {
  return startsCalled(last) || last?.tokenType === CallBind;
}

// ---- words ------------------------------------------------------------------------------------------

export const Word = inline('Word', wordUnless(/[^\s(){}[\],=+#"'→:]+/), 'expression');

/** A pattern that may begin with any character. */
export function wordUnless(regex: RegExp): Matcher {
  const sticky = new RegExp(regex.source, 'y');
  return (text, at) => {
    sticky.lastIndex = at;
    return sticky.test(text) ? matchTo(at, sticky.lastIndex) : none;
  };
}
export const UnquotedPath = inline('UnquotedPath', wordUnless(/[^\s"']+/));
export const EventWord = inline('EventWord', wordUnless(/[^\s=,[\]"'\\]+/));
export const OptionKey = inline('OptionKey', fast(letters, /[A-Za-z_][\w.-]*/));
export const Assigned = inline('Assigned', value.assigned);
export const ReturnWith = inline(
  'ReturnWith',
  matchOnly(
    (last) => last?.tokenType === Return && !last.image.endsWith(':'),
    fast('wW', /(?:with|WITH)(?=[ \t])|[Ww][Ii][Tt][Hh](?=[ \t]+[A-Za-z_]\w*[ \t]*=(?!=))/),
  ),
);
export const Text = inline('Text', line.returnText);
export const SaidText = inline(
  'SaidText',
  matchOnly((last) => last !== undefined && textTokens.includes(last.tokenType), line.saidText),
  'expression',
);
export const Name = inline('Name', fast(letters, /[A-Za-z_]\w*/));
export const Num = inline('Number', fast('0123456789', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w|\.\d)/));
export const Unit = inline('Unit', fast('0123456789', /\d[\w.]*/));
export const Quoted = inline('Quoted', value.quoted);
export const UnclosedQuote = inline('UnclosedQuote', value.unclosedQuote);
export const Braced = inline('Braced', value.braced);
export const BracedTarget = inline('BracedTarget', value.bracedTarget, 'expression');
export const DataReference = inline('DataReference', value.dataReference);
export const Note = inline('Note', value.note);
export const BracketNote = inline(
  'BracketNote',
  matchOnly(() => scan.verb === 'STATE', fast('[', /\[[^\]\n]*\]/)),
);
export const TooDeep = inline('TooDeep', value.tooDeep);

// ---- words of single verbs --------------------------------------------------------------------------

export const WaitDuration = inline(
  'WaitDuration',
  matchOnly((last) => last?.tokenType === Wait, value.waitDuration),
);
export const Signal = inline(
  'Signal',
  matchOnly((last) => last?.tokenType === Wait, fast('s', /signal(?=[ \t]+[A-Za-z_])/)),
);
export const Members = inline(
  'Members',
  matchOnly(
    (last) => last?.tokenType === Wait,
    fast('Aa', /[Aa]ll(?:[ \t]+\d+)?(?:[ \t]+(?!OR\b)[A-Za-z]\w*){0,3}[ \t]+complete(?!\w)/),
  ),
);
export const Timeout = inline('Timeout', value.timeout);
export const Every = inline('Every', value.every);
export const By = inline(
  'By',
  matchOnly((last) => scan.verb === 'INCREMENT' && last?.tokenType === Word, fast('bB', /by(?!\w)/i)),
);
export const InParallel = inline(
  'InParallel',
  matchOnly(() => scan.verb === 'FOR EACH', fast('iI', /in[ \t]+parallel(?=[ \t]*(?:$|[\r\n:[(,]|[A-Za-z]\w*=))/i)),
  'options',
);
/** `[on_failure=` after the list of a sequential FOR EACH: an index never contains a single `=`. */
export const LoopOptions = inline('LoopOptions', value.loopOptions, 'options');
export const Redirect = inline(
  'Redirect',
  matchOnly(() => scan.verb === 'TASK' && scan.depth === 0, fast('>', />(?!=)[ \t]*/)),
  'target',
);
export const Target = inline('Target', value.target, 'expression');

// ---- operators and punctuation ----------------------------------------------------------------------

export const Test = inline(
  'Test',
  fast('ie', /is[ \t]+(?:not[ \t]+)?(?:empty|null|valid[ \t]+JSON)(?!\w)|exists(?!\w)/),
);
const relation = fast('ncimse', /(?:not[ \t]+)?(?:contains|in)(?!\w)|matches(?!\w)|(?:starts|ends)[ \t]+with(?!\w)/);
const loopIn = fast('iIncmse', /(?:not[ \t]+)?(?:contains|in)(?!\w)|matches(?!\w)|(?:starts|ends)[ \t]+with(?!\w)/i);
export const Relation = inline(
  'Relation',
  starting('ncimseI', (text, at, before) => {
    const isLoop = scan.verb === 'FOR EACH' && before.at(-1)?.tokenType === Word;
    return (isLoop ? loopIn : relation)(text, at, before);
  }),
);
export const And = inline('And', fast('Aa&', /AND(?!\w)|and(?!\w)|&&/));
export const Or = inline('Or', fast('Oo|', /OR(?!\w)|or(?!\w)|\|\|/));
export const Not = inline('Not', fast('Nn!', /NOT(?!\w)|not(?!\w)|!(?!=)/));
export const With = inline('With', line.passes);
export const Compare = inline('Compare', fast('=!<>', /===?|!==?|<=|>=|=>|=<|<>|<|>/));
export const Assign = inline('Assign', fast('=', /=(?![=<>])/));
export const PlusAssign = inline('PlusAssign', fast('+', /\+=/));
export const Sum = inline('Sum', fast('+-', /[+-]/));
export const Product = inline('Product', fast('*/%', /[*/%]/));
export const Question = inline('Question', fast('?', /\?/));
export const Field = inline('Field', fast('.', /\.[ \t]*[A-Za-z_]\w*/));
export const PlainArrow = inline('PlainArrow', line.branchArrow);
export const Comma = inline('Comma', fast(',', /,/));
export const Colon = inline('Colon', fast(':', /:/));
export const PassOpen = inline('PassOpen', value.passOpen);
export const LParen = inline('LParen', value.openBracket('('));
export const RParen = inline('RParen', value.closeBracket(')'));
export const LBracket = inline('LBracket', value.openBracket('['));
export const RBracket = inline('RBracket', value.closeBracket(']'));
export const LBrace = inline('LBrace', value.openBracket('{'));
export const RBrace = inline('RBrace', value.closeBracket('}'));
