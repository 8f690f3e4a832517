// The eight symmetries of the square, by which the board can be seen: `view`, from 0 to 7, says how often it has been turned
// by a quarter, clockwise, and, from 4 on, that it is then seen from behind: left and right change places.

import {store, stored} from './stored.js';

// The game's square that is seen in the slot n, counted row by row.
export function squareSeen(view, n) {
  let [row, column] = [Math.floor(n / 4), n % 4];
  if (view >= 4) column = 3 - column;
  for (let quarter = 0; quarter < view % 4; ++quarter) [row, column] = [3 - column, row];
  return 4 * row + column;
}

// What is seen, turned clockwise: behind a mirror the board turns the other way.
export function turned(view) {
  return view < 4 ? (view + 1) % 4 : 4 + (view + 3) % 4;
}
export function mirrored(view) {
  return (view + 4) % 8;
}

export function loadView() {
  const view = stored('view');
  return /^[0-7]$/.test(view) ? Number(view) : 0;
}
export function storeView(view) {
  store('view', view);
}
