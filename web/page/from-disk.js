// Not a module: browsers load none from files, so this is what a page opened from the disk can still run.
if (location.protocol === 'file:') {
  document.getElementById('turn').textContent = 'This page must come from a server.';
  document.getElementById('news').textContent = 'Any will do: python3 -m http.server, in this folder.';
}
