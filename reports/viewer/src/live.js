// SPDX-License-Identifier: MIT
// live.js -- the allocations alive at a moment, in the order of allocation, and how to get there.
//
// Rows lie in blocks of at most 128 with the sum of their bytes, so that taking one out moves few
// and a picture skips those thinner than a pixel. Check-points make any moment a short walk away.

const BLOCK = 128;
const SPACING = 32768;

class Block {
  constructor() {
    this.rows = new Int32Array(BLOCK);
    this.n = 0;
    this.bytes = 0;
  }
}

export class Live {
  /** @param {import("./trace.js").Trace} trace */
  constructor(trace) {
    this.trace = trace;
    /** @type {Block[]} */
    this.blocks = [];
    this.n = 0;
    this.total = 0;
    /** The lowest block that changed since a reader set it to Infinity. */
    this.lowest = 0;
    this.categories = new Float64Array(8);
  }

  /** @param {ArrayLike<number>} rows ascending */
  set(rows) {
    const t = this.trace;
    this.blocks = [];
    this.total = 0;
    this.n = rows.length;
    this.lowest = 0;
    this.categories.fill(0);
    const fill = (BLOCK * 3) >> 2;
    let block = null;
    for (let i = 0; i < rows.length; i++) {
      if (!block || block.n === fill) this.blocks.push((block = new Block()));
      const size = t.size(rows[i]);
      block.rows[block.n++] = rows[i];
      block.bytes += size;
      this.total += size;
      this.categories[t.attrs[t.attrRow[rows[i]]][3]] += size;
    }
  }

  /** @returns {Int32Array} */
  rows() {
    const out = new Int32Array(this.n);
    let k = 0;
    for (const block of this.blocks) {
      out.set(block.rows.subarray(0, block.n), k);
      k += block.n;
    }
    return out;
  }

  /** @param {number} row younger than all */
  push(row) {
    const blocks = this.blocks;
    let last = blocks.length - 1;
    if (last < 0 || blocks[last].n === BLOCK) {
      blocks.push(new Block());
      last++;
    }
    const block = blocks[last];
    const size = this.trace.size(row);
    block.rows[block.n++] = row;
    block.bytes += size;
    this.total += size;
    this.n++;
    if (last < this.lowest) this.lowest = last;
  }

  /** @param {number} row */
  take(row) {
    const blocks = this.blocks;
    let low = 0;
    let high = blocks.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (blocks[mid].rows[0] <= row) low = mid;
      else high = mid - 1;
    }
    const block = blocks[low];
    if (!block) return;
    const rows = block.rows;
    let at = block.n - 1;
    while (at >= 0 && rows[at] !== row) at--;
    if (at < 0) return;
    for (const last = --block.n; at < last; at++) rows[at] = rows[at + 1];
    const size = this.trace.size(row);
    block.bytes -= size;
    this.total -= size;
    this.n--;
    if (!block.n) blocks.splice(low, 1);
    if (low < this.lowest) this.lowest = low;
  }

  /** @param {number} change */
  apply(change) {
    if (change >= 0) this.push(change);
    else this.take(~change);
  }
}

/** Check-points over the changes of a trace, and the way to any of them. */
export class Moments {
  /** @param {import("./trace.js").Trace} trace */
  constructor(trace) {
    this.trace = trace;
    /** @type {{rows: Int32Array, total: number, categories: Float64Array}[]} */
    this.points = [];
    this.spacing = SPACING;
  }

  /** @param {() => Promise<void>} pause */
  async build(pause) {
    const t = this.trace;
    const { changes, sizes, sizeRow, attrRow } = t;
    const category = Uint8Array.from(t.attrs, (/** @type {any[]} */ a) => a[3]);
    const sums = new Float64Array(8);
    const live = new Live(t);
    const first = new Int32Array(t.nBefore);
    for (let i = 0; i < t.nBefore; i++) first[i] = i;
    live.set(first);
    sums.set(live.categories);
    let total = live.total;
    t.peakTotal = total;
    t.peakEvent = t.from;
    let rows = live.rows();
    let since = 0;
    this.spacing = Math.max(SPACING, live.n);
    this.points.push({ rows, total, categories: Float64Array.from(sums) });
    for (let i = 0; i < changes.length; i++) {
      const change = changes[i];
      const row = change >= 0 ? change : ~change;
      const size = sizes[sizeRow[row]];
      if (change >= 0) {
        total += size;
        sums[category[attrRow[row]]] += size;
        if (total > t.peakTotal) {
          t.peakTotal = total;
          t.peakEvent = t.born[change];
        }
      } else {
        total -= size;
        sums[category[attrRow[row]]] -= size;
      }
      if (i + 1 - since === this.spacing) {
        rows = this.survivors(rows, since, i + 1);
        since = i + 1;
        this.points.push({ rows, total, categories: Float64Array.from(sums) });
        if (this.points.length % 8 === 0) await pause();
      }
    }
    t.peakTotal += t.loose;
  }

  /** Rows alive at change `to`, from those at `from`: no list needs to be kept up for it.
   * @param {Int32Array} rows @param {number} from @param {number} to */
  survivors(rows, from, to) {
    const { changes } = this.trace;
    const gone = new Set();
    let births = 0;
    for (let i = from; i < to; i++) {
      if (changes[i] < 0) gone.add(~changes[i]);
      else births++;
    }
    const out = new Int32Array(rows.length + births);
    let n = 0;
    for (let i = 0; i < rows.length; i++) if (!gone.has(rows[i])) out[n++] = rows[i];
    for (let i = from; i < to; i++)
      if (changes[i] >= 0 && !gone.has(changes[i])) out[n++] = changes[i];
    return out.slice(0, n);
  }

  /** Bring `live` to just before change `index`. @param {Live} live @param {number} index */
  seek(live, index) {
    const point = Math.min(Math.floor(index / this.spacing), this.points.length - 1);
    const from = point * this.spacing;
    if (index - from > 2048) {
      live.set(this.survivors(this.points[point].rows, from, index));
      return;
    }
    live.set(this.points[point].rows);
    for (let i = from; i < index; i++) live.apply(this.trace.changes[i]);
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
      out[t.attrs[t.attrRow[row]][3]] += change >= 0 ? size : -size;
    }
  }

  /** Rows alive just after an event. @param {number} event @returns {Int32Array} */
  rowsAt(event) {
    const live = new Live(this.trace);
    this.seek(live, this.trace.changeAfter(event));
    return live.rows();
  }
}
