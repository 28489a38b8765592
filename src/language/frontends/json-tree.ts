/**
 * JSON with source locations. `JSON.parse` reports none, and the YAML reader is too slow for a plan of ten thousand
 * calls, so this file walks the text once. `JSON.parse` decodes the strings.
 */
import { planMessages as words } from '../source/catalogue/plan.js';
import type { Diagnostic, Span } from '../source/diagnostic.js';
import type { JsonMember, JsonNode } from '../syntax/plan-tree.js';

const MAX_DEPTH = 200;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\r\n]*/y;

export interface ParsedJson {
  /** Null if the text is not JSON. */
  readonly root: JsonNode | null;
  readonly diagnostics: readonly Diagnostic[];
}

export function readJsonTree(text: string, file: number): ParsedJson {
  const reader = new JsonReader(text, file);
  try {
    return { root: reader.document(), diagnostics: reader.diagnostics };
  } catch (thrown) {
    if (thrown instanceof JsonStop) return { root: null, diagnostics: [...reader.diagnostics, thrown.diagnostic] };
    throw thrown;
  }
}

/** Thrown to stop the parser. It never leaves this file. */
class JsonStop {
  constructor(readonly diagnostic: Diagnostic) {}
}

class JsonReader {
  readonly diagnostics: Diagnostic[] = [];
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly file: number,
  ) {}

  document(): JsonNode {
    this.blank();
    if (this.at === this.text.length) this.stop('the file is empty');
    const root = this.value();
    if (this.at < this.text.length) this.stop('nothing can follow the value');
    return root;
  }

  private value(): JsonNode {
    this.blank();
    const start = this.at;
    switch (this.text[start]) {
      case '{':
        return this.object();
      case '[':
        return this.list();
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default: {
        NUMBER.lastIndex = start;
        const found = NUMBER.exec(this.text)?.[0];
        if (found === undefined) this.stop('a value is missing');
        this.at += found.length;
        this.blank();
        return this.number(found, this.span(start, start + found.length));
      }
    }
  }

  private number(written: string, span: Span): JsonNode {
    const value = Number(written);
    if (!Number.isFinite(value))
      this.diagnostics.push(
        words.jsonLimit(span, { problem: 'this number is too large', help: 'write the number as a text' }),
      );
    else if (written !== String(value)) return { kind: 'scalar', span, value, printed: written };
    return { kind: 'scalar', span, value };
  }

  private word(word: string, value: boolean | null): JsonNode {
    const start = this.at;
    if (!this.text.startsWith(word, start)) this.stop('a value is missing');
    this.at += word.length;
    this.blank();
    return { kind: 'scalar', span: this.span(start, start + word.length), value };
  }

  private string(): Extract<JsonNode, { kind: 'text' }> {
    const start = this.at;
    const end = this.stringEnd();
    const span = this.span(start, end);
    const literal = this.text.slice(start, end);
    let value: string;
    try {
      value = JSON.parse(literal) as string;
    } catch {
      throw new JsonStop(
        words.json(span, { problem: 'this text has an escape or a control character that JSON does not allow' }),
      );
    }
    this.at = end;
    this.blank();
    const { file } = this;
    const part = (from: number, to: number): Span => ({
      file,
      start: start + 1 + sourceLength(literal, value, from),
      end: start + 1 + sourceLength(literal, value, to),
    });
    return { kind: 'text', span, value, part };
  }

  private stringEnd(): number {
    for (let end = this.at + 1; end < this.text.length; end++) {
      const unit = this.text.charCodeAt(end);
      if (unit === 0x22) return end + 1;
      if (unit === 0x5c) end++;
      else if (unit === 0x0a) break;
    }
    this.stop('this text has no closing quote');
  }

  private list(): JsonNode {
    const start = this.enter();
    const items: JsonNode[] = [];
    while (this.text[this.at] !== ']') {
      items.push(this.value());
      this.separator(']');
    }
    return { kind: 'list', span: this.leave(start), items };
  }

  private object(): JsonNode {
    const start = this.enter();
    const members: JsonMember[] = [];
    const seen = new Set<string>();
    while (this.text[this.at] !== '}') {
      if (this.text[this.at] !== '"') this.stop('the name of a member is missing');
      const key = this.string();
      if (this.text[this.at] !== ':') this.stop('a `:` is missing');
      this.at++;
      const value = this.value();
      if (seen.has(key.value)) this.diagnostics.push(words.duplicateMember(key.span, { name: key.value }));
      else members.push({ key: key.value, keySpan: key.span, value });
      seen.add(key.value);
      this.separator('}');
    }
    return { kind: 'object', span: this.leave(start), members };
  }

  private enter(): number {
    if (++this.depth > MAX_DEPTH) {
      const facts = { problem: `values are nested deeper than ${MAX_DEPTH} levels`, help: 'use fewer levels' };
      throw new JsonStop(words.jsonLimit(this.span(this.at, this.at + 1), facts));
    }
    const start = this.at++;
    this.blank();
    return start;
  }

  private leave(start: number): Span {
    this.depth--;
    this.at++;
    const span = this.span(start, this.at);
    this.blank();
    return span;
  }

  private separator(close: string): void {
    if (this.text[this.at] === close) return;
    if (this.text[this.at] !== ',') this.stop(`a \`,\` or \`${close}\` is missing`);
    this.at++;
    this.blank();
    if (this.text[this.at] === close) this.stop('nothing follows this comma');
  }

  private blank(): void {
    BLANK.lastIndex = this.at;
    this.at += BLANK.exec(this.text)?.[0].length ?? 0;
  }

  private span(start: number, end: number): Span {
    return { file: this.file, start, end };
  }

  private stop(problem: string): never {
    throw new JsonStop(words.json(this.span(this.at, Math.min(this.at + 1, this.text.length)), { problem }));
  }
}

/**
 * The length of the part of the literal, after its quote, that represents the first `count` code units of the value.
 */
function sourceLength(literal: string, value: string, count: number): number {
  if (literal.length === value.length + 2) return count;
  let at = 1;
  for (let left = count; left > 0 && at < literal.length - 1; left--) {
    if (literal[at] === '\\') at += literal[at + 1] === 'u' ? 6 : 2;
    else at++;
  }
  return at - 1;
}
