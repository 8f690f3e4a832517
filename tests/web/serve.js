// `quartozero-serve` with the page, as a user starts it.
import {spawn} from 'node:child_process';
import path from 'node:path';

import {kPage, kRoot} from './positions.js';

const kServe = process.env.QUARTOZERO_SERVE ?? path.join(kRoot, 'build/quartozero-serve');

export function startServe(...options) {
  return startServer(kServe, '--port', '0', '--threads', '1', '--web', kPage, ...options);
}

// {url, close()} of a program that says "listening on URL".
export async function startServer(program, ...args) {
  const child = spawn(program, args, {stdio: ['ignore', 'pipe', 'pipe']});
  let said = '';
  const url = await new Promise((resolve, reject) => {
    const listen = (data) => {
      said += data;
      const found = /listening on (http:\S+)/.exec(said);
      if (found) resolve(`${found[1]}/`);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${program} ended with ${code}: ${said}`)));
  });
  return {
    url,
    close: () => new Promise((done) => {
      child.removeAllListeners('exit');
      child.on('exit', done);
      child.kill('SIGTERM');
    }),
  };
}
