/**
 * Members of pipes: puts each but the last into a group in which it may stop because its reader needs no more, and lists the
 * pipes whose members the shell can name when one fails.
 */
import { type CommandFrame, type LexedPipe, type Lexing, type MemberStart, rewrite } from './lexing.js';

/** The prefix of a script with such groups: restores `-e` in a member, and examines the member's exit code. */
export const PIPE_PRELUDE =
  '__sdm() { case $1 in (*e*) set -e;; esac; };__sdz() { case $1 in (141) return 0;; esac; return "$1"; };';
// The member is a separate shell, so that it can be killed. It is not an operand of `||`, because `-e` would have no
// effect in it.
const OPEN = '{ __sdo=$-;set +e;(__sdm "$__sdo";';
const CLOSE = ' );__sdz "$?";} ';

const UNKNOWN: MemberStart = { marker: null, start: -1, pipe: null };
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
  frame.member = { marker, start: l.at, pipe: frame.piping };
  frame.piping = null;
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
  const { member } = frame;
  if (!l.wrapsPipes || member === null || member.marker === null) return;
  frame.piping = listMember(l, frame, member, member.pipe ?? { start: member.start, commands: [] });
  if (member.marker.text !== '') return;
  member.marker.text = OPEN;
  rewrite(l, l.at, l.at, CLOSE);
  l.wrapped = true;
}

/** Called where a command ends without a `|` after it: it may be the last member of a pipe. */
export function endPipe(l: Lexing, frame: CommandFrame): void {
  const { member } = frame;
  if (member !== null && member.pipe !== null) listMember(l, frame, member, member.pipe);
}

/**
 * Adds a member to its pipe, by its command if it is only one. Pipes inside a member are not listed: only the shell of the
 * script itself knows how the members of a pipe ended, and a member has its own.
 */
function listMember(l: Lexing, frame: CommandFrame, member: MemberStart, pipe: LexedPipe): LexedPipe | null {
  if (l.frames.length > 1 || frame.enclosing.some((around) => around.pipe !== null)) return null;
  pipe.commands.push(frame.command.words.length > 0 ? frame.command : null);
  // They are in the order of the text, and the pipe itself is the last of them.
  for (let last = l.pipes.at(-1); last === pipe || (last?.start ?? -1) >= member.start; last = l.pipes.at(-1))
    l.pipes.pop();
  l.pipes.push(pipe);
  return pipe;
}
