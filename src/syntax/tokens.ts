/**
 * The tokens. Boundaries (line ends, indentation, arrows and commas that part actions) are their own types and
 * occur nowhere else; everything that can stand within an instruction is an `Inline`, so that the parser can
 * step over what it does not understand and go on at the next boundary.
 */
import { createToken, Lexer, type TokenType } from 'chevrotain';
import * as pattern from './lexer-patterns.js';
import { fast, type Matcher, only } from './lexer-patterns.js';
import type { Verb } from './verbs.js';

/** Anything within one instruction. */
export const Inline = createToken({ name: 'Inline', pattern: Lexer.NA });

function boundary(name: string, matcher: Matcher | typeof Lexer.NA, mode?: string): TokenType {
  return createToken({ name, pattern: matcher, line_breaks: true, ...(mode === undefined ? {} : { push_mode: mode }) });
}

function inline(name: string, matcher: Matcher, mode?: string): TokenType {
  return createToken({
    name,
    pattern: matcher,
    line_breaks: true,
    categories: [Inline],
    ...(mode === undefined ? {} : { push_mode: mode }),
  });
}

function skipped(name: string, matcher: Matcher, group: string = Lexer.SKIPPED): TokenType {
  return createToken({ name, pattern: matcher, line_breaks: true, group });
}

function verb(name: string, text: Verb, mode: string): TokenType {
  return boundary(name, pattern.verbPattern(text), mode);
}

// A mode is entered by a push and left by the next one: a line end always leads back to `line`, so nothing is
// ever popped, and the stack of the lexer is a mere history.

// ---- blanks, comments, boundaries -------------------------------------------------------------------

export const Gap = skipped('Gap', fast(' \t\r\n\uFEFF', /[ \t\r\n\uFEFF]+/));
export const Blank = skipped('Blank', fast(' \t\r', /[ \t]+|\r(?!\n)/));
export const Join = skipped('Join', fast('\\', /\\[ \t]*\r?\n/));
export const LineComment = skipped('LineComment', fast('#', /#[^\n]*/), 'comments');
export const EndComment = skipped('EndComment', pattern.endComment, 'comments');

/** A comment where the command would stand: `DO:  # why`, the command follows below. */
export const HeadComment = skipped('HeadComment', only(startsPerformed, pattern.endComment), 'comments');

export const Newline = boundary('Newline', pattern.newline, 'line');
export const Indent = boundary('Indent', Lexer.NA);
export const Dedent = boundary('Dedent', Lexer.NA);
export const Arrow = boundary('Arrow', pattern.arrow, 'actions');
export const MissingArrow = boundary('MissingArrow', pattern.missingArrow, 'actions');
export const NextAction = boundary('NextAction', pattern.nextAction, 'actions');
export const Prose = boundary('Prose', pattern.prose);

// ---- verbs ------------------------------------------------------------------------------------------

export const Machine = verb('Machine', 'MACHINE', 'named');
export const Input = verb('Input', 'INPUT', 'named');
export const Limit = verb('Limit', 'LIMIT', 'options');
export const Import = verb('Import', 'IMPORT', 'imported');
export const Pattern = verb('Pattern', 'PATTERN', 'named');
export const State = verb('State', 'STATE', 'named');
export const Do = verb('Do', 'DO', 'performed');
export const Check = verb('Check', 'CHECK', 'performed');
export const Emit = verb('Emit', 'EMIT', 'emit');
export const If = verb('If', 'IF', 'expression');
export const ElseIf = verb('ElseIf', 'ELSE IF', 'expression');
export const Else = verb('Else', 'ELSE', 'actions');
export const Default = verb('Default', 'DEFAULT', 'actions');
export const OnError = verb('OnError', 'ON ERROR', 'actions');
export const Proceed = verb('Proceed', 'PROCEED', 'expression');
export const Goto = verb('Goto', 'GOTO', 'named');
export const Use = verb('Use', 'USE', 'named');
export const Return = verb('Return', 'RETURN', 'text');
export const Wait = verb('Wait', 'WAIT', 'expression');
export const Track = verb('Track', 'TRACK', 'named');
export const Increment = verb('Increment', 'INCREMENT', 'named');
export const SetVerb = verb('Set', 'SET', 'named');
export const Ask = verb('Ask', 'ASK', 'ask');
export const ForEach = verb('ForEach', 'FOR EACH', 'named');

const branches: ReadonlySet<TokenType> = new Set([Else, Default, OnError]);
export const BranchArrow = boundary(
  'BranchArrow',
  only((last) => last !== undefined && branches.has(last.tokenType), pattern.branchArrow),
);

// ---- what DO and CHECK perform ----------------------------------------------------------------------

export const Bullet = boundary(
  'Bullet',
  only((last) => last?.tokenType.name !== 'Bullet', fast('-', /-(?=[ \t]+\S)/)),
  'line',
);
/** Not behind `x =`, where a bracket begins a list. */
export const OptionsOpen = inline(
  'OptionsOpen',
  only((last) => last?.tokenType !== Bind, pattern.optionsOpen),
  'options',
);
export const OptionsClose = inline(
  'OptionsClose',
  only(() => pattern.scan.header, fast(']', /\]/)),
  'performed',
);
export const HeaderColon = inline(
  'HeaderColon',
  only((last) => last?.tokenType === OptionsClose, fast(':', /:/)),
);
/** `DO: FOR EACH …`. */
export const DoForEach = boundary(
  'DoForEach',
  only(
    (last) => pattern.scan.verb === 'DO' && last?.tokenType !== Pipe && startsPerformed(last),
    pattern.verbPattern('FOR EACH'),
  ),
  'named',
);
export const Pipe = inline('Pipe', only(startsPerformed, fast('|', /\|(?!\|)/)), 'performed');
export const Bind = inline(
  'Bind',
  only(startsPerformed, fast(nameStart(), /[A-Za-z_]\w*[ \t]+=(?=[ \t]|\r?\n|$)/)),
  'performed',
);
export const Capture = inline('Capture', only(startsPerformed, pattern.capture), 'performed');
export const ParallelHead = inline('ParallelHead', only(startsPerformed, pattern.parallelHead), 'options');
export const AgentCall = inline('AgentCall', only(startsPerformed, pattern.agent), 'expression');
export const ArgvOpen = inline('ArgvOpen', only(startsPerformed, pattern.argvOpen), 'expression');
export const ShellBlock = inline('ShellBlock', only(startsPerformed, pattern.shellBlock));
export const Shell = inline('Shell', pattern.shellText, 'performed');

function nameStart(): string {
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_';
}

/** At the start of what is performed: nothing but the verb, a bullet, a pipe or a binding stands before it. */
function startsPerformed(last: { tokenType: TokenType } | undefined): boolean {
  if (last === undefined) return true;
  const type = last.tokenType;
  return (
    type === Newline ||
    type === Do ||
    type === Check ||
    type === HeaderColon ||
    type === OptionsClose ||
    type === Bullet ||
    type === Pipe ||
    type === Bind
  );
}

// ---- words ------------------------------------------------------------------------------------------

export const Word = inline('Word', wordUnless(/[^\s(){}[\],=+#"'→:]+/), 'expression');
function wordUnless(regex: RegExp): Matcher {
  const sticky = new RegExp(regex.source, 'y');
  return (text, at) => {
    sticky.lastIndex = at;
    return sticky.exec(text) as RegExpExecArray | null;
  };
}
export const UnquotedPath = inline('UnquotedPath', wordUnless(/[^\s"']+/));
export const EventWord = inline('EventWord', wordUnless(/[^\s=,[\]"'\\]+/));
export const OptionKey = inline('OptionKey', fast(nameStart(), /[A-Za-z_][\w.-]*/));
export const Assigned = inline('Assigned', pattern.assigned);
export const ReturnWith = inline(
  'ReturnWith',
  only((last) => last?.tokenType === Return && !last.image.endsWith(':'), fast('w', /with(?=[ \t])/)),
);
export const Text = inline('Text', pattern.returnText);
export const Name = inline('Name', fast(nameStart(), /[A-Za-z_]\w*/));
export const Num = inline('Number', fast('0123456789', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w|\.\d)/));
export const Unit = inline('Unit', fast('0123456789', /\d[\w.]*/));
export const Quoted = inline('Quoted', pattern.quoted);
export const UnclosedQuote = inline('UnclosedQuote', pattern.unclosedQuote);
export const Braced = inline('Braced', pattern.braced);
export const BracedTarget = inline('BracedTarget', pattern.braced, 'expression');
export const Dagger = inline('Dagger', pattern.dagger);
export const Note = inline('Note', pattern.note);
export const BracketNote = inline(
  'BracketNote',
  only(() => pattern.scan.verb === 'STATE', fast('[', /\[[^\]\n]*\]/)),
);
export const TooDeep = inline('TooDeep', pattern.tooDeep);

// ---- words of single verbs --------------------------------------------------------------------------

export const WaitDuration = inline(
  'WaitDuration',
  only((last) => last?.tokenType === Wait, pattern.waitDuration),
);
export const Signal = inline(
  'Signal',
  only((last) => last?.tokenType === Wait, fast('s', /signal(?=[ \t]+[A-Za-z_])/)),
);
export const Members = inline(
  'Members',
  only((last) => last?.tokenType === Wait, fast('Aa', /[Aa]ll(?:[ \t]+\d+)?[ \t]+complete(?!\w)/)),
);
export const Timeout = inline('Timeout', pattern.timeout);
export const Every = inline('Every', pattern.every);
export const By = inline(
  'By',
  only(() => pattern.scan.verb === 'INCREMENT', fast('b', /by(?!\w)/)),
);
export const InParallel = inline(
  'InParallel',
  only(() => pattern.scan.verb === 'FOR EACH', fast('i', /in[ \t]+PARALLEL(?!\w)/)),
  'options',
);
export const Redirect = inline(
  'Redirect',
  only(() => pattern.scan.verb === 'TASK' && pattern.scan.depth === 0, fast('>', />(?!=)[ \t]*/)),
  'target',
);
export const Target = inline('Target', pattern.target, 'expression');

// ---- operators and punctuation ----------------------------------------------------------------------

export const Test = inline(
  'Test',
  fast('ie', /is[ \t]+(?:not[ \t]+)?(?:empty|null|valid[ \t]+JSON)(?!\w)|exists(?!\w)/),
);
export const Relation = inline(
  'Relation',
  fast('ncimse', /(?:not[ \t]+)?(?:contains|in)(?!\w)|matches(?!\w)|(?:starts|ends)[ \t]+with(?!\w)/),
);
export const And = inline('And', fast('Aa&', /AND(?!\w)|and(?!\w)|&&/));
export const Or = inline('Or', fast('Oo|', /OR(?!\w)|or(?!\w)|\|\|/));
export const Not = inline('Not', fast('Nn!', /NOT(?!\w)|not(?!\w)|!(?!=)/));
export const With = inline('With', fast('w', /with(?!\w)/));
export const Compare = inline('Compare', fast('=!<>', /===?|!==?|<=|>=|<>|<|>/));
export const Assign = inline('Assign', fast('=', /=(?!=)/));
export const PlusAssign = inline('PlusAssign', fast('+', /\+=/));
export const Sum = inline('Sum', fast('+-', /[+-]/));
export const Product = inline('Product', fast('*/%', /[*/%]/));
export const Question = inline('Question', fast('?', /\?/));
export const Field = inline('Field', fast('.', /\.[ \t]*[A-Za-z_]\w*/));
export const PlainArrow = inline('PlainArrow', pattern.branchArrow);
export const Comma = inline('Comma', fast(',', /,/));
export const Colon = inline('Colon', fast(':', /:/));
export const LParen = inline('LParen', pattern.open('('));
export const RParen = inline('RParen', pattern.close(')'));
export const LBracket = inline('LBracket', pattern.open('['));
export const RBracket = inline('RBracket', pattern.close(']'));
export const LBrace = inline('LBrace', pattern.open('{'));
export const RBrace = inline('RBrace', pattern.close('}'));
