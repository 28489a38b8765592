/**
 * A program in its one form: two blanks a level, at most one blank line between lines, exactly one around states
 * and patterns. Comments stay where they are; shell text, quoted text and notes are copied. Formatting what was
 * formatted changes nothing, and the tree is the same before and after.
 */
import type { SourceFile } from '../source/source-file.js';
import type { Arm, Block, Comment, Declaration, Instruction, Otherwise, Program, ShellText } from '../syntax/ast.js';
import { formatDeclaration } from './format-declaration.js';
import { formatExpression, type Source } from './format-expression.js';
import { formatHead } from './format-head.js';

/** The text of a program. Diagnostics are the caller's business: broken lines are copied as they are. */
export function formatProgram(program: Program, file: SourceFile): string {
  return formatSource(program, { text: file.text, base: 0 });
}

/** The lines written so far, and the comments not yet written. */
interface Page {
  readonly source: Source;
  readonly lines: string[];
  readonly comments: readonly Comment[];
  next: number;
}

type Item = Declaration | Instruction;
const indentation = '  ';

/** As `formatProgram`, for a program that is part of a file. */
export function formatSource(program: Program, source: Source): string {
  const comments = [...program.comments].sort((a, b) => a.span.start - b.span.start);
  const page: Page = { source, lines: [], comments, next: 0 };
  program.items.forEach((item, i) => {
    writeItem(page, item, program.items[i - 1]);
  });
  writeCommentsBefore(page, Number.POSITIVE_INFINITY, 0);
  while (page.lines[0] === '') page.lines.shift();
  return page.lines.length === 0 ? '' : `${page.lines.join('\n').trimEnd()}\n`;
}

function writeItem(page: Page, item: Item, before: Item | undefined): void {
  const apart = before !== undefined && (standsApart(item) || standsApart(before));
  const start = startOf(item);
  if (apart) writeBlank(page);
  writeCommentsBefore(page, start, 0);
  if (!apart || page.lines[page.lines.length - 1]?.startsWith('#')) keepBlank(page, start);
  if (isDeclaration(item)) {
    writeHead(page, formatDeclaration(page.source, item), 0, item.span.start, item.span.end);
    if (item.kind === 'state' || item.kind === 'pattern') writeBlock(page, item.body, 1);
  } else writeInstruction(page, item, 0);
}

const declarationKinds: ReadonlySet<string> = new Set(['machine', 'input', 'limit', 'import', 'pattern', 'state']);

function isDeclaration(item: Item): item is Declaration {
  return declarationKinds.has(item.kind);
}

/** States, patterns and machines have a blank line around them. */
function standsApart(item: Item): boolean {
  return item.kind === 'state' || item.kind === 'pattern';
}

// ---- blank lines and comments -----------------------------------------------------------------------

function startOf(item: Item): number {
  return 'verb' in item ? Math.min(item.verb.span.start, item.span.start) : item.span.start;
}

function lineStart({ text, base }: Source, offset: number): number {
  return text.lastIndexOf('\n', offset - base - 1) + 1;
}

/** Is the line above the one that holds `offset` blank? */
function blankAbove(source: Source, offset: number): boolean {
  const start = lineStart(source, offset);
  if (start === 0) return false;
  const above = source.text.lastIndexOf('\n', start - 2) + 1;
  return source.text.slice(above, start).trim() === '';
}

function columnOf(source: Source, offset: number): number {
  return offset - source.base - lineStart(source, offset);
}

function writeBlank(page: Page): void {
  if (page.lines.length > 0 && page.lines[page.lines.length - 1] !== '') page.lines.push('');
}

function keepBlank(page: Page, offset: number): void {
  if (blankAbove(page.source, offset)) writeBlank(page);
}

/** Comments on lines of their own before `offset`, as long as they stand at `column` or deeper. */
function writeCommentsBefore(page: Page, offset: number, level: number, column = 0): void {
  for (let comment = page.comments[page.next]; comment !== undefined; comment = page.comments[page.next]) {
    const { start } = comment.span;
    if (start >= offset || (comment.position === 'line' && columnOf(page.source, start) < column)) return;
    keepBlank(page, start);
    page.lines.push(indentation.repeat(level) + comment.text);
    page.next++;
  }
}

/** A line and the comments that stand at its end. */
function writeHead(page: Page, text: string, level: number, start: number, end: number): void {
  const stop = page.source.text.indexOf('\n', end - page.source.base);
  const lineEnd = stop < 0 ? Number.POSITIVE_INFINITY : stop + page.source.base;
  const trailing: string[] = [];
  for (let comment = page.comments[page.next]; comment !== undefined; comment = page.comments[page.next]) {
    if (comment.position !== 'end' || comment.span.start < start || comment.span.start > lineEnd) break;
    trailing.push(`  ${comment.text}`);
    page.next++;
  }
  const [first = '', ...others] = (text + trailing.join('')).split('\n');
  page.lines.push(first === '' ? '' : indentation.repeat(level) + first, ...others);
}

// ---- blocks -----------------------------------------------------------------------------------------

function writeBlock(page: Page, block: Block, level: number): void {
  const first = block.instructions[0];
  if (first === undefined) return;
  const column = columnOf(page.source, lineOf(page.source, startOf(first)));
  const before = page.lines.length;
  for (const instruction of block.instructions) {
    const start = startOf(instruction);
    const written = page.lines.length;
    writeCommentsBefore(page, start, level);
    if (page.lines.length > before || written > before) keepBlank(page, start);
    writeInstruction(page, instruction, level);
  }
  // Comments below the last line belong to the block if they are indented like it.
  writeCommentsBefore(page, nextOutside(page, column), level, column);
}

/** The offset of the first character on the line of `offset` that is not blank: a bullet's dash counts. */
function lineOf(source: Source, offset: number): number {
  let at = lineStart(source, offset);
  while (source.text[at] === ' ' || source.text[at] === '\t') at++;
  return at + source.base;
}

/** Where the lines end that are indented by `column` or deeper, counted from the last line written. */
function nextOutside(page: Page, column: number): number {
  const comment = page.comments[page.next];
  if (comment === undefined || comment.position === 'end') return 0;
  const { text, base } = page.source;
  let offset = 0;
  for (let i = page.next; i < page.comments.length; i++) {
    const found = page.comments[i] as Comment;
    if (found.position !== 'line' || columnOf(page.source, found.span.start) < column) break;
    const between = text.slice(i === page.next ? found.span.start - base : offset - base, found.span.start - base);
    if (between.trim() !== '') break;
    offset = found.span.end;
  }
  return offset;
}

function writeInstruction(page: Page, it: Instruction, level: number): void {
  if (it.kind === 'if') {
    for (const arm of it.arms) writeArm(page, arm, level);
    if (it.otherwise !== undefined) writeOtherwise(page, it.otherwise, level);
    return;
  }
  const { head, below } = renderInstruction(page.source, it, false);
  writeHead(page, head, level, startOf(it), endOfHead(it));
  writeBelow(page, below, level + 1);
}

function writeArm(page: Page, arm: Arm, level: number): void {
  startArm(page, arm.verb.span.start, level);
  const { head, below } = renderArm(page.source, arm);
  writeHead(page, head, level, arm.verb.span.start, Math.max(arm.condition.span.end, inlineEnd(arm.body)));
  writeBelow(page, below, level + 1);
}

function writeOtherwise(page: Page, otherwise: Otherwise, level: number): void {
  startArm(page, otherwise.verb.span.start, level);
  const { head, below } = withBody(page.source, 'ELSE →', otherwise.body);
  writeHead(page, head, level, otherwise.verb.span.start, Math.max(otherwise.verb.span.end, inlineEnd(otherwise.body)));
  writeBelow(page, below, level + 1);
}

function startArm(page: Page, start: number, level: number): void {
  const written = page.lines.length;
  writeCommentsBefore(page, start, level);
  if (written > 0 && page.next >= 0) keepBlankBetween(page, start);
}

function keepBlankBetween(page: Page, start: number): void {
  const last = page.lines[page.lines.length - 1];
  if (last !== undefined && last !== '' && blankAbove(page.source, start)) page.lines.push('');
}

function inlineEnd(body: Block): number {
  return body.inline ? body.span.end : 0;
}

/** Where the line of an instruction ends in the source; a block of shell lines below is not part of it. */
function endOfHead(it: Instruction): number {
  if ((it.kind === 'do' || it.kind === 'check') && it.performed.kind === 'shell' && it.performed.shell.block)
    return Math.max(it.verb.span.end, it.bind?.span.end ?? 0, it.options[it.options.length - 1]?.span.end ?? 0);
  return it.span.end;
}

// ---- one instruction --------------------------------------------------------------------------------

/** The text of a line, and what stands below it. */
interface Rendered {
  readonly head: string;
  readonly below?: Block | ShellText;
}

function renderInstruction(source: Source, it: Instruction, inList: boolean): Rendered {
  switch (it.kind) {
    case 'if':
      return renderArm(source, it.arms[0] as Arm);
    case 'do':
    case 'check': {
      const head = formatHead(source, it, inList);
      return it.performed.kind === 'shell' && it.performed.shell.block ? { head, below: it.performed.shell } : { head };
    }
    case 'parallel':
      return { head: formatHead(source, it, inList), below: it.members };
    case 'for-each':
      return { head: formatHead(source, it, inList), below: it.body };
    case 'wait': {
      const head = formatHead(source, it, inList);
      return it.body === undefined ? { head } : { head, below: it.body };
    }
    case 'default':
    case 'on-error':
      return withBody(source, formatHead(source, it, inList), it.body);
    default:
      return { head: formatHead(source, it, inList) };
  }
}

function renderArm(source: Source, arm: Arm): Rendered {
  return withBody(source, `${arm.verb.text}: ${formatExpression(source, arm.condition)} →`, arm.body);
}

/** An action list stays on the line of its arrow; what stands below its last action stays below. */
function withBody(source: Source, head: string, body: Block): Rendered {
  if (!body.inline) return { head, below: body };
  const actions = body.instructions.map((action) => renderInstruction(source, action, true));
  const line = `${head} ${actions.map((action) => action.head).join(', ')}`;
  const below = actions[actions.length - 1]?.below;
  return below === undefined ? { head: line } : { head: line, below };
}

function writeBelow(page: Page, below: Block | ShellText | undefined, level: number): void {
  if (below === undefined) return;
  if ('instructions' in below) {
    writeBlock(page, below, level);
    return;
  }
  for (const line of below.text.split('\n')) page.lines.push(line === '' ? '' : indentation.repeat(level) + line);
}
