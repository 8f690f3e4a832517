// Moves and buttons by single keys: "b" "3" places, "C" gives, letters beyond F are buttons.

const kButtons = {h: 'hint', u: 'undo', n: 'new-game', p: 'pause', t: 'turn-board', m: 'mirror-board', PageUp: 'back', PageDown: 'forward'};

// phase(): 'place' or 'give' now. position(): of the board, as a text. play(move). press(id of a button).
export function listenToKeys({phase, position, play, press}) {
  let column = '', typedIn = null;  // typed in this position, and waiting for its row

  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.('input, select, textarea, dialog')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key in kButtons) {
      event.preventDefault();
      press(kButtons[key]);
      return;
    }
    if (phase() === 'give') {
      column = '';
      if (/^[0-9a-f]$/.test(key)) play(key.toUpperCase());
    } else if (/^[a-d]$/.test(key)) {
      column = key;
      typedIn = position();
    } else if (/^[1-4]$/.test(key) && column && typedIn === position()) {
      const move = column + key;
      column = '';
      play(move);
    }
  });
}
