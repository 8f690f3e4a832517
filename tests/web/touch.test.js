// Pieces under a finger, by touches as a screen sends them.
import assert from 'node:assert/strict';

import {moves, shoot, turn, twoPeople, visits, waitForMoves} from './browser.js';

const {visit} = visits();

const kPiece = '[data-piece="15"]', kHand = '#hand';

// {middle(selector), down, to, up, cancel, drag}: two people at the board of `page`, at its top, and the fingers of one.
async function fingers(page) {
  await twoPeople(page);
  await page.evaluate(() => scrollTo(0, 0));
  const tools = await page.context().newCDPSession(page);
  const down = new Map();  // by finger, where it is
  const send = (type, points = [...down].map(([id, point]) => ({id, ...point}))) =>
    tools.send('Input.dispatchTouchEvent', {type, touchPoints: points});
  const f = {
    async middle(selector) {
      const box = await page.locator(selector).boundingBox();
      return {x: box.x + box.width / 2, y: box.y + box.height / 2};
    },
    async down(point, id = 0) {
      down.set(id, point);
      await send('touchStart');
    },
    async to(point, id = 0) {
      const from = down.get(id);
      for (let k = 1; k <= 4; ++k) {
        down.set(id, {x: from.x + (point.x - from.x) * k / 4, y: from.y + (point.y - from.y) * k / 4});
        await send('touchMove');
      }
    },
    async up() {
      down.clear();
      await send('touchEnd', []);
    },
    async cancel() {
      down.clear();
      await send('touchCancel', []);
    },
    async drag(from, to) {
      await f.down(await f.middle(from));
      await f.to(await f.middle(to));
      await f.up();
    },
  };
  return f;
}

// The ghost, what it was taken from and the place that would take it.
const kMarks = '.ghost, .dragged, .over';
// Until there are so many of them: not all touches are answered when they have been sent.
const untilMarked = (page, count) =>
  page.waitForFunction(([marks, n]) => document.querySelectorAll(marks).length === n, [kMarks, count]);

visit('a finger drags a piece to the board, and the page does not scroll away under it', ['phone'], async (page) => {
  const finger = await fingers(page);
  await finger.drag(kPiece, kHand);
  await waitForMoves(page, 1);
  await finger.drag(kHand, '[data-square="9"]');
  await waitForMoves(page, 2);
  assert.deepEqual(await moves(page), ['F', 'b3']);
  assert.equal(await page.evaluate(() => scrollY), 0);
});

visit('elsewhere a finger scrolls the page', ['phone'], async (page) => {
  const finger = await fingers(page);
  const {x, y} = await finger.middle('#board');
  await finger.down({x, y});
  await finger.to({x, y: y - 200});
  await finger.up();
  await page.waitForFunction(() => scrollY > 0);
  assert.deepEqual(await moves(page), []);
});

visit('the piece is seen at the finger, and the place that would take it is marked', ['phone'], async (page) => {
  const finger = await fingers(page);
  await finger.down(await finger.middle(kPiece));
  const square = await finger.middle('[data-square="9"]');
  await finger.to(square);
  await page.waitForFunction(({x, y}) => {
    const ghost = document.querySelector('.ghost')?.getBoundingClientRect();
    return ghost && ghost.left < x && x < ghost.right && ghost.top < y && y < ghost.bottom;
  }, square);
  assert.deepEqual(await page.locator('.over').evaluateAll((all) => all.map((e) => e.id)), ['hand']);
  await shoot(page, 'dragging-phone');
  await finger.up();
  await waitForMoves(page, 1);
  assert.equal(await page.locator(kMarks).count(), 0);
});

// Where a browser takes a finger that moves so far for no click, the page does not wait for one.
for (const clicks of [true, false]) {
  visit(`a finger that taps may be unsteady, ${clicks ? 'with' : 'without'} a click`, ['phone'], async (page) => {
    const finger = await fingers(page);
    if (!clicks) await page.evaluate(() => addEventListener('click', (e) => e.isTrusted && e.stopPropagation(), {capture: true}));
    const {x, y} = await finger.middle(kPiece);
    await finger.down({x, y});
    await finger.to({x: x + 10, y: y - 7});
    await finger.up();
    await waitForMoves(page, 1);
    assert.deepEqual(await moves(page), ['F']);
  });
}

const kGivenUp = {
  'a drop outside the board': async (finger) => {
    await finger.to(await finger.middle('h1'));
    await finger.up();
  },
  'a drop on a taken square': async (finger) => {
    await finger.to(await finger.middle('[data-square="0"]'));
    await finger.up();
  },
  'a touch that the system takes away': (finger) => finger.cancel(),
  'a second finger': async (finger) => {
    await finger.down(await finger.middle('#news'), 1);
    await finger.to(await finger.middle('[data-square="9"]'));
    await finger.up();
  },
};
for (const [how, giveUp] of Object.entries(kGivenUp)) {
  visit(`${how} changes nothing`, ['phone', '#m=0a1F'], async (page) => {
    const finger = await fingers(page);
    const before = await turn(page);
    await finger.down(await finger.middle(kHand));
    await finger.to(await finger.middle('[data-square="10"]'));
    await untilMarked(page, 3);
    await giveUp(finger);
    await untilMarked(page, 0);
    assert.deepEqual([await moves(page), await turn(page)], [['0', 'a1', 'F'], before]);
    // And the next drag is one as ever.
    await finger.drag(kHand, '[data-square="9"]');
    await waitForMoves(page, 4);
    assert.deepEqual(await moves(page), ['0', 'a1', 'F', 'b3']);
  });
}
