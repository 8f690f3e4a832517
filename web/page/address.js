// The game in the address bar, after the '#':
//
//     #m=0a17c2                          the moves from the empty board
//     #p=..../2F.A/E9../.8B3_-           a position ('_' for the blank)
//     #p=..../2F.A/E9../.8B3_-&m=Cc2     a position and the moves from it
//     #r=squares&m=0a17c2                the same under the rules by which 2x2 squares count as well

import {kRules} from './rules.js';

export function toAddress(game) {
  const parts = [];
  if (game.rules !== kRules[0]) parts.push(`r=${game.rules}`);
  if (!game.emptyStart) parts.push(`p=${game.start.replace(' ', '_')}`);
  if (game.moves.length > 0) parts.push(`m=${game.moves.join('')}`);
  return parts.length > 0 ? `#${parts.join('&')}` : '';
}

// {start, moves, rules}, or null if the address names no game. Throws Error if it says something else. Whether the texts
// make sense is for the engine to say.
export function fromAddress(hash) {
  let text = hash.replace(/^#/, '');
  try {
    text = decodeURIComponent(text);
  } catch {
    throw new Error('it is not properly encoded');
  }
  if (text === '') return null;
  const game = {start: '', moves: '', rules: kRules[0]};
  for (const part of text.split('&')) {
    const [, key, value] = /^([pmr])=(.*)$/s.exec(part) ?? [];
    if (!key) throw new Error(`'${part.slice(0, 40)}' is none of p=POSITION, m=MOVES and r=RULES`);
    if (key === 'p') game.start = value.replace(/[_+]/g, ' ');
    else if (key === 'm') game.moves = value.replace(/[_+]/g, ' ');
    else if (kRules.includes(value)) game.rules = value;
    else throw new Error(`the rules are ${kRules.join(' or ')}, not '${value.slice(0, 40)}'`);
  }
  return game;
}
