// The server that the page comes from, if it is `quartozero serve` and answers questions: its networks as players. Any
// other host has the file server.json of the page itself, which says that there is no such server.

import {Cancelled} from './remote.js';

const kPatienceMs = 5000;  // without its networks the page begins anyway

// A Server, or null.
export async function findServer() {
  try {
    const signal = AbortSignal.timeout(kPatienceMs);
    const response = await fetch(new URL('server.json', import.meta.url), {signal});
    const {api} = response.ok ? await response.json() : {};
    if (typeof api !== 'string') return null;
    const url = new URL(`${api}/`, import.meta.url);
    const {networks} = await (await fetch(new URL('networks', url), {signal})).json();
    return new Server(url, networks.filter(({name}) => name !== 'uniform'));
  } catch {
    return null;  // offline, or too slow
  }
}

export class Server {
  constructor(url, networks) {
    this.url = url;
    this.networks = networks.map(({name, rules, info}) => ({name: `server:${name}`, rules, extra: info}));
  }

  // As Remote.ask('move', ...). Rejects with Cancelled, or with an Error whose message is the server's.
  async ask(_kind, {position, rules, seat}, {signal} = {}) {
    try {
      const response = await fetch(new URL('move', this.url), {
        method: 'POST',
        signal,
        headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({
          position, rules, network: seat.server, simulations: seat.simulations, exact_squares: seat.exactSquares,
        }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.error?.message ?? `the server answered ${response.status}`);
      return answer;
    } catch (error) {
      if (signal?.aborted) throw new Cancelled();
      throw error instanceof TypeError ? new Error('the server does not answer') : error;
    }
  }
}
