// The server's runs, kept up to date: their states by server-sent events, the metrics of those that are shown by asking
// for what has been added.

const kApi = new URL('/api/v1/', location.href);
const kRetryMs = 5000;

export class Source {
  // onChange(): something is new. onConnection(true or false).
  constructor(onChange, onConnection) {
    this.runs = new Map();  // by name: what the server says, and {lines, next, asked, asking}
    this.shown = new Set();
    this.events = null;
    Object.assign(this, {onChange, onConnection});
    // A browser has few connections to one server for all of its tabs: a page that nobody sees keeps none.
    document.addEventListener('visibilitychange', () => (document.hidden ? this.disconnect() : this.connect()));
    this.connect();
  }

  connect() {
    if (this.events || document.hidden) return;
    const events = this.events = new EventSource(new URL('runs/events', kApi));
    events.addEventListener('open', () => this.onConnection(true));
    events.addEventListener('runs', ({data}) => this.take(JSON.parse(data)));
    events.addEventListener('error', () => {
      this.onConnection(false);
      // After a reply that is no stream the browser does not try again by itself.
      if (events.readyState !== EventSource.CLOSED) return;
      this.events = null;
      setTimeout(() => this.connect(), kRetryMs);
    });
  }

  disconnect() {
    this.events?.close();
    this.events = null;
  }

  take({names, runs}) {
    for (const name of [...this.runs.keys()]) {
      if (!names.includes(name)) this.runs.delete(name);
    }
    for (const run of runs) {
      const known = this.runs.get(run.name) ?? {lines: [], next: 0, asked: 0, asking: false};
      if (run.bytes === 0) Object.assign(known, {lines: [], next: 0, asked: 0});
      this.runs.set(run.name, Object.assign(known, run));
    }
    this.runs = new Map(names.filter((n) => this.runs.has(n)).map((n) => [n, this.runs.get(n)]));
    this.onChange();
    for (const name of this.shown) this.ask(name);
  }

  show(names) {
    this.shown = new Set(names);
    for (const name of names) this.ask(name);
  }

  // Reads on where it stopped, once for each length that the server has named: a line that is still being written is
  // there with the next.
  async ask(name) {
    const run = this.runs.get(name);
    if (!run || run.asking || run.asked === run.bytes) return;
    run.asking = true;
    const wanted = run.bytes;
    let read = false;
    try {
      for (let more = true; more;) {
        const path = name.split('/').map(encodeURIComponent).join('/');
        const response = await fetch(new URL(`runs/metrics/${run.next}/${path}`, kApi));
        if (!response.ok) throw new Error(`the server answered ${response.status}`);
        const piece = await response.json();
        if (piece.from < run.next) run.lines = [];  // a resumed run has cut the file
        for (const line of piece.lines) {
          // A resumed run writes again what came after its checkpoint.
          while (run.lines.length > 0 && run.lines.at(-1).iteration >= line.iteration) run.lines.pop();
          run.lines.push(line);
        }
        more = piece.more && piece.next > piece.from;
        run.next = piece.next;
      }
      read = true;
    } catch {
      setTimeout(() => this.shown.has(name) && this.ask(name), kRetryMs);
    }
    run.asking = false;
    if (!read) return;
    run.asked = wanted;
    this.onChange();
    this.ask(name);  // if it has grown meanwhile
  }
}
