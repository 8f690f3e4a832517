// Kept for later: the page without its host, and a newer version of it.
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';

import {finish, moves, reload, seat, startBrowser, visits, waitForMoves, ways} from './browser.js';
import {kBooks, kNetworks, kPage, kRoot} from './positions.js';
import {serve} from './server.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'quartozero-page-'));
const {browser, visit} = visits(() => {
  fs.cpSync(kPage, folder, {recursive: true});
  return serve({'': folder});
});
after(() => fs.rmSync(folder, {recursive: true, force: true}));

const kept = {serviceWorkers: 'allow'};
const whenKept = (page) => page.evaluate(async () => {
  await navigator.serviceWorker.ready;
});

test('its version is a checksum of its files, all of which it names', () => {
  const text = fs.readFileSync(path.join(kPage, 'sw.js'), 'utf8');
  const version = /kVersion = '([0-9a-f]{16})'/.exec(text)[1];
  const files = [.../kFiles = \[(.*)\]/.exec(text)[1].matchAll(/'([^']+)'/g)].map((match) => match[1]);
  const sum = createHash('sha256');
  for (const file of files) sum.update(fs.readFileSync(path.join(kPage, file)));
  assert.equal(sum.digest('hex').slice(0, 16), version);
  const needed = [...fs.readdirSync(path.join(kRoot, 'web/page')).filter((file) => file !== 'sw.js'), 'quartozero.wasm', 'rule_sets.js',
                  ...kBooks.map((rules) => `${rules}.book`), ...kNetworks.map((name) => `${name}.light`)];
  assert.deepEqual([...files].sort(), needed.sort());
});

test('what it says of itself makes it installable', async () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(kPage, 'manifest.json'), 'utf8'));
  for (const field of ['name', 'short_name', 'start_url', 'display']) assert.ok(manifest[field], field);
  const page = await browser.open('desktop');
  for (const {src, sizes, type} of manifest.icons) {
    const drawn = await page.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, src);
    if (type === 'image/png') assert.equal(drawn, sizes, src);
  }
  const devtools = await page.context().newCDPSession(page);
  const {errors} = await devtools.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const {installabilityErrors} = await devtools.send('Page.getInstallabilityErrors');
  // Private windows, in which the tests run, install nothing.
  assert.deepEqual(installabilityErrors.filter(({errorId}) => errorId !== 'in-incognito'), []);
  await finish(page);
});

visit('without a network it plays a game and solves positions', ['phone', '', kept], async (page) => {
  await whenKept(page);
  await page.context().setOffline(true);
  await reload(page);
  await seat(page, 1, {who: 'level:expert'});
  await ways.tap(page, 'C');
  await waitForMoves(page, 3);
  assert.equal((await moves(page))[0], 'C');
  await page.locator('#hint').click();
  await page.waitForSelector('.hint');
});

test('it is kept from a host that redirects index.html, too', async () => {
  const clean = await startBrowser(await serve({'': kPage}, {cleanUrls: true}));
  const page = await clean.open('desktop', '', kept);
  await whenKept(page);
  for (const address of ['', 'index.html']) {
    await page.goto(clean.url + address);
    await page.waitForSelector('html[data-ready]');
    assert.equal(await page.evaluate(() => navigator.serviceWorker.controller !== null), true);
  }
  await finish(page);
  await clean.close();
});

test('where something else is at its address now, it gives way', async () => {
  const page = await browser.open('desktop', '', kept);
  await whenKept(page);
  const names = ['sw.js', 'index.html'].map((name) => path.join(folder, name));
  const before = names.map((name) => fs.readFileSync(name));
  fs.rmSync(names[0]);
  fs.writeFileSync(names[1], '<!doctype html><title>Something else</title>');
  await page.reload();
  assert.equal(await page.title(), 'Something else');
  assert.deepEqual(await page.evaluate(() => caches.keys()), []);
  names.forEach((name, i) => fs.writeFileSync(name, before[i]));
  await page.context().close();  // it has complained of the missing files, rightly
});

visit('a newer version waits until it is asked for, and then is all there is', ['desktop', '#m=C', kept], async (page) => {
  await whenKept(page);
  await reload(page);
  const worker = path.join(folder, 'sw.js'), news = path.join(folder, 'index.html');
  const before = [fs.readFileSync(worker, 'utf8'), fs.readFileSync(news, 'utf8')];
  fs.writeFileSync(news, before[1].replace('<title>Quarto</title>', '<title>Quarto, newer</title>'));
  fs.writeFileSync(worker, before[0].replace(/kVersion = '[0-9a-f]+'/, "kVersion = 'newer'"));
  await reload(page);
  await page.locator('#newer').waitFor({state: 'visible'});
  assert.equal(await page.title(), 'Quarto');
  await page.locator('#use-newer').click();
  await page.waitForFunction(() => document.title === 'Quarto, newer');
  await page.waitForSelector('html[data-ready]');
  assert.deepEqual(await moves(page), ['C']);
  await page.waitForFunction(async () => /^quartozero \S+ newer$/.test((await caches.keys()).join()));
  fs.writeFileSync(worker, before[0]);
  fs.writeFileSync(news, before[1]);
});
