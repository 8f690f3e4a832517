// The page: makes the parts and has each show what the others did.

import {fromAddress, toAddress} from './address.js';
import {AnalysisView} from './analysis-view.js';
import {Analyst} from './analyst.js';
import {loadEngines} from './assets.js';
import {BoardView} from './board.js';
import {ClocksView} from './clocks-view.js';
import {kClocks, loadClock, storeClock} from './clock.js';
import {splitGameText} from './game.js';
import {hintFrom} from './hint.js';
import {listenToKeys} from './keyboard.js';
import {Match} from './match.js';
import {mistakesOf, MovesView} from './moves-view.js';
import {NetworksView, sizeText} from './networks-view.js';
import {indexOf, isSquare} from './notation.js';
import {keepForOffline} from './offline.js';
import {acceptDrops, bytesOfFile, forget, keep, kept, nameOfFile} from './own-networks.js';
import {pictureOf} from './picture.js';
import {Players} from './players.js';
import {reviewOf} from './review.js';
import {kRules, kRuleSets} from './rules.js';
import {isHuman, kHuman, kPeople, loadSeats, storeSeats, whoText} from './seats.js';
import {SeatsView} from './seats-view.js';
import {findServer} from './server.js';
import {share} from './share.js';
import {newsText, turnText} from './status.js';
import {loadView, mirrored, storeView, turned} from './symmetry.js';

const $ = (id) => document.getElementById(id);

const kPatienceMs = 2000;  // for what the browser keeps
const after = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

const page = {
  level: null,  // how much analysis to show; null: as it suits the moment
  network: null,  // whose opinion; null: as the rules have it
  view: loadView(),  // by which symmetry the board is seen
  hints: [],
  notice: '',  // something to say until the next move
};

async function start() {
  // What does not depend on each other is asked for side by side. The page does not need its own networks to begin.
  const own = kept();
  const [{engine, player, analyst, networks}, server, early] = await Promise.all(
      [loadEngines(), findServer(), Promise.race([own, after(kPatienceMs, null)])]);
  page.workers = [player, analyst];
  page.players = new Players({
    levels: Object.fromEntries(kRules.map((rules) => [rules, engine.levels(rules)])),
    networks,
  });
  for (const network of server?.networks ?? []) page.players.add(network, 'server');
  await addKept(early ?? []);
  const match = page.match = new Match({
    engine,
    players: page.players,
    ask: (request, options) => (request.seat.server ? server : player).ask('move', request, options),
    rules: rulesOfAddress(),
    seats: seatsAtFirst(server),
    clock: loadClock(),
    onChange: () => changed(),
    onTrouble: (message) => say(`The engine failed: ${message}`),
  });
  page.analyst = new Analyst(analyst, () => show());
  page.board = new BoardView({board: $('board'), tray: $('tray'), hand: $('hand')}, page.view, (move) => match.play(move));
  page.clocks = new ClocksView($('clocks'));
  page.moves = new MovesView($('moves'), (n) => match.goTo(n));
  const sitting = {players: page.players, seats: match.seats, rules: match.game.rules};
  page.seatsView = new SeatsView($('seats'), sitting, (seats) => {
    storeSeats(seats);
    match.setSeats(seats);
  });
  page.networksView = new NetworksView($('own-networks'), page.players, (name) => removeNetwork(name));
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
  connectSettings(match);
  window.addEventListener('hashchange', () => readAddress());
  if (!readAddress()) match.newGame();
  setInterval(() => {
    match.checkTime();
    page.clocks.show(match);
  }, 100);
  if (!early) own.then(addKept).then(() => changed());
  performance.mark('ready');
  document.documentElement.dataset.ready = 'true';
  keepForOffline((use) => {
    $('newer').hidden = false;
    $('use-newer').addEventListener('click', use);
  });
}

// ?against=NAME, to which the dashboard of training runs links: a network of this server as the opponent.
function seatsAtFirst(server) {
  const seats = loadSeats();
  const name = `server:${new URLSearchParams(location.search).get('against')}`;
  if (!server?.networks.some((network) => network.name === name)) return seats;
  return [{...seats[0], who: kHuman}, {...seats[1], who: name, simulations: 32, exact: false}];
}

function connectButtons(match) {
  const actions = {
    'new-game': () => match.newGame(),
    undo: () => match.undo(),
    hint: () => hint(),
    pause: () => takingTurns('pause', 'resume', () => match.pause()),
    resume: () => takingTurns('resume', 'pause', () => match.resume()),
    review: () => review(),
    back: () => match.goTo(match.game.at - 1),
    forward: () => match.goTo(match.game.at + 1),
    copy: () => copy(match.game.toText(), 'Copied.'),
    link: () => copy(location.href, 'The link to this game is copied.'),
    paste: () => openPaste(),
    'turn-board': () => see(turned(page.view)),
    'mirror-board': () => see(mirrored(page.view)),
    picture: () => sharePicture(),
    'help-button': () => {
      $('help').showModal();  // it gives the focus to its button, which is at the end
      $('help').scrollTop = 0;
    },
  };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener('click', action);
  listenToKeys({
    phase: () => match.game.state.phase,
    position: () => match.game.state.position,
    play: (move) => match.play(move),
    press: (id) => {
      const button = $(id === 'pause' && match.held ? 'resume' : id);
      if (!button.hidden && !button.disabled) button.click();
    },
  });
  // Pasted anywhere else, a game is put up at once.
  window.addEventListener('paste', (event) => {
    if (event.target.closest?.('input, textarea, dialog')) return;
    try {
      putUp(event.clipboardData.getData('text'));
    } catch (error) {
      say(`What was pasted is no game: ${error.message}`);
    }
  });
  $('paste-cancel').addEventListener('click', () => $('paste-dialog').close());
  $('paste-dialog').querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    try {
      putUp($('paste-text').value);
      $('paste-dialog').close();
    } catch (error) {
      $('paste-error').textContent = error.message;
    }
  });
}

// Two buttons of which one is there at a time: the other one gets the keyboard's focus.
function takingTurns(pressed, next, action) {
  const focused = document.activeElement === $(pressed);
  action();
  if (focused && !$(next).hidden) $(next).focus();
}

function connectSettings(match) {
  const option = (name, text) => `<option value="${name}">${text}</option>`;
  $('rules').innerHTML = Object.entries(kRuleSets).map(([name, {title}]) => option(name, title)).join('');
  $('rules').addEventListener('change', (event) => match.newGame(event.target.value));
  $('clock').innerHTML = Object.entries(kClocks).map(([name, {text}]) => option(name, text)).join('');
  $('clock').addEventListener('change', (event) => {
    storeClock(event.target.value);
    match.setClock(event.target.value);
  });
  $('add-network').addEventListener('click', () => $('network-file').click());
  $('network-file').addEventListener('change', async (event) => {
    await addFiles([...event.target.files]);
    event.target.value = '';  // so that the same file can be chosen again
  });
  acceptDrops(document.body, addFiles);
}

// Throws Error if the text holds no game: a list of moves, a position, both, or the link to one.
function putUp(text) {
  const link = /^\s*https?:\S*?(#\S*)\s*$/.exec(text);
  const game = link ? fromAddress(link[1]) : splitGameText(text);
  if (!game) throw new Error('the link leads to no game');
  page.match.load(game.start, game.moves, game.rules);
}

// Both workers learn the network. Returns its description; throws Error if it is none.
async function addNetwork(name, bytes) {
  page.analyst?.giveWay();
  const asked = page.workers.map((worker) => worker.ask('add', {name, bytes}));
  const [network] = await Promise.all(asked).finally(() => page.analyst?.goOn());
  page.analyst?.forget(name);
  page.players.add(network, 'own');
  return network;
}

// One that this version of the page cannot read stays where it is, and is not offered.
async function addKept(networks) {
  for (const {name, bytes} of networks) await addNetwork(name, bytes).catch(() => {});
}

async function addFiles(files) {
  const {match} = page;
  for (const file of files) {
    const name = nameOfFile(file);
    try {
      const bytes = await bytesOfFile(file);
      const network = await addNetwork(name, bytes);
      const stays = await keep({name, bytes});
      const what = `${whoText(name)}: a network of ${sizeText(network)}`;
      const later = stays ? '' : ' This browser will not keep it.';
      if (network.rules !== match.game.rules) {
        // It may have taken the place of one at the board.
        match.setSeats(match.seats.map((seat) => page.players.seatFor(seat, match.game.rules)));
        say(`${what} for the rules '${network.rules}'; it is offered under these.${later}`);
        continue;
      }
      // In the place of an engine, if there is one.
      const index = isHuman(match.seats[1]) && !isHuman(match.seats[0]) ? 0 : 1;
      match.setSeats(match.seats.map((seat, i) => (i === index ? {who: name, simulations: 32, exact: false} : seat)));
      storeSeats(match.seats);
      say(`${what}. It sits at the board now.${later}`);
    } catch (error) {
      say(`${file.name} cannot be used: ${error.message}`);
    }
  }
}

function removeNetwork(name) {
  const {match, players} = page;
  players.remove(name);
  forget(name);
  page.analyst.forget(name);
  if (page.network === name) page.network = null;
  match.setSeats(match.seats.map((seat) => players.seatFor(seat, match.game.rules)));
  storeSeats(match.seats);
}

// Whose opinion is shown, and whose hints are given.
function adviser() {
  return page.players.adviser(page.match.game.rules, page.network);
}

// After every move and every setting.
function changed() {
  const {match, analyst} = page;
  const {game} = match;
  page.hints = [];
  page.notice = '';
  const address = toAddress(game);
  // With the number of moves that were made elsewhere, for a reload: it keeps who made the others.
  if (address !== location.hash || (history.state?.loaded ?? 0) !== game.loaded)
    history.replaceState({loaded: game.loaded}, '', address || location.pathname + location.search);
  analyst.want(level() === 'off' ? [] : positionsToAnalyse(game), adviser(), game.rules);
  page.seatsView.show(match.seats, game.rules);
  page.networksView.show();
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
  const spoils = match.seats.some(isHuman) && !match.finished;
  return spoils ? 'mistakes' : 'all';
}

function show() {
  const {match, analyst, hints, players} = page;
  const {game, seats} = match;
  const {state, rules} = game;
  const network = adviser();
  const mistakes = level() === 'off' ? [] : mistakesOf(game, analyst);
  const tally = game.moves.length > 0 ? reviewOf(game, analyst, network) : null;
  const entry = match.over ? null : analyst.about(state.position, network);
  const values = level() === 'all' ? entry?.exact?.values ?? null : null;
  const review = match.finished ? tally : null;

  page.board.show({state, can: match.humanToAct, last: lastPlace(game), values, hints});
  page.clocks.show(match);
  page.moves.show({game, seats, mistakes});
  page.analysis.show({
    level: level(), network, networks: players.localUnder(rules), game, seats, entry, mistakes, review,
    pending: tally?.pending ?? 0,
  });

  $('turn').textContent = turnText(match);
  const news = newsText({match, mistakes, notice: page.notice});
  if ($('news').textContent !== news.text) $('news').textContent = news.text;
  $('news').dataset.kind = news.kind;
  document.body.dataset.over = String(match.over);
  $('rule').textContent = kRuleSets[rules].rule;
  $('rules').value = rules;
  $('clock').value = match.clockName;
  $('undo').disabled = !match.canUndo;
  $('hint').disabled = !match.humanToAct;
  $('pause').hidden = !match.watching || match.over || match.held;
  $('resume').hidden = !match.held;
  $('review').hidden = !review || !match.over || review.mistakes.length === 0;
  $('back').disabled = game.at === 0;
  $('forward').disabled = !game.reviewing;
  $('copy').disabled = game.moves.length === 0 && game.emptyStart;
}

function lastPlace(game) {
  const places = game.moves.slice(0, game.at).filter(isSquare);
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
    const found = await hintFrom(analyst, position, match.game.rules, adviser());
    if (match.game.state.position !== position) return;
    page.hints = [indexOf(found.move)];
    say(found.text);
  } catch (error) {
    say(`No hint: ${error.message}`);
  }
}

function see(view) {
  page.view = view;
  storeView(view);
  page.board.turn(view);
  show();
}

// The position before the first mistake, and the list of all.
function review() {
  const {match, analyst} = page;
  const [first] = mistakesOf(match.game, analyst);
  if (page.level === 'off') page.level = null;
  if (first) match.goTo(first.n);
  document.querySelector('.analysis').scrollIntoView({block: 'nearest'});
  $('board').scrollIntoView({block: 'nearest'});  // on a phone the analysis is below it
}

function rulesOfAddress() {
  try {
    return fromAddress(location.hash)?.rules ?? kRules[0];
  } catch {
    return kRules[0];  // what is wrong with it will be told by readAddress()
  }
}

// False if the address names no game.
function readAddress() {
  const {match} = page;
  try {
    const game = fromAddress(location.hash);
    if (!game) return false;
    match.load(game.start, game.moves, game.rules, history.state?.loaded);
    // An address that only says which rules begins a game.
    if (match.game.moves.length === 0 && match.game.emptyStart) match.resume();
  } catch (error) {
    // The board stays as it is, or begins anew; the address then says what is on it.
    match.change(() => {});
    say(`The address holds no game: ${error.message}`);
  }
  return true;
}

async function copy(text, notice) {
  try {
    await navigator.clipboard.writeText(text);
    say(notice);
  } catch {
    openPaste(text);  // without the right to the clipboard: here it is, to be copied by hand
  }
}

// Whoever gets it knows the players as the first and the second: "you" would be somebody else.
async function sharePicture() {
  const {game, late} = page.match;
  const text = turnText({game, late, seats: kPeople, humanToAct: true, held: false});
  try {
    const notice = await share(pictureOf(page.board, text), 'quarto.png');
    if (notice) say(notice);
  } catch (error) {
    say(`There is no picture: ${error.message}`);
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
