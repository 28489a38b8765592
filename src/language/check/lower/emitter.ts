/**
 * The code of one state under construction: instructions in order, forward jumps that are patched when their target is
 * known, and the source text of each instruction for later stages.
 */
import type { Instruction, Origin } from '../../../machine/machine.js';
import type { Mutable } from '../../../prelude/mutable.js';
import { positionAt, type SourceSet, type Span } from '../../source/diagnostic.js';
import type { DebugLocation } from '../code-locations.js';

type WithoutOrigin<T> = T extends unknown ? Omit<T, 'origin'> : never;
type InstructionBody = WithoutOrigin<Instruction>;

export class Emitter {
  readonly code: Instruction[] = [];
  /** The source text of each instruction, by pc. */
  readonly spans: Span[] = [];
  /** Shared by the instructions of one line. */
  private lastOrigin: Origin = { file: -1, line: 0 };
  private lineStart = 0;
  private lineEnd = -1;
  /** For debuggers, by pc. */
  readonly locations: DebugLocation[] = [];

  /** `placeOf`: null if nobody wants places. */
  constructor(
    private readonly sources: SourceSet,
    private readonly locationOf: ((span: Span) => DebugLocation) | null = null,
  ) {}

  get pc(): number {
    return this.code.length;
  }

  add(body: InstructionBody, span: Span): number {
    // In a literal, `...body` would take three times as long.
    this.code.push(Object.assign({ origin: this.origin(span) }, body) as Instruction);
    this.spans.push(span);
    if (this.locationOf !== null) this.locations.push(this.locationOf(span));
    return this.code.length - 1;
  }

  /** Sets the target of a jump, condition, wait or loop to the next instruction, or another number. */
  patch(
    pc: number,
    field: 'to' | 'exit' | 'again' | 'join' | 'body' | 'otherwise' | 'done' | 'mark' = 'to',
    target: number = this.pc,
  ): void {
    (this.code[pc] as Mutable<Record<string, unknown>>)[field] = target;
  }

  replace(pc: number, body: InstructionBody): void {
    this.code[pc] = { origin: (this.code[pc] as Instruction).origin, ...body } as Instruction;
  }

  /** Code is written from top to bottom, so the line is usually near that of the last instruction. */
  private origin(span: Span): Origin {
    if (span.file !== this.lastOrigin.file || span.start < this.lineStart || span.start >= this.lineEnd) {
      const source = this.sources[span.file];
      if (source === undefined) return { file: span.file, line: 1 };
      const { line } = positionAt(source, span.start);
      this.lastOrigin = { file: span.file, line };
      this.lineStart = source.lineStarts[line - 1] ?? 0;
      this.lineEnd = source.lineStarts[line] ?? source.text.length + 1;
    }
    return this.lastOrigin;
  }
}
