// A game: a position to start from, the moves since, and which of its positions is being looked at. Whether a move is
// legal, and what it leads to, is asked of the engine.

import {indexOf} from './notation.js';
import {kRules} from './rules.js';

export class Game {
  // Throws EngineError if the texts are no game, as load() does.
  constructor(engine, start = '', moves = '', rules = kRules[0]) {
    this.engine = engine;
    this.load(start, moves, rules);
  }

  // loaded: how many of the moves were made elsewhere, by nobody at this board; without, all of them.
  load(start, moves, rules = this.rules, loaded = Infinity) {
    const end = this.engine.state(start, moves, rules);
    this.rules = end.rules;
    this.start = end.start;
    this.moves = end.moves;
    this.states = [];  // by number of moves played; filled when asked for
    this.states[this.moves.length] = end;
    this.at = this.moves.length;
    this.loaded = Math.min(loaded, this.moves.length);
  }

  stateAt(n) {
    return this.states[n] ??= this.engine.state(this.start, this.moves.slice(0, n).join(' '), this.rules);
  }
  get state() {
    return this.stateAt(this.at);
  }
  get reviewing() {
    return this.at < this.moves.length;
  }
  get emptyStart() {
    return this.start === '..../..../..../.... -';
  }

  isLegal(move) {
    return this.state.legal.includes(indexOf(move));
  }
  // Plays on from the position looked at; what came after it is forgotten.
  play(move) {
    const moves = [...this.moves.slice(0, this.at), move];
    const next = this.engine.state(this.start, moves.join(' '), this.rules);
    this.moves = moves;
    this.states.length = this.at + 1;
    this.states.push(next);
    this.loaded = Math.min(this.loaded, this.at);
    ++this.at;
  }
  // Forgets all but the first n moves.
  cutTo(n) {
    this.moves.length = n;
    this.states.length = n + 1;
    this.loaded = Math.min(this.loaded, n);
    this.at = n;
  }
  goTo(n) {
    this.at = Math.max(0, Math.min(n, this.moves.length));
  }

  // As it is copied: the moves, after the position if that is not the empty board.
  toText() {
    const moves = this.moves.join(' ');
    return this.emptyStart ? moves : `${this.start} : ${moves}`;
  }
}

// What a person may paste: moves, a position, or a position and the moves from it (after a colon, or just a blank).
// {start, moves}. Throws Error if there is neither.
export function splitGameText(text) {
  const trimmed = text.trim();
  if (!/[0-9a-f/]/i.test(trimmed)) throw new Error('there are no moves in it');
  if (!trimmed.includes('/')) return {start: '', moves: trimmed};
  const [, start, moves] = /^(\S+\s+\S)\s*:?\s*(.*)$/s.exec(trimmed) ?? [null, trimmed, ''];
  return {start: start.replace(/\s+/, ' '), moves};
}
