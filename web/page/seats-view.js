// The settings of both seats: who sits there, how long he searches, whether his endgame is exact.

import {isHuman, kPerfect, kSeatNames, kSimulations, kWho, simulationsText, whoText} from './seats.js';

function option(value, text, chosen) {
  return `<option value="${value}"${chosen ? ' selected' : ''}>${text}</option>`;
}

export class SeatsView {
  constructor(root, seats, onChange) {
    this.root = root;
    this.seats = structuredClone(seats);
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
    this.write();
  }

  form(i) {
    return `<fieldset class="seat" data-seat="${i}">
      <legend><span class="seat-mark seat-${i}" aria-hidden="true"></span>${kSeatNames[i]}</legend>
      <select name="who" aria-label="Who ${kSeatNames[i]}">${
        kWho.map((who) => option(who, who === 'human' ? 'Human' : whoText(who))).join('')}</select>
      <select name="simulations" aria-label="How long that player searches">${
        kSimulations.map((n) => option(n, simulationsText(n))).join('')}</select>
      <label class="check"><input type="checkbox" name="exact"> exact endgame</label>
    </fieldset>`;
  }

  fields(i) {
    const form = this.root.querySelector(`[data-seat="${i}"]`);
    const field = (name) => form.querySelector(`[name=${name}]`);
    return {who: field('who'), simulations: field('simulations'), exact: field('exact')};
  }
  read() {
    this.seats = [0, 1].map((i) => {
      const {who, simulations, exact} = this.fields(i);
      return {who: who.value, simulations: Number(simulations.value), exact: exact.checked};
    });
    this.write();
  }
  write() {
    this.seats.forEach((seat, i) => {
      const {who, simulations, exact} = this.fields(i);
      who.value = seat.who;
      simulations.value = String(seat.simulations);
      exact.checked = seat.exact;
      const fixed = isHuman(seat) || seat.who === kPerfect;
      simulations.hidden = fixed;
      exact.closest('label').hidden = fixed;
    });
  }
}
