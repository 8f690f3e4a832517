// Everything around a game: undo, hint, lists of moves, addresses, and what the analysis shows.
import assert from 'node:assert/strict';
import path from 'node:path';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {
  finish, hash, kClipboard, listQuestions, moves, news, paste, reload, seat, shoot, target, turn, twoPeople,
  untilAnswered, visits, waitForMoves, ways,
} from './browser.js';
import {kPage, suite} from './positions.js';

const {browser, visit} = visits();

const address = (position) => `#p=${position.replace(' ', '_')}`;

visit('undo goes back to one\'s own last choice, new game to the beginning', ['phone'], async (page) => {
  await ways.tap(page, 'C');
  await waitForMoves(page, 3);  // the engine places and gives
  await page.locator('#undo').click();
  assert.deepEqual(await moves(page), []);
  assert.equal(await page.locator('#undo').isDisabled(), true);
  await ways.tap(page, '5');
  await waitForMoves(page, 3);
  assert.equal((await moves(page))[0], '5');
  await page.locator('#new-game').click();
  assert.deepEqual(await moves(page), []);
  assert.equal(await hash(page), '');
});

visit('undo after new game brings the old game back; while looking back it does nothing', ['desktop'], async (page) => {
  await twoPeople(page);
  for (const move of ['C', 'b3', '5']) await ways.type(page, move);
  await page.locator('#new-game').click();
  assert.deepEqual(await moves(page), []);
  await page.locator('#undo').click();
  assert.deepEqual(await moves(page), ['C', 'b3', '5']);
  await page.keyboard.press('PageUp');
  assert.equal(await page.locator('#undo').isDisabled(), true);
  assert.deepEqual(await moves(page), ['C', 'b3', '5']);
});

visit('undo after new game brings the old game back also when the engine has begun the new one',
      ['desktop'], async (page) => {
  await twoPeople(page);
  for (const move of ['C', 'b3', '5']) await ways.type(page, move);
  await seat(page, 0, {who: 'level:beginner'});
  await page.locator('#new-game').click();
  await waitForMoves(page, 1);  // the engine gives
  await page.locator('#undo').click();
  assert.deepEqual(await moves(page), ['C', 'b3', '5']);
});

visit('a column that was typed is for the position in which it was typed', ['desktop'], async (page) => {
  await twoPeople(page);
  await ways.type(page, 'C');
  await page.keyboard.press('b');
  await ways.tap(page, 'b2');
  await ways.tap(page, '5');
  await page.keyboard.press('3');
  assert.deepEqual(await moves(page), ['C', 'b2', '5']);
  await ways.type(page, 'a3');
  assert.deepEqual(await moves(page), ['C', 'b2', '5', 'a3']);
});

visit('the focus stays with the two buttons that take turns', ['desktop'], async (page) => {
  await seat(page, 0, {who: 'level:beginner'});
  await page.locator('#pause').focus();
  for (const next of ['resume', 'pause']) {
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), next);
  }
});

visit('an undo while the engine thinks takes its move away, too', ['desktop'], async (page) => {
  await seat(page, 1, {who: 'zero', simulations: 512});
  await listQuestions(page);
  // In the page itself, where a timer of 100 ms ends before the move is shown, which takes 350 ms at least.
  const [before, after] = await page.evaluate(async () => {
    const text = (id) => document.getElementById(id).textContent;
    document.querySelector('[data-piece="12"]').click();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const thinking = text('turn');
    document.getElementById('undo').click();
    return [thinking, [text('turn'), text('news')]];
  });
  assert.match(before, /is thinking/);
  await untilAnswered(page);
  assert.deepEqual(await moves(page), []);
  // Its move is not even tried: it would be refused where a piece is to be given, and the page would tell so.
  assert.deepEqual([await turn(page), await news(page)], after);
  await ways.type(page, '5');
  await waitForMoves(page, 3);
  assert.equal((await moves(page))[0], '5');
});

test('a hint points at a move that keeps the exact value', async () => {
  const {position, values, value} = suite('deep').find((e) => e.value === 1 && e.position.endsWith('-'));
  const page = await browser.open('desktop', address(position));
  await twoPeople(page);
  await page.locator('#hint').click();
  await page.waitForSelector('.hint');
  const move = /give (.)\./.exec(await news(page))[1];
  assert.equal(values.get(move), value);
  assert.match(await news(page), /keeps the win: exact/);
  assert.ok(await target(page, move).evaluate((e) => e.classList.contains('hint')));
  await shoot(page, 'hint-desktop');
  await finish(page);
});

visit('the list of moves can be copied and pasted back', ['desktop', '', kClipboard], async (page) => {
  await twoPeople(page);
  const game = ['0', 'a1', '7', 'c2', 'E'];
  for (const move of game) await ways.tap(page, move);
  await page.locator('#copy').click();
  await page.waitForFunction(() => document.getElementById('news').textContent === 'Copied.');
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(text, '0 a1 7 c2 E');
  await page.locator('#new-game').click();
  await page.locator('#paste').click();
  await paste(page, text);
  assert.deepEqual(await moves(page), game);
});

visit('a game pasted onto the page itself is put up at once', ['desktop', '', kClipboard], async (page) => {
  const pasteOntoPage = async (text) => {
    await page.evaluate((t) => navigator.clipboard.writeText(t), text);
    await page.keyboard.press('Control+v');
  };
  await pasteOntoPage('0 a1 7');
  await page.waitForFunction(() => document.querySelectorAll('.move').length === 3);
  await pasteOntoPage('nothing of the kind');
  await page.waitForFunction(() => document.getElementById('news').textContent.startsWith('What was pasted is no game'));
  assert.deepEqual(await moves(page), ['0', 'a1', '7']);
});

visit('the rules are shown from their beginning', ['phone'], async (page) => {
  await page.locator('#help-button').click();
  assert.equal(await page.locator('#help').evaluate((help) => help.scrollTop), 0);
});

visit('positions, with moves or without, can be pasted; nonsense is explained', ['desktop'], async (page) => {
  await twoPeople(page);
  await page.locator('#paste').click();
  for (const [text, reason] of [['0 a1 0', /piece 0 is no longer/], ['00../..../..../.... -', /already/],
                                ['hello', /move 1/], ['..../..../....', /character/],
                                ['..../..../..../.... - : b3', /move 2/]]) {
    await paste(page, text);
    assert.match(await page.locator('#paste-error').textContent(), reason, text);
  }
  assert.deepEqual(await moves(page), []);
  for (const example of (await page.locator('#paste-text').getAttribute('placeholder')).split('\n')) {
    await paste(page, example);
    assert.equal(await page.locator('#paste-dialog').isVisible(), false, example);
    await page.locator('#paste').click();
  }
  await paste(page, '..../2F.A/E9../.8B3 - : C b3');
  assert.match(await page.locator('#paste-error').textContent(), /b3 is taken/);
  await paste(page, ' ..../2F.A/E9../.8B3   - : C c3 ');
  assert.deepEqual(await moves(page), ['C', 'c3']);
  assert.equal(await hash(page), '#p=..../2F.A/E9../.8B3_-&m=Cc3');
});

visit('the address follows the game, and brings it back', ['desktop', '#m=0a17c2'], async (page) => {
  await twoPeople(page);
  assert.deepEqual(await moves(page), ['0', 'a1', '7', 'c2']);
  await ways.type(page, 'E');
  assert.equal(await hash(page), '#m=0a17c2E');
  await reload(page);
  assert.deepEqual(await moves(page), ['0', 'a1', '7', 'c2', 'E']);
  await page.evaluate(() => {
    location.hash = '#m=F';
  });
  await page.waitForFunction(() => document.querySelectorAll('.move').length === 1);
});

for (const bad of ['#m=0a10', '#r=circles', '#m=zzz', '#what', '#p=..../..../..../....', '#p=0124/..../..../.5.._-&m=7',
                   '#%', '#m=%00%ff', '#p=&m=', `#m=${'0a1'.repeat(5000)}`, '#p=<img src=x onerror=alert(1)>', '#m=0&m=1&x=2']) {
  visit(`an address that makes no sense leaves a board to play on: ${bad.slice(0, 40)}`, ['phone', bad], async (page) => {
    if (bad !== '#p=&m=') assert.match(await news(page), /^The address holds no game: ./);
    if (bad.startsWith('#what')) await shoot(page, 'bad-address-phone');
    await ways.tap(page, 'C');
    await waitForMoves(page, 2);
    assert.match(await hash(page), /^#m=C[a-d][1-4]/);
  });
}

visit('one can look back, and play on from there', ['desktop', '#m=0a17c2Eb3'], async (page) => {
  await twoPeople(page);
  await page.keyboard.press('PageUp');
  await page.keyboard.press('PageUp');
  assert.match(await news(page), /Looking back: after move 4 of 6/);
  assert.equal(await target(page, 'b3').getAttribute('aria-label'), 'b3, empty');
  await page.keyboard.press('PageDown');
  assert.match(await news(page), /move 5/);
  await ways.type(page, 'd4');
  assert.deepEqual(await moves(page), ['0', 'a1', '7', 'c2', 'E', 'd4']);
});

visit('the keyboard stays on the move that it chose, whatever the analysis finds',
      ['desktop', '#m=0a17c2Eb3'], async (page) => {
  await twoPeople(page);
  const focused = () => page.evaluate(() => document.activeElement?.dataset.after ?? null);
  await page.locator('.move[data-after="2"]').focus();
  await page.keyboard.press('Enter');
  assert.match(await news(page), /Looking back: after move 2 of 6/);
  assert.equal(await focused(), '2');
  // Nothing in the list has changed by then, so it is still the same button.
  await page.evaluate(() => {
    document.activeElement.dataset.mine = 'yes';
  });
  await page.locator('#analysis-level label', {hasText: 'Off'}).evaluate((label) => label.querySelector('input').click());
  assert.equal(await page.evaluate(() => document.querySelectorAll('[data-mine]').length), 1);
});

for (const size of ['desktop', 'phone']) {
  test(`the analysis has the exact value of every move, and marks a blunder at once (${size})`, async () => {
    // A won position with a piece in hand where one move loses and others draw.
    const entry = suite('deep').find(
        (e) => e.value === 1 && !e.position.endsWith('-') && new Set(e.values.values()).size === 3);
    const page = await browser.open(size, address(entry.position));
    await twoPeople(page);
    await page.locator('#analysis-level label', {hasText: 'Everything'}).click();
    await page.waitForSelector('.exact[data-value="1"]');
    const shown = await page.locator('#analysis tbody tr').evaluateAll(
        (rows) => rows.map((row) => [row.dataset.move, Number(row.dataset.exact)]));
    assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(entry.values));
    await page.waitForFunction(() => / in [0-9]+$/.test(document.querySelector('.exact').textContent));
    const won = await page.locator('#analysis tbody .badge.win').allTextContents();
    const far = won.map((text) => Number(text.match(/^Win in ([0-9]+)$/)[1]));
    assert.deepEqual(far, [...far].sort((a, b) => a - b));
    const priors = await page.locator('#analysis .bar em').allTextContents();
    const sum = priors.reduce((total, text) => total + Number(text.replace('%', '')), 0);
    assert.ok(Math.abs(sum - 100) <= priors.length, `priors add up to ${sum}%`);
    assert.ok(await page.locator('.outcome span').count() === 3);
    for (const [move, value] of entry.values) {
      assert.equal(await target(page, move).getAttribute('data-value'), {1: 'win', 0: 'draw', '-1': 'loss'}[value]);
    }
    await shoot(page, `analysis-${size}`);

    const losing = [...entry.values].find(([, value]) => value === -1)[0];
    await ways.tap(page, losing);
    assert.match(await news(page), new RegExp(`^Blunder: placing on ${losing}, .* turned a win into a loss\\.$`));
    assert.equal(await page.locator('.move.mistake .sign').textContent(), '??');
    const listed = await page.locator('#analysis .mistakes').textContent();
    assert.match(listed, new RegExp(`${losing}.*turned a win into a loss`, 's'));
    await shoot(page, `blunder-${size}`);
    await finish(page);
  });
}

test('an engine\'s blunder is marked like a person\'s', async () => {
  // The small network at first sight errs in one of eight deep positions: the first where it does.
  const candidates = suite('deep').filter((e) => e.value === 1 && e.position.split('.').length > 8).slice(0, 60);
  const page = await browser.open('desktop', address(candidates[0].position));
  await seat(page, 0, {who: 'small', simulations: 0});
  await seat(page, 1, {who: 'small', simulations: 0});
  let found = null;
  for (const {position, values} of candidates) {
    await page.evaluate((to) => {
      location.hash = to;
    }, address(position));
    await page.waitForFunction(() => document.querySelectorAll('.move').length === 0);
    await page.waitForSelector('.exact[data-value="1"]');
    await page.locator('#resume').click();
    await waitForMoves(page, 1);
    const [move] = await moves(page);
    await page.keyboard.press('p');
    if (values.get(move) === 1) continue;
    found = move;
    break;
  }
  assert.ok(found, 'the network made no mistake');
  assert.match(await page.locator('.move').first().textContent(), /\?$/);
  assert.match(await page.locator('#analysis .mistakes').textContent(), /Small \(second\) turned a win into a .*Better: /s);
  await shoot(page, 'engine-blunder-desktop');
  await finish(page);
});

visit('whoever plays is not told the values unasked', ['desktop'], async (page) => {
  await ways.tap(page, 'C');
  await waitForMoves(page, 3);
  assert.equal(await page.locator('.square[data-value], .tray-piece[data-value], #analysis table').count(), 0);
  await page.getByText('Show the value of every move').click();
  await page.waitForSelector('.square[data-value], .tray-piece[data-value]');
});

// The names on the squares, row by row as they are seen.
async function seen(page) {
  const squares = await page.locator('.square').evaluateAll((all) => all.map((e) => {
    const {x, y} = e.getBoundingClientRect();
    return {x, y, name: e.querySelector('.coordinate').textContent};
  }));
  return squares.sort((a, b) => (Math.abs(a.y - b.y) > 9 ? a.y - b.y : a.x - b.x)).map(({name}) => name);
}
const kTurned = {  // where that which is seen in a slot afterwards was before
  t: (n) => 4 * (3 - n % 4) + Math.floor(n / 4),
  m: (n) => 4 * Math.floor(n / 4) + 3 - n % 4,
};

visit('the board can be seen by the eight symmetries; the game knows nothing of it', ['desktop', '#m=0a1Fb31'], async (page) => {
  await twoPeople(page);
  const game = await moves(page);
  const views = new Set();
  let before = await seen(page);
  assert.deepEqual(before, [1, 2, 3, 4].flatMap((row) => [...'abcd'].map((column) => column + row)));
  for (const key of 'ttttmttttm') {
    await (views.size % 2 === 0 ? page.keyboard.press(key) : page.locator(key === 't' ? '#turn-board' : '#mirror-board').click());
    const after = await seen(page);
    assert.deepEqual(after, before.map((_, n) => before[kTurned[key](n)]), `${key} of ${before}`);
    views.add(after.join());
    for (const [name, piece] of [['a1', /light short square hollow/], ['b3', /dark tall round solid/], ['c3', /empty/]]) {
      assert.equal(await target(page, name).locator('.coordinate').textContent(), name);
      assert.match(await target(page, name).getAttribute('aria-label'), piece);
    }
    before = after;
  }
  assert.equal(views.size, 8);
  assert.deepEqual(await moves(page), game);
  assert.equal(await hash(page), '#m=0a1Fb31');
});

visit('on a turned board one plays where one looks', ['desktop', '#m=0'], async (page) => {
  await twoPeople(page);
  await page.keyboard.press('t');  // a4 a3 a2 a1 / b4 ...
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  await target(page, 'a4').focus();
  for (const [key, name] of [['ArrowRight', 'a3'], ['ArrowDown', 'b3'], ['ArrowLeft', 'b4'], ['ArrowLeft', 'b4'], ['ArrowUp', 'a4']]) {
    await page.keyboard.press(key);
    assert.equal(await focused(), `${name}, empty`);
  }
  await page.keyboard.press('Enter');
  await ways.type(page, '1');
  await ways.drag(page, 'b3');
  await ways.type(page, '2c2');
  await ways.tap(page, '4');
  await ways.tap(page, 'd1');
  assert.deepEqual(await moves(page), ['0', 'a4', '1', 'b3', '2', 'c2', '4', 'd1']);
  assert.match(await turn(page), /a4 b3 c2 d1|d1 c2 b3 a4/);
  // The line goes from one of the squares that won to another, the furthest.
  const ends = await page.locator('.lines path').evaluate((path) => [0, path.getTotalLength()].map((at) => {
    const {x, y} = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
    return document.elementFromPoint(x, y).closest('.winning')?.querySelector('.coordinate').textContent;
  }));
  assert.deepEqual(ends.sort(), ['a4', 'd1']);
  await shoot(page, 'turned-desktop');
});

visit('how the board is seen outlives the page', ['desktop'], async (page) => {
  for (const key of 'ttm') await page.keyboard.press(key);
  const before = await seen(page);
  assert.equal(before[0], 'a4');
  await reload(page);
  assert.deepEqual(await seen(page), before);
  for (const bad of ['8', '12', 'x', '']) {
    await page.evaluate((text) => localStorage.setItem('quartozero-view', text), bad);
    await reload(page);
    assert.equal((await seen(page))[0], 'a1');
  }
});

visit('settings of the seats outlive the page', ['desktop'], async (page) => {
  await seat(page, 1, {who: 'zero', simulations: 128, exact: true});
  await reload(page);
  assert.equal(await page.locator('[data-seat="1"] [name=who]').inputValue(), 'zero');
  assert.equal(await page.locator('[data-seat="1"] [name=simulations]').inputValue(), '128');
  assert.equal(await page.locator('[data-seat="1"] [name=exact]').isChecked(), true);
});

test('a file that cannot be loaded is told', async () => {
  const page = await browser.open('desktop');
  await page.route('**/quartozero.wasm', (route) => route.fulfill({status: 404, body: ''}));
  await page.reload();
  await page.waitForFunction(() => document.getElementById('news').textContent.includes('quartozero.wasm could not be loaded'));
  await page.context().close();
});

test('opened from the disk it says that it needs a server', async () => {
  const context = await browser.browser.newContext();
  const page = await context.newPage();
  await page.goto(pathToFileURL(path.join(kPage, 'index.html')).href);
  assert.equal(await turn(page), 'This page must come from a server.');
  await context.close();
});
