// The person's own networks: light files (`quartozero export --light`), dropped on the page or chosen, and
// kept by the browser for the next visit.

const kMiB = 2 ** 20, kMostBytes = 64 * kMiB;
const kDatabase = 'quartozero', kStore = 'networks';

// "night.light" is called "own:night".
export function nameOfFile(file) {
  return `own:${file.name.replace(/\.light$/i, '').slice(0, 60)}`;
}

// The bytes of a file that may be a network. Throws Error if it cannot be one; whether it is, the engine says.
export async function bytesOfFile(file) {
  if (file.size > kMostBytes) {
    throw new Error(`it has ${Math.round(file.size / kMiB)} MiB; networks have at most ${kMostBytes / kMiB}`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (new TextDecoder().decode(bytes.subarray(0, 8)) !== 'QuartoLN') {
    throw new Error('it is no light file; quartozero export CHECKPOINT --light FILE makes one of a checkpoint');
  }
  return bytes;
}

// Calls onFiles([File]) when files are dropped anywhere on the page; `target` gets the class "dropping" meanwhile.
export function acceptDrops(target, onFiles) {
  const hasFiles = (event) => event.dataTransfer?.types.includes('Files');
  window.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    target.classList.add('dropping');
  });
  window.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) target.classList.remove('dropping');
  });
  window.addEventListener('drop', (event) => {
    target.classList.remove('dropping');
    if (!hasFiles(event)) return;
    event.preventDefault();
    onFiles([...event.dataTransfer.files]);
  });
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function completed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

async function store(mode, action) {
  const opening = indexedDB.open(kDatabase, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(kStore, {keyPath: 'name'});
  const database = await done(opening);
  try {
    const transaction = database.transaction(kStore, mode);
    // The browser gives up a transaction that is not complete when the page is left.
    const [result] = await Promise.all([done(action(transaction.objectStore(kStore))), completed(transaction)]);
    return result;
  } finally {
    database.close();
  }
}

// {name, bytes}. A browser that stores nothing for this page forgets the networks with it: false.
export async function keep(network) {
  try {
    await store('readwrite', (networks) => networks.put(network));
    return true;
  } catch {
    return false;
  }
}
export async function forget(name) {
  await store('readwrite', (networks) => networks.delete(name)).catch(() => {});
}
// [{name, bytes}] of earlier visits.
export async function kept() {
  return store('readonly', (networks) => networks.getAll()).catch(() => []);
}
