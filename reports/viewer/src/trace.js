// SPDX-License-Identifier: MIT
// trace.js -- the events of one device: columns of the page as arrays, rows of allocations.
//
// Rows: first what lived before the window, then the allocations in their order. `changes` is what
// a replay walks: row r is born (r), or gone (~r), in the order of events.

import { Reader, readChunk } from "./chunks.js";
import { Holes } from "./holes.js";
import { LOADING, Turn } from "./slices.js";
import { placesInOrder } from "./sort.js";

const OP_ALLOC = 0;
const OP_FREE = 1;
const OP_FREE_LATER = 2;
const OP_REQUESTED = 3;
const OP_COMPLETED = 4;
const OP_RARE = 6;
const COARSE_EVENTS = 16;
export const SEGMENT_ALLOC = 4;
export const SEGMENT_MAP = 6;
export const SEGMENT_UNMAP = 7;
const SMALL_REQUEST_BYTES = 1024 * 1024;
export const SMALL_SEGMENT_BYTES = 2 * 1024 * 1024;
/** Loops look at the clock once in so many rounds: a mask. */
const OFTEN = 0x3fff;

/** Later than every event. */
export const ALIVE = 0x7fffffff;

/** `behind`: how many changes come before it.
 * @typedef {{event: number, behind: number, action: number, address: number, size: number, stack: number, attr: number}} Rare */
/** @typedef {{address: number, size: number, attr: number, expandable: boolean, small: boolean}} Segment */

/** How far the columns are read: the op, the event, the row that comes next, changes. And the allocations
 * that live, in the order of their births, by 1 + row; 0 is the end, behind the youngest and before the
 * oldest; `next` is the younger neighbour of the one freed last.
 * @typedef {{i: number, event: number, row: number, k: number, older: Int32Array, younger: Int32Array, next: number}} Progress */

export class Trace {
  /** @param {any} description of the device @param {any} file of the file
   * @param {string} id "0/0" */
  constructor(description, file, id) {
    this.about = description;
    this.file = file;
    this.id = id;
    this.device = description.device;
    this.from = description.from;
    this.to = description.to;
    this.nEvents = this.to - this.from;
    this.nRows = description.rows;
    this.nBefore = description.before;
    this.loose = description.loose_bytes;
    this.attrs = description.attrs;
    this.hasAddresses = description.has_addresses;
    /** @type {Rare[]} */
    this.rare = [];
    /** @type {Segment[]} */
    this.segments = [];
    /** @type {Float64Array | null} */
    this.addressOf = null;
    /** @type {Promise<void> | null} */
    this.reading = null;
    /** @type {Promise<{stacks: Float64Array, attrs: Float64Array}> | null} */
    this.weighing = null;
    this.peakTotal = 0;
    this.peakEvent = this.from;
    // Of each distinct pair: bytes of the block, bytes asked for (-1: unknown).
    this.sizes = new Float64Array(0);
    this.requested = new Float64Array(0);
    // Of each row.
    this.sizeRow = new Uint32Array(0);
    this.stackRow = new Uint32Array(0);
    this.attrRow = new Uint16Array(0);
    /** How many rows each kind has. */
    this.rowsOf = new Float64Array(this.attrs.length);
    this.born = new Int32Array(0);
    this.freeRequested = new Int32Array(0);
    this.freeCompleted = new Int32Array(0);
    /** @type {number[]} */
    this.stackDict = [];
    this.changes = new Int32Array(0);
    this.told = this.changes;
    /** Of each event of the window: microseconds since the first, never falling. */
    this.times = new Float64Array(0);
    this.byTime = false;
    this.lastTime = 0;
  }

  /** @param {string} name */
  column(name) {
    const size = this.about.columns[name];
    return size ? readChunk(`${this.id}/${name}`, size) : Promise.resolve(new Uint8Array(0));
  }

  /** All but addresses. */
  async load() {
    // In the order of the page: the first are here before the last.
    const all = ["ops", "times", "free_times", "later_times", "frees", "sizes", "stacks", "attrs", "born", "size_dict",
      "stack_dict", "rare", "exceptions", "segments"];
    /** @type {Record<string, Reader>} */
    const c = {};
    for (const name of all) c[name] = new Reader(await this.column(name));
    await this.readRows(c);
    await this.readEvents(c);
    await this.readExceptions(c.exceptions);
    this.readSegments(c.segments);
    this.checkTimes();
  }

  /** @param {Record<string, Reader>} c */
  async readRows(c) {
    const n = this.nRows;
    const turn = new Turn(undefined, LOADING);
    // A pair takes two bytes or more.
    this.sizes = new Float64Array(c.size_dict.bytes.length >> 1);
    this.requested = new Float64Array(c.size_dict.bytes.length >> 1);
    let pairs = 0;
    for (let asked = 0; !c.size_dict.done; pairs++) {
      asked += c.size_dict.signed();
      this.requested[pairs] = asked;
      this.sizes[pairs] = asked + c.size_dict.signed();
      if ((pairs & OFTEN) === 0 && turn.due) await turn.pass();
    }
    this.sizes = this.sizes.subarray(0, pairs);
    this.requested = this.requested.subarray(0, pairs);
    while (!c.stack_dict.done) this.stackDict.push(c.stack_dict.next());
    this.sizeRow = new Uint32Array(n);
    this.stackRow = new Uint32Array(n);
    this.attrRow = new Uint16Array(n);
    const dict = Uint32Array.from(this.stackDict);
    const attrs = new Uint32Array(OFTEN + 1);
    let fresh = 0;
    for (let i = 0; i < n; i += OFTEN + 1) {
      const end = Math.min(n, i + OFTEN + 1);
      c.sizes.fill(this.sizeRow, i, end);
      c.stacks.fill(this.stackRow, i, end);
      c.attrs.fill(attrs, 0, end - i);
      fresh = resolve(this, i, end, dict, attrs, fresh);
      if (turn.due) await turn.pass();
    }
    this.born = new Int32Array(n);
    this.freeRequested = new Int32Array(n).fill(ALIVE);
    this.freeCompleted = new Int32Array(n).fill(ALIVE);
    for (let i = 0; i < this.nBefore; i++) {
      const ago = c.born.next();
      this.born[i] = ago ? this.from - ago + 1 : -1;
    }
  }

  /** @param {Record<string, Reader>} c */
  async readEvents(c) {
    const ops = c.ops.bytes;
    const turn = new Turn(undefined, LOADING);
    const older = new Int32Array(this.nRows + 1);
    const younger = new Int32Array(this.nRows + 1);
    const done = { i: 0, event: this.from + 1, row: this.nBefore, k: 0, older, younger, next: 0 };
    for (let at = 1; at <= this.nBefore; at++) {
      older[at] = at - 1;
      younger[at - 1] = at;
    }
    older[0] = this.nBefore;
    this.changes = new Int32Array(2 * this.nRows);
    while (done.i < ops.length) {
      this.replay(ops, c.frees, done, Math.min(ops.length, done.i + OFTEN));
      if (done.i < ops.length && ops[done.i] === OP_RARE) this.readRare(c.rare, done);
      if (turn.due) await turn.pass();
    }
    this.changes = this.changes.subarray(0, done.k);
    /** As the columns tell them: what `addresses` counts along. */
    this.told = this.changes;
    await this.readTimes(ops, [c.times, c.free_times, c.later_times]);
  }

  /** Births and ends, up to op `end` or the next rare one. @param {Uint8Array} ops
   * @param {Reader} frees @param {Progress} done @param {number} end */
  replay(ops, frees, done, end) {
    const { born, freeRequested, freeCompleted, changes } = this;
    const { older, younger } = done;
    let { i, event, row, k, next } = done;
    for (; i < end; i++, event++) {
      const op = ops[i];
      if (op === OP_ALLOC) {
        born[row] = event;
        changes[k++] = row++;
        const last = older[0];
        older[row] = last;
        younger[last] = row;
        older[0] = row;
        continue;
      }
      if (op === OP_RARE) break;
      // See report_columns.h: steps along those that live, or how far behind the youngest row.
      const code = frees.next();
      let freed = 0;
      if (code) {
        const way = (code - 1) % 3;
        const links = way === 1 ? younger : older;
        let steps = (code - 1 - way) / 3 + (way === 2 ? 1 : 0);
        freed = way === 0 ? links[0] : next;
        for (; steps > 0; steps--) freed = links[freed];
      } else freed = row - frees.next();
      if (op !== OP_COMPLETED) freeRequested[freed - 1] = event;
      if (op === OP_REQUESTED) continue;
      if (younger[older[freed]] === freed) {
        next = younger[freed];
        younger[older[freed]] = next;
        older[next] = older[freed];
      }
      if (op === OP_FREE || op === OP_FREE_LATER) event++;
      freeCompleted[freed - 1] = event;
      changes[k++] = -freed;
    }
    Object.assign(done, { i, event, row, k, next });
  }

  /** @param {Reader} rare @param {Progress} done */
  readRare(rare, done) {
    const [action, address, size, stack, attr] = Array.from({ length: 5 }, () => rare.next());
    this.rare.push({ event: done.event++, behind: done.k, action, address, size, stack: stack ? this.stackDict[stack - 1] : -1, attr });
    done.i++;
  }

  /** @param {Uint8Array} ops @param {Reader[]} columns of allocations, of frees, of second events */
  async readTimes(ops, columns) {
    if (!this.about.has_times) return;
    const turn = new Turn(undefined, LOADING);
    this.times = new Float64Array(this.nEvents);
    if (this.about.coarse_times) {
      await this.readCoarse(columns[0], turn);
      return;
    }
    const clock = { now: 0, top: 0, event: 0, falls: this.about.times_fall };
    for (let i = 0; i < ops.length; i += OFTEN + 1) {
      stamp(ops, i, Math.min(ops.length, i + OFTEN + 1), columns, clock, this.times);
      if (turn.due) await turn.pass();
    }
  }

  /** Exact at every 16th event and the last, a line between. @param {Reader} times @param {Turn} turn */
  async readCoarse(times, turn) {
    const at = this.times;
    const falls = this.about.times_fall;
    let now = 0;
    let old = 0;
    let before = -1;
    while (before < at.length - 1) {
      const i = before < 0 ? 0 : Math.min(before + COARSE_EVENTS, at.length - 1);
      now += falls ? times.signed() : times.next();
      at[i] = Math.max(now, old);
      for (let k = before + 1; k < i; k++) at[k] = old + ((at[i] - old) * (k - before)) / (i - before);
      old = at[i];
      before = i;
      if ((i & OFTEN) === 0 && turn.due) await turn.pass();
    }
  }

  /** @param {Reader} c */
  async readExceptions(c) {
    if (c.done) return;
    while (!c.done) {
      const row = c.next();
      const requested = c.signed();
      const completed = c.signed();
      this.freeRequested[row] = requested === -2 ? ALIVE : requested;
      this.freeCompleted[row] = completed === -2 ? ALIVE : completed;
    }
    const turn = new Turn();
    const list = new Int32Array(2 * this.nRows);
    let k = 0;
    for (let row = 0; row < this.nRows; row++) {
      if (this.freeCompleted[row] <= this.to && this.freeCompleted[row] > this.from) list[k++] = ~row;
      if (row >= this.nBefore) list[k++] = row;
      if ((row & OFTEN) === 0 && turn.due) await turn.pass();
    }
    // Of one event the end comes first: something took the place.
    const keys = new Float64Array(k);
    for (let i = 0; i < k; i++) keys[i] = 2 * this.changeEvent(list[i]) + (list[i] >= 0 ? 1 : 0);
    const places = /** @type {Uint32Array} */ (await placesInOrder(keys, turn));
    this.changes = Int32Array.from(places, (i) => list[i]);
  }

  /** @param {Reader} c */
  readSegments(c) {
    while (!c.done) {
      const segment = { address: c.next(), size: c.next(), attr: c.next(), expandable: false, small: false };
      const bits = c.next();
      segment.expandable = bits >= 2;
      segment.small = bits % 2 === 1;
      this.segments.push(segment);
    }
  }

  checkTimes() {
    const n = this.times.length;
    this.byTime = n > 1 && this.times[n - 1] > this.times[0];
    this.lastTime = n ? this.times[n - 1] : 0;
  }

  /** Addresses are read when something first asks for them. */
  async loadAddresses() {
    if (!this.hasAddresses) return;
    this.reading ||= this.readAddresses();
    await this.reading;
  }

  async readAddresses() {
    const turn = new Turn();
    const [places, misses] = (await Promise.all(["addresses", "misses"].map((n) => this.column(n)))).map(
      (b) => new Reader(b),
    );
    const unit = this.about.byte_addresses ? 1 : 512;
    const { foretold } = this.about;
    const holes = new Holes();
    const addressOf = new Float64Array(this.nRows);
    const homeOf = new Uint32Array(this.nRows);
    const units = Float64Array.from(this.sizes, (size) => Math.ceil(size / unit));
    const small = Uint8Array.from(this.sizes, (size) => (size <= SMALL_REQUEST_BYTES ? 1 : 0));
    const lanes = Uint32Array.from(this.attrs, (/** @type {any[]} */ attr) => 2 * attr[6]);
    let end = 0;
    const born = (/** @type {number} */ row) => {
      const kind = this.sizeRow[row];
      const size = units[kind];
      const lane = lanes[this.attrRow[row]] + small[kind];
      const told = row < this.nBefore ? 0 : places.next();
      const at = told ? holes.startOf(lane, size, told - 1) : end + misses.signed();
      addressOf[row] = at * unit;
      end = at + size;
      if (!foretold) return;
      const home = holes.take(at, size);
      homeOf[row] = home < 0 ? holes.sharedHome(lane) : home;
    };
    const segment = (/** @type {Segment} */ s) => {
      const lane = lanes[s.attr] + (s.small ? 1 : 0);
      const home = s.expandable ? holes.sharedHome(lane) : holes.newHome(lane);
      if (foretold) holes.give(Math.floor(s.address / unit), Math.floor(s.size / unit), home);
    };
    const seldom = (/** @type {Rare} */ r) => {
      if (r.action < SEGMENT_ALLOC || r.action > SEGMENT_UNMAP || !foretold) return;
      const expandable = r.action === SEGMENT_MAP;
      if (expandable || r.action === SEGMENT_ALLOC)
        segment({ ...r, expandable, small: r.size <= SMALL_SEGMENT_BYTES });
      else holes.drop(Math.floor(r.address / unit), Math.floor(r.size / unit));
    };
    for (const s of this.segments) segment(s);
    for (let row = 0; row < this.nBefore; row++) born(row);
    for (let i = 0, next = 0; i < this.told.length; i++) {
      while (next < this.rare.length && this.rare[next].behind <= i) seldom(this.rare[next++]);
      if ((i & OFTEN) === 0 && turn.due) await turn.pass();
      const change = this.told[i];
      if (change >= 0) born(change);
      else if (foretold) holes.give(addressOf[~change] / unit, units[this.sizeRow[~change]], homeOf[~change]);
    }
    this.addressOf = addressOf;
  }

  /** Bytes times events of all rows of each stack and each kind, added up once. */
  weights() {
    this.weighing ||= this.weigh();
    return this.weighing;
  }

  async weigh() {
    const turn = new Turn();
    const stacks = new Float64Array(this.file.stacks.length / 2);
    const attrs = new Float64Array(this.attrs.length);
    for (let row = 0; row < this.nRows; row++) {
      const life = Math.min(this.freeCompleted[row], this.to + 1) - Math.max(this.born[row], this.from);
      const weight = this.size(row) * life;
      stacks[this.stackRow[row]] += weight;
      attrs[this.attrRow[row]] += weight;
      if ((row & OFTEN) === 0 && turn.due) await turn.pass();
    }
    return { stacks, attrs };
  }

  /** @param {number} change */
  changeEvent(change) {
    return change >= 0 ? this.born[change] : this.freeCompleted[~change];
  }

  /** @param {number} row */
  size(row) {
    return this.sizes[this.sizeRow[row]];
  }

  /** The first change behind `event`. @param {number} event */
  changeAfter(event) {
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.changeEvent(this.changes[mid]) <= event) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  /** Microseconds since the first event. @param {number} event */
  timeOf(event) {
    if (!this.times.length || event <= this.from) return 0;
    return this.times[Math.min(event, this.to) - this.from - 1];
  }

  /** The last event not later than `us`. @param {number} us */
  eventAt(us) {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.times[mid] <= us) low = mid + 1;
      else high = mid;
    }
    return this.from + low;
  }

  /** @param {number} row @param {number} event */
  alive(row, event) {
    return this.born[row] <= event && this.freeCompleted[row] > event;
  }

  /** The stack of a row of stacks, innermost frame first. @param {number} stack */
  frames(stack) {
    const { tree, frames, stacks } = this.file;
    const out = [];
    for (let node = stacks[2 * stack]; node; node = tree[2 * (node - 1)])
      out.push(frames[tree[2 * (node - 1) + 1] - 1]);
    return out;
  }

  /** @param {number} stack */
  site(stack) {
    return stack < 0 ? "(no stack)" : this.file.sites[this.file.stacks[2 * stack + 1]];
  }
}

/** From what the columns tell of rows `from` to `to` to rows of the tables; `attrs` are counted.
 * @param {Trace} t @param {number} from @param {number} to @param {Uint32Array} dict of stacks
 * @param {Uint32Array} attrs @param {number} fresh the next new size @returns {number} */
function resolve(t, from, to, dict, attrs, fresh) {
  const { sizeRow, stackRow, attrRow, rowsOf } = t;
  for (let i = from; i < to; i++) {
    sizeRow[i] = sizeRow[i] ? sizeRow[i] - 1 : fresh++;
    stackRow[i] = dict[stackRow[i]];
    attrRow[i] = attrs[i - from];
    rowsOf[attrRow[i]]++;
  }
  return fresh;
}

/** Times of ops `from` to `to`. `clock`: the time, the latest yet, the event.
 * @param {Uint8Array} ops @param {number} from @param {number} to @param {Reader[]} columns
 * @param {{now: number, top: number, event: number, falls: boolean}} clock @param {Float64Array} out */
function stamp(ops, from, to, columns, clock, out) {
  const { falls } = clock;
  let { now, top, event } = clock;
  for (let i = from; i < to; i++) {
    const op = ops[i];
    const last = op === OP_FREE_LATER ? 2 : op === OP_ALLOC || op === OP_RARE ? 0 : 1;
    for (let which = Math.min(last, 1); which <= last; which++) {
      now += falls ? columns[which].signed() : columns[which].next();
      if (now > top) top = now;
      out[event++] = top;
    }
    if (op === OP_FREE) out[event++] = top;
  }
  Object.assign(clock, { now, top, event });
}
