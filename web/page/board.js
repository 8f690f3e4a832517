// The board, the tray of pieces left and the piece in hand: shows a state of the game, and tells which move was meant.

import {makeDraggable} from './drag.js';
import {pieceName, squareName} from './notation.js';
import {addShades, describe, drawing} from './pieces.js';
import {squareSeen} from './symmetry.js';
import {valueName} from './analyst.js';

// Light pieces above their dark twins.
const kTrayOrder = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];

export class BoardView {
  // view: see symmetry.js. onMove(text): "b3" or "C".
  constructor({board, tray, hand}, view, onMove) {
    Object.assign(this, {board, tray, hand, onMove});
    addShades();
    this.slots = [];  // the squares as they are seen, row by row
    this.squares = [];  // the same by the game's numbers
    for (let row = 0; row < 4; ++row) {
      const rowElement = board.appendChild(element('div', {role: 'row', class: 'row'}));
      for (let column = 0; column < 4; ++column) {
        const square = element('button', {type: 'button', role: 'gridcell', class: 'square'});
        square.innerHTML = '<span class="coordinate" aria-hidden="true"></span><span class="content"></span>';
        this.slots.push(rowElement.appendChild(square));
      }
    }
    this.lines = board.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'svg'));
    this.lines.setAttribute('class', 'lines');
    this.lines.setAttribute('viewBox', '0 0 4 4');
    this.lines.setAttribute('aria-hidden', 'true');
    this.pieces = [];
    for (const p of kTrayOrder) {
      const piece = element('button', {type: 'button', class: 'tray-piece'});
      piece.dataset.piece = p;
      piece.innerHTML = `${drawing(p)}<span class="coordinate" aria-hidden="true">${pieceName(p)}</span>`;
      this.pieces[p] = tray.appendChild(piece);
    }
    board.addEventListener('click', (event) => this.clicked(event.target.closest('[data-square]')));
    tray.addEventListener('click', (event) => this.clicked(event.target.closest('[data-piece]')));
    roving(this.slots, 4);
    roving(kTrayOrder.map((p) => this.pieces[p]), 8);
    this.makeDraggable();
    this.turn(view);
  }

  // Takes effect with the next show().
  turn(view) {
    this.point(null, null);
    this.slots.forEach((slot, n) => {
      const s = squareSeen(view, n);
      slot.dataset.square = s;
      slot.querySelector('.coordinate').textContent = squareName(s);
      this.squares[s] = slot;
    });
  }

  // state: the engine's. can: a person may move now. last: the move that led here, or null. values: exact values by
  // move, to be shown, or null. hints: moves to point at.
  show({state, can, last, values, hints}) {
    this.state = state;
    this.can = can;
    const placing = state.phase === 'place';
    const winning = new Set(state.lines.flatMap((line) => line.squares));
    const annotate = (target, index, active) => {
      const value = active ? values?.[index] ?? null : null;
      if (value === null) delete target.dataset.value;
      else target.dataset.value = valueName(value);
      const hinted = active && hints.includes(index);
      target.classList.toggle('hint', hinted);
      return (value === null ? '' : `, exact value ${valueName(value)}`) + (hinted ? ', hint' : '');
    };
    this.squares.forEach((square, s) => {
      const piece = state.board[s];
      const content = square.querySelector('.content');
      if (content.dataset.piece !== String(piece)) {
        content.dataset.piece = piece;
        content.innerHTML = piece === null ? '' : drawing(piece);
      }
      const open = can && placing && state.legal.includes(s);
      square.classList.toggle('open', open);
      square.classList.toggle('winning', winning.has(s));
      square.classList.toggle('last', last === squareName(s));
      square.setAttribute('aria-disabled', String(!open));
      const extra = annotate(square, s, placing && state.legal.includes(s));
      square.setAttribute('aria-label', `${squareName(s)}, ${piece === null ? 'empty' : describe(piece)}${extra}`);
    });
    this.pieces.forEach((button, p) => {
      const there = state.available.includes(p);
      const open = can && !placing && there && !state.over;
      button.classList.toggle('gone', !there);
      button.classList.toggle('open', open);
      button.setAttribute('aria-disabled', String(!open));
      const extra = annotate(button, p, !placing && there && !state.over);
      button.setAttribute('aria-label',
                          there ? `${pieceName(p)}, ${describe(p)}${extra}` : `${pieceName(p)}, already given`);
    });
    this.hand.innerHTML = state.hand === null ? '' : drawing(state.hand);
    this.hand.classList.toggle('open', can && placing);
    this.hand.classList.toggle('wanted', can && !placing && !state.over);
    this.hand.setAttribute('aria-label', state.hand === null ?
        'No piece in hand' : `Piece in hand: ${pieceName(state.hand)}, ${describe(state.hand)}`);
    this.showLines(state.lines);
  }

  showLines(lines) {
    const centre = (s) => {
      const n = this.slots.indexOf(this.squares[s]);
      return `${n % 4 + 0.5} ${Math.floor(n / 4) + 0.5}`;
    };
    // Of a 2x2 square its outline, of any other line its length.
    const path = (s) => (s[3] - s[0] === 5 && s[1] === s[0] + 1 ? `M${[s[0], s[1], s[3], s[2]].map(centre).join('L')}Z` :
                                                                  `M${centre(s[0])}L${centre(s[3])}`);
    this.lines.innerHTML = lines.map(({squares}) => `<path d="${path(squares)}"/>`).join('');
  }

  // Points at a move while somebody looks at it elsewhere; null: at none.
  point(phase, index) {
    const all = [...this.slots, ...this.pieces];
    for (const target of all) target.classList.remove('pointed');
    if (index !== null) (phase === 'place' ? this.squares : this.pieces)[index].classList.add('pointed');
  }

  clicked(target) {
    if (!target?.classList.contains('open')) return;
    const {square, piece} = target.dataset;
    this.onMove(square !== undefined ? squareName(Number(square)) : pieceName(Number(piece)));
  }

  makeDraggable() {
    const common = {
      draw: (piece) => drawing(piece),
      over: (place) => {
        for (const e of document.querySelectorAll('.over')) e.classList.remove('over');
        place?.classList.add('over');
      },
    };
    makeDraggable(this.tray, {
      ...common,
      find: (element) => {
        const source = element.closest('.tray-piece.open');
        return source && {source, what: Number(source.dataset.piece)};
      },
      target: (element) => (element.closest('.status, .board') ? this.hand : null),
      drop: (_place, piece) => this.onMove(pieceName(piece)),
    });
    makeDraggable(this.hand, {
      ...common,
      find: () => (this.hand.classList.contains('open') ? {source: this.hand, what: this.state.hand} : null),
      target: (element) => element.closest('.square.open'),
      drop: (square) => this.onMove(squareName(Number(square.dataset.square))),
    });
  }
}

function element(tag, attributes) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// Arrow keys move the focus among `items`, which lie in rows of `width`; Tab sees them as one.
function roving(items, width) {
  const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width};
  const focus = (n) => {
    for (const item of items) item.tabIndex = -1;
    items[n].tabIndex = 0;
  };
  focus(0);
  items.forEach((item, n) => {
    item.addEventListener('focus', () => focus(n));
    item.addEventListener('keydown', (event) => {
      const to = n + (step[event.key] ?? NaN);
      const sideways = Math.abs(step[event.key]) === 1;
      if (!(to in items) || (sideways && Math.floor(to / width) !== Math.floor(n / width))) return;
      event.preventDefault();
      items[to].focus();
    });
  });
}
