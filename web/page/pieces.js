// The pieces as drawings, seen from above at an angle. Each attribute has a sign of its own, none of them a hue:
//
//     dark or light     how bright the faces are
//     tall or short     how far the top stands above the board
//     round or square   a cylinder or a block
//     solid or hollow   a plain top, or a hole in it with a bright rim
//
// Bits as everywhere in the project: 1 dark, 2 tall, 4 round, 8 solid.

export function attributesOf(piece) {
  return [
    piece & 1 ? 'dark' : 'light',
    piece & 2 ? 'tall' : 'short',
    piece & 4 ? 'round' : 'square',
    piece & 8 ? 'solid' : 'hollow',
  ];
}
export function describe(piece) {
  return attributesOf(piece).join(' ');
}

// Shades of the round pieces, to which their drawings refer; the colours come from board.css. Once for a page.
export function addShades() {
  const shade = (id) => `<linearGradient id="${id}"><stop offset="0"/><stop offset=".45"/><stop offset="1"/></linearGradient>`;
  document.body.insertAdjacentHTML('afterbegin', `<svg class="definitions" aria-hidden="true" focusable="false">
    <defs>${shade('round-light')}${shade('round-dark')}</defs></svg>`);
}

const kBase = 91;  // where the middle of the foot stands, in a drawing of 100 by 116

function cylinder(top) {
  const [rx, ry] = [29, 15];
  return `<path class="side-round" d="M${50 - rx} ${top}V${kBase}A${rx} ${ry} 0 0 0 ${50 + rx} ${kBase}V${top}Z"/>
    <ellipse class="top" cx="50" cy="${top}" rx="${rx}" ry="${ry}"/>`;
}

function block(top) {
  const [w, h] = [35, 18];
  const face = (x, className) => `<path class="${className}" d="M50 ${top + h}L${x} ${top}V${kBase}L50 ${kBase + h}Z"/>`;
  return `${face(50 - w, 'side-left')}${face(50 + w, 'side-right')}
    <path class="top" d="M50 ${top - h}L${50 + w} ${top}L50 ${top + h}L${50 - w} ${top}Z"/>`;
}

// An SVG drawing, to be used as HTML. Decorative: whoever shows it names it (describe()).
export function drawing(piece) {
  const [colour, height, shape, core] = attributesOf(piece);
  const top = kBase - (height === 'tall' ? 56 : 17);
  const body = shape === 'round' ? cylinder(top) : block(top);
  const hole = core === 'hollow' ?
      `<ellipse class="hole" cx="50" cy="${top}" rx="14.5" ry="7.8"/>
       <path class="hole-shade" d="M36.5 ${top}A13.5 6.8 0 0 1 63.5 ${top}A13.5 4 0 0 0 36.5 ${top}Z"/>` :
      '';
  const foot = shape === 'round' ? `<ellipse class="shadow" cx="53" cy="${kBase + 3}" rx="33" ry="17"/>` :
                                   `<path class="shadow" d="M50 ${kBase - 14}L92 ${kBase + 4}L52 ${kBase + 23}L12 ${kBase + 2}Z"/>`;
  return `<svg class="piece ${colour}" viewBox="0 0 100 116" aria-hidden="true" focusable="false">
${foot}${body}${hole}</svg>`;
}
