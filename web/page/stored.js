// Settings that outlive the page.

// A text, or null.
export function stored(name) {
  try {
    return localStorage.getItem(`quartozero-${name}`);
  } catch {
    return null;  // a browser that stores nothing for this page
  }
}
export function store(name, text) {
  try {
    localStorage.setItem(`quartozero-${name}`, text);
  } catch {
    // Then the choice lasts as long as the page.
  }
}
