// What a game was worth, decision by decision: for the panel after the game.

import {mistakesOf} from './moves-view.js';

// {players: [{decisions, kept, mistakes, blunders}] by player, mistakes: as mistakesOf(), pending: decisions whose exact
// values are still looked for, unsolved: those for which that was given up}. A blunder turns something into a loss.
export function reviewOf(game, analyst, network) {
  const players = [0, 1].map(() => ({decisions: 0, kept: 0, mistakes: 0, blunders: 0}));
  const mistakes = mistakesOf(game, analyst);
  const wrong = new Map(mistakes.map((m) => [m.n, m]));
  let pending = 0, unsolved = 0;
  game.moves.forEach((_, n) => {
    const {player, position} = game.stateAt(n);
    const tally = players[player];
    ++tally.decisions;
    const mistake = wrong.get(n);
    if (mistake) ++tally[mistake.after < 0 ? 'blunders' : 'mistakes'];
    else if (analyst.exactOf(position)?.complete) ++tally.kept;
    else if (analyst.isDone(position, network)) ++unsolved;
    else ++pending;
  });
  return {players, mistakes, pending, unsolved};
}
