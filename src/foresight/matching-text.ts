/** A short text that a regular expression matches, as far as its usual parts say: the caller tests it. */

const CLASSES: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a', n: '\n', t: '\t' };

/** Undefined: the pattern has parts that this does not read. */
export function matchingText(pattern: string): string | undefined {
  const reader = new PatternReader(pattern);
  const text = reader.alternatives();
  return reader.isAtEnd ? text : undefined;
}

class PatternReader {
  private at = 0;

  constructor(private readonly pattern: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  /** The first of several alternatives. */
  alternatives(): string {
    const first = this.sequence();
    while (this.take('|')) this.sequence();
    return first;
  }

  private sequence(): string {
    let text = '';
    while (!this.isAtEnd && !/^[|)]/.test(this.rest)) text += this.repetitionOf(this.atom());
    return text;
  }

  private get rest(): string {
    return this.pattern.slice(this.at);
  }

  private take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private match(regex: RegExp): RegExpExecArray | null {
    const found = regex.exec(this.rest);
    this.at += found?.[0].length ?? 0;
    return found;
  }

  private atom(): string {
    if (this.match(/^(?:[\^$]|\\b)/) !== null) return '';
    if (this.take('.')) return 'x';
    if (this.take('(')) return this.group();
    if (this.take('[')) return this.set();
    if (this.take('\\')) return this.escapeText();
    const [one = ''] = this.rest;
    this.at += one.length;
    return one;
  }

  private group(): string {
    const isLook = this.match(/^\?<?[=!]/) !== null;
    if (!isLook) this.match(/^\?(?:<\w+>|:)/);
    const text = this.alternatives();
    this.take(')');
    return isLook ? '' : text;
  }

  /** The first character of a set; of a negated one, a character that it does not have. */
  private set(): string {
    const isNegated = this.take('^');
    const inside = this.match(/^(?:\\.|[^\]\\])*/)?.[0] ?? '';
    this.take(']');
    if (!isNegated) return inside.startsWith('\\') ? (CLASSES[inside[1] ?? ''] ?? inside[1] ?? '') : (inside[0] ?? '');
    const set = new RegExp(`[^${inside}]`, 'u');
    return ['x', '1', '-', ' ', 'A'].find((one) => set.test(one)) ?? '';
  }

  private escapeText(): string {
    const [one = ''] = this.rest;
    this.at += one.length;
    return CLASSES[one] ?? one;
  }

  private repetitionOf(text: string): string {
    const found = this.match(/^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/);
    if (found === null) return text;
    if (found[1] !== undefined) return text.repeat(Math.min(Number(found[1]), 1000));
    return found[0].startsWith('+') ? text : '';
  }
}
