// SPDX-License-Identifier: MIT
// trace.js -- the events of one device: columns of the page as arrays, rows of allocations.
//
// Rows: first what lived before the window, then the allocations in their order. `changes` is what
// a replay walks: row r is born (r), or gone (~r), in the order of events.

import { Reader, readChunk } from "./chunks.js";
import { Holes } from "./holes.js";
import { Turn } from "./slices.js";
import { placesInOrder } from "./sort.js";

const OP_ALLOC = 0;
const OP_FREE = 1;
const OP_FREE_LATER = 2;
const OP_REQUESTED = 3;
const OP_COMPLETED = 4;
const OP_FREED = 5;
const COARSE_EVENTS = 16;
const SEGMENT_ALLOC = 4;
const SEGMENT_MAP = 6;
const SEGMENT_UNMAP = 7;
const SMALL_REQUEST_BYTES = 1024 * 1024;
const SMALL_SEGMENT_BYTES = 2 * 1024 * 1024;
/** Loops look at the clock once in so many rounds: a mask. */
const OFTEN = 0x3fff;

/** Later than every event. */
export const ALIVE = 0x7fffffff;

/** `behind`: how many changes come before it.
 * @typedef {{event: number, behind: number, action: number, address: number, size: number, stack: number, attr: number}} Rare */
/** @typedef {{address: number, size: number, attr: number, expandable: boolean, small: boolean}} Segment */

/** Allocations that live, in the order of their births: what `frees` counts along. By 1 + row; 0 is the
 * end, behind the youngest and before the oldest. */
class Living {
  /** @param {number} rows @param {number} before those that live at the start */
  constructor(rows, before) {
    this.older = new Int32Array(rows + 1);
    this.younger = new Int32Array(rows + 1);
    this.next = 0;
    for (let at = 1; at <= before; at++) this.push(at);
  }

  /** @param {number} at */
  push(at) {
    const last = this.older[0];
    this.older[at] = last;
    this.younger[last] = at;
    this.older[0] = at;
  }

  /** @param {number} code of report_columns.h, not 0 @returns {number} the row */
  find(code) {
    const way = (code - 1) % 3;
    let steps = (code - 1 - way) / 3;
    const links = way === 1 ? this.younger : this.older;
    let at = way === 0 ? links[0] : this.next;
    if (way === 2) steps++;
    for (; steps > 0; steps--) at = links[at];
    return at - 1;
  }

  /** @param {number} row */
  remove(row) {
    const at = row + 1;
    const older = this.older[at];
    const younger = this.younger[at];
    if (this.younger[older] !== at) return;
    this.next = younger;
    this.younger[older] = younger;
    this.older[younger] = older;
  }
}

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

  /** All but addresses. @param {(part: number) => void} progress */
  async load(progress) {
    const names = ["ops", "times", "free_times", "later_times", "frees", "sizes", "size_dict"];
    const more = ["stacks", "stack_dict", "attrs", "born", "rare", "exceptions", "segments"];
    const all = names.concat(more);
    const bytes = await Promise.all(all.map((name) => this.column(name)));
    /** @type {Record<string, Reader>} */
    const c = {};
    all.forEach((name, i) => (c[name] = new Reader(bytes[i])));
    await this.readRows(c);
    await this.readEvents(c, progress);
    await this.readExceptions(c.exceptions);
    this.readSegments(c.segments);
    this.checkTimes();
  }

  /** @param {Record<string, Reader>} c */
  async readRows(c) {
    const n = this.nRows;
    const turn = new Turn();
    const sizes = [];
    const requested = [];
    let asked = 0;
    while (!c.size_dict.done) {
      asked += c.size_dict.signed();
      requested.push(asked);
      sizes.push(asked + c.size_dict.signed());
    }
    this.sizes = new Float64Array(sizes);
    this.requested = new Float64Array(requested);
    this.sizeRow = new Uint32Array(n);
    const dict = [];
    while (!c.stack_dict.done) dict.push(c.stack_dict.next());
    this.stackRow = new Uint32Array(n);
    this.attrRow = new Uint16Array(n);
    let fresh = 0;
    for (let i = 0; i < n; i++) {
      const told = c.sizes.next();
      this.sizeRow[i] = told ? told - 1 : fresh++;
      this.stackRow[i] = dict[c.stacks.next()];
      this.attrRow[i] = c.attrs.next();
      if ((i & OFTEN) === 0 && turn.due) await turn.pass();
    }
    this.stackDict = dict;
    this.born = new Int32Array(n);
    this.freeRequested = new Int32Array(n).fill(ALIVE);
    this.freeCompleted = new Int32Array(n).fill(ALIVE);
    for (let i = 0; i < this.nBefore; i++) {
      const ago = c.born.next();
      this.born[i] = ago ? this.from - ago + 1 : -1;
    }
  }

  /** @param {Record<string, Reader>} c @param {(part: number) => void} progress */
  async readEvents(c, progress) {
    const { times, free_times: freeTimes, later_times: laterTimes, frees, rare } = c;
    const ops = c.ops.bytes;
    const n = this.nEvents;
    const { born, freeRequested, freeCompleted } = this;
    const changes = new Int32Array(2 * this.nRows);
    const turn = new Turn();
    const coarse = this.about.coarse_times;
    const timed = this.about.has_times;
    const falls = this.about.times_fall;
    const living = new Living(this.nRows, this.nBefore);
    /** Microseconds since zero_us, never falling. */
    const at = new Float64Array(timed ? n : 0);
    let event = this.from + 1;
    const first = event;
    let row = this.nBefore;
    let k = 0;
    let now = 0;
    let top = 0;
    /** @param {Reader} from */
    const stamp = (from) => {
      if (coarse) return;
      now += falls ? from.signed() : from.next();
      if (now > top) top = now;
      at[event - first] = top;
    };
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i];
      if (op === OP_ALLOC) {
        born[row] = event;
        changes[k++] = row++;
        living.push(row);
        if (timed) stamp(times);
      } else if (op <= OP_FREED) {
        const code = frees.next();
        const freed = code ? living.find(code) : row - 1 - frees.next();
        if (op !== OP_REQUESTED) living.remove(freed);
        if (op !== OP_COMPLETED) freeRequested[freed] = event;
        if (timed) stamp(freeTimes);
        if (op === OP_FREE || op === OP_FREE_LATER) {
          event++;
          if (timed && op === OP_FREE_LATER) stamp(laterTimes);
          else if (timed) at[event - first] = top;
        }
        if (op !== OP_REQUESTED) {
          freeCompleted[freed] = event;
          changes[k++] = ~freed;
        }
      } else {
        this.rare.push({
          event,
          behind: k,
          action: rare.next(),
          address: rare.next(),
          size: rare.next(),
          stack: -1,
          attr: 0,
        });
        const last = this.rare[this.rare.length - 1];
        const told = rare.next();
        last.stack = told ? this.stackDict[told - 1] : -1;
        last.attr = rare.next();
        if (timed) stamp(times);
      }
      event++;
      if ((i & OFTEN) === 0 && turn.due) {
        progress(i / ops.length);
        await turn.pass();
      }
    }
    if (timed && coarse) this.readCoarse(times, at);
    this.times = at;
    this.changes = changes.subarray(0, k);
    /** As the columns tell them: what `addresses` counts along. */
    this.told = this.changes;
  }

  /** Exact at every 16th event and the last, a line between. @param {Reader} times
   * @param {Float64Array} at */
  readCoarse(times, at) {
    let now = 0;
    let before = 0;
    for (let i = 0; i < at.length; i++) {
      if (i % COARSE_EVENTS !== 0 && i !== at.length - 1) continue;
      const old = i ? at[before] : 0;
      now += this.about.times_fall ? times.signed() : times.next();
      at[i] = Math.max(now, old);
      for (let k = before + 1; k < i; k++)
        at[k] = old + ((at[i] - old) * (k - before)) / (i - before);
      before = i;
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
