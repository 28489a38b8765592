/**
 * The modes of the lexer: the tokens that are possible in each position. There is one mode for the start of a line, and
 * one for each kind of text that verbs have. Characters that match no token of the mode are skipped and reported.
 *
 * All patterns are our own functions, so the lexer is just a loop that calls them. Chevrotain's lexer would try to
 * build an index of the patterns of every mode, which takes longer than lexing a small program.
 */
import * as st from '../steps/step-tokens.js';
import {
  type Matcher,
  newToken,
  none,
  type ScanState,
  scan,
  type Token,
  type TokenType,
  withFreshScan,
} from './token.js';
import * as t from './tokens.js';

const declarations = [t.State, t.Machine, t.Title, t.Input, t.Limit, t.Tool, t.Key, t.Import, t.Pattern];
const performed = [
  ...[t.OptionsOpen, t.HeaderColon, t.Pipe, t.ParallelHead, t.Bind, t.Capture, t.AgentCall, t.ArgvOpen],
];
/** Spaces and line ends, the same in every mode within a line. */
const blanks = [t.EndComment, t.MissingComma, t.Blank, t.Join, t.Newline, t.NextAction];

const expression = [
  t.PromptBlock,
  ...[t.EndComment, t.MissingArrow, t.MissingComma, t.Blank, t.Join, t.Newline, t.NextAction, t.Arrow],
  ...[t.WaitDuration, t.Signal, t.Members, t.Timeout, t.Every, t.By, t.InParallel, t.LoopOptions, t.Redirect],
  ...[t.Test, t.Relation, t.And, t.Or, t.Not, t.With, t.Name, t.Num, t.Unit, t.TripleQuoted, t.Quoted, t.UnclosedQuote],
  ...[
    t.OutputPath,
    t.References,
    t.TooDeep,
    t.PassOpen,
    t.Note,
    t.BracketNote,
    t.Braced,
    t.DataReference,
    t.Compare,
    t.Assign,
    t.PlusAssign,
  ],
  ...[t.PlainArrow, t.Sum, t.Product, t.Question, t.Field, t.Comma, t.PromptColon, t.Colon],
  ...[t.LParen, t.RParen, t.LBracket, t.RBracket, t.LBrace, t.RBrace],
];

/** Tokens that can begin any line. */
const beginning = [t.Gap, t.Join, t.LineComment];
const sections = [st.Context, st.Prompt, st.Session, st.Agent, st.Workflow, st.Gate, st.Retry, st.Each];
const gates = [st.GateExpression, st.GateCall, st.GateText, st.GateName];
const contexts = [st.ContextCall, st.ContextKey];
const retries = [st.RetryNumber, st.RetryGate, st.RetryCall, st.RetryPrompt, st.RetryValue];
/** Tokens that end an entry of a section. */
const ends = [st.NextGate, st.NextContext, st.NextRetry, st.RetryArrow];
/** Spaces and line ends of a section. A list of actions never contains a section. */
const separators = [t.EndComment, t.Blank, t.Join, t.Newline];
const texts = [t.Quoted, t.UnclosedQuote, t.Comma, t.PlainArrow, st.PlainWord];
const options = [
  ...[t.CallOptionsClose, t.OptionsClose, t.OptionKey, t.Assigned, t.Note, t.LBracket, t.RBracket, t.Comma, t.Colon],
  ...[t.Quoted, t.UnclosedQuote, t.Num, t.Unit, t.LParen, t.RParen],
];

type Mode =
  | 'line'
  | 'actions'
  | 'performed'
  | 'named'
  | 'called'
  | 'expression'
  | 'options'
  | 'emit'
  | 'ask'
  | OneText
  | StepMode;
type OneText = 'imported' | 'text' | 'said' | 'target';
type StepMode =
  | StepLine
  | 'stepName'
  | 'context'
  | 'contextValue'
  | 'prompt'
  | 'agent'
  | 'call'
  | 'gate'
  | 'label'
  | 'retry'
  | StepText;
type StepLine = 'stepLine' | 'contextLine' | 'gateLine' | 'retryLine';
type StepText = 'stepText' | 'stepValue';

const modes: Readonly<Record<Mode, readonly TokenType[]>> = {
  line: [...beginning, ...declarations, t.Step, ...t.actionTokens, t.Bullet, ...performed, t.Shell],
  actions: [...blanks, t.BranchArrow, ...t.actionTokens, t.Prose],
  performed: [
    t.HeadComment,
    t.ShellBlock,
    t.Blank,
    t.Join,
    t.Newline,
    t.DoForEach,
    t.UndoCall,
    ...performed,
    t.NextAction,
    t.Shell,
  ],
  named: [...blanks, t.Colon, t.BracedTarget, t.Word, ...expression],
  called: [...blanks, t.OptionsOpen, t.HeaderColon, t.CallBind, t.CalledText, t.ToolName, ...expression],
  expression,
  options: [...blanks, ...options],
  emit: [...blanks, t.Quoted, t.UnclosedQuote, t.Assigned, t.LBracket, t.RBracket, t.Comma, t.EventWord],
  ask: [
    ...[...blanks, t.Quoted, t.UnclosedQuote, t.OptionKey, t.Assigned, t.PlainArrow, t.LBracket, t.RBracket],
    ...[t.Comma, t.Colon],
  ],
  imported: [...blanks, t.Quoted, t.UnclosedQuote, t.UnquotedPath],
  text: [...blanks, t.ReturnWith, t.Text],
  said: [...blanks, t.SaidText, t.With, ...expression.slice(1)],
  target: [t.Blank, t.Join, t.Newline, t.Target],
  stepLine: [...beginning, ...sections, ...declarations, t.Step, ...t.actionTokens, t.Bullet, ...performed, t.Shell],
  contextLine: [...beginning, t.Bullet, ...contexts, t.Shell],
  gateLine: [...beginning, t.Bullet, ...gates.slice(0, -1), t.Do, st.GateName, t.Shell],
  retryLine: [...beginning, t.Bullet, ...retries, t.Shell],
  stepName: [...separators, t.Colon, st.StepName, ...options],
  context: [...separators, st.NextContext, ...contexts, ...texts],
  contextValue: [...separators, st.NextContext, t.Assigned, ...texts],
  prompt: [
    t.EndComment,
    st.TextBlock,
    ...separators.slice(1),
    st.NextRetry,
    st.Bar,
    t.TripleQuoted,
    t.Quoted,
    t.UnclosedQuote,
    st.UnquotedText,
    ...texts,
  ],
  agent: [...separators, t.Quoted, t.UnclosedQuote, st.AgentName, t.With, ...options, st.PlainWord],
  call: [...separators, ...ends, st.CallName, ...texts],
  gate: [...separators, st.NextGate, ...gates, ...texts],
  label: [...separators, ...ends, st.Label, ...texts],
  retry: [...separators, st.RetryArrow, st.NextRetry, ...retries, ...texts],
  stepText: [...separators, ...ends, st.As, ...texts],
  stepValue: [...ends, st.As, st.DashedWord, ...expression],
};

/** The modes for the lines of a STEP and of its sections. */
const lineModes: Readonly<Record<NonNullable<ScanState['frame']>['kind'], StepLine>> = {
  step: 'stepLine',
  context: 'contextLine',
  gates: 'gateLine',
  retry: 'retryLine',
  overrides: 'retryLine',
};

/** Every token type, for the parser. */
export const allTokens: TokenType[] = [...new Set(Object.values(modes).flat())].concat(t.Indent, t.Dedent, t.Inline);

interface Lexed {
  /** The tokens in order, with their start and end, from which the parser takes the locations of its nodes. */
  readonly tokens: Token[];
  readonly comments: readonly Token[];
  /** Runs of characters that match no token. */
  readonly errors: readonly { readonly offset: number; readonly length: number }[];
}

/** The tokens of `text`, beginning in `mode`. Never throws. */
export function tokenize(text: string, mode: 'line' | 'expression' = 'line', start: Partial<ScanState> = {}): Lexed {
  return withFreshScan(start, () => readTokens(text, mode));
}

function readTokens(text: string, start: Mode): Lexed {
  const tokens: Token[] = [];
  const comments: Token[] = [];
  const errors: { offset: number; length: number }[] = [];
  let table = tableOf(start);
  let unwanted = 0;
  for (let at = 0; at < text.length; ) {
    const types = candidates(table, text.charCodeAt(at));
    let end = none;
    let which = 0;
    for (; which < types.length; which++) {
      end = (types[which] as Possible).matcher(text, at, tokens);
      if (end >= 0) break;
    }
    if (end < 0) {
      unwanted++;
      at++;
      continue;
    }
    if (unwanted > 0) errors.push({ offset: at - unwanted, length: unwanted });
    unwanted = 0;
    const { type } = types[which] as Possible;
    if (type.hidden === null) tokens.push(newToken(type, text.slice(at, end), at));
    else if (type.hidden === 'comment') comments.push(newToken(type, text.slice(at, end), at));
    at = end;
    const next = type.mode;
    if (next !== null)
      table = tableOf(next === 'line' && scan.frame !== null ? lineModes[scan.frame.kind] : (next as Mode));
  }
  if (unwanted > 0) errors.push({ offset: text.length - unwanted, length: unwanted });
  return { tokens, comments, errors };
}

interface Possible {
  readonly type: TokenType;
  readonly matcher: Matcher;
}

/** The tokens of a mode by their possible first character, collected when the character first occurs. */
interface TokenTable {
  readonly all: readonly Possible[];
  readonly byCharacter: (readonly Possible[] | undefined)[];
  /** The same for characters that are not ASCII and can begin a token of the mode: arrows and daggers. */
  readonly byOther: Map<number, readonly Possible[] | undefined>;
  /** The tokens that can begin with any character. */
  readonly anywhere: readonly Possible[];
}

const ASCII = 128;
const tables = new Map<Mode, TokenTable>();

function tableOf(mode: Mode): TokenTable {
  let table = tables.get(mode);
  if (table === undefined) {
    const all = modes[mode].flatMap((type) => (type.matcher === null ? [] : [{ type, matcher: type.matcher }]));
    const starts = all.flatMap(({ matcher }) => [...(matcher.starts ?? [])].filter((one) => one >= ASCII));
    table = {
      all,
      byCharacter: new Array(ASCII).fill(undefined),
      byOther: new Map(starts.map((one) => [one, undefined])),
      anywhere: all.filter(({ matcher }) => matcher.starts === undefined),
    };
    tables.set(mode, table);
  }
  return table;
}

function candidates(table: TokenTable, character: number): readonly Possible[] {
  const { byCharacter, byOther, all } = table;
  const isAscii = character < ASCII;
  if (!isAscii && !byOther.has(character)) return table.anywhere;
  let found = isAscii ? byCharacter[character] : byOther.get(character);
  if (found === undefined) {
    found = all.filter(({ matcher }) => matcher.starts?.has(character) ?? true);
    if (isAscii) byCharacter[character] = found;
    else byOther.set(character, found);
  }
  return found;
}
