/**
 * The token patterns below a STEP: its sections, and the entries of their lists. This file decides which commas end an
 * entry, because commas also separate the arguments of a workflow.
 */
import { linesBelow } from '../tokens/command-patterns.js';
import { openFrame } from '../tokens/lexer-frames.js';
import { arrowLength, commentAhead, lineBreak, trimmedEnd } from '../tokens/line-patterns.js';
import type { Matcher } from '../tokens/token.js';
import { letters, matchTo, none, type ScanState, scan, starting } from '../tokens/token.js';
import { type FoundVerb, readSection, type SectionVerb } from '../tokens/verbs.js';
import { gateKind, retryKind } from './section-words.js';

// ---- sections ---------------------------------------------------------------------------------------

let classifiedText = '';
let classifiedAt = -1;
let classified: FoundVerb<SectionVerb> | null = null;

/** The section at this position. Called for every section token, so the last result is cached. */
function classify(text: string, at: number): FoundVerb<SectionVerb> | null {
  if (at !== classifiedAt || text !== classifiedText) {
    classifiedText = text;
    classifiedAt = at;
    classified = readSection(text, at);
  }
  return classified;
}

export function sectionPattern(section: SectionVerb): Matcher {
  return starting(letters, (text, at) => {
    const found = classify(text, at);
    if (found === null || found.verb !== section) return none;
    scan.verb = section;
    if (section === 'RETRY') openFrame('retry', text, at);
    else if (endsLine(text, found.end)) {
      if (section === 'GATE') openFrame('gates', text, at);
      if (section === 'CONTEXT') openFrame('context', text, at);
    }
    return matchTo(at, found.end);
  });
}

/** Whether only spaces and a comment follow on the line. */
function endsLine(text: string, at: number): boolean {
  const end = lineBreak(text, at);
  return trimmedEnd(text, at, end) === at || commentAhead(text, at);
}

// ---- entries of lists -------------------------------------------------------------------------------

const entryWord = /([A-Za-z_][\w.-]*)(?:[ \t]*:(?=\s|$))?/y;

/** A word that begins an entry, with the colon that may follow it, if `isWanted` accepts it. */
function entry(verb: ScanState['verb'], isWanted: (word: string) => boolean): Matcher {
  return starting(letters, (text, at) => {
    entryWord.lastIndex = at;
    const found = entryWord.exec(text);
    if (found === null || !isWanted(found[1] as string)) return none;
    scan.verb = verb;
    return matchTo(at, at + found[0].length);
  });
}

export const gateExpression = entry('GATE', (word) => gateKind(word) === 'expression');
export const gateCall = entry('GATE', (word) => gateKind(word) === 'call');
export const gateText = entry('GATE', (word) => gateKind(word) === 'text');
export const gateName = entry('GATE', () => true);

export const retryNumber = entry('RETRY', (word) => retryKind(word) === 'number');
export const retryGate = entry('RETRY', (word) => retryKind(word) === 'gate');
export const retryCall = entry('RETRY', (word) => retryKind(word) === 'call');
export const retryPrompt = entry('RETRY', (word) => retryKind(word) === 'prompt');
export const retryValue = entry('RETRY', () => true);

const contextWord = /[A-Za-z_][\w-]*/y;

export const contextKey = starting(letters, (text, at) => {
  contextWord.lastIndex = at;
  if (!contextWord.test(text)) return none;
  scan.verb = 'CONTEXT';
  return matchTo(at, contextWord.lastIndex);
});

const contextWorkflow = /workflow[ \t]*=[ \t]*[^\s,()[\]{}="'→]*/y;

/** `workflow=NAME`, which its arguments follow. */
export const contextCall = starting('w', (text, at) => {
  contextWorkflow.lastIndex = at;
  if (!contextWorkflow.test(text)) return none;
  scan.verb = 'CONTEXT';
  return matchTo(at, contextWorkflow.lastIndex);
});

// ---- commas and arrows ------------------------------------------------------------------------------

const assignedAhead = /[ \t]*[A-Za-z_]\w*[ \t]*=(?!=)/y;
const contextAhead = /[ \t]*(?:file|bash|workflow)[ \t]*=(?!=)/y;
const wordAhead = /[ \t]*([A-Za-z_][\w.-]*)/y;
const quoteAhead = /[ \t]*["']/y;

function follows(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A comma that ends an entry of the section `verb`, if `ends` accepts it. */
function entryEnd(verb: ScanState['verb'], ends: (text: string, at: number) => boolean): Matcher {
  return starting(',', (text, at) => {
    if (scan.verb !== verb || scan.depth > 0 || text[at] !== ',' || !ends(text, at + 1)) return none;
    scan.passing = false;
    return matchTo(at, at + 1);
  });
}

/** After `with`, `name=` is always an argument. A bare name is an argument unless it is the word of a gate. */
export const nextGate = entryEnd('GATE', (text, at) => {
  if (!scan.passing) return follows(quoteAhead, text, at) === null;
  if (follows(assignedAhead, text, at) !== null) return false;
  const word = follows(wordAhead, text, at)?.[1];
  return word !== undefined && gateKind(word) !== null;
});

export const nextContext = entryEnd('CONTEXT', (text, at) => !scan.passing || follows(contextAhead, text, at) !== null);

export const nextRetry = entryEnd('RETRY', (text, at) => {
  if (!scan.passing) return true;
  if (follows(assignedAhead, text, at) !== null) return false;
  const word = follows(wordAhead, text, at)?.[1];
  return word !== undefined && retryKind(word) !== null;
});

/** The arrow between the condition of a retry and its changes, on this line or the lines below. */
export const retryArrow = starting('→-', (text, at) => {
  const length = arrowLength(text, at);
  if (length === 0 || scan.verb !== 'RETRY') return none;
  scan.depth = 0;
  scan.passing = false;
  if (endsLine(text, at + length)) openFrame('overrides', text, at);
  return matchTo(at, at + length);
});

const labelled = /as(?=[ \t,]|\r?\n|$)/y;

/** `as NAME` after a gate. */
export const as = starting('a', (text, at) => {
  labelled.lastIndex = at;
  if (scan.verb !== 'GATE' || scan.depth > 0 || !labelled.test(text)) return none;
  scan.passing = false;
  return matchTo(at, at + 2);
});

// ---- values -----------------------------------------------------------------------------------------

/** Text of one word with values in braces: the name of an agent, a path. */
export const plainWord: Matcher = (text, at) => {
  let end = at;
  for (; end < text.length; end++) {
    const c = text[end] as string;
    if (c === '{') {
      const close = closingBrace(text, end);
      if (close > 0) end = close;
    } else if (` \t\r\n,"'→`.includes(c) || (c === '-' && text[end + 1] === '>')) break;
    else if (c === '\\' && /^[ \t]*\r?\n/.test(text.slice(end + 1, end + 8))) break;
  }
  return matchTo(at, end);
};

/** The maximum length of braces in a word. */
const longestBraces = 400;

function closingBrace(text: string, at: number): number {
  for (let i = at + 1; i < Math.min(text.length, at + longestBraces); i++) {
    if (text[i] === '}') return i;
    if (text[i] === '\n' || text[i] === '{') return -1;
  }
  return -1;
}

const dashed = /[A-Za-z_]\w*-[A-Za-z][\w.:-]*/y;
const valueEnd = /[ \t]*(?:,|→|->|\r?\n|$|[ \t]as[ \t]|[ \t]#)/y;

/** `x=claude-sonnet-4.5`: one word, if it is written without spaces and with a letter after the first dash. */
export const dashedWord = starting(letters, (text, at) => {
  dashed.lastIndex = at;
  if (!dashed.test(text)) return none;
  valueEnd.lastIndex = dashed.lastIndex;
  return valueEnd.test(text) ? matchTo(at, dashed.lastIndex) : none;
});

/** The lines below with deeper indentation. They contain no comments, because prompts are Markdown. */
export const textBlock: Matcher = (text, at) => linesBelow(text, at);

/** Text without quotes in the position of a quoted text: the rest of the line. */
export const unquotedText: Matcher = (text, at) => {
  const end = lineBreak(text, at);
  for (let i = at; i < end; i++) if (text[i] === ' ' && commentAhead(text, i)) return matchTo(at, i);
  return matchTo(at, trimmedEnd(text, at, end));
};
