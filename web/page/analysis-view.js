// The analysis panel: the network's opinion beside what is true, move by move, and the mistakes made so far.

import {kSearch, kSeconds, valueName} from './analyst.js';
import {replaceKeepingFocus} from './focus.js';
import {isSquare, moveName} from './notation.js';
import {lossText} from './moves-view.js';
import {describe, drawing} from './pieces.js';
import {escaped, moverOf, nameOf, playerOf, whoText} from './seats.js';

export const kLevels = {off: 'Off', mistakes: 'Mistakes', all: 'Everything'};

const countOf = (n, what) => (n === 1 ? `One ${what}` : `${n} ${what}s`);
const percent = (x) => `${Math.round(100 * x)}%`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

const kCounted = 'placements of both players from now on, when the winner hurries and the loser delays';

// placements: how many until the end; null: not found in time, undefined: still looked for.
function badge(value, placements) {
  if (value === null) return '<span class="badge unknown" title="not solved yet">…</span>';
  const far = value === 0 || placements === undefined ? '' : placements === null ?
      ` title="not found in time in how many ${kCounted}"` : ` title="in ${placements} ${kCounted}"`;
  const text = capital(valueName(value)) + (value !== 0 && placements ? ` in ${placements}` : '');
  return `<span class="badge ${valueName(value)}"${far}>${text}</span>`;
}

function betterText({move, better}) {
  const names = better.slice(0, 3).map((m) => moveName(isSquare(move) ? 'place' : 'give', m));
  return names.join(', ') + (better.length > 3 ? ' …' : '.');
}

function outcomeBar({win, draw, loss}) {
  const text = (name, share) => (share >= 0.36 ? `${name} ${percent(share)}` : share >= 0.13 ? percent(share) : '');
  const part = (name, share) => `<span class="${name}" data-grow="${share}">${text(name, share)}</span>`;
  return `<div class="outcome" role="img" aria-label="win ${percent(win)}, draw ${percent(draw)}, loss ${percent(loss)}">${
    part('win', win)}${part('draw', draw)}${part('loss', loss)}</div>`;
}

// What the search knows: "proven draw", or how far it has come.
function searchText(search, failure) {
  if (!search) return failure ? '–' : 'searching…';
  if (search.proven !== null) return `proven ${valueName(search.proven)}`;
  return `<span class="quiet">no proof after ${search.simulations} simulations</span>`;
}

// Of one move: a proof or half of one in words, or else its share of the visits.
function searchedText({visits, proven, low, high}, all) {
  if (visits === null) return '–';
  if (proven !== null) return `proven ${valueName(proven)}`;
  if (low === 0) return 'at least a draw';
  if (high === 0) return 'at most a draw';
  return visits > 0 ? percent(visits / all) : '–';
}

function exactText(exact, failure) {
  if (failure) return `<span class="error">${escaped(failure)}</span>`;
  if (!exact) return 'solving…';
  if (exact.complete) return badge(exact.value, exact.best);
  const seconds = `${Math.round(exact.seconds)} s`;
  const open = exact.seconds >= kSeconds ? `not solved in ${seconds}` : `solving… ${seconds}`;
  return exact.value === null ? open : `${badge(exact.value)} ${open}`;
}

export class AnalysisView {
  // on: {level(name), network(name), goTo(moves), point(index or null)}
  constructor({root, level}, on) {
    this.root = root;
    this.level = level;
    level.innerHTML = Object.entries(kLevels).map(([name, text]) => `<label><input type="radio" name="level" value="${name}">
      <span>${text}</span></label>`).join('');
    level.addEventListener('change', (event) => on.level(event.target.value));
    root.addEventListener('change', (event) => {
      if (event.target.name === 'network') on.network(event.target.value);
    });
    root.addEventListener('click', (event) => {
      const jump = event.target.closest('[data-goto]');
      if (jump) on.goTo(Number(jump.dataset.goto));
      if (event.target.closest('[data-level]')) on.level('all');
    });
    root.addEventListener('pointerover', (event) => {
      const row = event.target.closest('tr[data-index]');
      on.point(row ? Number(row.dataset.index) : null);
    });
    root.addEventListener('pointerleave', () => on.point(null));
  }

  // networks: the names of those that can be asked. review: reviewOf() once the game is over, else null.
  show({level, network, networks, game, seats, entry, mistakes, pending, review}) {
    for (const input of this.level.querySelectorAll('input')) input.checked = input.value === level;
    let html = '';
    if (level === 'off') html = '<p class="quiet">Nothing is looked at.</p>';
    if (level === 'all' && entry) html = this.position({network, networks, game, seats, entry});
    if (level !== 'off' && review) html += this.review({game, seats, ...review});
    else if (level !== 'off') html += this.mistakes({game, seats, mistakes, pending});
    if (level === 'mistakes') {
      html += '<p><button type="button" class="link" data-level="all">Show the value of every move</button></p>';
    }
    if (this.html === html) return;
    this.html = html;
    replaceKeepingFocus(this.root, html, ['name', 'data-goto', 'data-level']);
    // The page's security policy allows no styles in HTML, but those that scripts set.
    for (const part of this.root.querySelectorAll('[data-grow]')) part.style.flexGrow = part.dataset.grow;
    for (const part of this.root.querySelectorAll('[data-width]')) part.style.width = part.dataset.width;
  }

  position({network, networks, game, seats, entry}) {
    const {state} = game;
    const who = escaped(game.reviewing ? moverOf(game, seats, game.at) : nameOf(seats, state.player));
    const {opinion, search, exact, failure} = entry;
    const option = (name) =>
        `<option value="${escaped(name)}"${name === network ? ' selected' : ''}>${escaped(whoText(name))}</option>`;
    return `<p class="who">For <strong>${who}</strong>, who ${who === 'You' ? `${state.phase}` : `${state.phase}s`}${
      state.phase === 'place' ? ` ${moveName('give', state.hand)}` : ''}</p>
      <dl class="verdict">
        <dt><select name="network" aria-label="Whose opinion">${
          networks.map(option).join('')}</select></dt>
        <dd>${opinion ? outcomeBar(opinion.network) : '<div class="outcome"></div>'}</dd>
        <dt>Search</dt><dd class="search">${searchText(search, failure)}</dd>
        <dt>Exact</dt><dd class="exact" data-value="${exact?.complete ? exact.value : ''}">${exactText(exact, failure)}</dd>
      </dl>
      ${this.table(state, entry, search)}`;
  }

  table(state, {opinion, exact}, search) {
    const moves = state.legal.map((index) => ({
      index,
      prior: opinion?.network.prior[index] ?? 0,
      searched: search?.moves.find((m) => m.index === index) ?? {visits: null},
      exact: exact?.values[index] ?? null,
      placements: exact?.placements?.[index],
    }));
    const visits = moves.reduce((sum, m) => sum + m.searched.visits, 0);
    const rank = (m) => (m.exact ?? 0) + m.prior / 2;
    // Among wins the shortest first, among losses the longest; what is not known is longest.
    const further = (a, b) => (a.exact !== b.exact || !exact?.placements ? 0 :
        (a.exact ?? 0) * ((a.placements ?? 99) - (b.placements ?? 99)));
    moves.sort((a, b) => further(a, b) || rank(b) - rank(a) || a.index - b.index);
    const best = Math.max(...moves.map((m) => m.exact ?? -2));
    const row = (m) => `<tr data-index="${m.index}" data-move="${moveName(state.phase, m.index)}"
        data-exact="${m.exact ?? ''}" class="${m.exact !== null && m.exact < best ? 'worse' : ''}">
      <th scope="row"${state.phase === 'give' ? ` title="${describe(m.index)}"` : ''}>${
        state.phase === 'give' ? drawing(m.index) : ''}${moveName(state.phase, m.index)}</th>
      <td class="bar"><span data-width="${percent(m.prior)}"></span><em>${percent(m.prior)}</em></td>
      <td class="number">${searchedText(m.searched, visits)}</td>
      <td>${badge(m.exact, m.placements)}</td></tr>`;
    return `<table><thead><tr><th scope="col">${state.phase === 'give' ? 'Give' : 'Place'}</th>
      <th scope="col" title="the network's first sight">Network</th>
      <th scope="col" title="what a search of ${kSearch} simulations has proven, else its shares">Search</th>
      <th scope="col" title="by the solver: proven; in how many ${kCounted}">Exact</th></tr></thead><tbody>${moves.map(row).join('')}</tbody></table>`;
  }

  mistakes({game, seats, mistakes, pending}) {
    if (game.moves.length === 0) return '<p class="quiet">Every move will be compared with the exact values.</p>';
    const rest = pending > 0 ? ` <span class="quiet">(${pending} still to be solved)</span>` : '';
    if (mistakes.length === 0) return `<p class="tally">No mistake so far.${rest}</p>`;
    return `<p class="tally">${countOf(mistakes.length, 'mistake')} so far:${rest}</p>${this.list(game, seats, mistakes)}`;
  }

  // After the game: a line for each player, then every mistake.
  review({game, seats, players, mistakes, pending, unsolved}) {
    const open = [pending > 0 ? `${countOf(pending, 'decision')} still to be solved` : '',
                  unsolved > 0 ? `${countOf(unsolved, 'decision')} not solved in time` : ''].filter(Boolean);
    const row = ({decisions, kept, mistakes: draws, blunders}, i) => `<tr><th scope="row">${escaped(playerOf(game, seats, i))}</th>
      <td>${kept} of ${decisions}</td><td>${draws}</td><td>${blunders}</td></tr>`;
    const table = `<table class="review"><thead><tr><th scope="col">Review</th>
      <th scope="col" title="decisions that kept the exact value">Kept</th>
      <th scope="col" title="a win turned into a draw">Mistakes</th>
      <th scope="col" title="a win or a draw turned into a loss">Blunders</th></tr></thead><tbody>${
      players.map(row).join('')}</tbody></table>`;
    const rest = open.length > 0 ? `<p class="quiet" id="review-open">${open.join(', ')}.</p>` : '';
    const head = mistakes.length > 0 ? `<p class="tally">${countOf(mistakes.length, 'mistake')} in this game:</p>` :
        pending > 0 ? '' : '<p class="tally">No mistake in this game.</p>';
    return table + rest + head + this.list(game, seats, mistakes, game.at);
  }

  list(game, seats, mistakes, at = null) {
    if (mistakes.length === 0) return '';
    const items = mistakes.map((m) => `<li${m.n === at ? ' class="current"' : ''}><button type="button" class="link"
      data-goto="${m.n}" aria-label="Look at the position before ${m.move}">${m.move}</button>
      ${escaped(moverOf(game, seats, m.n))} turned ${lossText(m)}. <span class="quiet">Better: ${betterText(m)}</span></li>`);
    return `<ol class="mistakes">${items.join('')}</ol>`;
  }
}
