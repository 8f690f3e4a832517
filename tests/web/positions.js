// Positions with known exact values, out of the project's suites, and where things are.
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {kBooks, kNetworks} from '../../web/page/files.js';

export const kRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const kPage = path.resolve(process.env.QUARTOZERO_WEB ?? path.join(kRoot, 'build-web'));
export const kNative = path.resolve(process.env.QUARTOZERO_WEB_NATIVE ?? path.join(kRoot, 'build/tests/web/web_engine'));
export {kBooks, kNetworks};

export {indexOf} from '../../web/page/notation.js';

// [{position, value, values: Map from move to value}]
export function suite(name, rules = 'lines') {
  const folder = rules === 'lines' ? '' : rules;
  const text = fs.readFileSync(path.join(kRoot, 'eval/suites', folder, `${name}.tsv`), 'utf8');
  return text.split('\n').filter((line) => /^[0-9A-F.]{4}\//.test(line)).map((line) => {
    const [position, value, moves] = line.split('\t');
    const values = new Map(moves.split(' ').map((entry) => {
      const [move, v] = entry.split(':');
      return [move, Number(v)];
    }));
    return {position, value: Number(value), values};
  });
}

// Every n-th, so that all kinds are among them.
export function some(list, count) {
  const step = Math.max(1, Math.floor(list.length / count));
  return list.filter((_, i) => i % step === 0).slice(0, count);
}
