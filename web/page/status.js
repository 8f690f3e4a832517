// What is said above the board: whose turn it is, and what has just happened.

import {indexOf, isSquare, squareName} from './notation.js';
import {lossText} from './moves-view.js';
import {describe} from './pieces.js';
import {isHuman, moverOf, nameOf, playerOf, verb} from './seats.js';

export function turnText({game, seats, humanToAct, held, late}) {
  const {state} = game;
  if (late !== null && !game.reviewing) {
    const [loser, winner] = [nameOf(seats, late), nameOf(seats, 1 - late)];
    return `${loser} ran out of time: ${verb(winner, 'win').replace(/^You/, 'you')}.`;
  }
  if (state.over) return resultText(game, seats);
  const name = nameOf(seats, state.player);
  const act = state.phase === 'place' ? `${verb(name, 'place')} the piece in hand` :
                                        `${verb(name, 'give')} a piece to ${objectName(seats, 1 - state.player)}`;
  if (humanToAct) return `${act}.`;
  return held ? `${name} is to ${state.phase}.` : `${name} is thinking…`;
}

function objectName(seats, index) {
  return inSentence(nameOf(seats, index));
}
const inSentence = (name) => (name === 'You' ? 'you' : name.replace(/^(First|Second) player/, (words) => `the ${words.toLowerCase()}`));

function resultText(game, seats) {
  const {state} = game;
  if (state.winner === null) {
    return 'A draw: the board is full, and no four that would win have anything in common.';
  }
  const lines = state.lines.map(({squares, shared}) =>
      `${squares.map(squareName).join(' ')} are all ${shared.join(' and ')}`);
  // The winner has made the last move, if not in the position that the game begins with.
  const winner = game.at > 0 ? moverOf(game, seats, game.at - 1) : playerOf(game, seats, state.winner);
  return `${verb(winner, 'win')}: ${lines.join('; ')}.`;
}
// {text, kind: 'notice' | 'mistake' | 'plain'}
export function newsText({match, mistakes, notice}) {
  const {game, seats} = match;
  if (notice) return {text: notice, kind: 'notice'};
  if (game.reviewing) return {text: `Looking back: after move ${game.at} of ${game.moves.length}.`, kind: 'notice'};
  // A player's place and give follow each other, so the last two moves are the last turn.
  const fresh = mistakes.filter((m) => m.n >= game.moves.length - 2).at(-1);
  if (fresh) {
    const who = moverOf(game, seats, fresh.n);
    const kind = fresh.after < 0 ? 'Blunder' : 'Mistake';
    return {text: `${kind}: ${isSquare(fresh.move) ? 'placing on' : 'giving'} ${fresh.move}, ${
      inSentence(who)} turned ${lossText(fresh)}.`, kind: 'mistake'};
  }
  return {text: lastTurn(game, seats), kind: 'plain'};
}

// What an engine has just done, since its two moves come in one go.
function lastTurn(game, seats) {
  const n = game.at - 1;
  if (n < 0) return game.emptyStart ? 'Sixteen pieces, all different.' : '';
  const {player} = game.stateAt(n);
  if (n >= game.loaded && isHuman(seats[player])) return '';
  const what = (i) => {
    const move = game.moves[i];
    return isSquare(move) ? `placed on ${move}` : `gave ${move}, ${describe(indexOf(move))}`;
  };
  const both = n > 0 && game.stateAt(n - 1).player === player;
  return `${moverOf(game, seats, n)} ${both ? `${what(n - 1)} and ` : ''}${what(n)}.`;
}
