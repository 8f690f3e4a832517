// A hint: the move of a player with exact values and a search, and what is known of it.

import {kSearch, valueName} from './analyst.js';
import {isSquare} from './notation.js';

const kPatience = 3;  // seconds

// {move, text}
export async function hintFrom(analyst, position, rules, network) {
  const seat = {network, simulations: kSearch, exactSquares: 16, exactSeconds: kPatience};
  analyst.giveWay();
  const {move, exact, value, alike, solution} =
      await analyst.remote.ask('hint', {position, rules, seat}).finally(() => analyst.goOn());
  const what = `Hint: ${isSquare(move) ? 'place on' : 'give'} ${move}.`;
  const whose = network === 'uniform' ? 'search' : 'network';
  if (!exact) return {move, text: `${what} The ${whose}'s choice; not solved in ${kPatience} s.`};
  const choice = alike > 1 && whose === 'network' ? ` The network's choice among ${alike} such moves.` : '';
  if (value < 0) return {move, text: `${what} Every move loses against perfect play.${choice}`};
  const every = solution.complete && new Set(solution.values.filter((v) => v !== null)).size === 1;
  return {move, text: `${what} It keeps the ${valueName(value)}${every ? ', as every move does' : ''}: exact.${choice}`};
}
