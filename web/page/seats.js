// Who sits at the board. A seat's setting is what the person chose: {who, simulations, exact}; a player is what the
// worker needs to move for it (player.js).

import {kNetworks} from './files.js';

export const kHuman = 'human', kPerfect = 'perfect';
export const kWho = [kHuman, ...kNetworks, kPerfect];
export const kSimulations = [0, 32, 128, 512];
const kExactSquares = 11;  // docs: from here on the exact values take a fraction of a second

export const kDefaults = [
  {who: kHuman, simulations: 32, exact: false},
  {who: 'zero', simulations: 32, exact: false},
];
export const kSeatNames = ['gives first', 'places first'];

export function isHuman(seat) {
  return seat.who === kHuman;
}

export function playerOf(seat) {
  if (seat.who === kPerfect) {
    return {network: 'distilled', simulations: 128, exactSquares: 16, exactSeconds: 8};
  }
  return {
    network: seat.who,
    simulations: seat.simulations,
    exactSquares: seat.exact ? kExactSquares : 0,
    exactSeconds: 60,
  };
}

// What is called what, in settings and messages.
export function whoText(who) {
  return {human: 'You', distilled: 'Distilled', zero: 'Zero', demo: 'Demo', perfect: 'Perfect'}[who];
}
export function simulationsText(n) {
  return n === 0 ? 'at first sight' : `${n} simulations`;
}

// "You", "Distilled @32"; for two people, "First player"; for two engines of one name, "Zero (second)".
export function nameOf(seats, index) {
  const seat = seats[index], other = seats[1 - index];
  if (isHuman(seat)) return isHuman(other) ? ['First player', 'Second player'][index] : 'You';
  const name = engineName(seat);
  return isHuman(other) || engineName(other) !== name ? name : `${name} (${['first', 'second'][index]})`;
}
function engineName(seat) {
  if (seat.who === kPerfect) return 'Perfect';
  const strength = seat.simulations > 0 ? ` @${seat.simulations}` : '';
  return `${whoText(seat.who)}${strength}${seat.exact ? ' + exact' : ''}`;
}
// "You win", "Zero wins"
export function verb(name, stem) {
  return `${name} ${name === 'You' ? stem : stem === 'have' ? 'has' : `${stem}s`}`;
}

const kStored = 'quartozero-seats';

export function loadSeats() {
  try {
    const seats = JSON.parse(localStorage.getItem(kStored));
    const sound = (s) => kWho.includes(s.who) && kSimulations.includes(s.simulations) && typeof s.exact === 'boolean';
    if (seats.length === 2 && seats.every(sound)) return seats;
  } catch {
    // Nothing stored, nothing sensible, or a browser that stores nothing for this page.
  }
  return structuredClone(kDefaults);
}
export function storeSeats(seats) {
  try {
    localStorage.setItem(kStored, JSON.stringify(seats));
  } catch {
    // Then the choice lasts as long as the page.
  }
}
