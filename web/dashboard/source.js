// The server's runs, kept up to date: their states by server-sent events, the metrics of those that are shown by asking
// for what has been added.

const kApi = new URL('/api/v1/', location.href);
const kRetryMs = 5000;

export class Source {
  // onChange(): something is new. onConnection(true or false).
  constructor(onChange, onConnection) {
    this.runs = new Map();  // by name: what the server says, and {lines, next, asking}
    this.shown = new Set();
    Object.assign(this, {onChange, onConnection});
    this.connect();
  }

  connect() {
    const events = new EventSource(new URL('runs/events', kApi));
    events.addEventListener('open', () => this.onConnection(true));
    events.addEventListener('runs', ({data}) => this.take(JSON.parse(data)));
    events.addEventListener('error', () => {
      this.onConnection(false);
      // After a reply that is no stream the browser does not try again by itself.
      if (events.readyState === EventSource.CLOSED) setTimeout(() => this.connect(), kRetryMs);
    });
  }

  take({names, runs}) {
    for (const name of [...this.runs.keys()]) {
      if (!names.includes(name)) this.runs.delete(name);
    }
    for (const run of runs) {
      const known = this.runs.get(run.name) ?? {lines: [], next: 0, asking: false};
      if (run.bytes === 0) Object.assign(known, {lines: [], next: 0});
      this.runs.set(run.name, Object.assign(known, run));
    }
    this.runs = new Map(names.filter((n) => this.runs.has(n)).map((n) => [n, this.runs.get(n)]));
    for (const {name} of runs) this.ask(name);
    this.onChange();
  }

  show(names) {
    this.shown = new Set(names);
    for (const name of names) this.ask(name);
  }

  // Reads on where it stopped.
  async ask(name) {
    const run = this.runs.get(name);
    if (!run || run.asking || run.bytes === run.next || !this.shown.has(name)) return;
    run.asking = true;
    try {
      for (let more = true; more;) {
        const path = name.split('/').map(encodeURIComponent).join('/');
        const response = await fetch(new URL(`runs/metrics/${run.next}/${path}`, kApi));
        if (!response.ok) break;
        const piece = await response.json();
        if (piece.from < run.next) run.lines = [];  // a resumed run has cut the file
        for (const line of piece.lines) {
          // A resumed run writes again what came after its checkpoint.
          while (run.lines.length > 0 && run.lines.at(-1).iteration >= line.iteration) run.lines.pop();
          run.lines.push(line);
        }
        more = piece.more && piece.next > run.next;
        run.next = piece.next;
      }
    } catch {
      // The server is away: the next event asks again.
    }
    run.asking = false;
    this.onChange();
  }
}
