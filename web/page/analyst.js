// Knows what the network thinks and what is true of the game's positions: the one looked at first, then the others,
// because a mistake can be told once the position before it is solved.

import {Cancelled} from './remote.js';

export const kSeconds = 30;  // for exact values, at most
export const kSearch = 128;  // simulations of the search beside them

export class Analyst {
  // onChange(position) whenever more is known of a position.
  constructor(remote, onChange) {
    this.remote = remote;
    this.onChange = onChange;
    this.known = new Map();  // by rules, network and position: {network, opinion, search, exact, done}
    this.exact = new Map();  // by rules and position: the solution so far
    this.rules = 'lines';  // of all positions, until want() says others
    this.wanted = [];
    this.running = null;
  }

  about(position, network) {
    const key = `${this.rules} ${network} ${position}`;
    if (!this.known.has(key)) this.known.set(key, {network, opinion: null, search: null, exact: null, done: false});
    const entry = this.known.get(key);
    entry.exact = this.exactOf(position);
    return entry;
  }
  // The name stands for another network from now on, or for none.
  forget(network) {
    for (const [key, entry] of this.known) {
      if (entry.network === network) this.known.delete(key);
    }
    if (this.running?.network === network) this.giveWay();
  }

  // Another question to the worker need not wait for what runs, which may take kSeconds; goOn() after it.
  giveWay() {
    this.running?.abort.abort();
    this.running = null;
  }
  goOn() {
    const next = this.next();
    if (next && !this.running) this.run(next);
  }
  // How far the end is is asked of the first position alone, which is looked at.
  next() {
    return this.wanted.find(({position, network}, i) => {
      const {done, failure, exact} = this.about(position, network);
      return !done || (i === 0 && !failure && exact?.complete && !exact.placements);
    });
  }

  // null as long as nothing is known.
  exactOf(position) {
    return this.exact.get(`${this.rules} ${position}`) ?? null;
  }
  // Nothing more will be known: the values were found, or the time for them is over.
  isDone(position, network) {
    return this.about(position, network).done;
  }

  // Positions that are not over, the most wanted first. What runs for another position than the first is dropped.
  want(positions, network, rules) {
    this.wanted = positions.map((position) => ({position, network}));
    const {running} = this;
    const before = this.rules;
    this.rules = rules;
    const first = this.next();
    if (running && before === rules && first?.position === running.position && first.network === running.network) return;
    this.giveWay();
    this.goOn();
  }

  async run({position, network}) {
    const running = this.running = {position, network, abort: new AbortController()};
    const entry = this.about(position, network);
    const {rules} = this, key = `${rules} ${position}`;
    const learn = ({opinion, search, exact}) => {
      Object.assign(entry, {opinion, search: search ?? entry.search});
      // Of an analysis that is asked for again the first slices know less.
      if (exact && (exact.complete || !this.exact.get(key)?.complete)) this.exact.set(key, exact);
      this.onChange(position);
    };
    try {
      // Another network's analysis may have solved it already, and found how far the end is.
      const seconds = this.exactOf(position)?.placements ? 0 : kSeconds;
      const placements = position === this.wanted[0].position;
      const request = {position, rules, network, simulations: kSearch, seconds, placements};
      learn(await this.remote.ask('analyse', request, {signal: running.abort.signal, onPartial: learn}));
    } catch (error) {
      if (error instanceof Cancelled) return;
      entry.failure = error.message;
    }
    entry.done = true;
    this.running = null;
    this.onChange(position);
    this.goOn();
  }
}

// What a move gave away, for who made it: {before, after, better}, two values and the moves that were better by index;
// or null: nothing, or not known yet. Not all moves need be solved to tell: one that is better will do.
export function mistake(exact, index) {
  if (!exact) return null;
  const after = exact.values[index];
  const before = Math.max(...exact.values.filter((v) => v !== null));
  if (after === null || after >= before) return null;
  return {before, after, better: exact.values.flatMap((v, m) => (v === before ? [m] : []))};
}

const kValueNames = {1: 'win', 0: 'draw', '-1': 'loss'};
export function valueName(value) {
  return kValueNames[value];
}
