// One game of self-play of each iteration, on a board; on request with the exact value of every move, which the server
// computes.

import {indexOf, pieceName, squareName} from './notation.js';
import {addShades, describe, drawing} from './pieces.js';
import {element} from './plots.js';

const kAnalysis = new URL('/api/v1/analysis', location.href);

// "0 a1 7 c2 ...", or "POSITION : C c2 ...". {board, hand, moves}
export function parseGame(text) {
  const [start, rest] = text.includes(':') ? text.split(':') : ['..../..../..../.... -', text];
  const [rows, hand] = start.trim().split(' ');
  const board = [...rows.replaceAll('/', '')].map((c) => (c === '.' ? null : parseInt(c, 16)));
  return {board, hand: hand === '-' ? null : parseInt(hand, 16), moves: rest.trim().split(/\s+/).filter((m) => m)};
}

// The position after the first `ply` moves: {board, hand, last}
export function positionAt(game, ply) {
  const board = [...game.board];
  let hand = game.hand, last = null;
  for (const move of game.moves.slice(0, ply)) {
    if (hand === null) {
      hand = indexOf(move);
      last = null;
    } else {
      last = indexOf(move);
      board[last] = hand;
      hand = null;
    }
  }
  return {board, hand, last};
}

export function positionText({board, hand}) {
  const letter = (p) => (p === null ? '.' : pieceName(p));
  const rows = [0, 4, 8, 12].map((i) => board.slice(i, i + 4).map(letter).join(''));
  return `${rows.join('/')} ${hand === null ? '-' : letter(hand)}`;
}

export class GameView {
  constructor(root) {
    this.root = root;
    addShades();
    const find = (id) => document.getElementById(`game-${id}`);
    Object.assign(this, {
      run: find('run'), iteration: find('iteration'), board: find('board'), moves: find('moves'), said: find('said'), result: find('result'),
      note: find('note'), values: find('values'), back: find('back'), forward: find('forward'),
    });
    this.squares = [];
    for (let s = 0; s < 16; ++s) {
      const square = this.board.appendChild(element('div', 'game-square'));
      square.dataset.name = squareName(s);
      this.squares.push(square);
    }
    this.hand = this.board.appendChild(element('div', 'game-hand'));
    this.run.addEventListener('change', () => {
      this.chosen = true;
      this.choose();
    });
    this.iteration.addEventListener('change', () => {
      this.follow = this.iteration.selectedIndex === 0;
      this.load();
    });
    const look = (ply) => {
      this.follow = false;
      this.go(ply);
    };
    this.look = look;
    this.back.addEventListener('click', () => look(this.ply - 1));
    this.forward.addEventListener('click', () => look(this.ply + 1));
    this.values.addEventListener('click', () => {
      this.follow = false;
      this.evaluate();
    });
    this.follow = true;  // the newest game, until somebody looks at one
    this.chosen = false;  // whether somebody has chosen the run
  }

  // runs: those that are selected
  show(runs) {
    this.runs = runs.filter(({lines}) => lines.some(({game}) => game));
    this.root.hidden = this.runs.length === 0;
    if (this.root.hidden) return;
    const names = this.runs.map(({name}) => name);
    // The first run, whichever was read first, until somebody chooses another or looks at a game.
    const keeps = (this.chosen || !this.follow) && names.includes(this.run.value);
    const wanted = keeps ? this.run.value : names[0];
    fill(this.run, names);
    this.run.value = wanted;
    this.choose();
  }

  choose() {
    const run = this.runs.find(({name}) => name === this.run.value);
    const games = run.lines.filter(({game}) => game).slice(-500).reverse();
    const before = this.iteration.value;
    fill(this.iteration, games.map(({iteration}) => String(iteration)));
    const kept = !this.follow && games.some(({iteration}) => String(iteration) === before);
    if (kept) this.iteration.value = before;
    this.rules = run.config?.['network.rules'] ?? 'lines';
    this.games = games;
    this.load();
  }

  load() {
    const {game: text, game_result: result, iteration} = this.games[this.iteration.selectedIndex];
    const key = `${this.run.value} ${iteration} ${text}`;
    if (key === this.key) return;
    this.key = key;
    this.asking?.abort();
    this.game = parseGame(text);
    this.judged = [];
    this.note.textContent = '';
    this.result.textContent = result ? `Result: ${result}` : '';  // runs of older versions do not say it
    this.values.disabled = false;
    this.go(this.game.moves.length);
  }

  go(ply) {
    this.ply = Math.max(0, Math.min(this.game.moves.length, ply));
    const position = positionAt(this.game, this.ply);
    this.squares.forEach((square, s) => {
      const piece = position.board[s];
      square.innerHTML = piece === null ? '' : drawing(piece);
      square.dataset.piece = piece === null ? '' : pieceName(piece);
      square.classList.toggle('last', s === position.last);
    });
    this.hand.innerHTML = position.hand === null ? '' : drawing(position.hand);
    this.hand.dataset.piece = position.hand === null ? '' : pieceName(position.hand);
    this.board.setAttribute('aria-label', `${positionText(position)}${position.hand === null ? '' : `, in hand: ${describe(position.hand)}`}`);
    this.back.disabled = this.ply === 0;
    this.forward.disabled = this.ply === this.game.moves.length;
    this.list();
  }

  // The buttons of a game are made once, so that the keyboard's focus stays on one while values arrive.
  list() {
    if (this.listed !== this.game) {
      this.listed = this.game;
      this.buttons = this.game.moves.map((move, i) => {
        const button = element('button', 'game-move');
        button.type = 'button';
        button.addEventListener('click', () => this.look(i + 1));
        return button;
      });
      this.moves.replaceChildren(...this.buttons.map((button) => {
        const item = element('li');
        item.append(button);
        return item;
      }));
    }
    this.buttons.forEach((button, i) => {
      const judged = this.judged[i];
      button.replaceChildren(this.game.moves[i]);
      if (i + 1 === this.ply) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
      if (!judged) return;
      button.dataset.value = judged.value;
      button.append(element('small', '', judged.lost ? `${judged.value}, ${judged.best} thrown away` : judged.value));
      button.classList.toggle('mistake', judged.lost);
    });
    const judged = this.judged[this.ply - 1];
    const move = this.game.moves[this.ply - 1];
    this.said.textContent = !move ? 'the start' :
        `${move}${judged ? `: ${judged.value} for whoever made it${judged.lost ? `, where ${judged.better} keeps the ${judged.best}` : ''}` : ''}`;
  }

  // From the end to the start: early positions take long, and the server says which it could not solve.
  async evaluate() {
    this.asking?.abort();
    this.asking = new AbortController();
    const {signal} = this.asking;
    const {game} = this;
    this.values.disabled = true;
    for (let i = game.moves.length - 1; i >= 0; --i) {
      this.note.textContent = `solving, ${game.moves.length - i} of ${game.moves.length} positions…`;
      let judged;
      try {
        judged = await judge(positionAt(game, i), game.moves[i], this.rules, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.note.textContent = `No exact values: ${error.message}`;
        this.values.disabled = false;
        return;
      }
      if (!judged) {
        this.note.textContent = `Exact values from move ${i + 2} on; what comes before takes longer than the server may think.`;
        return;
      }
      this.judged[i] = judged;
      this.note.textContent = '';
      this.list();
    }
  }
}

// {value, best, better, lost}, or null if the server could not solve it in time.
async function judge(position, move, rules, signal) {
  const response = await fetch(kAnalysis, {
    method: 'POST',
    signal,
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({position: positionText(position), rules, network: 'uniform', simulations: 0, exact: true}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? `the server answered ${response.status}`);
  const {exact, moves} = answer;
  const made = moves.find((m) => m.move === move);
  if (!exact?.complete || !made?.exact) return null;
  return {
    value: made.exact,
    best: exact.value,
    better: moves.filter((m) => m.exact === exact.value).map((m) => m.move).slice(0, 3).join(' or '),
    lost: made.exact !== exact.value,
  };
}

function fill(select, values) {
  if ([...select.options].map(({value}) => value).join('\n') === values.join('\n')) return;
  select.replaceChildren(...values.map((value) => new Option(value, value)));
}
