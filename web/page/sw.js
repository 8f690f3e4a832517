// The service worker: keeps all files of one version of the page, and answers from them. web/Makefile fills in the
// version, which is a checksum of the files, and their names.
//
// A page gets all its files from one version: a newer one waits until no page uses the older, or until a person asks for
// it (offline.js).

const kVersion = '@VERSION@';
const kFiles = ['@FILES@'];
// Caches belong to a host: copies of the page in other folders of it have their own.
const kPrefix = `quartozero ${new URL(self.registration.scope).pathname} `;
const kCache = kPrefix + kVersion;
// What the host, and not the version of the page, decides: asked for anew each time.
const kFresh = ['server.json'];
const kPatienceMs = 2000;  // for a host that may not be there any more

const scope = () => new URL(self.registration.scope);
const urlOf = (name) => new URL(name, scope()).href;

// Those of the page's caches for which which(name).
async function forget(which) {
  const names = await caches.keys();
  const own = names.filter((name) => name.startsWith(kPrefix) && which(name));
  await Promise.all(own.map((name) => caches.delete(name)));
}

// The browser's own cache may hold files of an older version: each is asked for, and sent only if it has changed.
async function keep(cache, name) {
  const response = await fetch(urlOf(name), {cache: 'no-cache'});
  if (!response.ok) throw new Error(`${name}: the host answered ${response.status}`);
  // Many hosts redirect /index.html to /. A browser takes no answer for a page that was redirected.
  const {status, headers} = response;
  await cache.put(urlOf(name), response.redirected ? new Response(response.body, {status, headers}) : response);
}

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(kCache).then((cache) => Promise.all(kFiles.map((name) => keep(cache, name)))));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(forget((name) => name !== kCache));
});

self.addEventListener('message', ({data}) => {
  if (data === 'activate') self.skipWaiting();
});

// Whether the host has gone: at its address there is something else now, as often happens on localhost. Without a network
// nobody knows, and the page works.
async function gone() {
  try {
    const response = await fetch(urlOf('sw.js'), {cache: 'no-store', signal: AbortSignal.timeout(kPatienceMs)});
    return response.status < 500 && !/javascript/.test(response.headers.get('Content-Type') ?? '');
  } catch {
    return false;
  }
}

async function open(request, name) {
  if (!(await gone())) return answer(request, name);
  await forget(() => true);
  await self.registration.unregister();
  return fetch(request);
}

async function answer(request, name) {
  const cache = await caches.open(kCache);
  const kept = () => cache.match(urlOf(name));
  if (kFresh.includes(name)) return fetch(request).catch(kept);
  return (await kept()) ?? fetch(request);
}

self.addEventListener('fetch', (event) => {
  const {request} = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || !url.href.startsWith(scope().href)) return;
  const path = url.pathname.slice(scope().pathname.length);
  const name = path === '' ? 'index.html' : path;
  if (!kFiles.includes(name)) return;  // goes its way
  event.respondWith(request.mode === 'navigate' ? open(request, name) : answer(request, name));
});
