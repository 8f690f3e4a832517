// Dragging with mouse, finger or pen. A press that hardly moves is a click.

const kMouse = 6, kFinger = 16;  // pixels

// root: where drags may start. find(element): what is picked up there, or null. draw(what): the HTML that follows the
// pointer. target(element): the place under the pointer that would take it, or null. over(place or null) while dragging;
// drop(place, what) at the end.
export function makeDraggable(root, {find, draw, target, over, drop}) {
  let drag = null;  // {what, x, y, ghost, source, pointer}

  const placeUnder = (event) => {
    const element = document.elementFromPoint(event.clientX, event.clientY);
    return element ? target(element) : null;
  };
  const finish = () => {
    drag.ghost?.remove();
    drag.source.classList.remove('dragged');
    if (drag.ghost) over(null);
    drag = null;
  };

  root.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const found = find(event.target);
    if (!found) return;
    drag = {...found, x: event.clientX, y: event.clientY, pointer: event.pointerId, ghost: null};
  });

  // Another finger ends it, and so does whatever has kept the end of an earlier press from the page.
  window.addEventListener('pointerdown', () => drag && finish(), {capture: true});

  window.addEventListener('pointermove', (event) => {
    if (event.pointerId !== drag?.pointer) return;
    if (!drag.ghost) {
      const threshold = event.pointerType === 'mouse' ? kMouse : kFinger;
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < threshold) return;
      drag.ghost = document.createElement('div');
      drag.ghost.className = 'ghost';
      drag.ghost.innerHTML = draw(drag.what);
      document.body.append(drag.ghost);
      drag.source.classList.add('dragged');
    }
    event.preventDefault();
    // Above a finger, so that it can be seen.
    const lift = event.pointerType === 'mouse' ? 0 : 34;
    drag.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY - lift}px) translate(-50%, -50%)`;
    over(placeUnder(event));
  });

  window.addEventListener('pointerup', (event) => {
    if (event.pointerId !== drag?.pointer) return;
    const {what, source, ghost} = drag;
    const place = ghost ? placeUnder(event) : null;
    finish();
    if (!ghost) {
      // Browsers do not agree on how far a finger may move in a click. A second one would find nothing to do.
      if (event.pointerType !== 'mouse') source.click();
      return;
    }
    // The click that follows a drag means nothing.
    const swallow = (click) => {
      click.stopPropagation();
      click.preventDefault();
    };
    window.addEventListener('click', swallow, {capture: true, once: true});
    setTimeout(() => window.removeEventListener('click', swallow, {capture: true}), 0);
    if (place) drop(place, what);
  });
  window.addEventListener('pointercancel', (event) => {
    if (event.pointerId === drag?.pointer) finish();
  });
}
