// SPDX-License-Identifier: MIT
// panels.js -- what stands below the pictures over time: state, flame graph, tables of blocks and events.

import { choice, element } from "./dom.js";
import { EventIndex } from "./eventindex.js";
import { buildFlame, FlameView, hasPython } from "./flame.js";
import { passes } from "./query.js";
import { Turn } from "./slices.js";
import { ranks } from "./sort.js";
import { StateView } from "./statemap.js";
import { Table } from "./table.js";
import { ALIVE } from "./trace.js";
import { address, bytes, count, pool } from "./words.js";

/** Loops look at the clock once in so many rounds: a mask. */
const OFTEN = 0x1fff;

/** @typedef {import("./view.js").View} View */

/** @param {View} view @returns {import("./table.js").Column[]} */
function allocationColumns(view) {
  const t = view.trace;
  const attr = (/** @type {number} */ r) => t.attrs[t.attrRow[r]];
  const words = {
    stream: t.attrs.map((/** @type {any[]} */ a) => a[0]),
    pool: t.attrs.map((/** @type {any[]} */ a) => pool(a[1], a[2])),
  };
  const streams = ranks(words.stream);
  const pools = ranks(words.pool);
  const sites = ranks(t.file.sites);
  return [
    { title: "Size", width: "84px", text: (r) => bytes(t.size(r)), key: (r) => t.size(r) },
    { title: "Requested", width: "84px", text: (r) => (t.requested[t.sizeRow[r]] < 0 ? "-" : bytes(t.requested[t.sizeRow[r]])), key: (r) => t.requested[t.sizeRow[r]] },
    { title: "Born", width: "80px", text: (r) => (t.born[r] < 0 ? "before" : count(t.born[r])), key: (r) => t.born[r] },
    { title: "Freed", width: "80px", text: (r) => (t.freeCompleted[r] >= ALIVE ? "never" : count(t.freeCompleted[r])), key: (r) => t.freeCompleted[r] },
    { title: "Address", width: "126px", text: (r) => (t.addressOf ? address(t.addressOf[r]) : "-"), key: (r) => (t.addressOf ? t.addressOf[r] : 0) },
    { title: "Stream", width: "58px", text: (r) => attr(r)[0], key: (r) => streams[t.attrRow[r]] },
    { title: "Pool", width: "70px", text: (r) => pool(attr(r)[1], attr(r)[2]), key: (r) => pools[t.attrRow[r]] },
    { title: "Category", width: "110px", name: true, text: (r) => view.categories[attr(r)[3]].toLowerCase().replace("_", " "), key: (r) => attr(r)[3] },
    { title: "Site", width: "auto", name: true, text: (r) => t.site(t.stackRow[r]), key: (r) => sites[t.file.stacks[2 * t.stackRow[r] + 1]] },
  ];
}

/** @param {View} view @param {EventIndex} index @returns {import("./table.js").Column[]} */
function eventColumns(view, index) {
  const t = view.trace;
  const size = (/** @type {number} */ e) => {
    const rare = index.rare.get(e);
    return rare ? rare.size : t.size(index.rowOf(e));
  };
  const where = (/** @type {number} */ e) => {
    const rare = index.rare.get(e);
    if (rare) return rare.address;
    return t.addressOf ? t.addressOf[index.rowOf(e)] : -1;
  };
  const stack = (/** @type {number} */ e) => {
    const rare = index.rare.get(e);
    return rare ? rare.stack : t.stackRow[index.rowOf(e)];
  };
  const sites = ranks(t.file.sites);
  return [
    { title: "Event", width: "90px", text: (e) => count(e), key: (e) => e },
    { title: "Time", width: "110px", text: (e) => (t.times.length ? `${(t.timeOf(e) / 1e6).toFixed(6)} s` : "-"), key: (e) => e },
    { title: "Action", width: "130px", name: true, text: (e) => index.words(e), key: (e) => index.kindOf(e) },
    { title: "Size", width: "90px", text: (e) => bytes(size(e)), key: size },
    { title: "Address", width: "126px", text: (e) => (where(e) < 0 ? "-" : address(where(e))), key: where },
    { title: "Site", width: "auto", name: true, text: (e) => (stack(e) < 0 ? "" : t.site(stack(e))),
      key: (e) => (stack(e) < 0 ? -1 : sites[t.file.stacks[2 * stack(e) + 1]]) },
  ];
}

export class Panels {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.element = element("div");
    this.index = new EventIndex(view);
    this.job = 0;
    const pick = (/** @type {number} */ row) => view.pin(row, true);
    this.state = new StateView(view.trace, (r, e) => view.colours.hex(r, e), (r) => view.rowWords(r), (r) => view.pin(r, false));
    this.flame = new FlameView((words) => view.say(words.replace("\n", ", ")));
    this.blocks = new Table(allocationColumns(view), pick, "Blocks alive at the moment");
    this.allocations = new Table(allocationColumns(view), pick, "Allocations in the window shown");
    this.events = new Table(eventColumns(view, this.index), (event) => {
      view.moveTo(event, true);
      if (this.index.rowOf(event) >= 0) view.pin(this.index.rowOf(event), false);
    }, "Events in the window shown");
    this.flameBar = element("div", "bar");
    this.flameOf = "moment";
    this.flameBy = hasPython(view.trace.file) ? "python" : "frame";
    /** @type {[string, string][]} */
    const moments = [["moment", "at the moment"], ["peak", "at the peak"], ["oom", "at out of memory"],
      ["window", "allocated in the window"], ["never", "never freed"], ["time", "times lifetime"]];
    const of = choice("bytes ", moments.filter(([v]) => v !== "oom" || view.trace.about.ooms.length > 0), (v) => {
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

  /** What belongs to the moment, the window and the search; what an earlier call still does ends. */
  async update() {
    const { view } = this;
    const t = view.trace;
    const tab = view.tab;
    const job = ++this.job;
    const turn = new Turn(() => job === this.job);
    this.flameBar.hidden = tab !== "flame";
    this.state.element.hidden = tab !== "state";
    this.flame.element.hidden = tab !== "flame";
    this.blocks.element.hidden = tab !== "blocks";
    this.allocations.element.hidden = tab !== "allocations";
    this.events.element.hidden = tab !== "events";
    this.element.dataset.shows = "";
    // Whoever asks goes on first: of many wishes in a row only the last one costs anything.
    if (!(await turn.pass())) return;
    if (tab !== "flame" && !t.addressOf) {
      await t.loadAddresses();
      if (!(await turn.pass())) return;
    }
    const words =
      tab === "state" ? await this.showState(turn)
      : tab === "flame" ? await this.showFlame(turn)
      : tab === "blocks" ? await this.showBlocks(turn)
      : tab === "allocations" ? await this.showAllocations(turn)
      : await this.showEvents(turn);
    if (words === null || !turn.wanted()) return;
    this.note.textContent = words;
    this.element.dataset.shows = tab;
  }

  /** @param {Turn} turn @returns {Promise<string | null>} null: overtaken */
  async showState(turn) {
    const { view } = this;
    if (!view.trace.hasAddresses)
      return view.trace.about.columns ? "Addresses were left out of this page, so that it stays small: there is no map of segments." : "";
    if (!(await this.state.show(view.rowsNow(), view.stage.moment, view.stage.pinned, turn))) return null;
    return "";
  }

  /** Those of `count` rows that the search lets through. @param {number} n
   * @param {(i: number) => number} row @param {(row: number) => boolean} wanted @param {Turn} turn
   * @returns {Promise<Int32Array | null>} */
  async chosen(n, row, wanted, turn) {
    const { query, trace } = this.view;
    let out = new Int32Array(1024);
    let k = 0;
    for (let i = 0; i < n; i++) {
      const r = row(i);
      if (k === out.length) {
        const old = out;
        out = new Int32Array(2 * k);
        out.set(old);
      }
      if (wanted(r) && passes(query, trace, r)) out[k++] = r;
      if ((i & OFTEN) === 0 && turn.due && !(await turn.pass())) return null;
    }
    return out.subarray(0, k);
  }

  /** @param {Turn} turn */
  async showBlocks(turn) {
    const { view } = this;
    const t = view.trace;
    const rows = view.rowsNow();
    const left = await this.chosen(rows.length, (i) => rows[i], () => true, turn);
    if (!left) return null;
    let sum = 0;
    for (let i = 0; i < left.length; i++) sum += t.size(left[i]);
    if (this.blocks.sorted < 0) this.blocks.sortBy(0);
    if (!(await this.blocks.show(left, turn))) return null;
    return `${count(left.length)} blocks, ${bytes(sum)}, alive ${view.momentWords()}${left.length < rows.length ? `, of ${count(rows.length)}` : ""}`;
  }

  /** @param {Turn} turn */
  async showAllocations(turn) {
    const t = this.view.trace;
    const { from, to } = this.view.window();
    const rows = await this.chosen(t.nRows, (i) => i, (r) => t.born[r] <= to && t.freeCompleted[r] > from, turn);
    if (!rows || !(await this.allocations.show(rows, turn))) return null;
    return `${count(rows.length)} allocations that lived in the window shown`;
  }

  /** @param {Turn} turn */
  async showEvents(turn) {
    const { view, index } = this;
    const t = view.trace;
    const { from, to } = view.window();
    if (!(await index.build(turn))) return null;
    const all = !view.query.stacks && !view.query.tests.length;
    const events = new Int32Array(Math.max(0, to - from));
    let n = 0;
    for (let e = from + 1; e <= to; e++) {
      const row = index.rowOf(e);
      if (all || (row >= 0 && passes(view.query, t, row))) events[n++] = e;
      if ((e & OFTEN) === 0 && turn.due && !(await turn.pass())) return null;
    }
    if (!(await this.events.show(events.subarray(0, n), turn))) return null;
    return `${count(n)} events in the window shown${all ? "" : ", of allocations that the search finds"}`;
  }

  /** Bytes of each stack, as the reader asks for them. @param {Turn} turn */
  async stackWeights(turn) {
    const { view, flameOf } = this;
    const t = view.trace;
    const weights = new Float64Array(t.file.stacks.length / 2);
    const { from, to } = view.window();
    const over = flameOf === "window" || flameOf === "time" || flameOf === "never";
    const rows = over ? null : view.rowsAt(this.flameEvent());
    const n = rows ? rows.length : t.nRows;
    for (let i = 0; i < n; i++) {
      const row = rows ? rows[i] : i;
      const factor = flameOf === "time" ? this.life(row)
        : flameOf === "window" ? Number(t.born[row] > from && t.born[row] <= to)
        : flameOf === "never" ? Number(t.freeCompleted[row] >= ALIVE) : 1;
      if (factor && passes(view.query, t, row)) weights[t.stackRow[row]] += t.size(row) * factor;
      if ((i & OFTEN) === 0 && turn.due && !(await turn.pass())) return null;
    }
    return weights;
  }

  flameEvent() {
    const { stage, trace } = this.view;
    const ooms = trace.about.ooms;
    if (this.flameOf === "peak") return trace.peakEvent;
    return this.flameOf === "oom" && ooms.length ? Math.max(trace.from, ooms[ooms.length - 1].event - 1) : stage.moment;
  }

  /** @param {Turn} turn */
  async showFlame(turn) {
    const t = this.view.trace;
    const weights = await this.stackWeights(turn);
    const root = weights && (await buildFlame(t.file, weights, this.flameBy, turn));
    if (!root) return null;
    const timed = t.times.length > 0;
    this.flame.show(root, this.flameOf !== "time" ? bytes
      : (n) => (timed ? `${bytes(n / 1e6)}\u00b7s` : `${bytes(n)}\u00b7events`));
    if (!root.value) return this.emptyWords();
    const what = { moment: `alive ${this.view.momentWords()}`, peak: `alive at the peak, event ${count(t.peakEvent)}`,
      oom: `alive when memory ran out, event ${count(this.flameEvent() + 1)}`, window: "allocated in the window shown",
      never: "never freed in this recording", time: "held, times how long" }[this.flameOf];
    return `${this.flame.unit(root.value)} ${what}. Strong colours are your code. Click a box to enlarge it, the one above to go back.`;
  }

  emptyWords() {
    const searched = this.view.text ? ` that the search \u201c${this.view.text}\u201d finds` : "";
    return {
      moment: `No block${searched} is alive ${this.view.momentWords()}.`, peak: `No block${searched} is alive at the peak.`,
      oom: `No block${searched} was alive when memory ran out.`, window: `Nothing${searched} was allocated in the window shown.`,
      never: `Every allocation${searched} was freed.`, time: `There is no allocation${searched}.`,
    }[this.flameOf] || "";
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
