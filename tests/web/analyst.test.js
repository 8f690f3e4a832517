// The order of the analyst's questions to its worker, which answers one at a time.
import assert from 'node:assert/strict';
import test from 'node:test';

import {Analyst} from '../../web/page/analyst.js';
import {hintFrom} from '../../web/page/hint.js';
import {Cancelled} from '../../web/page/remote.js';

// Keeps every question, in order, until answer() is called.
class Worker {
  asked = [];
  ask(kind, request, {signal} = {}) {
    return new Promise((resolve, reject) => {
      const question = {kind, ...request, cancelled: false, answer: resolve};
      this.asked.push(question);
      signal?.addEventListener('abort', () => {
        question.cancelled = true;
        reject(new Cancelled());
      });
    });
  }
}

const known = {opinion: {}, search: {}, exact: {complete: true, values: [], placements: [], seconds: 0}};
// Answers are taken in turns of the event loop.
const taken = () => new Promise((resolve) => setImmediate(resolve));

test('a hint does not wait for the analysis, which goes on after it', async () => {
  const worker = new Worker(), analyst = new Analyst(worker, () => {});
  analyst.want(['..../..../..../.... 0'], 'zero', 'lines');
  const hint = hintFrom(analyst, '..../..../..../.... 0', 'lines', 'zero');
  assert.deepEqual(worker.asked.map(({kind, cancelled}) => [kind, cancelled]), [['analyse', true], ['hint', false]]);
  worker.asked[1].answer({move: 'a1', exact: false});
  assert.equal((await hint).move, 'a1');
  assert.equal(worker.asked.length, 3);
  assert.equal(worker.asked[2].kind, 'analyse');
  assert.equal(worker.asked[2].position, '..../..../..../.... 0');
});

test('what a network was thought to say is forgotten with it, whatever its name', async () => {
  for (const name of ['own:net', 'own:my net', 'own:model (1)']) {
    const worker = new Worker(), analyst = new Analyst(worker, () => {});
    const position = '0.../..../..../.... 1';
    analyst.want([position], name, 'lines');
    worker.asked[0].answer(known);
    await taken();
    assert.ok(analyst.isDone(position, name), name);
    analyst.forget(`${name} 2`);
    assert.ok(analyst.isDone(position, name), `${name} is another one`);
    analyst.forget(name);
    assert.ok(!analyst.isDone(position, name), name);
  }
});

test('how far the end is is asked of the position that is looked at alone, also when it was solved before', async () => {
  const worker = new Worker(), analyst = new Analyst(worker, () => {});
  const [first, second] = ['0.../..../..../.... 1', '0.../..../..../.... 2'];
  const solved = {opinion: {}, search: {}, exact: {complete: true, values: [1], seconds: 0}};
  const asked = () => worker.asked.map(({position, placements}) => [position, placements]);
  analyst.want([first, second], 'zero', 'lines');
  worker.asked[0].answer(known);
  await taken();
  worker.asked[1].answer(solved);
  await taken();
  assert.deepEqual(asked(), [[first, true], [second, false]]);
  analyst.want([second, first], 'zero', 'lines');
  assert.deepEqual(asked().slice(2), [[second, true]]);
  assert.ok(analyst.isDone(second, 'zero'), 'its values are known already');
  worker.asked[2].answer(known);
  await taken();
  analyst.want([second, first], 'zero', 'lines');
  assert.equal(worker.asked.length, 3);
});
