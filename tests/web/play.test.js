// Whole games in a real browser, on a phone and on a desktop.
import assert from 'node:assert/strict';
import path from 'node:path';
import {test} from 'node:test';

import {
  finish, kSizes, listQuestions, moves, reload, seat, shoot, turn, twoPeople, untilAnswered, visits, waitForEnd,
  waitForMoves, ways,
} from './browser.js';
import {kPage} from './positions.js';

const kWon = '0 a1 1 b1 2 c1 4 d1'.split(' ');
const kWonTwice = ('D d4 E c1 C b2 0 d3 2 d2 1 a2 B b4 7 b3 4 c2 6 a1 9 c4 8 c3 5 d1 3 a4').split(' ');
const kDrawn = ('6 a2 B c3 7 d4 D b2 E b4 9 d2 8 c2 F b1 C a3 3 b3 5 a4 2 d1 0 a1 1 c4 4 c1 A d3').split(' ');

const {browser, visit} = visits();

async function playAll(page, game, way) {
  for (const [n, move] of game.entries()) {
    await way(page, move);
    await waitForMoves(page, n + 1);
  }
  assert.deepEqual(await moves(page), game);
}

const kWays = [['phone', 'tap'], ['desktop', 'tap'], ['desktop', 'drag'], ['desktop', 'type'], ['desktop', 'arrows']];
for (const [size, way] of kWays) {
  visit(`two people play to a win (${size}, ${way}): it is announced and the line shown`, [size], async (page) => {
    await twoPeople(page);
    await playAll(page, kWon, ways[way]);
    assert.equal(await turn(page), 'First player wins: a1 b1 c1 d1 are all hollow.');
    assert.equal(await page.locator('.square.winning').count(), 4);
    assert.equal(await page.locator('.lines path').count(), 1);
    if (way === 'tap') await shoot(page, `won-${size}`);
  });

  visit(`two people play to a draw (${size}, ${way})`, [size], async (page) => {
    await twoPeople(page);
    await playAll(page, kDrawn, ways[way]);
    assert.match(await turn(page), /^A draw/);
    assert.equal(await page.locator('.square.winning').count(), 0);
    if (way === 'tap') await shoot(page, `drawn-${size}`);
  });
}

visit('two lines at once are both shown', ['desktop', `#m=${kWonTwice.join('')}`], async (page) => {
  assert.equal(await page.locator('.lines path').count(), 2);
  assert.match(await turn(page), /a4 b4 c4 d4 are all dark; d1 c2 b3 a4 are all hollow/);
  await shoot(page, 'won-twice-desktop');
});

for (const size of Object.keys(kSizes)) {
  for (const human of [0, 1]) {
    visit(`a whole game against an engine (${size}, ${human === 0 ? 'giving' : 'placing'} first)`, [size], async (page) => {
      if (human === 1) await page.locator('#swap').click();
      const way = size === 'phone' ? ways.tap : ways.drag;
      let first = null;
      for (;;) {
        await page.waitForSelector('.square.open, .tray-piece.open, body[data-over="true"]', {state: 'attached'});
        if (await page.evaluate(() => document.body.dataset.over === 'true')) break;
        const before = (await moves(page)).length;
        const move = await page.evaluate(() => {
          const open = [...document.querySelectorAll('.square.open, .tray-piece.open')].at(-1).dataset;
          return open.square !== undefined ? 'abcd'[open.square % 4] + (Math.floor(open.square / 4) + 1) :
                                             Number(open.piece).toString(16).toUpperCase();
        });
        const start = Date.now();
        await way(page, move);
        await waitForMoves(page, before + 1);
        if (human === 0 && first === null) {
          await waitForMoves(page, 2);
          first = Date.now() - start;
          console.log(`${size}: the engine's first move was on the board after ${first} ms, of which 350 are for the eyes`);
        }
      }
      assert.match(await turn(page), /win|draw/);
      await shoot(page, `against-engine-${human}-${size}`);
    });
  }
}

visit('one watches two players to the end, with a pause', ['desktop'], async (page) => {
  await listQuestions(page);
  await seat(page, 0, {who: 'zero', simulations: 128});
  await seat(page, 1, {who: 'distilled', simulations: 32, exact: true});
  // At once: an engine is always asked for the next move there, and the board stays as it is from here on.
  const held = await (await page.waitForFunction(() => {
    const made = document.querySelectorAll('.move').length;
    if (made < 4) return 0;
    document.getElementById('pause').click();
    return made;
  })).jsonValue();
  assert.ok(await page.locator('#resume').isVisible());
  await untilAnswered(page);
  assert.equal((await moves(page)).length, held);
  await shoot(page, 'watching-desktop');
  await page.locator('#resume').click();
  await waitForEnd(page);
  assert.match(await turn(page), /win|draw/);
  // With nobody to spoil the game for, everything is shown; nobody who solves the endgame blunders in it.
  assert.ok((await moves(page)).length >= 8);
});

const analysis = (page, level) => page.locator('#analysis-level label', {hasText: level}).click();
// Begins what takes long; exact values do without the book of these rules.
const kLong = {
  'an engine searches': async (page) => {
    await page.locator('[data-seat="0"] [name=simulations]').evaluate((list) => list.add(new Option('many', '50000')));
    await seat(page, 0, {who: 'zero', simulations: 50000});
  },
  'an engine plays exactly': (page) => seat(page, 0, {who: 'perfect'}),
  'the analysis solves': (page) => analysis(page, 'Everything'),
};
for (const [work, begin] of Object.entries(kLong)) {
  test(`the page's own thread is free to answer while ${work}`, {timeout: 300_000}, async () => {
    const page = await browser.open('desktop');
    await page.route('**/lines.book', (route) => route.fulfill({path: path.join(kPage, 'squares.book')}));
    await reload(page);
    await analysis(page, 'Off');
    const tools = await page.context().newCDPSession(page);
    await tools.send('Performance.enable');
    // Processor time of the page's own thread, and of all its threads. Were the engine in the former, the two would be
    // almost the same; and a busy machine changes neither.
    const spent = async () => {
      const {metrics} = await tools.send('Performance.getMetrics');
      return ['ThreadTime', 'ProcessTime'].map((wanted) => metrics.find(({name}) => name === wanted).value);
    };
    const [ownBefore, allBefore] = await spent();
    await begin(page);
    let own = 0, all = 0;
    while (all < 2) {
      await page.waitForTimeout(100);
      const now = await spent();
      [own, all] = [now[0] - ownBefore, now[1] - allBefore];
    }
    console.log(`${work}: of ${all.toFixed(2)} s of processor time, ${own.toFixed(2)} s in the page's own thread`);
    assert.ok(own < all / 2, `${own} of ${all} s`);
    await finish(page);
  });
}

visit('the page is small, and asks nobody else for anything', ['desktop'], async (page) => {
  await page.waitForTimeout(500);
  const bytes = [...page.sizes.values()].reduce((sum, n) => sum + n, 0);
  console.log(`the page: ${(bytes / 1e6).toFixed(2)} MB in ${page.sizes.size} files`);
  assert.ok(bytes > 500_000 && bytes < 3_000_000, `${bytes} bytes`);
  const ready = await page.evaluate(() => performance.getEntriesByName('ready')[0].startTime);
  console.log(`ready ${ready.toFixed(0)} ms after the address was entered`);
});

visit('every piece tells its four attributes to those who cannot see it', ['desktop'], async (page) => {
  const labels = await page.locator('.tray-piece').evaluateAll((all) => all.map((e) => e.getAttribute('aria-label')));
  assert.equal(new Set(labels.map((label) => label.slice(3))).size, 16);
  for (const label of labels) assert.match(label, /^[0-9A-F], (dark|light) (tall|short) (round|square) (solid|hollow)/);
});
