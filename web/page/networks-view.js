// The person's own networks: what their files say, and a button to forget each.

import {replaceKeepingFocus} from './focus.js';
import {escaped, whoText} from './seats.js';

export const sizeText = ({blocks, width}) => `${blocks} ${blocks === 1 ? 'block' : 'blocks'} of width ${width}`;

export class NetworksView {
  // onRemove(name).
  constructor(root, players, onRemove) {
    this.root = root;
    this.players = players;
    root.addEventListener('click', (event) => {
      const button = event.target.closest('[data-network]');
      if (button) onRemove(button.dataset.network);
    });
  }

  show() {
    const own = this.players.of('own');
    this.root.hidden = own.length === 0;
    const html = own.map(({name, rules, width, blocks, step, extra}) => {
      const agreement = extra.agreement_decisive ? `, agreement ${extra.agreement_decisive} / ${extra.agreement_deep}` : '';
      const what = `${rules}, ${sizeText({blocks, width})}, step ${step}${agreement}`;
      const title = escaped(whoText(name));
      return `<li><strong>${title}</strong> <span class="quiet">${escaped(what)}</span>
        <button type="button" class="link" data-network="${escaped(name)}" aria-label="Forget ${title}">Forget</button></li>`;
    }).join('');
    replaceKeepingFocus(this.root, html, ['data-network']);
  }
}
