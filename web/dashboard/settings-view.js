// The settings in which the runs differ, a column for each run.

import {element} from './plots.js';

export function showSettings(root, runs) {
  const keys = [...new Set(runs.flatMap(({config}) => Object.keys(config ?? {})))].sort();
  const differing = runs.length < 2 ? keys : keys.filter((key) => new Set(runs.map(({config}) => config[key])).size > 1);
  if (runs.length === 0) {
    root.replaceChildren(element('p', 'quiet', 'No run is selected.'));
    return;
  }
  if (runs.length > 1 && differing.length === 0) {
    root.replaceChildren(element('p', 'quiet', 'The selected runs have the same settings.'));
    return;
  }
  const table = element('table');
  const head = table.createTHead().insertRow();
  head.append(element('th', '', 'setting'), ...runs.map(({name, colour}) => {
    const cell = element('th', '', name);
    const dot = element('i', 'dot');
    dot.style.background = colour;
    cell.prepend(dot);
    return cell;
  }));
  const body = table.createTBody();
  for (const key of differing) {
    const row = body.insertRow();
    const name = element('th', '', key);
    name.scope = 'row';
    row.append(name);
    for (const {config} of runs) row.insertCell().textContent = config[key] ?? '';
  }
  if (runs.length > 1) {
    root.replaceChildren(table);
    return;
  }
  const all = element('details');
  all.open = root.querySelector('details')?.open ?? false;
  all.append(element('summary', '', `All ${keys.length} settings of ${runs[0].name}; select another run to see what differs`), table);
  root.replaceChildren(all);
}
