// SPDX-License-Identifier: MIT
// sort.js -- an order of any length, in pieces.

const RUN = 16;
const OFTEN = 8191;

/** Places of the keys, the lowest first; equal ones stay as they are. Null: nobody wants it any more.
 * @param {Float64Array} keys @param {import("./slices.js").Turn} turn
 * @returns {Promise<Uint32Array | null>} */
export async function placesInOrder(keys, turn) {
  const n = keys.length;
  let from = new Uint32Array(n);
  let to = new Uint32Array(n);
  for (let start = 0; start < n; start += RUN) {
    if ((start & OFTEN) === 0 && turn.due && !(await turn.pass())) return null;
    insert(keys, from, start, Math.min(n, start + RUN));
  }
  for (let width = RUN; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(n, start + width);
      const end = Math.min(n, start + 2 * width);
      const merge = { keys, from, to, a: start, middle, b: middle, end, at: start };
      do {
        if ((merge.at & OFTEN) === 0 && turn.due && !(await turn.pass())) return null;
        mergeSome(merge, Math.min(end, (merge.at | OFTEN) + 1));
      } while (merge.at < end);
    }
    [from, to] = [to, from];
  }
  return from;
}

/** @param {Float64Array} keys @param {Uint32Array} places @param {number} start @param {number} end */
function insert(keys, places, start, end) {
  for (let i = start; i < end; i++) {
    let k = i;
    for (; k > start && keys[places[k - 1]] > keys[i]; k--) places[k] = places[k - 1];
    places[k] = i;
  }
}

/** Fill `to` up to `stop`. @param {{keys: Float64Array, from: Uint32Array, to: Uint32Array, a: number,
 * middle: number, b: number, end: number, at: number}} m @param {number} stop */
function mergeSome(m, stop) {
  const { keys, from, to, middle, end } = m;
  let { a, b, at } = m;
  while (at < stop) to[at++] = b >= end || (a < middle && keys[from[a]] <= keys[from[b]]) ? from[a++] : from[b++];
  m.a = a;
  m.b = b;
  m.at = at;
}

/** Where each word stands among all of them, in the order of the alphabet. @param {string[]} words */
export function ranks(words) {
  const sorted = [...new Set(words)].sort((a, b) => (a < b ? -1 : 1));
  const rank = new Map(sorted.map((word, i) => [word, i]));
  return Float64Array.from(words, (word) => /** @type {number} */ (rank.get(word)));
}
