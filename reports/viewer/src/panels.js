// SPDX-License-Identifier: MIT
// panels.js -- what stands below the pictures over time: state, flame graph, tables of blocks and events.

import { choice, element } from "./dom.js";
import { buildFlame, FlameView, hasPython } from "./flame.js";
import { passes } from "./query.js";
import { StateView } from "./statemap.js";
import { Table } from "./table.js";
import { ALIVE } from "./trace.js";
import { address, bytes, count, pool } from "./words.js";

/** @typedef {import("./view.js").View} View */

/** @param {View} view @returns {import("./table.js").Column[]} */
function allocationColumns(view) {
  const t = view.trace;
  const attr = (/** @type {number} */ r) => t.attrs[t.attrRow[r]];
  return [
    { title: "Size", width: "9%", text: (r) => bytes(t.size(r)), key: (r) => t.size(r) },
    { title: "Requested", width: "9%", text: (r) => (t.requested[t.sizeRow[r]] < 0 ? "-" : bytes(t.requested[t.sizeRow[r]])), key: (r) => t.requested[t.sizeRow[r]] },
    { title: "Born", width: "8%", text: (r) => (t.born[r] < 0 ? "before" : String(t.born[r])), key: (r) => t.born[r] },
    { title: "Freed", width: "8%", text: (r) => (t.freeCompleted[r] >= ALIVE ? "never" : String(t.freeCompleted[r])), key: (r) => t.freeCompleted[r] },
    { title: "Address", width: "11%", text: (r) => (t.addressOf ? address(t.addressOf[r]) : "-"), key: (r) => (t.addressOf ? t.addressOf[r] : 0) },
    { title: "Stream", width: "6%", text: (r) => attr(r)[0], key: (r) => attr(r)[0] },
    { title: "Pool", width: "7%", text: (r) => pool(attr(r)[1], attr(r)[2]), key: (r) => pool(attr(r)[1], attr(r)[2]) },
    { title: "Category", width: "12%", name: true, text: (r) => view.categories[attr(r)[3]].toLowerCase().replace("_", " "), key: (r) => attr(r)[3] },
    { title: "Site", width: "30%", name: true, text: (r) => t.site(t.stackRow[r]), key: (r) => t.site(t.stackRow[r]) },
  ];
}

/** Events as numbers; what each was is found from the rows. @param {View} view */
export class EventIndex {
  /** @param {View} view */
  constructor(view) {
    const t = view.trace;
    this.view = view;
    this.row = new Int32Array(t.nEvents).fill(-1);
    this.kind = new Uint8Array(t.nEvents);
    const put = (/** @type {number} */ event, /** @type {number} */ row, /** @type {number} */ kind) => {
      if (event <= t.from || event > t.to) return;
      this.row[event - t.from - 1] = row;
      this.kind[event - t.from - 1] |= kind;
    };
    for (let row = 0; row < t.nRows; row++) {
      if (row >= t.nBefore) put(t.born[row], row, 1);
      put(t.freeRequested[row], row, 2);
      put(t.freeCompleted[row], row, 4);
    }
    this.rare = new Map(t.rare.map((r) => [r.event, r]));
  }

  /** @param {number} event */
  words(event) {
    const rare = this.rare.get(event);
    if (rare) return this.view.actions[rare.action];
    const kind = this.kind[event - this.view.trace.from - 1];
    return kind & 1 ? "alloc" : kind === 6 ? "free" : kind & 2 ? "free_requested" : "free_completed";
  }

  /** @param {number} event */
  rowOf(event) {
    return this.row[event - this.view.trace.from - 1];
  }
}

/** @param {View} view @param {() => EventIndex} index @returns {import("./table.js").Column[]} */
function eventColumns(view, index) {
  const t = view.trace;
  const size = (/** @type {number} */ e) => {
    const rare = index().rare.get(e);
    return rare ? rare.size : t.size(index().rowOf(e));
  };
  const where = (/** @type {number} */ e) => {
    const rare = index().rare.get(e);
    if (rare) return rare.address;
    return t.addressOf ? t.addressOf[index().rowOf(e)] : -1;
  };
  const site = (/** @type {number} */ e) => {
    const rare = index().rare.get(e);
    return rare ? (rare.stack < 0 ? "" : t.site(rare.stack)) : t.site(t.stackRow[index().rowOf(e)]);
  };
  return [
    { title: "Event", width: "10%", text: (e) => String(e), key: (e) => e },
    { title: "Time", width: "13%", text: (e) => (t.times.length ? `${(t.timeOf(e) / 1e6).toFixed(6)} s` : "-"), key: (e) => e },
    { title: "Action", width: "13%", name: true, text: (e) => index().words(e), key: (e) => index().words(e) },
    { title: "Size", width: "10%", text: (e) => bytes(size(e)), key: size },
    { title: "Address", width: "14%", text: (e) => (where(e) < 0 ? "-" : address(where(e))), key: where },
    { title: "Site", width: "40%", name: true, text: site, key: site },
  ];
}

export class Panels {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.element = element("div");
    /** @type {EventIndex | null} */
    this.index = null;
    const pick = (/** @type {number} */ row) => view.pin(row, true);
    this.state = new StateView(view.trace, (r, e) => view.colours.hex(r, e), (r) => view.rowWords(r), (r) => view.pin(r, false));
    this.flame = new FlameView((words) => view.say(words.replace("\n", ", ")));
    this.blocks = new Table(allocationColumns(view), pick, "Blocks alive at the moment");
    this.allocations = new Table(allocationColumns(view), pick, "Allocations in the window shown");
    const index = () => this.index || (this.index = new EventIndex(view));
    this.events = new Table(eventColumns(view, index), (event) => {
      view.moveTo(event, true);
      if (index().rowOf(event) >= 0) view.pin(index().rowOf(event), false);
    }, "Events in the window shown");
    this.getIndex = index;
    this.flameBar = element("div", "bar");
    this.flameOf = "moment";
    this.flameBy = hasPython(view.trace.file) ? "python" : "frame";
    const of = choice("bytes ", [["moment", "at the moment"], ["peak", "at the peak"], ["oom", "at out of memory"],
      ["window", "allocated in the window"], ["never", "never freed"], ["time", "times lifetime"]], (v) => {
      this.flameOf = v;
      void this.update();
    });
    const by = choice("by ", [["python", "Python frame"], ["frame", "every frame"], ["file", "file"], ["module", "module"]], (v) => {
      this.flameBy = v;
      void this.update();
    });
    by.select.value = this.flameBy;
    this.flameBar.append(of.wrap, by.wrap);
    this.note = element("div", "readout panel-note");
    this.element.append(this.flameBar, this.note, this.state.element, this.flame.element, this.blocks.element, this.allocations.element, this.events.element);
  }

  /** Rows that the search lets through. @param {ArrayLike<number>} rows @param {number} n */
  filtered(rows, n) {
    const { query, trace } = this.view;
    const out = new Float64Array(n);
    let k = 0;
    for (let i = 0; i < n; i++) if (passes(query, trace, rows[i])) out[k++] = rows[i];
    return out.subarray(0, k);
  }

  async update() {
    const { view } = this;
    const t = view.trace;
    const tab = view.tab;
    this.flameBar.hidden = tab !== "flame";
    this.state.element.hidden = tab !== "state";
    this.flame.element.hidden = tab !== "flame";
    this.blocks.element.hidden = tab !== "blocks";
    this.allocations.element.hidden = tab !== "allocations";
    this.events.element.hidden = tab !== "events";
    this.note.textContent = "";
    if (tab !== "flame") await t.loadAddresses();
    if (tab !== view.tab) return;
    const moment = view.stage.moment;
    if (tab === "state") {
      const began = performance.now();
      if (t.hasAddresses) this.state.show(view.rowsNow(), moment, view.stage.pinned);
      else this.state.summary.textContent = "Addresses were left out of this page: there is no map of segments.";
      view.stage.took.state = performance.now() - began;
    } else if (tab === "flame") this.showFlame();
    else if (tab === "blocks") {
      const rows = view.rowsNow();
      const left = this.filtered(rows, rows.length);
      let sum = 0;
      for (const r of left) sum += t.size(r);
      this.blocks.show(left);
      if (this.blocks.sorted < 0) this.blocks.sort(0);
      this.note.textContent = `${count(left.length)} blocks, ${bytes(sum)}, alive ${view.momentWords()}${left.length < rows.length ? `, of ${count(rows.length)}` : ""}`;
    } else if (tab === "allocations") this.showAllocations();
    else this.showEvents();
  }

  showAllocations() {
    const t = this.view.trace;
    const { from, to } = this.view.window();
    const rows = [];
    for (let row = 0; row < t.nRows; row++)
      if (t.born[row] <= to && t.freeCompleted[row] > from && passes(this.view.query, t, row)) rows.push(row);
    this.allocations.show(rows);
    this.note.textContent = `${count(rows.length)} allocations that lived in the window shown`;
  }

  showEvents() {
    const { view } = this;
    const t = view.trace;
    const { from, to } = view.window();
    const index = this.getIndex();
    const all = !view.query.stacks && !view.query.tests.length;
    const events = new Float64Array(Math.max(0, to - from));
    let n = 0;
    for (let e = from + 1; e <= to; e++) {
      const row = index.rowOf(e);
      if (all || (row >= 0 && passes(view.query, t, row))) events[n++] = e;
    }
    this.events.show(events.subarray(0, n));
    this.note.textContent = `${count(n)} events in the window shown`;
  }

  showFlame() {
    const { view } = this;
    const t = view.trace;
    const weights = new Float64Array(t.file.stacks.length / 2);
    const add = (/** @type {number} */ row, /** @type {number} */ factor) => {
      if (passes(view.query, t, row)) weights[t.stackRow[row]] += t.size(row) * factor;
    };
    const { from, to } = view.window();
    const ooms = t.about.ooms;
    if (this.flameOf === "window" || this.flameOf === "time" || this.flameOf === "never") {
      for (let row = 0; row < t.nRows; row++) {
        if (this.flameOf === "window" && t.born[row] > from && t.born[row] <= to) add(row, 1);
        else if (this.flameOf === "never" && t.freeCompleted[row] >= ALIVE) add(row, 1);
        else if (this.flameOf === "time") add(row, this.life(row));
      }
    } else {
      const event = this.flameOf === "peak" ? t.peakEvent : this.flameOf === "oom" && ooms.length ? ooms[ooms.length - 1].event - 1 : view.stage.moment;
      for (const row of event === view.stage.moment ? view.rowsNow() : view.stage.moments.rowsAt(event)) add(row, 1);
    }
    const timed = t.times.length > 0;
    this.flame.show(buildFlame(t.file, weights, this.flameBy), this.flameOf !== "time" ? bytes
      : (n) => (timed ? `${bytes(n / 1e6)}\u00b7s` : `${bytes(n)}\u00b7events`));
    this.note.textContent = `${this.flame.unit(this.flame.root ? this.flame.root.value : 0)} in all`;
  }

  /** @param {number} row */
  life(row) {
    const t = this.view.trace;
    const end = Math.min(t.freeCompleted[row], t.to);
    return t.times.length ? t.timeOf(end) - t.timeOf(Math.max(t.born[row], t.from)) : end - Math.max(t.born[row], t.from);
  }

  redraw() {
    if (this.view.tab === "state") this.state.draw();
    if (this.view.tab === "flame") this.flame.draw();
  }
}
