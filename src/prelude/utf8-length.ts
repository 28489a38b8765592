/** Bytes of the text in UTF-8, without encoding it; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // The two halves of a pair take four bytes.
    if (unit >> 10 === 0x36 && text.charCodeAt(at + 1) >> 10 === 0x37) at++;
  }
  return bytes;
}
