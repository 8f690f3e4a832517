// The settings of both seats: who sits there, how long he searches, whether his endgame is exact.

import {escaped, isAdjustable, kHuman, kNoNetwork, kSeatNames, kSimulations, simulationsText, whoText} from './seats.js';

function option(value, text) {
  return `<option value="${escaped(String(value))}">${escaped(text)}</option>`;
}

export class SeatsView {
  // players: Players. onChange(seats).
  constructor(root, {players, seats, rules}, onChange) {
    Object.assign(this, {root, players, rules, onChange});
    root.innerHTML = `${[0, 1].map((i) => this.form(i)).join('')}
      <button type="button" id="swap" title="Change seats">⇅<span class="hidden"> Change seats</span></button>`;
    root.addEventListener('change', () => {
      this.read();
      onChange(structuredClone(this.seats));
    });
    root.querySelector('#swap').addEventListener('click', () => {
      this.seats.reverse();
      this.write();
      onChange(structuredClone(this.seats));
    });
    this.show(seats, rules);
  }

  form(i) {
    return `<fieldset class="seat" data-seat="${i}">
      <legend><span class="seat-mark seat-${i}" aria-hidden="true"></span>${kSeatNames[i]}</legend>
      <select name="who" aria-label="Who ${kSeatNames[i]}"></select>
      <select name="simulations" aria-label="How long that player searches">${
        kSimulations.map((n) => option(n, simulationsText(n))).join('')}</select>
      <label class="check"><input type="checkbox" name="exact"> exact endgame</label>
      <span class="numbers quiet"></span>
    </fieldset>`;
  }

  // Also to be called when players have come or gone.
  show(seats, rules) {
    const wanted = JSON.stringify([seats, rules, this.players.offered(rules)]);
    if (wanted === this.shown) return;  // somebody may have a list open
    this.shown = wanted;
    this.seats = structuredClone(seats);
    this.rules = rules;
    const groups = this.players.offered(rules).map(({label, options}) => {
      const list = options.map((who) => option(who, who === kHuman ? 'Human' : whoText(who))).join('');
      return label ? `<optgroup label="${label}">${list}</optgroup>` : list;
    }).join('');
    for (const i of [0, 1]) {
      const {who} = this.fields(i);
      if (who.dataset.groups === groups) continue;
      who.innerHTML = groups;
      who.dataset.groups = groups;
    }
    this.write();
  }

  fields(i) {
    const form = this.root.querySelector(`[data-seat="${i}"]`);
    const field = (name) => form.querySelector(`[name=${name}]`);
    const numbers = form.querySelector('.numbers');
    return {who: field('who'), simulations: field('simulations'), exact: field('exact'), numbers};
  }
  read() {
    this.seats = [0, 1].map((i) => {
      const {who, simulations, exact} = this.fields(i);
      // Without a network the opinion at first sight would be none at all.
      const least = who.value === kNoNetwork ? kSimulations[1] : 0;
      return {who: who.value, simulations: Math.max(least, Number(simulations.value)), exact: exact.checked};
    });
    this.write();
  }
  write() {
    this.seats.forEach((seat, i) => {
      const {who, simulations, exact, numbers} = this.fields(i);
      who.value = seat.who;
      simulations.value = String(seat.simulations);
      exact.checked = seat.exact;
      simulations.hidden = !isAdjustable(seat);
      exact.closest('label').hidden = !isAdjustable(seat);
      simulations.options[0].disabled = seat.who === kNoNetwork;
      numbers.textContent = this.players.numbers(seat.who, this.rules);
    });
  }
}
