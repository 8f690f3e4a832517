// Replaces what an element holds. The keyboard's focus stays on what has the same value of one of the attributes.
export function replaceKeepingFocus(root, html, attributes) {
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const name = focused && attributes.find((attribute) => focused.hasAttribute(attribute));
  const value = name && focused.getAttribute(name);
  root.innerHTML = html;
  if (name) root.querySelector(`[${name}="${CSS.escape(value)}"]`)?.focus({preventScroll: true});
}
