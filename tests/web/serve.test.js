// The page from `quartozero serve`: its safe headers, its networks as players; and the page's own security policy.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';

import {moves, news, reload, seat, shoot, turn, visits, waitForMoves, ways} from './browser.js';
import {kPage, kRoot} from './positions.js';
import {startServe} from './serve.js';

const kNetwork = path.join(kRoot, 'checkpoints/small/model.light');
const {browser, visit} = visits(() => startServe('--net', `night=${kNetwork}`));

// {directive: [source]}
function directives(policy) {
  const parts = policy.split(';').map((part) => part.trim().split(/\s+/));
  return Object.fromEntries(parts.map(([name, ...sources]) => [name, sources]));
}

test('the policy that the server sends is the one that the page has on any host', async () => {
  const sent = directives((await fetch(browser.url)).headers.get('content-security-policy'));
  const html = fs.readFileSync(path.join(kPage, 'index.html'), 'utf8');
  const own = directives(/Content-Security-Policy" content="([^"]*)"/.exec(html)[1]);
  delete sent['frame-ancestors'];  // has no effect but in a header
  assert.deepEqual(own, sent);
});

test('the policy is in force: nothing inline, nothing from elsewhere', async () => {
  const page = await browser.open('desktop');
  const violated = await page.evaluate(async () => {
    const seen = [];
    document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    const marked = document.createElement('div');
    marked.innerHTML = '<p style="color: red" onclick="1">x</p>';
    document.body.append(marked);
    await fetch('http://localhost:1/').catch(() => {});
    const image = new Image();
    await new Promise((done) => {
      image.onerror = image.onload = done;
      image.src = 'http://localhost:1/x.png';
    });
    try {
      eval('window.ran = true');
    } catch {
      seen.push('eval');
    }
    await new Promise((done) => setTimeout(done));
    return {seen, ran: window.ran};
  });
  assert.equal(violated.ran, undefined);
  for (const directive of ['script-src-elem', 'style-src-attr', 'connect-src', 'img-src', 'eval']) {
    assert.ok(violated.seen.includes(directive), `${directive} is not among ${violated.seen}`);
  }
  await page.context().close();  // it has complained, rightly
});

visit('a whole visit breaks no rule of the policy', ['desktop', '#m=0a17c2Eb3'], async (page) => {
  await page.locator('#analysis-level label', {hasText: 'Everything'}).click();
  await page.waitForSelector('.exact:not([data-value=""])');
  // The bars have their lengths, although the policy allows no styles in HTML.
  await page.waitForFunction(() =>
      new Set([...document.querySelectorAll('.bar span')].map((bar) => Math.round(bar.getBoundingClientRect().width))).size > 1);
  await page.locator('#help-button').click();
  await page.locator('#help button').click();
  await page.locator('#paste').click();
  await page.locator('#paste-cancel').click();
  await page.locator('#new-game').click();
});

visit('the networks of the server are players, and play over HTTP', ['desktop'], async (page) => {
  const offered = await page.locator('[data-seat="1"] optgroup[label="This server"] option').allTextContents();
  assert.deepEqual(offered, ['night (server)']);
  const asked = [];
  page.on('request', (request) => request.url().includes('/api/v1/move') && asked.push(JSON.parse(request.postData())));
  await seat(page, 1, {who: 'server:night', simulations: 32, exact: true});
  await ways.tap(page, 'C');
  await waitForMoves(page, 3);
  assert.deepEqual(asked[0], {
    position: '..../..../..../.... C', rules: 'lines', network: 'night', simulations: 32, exact_squares: 11,
  });
  assert.equal(asked.length, 2);
  assert.match(await news(page), /night \(server\) @32 \+ exact placed on/);
  await shoot(page, 'server-desktop');
});

visit('from this server, too, the page is kept for later', ['desktop', '#m=C', {serviceWorkers: 'allow'}], async (page) => {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await reload(page);
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller !== null), true);
  assert.equal(await page.locator('optgroup[label="This server"]').count(), 2);
});

test('a server that stops answering is told, and the game can go on', async () => {
  const page = await browser.open('desktop');
  await seat(page, 1, {who: 'server:night', simulations: 0});
  const body = '{"error": {"code": "overloaded", "message": "too many computations wait"}}';
  await page.route('**/api/v1/move', (route) => route.fulfill({status: 503, contentType: 'application/json', body}));
  await ways.type(page, 'C');
  await page.waitForFunction(() => document.getElementById('news').textContent.includes('too many computations wait'));
  assert.match(await turn(page), /is to place/);
  await page.unroute('**/api/v1/move');
  await page.locator('#resume').click();
  await waitForMoves(page, 3);
  assert.equal((await moves(page))[0], 'C');
  await page.context().close();  // it has complained of the 503
});
