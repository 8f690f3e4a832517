// Who sits at the board. A seat's setting is what the person chose: {who, simulations, exact}, `who` being
//
//     human                     a person
//     level:beginner            a level: a player by a word (play/levels.h)
//     zero                      a network that comes with the page
//     own:night                 one that the person added (own-networks.js)
//     server:night              one of the server that the page comes from (server.js)
//     uniform                   a search without a network
//     perfect                   exact play, as far as there is time
//
// What the worker needs to move for a seat is made by Players (players.js).

import {store, stored} from './stored.js';

export const kHuman = 'human', kPerfect = 'perfect', kNoNetwork = 'uniform';
export const kSimulations = [0, 32, 128, 512];

export const kDefaults = [
  {who: kHuman, simulations: 32, exact: false},
  {who: 'level:casual', simulations: 32, exact: false},
];
export const kPeople = [kDefaults[0], kDefaults[0]];
export const kSeatNames = ['gives first', 'places first'];

export function isHuman(seat) {
  return seat.who === kHuman;
}
export function isLevel(who) {
  return who.startsWith('level:');
}
// Whether simulations and exact play are the seat's own settings, not the player's.
export function isAdjustable(seat) {
  return !isHuman(seat) && seat.who !== kPerfect && !isLevel(seat.who);
}

// What is called what, in settings and messages. The names of own networks are what somebody wrote: see escaped().
export function whoText(who) {
  const [kind, name] = who.includes(':') ? [who.slice(0, who.indexOf(':')), who.slice(who.indexOf(':') + 1)] : ['', who];
  if (kind === 'own') return name;
  if (kind === 'server') return `${name} (server)`;
  if (name === kHuman) return 'You';
  if (name === kNoNetwork) return 'Search';
  return name[0].toUpperCase() + name.slice(1);
}
export function simulationsText(n) {
  return n === 0 ? 'at first sight' : `${n} simulations`;
}
export function escaped(text) {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

const kPlayers = ['First player', 'Second player'];

// "You", "Distilled @32"; for two people, "First player"; for two engines of one name, "Zero (second)".
export function nameOf(seats, index) {
  const seat = seats[index], other = seats[1 - index];
  if (isHuman(seat)) return isHuman(other) ? kPlayers[index] : 'You';
  const name = engineName(seat);
  return isHuman(other) || engineName(other) !== name ? name : `${name} (${['first', 'second'][index]})`;
}
// Who made the move n of the game: of moves that were put up with the game that is nobody at this board.
export function moverOf(game, seats, n) {
  const {player} = game.stateAt(n);
  return n < game.loaded ? kPlayers[player] : nameOf(seats, player);
}
// Whose decisions are all of a player's: "First player, then you" where somebody has gone on with a game from elsewhere.
export function playerOf(game, seats, index) {
  if (game.loaded === 0 && game.moves.length > 0) return nameOf(seats, index);
  const name = nameOf(seats, index);
  const own = game.moves.some((_, n) => n >= game.loaded && game.stateAt(n).player === index);
  if (!own || name === kPlayers[index]) return kPlayers[index];
  return `${kPlayers[index]}, then ${name === 'You' ? 'you' : name}`;
}
function engineName(seat) {
  if (!isAdjustable(seat)) return whoText(seat.who);
  const strength = seat.simulations > 0 ? ` @${seat.simulations}` : '';
  return `${whoText(seat.who)}${strength}${seat.exact ? ' + exact' : ''}`;
}
// "You win", "Zero wins"
export function verb(name, stem) {
  return `${name} ${name === 'You' ? stem : stem === 'have' ? 'has' : `${stem}s`}`;
}

// Whether there is such a player is for Players to say.
export function loadSeats() {
  try {
    const seats = JSON.parse(stored('seats'));
    const sound = (s) => typeof s.who === 'string' && kSimulations.includes(s.simulations) && typeof s.exact === 'boolean';
    if (seats.length === 2 && seats.every(sound)) return seats;
  } catch {
    // Nothing sensible.
  }
  return structuredClone(kDefaults);
}
export function storeSeats(seats) {
  store('seats', JSON.stringify(seats));
}
