// SPDX-License-Identifier: MIT
// holes.js -- free memory as the allocator sees it, to foretell where it puts an allocation.
//
// The same steps as reports/report_holes.c, which wrote what is read here; its header says why.

const PER_CHUNK = 128;
/** Numbers of a row: two that it is ordered by, one that goes with it. */
const WIDTH = 3;

/** Rows of three numbers, ordered by the first two. */
class Ordered {
  constructor() {
    /** @type {{n: number, rows: Float64Array}[]} */
    this.chunks = [];
    /** Where the last search ended: its chunk, one past the last one when it is behind all. */
    this.chunk = 0;
    this.place = 0;
  }

  /** Go to the first row that is not before these. @param {number} first @param {number} second */
  find(first, second) {
    const { chunks } = this;
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      const { rows } = chunks[mid];
      if (rows[0] < first || (rows[0] === first && rows[1] <= second)) low = mid + 1;
      else high = mid;
    }
    this.chunk = low ? low - 1 : 0;
    this.place = 0;
    if (!chunks.length) return;
    const { n, rows } = chunks[this.chunk];
    low = 0;
    high = n;
    while (low < high) {
      const mid = (low + high) >> 1;
      const a = rows[WIDTH * mid];
      if (a < first || (a === first && rows[WIDTH * mid + 1] < second)) low = mid + 1;
      else high = mid;
    }
    if (low < n) this.place = low;
    else this.chunk++;
  }

  /** On by so many rows. @param {number} steps */
  skip(steps) {
    this.place += steps;
    while (this.chunk < this.chunks.length && this.place >= this.chunks[this.chunk].n)
      this.place -= this.chunks[this.chunk++].n;
  }

  /** @param {number} first @param {number} second @param {number} third */
  insert(first, second, third) {
    this.find(first, second);
    this.put(first, second, third);
  }

  /** Where the last search ended. @param {number} first @param {number} second @param {number} third */
  put(first, second, third) {
    const { chunks } = this;
    // A search that ends at the start of a chunk may as well end behind the chunk before.
    if (this.place === 0 && this.chunk > 0) this.place = chunks[--this.chunk].n;
    let c = chunks[this.chunk];
    if (!c || c.n === PER_CHUNK) c = this.split(c);
    const at = WIDTH * this.place;
    if (this.place < c.n) c.rows.copyWithin(at + WIDTH, at, WIDTH * c.n);
    c.rows[at] = first;
    c.rows[at + 1] = second;
    c.rows[at + 2] = third;
    c.n++;
  }

  /** Half of a full chunk becomes its own, or the first one.
   * @param {{n: number, rows: Float64Array} | undefined} full */
  split(full) {
    const made = { n: 0, rows: new Float64Array(WIDTH * PER_CHUNK) };
    if (!full) {
      this.chunks.push(made);
      return made;
    }
    const half = PER_CHUNK / 2;
    made.rows.set(full.rows.subarray(WIDTH * half));
    full.n = made.n = half;
    this.chunks.splice(this.chunk + 1, 0, made);
    if (this.place <= half) return full;
    this.chunk++;
    this.place -= half;
    return made;
  }

  /** @param {number} chunk @param {number} place */
  removeAt(chunk, place) {
    const c = this.chunks[chunk];
    c.n--;
    if (!c.n) this.chunks.splice(chunk, 1);
    else if (place < c.n) c.rows.copyWithin(WIDTH * place, WIDTH * (place + 1), WIDTH * (c.n + 1));
  }

  /** The row is there. @param {number} first @param {number} second */
  remove(first, second) {
    const here = this.chunks[this.chunk];
    const at = WIDTH * this.place;
    // Often the last search ended there.
    if (!here || this.place >= here.n || here.rows[at] !== first || here.rows[at + 1] !== second)
      this.find(first, second);
    this.removeAt(this.chunk, this.place);
  }
}

/** Addresses and sizes are in units of the page. */
export class Holes {
  constructor() {
    /** Start, end, home. */
    this.byAddress = new Ordered();
    /** Of each lane: size, start. @type {Ordered[]} */
    this.bySize = [];
    /** The home of each lane's expandable memory. @type {number[]} */
    this.shared = [];
    /** @type {number[]} */
    this.laneOfHome = [];
    // Where the hole before an address is, and its chunk's rows; null: there is none.
    this.chunk = 0;
    this.place = 0;
    /** @type {Float64Array | null} */
    this.rows = null;
  }

  /** @param {number} lane */
  newHome(lane) {
    this.sharedHome(lane);
    return this.laneOfHome.push(lane) - 1;
  }

  /** @param {number} lane */
  sharedHome(lane) {
    while (this.bySize.length <= lane) {
      this.shared.push(this.laneOfHome.push(this.bySize.length) - 1);
      this.bySize.push(new Ordered());
    }
    return this.shared[lane];
  }

  /** Look for the last hole that starts at `address` or before; the next one is where `byAddress`
   * stands then. @param {number} address */
  before(address) {
    const { byAddress } = this;
    byAddress.find(address, Infinity);
    this.chunk = byAddress.chunk;
    this.place = byAddress.place - 1;
    if (this.place < 0 && --this.chunk >= 0) this.place = byAddress.chunks[this.chunk].n - 1;
    this.rows = this.chunk >= 0 ? byAddress.chunks[this.chunk].rows : null;
    return this.rows;
  }

  /** A part of a hole is not free any longer. @param {number} chunk @param {number} place
   * @param {number} start @param {number} end */
  cut(chunk, place, start, end) {
    const { rows } = this.byAddress.chunks[chunk];
    const at = WIDTH * place;
    const from = rows[at];
    const to = rows[at + 1];
    const home = rows[at + 2];
    const sizes = this.bySize[this.laneOfHome[home]];
    sizes.remove(to - from, from);
    if (from < start) {
      rows[at + 1] = start;
      sizes.insert(start - from, from, 0);
      if (end < to) this.byAddress.insert(end, to, home);
    } else if (end < to) rows[at] = end;
    else this.byAddress.removeAt(chunk, place);
    if (end < to) sizes.insert(to - end, end, 0);
  }

  /** [start, start + size) becomes free. @param {number} start @param {number} size
   * @param {number} home */
  give(start, size, home) {
    if (!size) return;
    const { byAddress } = this;
    const sizes = this.bySize[this.laneOfHome[home]];
    const low = this.before(start);
    const next = byAddress.chunks[byAddress.chunk];
    const end = start + size;
    const lowAt = WIDTH * this.place;
    const highAt = WIDTH * byAddress.place;
    if ((low && low[lowAt + 1] > start) || (next && next.rows[highAt] < end)) return;
    const joinsLow = low && low[lowAt + 1] === start && low[lowAt + 2] === home;
    const joinsHigh = next && next.rows[highAt] === end && next.rows[highAt + 2] === home;
    let from = start;
    let to = end;
    if (joinsLow) {
      from = low[lowAt];
      sizes.remove(start - from, from);
    }
    if (joinsHigh) {
      to = next.rows[highAt + 1];
      sizes.remove(to - end, end);
    }
    if (joinsLow) low[lowAt + 1] = to;
    else if (joinsHigh) next.rows[highAt] = from;
    else byAddress.put(from, to, home);
    if (joinsLow && joinsHigh) byAddress.removeAt(byAddress.chunk, byAddress.place);
    sizes.insert(to - from, from, 0);
  }

  /** [start, start + size) is no longer free, as far as the hole goes that holds `start`.
   * @param {number} start @param {number} size @returns {number} its home; -1: there is none */
  take(start, size) {
    const rows = this.before(start);
    const at = WIDTH * this.place;
    if (!rows || rows[at + 1] <= start) return -1;
    const home = rows[at + 2];
    if (size) this.cut(this.chunk, this.place, start, start + size);
    return home;
  }

  /** No part of [start, start + size) is free any longer. @param {number} start @param {number} size */
  drop(start, size) {
    const { byAddress } = this;
    const end = start + size;
    while (size) {
      const rows = this.before(start);
      if (rows && rows[WIDTH * this.place + 1] > start) this.cut(this.chunk, this.place, start, end);
      else {
        const next = byAddress.chunks[byAddress.chunk];
        if (!next || next.rows[WIDTH * byAddress.place] >= end) return;
        this.cut(byAddress.chunk, byAddress.place, start, end);
      }
    }
  }

  /** Where the hole starts that has `rank` others before it of those in a lane that hold `size`.
   * @param {number} lane @param {number} size @param {number} rank */
  startOf(lane, size, rank) {
    const sizes = this.bySize[lane];
    sizes.find(size, -1);
    if (rank) sizes.skip(rank);
    return sizes.chunks[sizes.chunk].rows[WIDTH * sizes.place + 1];
  }
}
