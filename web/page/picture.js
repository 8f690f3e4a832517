// The position as a picture: the board as the page shows it, drawn once more as a single SVG, in the page's own colours.

import {drawing} from './pieces.js';

const kWidth = 600, kMargin = 20, kPadding = 12;
const kBoard = kWidth - 2 * kMargin, kSquare = (kBoard - 2 * kPadding) / 4;
const kHand = 88, kLine = 30;  // of a piece in hand, of a line of text
const kScale = 2;  // pixels of the picture for each of the drawing

// What the style sheets say of an element. An image has none of its own, and the security policy allows none inside.
const kStyles = ['fill', 'stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'stop-color', 'opacity', 'font-family',
                 'font-size', 'font-weight'];

// A PNG, as a Blob, of what a BoardView shows and a text about it, which is HTML.
export async function pictureOf(view, text) {
  const {svg, height} = draw(view, text);
  const holder = document.createElement('div');
  holder.className = 'definitions';
  holder.innerHTML = svg;
  document.body.append(holder);
  for (const element of holder.querySelectorAll('*')) {
    const style = getComputedStyle(element);
    for (const name of kStyles) element.setAttribute(name, style.getPropertyValue(name));
  }
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(holder.firstChild))}`;
  holder.remove();
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [kScale * kWidth, kScale * height];
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!png) throw new Error('this browser makes none');
  return png;
}

// {svg, height}: the piece in hand and the text, above the board.
function draw({state, slots, lines}, text) {
  const hand = state.hand === null ? 0 : kHand;
  const left = kMargin + 2 * kPadding + hand;
  const said = wrapped(text, kWidth - left - kMargin - kPadding);
  const status = Math.max(hand, said.length * kLine) + 2 * kPadding;
  const top = status + 2 * kMargin, height = top + kBoard + kMargin;
  const box = (kind, x, y, width, high, radius) =>
      `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${high}" rx="${radius}"/>`;
  const piece = (p, x, y, width) =>
      drawing(p).replace('<svg', `<svg x="${x}" y="${y}" width="${width}" height="${1.16 * width}"`);
  const line = (words, n) => `<text x="${left}" y="${
      kMargin + status / 2 + (n - said.length / 2) * kLine + 22}">${words}</text>`;
  const well = (slot, n) => {
    const [x, y] = [n % 4 * kSquare, Math.floor(n / 4) * kSquare];
    return `<circle class="well ${slot.className}" cx="${x + kSquare / 2}" cy="${y + kSquare / 2}" r="${0.44 * kSquare}"/>
      <text class="coordinate" x="${x + 2}" y="${y + 12}">${slot.textContent.trim()}</text>`;
  };
  const placed = (slot, n) => {
    const p = state.board[slot.dataset.square];
    return p === null ? '' : piece(p, (n % 4 + 0.12) * kSquare, (Math.floor(n / 4) - 0.01) * kSquare, 0.76 * kSquare);
  };
  const svg = `<svg class="picture" xmlns="http://www.w3.org/2000/svg" width="${kWidth}" height="${height}" viewBox="0 0 ${kWidth} ${height}">
    ${document.querySelector('.definitions defs').outerHTML}
    ${box('paper', 0, 0, kWidth, height, 0)}${box('said', kMargin, kMargin, kBoard, status, 14)}
    ${hand && box('well', kMargin + kPadding, kMargin + kPadding, hand, hand, 12)}
    ${hand && piece(state.hand, kMargin + kPadding + 8, kMargin + kPadding + 2, 72)}
    ${said.map(line).join('')}
    ${box('wood', kMargin, top, kBoard, kBoard, 18)}
    <g transform="translate(${kMargin + kPadding} ${top + kPadding})">${slots.map(well).join('')}
      <g class="lines" transform="scale(${kSquare})">${lines.innerHTML}</g>${slots.map(placed).join('')}</g></svg>`;
  return {svg, height};
}

// Lines of words, as wide as the style sheet draws them (.picture).
function wrapped(text, width) {
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = `600 22px ${getComputedStyle(document.body).fontFamily}`;
  const lines = [];
  for (const word of text.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
