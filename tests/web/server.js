// A static server for the tests: what any host of the page does, and nothing more.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const kTypes = {
  '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm', '.json': 'application/json',
};

// `folders`: by the first part of the path ('' is the root). `cleanUrls`: /index.html is redirected to /, as many hosts do.
// {url, close()}
export function serve(folders, {cleanUrls = false} = {}) {
  const server = http.createServer((request, response) => {
    const {pathname} = new URL(request.url, 'http://localhost');
    if (cleanUrls && pathname.endsWith('/index.html')) return response.writeHead(308, {Location: './'}).end();
    const [, first, ...rest] = decodeURIComponent(pathname).split('/');
    const [folder, name] = first in folders && rest.length > 0 ? [folders[first], rest.join('/')] :
                                                                 [folders[''], [first, ...rest].join('/')];
    const file = path.join(folder, path.normalize(`/${name || 'index.html'}`));
    fs.readFile(file, (error, bytes) => {
      if (error) return response.writeHead(404).end('not found');
      response.writeHead(200, {
        'Content-Type': kTypes[path.extname(file)] ?? 'application/octet-stream',
        'Cache-Control': 'no-store',
      });
      response.end(bytes);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({
      url: `http://127.0.0.1:${server.address().port}/`,
      close: () => new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      }),
    }));
  });
}
