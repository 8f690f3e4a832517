// The plots: uPlot (https://github.com/leeoniya/uPlot), one for each figure, all runs in each.

import {besideAgreement, curve, sectionsOf, seedNote} from './series.js';

const kHeight = 190;
const kWhole = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((digits) => [1, 2, 5].map((n) => n * 10 ** digits));

export class Plots {
  constructor(root) {
    this.root = root;
    this.made = new Map();   // by key: {plot, shape, readout, holder}
    this.folded = new Map();  // by section
    this.sync = uPlot.sync('dashboard');
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.show(this.runs, this.axis, true));
  }

  // runs: [{name, lines, colour, dash}]
  show(runs, axis, anew = false) {
    Object.assign(this, {runs, axis});
    const sections = sectionsOf(runs);
    const layout = JSON.stringify([axis.key, sections.map(({name, plots}) => [name, plots.map(({key}) => key)])]);
    const who = JSON.stringify(runs.map(({name, colour, dash}) => [name, colour, dash]));
    if (anew || layout !== this.layout || who !== this.who) {
      Object.assign(this, {layout, who});
      this.build(sections);
    }
    if (this.note) this.note.textContent = seedNote(runs);
    // A part that somebody looks at closely stays in view.
    for (const [key, {plot}] of this.made) plot.setData(this.data(key), !zoomed(plot));
  }

  data(key) {
    const curves = this.runs.map((run) => curve(run, this.axis, key));
    return curves.length === 1 ? curves[0] : uPlot.join(curves);
  }

  build(sections) {
    for (const details of this.root.querySelectorAll('details')) this.folded.set(details.dataset.name, !details.open);
    for (const {plot} of this.made.values()) plot.destroy();
    this.made.clear();
    this.note = null;
    this.root.replaceChildren();
    for (const section of sections) {
      const details = document.createElement('details');
      details.className = 'card section';
      details.dataset.name = section.name;
      details.open = !(this.folded.get(section.name) ?? !section.open);
      details.append(element('summary', '', section.name));
      if (section.note) details.append(element('p', 'quiet', section.note));
      if (section.plots.some(({measured}) => measured)) {
        this.note = element('p', 'seeds');
        details.append(this.note);
      }
      const grid = element('div', 'grid');
      details.append(grid);
      this.root.append(details);
      for (const wanted of section.plots) this.add(grid, wanted);
      details.addEventListener('toggle', () => this.resize());
    }
  }

  add(grid, wanted) {
    const holder = element('figure', 'plot');
    const caption = element('figcaption', '', wanted.name);
    if (wanted.note) caption.append(' ', element('span', 'quiet', wanted.note));
    const readout = element('p', 'readout', '');
    holder.append(caption);
    grid.append(holder);
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--quiet').trim(), line = style.getPropertyValue('--edge').trim();
    const axis = {
      stroke: ink, font: '12px system-ui, sans-serif', grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1},
    };
    const plot = new uPlot({
      width: this.width(holder),
      height: kHeight,
      legend: {show: false},
      cursor: {sync: {key: this.sync.key}, y: false, points: {size: 7}},
      scales: {x: {time: false}, ...(wanted.measured ? {y: {range: () => [this.beside(wanted).floor, 1]}} : {})},
      axes: [
        {...axis, space: 60, incrs: this.axis.key === 'minutes' ? undefined : kWhole, values: (_u, ticks) => ticks.map(short)},
        {...axis, size: 58, values: (_u, ticks) => ticks.map((t) => (wanted.percent ? `${+(100 * t).toFixed(1)}%` : short(t)))},
      ],
      series: [
        {},
        ...this.runs.map(({name, colour, dash}) => ({
          label: name, stroke: colour, dash, width: 2, spanGaps: true, points: {show: (u, s) => few(u.data[s]), fill: colour},
        })),
      ],
      hooks: {drawAxes: [(u) => wanted.measured && this.drawBeside(u, wanted, ink)], setCursor: [(u) => this.read(u, readout, wanted)], setData: [(u) => this.read(u, readout, wanted)]},
    }, this.data(wanted.key), holder);
    holder.append(readout);
    this.made.set(wanted.key, {plot, readout, holder});
    this.read(plot, readout, wanted);
  }

  beside(wanted) { return besideAgreement(this.runs, this.axis, wanted.measured); }

  // Below the curves: the levels as dashed lines, the intervals as bars.
  drawBeside(u, wanted, ink) {
    const {ctx, bbox} = u;
    const {levels, intervals} = this.beside(wanted);
    const line = (points, width, stroke, dash = []) => {
      ctx.beginPath();
      points.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y)));
      ctx.lineWidth = width * uPlot.pxRatio;
      ctx.strokeStyle = stroke;
      ctx.setLineDash(dash.map((n) => n * uPlot.pxRatio));
      ctx.stroke();
    };
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    ctx.fillStyle = ink;
    for (const {name, share} of levels) {
      const y = u.valToPos(share, 'y', true);
      line([[bbox.left, y], [bbox.left + bbox.width, y]], 1, ink, [5, 4]);
      ctx.fillText(name, bbox.left + bbox.width - 4 * uPlot.pxRatio, y - uPlot.pxRatio);
    }
    intervals.forEach((bars, run) => {
      ctx.globalAlpha = 0.55;
      for (const [x, low, high] of bars) {
        const at = u.valToPos(x, 'x', true);
        line([[at, u.valToPos(low, 'y', true)], [at, u.valToPos(high, 'y', true)]], 2, this.runs[run].colour);
      }
    });
    ctx.restore();
  }

  // What stands under the cursor; without one, the last values.
  read(plot, readout, wanted) {
    const {idx, idxs} = plot.cursor;
    const hovered = idx !== null && idx !== undefined;
    const parts = this.runs.map(({colour}, i) => {
      const ys = plot.data[i + 1] ?? [];
      // The point that uPlot marks.
      const at = hovered ? idxs?.[i + 1] ?? -1 : lastKnown(ys);
      const part = element('span', '', at < 0 || ys[at] === null || ys[at] === undefined ? '' : wanted.text(ys[at]));
      const dot = element('i', 'dot', '');
      dot.style.background = colour;
      part.prepend(dot);
      return at < 0 || ys[at] === null || ys[at] === undefined ? null : part;
    }).filter((part) => part);
    const xs = plot.data[0];
    const where = !hovered ? 'last' : `${this.axis.name} ${short(xs[idx])}`;
    readout.replaceChildren(element('span', 'quiet', where), ...parts);
  }

  width(holder) { return Math.max(200, Math.floor(holder.clientWidth) || 320); }
  resize() {
    for (const {plot, holder} of this.made.values()) {
      if (holder.clientWidth > 0 && plot.width !== this.width(holder)) plot.setSize({width: this.width(holder), height: kHeight});
    }
  }
}

function zoomed({data, scales}) {
  const xs = data[0];
  return xs.length > 1 && (scales.x.min > xs[0] || scales.x.max < xs.at(-1));
}

// The last place that has a value; -1: none.
function lastKnown(values) {
  for (let i = values.length - 1; i >= 0; --i) {
    if (values[i] !== null && values[i] !== undefined) return i;
  }
  return -1;
}

function few(values) {
  let n = 0;
  for (const v of values) n += v !== null && v !== undefined;
  return n < 40;
}

function short(x) {
  if (x === null || x === undefined) return '';
  const size = Math.abs(x);
  if (size >= 1e6) return `${+(x / 1e6).toFixed(2)}M`;
  if (size >= 1e4) return `${+(x / 1e3).toFixed(1)}k`;
  return `${+x.toPrecision(4)}`;
}

export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
