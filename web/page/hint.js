// A hint: the move of a player with exact values and a search, and what is known of it.

import {kSearch, valueName} from './analyst.js';
import {isSquare} from './game.js';

const kPatience = 3;  // seconds

// {move, text}
export async function hintFrom(analyst, position, network) {
  const seat = {network, simulations: kSearch, exactSquares: 16, exactSeconds: kPatience};
  const {move, exact, value, solution} = await analyst.remote.ask('move', {position, seat});
  const what = `Hint: ${isSquare(move) ? 'place on' : 'give'} ${move}.`;
  if (!exact) return {move, text: `${what} The network's choice; not solved in ${kPatience} s.`};
  if (value < 0) return {move, text: `${what} Every move loses against perfect play.`};
  const alike = solution.complete && new Set(solution.values.filter((v) => v !== null)).size === 1;
  return {move, text: `${what} It keeps the ${valueName(value)}${alike ? ', as every move does' : ''}: exact.`};
}
