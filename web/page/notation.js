// Names of squares, pieces and moves. The dashboard loads this file too.

// The slot of a move among the sixteen of its phase: the square, or the piece.
export function indexOf(move) {
  return move.length === 2 ? 'abcd'.indexOf(move[0]) + 4 * (Number(move[1]) - 1) : parseInt(move, 16);
}
export function squareName(index) {
  return 'abcd'[index % 4] + (Math.floor(index / 4) + 1);
}
export function pieceName(index) {
  return index.toString(16).toUpperCase();
}
export function moveName(phase, index) {
  return phase === 'place' ? squareName(index) : pieceName(index);
}
export function isSquare(move) {
  return move.length === 2;
}
