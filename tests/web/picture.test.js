// The picture of a position: what is on it, and how it gets to somebody.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import {kClipboard, kScreenshots, news, twoPeople, visits} from './browser.js';

const {visit} = visits();

const kSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const press = (page) => page.locator('#picture').click();
const untilNews = (page, text) => page.waitForFunction((t) => document.getElementById('news').textContent === t, text);

// A system to share by. What it is given goes to window.shared; with an error of this name it fails.
async function offerToShare(page, failure = null) {
  await page.evaluate((name) => {
    window.shared = [];
    navigator.canShare = ({files}) => files[0].type === 'image/png';
    navigator.share = async ({files: [file]}) => {
      shared.push({name: file.name, type: file.type, bytes: [...new Uint8Array(await file.arrayBuffer())]});
      if (name) throw new DOMException('', name);
    };
  }, failure);
}
async function shared(page) {
  await page.waitForFunction(() => shared.length > 0);
  const [{name, type, bytes}] = await page.evaluate(() => shared.splice(0));
  return {name, type, bytes: Buffer.from(bytes)};
}

// In units of the drawing, of which a pixel is the half: as picture.js has them.
const kEdge = 32, kSquare = 134, kHandEdge = 32;

// Of a picture: its colours at `points`, [x, y] each, and how many of its pixels above the board have `ink`.
const look = (page, bytes, points, ink) => page.evaluate(async ({bytes, points, ink}) => {
  const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), pen = canvas.getContext('2d');
  pen.drawImage(bitmap, 0, 0);
  const {width, height} = bitmap, {data} = pen.getImageData(0, 0, width, height);
  const colour = (pixel) => `rgb(${data.slice(4 * pixel, 4 * pixel + 3).join(', ')})`;
  let inked = 0;
  for (let pixel = 0; pixel < width * (height - width); ++pixel) inked += colour(pixel) === ink;
  // Below zero: from the bottom.
  const colours = points.map(([x, y]) => colour(Math.round(2 * x) + width * (Math.round(2 * y) + (y < 0 ? height : 0))));
  return {width, inked, colours};
}, {bytes: [...bytes], points, ink});

// What the page shows in the same places: of each slot and of the hand the colour and the height of a piece's top, or
// null; the lines that won; the colour of text.
const onPage = (page) => page.evaluate(() => {
  const pieceIn = (element) => {
    const top = element.querySelector('.piece .top');
    const box = top?.getBBox();
    return {top: top && getComputedStyle(top).fill, height: top && box.y + box.height / 2};
  };
  const slots = [...document.querySelectorAll('.square')].map((square) =>
      ({well: getComputedStyle(square, '::before').backgroundColor, ...pieceIn(square)}));
  // Between the first two squares of each.
  const lines = [...document.querySelectorAll('.lines path')].map((path) => {
    const {x, y} = path.getPointAtLength(0.5);
    return {x, y, stroke: getComputedStyle(path).stroke};
  });
  return {slots, lines, hand: pieceIn(document.getElementById('hand')), ink: getComputedStyle(document.body).color};
});

const kPositions = {
  start: ['desktop', ''],
  given: ['phone', '#m=0a17c2Eb35'],
  dark: ['phone', '#m=0a17c2Eb3A', {colorScheme: 'dark'}],
  won: ['desktop', '#m=0a11b12c14d1'],
};
for (const [name, where] of Object.entries(kPositions)) {
  for (const turned of [false, true]) {
    visit(`the picture shows what the page shows: ${name}${turned ? ', turned' : ''}`, where, async (page) => {
      await twoPeople(page);
      if (turned) await page.keyboard.press('t');
      await page.waitForFunction(() => document.getAnimations().length === 0);
      await offerToShare(page);
      await press(page);
      const {bytes} = await shared(page);
      fs.writeFileSync(path.join(kScreenshots, `picture-${name}${turned ? '-turned' : ''}.png`), bytes);

      const {slots, lines, hand, ink} = await onPage(page);
      const points = [], expected = [];
      slots.forEach(({well, top, height}, n) => {
        const [x, y] = [kEdge + n % 4 * kSquare, -kEdge - (4 - Math.floor(n / 4)) * kSquare];
        // In the well above any piece and beside any line; and on top of the piece, beside its hole. The drawings are 100 wide.
        points.push([x + 0.62 * kSquare, y + 0.12 * kSquare]);
        expected.push(well);
        if (!top) return;
        points.push([x + (0.12 + 0.76 * 0.72) * kSquare, y + (-0.01 + 0.76 * height / 100) * kSquare]);
        expected.push(top);
      });
      for (const {x, y, stroke} of lines) {
        points.push([kEdge + x * kSquare, -kEdge - (4 - y) * kSquare]);
        expected.push(stroke);
      }
      if (hand.top) {
        points.push([kHandEdge + 8 + 72 * 0.72, kHandEdge + 2 + 72 * hand.height / 100]);
        expected.push(hand.top);
      }
      const {width, inked, colours} = await look(page, bytes, points, ink);
      assert.equal(width, 1200);
      assert.deepEqual(colours, expected);
      assert.ok(inked > 1000, `${inked} pixels of text`);
    });
  }
}

visit('where the system shares files, it is given the picture', ['phone', '#m=0a1'], async (page) => {
  await offerToShare(page);
  const before = await news(page);
  await press(page);
  const {name, type, bytes} = await shared(page);
  assert.deepEqual([name, type], ['quarto.png', 'image/png']);
  assert.deepEqual(bytes.subarray(0, 8), kSignature);
  assert.equal(await news(page), before);
});

visit('who closes the system\'s list gets no other copy', ['phone', '#m=0a1'], async (page) => {
  await offerToShare(page, 'AbortError');
  await page.evaluate(() => {
    window.copies = 0;
    navigator.clipboard.write = async () => ++copies;
  });
  const before = await news(page);
  await press(page);
  await shared(page);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));  // the page has heard of the failure
  assert.equal(await page.evaluate(() => copies), 0);
  assert.equal(await news(page), before);
});

for (const fails of [false, true]) {
  visit(`where it ${fails ? 'fails to share' : 'shares none'}, the picture is copied`, ['desktop', '#m=0a1', kClipboard], async (page) => {
    if (fails) await offerToShare(page, 'NotAllowedError');
    await press(page);
    await untilNews(page, 'The picture is copied.');
    const bytes = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      return [...new Uint8Array(await (await item.getType('image/png')).arrayBuffer())];
    });
    assert.deepEqual(Buffer.from(bytes.slice(0, 8)), kSignature);
  });
}

visit('without a clipboard it becomes a file', ['desktop', '#m=0a1'], async (page) => {
  await page.evaluate(() => {
    navigator.clipboard.write = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  });
  const [download] = await Promise.all([page.waitForEvent('download'), press(page)]);
  assert.equal(download.suggestedFilename(), 'quarto.png');
  assert.deepEqual(fs.readFileSync(await download.path()).subarray(0, 8), kSignature);
  await untilNews(page, 'The picture is saved as quarto.png.');
});

visit('a browser that makes no picture is told of', ['desktop', '#m=0a1'], async (page) => {
  await page.evaluate(() => {
    HTMLCanvasElement.prototype.toBlob = (done) => done(null);
  });
  await press(page);
  await untilNews(page, 'There is no picture: this browser makes none');
});
