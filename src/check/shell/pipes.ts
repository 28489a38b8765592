/**
 * Wraps members of pipes. Under `pipefail`, a member that SIGPIPE stops because its reader needs no more would fail the
 * pipe and the script. Therefore each member except the last is put into a group that turns this one exit code into 0.
 * The group adds no lines, so the shell's line numbers stay the same.
 */
import { type CommandFrame, type Lexing, type Member, rewrite } from './lexing.js';

/** The prefix of a script with such groups: restores `-e` in a member, and examines the member's exit code. */
export const PIPE_PRELUDE =
  '__sdm() { case $1 in (*e*) set -e;; esac; };__sdz() { case $1 in (141) return 0;; esac; return "$1"; };';
// The member is a separate shell, so that it can be killed. It is not an operand of `||`, because `-e` would have no
// effect in it.
const OPEN = '{ __sdo=$-;set +e;(__sdm "$__sdo";';
const CLOSE = ' );__sdz "$?";} ';

const UNKNOWN: Member = { marker: null };
const OPENING = new Set(['if', 'while', 'until', '{']);
const CLOSING = new Set(['fi', 'done', '}']);

/** Called for every character of a command; records the beginning of a member. */
export function beginMember(l: Lexing, frame: CommandFrame, character: string): void {
  if (!l.wrapsPipes || frame.member !== null || frame.owner !== null) return;
  const inCase = frame.cases.at(-1);
  if (inCase === 'pattern' || inCase === 'subject' || ' \t\n;&|)#'.includes(character)) return;
  if (character === '\\' && l.text[l.at + 1] === '\n') return;
  const marker = { text: '' };
  rewrite(l, l.at, l.at, marker);
  frame.member = { marker };
}

/** After a reserved word, the next word begins another member, or the enclosing one continues. */
export function memberAfterKeyword(frame: CommandFrame, keyword: string): void {
  if (CLOSING.has(keyword)) frame.member = frame.enclosing.pop() ?? UNKNOWN;
  else if (keyword === 'coproc') frame.member = UNKNOWN;
  else {
    if (OPENING.has(keyword)) frame.enclosing.push(frame.member ?? UNKNOWN);
    frame.member = null;
  }
}

/** `for`, `select` and `case` begin a member that ends with `done` or `esac`. Their own words do not begin members. */
export function memberOfHeader(frame: CommandFrame): void {
  frame.enclosing.push(frame.member ?? UNKNOWN);
  frame.member = UNKNOWN;
}

export function memberAfterEsac(frame: CommandFrame): void {
  frame.member = frame.enclosing.pop() ?? UNKNOWN;
}

/** Puts the member before the `|` at `l.at` into its group. */
export function wrapMember(l: Lexing, frame: CommandFrame): void {
  const marker = frame.member?.marker ?? null;
  if (!l.wrapsPipes || marker === null || marker.text !== '') return;
  marker.text = OPEN;
  rewrite(l, l.at, l.at, CLOSE);
  l.wrapped = true;
}
