// The page: makes the parts and has each show what the others did.

import {fromAddress, toAddress} from './address.js';
import {AnalysisView} from './analysis-view.js';
import {Analyst} from './analyst.js';
import {loadEngines} from './assets.js';
import {BoardView} from './board.js';
import {indexOf, splitGameText} from './game.js';
import {hintFrom} from './hint.js';
import {listenToKeys} from './keyboard.js';
import {Match} from './match.js';
import {mistakesOf, MovesView} from './moves-view.js';
import {loadSeats, storeSeats} from './seats.js';
import {SeatsView} from './seats-view.js';
import {newsText, turnText} from './status.js';

const $ = (id) => document.getElementById(id);

const page = {
  level: null,  // how much analysis to show; null: as it suits the moment
  network: 'zero',
  hints: [],
  notice: '',  // something to say until the next move
};

async function start() {
  const {rules, player, analyst: analystRemote} = await loadEngines();
  const match = page.match = new Match({
    rules,
    player,
    seats: loadSeats(),
    onChange: () => changed(),
    onTrouble: (message) => say(`The engine failed: ${message}`),
  });
  page.analyst = new Analyst(analystRemote, () => show());
  page.board = new BoardView({board: $('board'), tray: $('tray'), hand: $('hand')}, (move) => match.play(move));
  page.moves = new MovesView($('moves'), (n) => match.goTo(n));
  page.seatsView = new SeatsView($('seats'), match.seats, (seats) => {
    storeSeats(seats);
    match.setSeats(seats);
  });
  page.analysis = new AnalysisView({root: $('analysis'), level: $('analysis-level')}, {
    level: (level) => {
      page.level = level;
      changed();
    },
    network: (network) => {
      page.network = network;
      changed();
    },
    goTo: (n) => match.goTo(n),
    point: (index) => page.board.point(match.game.state.phase, index),
  });
  connectButtons(match);
  window.addEventListener('hashchange', () => readAddress());
  if (!readAddress()) match.newGame();
  performance.mark('ready');
  document.documentElement.dataset.ready = 'true';
}

function connectButtons(match) {
  const actions = {
    'new-game': () => match.newGame(),
    undo: () => match.undo(),
    hint: () => hint(),
    pause: () => match.pause(),
    resume: () => match.resume(),
    back: () => match.goTo(match.game.at - 1),
    forward: () => match.goTo(match.game.at + 1),
    copy: () => copy(),
    paste: () => openPaste(),
    'help-button': () => $('help').showModal(),
  };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener('click', action);
  listenToKeys({
    phase: () => match.game.state.phase,
    play: (move) => match.play(move),
    press: (id) => {
      const button = $(id === 'pause' && match.held ? 'resume' : id);
      if (!button.hidden && !button.disabled) button.click();
    },
  });
  // Pasted anywhere else, a game is put up at once.
  window.addEventListener('paste', (event) => {
    if (event.target.closest?.('input, textarea, dialog')) return;
    const text = event.clipboardData.getData('text');
    try {
      const {start, moves} = splitGameText(text);
      match.load(start, moves);
    } catch (error) {
      say(`What was pasted is no game: ${error.message}`);
    }
  });
  $('paste-cancel').addEventListener('click', () => $('paste-dialog').close());
  $('paste-dialog').querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    try {
      const {start, moves} = splitGameText($('paste-text').value);
      match.load(start, moves);
      $('paste-dialog').close();
    } catch (error) {
      $('paste-error').textContent = error.message;
    }
  });
}

// After every move and every setting.
function changed() {
  const {match, analyst} = page;
  const {game} = match;
  page.hints = [];
  page.notice = '';
  const address = toAddress(game);
  if (address !== location.hash) history.replaceState(null, '', address || location.pathname + location.search);
  analyst.want(level() === 'off' ? [] : positionsToAnalyse(game), page.network);
  show();
}

function positionsToAnalyse(game) {
  const past = game.moves.map((_, n) => game.stateAt(n)).reverse();
  return [game.state, ...past].filter((state) => !state.over).map((state) => state.position);
}

// Someone who plays is not told the best move unasked.
function level() {
  const {match} = page;
  if (page.level) return page.level;
  const spoils = match.seats.some((seat) => seat.who === 'human') && !match.game.state.over;
  return spoils ? 'mistakes' : 'all';
}

function show() {
  const {match, analyst, hints} = page;
  const {game, seats} = match;
  const {state} = game;
  const mistakes = level() === 'off' ? [] : mistakesOf(game, analyst);
  const pending = game.moves.filter((_, n) => !analyst.exactOf(game.stateAt(n).position)?.complete).length;
  const entry = state.over ? null : analyst.about(state.position, page.network);
  const values = level() === 'all' ? entry?.exact?.values ?? null : null;

  page.board.show({state, can: match.humanToAct, last: lastPlace(game), values, hints});
  page.moves.show({game, seats, mistakes});
  page.analysis.show({level: level(), network: page.network, game, seats, entry, mistakes, pending});

  $('turn').textContent = turnText(match);
  const news = newsText({match, mistakes, notice: page.notice});
  if ($('news').textContent !== news.text) $('news').textContent = news.text;
  $('news').dataset.kind = news.kind;
  document.body.dataset.over = String(state.over);
  $('undo').disabled = !match.canUndo;
  $('hint').disabled = !match.humanToAct;
  $('pause').hidden = !match.watching || state.over || match.held;
  $('resume').hidden = !match.held;
  $('back').disabled = game.at === 0;
  $('forward').disabled = !game.reviewing;
  $('copy').disabled = game.moves.length === 0 && game.emptyStart;
}

function lastPlace(game) {
  const places = game.moves.slice(0, game.at).filter((move) => move.length === 2);
  return places.at(-1) ?? null;
}

function say(notice) {
  page.notice = notice;
  show();
}

async function hint() {
  const {match, analyst} = page;
  const {position} = match.game.state;
  if (!match.humanToAct) return;
  say('Looking…');
  try {
    const found = await hintFrom(analyst, position, page.network);
    if (match.game.state.position !== position) return;
    page.hints = [indexOf(found.move)];
    say(found.text);
  } catch (error) {
    say(`No hint: ${error.message}`);
  }
}

// False if the address names no game.
function readAddress() {
  try {
    const game = fromAddress(location.hash);
    if (!game) return false;
    page.match.load(game.start, game.moves);
  } catch (error) {
    // The board stays as it is, or begins anew; the address then says what is on it.
    page.match.change(() => {});
    say(`The address holds no game: ${error.message}`);
  }
  return true;
}

async function copy() {
  const text = page.match.game.toText();
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    openPaste(text);  // without the right to the clipboard: here it is, to be copied by hand
  }
}

function openPaste(text = '') {
  $('paste-text').value = text;
  $('paste-error').textContent = '';
  $('paste-dialog').showModal();
  $('paste-text').select();
}

start().catch((error) => {
  $('turn').textContent = 'The page could not start.';
  $('news').textContent = error.message;
  $('news').dataset.kind = 'error';
});
