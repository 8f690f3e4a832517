// The list of runs: which are drawn, in which colour, how each goes.

import {element} from './plots.js';

// Okabe and Ito's colours, which people with any colour vision can tell apart; dashed from the ninth run on.
const kColours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b08a00', '#56b4e9', '#8a5a2b', '#7f7f7f'];

const kMostAtFirst = 4;

export function lookOf(index) {
  return {index, colour: kColours[index % kColours.length], dash: index < kColours.length ? undefined : [6, 4]};
}

export class RunsView {
  // onSelect(): another selection.
  constructor(list, empty, onSelect) {
    Object.assign(this, {list, empty, onSelect});
    this.canPlay = null;  // whether the server has the page to play on, too; null: it has not said so yet
    this.items = new Map();
    this.chosen = new Map();  // by name: what the user said, or what was decided at first
    setInterval(() => this.tick(), 1000);
  }

  selected() { return [...this.items].filter(([, {box}]) => box.checked).map(([name]) => name); }

  show(runs) {
    this.runs = runs;
    this.empty.hidden = runs.size > 0;
    for (const [name, {item}] of this.items) {
      if (!runs.has(name)) {
        item.remove();
        this.items.delete(name);
      }
    }
    const ordered = new Map();
    // Without a word from the user those that had been written last when the page saw them first, but not more than can
    // be told apart.
    const latest = [...runs.values()].sort((a, b) => b.updated - a.updated).slice(0, kMostAtFirst).map(({name}) => name);
    for (const name of runs.keys()) {
      if (this.chosen.has(name)) continue;
      const drawn = [...runs.keys()].filter((known) => this.chosen.get(known)).length;
      this.chosen.set(name, latest.includes(name) && drawn < kMostAtFirst);
    }
    for (const [name, run] of runs) {
      if (!this.items.has(name)) this.items.set(name, this.make(name));
      const entry = this.items.get(name);
      entry.box.checked = this.chosen.get(name);
      this.fill(entry, run);
      ordered.set(name, entry);
    }
    this.items = ordered;
    // Items stay where they are, so that the focus stays.
    [...ordered.values()].forEach(({item}, i) => {
      if (this.list.children[i] !== item) this.list.insertBefore(item, this.list.children[i] ?? null);
    });
    this.tick();
  }

  make(name) {
    const item = element('li', 'run');
    const label = element('label', 'run-name');
    const box = element('input');
    box.type = 'checkbox';
    box.name = name;
    const swatch = element('i', 'swatch');
    label.append(box, swatch, element('span', '', name));
    const state = element('span', 'state');
    const facts = element('p', 'facts'), limit = element('p', 'quiet limit'), problem = element('p', 'problem');
    const age = element('span', 'quiet age');
    const play = element('a', 'play', 'Play against it');
    const how = element('details', 'play');
    how.append(element('summary', '', 'Play against it'),
               'This server has no page to play on. Make one with ', element('code', '', 'make web'),
               ' and start the server with ', element('code', '', '--web build-web'), ' too, or play in a terminal: ',
               element('code', '', `quartozero play --opponent net:DIR/${name}/best`), ', where DIR is the folder that holds ',
               element('code', '', `${name}/`), '.');
    play.hidden = how.hidden = true;
    item.append(label, state, age, facts, limit, problem, play, how);
    box.addEventListener('change', () => {
      this.chosen.set(name, box.checked);
      this.onSelect();
    });
    return {item, box, swatch, state, age, facts, limit, problem, play, how, look: lookOf(this.freeLook())};
  }

  // The first look that no run has, so that those that are there keep theirs when others come.
  freeLook() {
    const taken = new Set([...this.items.values()].map(({look}) => look.index));
    let index = 0;
    while (taken.has(index)) ++index;
    return index;
  }

  fill(entry, run) {
    const {swatch, state, facts, limit, problem, play, how, look} = entry;
    play.hidden = !this.canPlay || !run.playable;
    how.hidden = this.canPlay !== false || !run.playable;
    const rules = run.config?.['network.rules'] === 'squares' ? '#r=squares' : '';
    play.href = `../?against=${encodeURIComponent(run.network)}${rules}`;
    swatch.style.background = look.colour;
    swatch.classList.toggle('dashed', look.dash !== undefined);
    state.textContent = run.state;
    state.dataset.state = run.state;
    const last = run.last ?? {};
    const parts = [];
    if (last.iteration !== undefined) parts.push(`iteration ${last.iteration}`);
    if (last.seconds !== undefined) parts.push(duration(last.seconds));
    if (last.games !== undefined) parts.push(`${last.games.toLocaleString('en')} games`);
    for (const [suite, share] of Object.entries(run.agreement ?? {})) parts.push(`${suite} ${(100 * share).toFixed(1)}%`);
    facts.textContent = parts.join(' · ') || 'nothing measured yet';
    limit.textContent = run.state === 'running' ? last.limit ?? '' : '';
    problem.textContent = run.problem ?? '';
  }

  tick() {
    for (const [name, {age}] of this.items) {
      const {updated} = this.runs.get(name);
      age.textContent = updated === 0 ? '' : `${duration(Math.max(0, Date.now() / 1000 - updated))} ago`;
    }
  }
}

function duration(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 3600) return `${Math.round(s / 60)} min`;
  if (s < 48 * 3600) return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
  return `${Math.floor(s / 86400)} days`;
}
