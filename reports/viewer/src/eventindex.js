// SPDX-License-Identifier: MIT
// eventindex.js -- what each event was, found from the rows of allocations when a table asks.

/** Loops look at the clock once in so many rounds: a mask. */
const OFTEN = 0x3fff;
const BORN = 1;
const REQUESTED = 2;
const COMPLETED = 4;

export class EventIndex {
  /** @param {import("./view.js").View} view */
  constructor(view) {
    this.trace = view.trace;
    this.actions = view.actions;
    this.built = false;
    this.row = new Int32Array(0);
    this.kind = new Uint8Array(0);
    this.rare = new Map(view.trace.rare.map((r) => [r.event, r]));
  }

  /** @param {import("./slices.js").Turn} turn @returns {Promise<boolean>} false: overtaken */
  async build(turn) {
    if (this.built) return true;
    const t = this.trace;
    const rowOf = new Int32Array(t.nEvents).fill(-1);
    const kindOf = new Uint8Array(t.nEvents);
    const put = (/** @type {number} */ event, /** @type {number} */ row, /** @type {number} */ kind) => {
      if (event <= t.from || event > t.to) return;
      rowOf[event - t.from - 1] = row;
      kindOf[event - t.from - 1] |= kind;
    };
    for (let row = 0; row < t.nRows; row++) {
      if (row >= t.nBefore) put(t.born[row], row, BORN);
      put(t.freeRequested[row], row, REQUESTED);
      put(t.freeCompleted[row], row, COMPLETED);
      if ((row & OFTEN) === 0 && turn.due && !(await turn.pass())) return false;
    }
    this.row = rowOf;
    this.kind = kindOf;
    this.built = true;
    return true;
  }

  /** What to sort by. @param {number} event */
  kindOf(event) {
    const rare = this.rare.get(event);
    return rare ? 8 + rare.action : this.kind[event - this.trace.from - 1];
  }

  /** @param {number} event */
  words(event) {
    const rare = this.rare.get(event);
    if (rare) return this.actions[rare.action];
    const kind = this.kind[event - this.trace.from - 1];
    return kind & BORN ? "alloc" : kind === (REQUESTED | COMPLETED) ? "free" : kind & REQUESTED ? "free_requested" : "free_completed";
  }

  /** @param {number} event */
  rowOf(event) {
    return this.row[event - this.trace.from - 1];
  }
}
