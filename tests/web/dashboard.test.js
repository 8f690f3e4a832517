// The dashboard of training runs, from `quartozero serve --runs`, while runs go on, stop, are resumed and break.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';

import {finish, shoot, turn, visits} from './browser.js';
import {besideAgreement, kAxes, seedNote} from '../../web/dashboard/series.js';
import {kPage, kRoot} from './positions.js';
import {startServer} from './serve.js';

const kProgram = process.env.QUARTOZERO ?? path.join(kRoot, 'build/quartozero');
// A drawn game; its sixteenth move, 8 on c2, throws a draw away.
const kGame = 'F d2 2 a2 3 a1 B b2 C c4 5 d4 0 c3 8 c2 7 c1 9 d3 6 b3 4 d1 D b1 1 a4 E a3 A b4';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'quartozero-runs-'));
const {browser} = visits(() => {
  makeRun('night', {batch: 256, iterations: 30, quality: 0.8});
  makeRun('sweep/batch-64', {batch: 64, iterations: 20, quality: 0.7});
  return startServer(kProgram, 'serve', '--port', '0', '--threads', '1', '--runs', folder, '--net',
                     `demo=${path.join(kRoot, 'checkpoints/small/model.light')}`, '--web', kPage);
});
after(() => fs.rmSync(folder, {recursive: true}));

function line(iteration, quality) {
  const learned = 1 - Math.exp(-iteration / 8);
  return `${JSON.stringify({
    iteration, seconds: 12 * iteration, games: 600 * iteration, step: 150 * iteration, positions: 20000 * iteration,
    loss: 2.2 - learned, loss_place: 1.9 - learned / 2, loss_give: 1.6 - learned / 3, loss_outcome: 0.7 - learned / 3,
    games_per_s: 150 + 5 * Math.sin(iteration), evaluations_per_s: 29000, lr: 0.001, gradient_norm: 1,
    network_share: 0.6, tree_share: 0.3, batch: 62, cache_hits: 0.5, replay: 250000, game: kGame, game_result: 'draw',
    limit: "the network's arithmetic limits self-play: 59% of its time",
    ...(iteration % 5 === 0 ? {
      agreement: {deep: quality * learned, decisive: (quality + 0.1) * learned},
      agreement_interval: {deep: [quality * learned - 0.05, quality * learned + 0.04]},
      agreement_levels: {random: {deep: 0.31, decisive: 0.4}, oneply: {deep: 0.52, decisive: 0.7}},
    } : {}),
  })}\n`;
}

function makeRun(name, {batch, iterations, quality}) {
  const run = path.join(folder, name);
  fs.mkdirSync(path.join(run, 'checkpoint'), {recursive: true});
  fs.writeFileSync(path.join(run, 'config.yaml'), `learner:\n  batch: ${batch}\n`);
  fs.writeFileSync(path.join(run, 'checkpoint/state.json'), '{"finished": false}');
  let text = '';
  for (let i = 1; i <= iterations; ++i) text += line(i, quality);
  fs.writeFileSync(path.join(run, 'metrics.jsonl'), text);
}

const metrics = (name) => path.join(folder, name, 'metrics.jsonl');
const facts = (page, name) => page.locator('.run', {hasText: name}).locator('.facts').textContent();

async function open(size, options) {
  const page = await browser.open(size, 'runs/', options);
  await page.waitForSelector('.plot canvas');
  return page;
}

test('shows the runs, their curves and the settings that differ', async () => {
  const page = await open('desktop');
  assert.equal(await page.locator('#connection').textContent(), 'Live');
  assert.match(await facts(page, 'night'), /iteration 30 · 6 min 0 s · 18,000 games · decisive 8\d\.\d% · deep 7\d\.\d%/);
  const captions = await page.locator('.plot figcaption').allTextContents();
  for (const wanted of ['deep', 'decisive', 'place', 'games a second']) {
    assert.ok(captions.some((c) => c.startsWith(wanted)), `${wanted} is not among ${captions}`);
  }
  const settings = await page.locator('#settings tbody tr').allTextContents();
  assert.deepEqual(settings, ['learner.batch25664']);
  await shoot(page, 'dashboard-desktop');
  // Without one of them nothing differs, and its curves are gone.
  await page.getByRole('checkbox', {name: 'sweep/batch-64'}).uncheck();
  await page.waitForSelector('#settings details');
  await page.waitForFunction(() => document.querySelector('.readout').querySelectorAll('.dot').length === 1);
  await finish(page);
});

const measured = (name, ...shares) => ({
  name,
  lines: shares.map((deep, iteration) => ({iteration, agreement: {deep}})),
});

test('an agreement is drawn from the floor to 100%, with intervals and the levels of simple players', async () => {
  const run = measured('a', 0.33, 0.9);
  const [axis] = kAxes;
  assert.equal(besideAgreement([run], axis, 'deep').floor, 0.3);
  run.lines[0].agreement_interval = {deep: [0.28, 0.38]};
  run.lines[1].agreement_levels = {random: {deep: 0.31, decisive: 0.4}, oneply: {deep: 0.52}};
  assert.deepEqual(besideAgreement([measured('old', 0.5), run], axis, 'deep@32').levels,
                   [{name: 'one-ply rule', share: 0.52}, {name: 'random play', share: 0.31}]);
  assert.deepEqual(besideAgreement([run], axis, 'deep'), {
    levels: [{name: 'one-ply rule', share: 0.52}, {name: 'random play', share: 0.31}], intervals: [[[0, 0.28, 0.38]]], floor: 0.2,
  });
  // In the picture: the grey of the levels and the bars lie where no curve is.
  const page = await open('desktop');
  const drawn = await page.evaluate(() => {
    const canvas = [...document.querySelectorAll('.plot')].find((plot) => plot.textContent.startsWith('deep')).querySelector('canvas');
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let bars = 0;
    for (let i = 0; i < data.length; i += 4) bars += data[i + 3] > 120 && data[i + 3] < 160 && data[i + 2] > data[i] + 60;
    return bars;
  });
  assert.ok(drawn > 20, `${drawn} pixels of bars`);
  await finish(page);
});

test('a difference that seeds alone make is called so', async () => {
  assert.equal(seedNote([measured('a', 0.9)]), '');
  assert.equal(seedNote([measured('a', 0.9), {name: 'b', lines: [{iteration: 1}]}]), '');
  assert.match(seedNote([measured('a', 0.8, 0.85), measured('b', 0.865)]), /^b, a: 1\.5 points of deep apart, within the noise of seeds/);
  assert.match(seedNote([measured('a', 0.8), measured('b', 0.85)]), /^b leads by 5\.0 points of deep: more than the noise of seeds/);
  const page = await open('desktop');
  assert.match(await page.locator('.seeds').textContent(), /^night leads by \d+\.\d points of deep/);
  await page.getByRole('checkbox', {name: 'sweep/batch-64'}).uncheck();
  await page.waitForFunction(() => document.querySelector('.seeds').textContent === '');
  await finish(page);
});

test('draws what is there: the curves of both runs, in their colours', async () => {
  const page = await open('desktop');
  await page.waitForFunction(() => {
    const canvas = document.querySelector('.plot canvas');
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = {'0,114,178': 0, '213,94,0': 0};
    for (let i = 0; i < data.length; i += 4) {
      const key = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      if (data[i + 3] > 250 && key in seen) ++seen[key];
    }
    return Object.values(seen).every((pixels) => pixels > 50);
  });
  await finish(page);
});

test('follows a run without a reload, also when it is resumed from an earlier checkpoint', async () => {
  const page = await open('desktop');
  fs.appendFileSync(metrics('night'), line(31, 0.8));
  await page.waitForFunction(() => document.querySelector('#runs').textContent.includes('iteration 31'));
  await page.waitForFunction(() => [...document.querySelector('#game-iteration').options].some(({value}) => value === '31'));
  // Resumed: the lines after the checkpoint are written again, with other numbers.
  const kept = fs.readFileSync(metrics('night'), 'utf8').split('\n').slice(0, 25).join('\n');
  fs.writeFileSync(metrics('night'), `${kept}\n${line(26, 0.5)}`);
  await page.waitForFunction(() => document.querySelector('#runs').textContent.includes('iteration 26'));
  await page.waitForFunction(() => ![...document.querySelector('#game-iteration').options].some(({value}) => value === '31'));
  makeRun('another', {batch: 128, iterations: 3, quality: 0.6});
  await page.waitForFunction(() => document.querySelector('#runs').textContent.includes('another'));
  await finish(page);
});

test('shows a game of the first run, whichever was read first', async () => {
  const page = await open('desktop');
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route('**/runs/metrics/*/night', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await page.waitForFunction(() => [...document.querySelector('#game-run').options].some(({value}) => value === 'sweep/batch-64'));
  const names = await page.locator('.run').evaluateAll((runs) => runs.map((run) => run.textContent));
  const before = names.findIndex((text) => text.includes('night')) < names.findIndex((text) => text.includes('batch-64'));
  assert.ok(before, 'the test needs night to be the first of the two');
  assert.equal(await page.locator('#game-run').inputValue() === 'night', false);
  release();
  await page.waitForFunction(() => [...document.querySelector('#game-run').options].some(({value}) => value === 'night'));
  await page.waitForFunction(() => document.querySelector('#game-run').value !== 'sweep/batch-64');
  // A run that somebody has chosen stays.
  await page.locator('#game-run').selectOption('sweep/batch-64');
  fs.appendFileSync(metrics('night'), line(33, 0.8));
  await page.waitForFunction(() => document.querySelector('#runs').textContent.includes('iteration 33'));
  assert.equal(await page.locator('#game-run').inputValue(), 'sweep/batch-64');
  await finish(page);
});

test('asks once for what cannot be read to its end', async () => {
  makeRun('torn', {batch: 256, iterations: 5, quality: 0.5});
  fs.appendFileSync(metrics('torn'), '{"iteration": 6, "lo');  // as a crash, or a writer, leaves it
  const page = await open('desktop');
  const asked = [];
  page.on('request', (request) => request.url().includes('/torn') && asked.push(request.url()));
  await page.reload();
  await page.waitForFunction(() => document.querySelector('#runs').textContent.includes('torn'));
  await page.waitForSelector('.plot canvas');
  fs.appendFileSync(metrics('night'), line(35, 0.8));  // an event that is about another run
  await page.waitForFunction(() => document.querySelector('#runs').textContent.includes('iteration 35'));
  assert.ok(asked.length <= 2, `${asked.length} requests`);
  fs.appendFileSync(metrics('torn'), 'ss": 1}\n');
  await page.waitForFunction(() => [...document.querySelectorAll('.run')].some((run) =>
      run.textContent.includes('torn') && run.textContent.includes('iteration 6')));
  fs.rmSync(path.join(folder, 'torn'), {recursive: true});
  await finish(page);
});

test('says which run is damaged, and shows the others', async () => {
  makeRun('broken', {batch: 256, iterations: 5, quality: 0.5});
  fs.appendFileSync(metrics('broken'), '{"iteration": 6, "lo\n');
  makeRun('bad-settings', {batch: 256, iterations: 5, quality: 0.5});
  fs.writeFileSync(path.join(folder, 'bad-settings/config.yaml'), 'learner: [');
  const page = await open('desktop');
  await page.waitForFunction(() => document.querySelectorAll('[data-state="damaged"]').length === 2);
  const problems = (await page.locator('.problem').allTextContents()).join(' ');
  assert.match(problems, /1 of its last lines are not JSON/);
  assert.match(problems, /config\.yaml/);
  assert.match(await facts(page, 'night'), /iteration \d+/);
  fs.rmSync(path.join(folder, 'broken'), {recursive: true});
  fs.rmSync(path.join(folder, 'bad-settings'), {recursive: true});
  await page.waitForFunction(() => document.querySelectorAll('[data-state="damaged"]').length === 0);
  await finish(page);
});

test('shows a game of self-play, with the exact value of its moves', async () => {
  const page = await open('desktop');
  const moves = kGame.split(' ');
  await page.locator('#game-run').selectOption('night');
  assert.equal(await page.locator('#game-moves li').count(), moves.length);
  assert.equal(await page.locator('#game-result').textContent(), 'Result: draw');
  assert.equal(await page.locator('.game-square svg').count(), 16);
  await page.locator('#game-back').click();
  assert.equal(await page.locator('.game-square svg').count(), 15);
  assert.equal(await page.locator('.game-hand svg').count(), 1);
  await page.locator('#game-values').click();
  const thrown = page.locator('#game-moves li').nth(15).locator('small');
  await thrown.waitFor();
  assert.equal(await thrown.textContent(), 'loss, draw thrown away');
  assert.equal(await page.locator('#game-moves li').nth(moves.length - 1).locator('small').textContent(), 'draw');
  await page.locator('#game-moves button').nth(15).click();
  assert.match(await page.locator('#game-said').textContent(), /c2: loss for whoever made it, where d1 or d3 keeps the draw/);
  // A new game does not take this one away.
  fs.appendFileSync(metrics('night'), line(40, 0.8));
  await page.waitForFunction(() => document.querySelector('#game-iteration').options[0].value === '40');
  assert.match(await page.locator('#game-said').textContent(), /c2/);
  await finish(page);
});

test('its weights can be played against, on the page', async () => {
  const best = path.join(folder, 'night', 'best');
  fs.cpSync(path.join(kRoot, 'checkpoints/small'), best, {recursive: true});
  const page = await open('desktop');
  await page.locator('.run', {hasText: 'night'}).locator('a.play').click();
  await page.waitForFunction(() => document.querySelector('[data-seat="1"] [name=who]')?.value === 'server:run.night');
  assert.match(await turn(page), /You/);
  fs.rmSync(best, {recursive: true});
  await page.context().close();
});

test('without the page to play on it says how to play', async () => {
  const best = path.join(folder, 'night', 'best');
  fs.cpSync(path.join(kRoot, 'checkpoints/small'), best, {recursive: true});
  const own = await startServer(kProgram, 'serve', '--port', '0', '--threads', '1', '--runs', folder);
  const page = await open('desktop');
  const run = page.locator('.run', {hasText: 'night'});
  assert.equal(await run.locator('details.play').isVisible(), false);
  await page.goto(`${own.url}runs/`);
  await run.locator('summary').click();
  assert.match(await run.locator('details.play').textContent(), /make web.*--web build-web.*play --opponent net:DIR\/night\/best/);
  assert.equal(await run.locator('a.play').isVisible(), false);
  assert.equal(await page.locator('.run', {hasText: 'batch-64'}).locator('details.play').isVisible(), false);
  await own.close();
  fs.rmSync(best, {recursive: true});
  await page.context().close();  // its server is gone
});

test('the axis changes, and the choice of runs stays', async () => {
  const page = await open('desktop');
  await page.locator('#axis').selectOption('minutes');
  await page.waitForFunction(() => document.querySelector('.plot canvas'));
  await page.locator('.plot .u-over').first().hover();
  await page.waitForFunction(() => /minutes/.test(document.querySelector('.readout').textContent));
  await finish(page);
});

test('comes back when the server does', async () => {
  // Below the ports that the system gives away, so that nobody else gets it meanwhile.
  const port = 20000 + Math.floor(Math.random() * 10000);
  const start = () => startServer(kProgram, 'serve', '--port', port, '--threads', '1', '--runs', folder);
  const own = await start();
  const page = await open('desktop');
  await page.goto(`${own.url}runs/`);
  await page.waitForSelector('.run');
  await own.close();
  await page.waitForSelector('#connection[data-connected="false"]');
  const again = await start();
  await page.waitForSelector('#connection[data-connected="true"]');
  await page.context().close();  // it has complained, rightly
  await again.close();
});

test('fits a phone, and the dark', async () => {
  const phone = await open('phone');
  const width = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} pixels wide`);
  await shoot(phone, 'dashboard-phone');
  await finish(phone);
  const dark = await open('desktop', {colorScheme: 'dark'});
  const background = await dark.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(background, 'rgb(21, 23, 27)');
  await shoot(dark, 'dashboard-dark');
  await finish(dark);
});

test('uPlot, which the program contains, is the package of npm as it is', () => {
  for (const file of ['uPlot.iife.min.js', 'uPlot.min.css']) {
    const own = fs.readFileSync(path.join(kRoot, 'web/dashboard/vendor', file));
    assert.ok(own.equals(fs.readFileSync(new URL(`node_modules/uplot/dist/${file}`, import.meta.url))), file);
  }
});
