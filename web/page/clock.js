// A chess clock: each player has some time for the game and gets an increment after each decision.

import {store, stored} from './stored.js';

// By what is shown; seconds of each player for a game, seconds added after each of its decisions.
export const kClocks = {
  none: {text: 'No clock'},
  '60+0': {text: '1 minute', seconds: 60, increment: 0},
  '180+2': {text: '3 minutes + 2 s', seconds: 180, increment: 2},
  '300+0': {text: '5 minutes', seconds: 300, increment: 0},
  '600+5': {text: '10 minutes + 5 s', seconds: 600, increment: 5},
};

export class Clock {
  // now(): milliseconds that only grow.
  constructor({seconds, increment}, now = () => performance.now()) {
    this.increment = 1000 * increment;
    this.now = now;
    this.left = [1000 * seconds, 1000 * seconds];
    this.running = null;  // whose time runs
    this.since = 0;
    this.history = [[...this.left]];  // by number of moves made, what was left then
  }

  leftOf(player) {
    return this.left[player] - (this.running === player ? this.now() - this.since : 0);
  }
  // Lets the time of `player` run, or, null, nobody's.
  run(player) {
    if (player === this.running) return;
    if (this.running !== null) this.left[this.running] = this.leftOf(this.running);
    this.running = player;
    this.since = this.now();
  }
  // `player` has made the n-th move.
  moved(player, n) {
    this.run(null);
    this.left[player] += this.increment;
    this.history.length = Math.min(this.history.length, n);
    this.history[n] = [...this.left];
  }
  // Back to when n moves had been made.
  backTo(n) {
    this.run(null);
    this.left = [...(this.history[n] ?? this.history[0])];
  }
}

// "4:09"; the last ten seconds "9.3"
export function clockText(ms) {
  const left = Math.max(0, ms);
  if (left < 10_000) return (Math.floor(left / 100) / 10).toFixed(1);
  const seconds = Math.ceil(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function loadClock() {
  const name = stored('clock');
  return Object.hasOwn(kClocks, name) ? name : 'none';
}
export function storeClock(name) {
  store('clock', name);
}
