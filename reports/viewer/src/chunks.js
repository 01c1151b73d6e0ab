// SPDX-License-Identifier: MIT
// chunks.js -- bytes out of the page: base64 in inert elements, gzip inside.

/** @param {string} text @returns {Uint8Array} */
function fromBase64(text) {
  const modern = /** @type {any} */ (Uint8Array).fromBase64;
  if (modern) return modern.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** @param {Uint8Array[]} parts @param {number} size 0: not known @returns {Promise<Uint8Array>} */
async function inflate(parts, size) {
  const stream = new Blob(/** @type {BlobPart[]} */ (parts))
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  if (!size) return new Uint8Array(await new Response(stream).arrayBuffer());
  const all = new Uint8Array(size);
  const reader = stream.getReader();
  let n = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    all.set(value, n);
    n += value.length;
  }
  return all;
}

/** The bytes of a chunk; it may lie in pieces, `id/0`, `id/1` and so on.
 * @param {string} id @param {number} size its bytes when inflated; 0: not known */
export async function readChunk(id, size = 0) {
  const parts = [];
  for (let piece = 0; ; piece++) {
    const wanted = id === "description" ? id : `${id}/${piece}`;
    const element = document.querySelector(`script[data-chunk="${wanted}"]`);
    if (!element) break;
    parts.push(fromBase64(element.textContent || ""));
    if (id === "description") break;
  }
  if (!parts.length) throw new Error(`the page has no data called ${id}`);
  return inflate(parts, size);
}

/** Varints, one after the other. */
export class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  get done() {
    return this.at >= this.bytes.length;
  }

  /** @returns {number} exact up to 2^53 */
  next() {
    const bytes = this.bytes;
    let b = bytes[this.at++];
    if (b < 0x80) return b;
    let v = b & 0x7f;
    let factor = 128;
    do {
      b = bytes[this.at++];
      v += (b & 0x7f) * factor;
      factor *= 128;
    } while (b >= 0x80);
    return v;
  }

  signed() {
    const v = this.next();
    return v % 2 ? -(v + 1) / 2 : v / 2;
  }
}
