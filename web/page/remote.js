// The page's end of a worker: requests with answers, partial answers on the way, and cancelling.

export class Cancelled extends Error {}

export class Remote {
  constructor(url, name) {
    this.worker = new Worker(url, {type: 'module', name});
    this.waiting = new Map();
    this.next = 1;
    this.worker.onmessage = ({data}) => this.answer(data);
    this.worker.onerror = (event) => {
      const message = event.message || 'the engine could not be loaded';
      for (const id of [...this.waiting.keys()]) this.answer({id, kind: 'error', message});
    };
  }

  // Resolves with the result. `signal` (an AbortSignal) cancels: the promise then rejects with Cancelled at once, even
  // if the worker takes a moment to notice.
  ask(kind, request, {signal, onPartial} = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new Cancelled());
      this.waiting.set(id, {resolve, reject, onPartial});
      signal?.addEventListener('abort', () => {
        if (!this.waiting.delete(id)) return;
        this.worker.postMessage({id, kind: 'cancel'});
        reject(new Cancelled());
      });
      this.worker.postMessage({id, kind, ...request});
    });
  }

  answer({id, kind, result, message}) {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    if (kind === 'partial') {
      waiting.onPartial?.(result);
      return;
    }
    this.waiting.delete(id);
    if (kind === 'done') waiting.resolve(result);
    else if (kind === 'cancelled') waiting.reject(new Cancelled());
    else waiting.reject(new Error(message));
  }
}
