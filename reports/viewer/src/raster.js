// SPDX-License-Identifier: MIT
// raster.js -- the picture of all allocations, column by column: cost follows pixels, not allocations.
//
// A column stands for the events of its stretch by the one with the highest total, so that no peak
// is lost. Pixel row y of it has the allocation that covers the middle of the row. Columns lie one
// behind the other in `pixels` (top pixel last), so that writing one is writing one stretch.

import { Live } from "./live.js";

/** What a picture shows: `edges` are events; column c is what follows edges[c], up to edges[c + 1].
 * @typedef {{edges: Float64Array, height: number, low: number, high: number, hide: number}} Frame */

const EMPTY = 0;

/** Events at the borders of columns. Position: an event number, or microseconds.
 * @param {import("./trace.js").Trace} trace @param {boolean} byTime @param {number} start
 * @param {number} perColumn @param {number} width */
export function edgesOf(trace, byTime, start, perColumn, width) {
  const edges = new Float64Array(width + 1);
  for (let c = 0; c <= width; c++) {
    const position = start + c * perColumn;
    const event = !byTime ? Math.floor(position) : position <= 0 ? trace.from : trace.eventAt(position);
    edges[c] = Math.max(trace.from, Math.min(trace.to, event));
  }
  return edges;
}

/** Which event stands for each column, as the change behind it; and the bytes there.
 * @param {import("./trace.js").Trace} trace @param {import("./live.js").Moments} moments
 * @param {Float64Array} edges */
export function highest(trace, moments, edges) {
  const { changes, sizes, sizeRow } = trace;
  const n = edges.length - 1;
  const stand = new Int32Array(n);
  const bytes = new Float64Array(n);
  let index = trace.changeAfter(edges[0]);
  const sums = new Float64Array(8);
  moments.sums(sums, index);
  let total = sums.reduce((a, b) => a + b, 0);
  for (let c = 0; c < n; c++) {
    const end = edges[c + 1] > edges[c] ? trace.changeAfter(edges[c + 1]) : index;
    let most = -1;
    let at = index;
    // What was there before counts when the stretch has no event, or its first one changed nothing.
    if (end === index || trace.changeEvent(changes[index]) > edges[c] + 1) most = total;
    for (; index < end; index++) {
      const change = changes[index];
      total += change >= 0 ? sizes[sizeRow[change]] : -sizes[sizeRow[~change]];
      if (total > most) {
        most = total;
        at = index + 1;
      }
    }
    stand[c] = at;
    bytes[c] = most;
  }
  return { stand, bytes };
}

export class Raster {
  /** @param {import("./trace.js").Trace} trace @param {import("./live.js").Moments} moments */
  constructor(trace, moments) {
    this.trace = trace;
    this.moments = moments;
    this.live = new Live(trace);
    /** @type {Frame | null} */
    this.frame = null;
    /** @type {Uint32Array} */
    this.pixels = new Uint32Array(0);
    /** @type {Int32Array} */
    this.stand = new Int32Array(0);
    this.at = 0;
    this.column = 0;
    this.end = 0;
    /** Colour of a row at an event, ABGR; set by the owner.
     * @type {(row: number, event: number) => number} */
    this.colour = () => 0xff666666;
    this.ages = false;
    this.copied = false;
  }

  /** @param {Frame} frame @param {Int32Array} stand @param {Uint32Array} pixels
   * @param {number} first @param {number} end columns to draw */
  begin(frame, stand, pixels, first, end) {
    this.frame = frame;
    this.stand = stand;
    this.pixels = pixels;
    this.column = first;
    this.end = end;
    this.copied = false;
    if (first < end) {
      this.at = stand[first];
      this.moments.seek(this.live, this.at);
    }
  }

  /** Draw until `deadline` (performance.now). @param {number} deadline @returns {boolean} done */
  run(deadline) {
    const { changes } = this.trace;
    while (this.column < this.end) {
      const to = this.stand[this.column];
      const live = this.live;
      if (to < this.at) {
        // The event that stands for a column may come before that of the last one: never so far.
        this.moments.seek(live, to);
        this.at = to;
        this.copied = false;
      } else if (to - this.at > 65536) {
        this.moments.seek(live, to);
        this.at = to;
      }
      for (; this.at < to; this.at++) live.apply(changes[this.at]);
      this.draw();
      this.column++;
      if ((this.column & 3) === 0 && performance.now() > deadline) break;
    }
    return this.column >= this.end;
  }

  draw() {
    const frame = /** @type {Frame} */ (this.frame);
    const { height, low, high, hide } = frame;
    const { trace, live, pixels, column } = this;
    const base = column * height;
    const perRow = (high - low) / height;
    const blocks = live.blocks;
    const event = this.at ? trace.changeEvent(trace.changes[this.at - 1]) : trace.from;
    let offset = trace.loose;
    let y = 0;
    let b = 0;
    if (this.copied && !this.ages && !hide) {
      // Below the lowest change the column is that on its left.
      const same = Math.min(live.lowest, blocks.length);
      for (; b < same; b++) offset += blocks[b].bytes;
      y = Math.max(0, Math.min(height, Math.ceil((offset - low) / perRow - 0.5)));
      pixels.copyWithin(base, base - height, base - height + y);
    } else {
      const loose = Math.max(0, Math.min(height, Math.ceil((offset - low) / perRow - 0.5)));
      for (; y < loose; y++) pixels[base + y] = 0xff999999;
    }
    for (; b < blocks.length && y < height; b++) {
      const block = blocks[b];
      const top = offset + block.bytes;
      if (!hide && low + (y + 0.5) * perRow >= top) {
        offset = top;
        continue;
      }
      for (let i = 0; i < block.n; i++) {
        const row = block.rows[i];
        const size = trace.sizes[trace.sizeRow[row]];
        if (size < hide) continue;
        offset += size;
        let end = Math.ceil((offset - low) / perRow - 0.5);
        if (end <= y) continue;
        if (end > height) end = height;
        const colour = this.colour(row, event);
        const start = y;
        while (y < end) pixels[base + y++] = colour;
        if (end - start > 3) pixels[base + end - 1] = darker(colour);
        if (y >= height) break;
      }
    }
    while (y < height) pixels[base + y++] = EMPTY;
    live.lowest = Infinity;
    this.copied = true;
  }
}

/** @param {number} colour ABGR */
export function darker(colour) {
  const part = (/** @type {number} */ shift) => ((colour >>> shift) & 255) * 0.72;
  return ((255 << 24) | (part(16) << 16) | (part(8) << 8) | part(0)) >>> 0;
}

/** The row at a height of the stack just before change `index`, or -1; and where it begins.
 * @param {import("./trace.js").Trace} trace @param {Live} live @param {number} bytes
 * @param {number} hide */
export function rowAt(trace, live, bytes, hide) {
  let offset = trace.loose;
  if (bytes < offset) return { row: -1, offset: 0 };
  for (const block of live.blocks) {
    if (!hide && bytes >= offset + block.bytes) {
      offset += block.bytes;
      continue;
    }
    for (let i = 0; i < block.n; i++) {
      const size = trace.size(block.rows[i]);
      if (size < hide) continue;
      if (bytes < offset + size) return { row: block.rows[i], offset };
      offset += size;
    }
  }
  return { row: -1, offset };
}
