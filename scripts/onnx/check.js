// Runs an exported network in ONNX Runtime:
//
//     node check.js MODEL.onnx INPUT OUTPUT COUNT
//
// INPUT holds COUNT positions as raw little-endian floats, planes or counts. OUTPUT receives, for each position,
// the 16 place logits, the 16 give logits and the 3 outcome logits, raw likewise. Positions are evaluated in batches of
// several sizes, 1 among them, because the batch is a free dimension of the file.
'use strict';
const fs = require('fs');
const ort = require('onnxruntime-node');

const kHeads = ['place', 'give', 'outcome'];
const kBatches = [1, 7, 16];

async function main() {
  const [model, input, output, countText] = process.argv.slice(2);
  const count = Number(countText);
  if (!Number.isInteger(count) || count < 1) throw new Error('usage: check.js MODEL.onnx INPUT OUTPUT COUNT');
  const bytes = fs.readFileSync(input);
  const numbers = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const size = numbers.length / count;
  if (!Number.isInteger(size)) throw new Error(`${input} does not hold ${count} positions`);

  const session = await ort.InferenceSession.create(model, {intraOpNumThreads: 1, interOpNumThreads: 1});
  const [name] = session.inputNames;
  const rows = [];
  for (let begin = 0, k = 0; begin < count; ++k) {
    const n = Math.min(kBatches[k % kBatches.length], count - begin);
    const data = numbers.subarray(begin * size, (begin + n) * size);
    const sizes = name === 'planes' ? [n, size / 16, 4, 4] : [n, size];
    const feeds = {[name]: new ort.Tensor('float32', data, sizes)};
    const results = await session.run(feeds);
    for (let i = 0; i < n; ++i) {
      for (const head of kHeads) {
        const width = results[head].dims[1];
        rows.push(results[head].data.subarray(i * width, (i + 1) * width));
      }
    }
    begin += n;
  }
  const out = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of rows) {
    out.set(row, at);
    at += row.length;
  }
  fs.writeFileSync(output, Buffer.from(out.buffer));
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
