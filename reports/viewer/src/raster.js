// SPDX-License-Identifier: MIT
// raster.js -- the picture of all allocations, column by column: cost follows pixels, not allocations.
//
// A column stands for the events of its stretch by the one with the highest total, so that no peak
// is lost. Pixel row y of it has the allocation that covers the middle of the row. Columns lie one
// behind the other in `pixels` (top pixel last), so that writing one is writing one stretch.

import { Alive } from "./live.js";

const OFTEN = 16383;

/** What a picture shows: `edges` are events; column c is what follows edges[c], up to edges[c + 1].
 * @typedef {{edges: Float64Array, height: number, low: number, high: number, hide: number}} Frame */

/** What stands for columns: the change behind the event of each, and the bytes of each of eight
 * categories there. @typedef {{stand: Int32Array, sums: Float64Array}} Heights */

const EMPTY = 0;

/** Events at the borders of columns. Position: an event number, or microseconds.
 * @param {import("./trace.js").Trace} trace @param {boolean} byTime @param {number} start
 * @param {number} perColumn @param {number} width */
export function edgesOf(trace, byTime, start, perColumn, width) {
  const edges = new Float64Array(width + 1);
  // Steps of columns do not add up exactly; times are whole microseconds.
  const almost = 1e-6;
  for (let c = 0; c <= width; c++) {
    const position = start + c * perColumn;
    const event = !byTime ? Math.floor(position) : position <= 0 ? trace.from : trace.eventAt(position + almost);
    edges[c] = Math.max(trace.from, Math.min(trace.to, event));
  }
  return edges;
}

/** Null: nobody wants it any more.
 * @param {import("./trace.js").Trace} trace @param {import("./live.js").Moments} moments
 * @param {Float64Array} edges @param {import("./slices.js").Turn} turn
 * @returns {Promise<Heights | null>} */
export async function highest(trace, moments, edges, turn) {
  const n = edges.length - 1;
  const stand = new Int32Array(n);
  const sums = new Float64Array(8 * n);
  const now = new Float64Array(8);
  const walk = { at: trace.changeAfter(edges[0]), total: 0, most: -1, stand: 0 };
  moments.sums(now, walk.at);
  walk.total = now.reduce((a, b) => a + b, 0);
  for (let c = 0; c < n; c++) {
    const end = edges[c + 1] > edges[c] ? trace.changeAfter(edges[c + 1]) : walk.at;
    const best = sums.subarray(8 * c, 8 * c + 8);
    walk.most = -1;
    walk.stand = walk.at;
    // What was there before counts when the stretch has no event, or its first one changed nothing.
    if (end === walk.at || trace.changeEvent(trace.changes[walk.at]) > edges[c] + 1) {
      walk.most = walk.total;
      best.set(now);
    }
    while (walk.at < end) {
      climb(trace, moments.category, walk, Math.min(end, (walk.at | OFTEN) + 1), now, best);
      if (turn.due && !(await turn.pass())) return null;
    }
    stand[c] = walk.stand;
  }
  return { stand, sums };
}

/** @param {import("./trace.js").Trace} trace @param {Uint8Array} category
 * @param {{at: number, total: number, most: number, stand: number}} walk @param {number} end
 * @param {Float64Array} now @param {Float64Array} best */
function climb(trace, category, walk, end, now, best) {
  const { changes, sizes, sizeRow, attrRow } = trace;
  let { at, total, most } = walk;
  for (; at < end; at++) {
    const change = changes[at];
    const row = change >= 0 ? change : ~change;
    const size = change >= 0 ? sizes[sizeRow[row]] : -sizes[sizeRow[row]];
    now[category[attrRow[row]]] += size;
    total += size;
    if (total > most) {
      most = total;
      walk.stand = at + 1;
      for (let k = 0; k < 8; k++) best[k] = now[k];
    }
  }
  walk.at = at;
  walk.total = total;
  walk.most = most;
}

export class Raster {
  /** @param {import("./trace.js").Trace} trace @param {import("./live.js").Moments} moments */
  constructor(trace, moments) {
    this.trace = trace;
    this.moments = moments;
    this.alive = new Alive(trace);
    /** @type {Frame | null} */
    this.frame = null;
    /** @type {Uint32Array} */
    this.pixels = new Uint32Array(0);
    /** @type {Int32Array} */
    this.stand = new Int32Array(0);
    this.first = 0;
    this.column = 0;
    this.end = 0;
    /** Colour of a row at an event, ABGR; set by the owner.
     * @type {(row: number, event: number) => number} */
    this.colour = () => 0xff666666;
  }

  /** @param {Frame} frame @param {Int32Array} stand @param {Uint32Array} pixels
   * @param {number} first @param {number} end columns to draw */
  begin(frame, stand, pixels, first, end) {
    this.frame = frame;
    this.stand = stand;
    this.pixels = pixels;
    this.first = this.column = first;
    this.end = end;
  }

  /** Draw until `turn` is over. @param {import("./slices.js").Turn} turn @returns {boolean} done */
  run(turn) {
    const height = /** @type {Frame} */ (this.frame).height;
    while (this.column < this.end) {
      const c = this.column++;
      if (c > this.first && this.stand[c] === this.stand[c - 1])
        this.pixels.copyWithin(c * height, (c - 1) * height, c * height);
      else {
        this.moments.seek(this.alive, this.stand[c]);
        this.draw(c * height, this.stand[c]);
      }
      if (turn.due) break;
    }
    return this.column >= this.end;
  }

  /** @param {number} base of the column in `pixels` @param {number} stand */
  draw(base, stand) {
    const { height, low, high, hide } = /** @type {Frame} */ (this.frame);
    const { trace, pixels } = this;
    const { n, rows, sizes } = this.alive;
    const perRow = (high - low) / height;
    const event = stand ? trace.changeEvent(trace.changes[stand - 1]) : trace.from;
    let offset = trace.loose;
    let y = 0;
    const loose = Math.max(0, Math.min(height, Math.ceil((offset - low) / perRow - 0.5)));
    for (; y < loose; y++) pixels[base + y] = 0xff999999;
    // Rows that end below the middle of the next pixel are passed by adding up.
    let next = low + (y + 0.5) * perRow;
    for (let i = 0; i < n && y < height; i++) {
      const size = sizes[i];
      if (size < hide) continue;
      offset += size;
      if (offset <= next) continue;
      const end = Math.min(height, Math.ceil((offset - low) / perRow - 0.5));
      if (end <= y) continue;
      const colour = this.colour(rows[i], event);
      const start = y;
      while (y < end) pixels[base + y++] = colour;
      if (end - start > 3) pixels[base + end - 1] = darker(colour);
      next = low + (y + 0.5) * perRow;
    }
    pixels.fill(EMPTY, base + y, base + height);
  }
}

/** @param {number} colour ABGR */
export function darker(colour) {
  const part = (/** @type {number} */ shift) => ((colour >>> shift) & 255) * 0.72;
  return ((255 << 24) | (part(16) << 16) | (part(8) << 8) | part(0)) >>> 0;
}

/** The row at a height of the stack, or -1.
 * @param {import("./trace.js").Trace} trace @param {Alive} alive @param {number} bytes
 * @param {number} hide */
export function rowAt(trace, alive, bytes, hide) {
  let offset = trace.loose;
  if (bytes < offset) return -1;
  for (let i = 0; i < alive.n; i++) {
    if (alive.sizes[i] < hide) continue;
    offset += alive.sizes[i];
    if (bytes < offset) return alive.rows[i];
  }
  return -1;
}
