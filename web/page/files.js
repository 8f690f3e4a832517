// The files beside these modules, in pages, in workers and in node alike.

export const kNetworks = ['zero', 'distilled', 'small', 'squares'];
export const kBooks = ['lines', 'squares'];  // by their rules

// The bytes of the file of this name, or of the file at this URL.
export async function bytesOf(name) {
  const url = new URL(name, import.meta.url);
  if (url.protocol === 'file:') {
    const {readFile} = await import('node:fs/promises');
    return new Uint8Array(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name} could not be loaded (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}
