/**
 * The modes of the lexer: which tokens may stand where. One mode for the start of a line, one for each kind of
 * text a verb has. Characters that no token of a mode wants are left out of the tokens and reported.
 */
import { type ILexingResult, type IMultiModeLexerDefinition, Lexer, type TokenType } from 'chevrotain';
import { type ScanState, withFreshScan } from './scan.js';
import * as t from './tokens.js';

const declarations = [t.State, t.Machine, t.Input, t.Limit, t.Import, t.Pattern];
const actions = [
  ...[t.Emit, t.Do, t.If, t.Goto, t.Check, t.ElseIf, t.Else, t.Default, t.SetVerb, t.Increment, t.Return, t.Use],
  ...[t.Wait, t.Track, t.Proceed, t.Ask, t.ForEach, t.OnError],
];
const performed = [
  ...[t.OptionsOpen, t.HeaderColon, t.Pipe, t.ParallelHead, t.Bind, t.Capture, t.AgentCall, t.ArgvOpen],
];
/** Blanks and line ends, the same in every mode within a line. */
const blanks = [t.EndComment, t.Blank, t.Join, t.Newline, t.NextAction];

const expression = [
  ...[t.EndComment, t.MissingArrow, t.Blank, t.Join, t.Newline, t.NextAction, t.Arrow],
  ...[t.WaitDuration, t.Signal, t.Members, t.Timeout, t.Every, t.By, t.InParallel, t.Redirect],
  ...[t.Test, t.Relation, t.And, t.Or, t.Not, t.With, t.Name, t.Num, t.Unit, t.Quoted, t.UnclosedQuote],
  ...[t.TooDeep, t.Note, t.BracketNote, t.Braced, t.Dagger, t.Compare, t.Assign, t.PlusAssign],
  ...[t.PlainArrow, t.Sum, t.Product, t.Question, t.Field, t.Comma, t.Colon],
  ...[t.LParen, t.RParen, t.LBracket, t.RBracket, t.LBrace, t.RBrace],
];

const modes: IMultiModeLexerDefinition = {
  defaultMode: 'line',
  modes: {
    line: [t.Gap, t.Join, t.LineComment, ...declarations, ...actions, t.Bullet, ...performed, t.Shell],
    actions: [...blanks, t.BranchArrow, ...actions, t.Prose],
    performed: [
      t.HeadComment,
      t.ShellBlock,
      t.Blank,
      t.Join,
      t.Newline,
      t.DoForEach,
      ...performed,
      t.NextAction,
      t.Shell,
    ],
    named: [...blanks, t.Colon, t.BracedTarget, t.Word, ...expression],
    expression,
    options: [
      ...[...blanks, t.OptionsClose, t.OptionKey, t.Assigned, t.Note, t.LBracket, t.RBracket, t.Comma, t.Colon],
      ...[t.Quoted, t.UnclosedQuote, t.Num, t.Unit, t.LParen, t.RParen],
    ],
    emit: [...blanks, t.Quoted, t.UnclosedQuote, t.Assigned, t.LBracket, t.RBracket, t.Comma, t.EventWord],
    ask: [
      ...[...blanks, t.Quoted, t.UnclosedQuote, t.OptionKey, t.Assigned, t.PlainArrow, t.LBracket, t.RBracket],
      ...[t.Comma, t.Colon],
    ],
    imported: [...blanks, t.Quoted, t.UnclosedQuote, t.UnquotedPath],
    text: [...blanks, t.ReturnWith, t.Text],
    target: [t.Blank, t.Join, t.Newline, t.Target],
  },
};

let lexer: Lexer | undefined;

/** Every token type, for the parser. */
export const allTokens: TokenType[] = [...new Set(Object.values(modes.modes).flat())].concat(
  t.Indent,
  t.Dedent,
  t.Inline,
);

/** The tokens of `text`; `mode` is where it starts. Never throws. */
export function tokenize(
  text: string,
  mode: 'line' | 'expression' = 'line',
  start: Partial<ScanState> = {},
): ILexingResult {
  // Patterns look at the first character themselves, so analysing them for an index would only cost start-up.
  lexer ??= new Lexer(modes, { positionTracking: 'onlyOffset', skipValidations: true, safeMode: true });
  const ready = lexer;
  const lexed = withFreshScan(start, () => ready.tokenize(text, mode));
  // The lexer keeps starts only, which is fast; the parser takes the places of its nodes from both ends.
  for (const token of lexed.tokens) token.endOffset = token.startOffset + token.image.length - 1;
  return lexed;
}
