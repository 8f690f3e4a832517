// Who plays, under which rules, and by which clock: levels, own networks, hints, the review, links.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';

import {
  finish, hash, kClipboard, moves, news, paste, reload, seat, shoot, turn, twoPeople, visits, waitForEnd, waitForMoves,
  ways,
} from './browser.js';
import {kRoot} from './positions.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'quartozero-networks-'));
const {browser, visit} = visits();
after(() => fs.rmSync(folder, {recursive: true, force: true}));

const network = (name) => fs.readFileSync(path.join(kRoot, 'checkpoints', name, 'model.light'));

function file(name, bytes) {
  const written = path.join(folder, name);
  fs.writeFileSync(written, bytes);
  return written;
}

visit('a first visitor plays against a level, by a word; the numbers are there', ['desktop'], async (page) => {
  const levels = await page.locator('[data-seat="1"] optgroup[label="Levels"] option').allTextContents();
  assert.deepEqual(levels, ['Beginner', 'Casual', 'Careful', 'Strong', 'Expert', 'Unbeatable']);
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'level:casual');
  const numbers = page.locator('[data-seat="1"] .numbers');
  assert.equal(await numbers.textContent(), 'looks 2 plies ahead');
  await seat(page, 1, {who: 'level:beginner'});
  assert.equal(await numbers.textContent(), 'looks 2 plies ahead, 25% of moves at random');
  await seat(page, 1, {who: 'level:unbeatable'});
  assert.equal(await numbers.textContent(), 'Zero, at first sight, exact from 11 empty squares on');
  await ways.type(page, 'C');
  await waitForMoves(page, 3);
  assert.match(await news(page), /^Unbeatable placed on/);
});

test('levels of both rules play whole games', async () => {
  for (const rules of ['', '#r=squares']) {
    const page = await browser.open('phone', rules);
    await seat(page, 0, {who: 'level:beginner'});
    await seat(page, 1, {who: 'level:careful'});
    const resume = page.locator('#resume');
    if (await resume.isVisible()) await resume.click();
    await waitForEnd(page);
    assert.match(await turn(page), /wins|draw/);
    await finish(page);
  }
});

visit('a network that is dropped on the page becomes a player, and is there again at the next visit',
      ['desktop'], async (page) => {
  const bytes = network('small').toString('base64');
  const drop = (name, data) => page.evaluate(([n, d]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(d), (c) => c.charCodeAt(0))], n));
    for (const type of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, {dataTransfer: transfer, bubbles: true, cancelable: true}));
    }
  }, [name, data]);
  await drop('night <b>.light', bytes);
  await page.waitForFunction(() => document.getElementById('news').textContent.includes('It sits at the board now'));
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'own:night <b>');
  assert.match(await page.locator('#own-networks').textContent(), /night <b>\s+lines, 1 block of width 16/);
  await ways.type(page, 'C');
  await waitForMoves(page, 3);
  assert.match(await news(page), /^night <b> @32 placed on/);
  await page.locator('#analysis-level label', {hasText: 'Everything'}).click();
  await page.locator('#analysis [name=network]').selectOption('own:night <b>');
  await page.waitForSelector('.outcome .win');
  await shoot(page, 'own-network-desktop');
  await reload(page);
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'own:night <b>');
  await page.locator('#own-networks button').click();
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'level:casual');
  await page.waitForFunction(async () => (await (await import('./own-networks.js')).kept()).length === 0);
  await reload(page);
  assert.equal(await page.locator('optgroup[label="Your networks"]').count(), 0);
});

visit('a file that is no network is refused with a reason, and changes nothing', ['desktop'], async (page) => {
  const damaged = network('small');
  damaged[5000] ^= 1;
  for (const [name, bytes, reason] of [['notes.txt', Buffer.from('hello'), /it is no light file; quartozero export/],
                                       ['damaged.light', damaged, /damaged/],
                                       ['short.light', network('small').subarray(0, 3000), /short\.light cannot be used: /]]) {
    await page.locator('#network-file').setInputFiles(file(name, bytes));
    await page.waitForFunction((n) => document.getElementById('news').textContent.startsWith(`${n} cannot be used: `), name);
    assert.match(await news(page), reason);
  }
  assert.equal(await page.locator('#own-networks').isVisible(), false);
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'level:casual');
});

visit('under the other rules a 2x2 square wins; the switch is in the address', ['desktop'], async (page) => {
  await twoPeople(page);
  await page.locator('#rules').selectOption('squares');
  assert.equal(await hash(page), '#r=squares');
  for (const move of ['0', 'a1', '1', 'b1', '2', 'a2', '4', 'b2']) await ways.type(page, move);
  assert.match(await turn(page), /First player wins: a1 b1 a2 b2 are all hollow/);
  assert.equal(await page.locator('.square.winning').count(), 4);
  assert.equal(await hash(page), '#r=squares&m=0a11b12a24b2');
  await shoot(page, 'squares-won-desktop');
  await reload(page);
  assert.match(await turn(page), /wins/);
  assert.equal(await page.locator('#rules').inputValue(), 'squares');
  await page.locator('#rules').selectOption('lines');
  assert.deepEqual(await moves(page), []);
  assert.equal(await hash(page), '');
  await page.locator('#undo').click();  // the game that the switch replaced
  assert.equal((await moves(page)).length, 8);
  assert.equal(await page.locator('#rules').inputValue(), 'squares');
});

visit('undo after a switch of the rules brings back the players, too', ['desktop'], async (page) => {
  await seat(page, 1, {who: 'distilled', simulations: 32, exact: true});
  await ways.tap(page, 'C');
  await waitForMoves(page, 3);
  await page.locator('#rules').selectOption('squares');
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'level:casual');
  await page.locator('#undo').click();
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'distilled');
});

visit('a network that is replaced by one for the other rules leaves the board', ['desktop'], async (page) => {
  for (const name of ['small', 'squares']) {
    await page.locator('#network-file').setInputFiles(file('x.light', network(name)));
    await page.waitForFunction((text) => document.getElementById('news').textContent.includes(text),
                               name === 'small' ? 'It sits at the board now' : 'offered under these');
  }
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'level:casual');
  await ways.type(page, 'C');
  await waitForMoves(page, 3);
});

visit('under the rules of squares the players are those that know them', ['phone', '#r=squares'], async (page) => {
  const offered = await page.locator('[data-seat="1"] [name=who] option').evaluateAll((all) => all.map((option) => option.value));
  assert.deepEqual(offered, ['human', 'level:beginner', 'level:casual', 'level:careful', 'level:strong', 'level:expert',
                             'level:unbeatable', 'squares', 'perfect']);
  await seat(page, 1, {who: 'squares', simulations: 128, exact: true});
  await ways.tap(page, 'C');
  await waitForMoves(page, 3);
  assert.match(await news(page), /^Squares @128 \+ exact placed on/);
  await shoot(page, 'squares-phone');
});

visit('a button copies the link, which can be pasted', ['desktop', '#r=squares&m=0a17c2', kClipboard], async (page) => {
  await page.locator('#link').click();
  await page.waitForFunction(() => document.getElementById('news').textContent === 'The link to this game is copied.');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, `${browser.url}#r=squares&m=0a17c2`);
  await page.locator('#rules').selectOption('lines');
  await page.locator('#paste').click();
  await paste(page, link);
  assert.deepEqual(await moves(page), ['0', 'a1', '7', 'c2']);
  assert.equal(await page.locator('#rules').inputValue(), 'squares');
});

test('after a game all its mistakes are listed, and can be looked at one by one', async () => {
  // The third give hands over a piece that wins at once.
  const page = await browser.open('phone', '#m=0a1Fc31b12d14');
  await twoPeople(page);
  await ways.tap(page, 'c1');
  assert.match(await turn(page), /wins/);
  await page.waitForFunction(() => !document.getElementById('review-open'));
  const rows = await page.locator('table.review tbody tr').allTextContents();
  assert.equal(rows.length, 2);
  const items = page.locator('#analysis .mistakes li');
  const marks = await page.locator('.move.mistake').count();
  assert.ok(marks > 0);
  assert.equal(await items.count(), marks);
  await shoot(page, 'review-phone');
  await page.locator('#review').click();
  assert.match(await news(page), /Looking back/);
  assert.equal(await page.locator('#analysis .mistakes .current').count(), 1);
  // The review stays while one looks back, beside the values of the position.
  assert.equal(await page.locator('table.review').count(), 1);
  assert.ok(await page.locator('#analysis .bar').count() > 0);
  await finish(page);
});

visit('moves of a game from elsewhere are not those of the players at the board', ['desktop', '', kClipboard], async (page) => {
  const names = () => page.locator('table.review tbody th').allTextContents();
  const won = '0 a1 1 b1 2 c1 3 d1';
  await page.locator('#paste').click();
  await paste(page, won);
  assert.match(await turn(page), /^First player wins: a1 b1 c1 d1/);
  await page.waitForFunction(() => !document.getElementById('review-open'));
  assert.deepEqual(await names(), ['First player', 'Second player']);
  const who = await page.locator('#analysis .mistakes li, .move').evaluateAll((all) => all.map((e) => e.ariaLabel ?? e.textContent).join());
  assert.doesNotMatch(who, /You|Casual/);
  assert.match(who, /(First|Second) player turned/);
  await reload(page);
  assert.match(await turn(page), /^First player wins/);
  // Somebody goes on with it: the last placing is theirs, and stays theirs when the page is loaded again.
  await page.locator('#back').click();
  await ways.tap(page, 'd1');
  const owned = async () => {
    assert.match(await turn(page), /^You win: a1 b1 c1 d1/);
    await page.waitForSelector('table.review');
    assert.deepEqual(await names(), ['First player, then you', 'Second player']);
  };
  await owned();
  await reload(page);
  await owned();
});

visit('by the clock: it begins with the first move, stops at the end, and whoever has no time left loses',
      ['desktop'], async (page) => {
  await twoPeople(page);
  await page.clock.install({time: 0});
  await page.clock.pauseAt(3_600_000);  // not before the time that a busy machine takes to get here
  await page.locator('#clock').selectOption('60+0');
  // The page looks at the time now and then.
  const becomes = async (read, expected) => {
    const end = Date.now() + 30_000;
    while (JSON.stringify(await read()) !== JSON.stringify(expected)) {
      if (Date.now() > end) return assert.deepEqual(await read(), expected);
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  const shown = (...expected) => becomes(() => page.locator('#clocks b').allTextContents(), expected);
  await shown('1:00', '1:00');
  await page.clock.runFor(5000);
  await shown('1:00', '1:00');
  await ways.type(page, 'C');
  await page.clock.runFor(20_000);
  await shown('1:00', '0:40');
  await ways.type(page, 'b3');
  await ways.type(page, '5');
  await page.clock.runFor(10_000);
  await shown('0:50', '0:40');
  await page.keyboard.press('PageUp');  // looking back stops the clocks
  await page.clock.runFor(30_000);
  await page.keyboard.press('PageDown');
  await shown('0:50', '0:40');
  await page.clock.runFor(51_000);
  await shown('0.0', '0:40');
  // The clocks are drawn with everything else, too, so they may be at zero before the page has looked whose time is up.
  await becomes(() => turn(page), 'First player ran out of time: Second player wins.');
  await ways.type(page, 'a1');
  assert.deepEqual(await moves(page), ['C', 'b3', '5']);
  await page.clock.resume();
  await shoot(page, 'clock-desktop');
  await page.locator('#undo').click();
  assert.deepEqual(await moves(page), ['C', 'b3']);
  assert.equal(await page.evaluate(() => document.body.dataset.over), 'false');
  await page.locator('#clock').selectOption('none');
  assert.equal(await page.locator('#clocks').isVisible(), false);
});

visit('engines keep to the clock', ['desktop'], async (page) => {
  await page.locator('#clock').selectOption('180+2');
  await seat(page, 0, {who: 'level:strong'});
  await seat(page, 1, {who: 'perfect'});
  await waitForEnd(page);
  assert.doesNotMatch(await turn(page), /out of time/);
});
