// Both clocks, above the board.

import {clockText} from './clock.js';
import {escaped, nameOf} from './seats.js';

const kLow = 20_000;  // ms: from here on it is shown that time runs out

export class ClocksView {
  constructor(root) {
    this.root = root;
  }

  show({clock, seats}) {
    this.root.hidden = clock === null;
    if (!clock) return;
    const html = [0, 1].map((i) => {
      const left = clock.leftOf(i);
      const state = `${clock.running === i ? ' running' : ''}${left < kLow ? ' low' : ''}`;
      return `<div class="clock${state}" data-clock="${i}"><span class="seat-mark seat-${i}" aria-hidden="true"></span>
        <span class="whose">${escaped(nameOf(seats, i))}</span><b>${clockText(left)}</b></div>`;
    }).join('');
    if (html === this.html) return;
    this.html = html;
    this.root.innerHTML = html;
  }
}
