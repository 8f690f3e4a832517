// The list of moves: a numbered turn is a give and the place that answers it. Each can be looked back at.

import {mistake, valueName} from './analyst.js';
import {replaceKeepingFocus} from './focus.js';
import {indexOf} from './notation.js';
import {describe, drawing} from './pieces.js';
import {escaped, moverOf} from './seats.js';

// "a draw into a loss"
export function lossText({before, after}) {
  return `a ${valueName(before)} into a ${valueName(after)}`;
}

// All mistakes of the game that can be told by now: [{n, move, player, before, after}], n counting moves from 0.
export function mistakesOf(game, analyst) {
  return game.moves.flatMap((move, n) => {
    const {position, player} = game.stateAt(n);
    const found = mistake(analyst.exactOf(position), indexOf(move));
    return found ? [{n, move, player, ...found}] : [];
  });
}

export class MovesView {
  constructor(list, onGoTo) {
    this.list = list;
    list.addEventListener('click', (event) => {
      const button = event.target.closest('[data-after]');
      if (button) onGoTo(Number(button.dataset.after));
    });
  }

  show({game, seats, mistakes}) {
    const marks = new Map(mistakes.map((m) => [m.n, m]));
    const turns = [];
    game.moves.forEach((move, n) => {
      if (move.length === 1 || turns.length === 0) turns.push([]);
      turns.at(-1).push({move, n});
    });
    const html = turns.map((turn) => {
      const buttons = turn.map(({move, n}) => this.button({move, n, game, seats, mark: marks.get(n)}));
      return `<li>${buttons.join('<span aria-hidden="true">→</span>')}</li>`;
    }).join('');
    // Every partial result of the analysis comes here. What has not changed stays as it is, with its focus and scroll.
    if (html === this.html) return;
    this.html = html;
    replaceKeepingFocus(this.list, html, ['data-after']);
    const shown = `${game.at} of ${game.moves.length}`;
    if (shown === this.shown) return;
    this.shown = shown;
    // Only the list scrolls, never the page.
    const current = this.list.querySelector('[aria-current]') ?? this.list.lastElementChild;
    if (current) this.list.scrollTop = Math.max(0, current.offsetTop - this.list.clientHeight / 2);
  }

  button({move, n, game, seats, mark}) {
    const state = game.stateAt(n);
    const gives = move.length === 1;
    const piece = gives ? indexOf(move) : state.hand;
    const who = escaped(moverOf(game, seats, n));
    const sign = !mark ? '' : mark.after < 0 ? '??' : '?';
    const label = `${who}: ${gives ? `${move}, ${describe(piece)}` : move}${mark ? `, turns ${lossText(mark)}` : ''}`;
    return `<button type="button" class="move seat-${state.player}${mark ? ' mistake' : ''}" data-after="${n + 1}"
      title="${label}" aria-label="${label}"${game.at === n + 1 ? ' aria-current="step"' : ''}>${
      gives ? drawing(piece) : ''}${move}${sign ? `<b class="sign">${sign}</b>` : ''}</button>`;
  }
}
