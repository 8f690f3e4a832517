// The site of `make site` in a browser, as a visitor uses it.
import assert from 'node:assert/strict';
import path from 'node:path';
import {test} from 'node:test';

import {moves, visits, waitForMoves, ways} from '../web/browser.js';
import {kRoot} from '../web/positions.js';
import {serve} from '../web/server.js';

const {browser} = visits(() => serve({'': path.join(kRoot, 'build-site')}));

// From the start page by a link of it, if one is named. What a page complains about, or asks of another host, fails the test.
function visit(link, look) {
  test(link || 'a search', async () => {
    const context = await browser.browser.newContext({serviceWorkers: 'block'});
    // Browsers ask for it when a page has no icon, as doxygen's have none.
    await context.route('**/favicon.ico', (route) => route.fulfill({status: 204}));
    const page = await context.newPage();
    const complaints = [];
    page.on('console', (m) => m.type() === 'error' && complaints.push(m.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => request.url().startsWith(browser.url) || complaints.push(request.url()));
    await page.goto(browser.url);
    if (link) await page.locator('.document').getByRole('link', {name: link}).click();
    await look(page);
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

visit('Play in the browser', async (page) => {
  await page.waitForSelector('html[data-ready]');
  await ways.tap(page, 'C');
  await waitForMoves(page, 3);  // the engine places and gives
  assert.equal((await moves(page))[0], 'C');
});

visit('', async (page) => {
  await page.getByPlaceholder('Search docs').fill('equivariant');
  await page.keyboard.press('Enter');
  await page.locator('#search-results').getByRole('link', {name: 'Documentation'}).click();
  await page.getByText('a network whose output for an image').waitFor();
});

visit('What it is, and how to start', (page) => page.getByRole('heading', {name: 'Tasks'}).waitFor());

visit('All pages, and a glossary', (page) => page.getByRole('heading', {name: 'Glossary'}).waitFor());

visit('The Python package', (page) => page.locator('[id="quartozero.Player.choose"]').waitFor());

visit('The C++ library', async (page) => {
  await page.getByRole('link', {name: 'light_player.h'}).click();
  await page.getByRole('link', {name: 'quarto::LightPlayer', exact: true}).click();
  await page.getByRole('heading', {name: 'Detailed Description'}).waitFor();
});

visit('A training run of two minutes', async (page) => {
  await page.waitForSelector('.plot canvas');
  assert.match(await page.locator('.facts').textContent(), /iteration 25 .* deep 8\d\.\d%/);
  await page.locator('#game-back').click();
});
