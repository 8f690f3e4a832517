// All players that the page can offer, under which rules, and what the worker needs to move for them (player.js).

import {isLevel, kHuman, kNoNetwork, kPerfect, simulationsText, whoText} from './seats.js';

const kExactSquares = 11;  // docs: from here on the exact values take a fraction of a second
const kGroups = {shipped: 'Networks', own: 'Your networks', server: 'This server'};

export class Players {
  // levels: {rules: [level]}, of Engine.levels(). networks: [{name, rules, ...}], those that come with the page.
  constructor({levels, networks}) {
    this.levels = levels;
    this.networks = networks.map((network) => ({...network, origin: 'shipped'}));
  }

  // origin: 'own' or 'server'. The name has its prefix. A network of this name is replaced.
  add(network, origin) {
    this.remove(network.name);
    this.networks.push({...network, origin});
  }
  remove(name) {
    this.networks = this.networks.filter((network) => network.name !== name);
  }
  of(origin) {
    return this.networks.filter((network) => network.origin === origin);
  }
  knownUnder(rules) {
    return this.networks.filter((network) => network.rules === rules);
  }
  // Networks that can be asked here, for opinions.
  localUnder(rules) {
    const names = this.knownUnder(rules).filter((network) => network.origin !== 'server').map(({name}) => name);
    return names.length > 0 ? names : [kNoNetwork];
  }
  // The one that advises under these rules: the one that was chosen, if it knows them.
  adviser(rules, chosen = null) {
    const names = this.localUnder(rules);
    return names.includes(chosen) ? chosen : names[0];
  }

  // [{label, options: [who]}], as they are shown.
  offered(rules) {
    const known = this.knownUnder(rules);
    const networks = (origin) => known.filter((network) => network.origin === origin).map(({name}) => name);
    const alone = known.some(({origin}) => origin === 'shipped') ? [] : [kNoNetwork];
    return [
      {label: '', options: [kHuman]},
      {label: 'Levels', options: this.levels[rules].map(({name}) => `level:${name}`)},
      ...Object.entries(kGroups).map(([origin, label]) => ({label, options: networks(origin)})),
      {label: 'Exact', options: [kPerfect]},
      {label: 'No network', options: alone},
    ].filter(({options}) => options.length > 0);
  }
  isOffered(who, rules) {
    return this.offered(rules).some(({options}) => options.includes(who));
  }
  // The seat itself, or one in its place if there is no such player under these rules.
  seatFor(seat, rules) {
    if (this.isOffered(seat.who, rules)) return seat;
    const levels = this.levels[rules];
    return {...seat, who: `level:${(levels[1] ?? levels[0]).name}`};
  }
  levelOf(who, rules) {
    return this.levels[rules].find(({name}) => who === `level:${name}`);
  }

  // {network, simulations, exactSquares, exactSeconds, sharp}; {lookahead, careless, seed} without a network; of a server's
  // network {server, simulations, exactSquares}.
  playerOf(seat, rules) {
    if (isLevel(seat.who)) {
      const {network, lookahead, careless, simulations, exactSquares, sharp} = this.levelOf(seat.who, rules);
      if (!network) return {lookahead, careless, seed: Math.floor(Math.random() * 2 ** 32)};
      return {network, simulations, exactSquares, exactSeconds: 60, sharp};
    }
    if (seat.who === kPerfect) {
      const network = this.knownUnder(rules).some(({name}) => name === 'distilled') ? 'distilled' : this.adviser(rules);
      return {network, simulations: 128, exactSquares: 16, exactSeconds: 8};
    }
    const {simulations} = seat, exactSquares = seat.exact ? kExactSquares : 0;
    if (seat.who.startsWith('server:')) return {server: seat.who.slice('server:'.length), simulations, exactSquares};
    return {network: seat.who, simulations, exactSquares, exactSeconds: 60};
  }

  // What is behind a level or the perfect player, in numbers; '' for all others.
  numbers(who, rules) {
    if (who === kPerfect) return 'exact values, as far as 8 seconds a move suffice';
    if (!isLevel(who)) return '';
    const {network, lookahead, careless, simulations, exactSquares} = this.levelOf(who, rules);
    const parts = !network ? [lookahead > 0 ? `looks ${lookahead} plies ahead` : 'the one-ply rule'] :
        network === kNoNetwork ? [`search, ${simulationsText(simulations)}`] :
                                 [`${whoText(network)}, ${simulationsText(simulations)}`];
    if (careless > 0) parts.push(`${careless}% of moves at random`);
    if (exactSquares > 0) parts.push(`exact from ${exactSquares} empty squares on`);
    return parts.join(', ');
  }
}
