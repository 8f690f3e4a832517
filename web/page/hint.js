// A hint: the move that keeps the exact value and that the network's search likes best.

import {kSearch, valueName} from './analyst.js';
import {keeping, preferred} from './choose.js';
import {isSquare} from './game.js';

const kPatience = 3;  // seconds

// {move, text}
export async function hintFrom(analyst, position, network) {
  const {exact, search} = await analyst.remote.ask('analyse', {position, network, simulations: kSearch, seconds: kPatience});
  const known = exact.values.some((v) => v !== null);
  const move = preferred(known ? keeping(exact, search.moves) : search.moves, search);
  const what = `Hint: ${isSquare(move) ? 'place on' : 'give'} ${move}.`;
  if (!exact.complete) return {move, text: `${what} The network's choice; not solved in ${kPatience} s.`};
  if (exact.value < 0) return {move, text: `${what} Every move loses against perfect play.`};
  const alike = new Set(exact.values.filter((v) => v !== null)).size === 1;
  return {move, text: `${what} It keeps the ${valueName(exact.value)}${alike ? ', as every move does' : ''}: exact.`};
}
