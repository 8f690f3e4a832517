// Asks the engine for a seat's move; seats are described in seats.js. Runs in a worker. What is chosen is decided in
// play/choose.h; here only the time of exact play is cut into slices, so that it can be cancelled.

const kExactMs = 100;  // if nothing has been solved in slices

export function emptySquares(position) {
  return position.split('.').length - 1;
}

// {move, by, value, proven, seconds, exact: whether the solver chose, solution: the exact values as far as they are
// known, or null}
export async function moveFor({engine, solve, check}, position, seat) {
  let solution = null;
  if (emptySquares(position) <= seat.exactSquares) {
    solution = await solve(position, seat.exactSeconds);
    await check();
  }
  // The engine takes the exact values from the last slice.
  const choice = engine.choose(seat.network, position, seat.simulations, seat.exactSquares, kExactMs);
  return {...choice, exact: choice.by === 'exact', solution};
}
