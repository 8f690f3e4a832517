// How a seat's move is asked of the engine.
import assert from 'node:assert/strict';
import test from 'node:test';

import {moveFor} from '../../web/page/player.js';

const kSeat = {network: 'zero', simulations: 0, exactSquares: 11, exactSeconds: 60, sharp: true};
const kPosition = '0.1./4.../F.2./.... 5';

// The tools of a worker whose engine needs so many slices for sharp play.
function toolsWith(slices, complete = true) {
  const counts = {asked: 0, checked: 0};
  const engine = {choose: () => ({move: 'a1', by: 'exact', complete: ++counts.asked >= slices})};
  return {counts, engine, solve: async () => ({complete}), check: async () => void ++counts.checked};
}

test('sharp play gets as many slices as it needs, and may be cancelled between them', async () => {
  const tools = toolsWith(3);
  const {move, exact, complete} = await moveFor(tools, kPosition, kSeat);
  assert.deepEqual([move, exact, complete], ['a1', true, undefined]);
  assert.deepEqual(tools.counts, {asked: 3, checked: 3});
});

test('where the values are not all known nothing sharper is waited for', async () => {
  const tools = toolsWith(3, false);
  await moveFor(tools, kPosition, kSeat);
  assert.equal(tools.counts.asked, 1);
});
