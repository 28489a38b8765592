/** A text in the pieces that services send it in. */
const PIECE = 4000;

export function piecesOf(text) {
  const characters = [...text];
  const count = Math.ceil(characters.length / PIECE);
  return Array.from({ length: count }, (_, at) => characters.slice(at * PIECE, (at + 1) * PIECE).join(''));
}
