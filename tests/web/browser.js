// A real browser with the page in it, and what the tests do there again and again.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {chromium} from 'playwright-core';

import {kPage} from './positions.js';
import {serve} from './server.js';

export const kSizes = {
  desktop: {viewport: {width: 1280, height: 800}},
  phone: {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true, deviceScaleFactor: 2},
};
export const kClipboard = {permissions: ['clipboard-read', 'clipboard-write']};
export const kScreenshots = `${kPage}.screenshots`;

// {open(size, hash, options), close(), url}. Whatever a page complains about fails the test at finish(). `server`:
// {url, close()}, by default a static server of the page.
export async function startBrowser(server = null) {
  fs.mkdirSync(kScreenshots, {recursive: true});
  server ??= await serve({'': kPage});
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],  // which root and containers cannot have; it sees no pages but ours
  });
  const open = async (size, hash = '', options = {}) => {
    const context = await browser.newContext({...kSizes[size], serviceWorkers: 'block', ...options});
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.complaints = [];
    page.sizes = new Map();
    page.on('console', (m) => {
      // Tests that are about something else keep no files for later; playwright says so.
      if (m.text() === 'Service Worker registration blocked by Playwright') return;
      if (['error', 'warning'].includes(m.type())) page.complaints.push(m.text());
    });
    page.on('pageerror', (error) => page.complaints.push(error.message));
    page.on('requestfailed', (request) => {
      // Leaving a page, as a reload does, cancels what is still under way.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') page.complaints.push(`${request.url()} failed`);
    });
    page.on('response', async (response) => {
      if (!response.url().startsWith(server.url)) page.complaints.push(`asked for ${response.url()}`);
      const body = await response.body().catch(() => Buffer.alloc(0));
      page.sizes.set(response.url(), body.length);
    });
    await page.goto(server.url + hash);
    await page.waitForSelector('html[data-ready]').catch(async (error) => {
      const seen = await page.evaluate(() => ({
        turn: document.getElementById('turn')?.textContent,
        loaded: performance.getEntriesByType('resource').map(({name}) => name.split('/').at(-1)),
        marks: performance.getEntriesByType('mark').map(({name}) => name),
      }));
      const workers = page.workers().length;
      throw new Error(`the page is not ready: ${JSON.stringify({...seen, workers, complaints: page.complaints})}`, {cause: error});
    });
    return page;
  };
  return {
    open,
    url: server.url,
    browser,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

// {browser, visit} for the tests of a file: a browser from before the first until after the last, and test() of one page
// that it opens, which must not have complained at its end. `server`: makes that of startBrowser() before the first.
export function visits(server = () => null) {
  const browser = {};
  before(async () => Object.assign(browser, await startBrowser(await server())));
  after(() => browser.close?.());
  const visit = (name, where, look) => test(name, async () => {
    const page = await browser.open(...where);
    await look(page);
    await finish(page);
  });
  return {browser, visit};
}

export async function finish(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

export async function shoot(page, name) {
  await page.waitForTimeout(900);  // until nothing moves
  await page.screenshot({path: path.join(kScreenshots, `${name}.png`), fullPage: true});
}

// setting: {who, simulations, exact}
export async function seat(page, index, {who, simulations, exact}) {
  const form = page.locator(`[data-seat="${index}"]`);
  await form.locator('[name=who]').selectOption(who);
  if (simulations !== undefined) await form.locator('[name=simulations]').selectOption(String(simulations));
  if (exact !== undefined) await form.locator('[name=exact]').setChecked(exact);
}
export async function twoPeople(page) {
  await seat(page, 0, {who: 'human'});
  await seat(page, 1, {who: 'human'});
}

export function target(page, move) {
  return page.locator(move.length === 2 ? `[data-square="${'abcd'.indexOf(move[0]) + 4 * (move[1] - 1)}"]` :
                                          `[data-piece="${parseInt(move, 16)}"]`);
}

// The three ways to move.
export const ways = {
  async tap(page, move) {
    const touch = await page.evaluate(() => navigator.maxTouchPoints > 0);
    await (touch ? target(page, move).tap() : target(page, move).click());
  },
  async drag(page, move) {
    const from = move.length === 2 ? page.locator('#hand') : target(page, move);
    const to = move.length === 2 ? target(page, move) : page.locator('#hand');
    const middle = async (locator) => {
      const box = await locator.boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [a, b] = [await middle(from), await middle(to)];
    await page.mouse.move(...a);
    await page.mouse.down();
    await page.mouse.move((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, {steps: 3});
    await page.mouse.move(...b, {steps: 3});
    await page.mouse.up();
  },
  async type(page, move) {
    for (const key of move) await page.keyboard.press(key);
  },
  // Moves the focus there with Tab and arrows alone.
  async arrows(page, move) {
    const place = move.length === 2;
    await page.locator(`${place ? '#board' : '#tray'} [tabindex="0"]`).focus();
    const order = place ? [...Array(16).keys()] : [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];
    const width = place ? 4 : 8;
    const goal = order.indexOf(place ? 'abcd'.indexOf(move[0]) + 4 * (move[1] - 1) : parseInt(move, 16));
    const here = () => page.evaluate(() => {
      const {square, piece} = document.activeElement.dataset;
      return Number(square ?? piece);
    });
    for (let at = order.indexOf(await here()); at !== goal; at = order.indexOf(await here())) {
      const key = at % width < goal % width ? 'ArrowRight' : at % width > goal % width ? 'ArrowLeft' :
          at < goal ? 'ArrowDown' : 'ArrowUp';
      await page.keyboard.press(key);
    }
    await page.keyboard.press('Enter');
  },
};

export async function moves(page) {
  return page.evaluate(() => [...document.querySelectorAll('.move')].map((b) => b.textContent.replace(/[?\s]/g, '')));
}
export async function waitForMoves(page, count) {
  await page.waitForFunction((n) => document.querySelectorAll('.move').length >= n, count);
}
// Lists in window.questions what the page asks its workers from now on: {kind, answer}. The answer is the worker's last
// word: 'done', 'cancelled' or 'error'; null until it has come. For untilAnswered().
export async function listQuestions(page) {
  await page.evaluate(() => {
    const questions = window.questions = [], heard = new Set();
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function(message, ...rest) {
      // Hears after the page, whose listener was there before: an answer that is in the list is one that the page has.
      if (!heard.has(this)) {
        this.addEventListener('message', ({data: {id, kind}}) => {
          const question = questions.find((q) => q.worker === this && q.id === id);
          if (question && kind !== 'partial') question.answer = kind;
        });
      }
      heard.add(this);
      const {id, kind} = message;
      if (kind !== 'cancel') questions.push({worker: this, id, kind, answer: null});
      post.call(this, message, ...rest);
    };
  });
}
// Until no move that an engine was asked for can come to the board any more: all are answered, however long that took.
// The page holds a move back for 900 ms at most, and a timer that is set later and for longer ends later.
export async function untilAnswered(page) {
  await page.waitForFunction(() => {
    const asked = questions.filter(({kind}) => kind === 'move');
    return asked.length > 0 && asked.every(({answer}) => answer !== null);
  });
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1000)));
}
// Announced to those who do not see it.
export function turn(page) {
  return page.locator('#turn[role=status]').textContent();
}

export function news(page) {
  return page.locator('#news').textContent();
}

export function hash(page) {
  return page.evaluate(() => location.hash);
}

export async function reload(page) {
  await page.reload();
  await page.waitForSelector('html[data-ready]');
}

// Into the field that is open.
export async function paste(page, text) {
  await page.locator('#paste-text').fill(text);
  await page.locator('#paste-ok').click();
}
export async function waitForEnd(page) {
  await page.waitForSelector('body[data-over="true"]', {timeout: 120_000});
}
