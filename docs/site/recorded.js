// In the place of web/dashboard/source.js: a run that has ended, out of the server's replies (docs/dashboard.md). To record
// that of `make demo`, ask `quartozero serve --runs runs/demo`:
//
//   curl URL/api/v1/runs > runs.json; curl URL/api/v1/runs/metrics/0/demo > metrics.json

const read = async (name) => (await fetch(name)).json();

export class Source {
  constructor(onChange) {
    Object.assign(this, {runs: new Map(), shown: new Set()});
    document.getElementById('connection').textContent = 'Recorded';
    document.getElementById('game-values').hidden = true;  // the server would compute them
    Promise.all([read('runs.json'), read('metrics.json')]).then(([{runs: [run]}, {lines}]) => {
      this.runs.set(run.name, {...run, playable: false, lines});
      onChange();
    });
  }

  show(names) { this.shown = new Set(names); }
}
