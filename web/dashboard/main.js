// The dashboard: runs as they go.

import {GameView} from './game-view.js';
import {Plots} from './plots.js';
import {RunsView} from './runs-view.js';
import {kAxes} from './series.js';
import {showSettings} from './settings-view.js';
import {Source} from './source.js';

const byId = (id) => document.getElementById(id);
const axis = byId('axis');
axis.append(...kAxes.map(({key, name}) => new Option(name, key)));

const plots = new Plots(byId('plots'));
const game = new GameView(byId('game'));
const list = new RunsView(byId('runs'), byId('no-runs'), () => selected());
const source = new Source(() => changed(), (connected) => {
  byId('connection').textContent = connected ? 'Live' : 'The server does not answer; trying again…';
  byId('connection').dataset.connected = String(connected);
});
fetch(new URL('../server.json', location.href)).then((response) => response.json()).then(({page}) => {
  list.canPlay = page ?? false;
  changed();
}).catch(() => {});
axis.addEventListener('change', () => draw());

function changed() {
  list.show(source.runs);
  const names = list.selected();
  if (names.some((name) => !source.shown.has(name)) || names.length !== source.shown.size) source.show(names);
  draw();
  document.documentElement.dataset.ready = '';
}

function selected() {
  source.show(list.selected());
  draw();
}

let waiting = false;
function draw() {
  if (waiting) return;  // several changes at once are drawn once
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    const runs = list.selected().map((name) => ({...source.runs.get(name), ...list.items.get(name).look}));
    plots.show(runs, kAxes.find(({key}) => key === axis.value));
    showSettings(byId('settings'), runs);
    game.show(runs);
  });
}
