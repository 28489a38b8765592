/**
 * Formats a program: prints its tree and its comments as text. Parts that the tree does not represent exactly (shell
 * text, notes in parentheses, quoted text) are copied from the source. Line ends are LF.
 */
import { type SourceFile, sourceFile } from '../source/diagnostic.js';
import type { Arm, Block, Comment, Declaration, Instruction, Otherwise, Program, ProgramItem } from '../syntax/ast.js';
import { isDeclaration } from '../syntax/child-blocks.js';
import { type ParsedPart, parseProgram } from '../syntax/parse.js';
import { armHead, declarationHead, instructionHead, otherwiseHead } from './format-head.js';
import { type Row, stepRows } from './format-step.js';
import { sameProgram, sameWords } from './print-step.js';
import { blankAbove, hasBullet, indentationAt, lineEnd, type SourceText } from './source-text.js';

const step = '  ';
/** Lines that continue another are indented deeper than any block below it could be. */
const continuationIndent = step.repeat(2);

/**
 * The formatted text of a program that was parsed from `file`. The program must have no syntax errors: the caller
 * leaves such a program as it is. `parts` are those of the program, if they are known: what stays as it is, is not proved.
 */
export function formatProgram(program: Program, file: SourceFile, parts: readonly ParsedPart[] = []): string {
  const printer = new ProgramPrinter(file.text, commentQueue(program.comments));
  printer.items(program.items, '', file.text.length, -1);
  const text = printer.text();
  return text === file.text || isSameProgram(text, program, file, parts) ? text : file.text;
}

/** A formatter must never change a program or lose a word of it, so the result is parsed and compared. */
function isSameProgram(text: string, program: Program, file: SourceFile, parts: readonly ParsedPart[]): boolean {
  const again = parseProgram(sourceFile(file.name, text), program.file, undefined, parts);
  if (again.parts.length !== parts.length) return sameProgram(again.program, program) && sameWords(text, file.text);
  return again.parts.every((part, at) => {
    const before = parts[at] as ParsedPart;
    return part.text === before.text || (sameProgram(part, before) && sameWords(part.text, before.text));
  });
}

class ProgramPrinter {
  private readonly lines: string[] = [];
  private readonly source: SourceText;

  constructor(
    text: string,
    private readonly comments: CommentQueue,
  ) {
    this.source = { text, continuation: '' };
  }

  text(): string {
    return this.lines.length === 0 ? '' : `${this.lines.join('\n')}\n`.replaceAll('\r\n', '\n');
  }

  /**
   * The items of a block or of a program, with the comments between and after them. `until` is the offset at which the
   * source of the block ends at the latest; `parent` is the source indentation of the line that the block belongs to.
   */
  items(items: readonly ProgramItem[], indent: string, until: number, parent: number): void {
    const first = this.lines.length;
    items.forEach((item, i) => {
      const apart = i > 0 && (opensSection(item) || hasOwnLines(items[i - 1] as ProgramItem));
      this.leadingComments(item.span.start, indent, first, apart);
      this.item(item, indent, items[i + 1]?.span.start ?? until);
    });
    this.trailingComments(indent, until, parent, first);
  }

  /** The lines below a STEP or one of its sections, with the comments between and after them. */
  private rows(rows: readonly Row[], indent: string, until: number, parent: number): void {
    const first = this.lines.length;
    rows.forEach((row, i) => {
      this.leadingComments(row.start, indent, first, false);
      const next = rows[i + 1]?.start ?? until;
      if (row.kind === 'item') this.item(row.item, indent, next);
      else this.row(row, indent, next);
    });
    this.trailingComments(indent, until, parent, first);
  }

  private row(row: Extract<Row, { kind: 'line' }>, indent: string, until: number): void {
    const column = indentationAt(this.source, row.start);
    const bullet = hasBullet(this.source, row.start) ? '- ' : '';
    this.source.continuation = `\n${indent}${continuationIndent}`;
    this.line(indent + bullet + row.text(), row.end);
    if (row.verbatim !== undefined) this.pushVerbatim(row.verbatim, indent + step);
    if (row.rows !== undefined) this.rows(row.rows, indent + step, until, column);
  }

  /** Comments after the last line of a block that belong to it. */
  private trailingComments(indent: string, until: number, parent: number, first: number): void {
    const isDeeper = (comment: Comment) => indentationAt(this.source, comment.span.start) > parent;
    for (let c = takeBefore(this.comments, until, isDeeper); c; c = takeBefore(this.comments, until, isDeeper))
      this.commentLine(c, indent, first);
  }

  /** Comments above an item, and the blank line above these or above the item itself. */
  private leadingComments(at: number, indent: string, first: number, apart: boolean): void {
    const above: Comment[] = [];
    for (let c = takeBefore(this.comments, at); c; c = takeBefore(this.comments, at)) above.push(c);
    // Comments directly above an item belong to it, so the separating blank line is above them.
    const starts = [...above.map((c) => c.span.start), at];
    let top = starts.length - 1;
    while (top > 0 && !blankAbove(this.source, starts[top] as number)) top--;
    above.forEach((comment, i) => {
      if (apart && i === top) this.blank(first);
      this.commentLine(comment, indent, first);
    });
    if ((apart && top === above.length) || blankAbove(this.source, at)) this.blank(first);
  }

  private commentLine(comment: Comment, indent: string, first: number): void {
    if (blankAbove(this.source, comment.span.start)) this.blank(first);
    this.lines.push(indent + comment.text.trimEnd());
  }

  /** One blank line, unless there is one already or the block has just begun. */
  private blank(first: number): void {
    if (this.lines.length > first && this.lines[this.lines.length - 1] !== '') this.lines.push('');
  }

  private item(item: ProgramItem, indent: string, until: number): void {
    const column = indentationAt(this.source, item.span.start);
    const bullet = hasBullet(this.source, item.span.start) ? '- ' : '';
    this.source.continuation = `\n${indent}${continuationIndent}`;
    const head = isDeclaration(item) ? declarationHead(item, this.source) : instructionHead(item, this.source, false);
    this.line(indent + bullet + head, headEnd(item));
    if (isDeclaration(item)) {
      if ('body' in item) this.items(item.body.instructions, indent + step, until, column);
    } else this.linesBelow(item, indent, until, column);
  }

  /** A line with the comment that ends its source line. */
  private line(text: string, end: number): void {
    const atEnd = takeBefore(this.comments, lineEnd(this.source, end), (comment) => comment.position === 'end');
    this.lines.push(atEnd === undefined ? text.trimEnd() : `${text.trimEnd()}  ${atEnd.text.trimEnd()}`);
  }

  /** The lines below the head of an instruction. */
  private linesBelow(i: Instruction, indent: string, until: number, column: number): void {
    switch (i.kind) {
      case 'do':
      case 'check':
        if (i.performed.kind === 'shell' && i.performed.shell.block)
          this.pushVerbatim(i.performed.shell.text, indent + step);
        if (i.performed.kind === 'agent' && i.performed.prompt?.quote === 'none')
          this.pushVerbatim(i.performed.prompt.raw, indent + step);
        return;
      case 'undo':
        return this.linesBelow(i.by, indent, until, column);
      case 'parallel':
        return this.items(i.members.instructions, indent + step, until, column);
      case 'for-each':
        return this.items(i.body.instructions, indent + step, until, column);
      case 'step':
        return this.rows(stepRows(i, this.source), indent + step, until, column);
      case 'wait':
        if (i.body !== undefined) this.items(i.body.instructions, indent + step, until, column);
        return;
      case 'default':
      case 'on-error':
        return this.body(i.body, indent, until, column);
      case 'if':
        return this.arms(i, indent, until, column);
      default:
        return;
    }
  }

  /** The block below a line that ends in an arrow or in a list of actions. */
  private body(body: Block, indent: string, until: number, column: number): void {
    if (!body.inline) return this.items(body.instructions, indent + step, until, column);
    const last = body.instructions[body.instructions.length - 1];
    if (last !== undefined) this.linesBelow(last, indent, until, column);
  }

  private arms(i: Extract<Instruction, { kind: 'if' }>, indent: string, until: number, column: number): void {
    const branches: readonly (Arm | Otherwise)[] = i.otherwise === undefined ? i.arms : [...i.arms, i.otherwise];
    branches.forEach((branch, n) => {
      if (n > 0) {
        this.leadingComments(branch.span.start, indent, 0, false);
        this.source.continuation = `\n${indent}${continuationIndent}`;
        const head =
          'condition' in branch ? armHead(branch, 'ELSE IF', this.source) : otherwiseHead(branch, this.source);
        this.line(indent + head, headEnd(branch));
      }
      this.body(branch.body, indent, branches[n + 1]?.span.start ?? until, column);
    });
  }

  /** Lines of the shell, or of a prompt: only the indentation of the block as a whole changes. */
  private pushVerbatim(text: string, indent: string): void {
    for (const line of text.split('\n')) this.lines.push(line === '' ? '' : indent + line);
  }
}

/** Whether an item gets a blank line above it. */
function opensSection(item: ProgramItem): boolean {
  return item.kind === 'state' || item.kind === 'pattern' || item.kind === 'machine';
}

function hasOwnLines(item: ProgramItem): boolean {
  return item.kind === 'state' || item.kind === 'pattern';
}

/** The comments of a program in order. Each is taken once, so none is lost or printed twice. */
interface CommentQueue {
  readonly comments: readonly Comment[];
  next: number;
}

function commentQueue(comments: readonly Comment[]): CommentQueue {
  return { comments: [...comments].sort((a, b) => a.span.start - b.span.start), next: 0 };
}

/** Removes and returns the next comment that starts before `end`, if `isWanted` accepts it. */
function takeBefore(
  queue: CommentQueue,
  end: number,
  isWanted: (comment: Comment) => boolean = () => true,
): Comment | undefined {
  const comment = queue.comments[queue.next];
  if (comment === undefined || comment.span.start >= end || !isWanted(comment)) return undefined;
  queue.next++;
  return comment;
}

/** An offset on the last line of the head of an item, its action list included. */
function headEnd(item: Instruction | Declaration | Arm | Otherwise): number {
  if (!('kind' in item)) return actionsEnd(item.body, item.span.end);
  switch (item.kind) {
    case 'do':
    case 'check': {
      const { performed, bind, options, verb } = item;
      if (performed.kind !== 'shell' || !performed.shell.block) return item.span.end;
      return bind?.span.end ?? options[options.length - 1]?.span.end ?? verb.span.end;
    }
    case 'if':
      return headEnd(item.arms[0] as Arm);
    case 'default':
    case 'on-error':
      return actionsEnd(item.body, item.span.end);
    default:
      return item.span.end;
  }
}

function actionsEnd(body: Block, otherwise: number): number {
  const last = body.inline ? body.instructions[body.instructions.length - 1] : undefined;
  return last === undefined ? otherwise : headEnd(last);
}
