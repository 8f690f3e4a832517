// Asks the engine for a seat's move; players are described in seats.js. Runs in a worker. What is chosen is decided in
// play/choose.h, play/hint.h and play/lookahead.h; here only the time of exact play is cut into slices, so that it can be
// cancelled.

// The values are known when the engine is asked; what sharp play looks for beside them is not.
const kSliceMs = 150;
const kSharpMs = 5000;  // at most

export function emptySquares(position) {
  return position.split('.').length - 1;
}

async function chosenBy(question, {engine, solve, check}, position, seat, rules) {
  let solution = null;
  if (emptySquares(position) <= seat.exactSquares) {
    solution = await solve(position, seat.exactSeconds, rules);
    await check();
  }
  const start = performance.now();
  for (;;) {
    // The engine takes the exact values from the last slice.
    const {complete, ...choice} =
      engine[question](seat.network, position, seat.simulations, seat.exactSquares, kSliceMs, rules, seat.sharp);
    const more = complete === false && solution?.complete && performance.now() - start < kSharpMs;
    if (!more) return {...choice, exact: choice.by === 'exact', solution};
    await check();
  }
}

// {move, by, value, proven, seconds, exact: whether the solver chose, solution: the exact values as far as they are
// known, or null}; of players without a network {move, by}.
export async function moveFor(tools, position, seat, rules = 'lines') {
  if (seat.network) return chosenBy('choose', tools, position, seat, rules);
  return tools.engine.simple(position, seat.lookahead, seat.careless, seat.seed, rules);
}

// The same for somebody who asks: among moves of equal exact value the network decides. And `alike`, how many there are.
export function hintFor(tools, position, seat, rules = 'lines') {
  return chosenBy('hint', tools, position, seat, rules);
}
