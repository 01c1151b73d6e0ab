// SPDX-License-Identifier: MIT
// chunks.js -- bytes out of the page: base64 in inert elements, gzip inside.

import { LOADING, Turn } from "./slices.js";

/** @param {string} text @returns {Uint8Array} */
function fromBase64(text) {
  const modern = /** @type {any} */ (Uint8Array).fromBase64;
  if (modern) return modern.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Inflated at a time: what a piece of work may take. */
const STEP = 1 << 17;

/** @param {Uint8Array[]} parts @param {number} size 0: not known @returns {Promise<Uint8Array>} */
async function inflate(parts, size) {
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  const turn = new Turn(undefined, LOADING);
  // Straight into the stream: by way of a Blob every piece travels through another process.
  const write = async () => {
    for (const part of parts)
      for (let at = 0; at < part.length; at += STEP) {
        await writer.write(/** @type {BufferSource} */ (part.subarray(at, at + STEP)));
        if (turn.due) await turn.pass();
      }
    await writer.close();
  };
  // A stream that breaks tells its reader, too.
  write().catch(() => {});
  if (!size) return new Uint8Array(await new Response(readable).arrayBuffer());
  const all = new Uint8Array(size);
  const reader = readable.getReader();
  let n = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    all.set(value, n);
    n += value.length;
  }
  return all;
}

/** The element of a chunk, as soon as the page has all of it. @param {string} id
 * @returns {Promise<Element | null>} */
async function elementOf(id) {
  for (;;) {
    const whole = document.readyState !== "loading";
    const found = document.querySelector(`script[data-chunk="${id}"]`);
    if (whole || (found && found.nextElementSibling)) return found;
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}

/** The bytes of a chunk; it may lie in pieces one behind the other, `id/0`, `id/1` and so on.
 * @param {string} id @param {number} size its bytes when inflated; 0: not known */
export async function readChunk(id, size = 0) {
  const parts = [];
  for (let piece = 0; ; piece++) {
    const element = await elementOf(id === "description" ? id : `${id}/${piece}`);
    if (!element) throw new Error(`no data called ${id}`);
    parts.push(fromBase64(element.textContent || ""));
    const next = element.nextElementSibling;
    if (!next || next.getAttribute("data-chunk") !== `${id}/${piece + 1}`) break;
  }
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
    if (v < 0x80000000) return (v >>> 1) ^ -(v & 1);
    return v % 2 ? -(v + 1) / 2 : v / 2;
  }

  /** The next ones, as `out[from]` to `out[to - 1]`. @param {Uint32Array} out @param {number} from
   * @param {number} to */
  fill(out, from, to) {
    for (let i = from; i < to; i++) out[i] = this.next();
  }
}
