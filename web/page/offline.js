// Keeps the page for later visits without a network (sw.js), and says when there is a newer version of it.

// onNewer(use): another version has been fetched; use() loads it. Without a secure address browsers keep nothing.
export async function keepForOffline(onNewer) {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.register(new URL('sw.js', import.meta.url)).catch(() => null);
  if (!registration) return;
  const use = (worker) => {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), {once: true});
    worker.postMessage('activate');
  };
  const tell = (worker) => navigator.serviceWorker.controller && onNewer(() => use(worker));
  if (registration.waiting) tell(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing;
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed') tell(worker);
    });
  });
}
