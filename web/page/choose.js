// How a seat's player chooses its move. Runs in a worker; seats are described in seats.js.

const kWorseThanAll = -2;

// `solution` may be incomplete: an unknown value counts as a draw, since nearly all positions are.
export function keeping(solution, moves) {
  const worth = (m) => solution.values[m.index] ?? 0;
  const best = moves.reduce((most, m) => Math.max(most, worth(m)), kWorseThanAll);
  return moves.filter((m) => worth(m) === best);
}

// Of the moves in question the one that the network's search likes best, or the network alone without a search.
export function preferred(moves, thought) {
  const best = moves.find((m) => m.move === thought.best);
  if (best) return best.move;
  const liking = (m) => m.visits + thought.network.prior[m.index];
  return moves.reduce((a, b) => (liking(b) > liking(a) ? b : a)).move;
}

export function emptySquares(position) {
  return position.split('.').length - 1;
}

// {move, exact: whether the choice is proven to keep the exact value, thought, seconds}
export async function chooseMove({engine, solve, check}, position, seat) {
  const start = performance.now();
  let solution = null;
  if (emptySquares(position) <= seat.exactSquares) {
    solution = await solve(position, seat.exactSeconds);
    await check();
  }
  const thought = engine.think(seat.network, position, seat.simulations);
  const candidates = solution ? keeping(solution, thought.moves) : thought.moves;
  return {
    move: preferred(candidates, thought),
    exact: solution?.complete ?? false,
    thought,
    seconds: (performance.now() - start) / 1000,
  };
}
