// What is drawn over what.

export const kAxes = [
  {key: 'iteration', name: 'iterations', of: (line) => line.iteration},
  {key: 'minutes', name: 'minutes', of: (line) => (line.seconds ?? NaN) / 60},
  {key: 'games', name: 'games', of: (line) => line.games},
  {key: 'step', name: 'learning steps', of: (line) => line.step},
];

const percent = (x) => `${(100 * x).toFixed(1)}%`;
const plain = (digits) => (x) => x.toFixed(digits);
const count = (x) => (x >= 1e6 ? `${(x / 1e6).toFixed(2)}M` : x >= 1e4 ? `${(x / 1e3).toFixed(1)}k` : `${Math.round(x)}`);

// key: of a line of metrics.jsonl; "a.b" is nested.
const kSections = [
  {
    name: 'Agreement with exact play',
    note: 'Share of positions in which the move keeps the value, with its 95% interval. deep and decisive are suites; @32: with 32 simulations.',
    open: true,
    plots: [],  // what was measured
  },
  {
    name: 'Loss',
    open: true,
    plots: [
      {key: 'loss', name: 'total', note: 'of a sample: place or give, and outcome', text: plain(3)},
      {key: 'loss_place', name: 'place', text: plain(3)},
      {key: 'loss_give', name: 'give', text: plain(3)},
      {key: 'loss_outcome', name: 'outcome', text: plain(3)},
    ],
  },
  {
    name: 'Speed',
    open: true,
    plots: [
      {key: 'games_per_s', name: 'games a second', text: plain(1)},
      {key: 'evaluations_per_s', name: 'evaluations a second', text: count},
    ],
  },
  {
    name: 'Learning and matches',
    open: false,
    plots: [
      {key: 'lr', name: 'learning rate', text: (x) => x.toPrecision(3)},
      {key: 'gradient_norm', name: 'gradient norm', text: plain(2)},
      {key: 'match_score', name: 'match against the best so far', text: percent, percent: true},
      {key: 'replay', name: 'samples in the replay buffer', text: count},
    ],
  },
  {
    name: 'Machine',
    open: false,
    plots: [
      {key: 'network_share', name: "network's share of the time", text: percent, percent: true},
      {key: 'tree_share', name: "search tree's share of the time", text: percent, percent: true},
      {key: 'batch', name: 'positions in a batch', text: plain(1)},
      {key: 'cache_hits', name: 'evaluations from the cache', text: percent, percent: true},
      {key: 'store.actors', name: 'actors', text: count},
      {key: 'store.waited_seconds', name: 'seconds waited for games', text: plain(1)},
    ],
  },
];

export function valueAt(line, key) {
  let at = line;
  for (const part of key.split('.')) at = at?.[part];
  return typeof at === 'number' ? at : null;
}

// The sections with the plots for which one of the runs has numbers.
export function sectionsOf(runs) {
  const suites = new Set();
  for (const {lines} of runs) {
    for (const {agreement} of lines) for (const name of Object.keys(agreement ?? {})) suites.add(name);
  }
  const agreement = [...suites].sort().map((name) => ({key: `agreement.${name}`, name, text: percent, percent: true, measured: name}));
  return kSections
      .map((section, i) => ({...section, plots: i === 0 ? agreement : section.plots}))
      .map((section) => ({
        ...section,
        plots: section.plots.filter(({key}) => runs.some(({lines}) => lines.some((line) => valueAt(line, key) !== null))),
      }))
      .filter(({plots}) => plots.length > 0);
}

// What is drawn beside the curves of an agreement: {levels: [{name, share}], intervals: [[x, low, high]] of each run,
// floor}: the axis goes from the floor to 100%. The levels are those of the first run that has them: the sample of
// positions is a run's own.
export function besideAgreement(runs, axis, name) {
  const suite = name.split('@')[0];
  const known = runs.flatMap(({lines}) => lines.filter((line) => line.agreement_levels).slice(-1))[0]?.agreement_levels ?? {};
  const levels = [['one-ply rule', known.oneply], ['random play', known.random]]
      .map(([level, shares]) => ({name: level, share: shares?.[suite]}))
      .filter(({share}) => typeof share === 'number');
  const intervals = runs.map(({lines}) => lines
      .map((line) => [axis.of(line), ...(line.agreement_interval?.[name] ?? [])])
      .filter((bar) => bar.length === 3 && bar.every(Number.isFinite)));
  const shares = runs.flatMap(({lines}) => lines.map((line) => valueAt(line, `agreement.${name}`)).filter((y) => y !== null));
  const lowest = [...shares, ...intervals.flat().map(([, low]) => low), ...levels.map(({share}) => share)].reduce((a, b) => Math.min(a, b), 0.9);
  return {levels, intervals, floor: Math.floor(10 * Math.max(0, lowest)) / 10};
}

// Runs that differ in nothing but the seed differ by one to two points of deep; app/comparing.cpp says the same.
const kSeedNoise = 0.02;

// A sentence about the last deep agreement of several runs; '' if there is nothing to compare.
export function seedNote(runs) {
  const ends = runs
      .map(({name, lines}) => ({name, share: lines.map((line) => valueAt(line, 'agreement.deep')).findLast((y) => y !== null)}))
      .filter(({share}) => share !== undefined)
      .sort((a, b) => b.share - a.share);
  if (ends.length < 2) return '';
  const best = ends[0];
  const near = ends.filter(({share}) => best.share - share <= kSeedNoise);
  const points = (to) => `${(100 * (best.share - to.share)).toFixed(1)} points`;
  const seeds = 'runs that differ only in the seed differ by one to two points of deep';
  if (near.length === 1) return `${best.name} leads by ${points(ends[1])} of deep: more than the noise of seeds; ${seeds}.`;
  return `${near.map(({name}) => name).join(', ')}: ${points(near.at(-1))} of deep apart, within the noise of seeds; ${seeds}.`;
}

// [[x], [y]] of one run, without lines that lack either.
export function curve(run, axis, key) {
  const xs = [], ys = [];
  for (const line of run.lines) {
    const x = axis.of(line), y = valueAt(line, key);
    if (y === null || !Number.isFinite(x) || (xs.length > 0 && x <= xs.at(-1))) continue;
    xs.push(x);
    ys.push(y);
  }
  return [xs, ys];
}
