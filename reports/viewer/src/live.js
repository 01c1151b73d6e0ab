// SPDX-License-Identifier: MIT
// live.js -- the allocations alive at a moment, in the order of allocation, and how to get there.
//
// A plain list, because adding up a hundred thousand numbers that lie side by side takes a tenth of
// a millisecond: less than any structure costs that would save it. Check-points make any moment a
// short walk away.

import { Turn } from "./slices.js";

const SPACING = 32768;
/** So many changes are made one by one; more, by looking at every row once. */
const FEW = 8;

/** Rows alive just before a change, ascending, with what a picture asks of each. */
export class Alive {
  /** @param {import("./trace.js").Trace} trace */
  constructor(trace) {
    this.trace = trace;
    this.n = 0;
    /** The next change. */
    this.at = -1;
    this.rows = new Int32Array(1024);
    this.sizes = new Float64Array(1024);
    /** When each is gone: an event. */
    this.ends = new Int32Array(1024);
  }

  /** @param {number} more */
  reserve(more) {
    if (this.n + more <= this.rows.length) return;
    const room = Math.max(this.n + more, 2 * this.rows.length);
    const { rows, sizes, ends } = this;
    this.rows = new Int32Array(room);
    this.rows.set(rows);
    this.sizes = new Float64Array(room);
    this.sizes.set(sizes);
    this.ends = new Int32Array(room);
    this.ends.set(ends);
  }

  /** @param {Int32Array} rows @param {number} at */
  set(rows, at) {
    const { sizes, sizeRow, freeCompleted } = this.trace;
    this.n = 0;
    this.reserve(rows.length);
    this.n = rows.length;
    this.at = at;
    this.rows.set(rows);
    for (let i = 0; i < rows.length; i++) {
      this.sizes[i] = sizes[sizeRow[rows[i]]];
      this.ends[i] = freeCompleted[rows[i]];
    }
  }

  /** @param {number} row younger than all */
  push(row) {
    this.rows[this.n] = row;
    this.sizes[this.n] = this.trace.sizes[this.trace.sizeRow[row]];
    this.ends[this.n++] = this.trace.freeCompleted[row];
  }

  /** @param {number} row */
  take(row) {
    let low = 0;
    let high = this.n;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.rows[mid] < row) low = mid + 1;
      else high = mid;
    }
    if (low >= this.n || this.rows[low] !== row) return;
    this.rows.copyWithin(low, low + 1, this.n);
    this.sizes.copyWithin(low, low + 1, this.n);
    this.ends.copyWithin(low, low + 1, this.n);
    this.n--;
  }

  /** On to just before change `to`. @param {number} to */
  advance(to) {
    const { changes } = this.trace;
    this.reserve(to - this.at);
    if (to - this.at > FEW) this.sweep(to);
    else
      for (let i = this.at; i < to; i++) {
        if (changes[i] >= 0) this.push(changes[i]);
        else this.take(~changes[i]);
      }
    this.at = to;
  }

  /** @param {number} to */
  sweep(to) {
    const t = this.trace;
    const { rows, sizes, ends } = this;
    const { changes, freeCompleted } = t;
    const last = t.changeEvent(changes[to - 1]);
    // An event can end one row and begin another: what of it is still to come is not gone.
    let late = null;
    for (let i = to; i < changes.length && t.changeEvent(changes[i]) === last; i++)
      if (changes[i] < 0) (late ||= new Set()).add(~changes[i]);
    let n = 0;
    for (let i = 0; i < this.n; i++) {
      if (ends[i] <= last && !(late && late.has(rows[i]))) continue;
      rows[n] = rows[i];
      sizes[n] = sizes[i];
      ends[n++] = ends[i];
    }
    this.n = n;
    for (let i = this.at; i < to; i++) {
      const row = changes[i];
      if (row >= 0 && (freeCompleted[row] > last || (late && late.has(row)))) this.push(row);
    }
  }
}

/** Check-points over the changes of a trace, and the way to any of them. */
export class Moments {
  /** @param {import("./trace.js").Trace} trace */
  constructor(trace) {
    this.trace = trace;
    /** @type {{rows: Int32Array, categories: Float64Array}[]} */
    this.points = [];
    this.spacing = SPACING;
    /** The last moment asked for: the next is often near. */
    this.here = new Alive(trace);
    this.category = Uint8Array.from(trace.attrs, (/** @type {any[]} */ a) => a[3]);
  }

  async build() {
    const t = this.trace;
    const { changes, sizes, sizeRow, attrRow } = t;
    const { category } = this;
    const turn = new Turn();
    const sums = new Float64Array(8);
    const alive = new Alive(t);
    alive.set(Int32Array.from({ length: t.nBefore }, (_, i) => i), 0);
    let total = 0;
    for (let i = 0; i < t.nBefore; i++) {
      total += alive.sizes[i];
      sums[category[attrRow[i]]] += alive.sizes[i];
    }
    t.peakTotal = total;
    t.peakEvent = t.from;
    this.spacing = Math.max(SPACING, alive.n);
    for (let start = 0; start === 0 || start < changes.length; start += this.spacing) {
      alive.advance(start);
      this.points.push({ rows: alive.rows.slice(0, alive.n), categories: sums.slice() });
      const end = Math.min(changes.length, start + this.spacing);
      for (let i = start; i < end; i++) {
        const change = changes[i];
        const row = change >= 0 ? change : ~change;
        const size = change >= 0 ? sizes[sizeRow[row]] : -sizes[sizeRow[row]];
        sums[category[attrRow[row]]] += size;
        total += size;
        if (total > t.peakTotal) {
          t.peakTotal = total;
          t.peakEvent = t.born[change];
        }
      }
      if (turn.due) await turn.pass();
    }
    t.peakTotal += t.loose;
  }

  /** Bring `alive` to just before change `index`. @param {Alive} alive @param {number} index */
  seek(alive, index) {
    const point = Math.min(Math.floor(index / this.spacing), this.points.length - 1);
    const start = point * this.spacing;
    if (alive.at < 0 || alive.at > index || alive.at < start) alive.set(this.points[point].rows, start);
    alive.advance(index);
  }

  /** Sums by category just before change `index`. @param {Float64Array} out @param {number} index */
  sums(out, index) {
    const t = this.trace;
    const point = Math.min(Math.floor(index / this.spacing), this.points.length - 1);
    out.set(this.points[point].categories);
    for (let i = point * this.spacing; i < index; i++) {
      const change = t.changes[i];
      const row = change >= 0 ? change : ~change;
      const size = t.sizes[t.sizeRow[row]];
      out[this.category[t.attrRow[row]]] += change >= 0 ? size : -size;
    }
  }

  /** Rows alive just after an event. @param {number} event @returns {Int32Array} */
  rowsAt(event) {
    this.seek(this.here, this.trace.changeAfter(event));
    return this.here.rows.slice(0, this.here.n);
  }
}
